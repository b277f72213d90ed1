"""From paragraphs and tables in order to the standard document: sections, lists, table titles, marks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from corpuskit.document import DocumentBuilder, NLPTextDocument
from corpuskit.document.elements import LIST, SECTION, TABLE, TABLE_CELL, TABLE_HEADER, TEXT_BLOCK
from corpuskit.document.spans import Span, dump

_GROUP_ROLES = {LIST: "list", TABLE: "table"}


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph as it is to be written."""

    text: str
    role: str
    locator: str
    tex: str | None = None
    links: list[Span] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Item:
    """Where an item belongs: its list, the level there, how far it is indented; without a sign it goes on with one."""

    list_id: str
    level: int
    indent: int
    is_shown: bool = True


@dataclass(slots=True)
class _Flow:
    """What is open in one flow of text: the body, a cell, a text box, a note."""

    has_sections: bool
    levels: list[int] = field(default_factory=list)
    lists: list[Item] = field(default_factory=list)
    caption: Block | None = None
    open_table: int | None = None
    table_has_title: bool = False


class Writer:
    """Writes blocks into a builder.

    A caption waits for the table that follows; a table stays open until it is known that no caption follows.
    """

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._flows: list[_Flow] = []
        self.count = 0

    @property
    def has_sections(self) -> bool:
        """Whether headings open sections here."""
        return self._flows[-1].has_sections

    @contextmanager
    def flow(self, *, has_sections: bool = False) -> Iterator[None]:
        """A flow of its own: what it opens is closed at its end."""
        if self._flows and not has_sections:
            self._settle()
        self._flows.append(_Flow(has_sections))
        yield
        self._settle()
        self._end_lists()
        for _ in self._flows[-1].levels:
            self._builder.end_section()
        self._flows.pop()

    def heading(self, block: Block, level: int) -> None:
        """A heading that opens a section; 0 is the document's title."""
        self._settle()
        self._end_lists()
        levels = self._flows[-1].levels
        while levels and levels[-1] >= level:
            self._builder.end_section()
            levels.pop()
        self._mark(self._builder.start_section(block.text.replace("\n", " ")), block)
        levels.append(level)

    def paragraph(self, block: Block, *, in_list: bool = False) -> None:
        """A text; it ends the lists that are open, unless it goes on with an item."""
        self._settle()
        if not in_list:
            self._end_lists()
        self._mark(self._builder.add_text_block(block.text), block)

    def item(self, block: Block, item: Item) -> None:
        """An item of a list; it stays open for what stands under it."""
        self._settle()
        self._open_list(item)
        self._builder.start_list_item()
        self.count += 1
        self._mark(self._builder.add_text_block(block.text), block)

    def goes_on(self, level: int) -> bool:
        """Goes back to the innermost open item of at most this level; False where none is open."""
        self._settle()
        lists = self._flows[-1].lists
        while len(lists) > 1 and lists[-1].level > level:
            self._end_list()
        return bool(lists)

    def caption(self, block: Block, *, follows: bool) -> None:
        """A caption: title of the table before it, if it ``follows`` one and that has none, else of the next one."""
        flow = self._flows[-1]
        if follows and flow.open_table is not None and not flow.table_has_title:
            self._builder.set_missing_title(block.text.replace("\n", " "))
            flow.table_has_title = True
            self._settle()
            return
        self._settle()
        self._end_lists()
        flow.caption = block

    def start_table(self, locator: str) -> None:
        """Opens a table; a caption that waits becomes its title."""
        flow = self._flows[-1]
        caption, flow.caption = flow.caption, None
        self._settle()
        self._end_lists()
        table = self._builder.start_table(caption.text.replace("\n", " ") if caption else None)
        self._mark(table, caption or Block("", "table", locator), role="table")
        flow.open_table, flow.table_has_title = table, caption is not None

    def insert(self, document: NLPTextDocument, locator: str) -> None:
        """The elements of another document; its sections stand on the levels that they have there."""
        self._settle()
        self._end_lists()
        table = document.table
        roles = table.marks.get("role", {})
        at = 0
        while at < len(table):
            if table.type[at] != SECTION:
                self._copy(document, at, locator)
                at = table.subtree_end[at]
                continue
            block = Block(table.text[at] or "", roles.get(at) or "section-heading", locator)
            if self.has_sections:
                self.heading(block, table.nesting_level[at])
            elif block.text:
                self.paragraph(block)
            at += 1

    def _copy(self, document: NLPTextDocument, at: int, locator: str) -> None:
        table = document.table
        kind, text = table.type[at], table.text[at]
        block = Block(text or "", table.marks.get("role", {}).get(at) or "paragraph", locator)
        if kind == TEXT_BLOCK:
            self._mark(self._builder.add_text_block(block.text), block)
            return
        group = self._builder.start(kind, text, cell=table.cells.get(at))
        self.count += 1
        self._builder.mark("locator", group, locator)
        if role := table.marks.get("role", {}).get(at) or _GROUP_ROLES.get(kind):
            self._builder.mark("role", group, role)
        inner = at + 1
        while inner < table.subtree_end[at]:
            self._copy(document, inner, locator)
            inner = table.subtree_end[inner]
        self._builder.end(kind)

    @contextmanager
    def cell(self, place: tuple[int, int, int, int], *, is_header: bool) -> Iterator[None]:
        """A cell of the open table: row, row span, column, column span; all from 1."""
        kind = TABLE_HEADER if is_header else TABLE_CELL
        self._builder.start(kind, cell=place)
        self.count += 1
        self._flows.append(_Flow(has_sections=False))
        yield
        self._settle()
        self._end_lists()
        self._flows.pop()
        self._builder.end(kind)

    def _settle(self) -> None:
        """Ends the table that waits for a caption; writes the caption that waited for a table."""
        flow = self._flows[-1]
        if flow.open_table is not None:
            self._builder.end_table()
            flow.open_table = None
        if flow.caption is not None:
            caption, flow.caption = flow.caption, None
            self._mark(self._builder.add_text_block(caption.text), caption)

    def _open_list(self, item: Item) -> None:
        """Closes the lists that this item does not belong to, and opens its own if it is not open.

        An item belongs to the innermost open list of its own numbering and level; else it stands in a new list within
        the item above if it is deeper: by level in the same numbering, by indent in another.
        """
        lists = self._flows[-1].lists
        if any(o.list_id == item.list_id and o.level == item.level for o in lists):
            while lists[-1].list_id != item.list_id or lists[-1].level != item.level:
                self._end_list()
            self._builder.end_list_item()
            return
        while lists:
            last = lists[-1]
            is_same = last.list_id == item.list_id
            if (last.level < item.level) if is_same else (last.indent < item.indent):
                break
            self._end_list()
        self._builder.mark("role", self._builder.start_list(), "list")
        self.count += 1
        lists.append(item)

    def _end_lists(self) -> None:
        while self._flows[-1].lists:
            self._end_list()

    def _end_list(self) -> None:
        self._builder.end_list_item()
        self._builder.end_list()
        self._flows[-1].lists.pop()

    def _mark(self, element: int, block: Block, role: str | None = None) -> None:
        self.count += 1
        mark = self._builder.mark
        mark("role", element, role or block.role)
        mark("locator", element, block.locator)
        if block.tex:
            mark("tex", element, block.tex)
        if block.links:
            mark("links", element, dump(block.links))
