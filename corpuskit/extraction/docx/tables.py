"""Tables: rows and cells with their spans (ECMA-376-1, 17.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from corpuskit.extraction.docx import names as n
from corpuskit.extraction.docx.names import w
from corpuskit.extraction.docx.styles import Styles, integer, is_on, value_of

_TR, _TC, _TR_PR, _TC_PR, _TBL_PR = w("tr"), w("tc"), w("trPr"), w("tcPr"), w("tblPr")
_GRID_SPAN, _V_MERGE, _H_MERGE = w("gridSpan"), w("vMerge"), w("hMerge")
_GRID_BEFORE, _HEADER, _HIDDEN = w("gridBefore"), w("tblHeader"), w("hidden")
_MOST: Final = 1_000  # columns; Word has 63
_FIRST_ROW: Final = 0x0020  # bit of tblLook (17.4.55)


@dataclass(slots=True)
class Cell:
    """A cell; column and spans count from 1. ``path`` leads to it from the table."""

    element: etree._Element
    path: str
    col: int
    col_span: int
    row_span: int = 1
    merge: str | None = None


@dataclass(slots=True)
class Row:
    """A row of cells."""

    is_header: bool
    cells: list[Cell] = field(default_factory=list)


def read_rows(table: etree._Element, styles: Styles, *, original: bool) -> list[Row]:
    """The rows of a table; a cell that others are merged into has their span, and they are left out.

    Header rows are the first ones marked as such (17.4.78), else the first one where the table's style makes that
    look other than the rest and the table uses it.
    """
    rows = [_row(element, path) for element, path in _rows(table, "", original=original)]
    for number, row in enumerate(rows):
        for cell in row.cells:
            if cell.merge == "restart":
                cell.row_span = _span(rows, number, cell.col)
    for row in rows:
        row.cells = [cell for cell in row.cells if cell.merge != "merged"]
    is_header = True
    for row in rows:
        is_header = row.is_header = is_header and row.is_header
    if len(rows) > 1 and not rows[0].is_header and _uses_first_row(table, styles):
        rows[0].is_header = True
    return rows


def _span(rows: list[Row], number: int, col: int) -> int:
    span = 1
    for row in rows[number + 1 :]:
        below = next((c for c in row.cells if c.col == col and c.merge == "continue"), None)
        if below is None:
            break
        below.merge = "merged"
        span += 1
    return span


def _rows(parent: etree._Element, path: str, *, original: bool) -> Iterator[tuple[etree._Element, str]]:
    for place, element in enumerate(parent, 1):
        if element.tag == _TR:
            properties = element.find(_TR_PR)
            if properties is None or not (
                properties.find(n.INS if original else n.DEL) is not None or _is_set(properties, _HIDDEN)
            ):
                yield element, f"{path}/*[{place}]"
        elif element.tag in n.WRAPPERS or element.tag in {n.INS, n.DEL, n.MOVE_FROM, n.MOVE_TO}:
            yield from _rows(element, f"{path}/*[{place}]", original=original)


def _row(element: etree._Element, path: str) -> Row:
    properties = element.find(_TR_PR)
    row = Row(properties is not None and _is_set(properties, _HEADER))
    col = 1 + min(max(integer(value_of(properties, _GRID_BEFORE)) or 0, 0), _MOST)
    for found, where in _cells(element, path):
        cell_properties = found.find(_TC_PR)
        span = min(max(integer(value_of(cell_properties, _GRID_SPAN)) or 1, 1), _MOST)
        if _merge(cell_properties, _H_MERGE) == "continue" and row.cells:
            row.cells[-1].col_span += span
        else:
            row.cells.append(Cell(found, where, col, span, merge=_merge(cell_properties, _V_MERGE)))
        col += span
    return row


def _cells(parent: etree._Element, path: str) -> Iterator[tuple[etree._Element, str]]:
    for place, element in enumerate(parent, 1):
        if element.tag == _TC:
            yield element, f"{path}/*[{place}]"
        elif element.tag in n.WRAPPERS:
            yield from _cells(element, f"{path}/*[{place}]")


def _merge(properties: etree._Element | None, name: str) -> str | None:
    element = None if properties is None else properties.find(name)
    return None if element is None else element.get(n.VAL, "continue")


def _is_set(properties: etree._Element, name: str) -> bool:
    element = properties.find(name)
    return element is not None and is_on(element.get(n.VAL, "1"))


def _uses_first_row(table: etree._Element, styles: Styles) -> bool:
    properties = table.find(_TBL_PR)
    look = None if properties is None else properties.find(w("tblLook"))
    if look is None:
        return False
    first = look.get(w("firstRow"))
    if first is None:
        try:
            uses = bool(int(look.get(n.VAL, "0"), 16) & _FIRST_ROW)
        except ValueError:
            return False
    else:
        uses = is_on(first)
    return uses and styles.has_first_row(value_of(properties, w("tblStyle")))
