"""Reads TEI P5 back into a document."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

from corpuskit.document import NLPTextDocument
from corpuskit.document.elements import FORMATTING, OPTIONAL_COLUMNS
from corpuskit.errors import DocumentFormatError
from corpuskit.export.formats.element_rows import DocumentReader
from corpuskit.export.formats.tei import CONTINUATION, EMPTY, NAMESPACE, header_record
from corpuskit.export.formats.xml_text import parse, text_of
from corpuskit.validation import check_input_file

_TEI: Final = f"{{{NAMESPACE}}}"
_GROUPS: Final = {"div": "Section", "floatingText": "Section", "list": "List", "item": "ListItem", "table": "Table"}
_THROUGH: Final = frozenset(("body", "front", "back", "group", "text", "row"))
_IGNORED: Final = frozenset(("pb", "lb", "cb", "gb", "milestone", "anchor", "head", "fw"))
_IN_ITEMS: Final = frozenset(("item", "cell"))


def read_tei(path: str | os.PathLike[str]) -> NLPTextDocument:
    """Return the document of a TEI file.

    A file of ``TeiWriter`` gives the document it was written from. Of other files: ``div`` is a Section, ``list``,
    ``item``, ``table``, ``cell`` are what they are called, ``head`` is the title, and any other block is a TextBlock.

    Args:
        path: The file.

    Raises:
        DocumentFormatError: it is no TEI, not well-formed, larger than 512 MiB, or declares entities.
        SourceError: There is no such file, or it is a folder.
    """
    file = check_input_file(path)
    where = os.fspath(path)
    root = parse(file.read_bytes(), where)
    if root.tag != _TEI + "TEI":
        raise DocumentFormatError(root.sourceline or 1, str(root.tag), f"TEI in the namespace {NAMESPACE}", where=where)
    reader = DocumentReader(where)
    header = root.find(_TEI + "teiHeader")
    record = header_record(header)
    elements = [element for text in root.iterfind(_TEI + "text") for element in _elements(text)]
    if record is None:
        return reader.read(_foreign_head(header), elements)
    _mark(elements, record, reader)
    return reader.read(record, elements)


def _elements(text: Any) -> Iterator[dict[str, Any]]:
    """Read the elements in document order without recursion."""
    waiting: list[tuple[Any, int, int, int]] = [(text, 1, 0, 0)]  # node, level, row and column before it
    rows: dict[Any, int] = {}
    while waiting:
        node, level, row, col = waiting.pop()
        if not isinstance(node.tag, str) or node.tag.partition("}")[0] + "}" != _TEI:
            continue
        name = node.tag.removeprefix(_TEI)
        if name in _IGNORED or node.get("rend") == EMPTY:
            continue
        inner = level
        if name in _GROUPS and node.get("type") != CONTINUATION:
            yield _group(node, name, level)
            inner = level + 1
        elif name == "cell":
            yield _cell(node, level, row, col)
            inner = level + 1
        elif name not in _THROUGH and name not in _GROUPS:
            yield {"type": "TextBlock", "level": level, "text": text_of(node)}
            continue
        if name in _IN_ITEMS and not any(isinstance(child.tag, str) and _is_block(child) for child in node):
            plain = text_of(node)
            if plain.strip():
                yield {"type": "TextBlock", "level": inner, "text": plain}
            continue
        table_row = _number(node.get("n")) or rows.get(node.getparent(), 0) + 1 if name == "row" else row
        if name == "row":
            rows[node.getparent()] = table_row
        children = []
        column = 1
        for child in node:
            children.append((child, inner, table_row, column))
            if name == "row" and isinstance(child.tag, str):
                column = (_number(child.get("n")) or column) + (_number(child.get("cols")) or 1)
        waiting.extend(reversed(children))


def _is_block(node: Any) -> bool:
    name = node.tag.removeprefix(_TEI)
    return name in _GROUPS or name in {"p", "ab", "lg", "quote", "note", "figure"}


def _group(node: Any, name: str, level: int) -> dict[str, Any]:
    kind = "NavigationList" if name == "list" and node.get("type") == "navigation" else _GROUPS[name]
    element: dict[str, Any] = {"type": kind, "level": level}
    holder = node.find(_TEI + "body") if name == "floatingText" else node
    head = holder.find(_TEI + "head") if holder is not None and name != "item" else None
    if head is not None:
        element["text"] = text_of(head)
    return element


def _cell(node: Any, level: int, row: int, col: int) -> dict[str, Any]:
    return {
        "type": "TableHeader" if node.get("role") == "label" else "TableCell",
        "level": level,
        "row": max(row, 1),
        "row_span": _number(node.get("rows")) or 1,
        "col": _number(node.get("n")) or max(col, 1),
        "col_span": _number(node.get("cols")) or 1,
    }


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text) else None


def _foreign_head(header: Any) -> dict[str, Any]:
    head: dict[str, Any] = {"metadata": {}}
    if header is None:
        return head
    title = header.find(f".//{_TEI}titleStmt/{_TEI}title")
    head["title"] = "" if title is None else " ".join(text_of(title).split())
    for key, path in (("author", "titleStmt/author"), ("publisher", "publicationStmt/publisher")):
        node = header.find(".//" + "/".join(_TEI + part for part in path.split("/")))
        if node is not None and (value := " ".join(text_of(node).split())):
            head["metadata"][key] = value
    licence = header.find(f".//{_TEI}availability/{_TEI}licence")
    if licence is not None and (value := licence.get("target") or " ".join(text_of(licence).split())):
        head["metadata"]["license"] = value
    return head


def _mark(elements: list[dict[str, Any]], record: dict[str, Any], reader: DocumentReader) -> None:
    """Set the attributes of the elements that are stored in the header."""
    size = len(elements)
    not_main, marks = record["not_main"], record["marks"]
    if not isinstance(not_main, list) or not all(type(i) is int and 0 <= i < size for i in not_main):
        raise reader.fault("not_main", f"numbers of the {size} elements")
    for element in elements:
        element["main"] = True
    for i in not_main:
        elements[i]["main"] = False
    if not isinstance(marks, dict) or not set(marks) <= {*OPTIONAL_COLUMNS, FORMATTING}:
        raise reader.fault("marks", "an object of columns")
    for name, column in marks.items():
        if not isinstance(column, dict):
            raise reader.fault(f"column {name}", "an object")
        for key, value in column.items():
            if not (key.isascii() and key.isdigit() and len(key) < 10 and int(key) < size):
                raise reader.fault(f"column {name} of element {key!r}", f"one of the {size} elements")
            elements[int(key)][name] = value
