"""From an open PDF to its blocks in reading order."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from corpuskit.errors import ExtractionError
from corpuskit.extraction.pdf.annotations import Link, Overlay, find_words, open_forms, read_annotations
from corpuskit.extraction.pdf.base_lines import rows_of
from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.characters import read_characters, set_aside_unseen
from corpuskit.extraction.pdf.drawings import Drawings, read_drawings
from corpuskit.extraction.pdf.fonts import MONO, Fonts
from corpuskit.extraction.pdf.frame import Frame, frame_of
from corpuskit.extraction.pdf.furniture import FurnitureFinder
from corpuskit.extraction.pdf.layout.blocks import RegionReader, TableItem
from corpuskit.extraction.pdf.layout.boxes import find_boxes, placed
from corpuskit.extraction.pdf.layout.charts import Chart, find_charts
from corpuskit.extraction.pdf.layout.columns import reading_order
from corpuskit.extraction.pdf.layout.lines import Vocabulary, line_of
from corpuskit.extraction.pdf.layout.page_parts import Block, PageParts, TextLine
from corpuskit.extraction.pdf.layout.turned import beside, is_stamp, is_watermark, read_turned, upright
from corpuskit.extraction.pdf.pdfium import entry
from corpuskit.extraction.pdf.roles import Document, key_of, set_roles
from corpuskit.extraction.pdf.tables.booktabs import find_booktabs
from corpuskit.extraction.pdf.tables.lattice import find_ruled_tables
from corpuskit.extraction.pdf.tables.tagged import find_tagged_tables
from corpuskit.extraction.pdf.tags import read_tags, usable_tags
from corpuskit.extraction.pdf.words import Run, is_blank, read_runs, without

_log = logging.getLogger(__name__)

_GROUP: Final = 32  # pages in memory at a time

__all__ = ["Analysis", "PageInfo", "analyse"]


@dataclass(slots=True)
class PageInfo:
    """What stays of a page.

    Attributes:
        frame, seen: as in :class:`corpuskit.extraction.pdf.characters.Characters`; None for a page that failed.
        furniture: lines of running heads and page numbers.
        watermarks: slanted lines across the page.
        overlays, links: what lies over the page.
        is_tagged: structure tags say what its text is; the rest is decoration.
        printed: characters drawn on the page, without blanks.
        set_aside: those of them that are in no element, by reason.
        error: why the page could not be read.
    """

    frame: Frame | None = None
    seen: Frame | None = None
    characters: int = 0
    unmapped: float = 0.0
    images: int = 0
    furniture: list[TextLine] = field(default_factory=list)
    watermarks: list[TextLine] = field(default_factory=list)
    overlays: list[Overlay] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    is_tagged: bool = False
    printed: int = 0
    set_aside: dict[str, int] = field(default_factory=dict)
    error: str | None = None


@dataclass(slots=True)
class Analysis:
    """A PDF read: its blocks in reading order and what is known of its pages."""

    blocks: list[Block]
    pages: list[PageInfo]
    document: Document
    vocabulary: Vocabulary


def analyse(pdf: Any, *, forms: bool = True) -> Analysis:
    """Read all pages of an open document of pypdfium2.

    A page that cannot be read is left out and noted; the others are kept.
    """
    reader = _Reader(pdf, forms=forms)
    blocks: list[Block] = []
    for pages in reader.groups():
        reader.furniture.take_out(pages)
        for page in pages:
            reader.infos[page.number].furniture = [line_of(row) for row in rows_of(page.furniture)]
            reader.take_out_turned(page)
            blocks += reader.blocks(page)
    set_roles(blocks, reader.document)
    return Analysis(blocks, reader.infos, reader.document, reader.vocabulary)


class _Reader:
    def __init__(self, pdf: Any, *, forms: bool) -> None:
        self._pdf = pdf
        self._fonts = Fonts()
        self._is_tagged = _is_tagged(pdf)
        if forms:
            open_forms(pdf)
        self.vocabulary = Vocabulary()
        self.infos = [PageInfo() for _ in range(len(pdf))]
        self.document = Document(10.0, 0, outline=_outline(pdf), heights=[0.0] * len(pdf))
        self.furniture = FurnitureFinder(10.0)

    def groups(self) -> Iterator[list[PageParts]]:
        """Pages in groups; before the first one the body font is known."""
        count = len(self._pdf)
        if count <= _GROUP:
            pages = [page for number in range(count) if (page := self._page(number)) is not None]
            self._measure(pages)
            yield pages
            return
        sample = [number * count // _GROUP for number in range(_GROUP)]
        self._measure([page for number in sample if (page := self._page(number)) is not None])
        for start in range(0, count, _GROUP):
            numbers = range(start, min(start + _GROUP, count))
            yield [page for number in numbers if (page := self._page(number)) is not None]

    def _measure(self, pages: list[PageParts]) -> None:
        """The body font: most characters of the document."""
        sizes: Counter[float] = Counter()
        styles: Counter[tuple[float, int]] = Counter()
        fonts: Counter[int] = Counter()
        for page in pages:
            for run in page.runs:
                sizes[run.size] += run.length
                styles[run.size, run.style] += run.length
                self.vocabulary.add(run.text)
                for font in run.fonts:
                    fonts[font] += run.length
        if sizes:
            body = sizes.most_common(1)[0][0]
            style = max((look for look in styles if look[0] == body), key=lambda look: styles[look])[1]
            self.document.body, self.document.body_style = body, style
            self.document.body_font = fonts.most_common(1)[0][0] if fonts else -1
        self.furniture = FurnitureFinder(self.document.body, entry(self._pdf, "Title"))

    def _page(self, number: int) -> PageParts | None:
        info = self.infos[number]
        try:
            page = self._pdf[number]
        except Exception as error:  # pypdfium2 has one error for all kinds of damage
            info.error = str(error) or type(error).__name__
            return None
        try:
            return self._parts(number, page, info)
        except ExtractionError as error:
            info.error = str(error)
            _log.warning("page %d: %s", number + 1, error)
            return None
        finally:
            page.close()

    def _parts(self, number: int, page: Any, info: PageInfo) -> PageParts | None:
        characters = read_characters(page, self._fonts)
        if characters is None:
            seen = frame_of(page)
            info.images = len(read_drawings(page, seen).images)
            info.overlays = read_annotations(self._pdf, page, seen).overlays
            info.frame = info.seen = seen if info.overlays else None
            return None
        drawings = read_drawings(page, characters.frame)
        set_aside_unseen(characters, drawings)
        tags = read_tags(page) if self._is_tagged else None
        found = usable_tags(tags, characters.tag[characters.usable])
        if found is None:
            tags = None
            characters.tag[:] = -1
        else:
            characters.tag[characters.usable] = found
        info.frame, info.seen = characters.frame, characters.seen
        self.document.heights[number] = characters.frame.height
        info.characters, info.unmapped = len(characters), characters.unmapped
        info.images, info.is_tagged = len(drawings.images), tags is not None
        runs = read_runs(characters)
        over = read_annotations(self._pdf, page, characters.frame)
        info.overlays, info.links = over.overlays, find_words(over.links, runs)
        info.printed = int((characters.real & ~is_blank(characters.code)).sum())
        info.set_aside = {reason: count for reason, count in characters.set_aside.items() if count}
        turned = read_turned(characters) if characters.turned or characters.slanted.any() else []
        return PageParts(number, characters.frame, characters.seen, runs, drawings, tags=tags, turned=turned)

    def take_out_turned(self, page: PageParts) -> None:
        """Moves turned text that is decoration out of a page: stamps in its margins, watermarks."""
        info = self.infos[page.number]
        rest = []
        for text in page.turned:
            if is_watermark(text, page.frame, self.document.body):
                info.watermarks.append(text.line)
            elif is_stamp(text.placed, page.frame):
                info.furniture.append(text.line)
            else:
                rest.append(text)
        page.turned = rest

    def blocks(self, page: PageParts) -> list[Block]:
        """The blocks of a page in reading order."""
        if not page.runs and not page.turned:
            return []
        boxes = find_boxes(page.runs, page.drawings, page.frame)
        runs = without(page.runs, (run for _, inside in boxes for run in inside))
        blocks = self._arranged(page, runs, [box for box, _ in boxes])
        for box, inside in boxes:
            blocks = placed(blocks, box, self._arranged(page, inside, []))
        for block in self._turned_blocks(page):
            blocks = beside(blocks, block)
        _mark_figures(blocks, page)
        return blocks

    def _arranged(self, page: PageParts, runs: list[Run], boxes: list[Box]) -> list[Block]:
        """The blocks of some runs of a page; ``boxes``: what stands beside them and makes their lines short."""
        tagged = [TableItem(*found) for found in find_tagged_tables(page.tags, runs)] if page.tags else []
        free = without(runs, _runs_of(tagged)) + [text.placed for text in page.turned]
        charts = find_charts(free, page.drawings)
        free = without(free, _runs_of(charts))
        tables, rules = _ruled_tables(page.drawings, free)
        if len(rules) >= 3:
            left = without(free, _runs_of(tables))
            is_mono = bool(self.document.body_style & MONO)
            tables += [TableItem(*made) for made in find_booktabs(rules, left, is_mono_page=is_mono)]
        tables += tagged
        found: list[TableItem | Chart] = [*tables, *charts]
        items: list[Run | TableItem | Chart] = [*without(runs, _runs_of(found)), *found]
        reader = RegionReader(self.document.body, self.document.body_style, self.vocabulary, page.tags, boxes)
        taken = {id(run) for run in _runs_of(found)}
        page.turned = [text for text in page.turned if id(text.placed) not in taken]
        blocks: list[Block] = []
        for k, region in enumerate(reading_order(items)):
            blocks += reader.blocks(page.number, k, region, rules)
        return blocks

    def _turned_blocks(self, page: PageParts) -> list[Block]:
        """The blocks of turned text that is in no table and no chart, each direction read in its own frame."""
        found: list[Block] = []
        for frame in dict.fromkeys(text.frame for text in page.turned):
            texts = [text for text in page.turned if text.frame == frame]
            if frame == page.frame:  # slanted
                found += [Block(page.number, [text.line], text.run.text, role="figure") for text in texts]
                continue
            runs = [text.run for text in texts]
            reader = RegionReader(self.document.body, self.document.body_style, self.vocabulary)
            for k, region in enumerate(reading_order(runs)):
                found += upright(reader.blocks(page.number, k, region, []), frame, page.frame)
        return found


def _mark_figures(blocks: list[Block], page: PageParts) -> None:
    """Text inside an image is part of a figure, unless the image is the page itself."""
    area = page.frame.width * page.frame.height
    images = [image for image in page.drawings.images if 0.005 * area < image.width * image.height < 0.7 * area]
    for block in blocks if images else ():
        x0, y0, x1, y1 = block.box
        if block.role == "paragraph" and any(a <= x0 and b <= y0 and x1 <= c and y1 <= d for a, b, c, d in images):
            block.role = "figure"


def _runs_of(items: Iterable[TableItem | Chart]) -> Iterator[Run]:
    return (run for item in items for run in item.runs)


def _ruled_tables(drawings: Drawings, runs: list[Run]) -> tuple[list[TableItem], list[Any]]:
    if not (drawings.horizontal or drawings.vertical or drawings.fills):
        return [], []
    tables, rules = find_ruled_tables(drawings, runs)
    return [TableItem(grid, inside) for grid, inside in tables], rules


def _is_tagged(pdf: Any) -> bool:
    from pypdfium2 import raw

    return bool(raw.FPDFCatalog_IsTagged(pdf))


def _outline(pdf: Any) -> dict[str, list[tuple[int, int]]]:
    """Titles of the bookmarks with their levels and pages; empty where they cannot be read."""
    found: dict[str, list[tuple[int, int]]] = {}
    try:
        for bookmark in pdf.get_toc(max_depth=10):
            target = bookmark.get_dest()
            page = target.get_index() if target is not None else None
            key = key_of(bookmark.get_title() or "")
            found.setdefault(key, []).append((bookmark.level + 1, -1 if page is None else page))
    except Exception as error:  # one error class for all kinds of damage
        _log.info("outline left out: %s", error)
    found.pop("", None)
    return found
