"""Parts of the index on disk: a folder each, written once, with sums of all its files."""

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
from corpuskit.tokens.chunks import TOKENIZER_VERSION, Chunk
from corpuskit.tokens.part import NOT_LAYERS, Part, columns_of

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

FORMAT: Final = 1
_ABOUT: Final = "part.json"
_DOCUMENTS: Final = "documents"
_MOST_ABOUT: Final = 1 << 20  # bytes

Stamps = dict[str, tuple[int, int]]
"""Size and time of change of each file, when its sum was right last."""


def write_part(tokens: SafeFolder, chunk: Chunk) -> str:
    """Writes a part; returns its name. It appears when it is whole."""
    name = f"part-{secrets.token_hex(8)}"
    part = tokens.subfolder(f"{name}.tmp")
    part.mkdir()
    try:
        columns, lexica = columns_of(chunk)
        files = [_write_column(part, column, values) for column, values in columns.items()]
        files += [_write_strings(part, lexicon, strings) for lexicon, strings in lexica.items()]
        files.append(_write_table(part, _DOCUMENTS, chunk.documents))
        about = {
            "format": FORMAT,
            "tokenizer": TOKENIZER_VERSION,
            "layers": [layer for layer in chunk.lexica if layer not in NOT_LAYERS],
            "sums": {file: _sum_of(part, file) for file in files},
        }
        part.write(_ABOUT, json.dumps(about).encode())
        tokens.rename(f"{name}.tmp", name)
    except BaseException:
        part.remove_folder()
        raise
    return name


def read_part(part: SafeFolder, stamps: Stamps | None = None, *, trust: bool = False) -> tuple[Part, Stamps] | None:
    """A part, its columns mapped from disk when they are asked for; None where it is damaged or of another version.

    Args:
        part: its folder.
        stamps: what :func:`read_part` gave last; the sums of files that have changed since are taken again.
        trust: no sums are taken: only to see what it is said to have.
    """
    try:
        about = json.loads(part.read(_ABOUT, _MOST_ABOUT))
        if (about["format"], about["tokenizer"]) != (FORMAT, TOKENIZER_VERSION):
            return None
        found: Stamps = {}
        for file, expected in about["sums"].items():
            found[file] = _stamp_of(part, file)
            if not trust and (stamps or {}).get(file) != found[file] and _sum_of(part, file) != expected:
                return None
        documents = _read_table(part, _DOCUMENTS)
        read = Part(
            functools.partial(_read_column, part),
            functools.partial(_read_strings, part),
            documents,
            tuple(str(layer) for layer in about["layers"]),
            functools.partial(add_column, part),
        )
    except (CorpusError, OSError, ValueError, KeyError, TypeError, AttributeError):  # Arrow's are some of these
        return None
    return read, found


def add_column(part: SafeFolder, name: str, column: npt.NDArray[Any]) -> None:
    """Adds a column to a part; where the disk does not let it, the column is made again the next time."""
    with contextlib.suppress(CorpusError, OSError, ValueError, KeyError):
        _add(part, {name: column}, {})


def add_layer(part: SafeFolder, name: str, columns: dict[str, npt.NDArray[Any]], lexicon: pa.Array) -> None:
    """Adds a layer to a part, or another in its place."""
    _add(part, columns, {name: lexicon}, layer=name)


def write_documents(part: SafeFolder, documents: pa.Table) -> None:
    """Writes other rows for the documents of a part."""
    _add(part, {}, {}, documents=documents)


def _add(
    part: SafeFolder,
    columns: dict[str, npt.NDArray[Any]],
    lexica: dict[str, pa.Array],
    *,
    layer: str | None = None,
    documents: pa.Table | None = None,
) -> None:
    about = json.loads(part.read(_ABOUT, _MOST_ABOUT))
    new = part.subfolder(f"new-{secrets.token_hex(8)}.tmp")
    new.mkdir()
    try:
        files = [_write_column(new, name, column) for name, column in columns.items()]
        files += [_write_strings(new, name, strings) for name, strings in lexica.items()]
        files += [] if documents is None else [_write_table(new, _DOCUMENTS, documents)]
        sums = {file: _sum_of(new, file) for file in files}
        if layer in about["layers"] and sums.keys() & about["sums"].keys():
            # A process that dies while files are put in place of others loses this layer, not the part.
            there = {file: known for file, known in about["sums"].items() if file not in sums}
            rest = [name for name in about["layers"] if name != layer]
            part.write(_ABOUT, json.dumps(about | {"sums": there, "layers": rest}).encode())
        for file in files:
            part.rename(f"{new.parts[-1]}/{file}", file)
        about["sums"] |= sums
        if layer is not None and layer not in about["layers"]:
            about["layers"].append(layer)
        part.write(_ABOUT, json.dumps(about).encode())
    finally:
        new.remove_folder()


def write_merged(folder: SafeFolder, strings: pa.Array, numbers: Sequence[npt.NDArray[Any]]) -> None:
    """Writes a lexicon of several parts, and the numbers of the strings of each in it."""
    folder.mkdir()
    files = [_write_strings(folder, "lexicon", strings)]
    files += [_write_column(folder, f"part-{i}", column) for i, column in enumerate(numbers)]
    folder.write(_ABOUT, json.dumps({"sums": {file: _sum_of(folder, file) for file in files}}).encode())


def read_merged(folder: SafeFolder, parts: int) -> tuple[pa.Array, tuple[npt.NDArray[Any], ...]] | None:
    """What :func:`write_merged` wrote; None where it is not there, or damaged."""
    try:
        if not folder.exists(_ABOUT):
            return None
        sums = json.loads(folder.read(_ABOUT, _MOST_ABOUT))["sums"]
        if any(_sum_of(folder, file) != expected for file, expected in sums.items()):
            return None
        numbers = tuple(_read_column(folder, f"part-{i}") for i in range(parts))
        strings = _read_strings(folder, "lexicon")
    except (CorpusError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return strings, numbers


def unchanged(part: SafeFolder, stamps: Stamps) -> bool:
    """Whether all files of a part are those of the stamps."""
    try:
        return all(_stamp_of(part, file) == stamp for file, stamp in stamps.items())
    except (CorpusError, OSError):
        return False


def remove_part(part: SafeFolder) -> None:
    """Removes a part; the file that says it is one goes first."""
    part.remove(_ABOUT)
    part.remove_folder()


def _stamp_of(part: SafeFolder, file: str) -> tuple[int, int]:
    status = part.stat(file)
    if status is None:
        raise FileNotFoundError(file)
    return status.st_size, status.st_mtime_ns


def _sum_of(part: SafeFolder, file: str) -> int:
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
    # An ordinary array over the same memory: a memmap makes a new object of its class at each step.
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

    whole = table.combine_chunks()
    with part.open(f"{name}.arrow", "xb") as file, pa.ipc.new_file(file, whole.schema) as writer:
        writer.write_table(whole)
    return f"{name}.arrow"


def _read_table(part: SafeFolder, name: str) -> pa.Table:
    import pyarrow as pa

    with pa.memory_map(str(part / f"{name}.arrow")) as source, pa.ipc.open_file(source) as reader:
        table = reader.read_all()
    table.validate(full=True)  # of a folder from elsewhere: places outside of the file must not be read
    return table
