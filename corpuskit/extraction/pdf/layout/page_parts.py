"""What a page is made of: runs and tables stand in regions, regions hold lines, lines make blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.drawings import Drawings
from corpuskit.extraction.pdf.frame import Frame
from corpuskit.extraction.pdf.tables.grid import Grid
from corpuskit.extraction.pdf.tags import PageTags
from corpuskit.extraction.pdf.words import Run

if TYPE_CHECKING:
    from corpuskit.extraction.pdf.layout.turned import Turned

Spans = NDArray[np.int32]


@dataclass(slots=True)
class TextLine:
    """A line of text.

    Attributes:
        spans: one row a word: first and last character of the page, 1 where it is glued to the word before.
        styles, fonts: of its words that hold letters or digits.
        tex: TextWorks notation, None where there is no super- or subscript.
        length: characters.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    style: int
    length: int
    text: str
    tex: str | None
    spans: Spans
    styles: frozenset[int]
    fonts: frozenset[int]
    tag: int = -1
    runs: int = 1
    row: int = 0

    @property
    def style_of_all(self) -> int | None:
        """Bold and italic bits that all its words share; None where they differ."""
        kinds = {style & 3 for style in self.styles}
        return kinds.pop() if len(kinds) == 1 else None

    def has_all(self, bit: int) -> bool:
        """All its words have this style bit."""
        return bool(self.styles) and all(style & bit for style in self.styles)


@dataclass(slots=True)
class Block:
    """A block of one page: a paragraph, a heading, a table ...

    Attributes:
        page: 0-based.
        lines: its lines; of a table: those of its cells.
        text: with lines joined and words de-hyphenated.
        role, zone, level: as found; level is 1-based, headings only.
        label: a closer name than its role: title, authors, affiliation, dates, abstract, keywords, publisher, reference.
        grid: the cells of a table.
        left, right: margins of the region it stands in.
        leading: usual distance of base lines there.
        tag: index of its tag on the page, -1 for none.
        tag_type: standard structure type of that tag.
    """

    page: int
    lines: list[TextLine]
    text: str = ""
    tex: str | None = None
    role: str = "paragraph"
    zone: str = "body"
    label: str = ""
    level: int = 0
    grid: Grid | None = None
    left: float = 0.0
    right: float = 0.0
    leading: float = 12.0
    region: int = 0
    tag: int = -1
    tag_type: str = ""

    @property
    def size(self) -> float:
        """Font size of its largest line; 0 without lines."""
        return max([line.size for line in self.lines], default=0.0)

    @property
    def box(self) -> Box:
        """Its box in the page's layout frame."""
        return Box.around(self.lines) if self.grid is None else self.grid.box


@dataclass(slots=True)
class PageParts:
    """One page on its way from characters to blocks.

    Attributes:
        number: 0-based.
        runs: what is left of its text; those of the furniture are taken out.
        tags: structure tags, where they are usable.
        turned: text turned otherwise than the page; what tables and charts take is taken out.
    """

    number: int
    frame: Frame
    seen: Frame
    runs: list[Run]
    drawings: Drawings
    furniture: list[Run] = field(default_factory=list)
    tags: PageTags | None = None
    turned: list[Turned] = field(default_factory=list)
