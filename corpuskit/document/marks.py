"""The marks file of a ``.nlp.txt``: columns that are not part of its format.

Zstandard-compressed JSON: ``{"format": "corpuskit-marks", "version": 1, "elements": N, "not_main": [[start, end], ...],
"columns": {name: {element_id: value}}}``. ``element_id`` is the position of an element in the ``.nlp.txt`` file.
"""

from __future__ import annotations

import itertools
import json
from typing import Any, Final

from corpuskit.document.elements import FORMATTING, OPTIONAL_COLUMNS, ElementTable
from corpuskit.errors import DocumentFormatError
from corpuskit.zstd import FrameWriter, ZstdError, read_frame

MARKS: Final = "marks.json.zst"
"""Name of the marks file of a ``.nlp.txt`` in its artifact directory."""

_FORMAT: Final = "corpuskit-marks"
_VERSION: Final = 1
_MAX_SIZE: Final = 512 * 1024 * 1024  # bytes of JSON; protects from decompression bombs
_COLUMNS: Final = (*OPTIONAL_COLUMNS, FORMATTING)
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(_COLUMNS, (str,)),
    "main_probability": (int, float),
    "page": (int,),
}


def dump_marks(table: ElementTable) -> bytes:
    """Return the content of the marks file of a table in normal form."""
    not_main = [
        [group_rows[0][0], group_rows[-1][0] + 1]
        for is_main, rows in itertools.groupby(enumerate(table.main), key=lambda row: row[1])
        if not is_main and (group_rows := list(rows))
    ]
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "elements": len(table),
        "not_main": not_main,
        "columns": {name: table.marks[name] for name in _COLUMNS if table.marks.get(name)},
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return FrameWriter(level=3).frame(text.encode("utf-8", "replace"))


def load_marks(content: bytes, table: ElementTable, *, where: str | None = None) -> None:
    """Set the marks of a table from the content of a marks file.

    Raises:
        DocumentFormatError: The content is invalid or belongs to another table.
    """
    try:
        data = json.loads(read_frame(content, _MAX_SIZE))
    except (ZstdError, ValueError, RecursionError) as error:
        raise DocumentFormatError(1, str(error), "zstd-compressed JSON", where=where) from None
    problem = _problem(data, len(table))
    if problem:
        raise DocumentFormatError(1, problem, f"the marks of {len(table)} elements", where=where)
    table.main[:] = [True] * len(table)
    for start, end in data["not_main"]:
        table.main[start:end] = [False] * (end - start)
    table.marks = {name: {int(i): value for i, value in column.items()} for name, column in data["columns"].items()}


def _problem(data: Any, size: int) -> str | None:
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        return "another kind of file"
    if data.get("version") != _VERSION:
        return f"version {data.get('version')!r}"
    if data.get("elements") != size:
        return f"the marks of {data.get('elements')!r} elements"
    spans = data.get("not_main")
    if not isinstance(spans, list) or not all(
        isinstance(span, list) and len(span) == 2 and all(type(i) is int and 0 <= i <= size for i in span)
        and span[0] < span[1]
        for span in spans
    ):  # fmt: skip
        return "an invalid span of not_main"
    columns = data.get("columns")
    if not isinstance(columns, dict) or not set(columns) <= set(_COLUMNS):
        return "an unknown column"
    for name, column in columns.items():
        if not isinstance(column, dict):
            return f"column {name} is not an object"
        for key, value in column.items():
            if not (key.isascii() and key.isdigit() and len(key) < 12 and int(key) < size) or not _fits(name, value):
                return f"column {name} holds {key[:20]!r}: {str(value)[:20]!r}"
    return None


def _fits(name: str, value: Any) -> bool:
    """Return whether the column of a DataFrame can hold a value."""
    if type(value) not in _TYPES[name]:
        return False
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)
    return bool(0 <= value <= 1 if name == "main_probability" else 0 < value < 2**31)
