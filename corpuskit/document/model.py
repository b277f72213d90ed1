"""NLPTextDocument and its elements, which are views of the element table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from corpuskit.document.elements import (
    NAVIGATION_LIST,
    TEXT_BLOCK,
    TYPE_NAMES,
    ElementTable,
    normal_string,
)
from corpuskit.hooks import hook

if TYPE_CHECKING:
    import os

    import pandas as pd

    from corpuskit.document.page_picture import PagePicture


@dataclass(slots=True, repr=False, weakref_slot=True)
class NLPTextDocument:
    """A document: a tree of elements in reading order, with metadata.

    Attributes:
        title: Title of the document, often empty.
        uri: Origin of the document; ``?`` if unknown.
        timestamp: Date of the document, if known.
        metadata: Further properties, strings by name.
        table: The elements as flat columns.
        warnings: Repairs made when the document was created or read.
        original: Path of the file from which it was extracted in this session. Not stored.
        renderer: Function that writes it in a format as Trafilatura does, if that library selected the main content.
            Not stored.
    """

    title: str = ""
    uri: str = "?"
    timestamp: datetime | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    table: ElementTable = field(default_factory=ElementTable)
    warnings: list[str] = field(default_factory=list, compare=False)
    original: str | None = field(default=None, compare=False)
    renderer: Callable[[str | None, bool | None], str] | None = field(default=None, compare=False)

    @property
    def peer(self) -> Callable[[str | None, bool | None], str] | None:
        """Earlier name of ``renderer``."""
        return self.renderer

    @property
    def elements(self) -> tuple[DocumentElement, ...]:
        """The children of the document."""
        return tuple(element_at(self.table, i) for i in self.table.children(-1))

    def __iter__(self) -> Iterator[DocumentElement]:
        """Iterate over all elements in reading order."""
        return (element_at(self.table, i) for i in range(len(self.table)))

    def __getitem__(self, element_id: int) -> DocumentElement:
        """Return the element with an ``element_id``."""
        if not 0 <= element_id < len(self.table):
            raise IndexError(f"element_id {element_id}: the document has {len(self.table)} elements")
        return element_at(self.table, element_id)

    def __len__(self) -> int:
        return len(self.table)

    def __bool__(self) -> bool:
        return True

    def text_strings(self) -> Iterator[str]:
        """Return the texts and titles of the elements, depth first, the title of a group before its content."""
        return (text for text in self.table.text if text)

    def to_text(self, *, main: bool = False) -> str:
        """Return the texts of TextBlocks and titles of groups, separated by line feeds.

        Args:
            main: Only the main content.
        """
        table = self.table
        if main:
            return "\n".join(text for text, is_main in zip(table.text, table.main, strict=True) if text and is_main)
        return "\n".join(text for text in table.text if text)

    def to_frame(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row per element, in pre-order.

        Columns: element_id, parent_id, subtree_end, nesting_level (int32); type (category); text (str); row, row_span,
        col, col_span, page (Int32, 1-based, null except for cells and paged documents); main (bool); main_probability
        (float32); role, zone (category); locator, links, tex (str, nullable); and, if the document has any, formatting
        (str, JSON ``[[start, end, kind], ...]`` with offsets in the text): ``tex`` for formulas of a web page, and
        ``bold``, ``italic`` and others on request.

        Args:
            arrow: Return columns of pandas' ArrowDtype.
        """
        from corpuskit.document.dataframes import convert_dtypes, to_frame

        return convert_dtypes(to_frame(self.table), arrow)

    def events(self, doc_id: int = 0, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row per event, in the format of frenchtext.

        Args:
            doc_id: Number of the document in the frame.
            arrow: Return columns of pandas' ArrowDtype.
        """
        from corpuskit.document.dataframes import convert_dtypes
        from corpuskit.document.events import events

        return convert_dtypes(events([self], first_doc_id=doc_id), arrow)

    def normalize(self) -> NLPTextDocument:
        """Return the document in normal form, as in a ``.nlp.txt`` file. A document in normal form remains unchanged."""
        table, surrogates = self.table.normalized()
        strings = {name: normal_string(value) for name, value in (("title", self.title), ("uri", self.uri))}
        surrogates += sum(count for _, count in strings.values())
        metadata = {}
        for key, value in self.metadata.items():
            (clean_key, in_key), (clean_value, in_value) = normal_string(key), normal_string(value)
            metadata[clean_key.strip()] = clean_value
            surrogates += in_key + in_value
        timestamp = None if self.timestamp is not None and self.timestamp.year == 1 else self.timestamp
        warnings = list(self.warnings)
        if surrogates:
            warnings.append(f"{surrogates} lone surrogates became U+FFFD")
        return NLPTextDocument(
            strings["title"][0], strings["uri"][0], timestamp, metadata, table, warnings, self.original, self.renderer
        )

    def to(self, format: str | None = None, *, main: bool = True, metadata: bool | None = None) -> str:
        """Return the document in a text format. JSON, CSV and XML have the field names of Trafilatura.

        Args:
            format: ``"markdown"`` (the default), ``"txt"``, ``"json"``, ``"csv"``, ``"html"``, ``"xml"``, ``"tei"`` or
                ``"nlp.txt"``.
            main: Only the main content. ``.nlp.txt`` always has all elements.
            metadata: Include title, author, date and other metadata; default: in all formats except txt and markdown.

        Raises:
            ExportError: The format is unknown.
        """
        text: str = hook("NLPTextDocument.to")(self, format, main=main, metadata=metadata)
        return text

    def view(self) -> object:
        """Return the document as a tree widget for notebooks."""
        widget: object = hook("NLPTextDocument.view")(self)
        return widget

    def page(
        self, number: int, source: str | os.PathLike[str] | bytes | None = None, *, password: str | None = None
    ) -> PagePicture:
        """Return a page of a PDF as an image with the boxes of its blocks, coloured by role.

        Args:
            number: 1-based page number.
            source: The PDF, unless this document was extracted from a path in this session.
            password: Password of an encrypted PDF.

        Raises:
            ExtractionError: The page does not exist, the file is not a PDF, or the path of the file is unknown.
        """
        file = source if source is not None else self.original
        picture: PagePicture = hook("NLPTextDocument.page")(file, number, password=password)
        return picture

    def __repr__(self) -> str:
        from corpuskit.document.outline import outline

        return outline(self)

    def _repr_html_(self) -> str:
        from corpuskit.document.outline import outline_html

        return outline_html(self)


@dataclass(frozen=True, slots=True)
class DocumentElement:
    """An element: a view of its row in the table.

    Args:
        table: The table of the document.
        element_id: 0-based row.
    """

    table: ElementTable = field(repr=False)
    element_id: int
    type: ClassVar[str] = "DocumentElement"

    @property
    def nesting_level(self) -> int:
        """Nesting level. Children of the document have 1."""
        return self.table.nesting_level[self.element_id]

    @property
    def parent(self) -> DocumentElement | None:
        """The parent element, or None for children of the document."""
        parent = self.table.parent_id[self.element_id]
        return None if parent < 0 else element_at(self.table, parent)

    @property
    def elements(self) -> tuple[DocumentElement, ...]:
        """The children."""
        return tuple(element_at(self.table, i) for i in self.table.children(self.element_id))

    @property
    def main(self) -> bool:
        """Whether the element is main content."""
        return self.table.main[self.element_id]

    @property
    def role(self) -> str | None:
        """Role of the element: section-heading, caption, footnote, code and others, or None if unknown."""
        return self.table.marks.get("role", {}).get(self.element_id)

    @property
    def text(self) -> str:
        """The text of the subtree, with line feeds between elements."""
        texts = self.table.text[self.element_id : self.table.subtree_end[self.element_id]]
        return "\n".join(text for text in texts if text)

    @property
    def is_empty(self) -> bool:
        """Whether the subtree has no text. A NavigationList is never empty."""
        span = range(self.element_id, self.table.subtree_end[self.element_id])
        return not any(self.table.type[i] == NAVIGATION_LIST or (self.table.text[i] or "").strip() for i in span)


class TextBlock(DocumentElement):
    """A paragraph or other run of text."""

    __slots__ = ()
    type = TYPE_NAMES[TEXT_BLOCK]

    @property
    def text(self) -> str:
        """The text."""
        return self.table.text[self.element_id] or ""


class _Group(DocumentElement):
    __slots__ = ()

    @property
    def title(self) -> str | None:
        """The title, or None."""
        return self.table.text[self.element_id]


class Section(_Group):
    """A heading and the content below it."""

    __slots__ = ()
    type = "Section"


class List(_Group):
    """A list of ListItems."""

    __slots__ = ()
    type = "List"

    @property
    def is_single(self) -> bool:
        """Whether the list has exactly one item."""
        return len(self.table.children(self.element_id)) == 1

    @property
    def is_short(self) -> bool:
        """Whether the compact one-line form represents the list without loss."""
        from corpuskit.document.compact_lists import compact_items

        return compact_items(self.table, self.element_id) is not None


class NavigationList(List):
    """A list of links: a menu, a breadcrumb trail, a list of articles."""

    __slots__ = ()
    type = "NavigationList"


class ListItem(DocumentElement):
    """One item of a list."""

    __slots__ = ()
    type = "ListItem"


class Table(_Group):
    """A table of TableHeaders and TableCells."""

    __slots__ = ()
    type = "Table"


class TableCell(DocumentElement):
    """One cell of a table."""

    __slots__ = ()
    type = "TableCell"

    @property
    def row(self) -> int:
        """1-based row."""
        return self.table.cells[self.element_id][0]

    @property
    def row_span(self) -> int:
        """Number of rows that the cell covers."""
        return self.table.cells[self.element_id][1]

    @property
    def col(self) -> int:
        """1-based column."""
        return self.table.cells[self.element_id][2]

    @property
    def col_span(self) -> int:
        """Number of columns that the cell covers."""
        return self.table.cells[self.element_id][3]


class TableHeader(TableCell):
    """A header cell of a row or a column."""

    __slots__ = ()
    type = "TableHeader"


_CLASSES = (TextBlock, Section, List, NavigationList, ListItem, Table, TableHeader, TableCell)


def element_at(table: ElementTable, element_id: int) -> DocumentElement:
    """Return the view of a row."""
    return _CLASSES[table.type[element_id]](table, element_id)
