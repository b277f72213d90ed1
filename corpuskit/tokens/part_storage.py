"""Storage of index parts: one directory per part, written once, with checksums of all files."""

from __future__ import annotations

import contextlib
import functools
import json
import secrets
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.tokens.index_part import BUILT_IN_COLUMNS, IndexPart, columns_of
from corpuskit.tokens.token_table import TOKENIZER_VERSION, TokenTable

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

FORMAT: Final = 1
_METADATA: Final = "part.json"
_DOCUMENTS: Final = "documents"
_MAX_METADATA_SIZE: Final = 1 << 20  # bytes

Stamps = dict[str, tuple[int, int]]
"""Size and modification time of each file when its checksum was last verified."""


def write_part(tokens: SafeFolder, tokens_table: TokenTable) -> str:
    """Write a part and return its name. The part appears atomically."""
    name = f"part-{secrets.token_hex(8)}"
    part = tokens.subfolder(f"{name}.tmp")
    part.mkdir()
    try:
        columns, lexica = columns_of(tokens_table)
        files = [_write_column(part, column, values) for column, values in columns.items()]
        files += [_write_strings(part, lexicon, strings) for lexicon, strings in lexica.items()]
        files.append(_write_table(part, _DOCUMENTS, tokens_table.documents))
        metadata = {
            "format": FORMAT,
            "tokenizer": TOKENIZER_VERSION,
            "layers": [layer for layer in tokens_table.lexica if layer not in BUILT_IN_COLUMNS],
            "sums": {file: _checksum(part, file) for file in files},
        }
        part.write(_METADATA, json.dumps(metadata).encode())
        tokens.rename(f"{name}.tmp", name)
    except BaseException:
        part.remove_folder()
        raise
    return name


def read_part(
    part: SafeFolder, stamps: Stamps | None = None, *, skip_checksums: bool = False
) -> tuple[IndexPart, Stamps] | None:
    """Open a part. Its columns are memory-mapped on first use. Return None if it is damaged or has another version.

    Args:
        part: The directory of the part.
        stamps: Stamps of an earlier call. Only files changed since then are verified by checksum.
        skip_checksums: Do not verify checksums.
    """
    try:
        metadata = json.loads(part.read(_METADATA, _MAX_METADATA_SIZE))
        if (metadata["format"], metadata["tokenizer"]) != (FORMAT, TOKENIZER_VERSION):
            return None
        current: Stamps = {}
        for file, expected in metadata["sums"].items():
            current[file] = _stamp(part, file)
            if not skip_checksums and (stamps or {}).get(file) != current[file] and _checksum(part, file) != expected:
                return None
        documents = _read_table(part, _DOCUMENTS)
        opened = IndexPart(
            functools.partial(_read_column, part),
            functools.partial(_read_strings, part),
            documents,
            tuple(str(layer) for layer in metadata["layers"]),
            functools.partial(add_column, part),
        )
    except (CorpusError, OSError, ValueError, KeyError, TypeError, AttributeError):  # includes Arrow's errors
        return None
    return opened, current


def add_column(part: SafeFolder, name: str, column: npt.NDArray[Any]) -> None:
    """Add a column to a part. If writing fails, the column is computed again next time."""
    with contextlib.suppress(CorpusError, OSError, ValueError, KeyError):
        _add(part, {name: column}, {})


def add_layer(part: SafeFolder, name: str, columns: dict[str, npt.NDArray[Any]], lexicon: pa.Array) -> None:
    """Add a layer to a part, or replace it."""
    _add(part, columns, {name: lexicon}, layer=name)


def write_documents(part: SafeFolder, documents: pa.Table) -> None:
    """Replace the documents table of a part."""
    _add(part, {}, {}, documents=documents)


def _add(
    part: SafeFolder,
    columns: dict[str, npt.NDArray[Any]],
    lexica: dict[str, pa.Array],
    *,
    layer: str | None = None,
    documents: pa.Table | None = None,
) -> None:
    metadata = json.loads(part.read(_METADATA, _MAX_METADATA_SIZE))
    new = part.subfolder(f"new-{secrets.token_hex(8)}.tmp")
    new.mkdir()
    try:
        files = [_write_column(new, name, column) for name, column in columns.items()]
        files += [_write_strings(new, name, strings) for name, strings in lexica.items()]
        files += [] if documents is None else [_write_table(new, _DOCUMENTS, documents)]
        sums = {file: _checksum(new, file) for file in files}
        if layer in metadata["layers"] and sums.keys() & metadata["sums"].keys():
            # If the process dies while files are replaced, this layer is lost, not the part.
            unchanged_sums = {file: known for file, known in metadata["sums"].items() if file not in sums}
            rest = [name for name in metadata["layers"] if name != layer]
            part.write(_METADATA, json.dumps(metadata | {"sums": unchanged_sums, "layers": rest}).encode())
        for file in files:
            part.rename(f"{new.parts[-1]}/{file}", file)
        metadata["sums"] |= sums
        if layer is not None and layer not in metadata["layers"]:
            metadata["layers"].append(layer)
        part.write(_METADATA, json.dumps(metadata).encode())
    finally:
        new.remove_folder()


def write_merged(folder: SafeFolder, strings: pa.Array, numbers: Sequence[npt.NDArray[Any]]) -> None:
    """Write a merged lexicon, and for each part the numbers of its strings."""
    folder.mkdir()
    files = [_write_strings(folder, "lexicon", strings)]
    files += [_write_column(folder, f"part-{i}", column) for i, column in enumerate(numbers)]
    folder.write(_METADATA, json.dumps({"sums": {file: _checksum(folder, file) for file in files}}).encode())


def read_merged(folder: SafeFolder, parts: int) -> tuple[pa.Array, tuple[npt.NDArray[Any], ...]] | None:
    """Return what :func:`write_merged` stored, or None if it is missing or damaged."""
    try:
        if not folder.exists(_METADATA):
            return None
        sums = json.loads(folder.read(_METADATA, _MAX_METADATA_SIZE))["sums"]
        if any(_checksum(folder, file) != expected for file, expected in sums.items()):
            return None
        numbers = tuple(_read_column(folder, f"part-{i}") for i in range(parts))
        strings = _read_strings(folder, "lexicon")
    except (CorpusError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return strings, numbers


def is_unchanged(part: SafeFolder, stamps: Stamps) -> bool:
    """Return whether no file of a part has changed since its stamp."""
    try:
        return all(_stamp(part, file) == stamp for file, stamp in stamps.items())
    except (CorpusError, OSError):
        return False


def remove_part(part: SafeFolder) -> None:
    """Remove a part. Its metadata goes first, so that a partly removed part is not read."""
    part.remove(_METADATA)
    part.remove_folder()


def _stamp(part: SafeFolder, file: str) -> tuple[int, int]:
    status = part.stat(file)
    if status is None:
        raise FileNotFoundError(file)
    return status.st_size, status.st_mtime_ns


def _checksum(part: SafeFolder, file: str) -> int:
    total = 0
    with part.open(file) as handle:
        while block := handle.read(1 << 22):
            total = zlib.crc32(block, total)
    return total


def _write_column(part: SafeFolder, name: str, values: npt.NDArray[Any]) -> str:
    with part.open(f"{name}.npy", "xb") as file:
        np.save(file, np.ascontiguousarray(values), allow_pickle=False)
    return f"{name}.npy"


def _read_column(part: SafeFolder, name: str) -> npt.NDArray[Any]:
    mapped = np.load(part / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    # A plain array over the same memory: slicing a memmap creates a memmap object each time.
    plain: npt.NDArray[Any] = mapped.view(np.ndarray)
    return plain


def _write_strings(part: SafeFolder, name: str, strings: pa.Array) -> str:
    import pyarrow as pa

    return _write_table(part, name, pa.table({"string": strings}))


def _read_strings(part: SafeFolder, name: str) -> pa.Array:
    column = _read_table(part, name).column("string")
    return column.chunk(0) if column.num_chunks else column.combine_chunks()


def _write_table(part: SafeFolder, name: str, table: pa.Table) -> str:
    import pyarrow as pa

    combined = table.combine_chunks()
    with part.open(f"{name}.arrow", "xb") as file, pa.ipc.new_file(file, combined.schema) as writer:
        writer.write_table(combined)
    return f"{name}.arrow"


def _read_table(part: SafeFolder, name: str) -> pa.Table:
    import pyarrow as pa

    with pa.memory_map(str(part / f"{name}.arrow")) as source, pa.ipc.open_file(source) as reader:
        table = reader.read_all()
    table.validate(full=True)  # in a directory from elsewhere, offsets could point outside the file
    return table
