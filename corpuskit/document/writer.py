"""Writing of ``.nlp.txt`` files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from corpuskit.document.compact_lists import compact_items, utf16_length
from corpuskit.document.elements import (
    CELLS,
    LISTS,
    SECTION,
    TABLE,
    TEXT_BLOCK,
    TITLED,
    TYPE_NAMES,
    ElementTable,
)
from corpuskit.document.escaping import escape, guard
from corpuskit.document.model import NLPTextDocument
from corpuskit.errors import DocumentModelError

_SHORT_TITLE = 47  # UTF-16 units of the title after the end of its group
_BLANK_LINE_BEFORE = frozenset((SECTION, TABLE))
_NO_DATE = "0001-01-01T00:00:00"  # missing date in the reference implementation


def write_nlptext(document: NLPTextDocument, path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str]) -> None:
    """Write a document in normal form as UTF-8 with line feeds.

    Args:
        document: The document. It is not changed.
        path_or_file: A path, or a file object opened for writing bytes or text.

    Raises:
        DocumentModelError: A metadata key is empty or contains ``=``.
    """
    text = to_nlptext(document)
    if isinstance(path_or_file, (str, os.PathLike)):
        Path(path_or_file).write_bytes(text.encode())
        return
    try:
        path_or_file.write(text.encode())  # type: ignore[arg-type]
    except TypeError:
        path_or_file.write(text)  # type: ignore[call-overload]


def to_nlptext(document: NLPTextDocument) -> str:
    """Return the content of the document's ``.nlp.txt`` file.

    Args:
        document: The document. It is not changed.
    """
    return normal_to_nlptext(document.normalize())


def normal_to_nlptext(document: NLPTextDocument) -> str:
    """Return the content of the ``.nlp.txt`` file of a document in normal form."""
    lines = [
        f"## NLPTextDocument Title {escape(document.title)}",
        f"## NLPTextDocument Uri {escape(document.uri)}",
        f"## NLPTextDocument Timestamp {document.timestamp.isoformat() if document.timestamp else _NO_DATE}",
    ]
    for key, value in document.metadata.items():
        if not key or "=" in key:
            raise DocumentModelError(f"metadata key {key!r}: expected a non-empty key without '='")
        lines.append(f"## NLPTextDocument Metadata {escape(key)}={escape(value)}")
    lines.append("")
    lines.extend(_element_lines(document.table))
    lines.append("")
    return "\n".join(lines)


def _element_lines(table: ElementTable) -> Iterator[str]:
    open_groups: list[int] = []
    position, size = 0, len(table)
    while position < size or open_groups:
        if open_groups and table.subtree_end[open_groups[-1]] <= position:
            yield _end_line(table, open_groups.pop())
            continue
        type_code = table.type[position]
        if type_code == TEXT_BLOCK:
            yield guard(escape(table.text[position] or ""))
            position += 1
            continue
        level, name = table.nesting_level[position], TYPE_NAMES[type_code]
        if type_code in LISTS:
            items = compact_items(table, position)
            if items is not None:
                title = table.text[position]
                head = f"{escape(title)} >>" if title else ">>"
                yield f"## {level} {name} Items {head} {' || '.join(escape(item) for item in items)}"
                position = table.subtree_end[position]
                continue
        if type_code in _BLANK_LINE_BEFORE or name == "List":
            yield ""
        yield f"## {level} {name} Start {_start_value(table, position)}"
        open_groups.append(position)
        position += 1


def _start_value(table: ElementTable, element_id: int) -> str:
    if table.type[element_id] in CELLS:
        row, row_span, col, col_span = table.cells[element_id]
        return f"{row},{col}" if row_span == col_span == 1 else f"{row}:{row_span},{col}:{col_span}"
    return escape(table.text[element_id] or "")


def _end_line(table: ElementTable, element_id: int) -> str:
    line = f"## {table.nesting_level[element_id]} {TYPE_NAMES[table.type[element_id]]} End"
    title = table.text[element_id]
    if title and table.type[element_id] in TITLED:
        cut = escape(_cut_utf16(title, _SHORT_TITLE))
        return f"{line} <<{cut}>>"
    return line


def _cut_utf16(text: str, units: int) -> str:
    """Return the text, truncated to a number of UTF-16 units and ``...`` if it is longer. Characters are not split."""
    if utf16_length(text) <= units:
        return text
    used = 0
    for position, character in enumerate(text):
        used += 2 if character > "\uffff" else 1
        if used > units:
            return text[:position] + "..."
    return text
