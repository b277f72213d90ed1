"""From blocks to the standard document: sections, lists, tables and text blocks with their marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpuskit.document import DocumentBuilder, NLPTextDocument
from corpuskit.document.elements import LIST, LIST_ITEM, TABLE, TABLE_CELL, TABLE_HEADER
from corpuskit.extraction.notation import escape_plain
from corpuskit.extraction.pdf.analysis import Analysis, PageInfo
from corpuskit.extraction.pdf.annotations import Overlay
from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.joining import document_blocks
from corpuskit.extraction.pdf.layout.lines import Vocabulary
from corpuskit.extraction.pdf.layout.page_parts import Block, TextLine
from corpuskit.extraction.pdf.overlays import LinkFinder, Placement
from corpuskit.extraction.pdf.patterns import BULLET, BULLET_START, PAGE_COUNT, PAGE_NUMBER

_OPEN_END: Final = re.compile(r"[^\W\d_,]$|[,\-–]$|[a-z\d]\)$|\d$")


@dataclass(slots=True)
class _Pending:
    """A text being put together from blocks over columns and pages."""

    role: str
    zone: str
    text: str
    tex: str | None
    boxes: list[tuple[int, Box]]
    page: int
    label: str


class _Writer:
    def __init__(self, builder: DocumentBuilder, pages: list[PageInfo], vocabulary: Vocabulary) -> None:
        self._builder, self._pages, self._vocabulary = builder, pages, vocabulary
        self._levels: list[int] = []
        self._in_list = False
        self._pending: _Pending | None = None
        self._not_main: list[int] = []
        self._waiting: list[tuple[int, TextLine]] = []
        self._furnished = 0
        self._links = LinkFinder(pages)
        self._overlays: list[tuple[int, Overlay]] = []

    def add(self, block: Block, after: Sequence[tuple[int, Overlay]] = ()) -> None:
        """The next block, and what lies over the page there."""
        self._add(block)
        if after:
            self._overlays += after
            if self._pending is None and not self._in_list:
                self._write_overlays()

    def add_first(self, overlays: Sequence[tuple[int, Overlay]]) -> None:
        """What lies over pages before the first block."""
        self._overlays += overlays
        self._write_overlays()

    def _add(self, block: Block) -> None:
        if block.role not in {"section-heading", "table"} and self._continues(block):
            self._append(block)
            return
        self._flush()
        if block.role != "list":
            self._end_list()
        self._furniture_up_to(block.page)
        self._flush_furniture()
        if block.role == "section-heading":
            self._heading(block)
        elif block.role == "table" and block.grid is not None:
            self._table(block)
        else:
            text, tex = block.text, block.tex
            if block.role == "list":
                text = BULLET_START.sub("", text)
                if not text.strip() or BULLET.match(text):
                    return  # a bullet without text
                tex = BULLET_START.sub("", tex) if tex else None
            self._pending = _Pending(
                block.role, block.zone, text, tex, [(block.page, block.box)], block.page, block.label
            )

    def finish(self) -> list[int]:
        """Writes what is left; returns the elements that are not main."""
        self._flush()
        self._end_list()
        self._furniture_up_to(len(self._pages))
        self._flush_furniture()
        for _ in self._levels:
            self._builder.end_section()
        return self._not_main

    def _continues(self, block: Block) -> bool:
        """Whether a paragraph goes on with what stood before the column or page ended."""
        pending = self._pending
        if pending is None or block.role != "paragraph" or pending.role not in {"paragraph", "list"}:
            return False
        page, box = pending.boxes[-1]
        if page == block.page and block.box.y0 > box.y0 and block.box.x0 < box.x1:
            return False  # below it in the same column: a paragraph of its own
        return bool(block.text[:1].islower() and _OPEN_END.search(pending.text.rstrip()))

    def _append(self, block: Block) -> None:
        pending = self._pending
        assert pending is not None
        if pending.tex or block.tex:
            left, right = pending.tex or escape_plain(pending.text), block.tex or escape_plain(block.text)
            pending.tex = self._vocabulary.join(left, right)
        pending.text = self._vocabulary.join(pending.text, block.text)
        pending.boxes.append((block.page, block.box))

    def _heading(self, block: Block) -> None:
        while self._levels and self._levels[-1] >= block.level:
            self._builder.end_section()
            self._levels.pop()
        element = self._builder.start_section(block.text.strip())
        self._levels.append(block.level)
        boxes = [(block.page, block.box)]
        self._mark(element, block.role, block.zone, boxes, block.tex)
        if links := self._links.links(block.text.strip(), boxes):
            self._builder.mark("links", element, links)

    def _flush(self) -> None:
        pending, self._pending = self._pending, None
        if pending is None:
            return
        boxes = pending.boxes
        if pending.role == "list":
            if not self._in_list:
                self._builder.start(LIST)
                self._in_list = True
            self._builder.start(LIST_ITEM)
            self._text(pending.text, pending.label or "list", pending.zone, boxes, pending.tex)
            self._builder.end(LIST_ITEM)
            return
        self._text(pending.text, pending.label or pending.role, pending.zone, boxes, pending.tex)
        self._write_overlays()

    def _end_list(self) -> None:
        if self._in_list:
            self._builder.end(LIST)
            self._in_list = False
            self._write_overlays()

    def _write_overlays(self) -> None:
        """Values of fields are main, notes of readers are not."""
        overlays, self._overlays = self._overlays, []
        for page, overlay in overlays:
            element = self._builder.add_text_block(overlay.text)
            self._mark(element, overlay.role, "body", [(page, overlay.box)], None)
            if overlay.role == "comment":
                self._not_main.append(element)

    def _text(self, text: str, role: str, zone: str, boxes: list[tuple[int, Box]], tex: str | None) -> None:
        element = self._builder.add_text_block(text)
        self._mark(element, role, zone, boxes, tex)
        if links := self._links.links(text, boxes):
            self._builder.mark("links", element, links)

    def _table(self, block: Block) -> None:
        grid = block.grid
        assert grid is not None
        table = self._builder.start(TABLE, grid.title or None)
        self._mark(
            table, "table", block.zone, grid.boxes or [(block.page, grid.box)], block.tex if grid.title else None
        )
        for cell in grid.cells:
            kind = TABLE_HEADER if cell.is_header else TABLE_CELL
            place = (cell.row + 1, cell.row_span, cell.col + 1, cell.col_span)
            element = self._builder.start(kind, cell=place)
            page = block.page if cell.page is None else cell.page
            self._builder.mark("page", element, page + 1)
            if cell.text:
                self._text(cell.text, "table", block.zone, [(page, cell.box)], None)
            self._builder.end(kind)
        self._builder.end(TABLE)

    def _furniture_up_to(self, page: int) -> None:
        """Heads of pages up to this one, feet of those before it."""
        while self._furnished <= page and self._furnished < len(self._pages):
            if self._furnished:
                self._wait_for(self._furnished - 1, is_top=False)
            self._wait_for(self._furnished, is_top=True)
            self._furnished += 1
        if page == self._furnished == len(self._pages) and page:
            self._wait_for(page - 1, is_top=False)

    def _is_decoration(self, page: int, line: TextLine) -> bool:
        """Whether a line in a margin says nothing of its own.

        On a page alone nothing repeats: there the margins may say who wrote a letter, to whom and when.
        """
        info = self._pages[page]
        if len(self._pages) > 1 or (info.is_tagged and line.tag < 0) or any(line is mark for mark in info.watermarks):
            return True
        return bool(PAGE_NUMBER.match(line.text) or PAGE_COUNT.search(line.text))

    def _wait_for(self, page: int, *, is_top: bool) -> None:
        info = self._pages[page]
        lines = (*info.furniture, *info.watermarks)
        self._waiting += [(page, line) for line in lines if self._is_top(page, line) is is_top]

    def _is_top(self, page: int, line: TextLine) -> bool:
        frame = self._pages[page].frame
        return frame is not None and line.base < frame.height / 2

    def _flush_furniture(self) -> None:
        waiting, self._waiting = self._waiting, []
        if self._in_list:
            self._waiting = waiting
            return
        for page, line in waiting:
            element = self._builder.add_text_block(line.text)
            role = "header" if self._is_top(page, line) else "footer"
            self._mark(element, role, "body", [(page, Box.of(line))], None)
            if self._is_decoration(page, line):
                self._not_main.append(element)

    def _mark(self, element: int, role: str, zone: str, boxes: list[tuple[int, Box]], tex: str | None) -> None:
        mark = self._builder.mark
        mark("role", element, role)
        mark("zone", element, zone)
        mark("page", element, boxes[0][0] + 1)
        mark("locator", element, ";".join(self._locator(page, box) for page, box in boxes))
        if tex:
            mark("tex", element, tex)

    def _locator(self, page: int, box: Box) -> str:
        info = self._pages[page]
        if info.frame is not None and info.seen is not None:
            box = info.frame.box_in(info.seen, box)
        return f"{page + 1}:{box.x0:.2f},{box.y0:.2f},{box.width:.2f},{box.height:.2f}"


def build_document(analysis: Analysis, *, uri: str | None, title: str = "") -> NLPTextDocument:
    """The document of an analysis, without metadata."""
    builder = DocumentBuilder(title, uri or "?")
    writer = _Writer(builder, analysis.pages, analysis.vocabulary)
    blocks = document_blocks(analysis.blocks)
    placement = Placement(blocks, analysis.pages)
    writer.add_first(placement.first)
    for block in blocks:
        writer.add(block, placement.after(block))
    not_main = writer.finish()
    document = builder.build()
    for element in not_main:
        document.table.main[element] = False
    return document
