"""Parts of the index on disk: a folder each, written once, with sums of all its files."""

from __future__ import annotations

import contextlib
import functools
import json
import secrets
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.tokens.chunks import TOKENIZER_VERSION, Chunk
from corpuskit.tokens.part import NOT_LAYERS, Part, columns_of

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

FORMAT: Final = 1
_ABOUT: Final = "part.json"
_DOCUMENTS: Final = "documents"

Stamps = dict[str, tuple[int, int]]
"""Size and time of change of each file, when its sum was right last."""


def write_part(folder: Path, chunk: Chunk) -> str:
    """Writes a part; gives its name. It appears when it is whole."""
    name = f"part-{secrets.token_hex(8)}"
    temporary = folder / f"{name}.tmp"
    temporary.mkdir(parents=True)
    try:
        columns, lexica = columns_of(chunk)
        sums = {_write_column(temporary, column, values): 0 for column, values in columns.items()}
        for lexicon, strings in lexica.items():
            sums[_write_strings(temporary, lexicon, strings)] = 0
        sums[_write_table(temporary, chunk.documents)] = 0
        about = {
            "format": FORMAT,
            "tokenizer": TOKENIZER_VERSION,
            "layers": [layer for layer in chunk.lexica if layer not in NOT_LAYERS],
            "sums": {file: _sum_of(temporary / file) for file in sums},
        }
        (temporary / _ABOUT).write_text(json.dumps(about), "utf-8")
        temporary.rename(folder / name)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return name


def read_part(path: Path, stamps: Stamps | None = None) -> tuple[Part, Stamps] | None:
    """A part, its columns mapped from disk when they are asked for; None where it is damaged or of another version.

    Args:
        path: its folder.
        stamps: what :func:`read_part` gave last; the sums of files that have changed since are taken again.
    """
    try:
        about = json.loads((path / _ABOUT).read_text("utf-8"))
        if (about["format"], about["tokenizer"]) != (FORMAT, TOKENIZER_VERSION):
            return None
        found: Stamps = {}
        for file, expected in about["sums"].items():
            found[file] = stamp_of(path / file)
            if (stamps or {}).get(file) != found[file] and _sum_of(path / file) != expected:
                return None
        documents = _read_table(path / f"{_DOCUMENTS}.arrow")
        part = Part(
            functools.partial(_read_column, path),
            functools.partial(_read_strings, path),
            documents,
            tuple(str(layer) for layer in about["layers"]),
            functools.partial(add_column, path),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # Arrow's errors are ValueErrors or OSErrors
        return None
    return part, found


def add_column(path: Path, name: str, column: npt.NDArray[Any]) -> None:
    """Adds a column to a part; where the disk does not let it, the column is made again the next time."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        _add(path, {name: column}, {})


def add_layer(path: Path, name: str, columns: dict[str, npt.NDArray[Any]], lexicon: pa.Array) -> None:
    """Adds a layer to a part, or another in its place."""
    _add(path, columns, {name: lexicon}, layer=name)


def _add(
    path: Path, columns: dict[str, npt.NDArray[Any]], lexica: dict[str, pa.Array], layer: str | None = None
) -> None:
    about = json.loads((path / _ABOUT).read_text("utf-8"))
    with tempfile.TemporaryDirectory(dir=path, prefix="new-", suffix=".tmp") as new:
        files = [_write_column(Path(new), name, column) for name, column in columns.items()]
        files += [_write_strings(Path(new), name, strings) for name, strings in lexica.items()]
        for file in files:
            about["sums"][file] = _sum_of(Path(new) / file)
            (Path(new) / file).replace(path / file)
        if layer is not None and layer not in about["layers"]:
            about["layers"].append(layer)
        (Path(new) / _ABOUT).write_text(json.dumps(about), "utf-8")
        (Path(new) / _ABOUT).replace(path / _ABOUT)


def stamp_of(file: Path) -> tuple[int, int]:
    """Size and time of change."""
    status = file.stat()
    return status.st_size, status.st_mtime_ns


def unchanged(path: Path, stamps: Stamps) -> bool:
    """Whether all files of a part are those of the stamps."""
    try:
        return all(stamp_of(path / file) == stamp for file, stamp in stamps.items())
    except OSError:
        return False


def remove_part(path: Path) -> None:
    """Removes a part; the file that says it is one goes first."""
    (path / _ABOUT).unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)


def _sum_of(file: Path) -> int:
    total = 0
    with file.open("rb") as handle:
        while block := handle.read(1 << 22):
            total = zlib.crc32(block, total)
    return total


def _write_column(path: Path, name: str, values: npt.NDArray[Any]) -> str:
    np.save(path / f"{name}.npy", np.ascontiguousarray(values), allow_pickle=False)
    return f"{name}.npy"


def _read_column(path: Path, name: str) -> npt.NDArray[Any]:
    mapped = np.load(path / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    # An ordinary array over the same memory: a memmap makes a new object of its class at each step.
    plain: npt.NDArray[Any] = mapped.view(np.ndarray)
    return plain


def _write_strings(path: Path, name: str, strings: pa.Array) -> str:
    import pyarrow as pa

    return _write_arrow(path / f"{name}.arrow", pa.table({"string": strings}))


def _read_strings(path: Path, name: str) -> pa.Array:
    column = _read_table(path / f"{name}.arrow").column("string")
    return column.chunk(0) if column.num_chunks else column.combine_chunks()


def _write_table(path: Path, table: pa.Table) -> str:
    return _write_arrow(path / f"{_DOCUMENTS}.arrow", table)


def _write_arrow(file: Path, table: pa.Table) -> str:
    import pyarrow as pa

    whole = table.combine_chunks()
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
        writer.write_table(whole)
    return file.name


def _read_table(file: Path) -> pa.Table:
    import pyarrow as pa

    with pa.memory_map(str(file)) as source, pa.ipc.open_file(source) as reader:
        return reader.read_all()
