"""What is open while a page is walked: links, blocks, lists, tables, titles; and how it becomes rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from corpuskit.document.elements import LIST as LIST_ROW
from corpuskit.document.elements import (
    LIST_ITEM,
    LISTS,
    NAVIGATION_LIST,
    SECTION,
    TABLE_CELL,
    TABLE_HEADER,
    TEXT_BLOCK,
)
from corpuskit.document.elements import TABLE as TABLE_ROW
from corpuskit.document.spans import Span, dump
from corpuskit.extraction.html import tags
from corpuskit.extraction.html.grid import Grid
from corpuskit.extraction.html.rows import Rows
from corpuskit.extraction.html.tags import (
    APART,
    BLOCK,
    CAPTION,
    CELL,
    DEFINITION,
    DEFINITIONS,
    ENDS_SECTIONS,
    HEADING,
    ITEM,
    LIST,
    ROW,
    SPACED,
    TABLE,
    TERM,
    VERBATIM,
    Tag,
    attributes_of,
)
from corpuskit.extraction.html.texts import (
    FORMULA,
    LINK_END,
    LINK_START,
    collapse,
    collapse_linked,
    verbatim,
)

# Links to where they stand, and from a note back to its mark.
_PERMALINKS: Final = frozenset((*"#¶§🔗∞^↑↩↵⏎⤴", "↩\ufe0e", "↩\ufe0f"))
_AFTER_CAPTION: Final = frozenset(".,;:!?()[]–—|")  # what may follow where a caption begins with the alternative text
_ENDS_HEADING: Final = frozenset((HEADING, LIST, ITEM, DEFINITIONS, TABLE, VERBATIM))
# What collects text apart from blocks: the title of a heading or table, and pre.
IN_BLOCKS, IN_HEADING, IN_CAPTION, IN_VERBATIM = range(4)


class Frames(Rows):
    """The open elements and what was made so far."""

    def __init__(self, resolve: Callable[[str], str]) -> None:
        super().__init__()
        self.resolve = resolve
        # The blocks of the page that are open: how many rows were open, how many there were, the block around.
        self.frames: list[tuple[int, int, int, int]] = []  # ... and as what it was opened
        self.scope: dict[int, int] = {}  # open Section → node inside the one that ends it
        self.level: dict[int, int] = {}  # open Section → level of its heading
        self.buffer: list[str] = []
        self.urls: list[str] = []
        self.links: dict[int, str] = {}
        self.link: str | None = None
        self.link_tag, self.link_rows = "", 0
        self.collecting, self.collecting_depth = IN_BLOCKS, 0
        self.block_node = -1
        self.alt_length = 0
        # How many rows are open inside each open list; 0 shuts out lists around a table or cell.
        self.list_depths: list[int] = []
        # Of each open list: its row, items with a link, 1 if it may lead elsewhere, 1 if it stands in nav.
        self.lists: list[list[int]] = []
        self.items: list[list[int]] = []  # of each open li: links, other children, prose
        self.definitions: list[int] = []  # of each open dl: 1 behind a dd
        self.navigation = 0

    # ---- text --------------------------------------------------------------------------------------------------

    def start_link(self, tag: Tag, target: str) -> None:
        """An ``a`` begins; its target was cut out of its tag."""
        if tag[2] and self.collecting == IN_BLOCKS:
            self.flush()
        if not target and "href" in tag[4]:
            target = attributes_of(tag[4]).get("href", "")
        url = self.resolve(target) if target else ""
        if url and self.link is None:
            if tag[1] & tags.LICENSE:
                self.result.licenses.append(url)
            self.link = url
            self.link_tag = tag[4]
            self.link_rows = len(self.types)
            if self.navigation and self.buffer and self.buffer[-1] == LINK_END:
                self.buffer.append(" ")  # style sheets set the links of a menu apart
            self.buffer.append(LINK_START)

    def end_link(self) -> None:
        """An ``a`` ends; a link without text shows its title."""
        if self.link is None:
            return
        buffer = self.buffer
        if buffer and buffer[-1] == LINK_START:
            title = attributes_of(self.link_tag).get("title", "").strip()
            if title and self.link_rows == len(self.types):
                buffer.append(title)
            else:
                buffer.pop()
                self.link = None
                return
        elif len(buffer) > 1 and buffer[-2] == LINK_START and buffer[-1].strip() in _PERMALINKS and "#" in self.link:
            del buffer[-2:]
            self.link = None
            return
        buffer.append(LINK_END)
        self.urls.append(self.link)
        self.link = None

    def flush(self, node: int | None = None) -> None:
        """What was collected becomes a TextBlock."""
        buffer = self.buffer
        if buffer:
            links: list[Span] = []
            if self.link is not None or self.collecting == IN_VERBATIM:
                text, links = self.take()
            elif not self.urls:
                text = collapse("".join(buffer) if len(buffer) > 1 else buffer[0])
                buffer.clear()
            elif len(buffer) == 3 and buffer[0] == LINK_START and buffer[2] == LINK_END:
                text = collapse(buffer[1])
                links = [(0, len(text), self.urls.pop())]
                buffer.clear()
            else:
                text, links = self.take()
            if text and not text.isspace() and not (self.alt_length >= len(text) and self.says_again(text)):
                if self.result.alts:
                    self.drop_alternative(text)
                row = self.add(TEXT_BLOCK, text, self.block_node if node is None else node)
                if links:
                    self.mark_links(row, links)
                if self.alt_length >= len(text):
                    self.result.alts.add(row)
            self.alt_length = 0

    def drop_alternative(self, caption: str) -> None:
        """Takes the text of a picture out again if the caption that follows says the same."""
        last = len(self.types) - 1
        if last not in self.result.alts or self.parents[last] != self.open_rows[-1]:
            return
        alternative = self.texts[last] or ""
        if caption.startswith(alternative) and caption[len(alternative) :].lstrip()[:1] in {"", *_AFTER_CAPTION}:
            self.drop_last()
            self.result.alts.discard(last)
            self.result.link_chars.pop(last, None)
            self.result.formulas.pop(last, None)
            self.links.pop(last, None)

    def says_again(self, alternative: str) -> bool:
        """Whether the text of a picture is the caption before it."""
        return (
            bool(self.types)
            and self.types[-1] == TEXT_BLOCK
            and self.texts[-1] == alternative
            and self.parents[-1] == self.open_rows[-1]
        )

    def take(self) -> tuple[str, list[Span]]:
        """Empties the buffer; a link that is open goes on behind it."""
        buffer = self.buffer
        if self.link is not None:
            if buffer[-1] == LINK_START:
                buffer.pop()
            else:
                buffer.append(LINK_END)
                self.urls.append(self.link)
        raw = "".join(buffer)
        buffer.clear()
        if self.link is not None:
            buffer.append(LINK_START)
        if not raw:
            return "", []
        if self.collecting == IN_VERBATIM:
            text, links = verbatim(raw, self.urls)
        elif self.urls:
            text, links = collapse_linked(raw, self.urls)
        else:
            text, links = collapse(raw), []
        self.urls.clear()
        return text, links

    def mark_links(self, row: int, links: list[Span]) -> None:
        """Keeps a row's links, and where its formulas are."""
        formulas = [(start, end) for start, end, url in links if url == FORMULA]
        if formulas:
            self.result.formulas[row] = formulas
            links = [link for link in links if link[2] != FORMULA]
        if links:
            self.result.link_chars[row] = sum([end - start for start, end, _ in links])
            self.links[row] = dump(links)

    # ---- blocks ------------------------------------------------------------------------------------------------

    def start(self, tag: Tag, node: int) -> None:
        """A block begins."""
        kind = tag[0]
        if self.collecting:
            again = kind == VERBATIM and self.collecting == IN_VERBATIM
            if self.collecting == IN_CAPTION or kind not in _ENDS_HEADING or again:
                self.buffer.append(self.separator())
                self.open_frame(BLOCK, node)
                return
            self.end_collecting(self.block_node)
        if kind == SPACED:
            self.buffer.append(" ")
            self.open_frame(SPACED, node)
            return
        if self.buffer:
            self.flush()
        if kind in (BLOCK, ROW):
            self.open_frame(kind, node)
            if kind == ROW and self.grids:
                self.grids[-1][0].start_row()
            return
        self.start_group(tag, node)

    def open_frame(self, kind: int, node: int) -> None:
        """Opens a frame for a block."""
        self.frames.append((len(self.open_rows), len(self.types), self.block_node, kind))
        self.block_node = node

    def separator(self) -> str:
        """What stands for a block's edge where blocks do not count."""
        if self.collecting == IN_VERBATIM:
            last = self.buffer[-1][-1:] if self.buffer else "\n"
            return "" if last == "\n" or last in LINK_START else "\n"
        return " "

    def start_group(self, tag: Tag, node: int) -> None:
        """A block begins that is more than a wrapper."""
        kind = tag[0]
        if kind in (CELL, CAPTION) and not self.grids:
            kind = BLOCK
        if kind == ITEM:
            self.start_item(node)
        elif kind == CELL:
            self.start_cell()
        elif kind in (TERM, DEFINITION):
            self.start_definition(kind, node)
        self.open_frame(kind, node)
        if kind == HEADING:
            self.collect(IN_HEADING)
            self.level[-1] = tag[2]
        elif kind == VERBATIM:
            self.collect(IN_VERBATIM)
        elif kind == CAPTION:
            self.collect(IN_CAPTION)
        elif kind in (LIST, DEFINITIONS):
            in_navigation = kind == LIST and self.navigation > 0
            row = self.open(NAVIGATION_LIST if in_navigation else LIST_ROW, None, node)
            self.list_depths.append(len(self.open_rows))
            if kind == LIST:
                self.lists.append([row, 0, 1, int(in_navigation)])
            else:
                self.definitions.append(0)
        elif kind == TABLE:
            row = self.open(TABLE_ROW, None, node)
            self.grids.append((Grid(), row, len(self.open_rows)))
            self.list_depths.append(0)
        elif kind == ITEM:
            self.open(LIST_ITEM, None, node)
            self.items.append([0, 0, 0])
        elif kind == CELL:
            self.list_depths.append(0)
            row = self.open(TABLE_HEADER if tag[3] == "th" else TABLE_CELL, None, node)
            self.places.add(row, self.grids[-1][0].place(row, attributes_of(tag[4]) if "span" in tag[4] else {}))

    def start_item(self, node: int) -> None:
        """Room for a ListItem: back to its list, or a new one."""
        if self.open_types[-1] in LISTS:
            return
        depth = self.list_depths[-1] if self.list_depths else 0
        if depth and depth <= len(self.open_rows):
            self.close_to(depth)
        else:
            self.repair("ListItem outside a List: wrapped into a List")
            self.implicit.add(self.open(LIST_ROW, None, node))

    def start_cell(self) -> None:
        """Room for a cell: back to its table."""
        self.close_to(self.grids[-1][2])

    def start_definition(self, kind: int, node: int) -> None:
        """A ``dt`` behind a ``dd`` begins a new ListItem, as does the first of either."""
        if not self.definitions:
            return
        depth = self.list_depths[-1] if self.list_depths else 0
        if not depth or depth > len(self.open_rows):
            return
        has_item = len(self.open_rows) > depth and self.open_types[depth] == LIST_ITEM
        if has_item and not (kind == TERM and self.definitions[-1]):
            self.close_to(depth + 1)
        else:
            self.close_to(depth)
            self.open(LIST_ITEM, None, node)
        self.definitions[-1] = int(kind == DEFINITION)

    def end(self, node: int) -> None:
        """A block ends."""
        kind = self.frames[-1][3]
        if kind == SPACED or (self.collecting and len(self.frames) != self.collecting_depth):
            self.buffer.append(self.separator() if self.collecting else " ")
            self.block_node = self.frames.pop()[2]
            return
        if self.collecting:
            self.end_collecting(node)
        elif self.buffer:
            self.flush()
        depth, rows, around, _ = self.frames.pop()
        self.block_node = around
        if kind == BLOCK:
            if len(self.open_rows) != depth or self.open_types[-1] == SECTION:
                self.end_block(depth, rows, node)
        elif kind == HEADING:
            return
        elif kind in (LIST, DEFINITIONS, TABLE, CELL, ITEM):
            self.end_group(kind, depth)
        elif kind == ROW:
            self.close_to(max(depth, 1))

    def end_block(self, depth: int, rows: int, node: int) -> None:
        """Closes what a block holds. Sections go on behind it, unless it is one that ends them; and also then if it
        holds a heading and nothing else."""
        open_rows, open_types = self.open_rows, self.open_types
        for at in range(depth, len(open_rows)):
            if open_types[at] != SECTION:
                self.close_to(at)
                break
        if not self.result.node_tag[node][1] & ENDS_SECTIONS:
            return
        if open_types[-1] == SECTION and len(self.types) == rows + 1 and open_rows[-1] == rows:
            self.scope[rows] = self.result.node_parent[node]
            return
        lowest = 2 if self.result.node_tag[node][3] == "section" else 1  # the page's title stands in one of its own
        while open_types[-1] == SECTION and self.scope[open_rows[-1]] >= node and self.level[open_rows[-1]] >= lowest:
            self.close_to(len(open_rows) - 1)

    def end_group(self, kind: int, depth: int) -> None:
        """Ends a list, an item, a table or a cell."""
        if kind == CELL:
            self.list_depths.pop()
        elif kind == TABLE:
            self.list_depths.pop()
            self.grids.pop()[0].finish(self.places)
        elif kind == DEFINITIONS:
            self.definitions.pop()
            self.list_depths.pop()
        elif kind == LIST:
            self.end_list(self.list_depths.pop())
        else:
            self.end_item()
        self.close_to(depth)

    def end_item(self) -> None:
        """Tells the list whether the item leads elsewhere.

        A NavigationList has two or more items, each with a link and at most one other child and no prose beside.
        """
        links, others, prose = self.items.pop()
        if self.lists:
            state = self.lists[-1]
            if links and others <= 1 and not prose:
                state[1] += 1
            else:
                state[2] = 0

    def end_list(self, depth: int) -> None:
        """Decides whether a list is a NavigationList."""
        row, leading, leads, in_navigation = self.lists.pop()
        if leads and leading > 1 and not in_navigation and self.open_rows[depth - 1 : depth] == [row]:
            self.types[row] = self.open_types[depth - 1] = NAVIGATION_LIST

    # ---- titles and pre ----------------------------------------------------------------------------------------

    def collect(self, what: int) -> None:
        """From here on blocks do not count."""
        self.collecting = what
        self.collecting_depth = len(self.frames)

    def end_collecting(self, node: int) -> None:
        """A heading, caption or pre ends; or something begins in it that no title can hold."""
        what = self.collecting
        if what == IN_VERBATIM:
            self.flush(node)
            self.collecting = IN_BLOCKS
            return
        self.collecting = IN_BLOCKS
        if not self.buffer:
            return
        text, links = self.take()
        if "\n" in text:
            text = text.replace("\n", " ")
        if not text or text.isspace():
            return
        if what == IN_CAPTION:
            self.end_caption(text, links, node)
            return
        level, apart = self.level[-1], self.apart_around(node)
        open_rows = self.open_rows
        while (
            self.open_types[-1] == SECTION and self.level[open_rows[-1]] >= level and self.scope[open_rows[-1]] >= apart
        ):
            self.close_to(len(open_rows) - 1)
        row = self.open(SECTION, text, node)
        self.level[row] = level
        self.scope[row] = node
        self.mark_links(row, links)

    def apart_around(self, node: int) -> int:
        """The innermost element around that stands apart; -1."""
        parents, tags_of = self.result.node_parent, self.result.node_tag
        while node >= 0 and not tags_of[node][1] & APART:
            node = parents[node]
        return node

    def end_caption(self, text: str, links: list[Span], node: int) -> None:
        """The caption becomes the table's title; a second one stays text."""
        row = self.grids[-1][1]
        if self.texts[row] is None:
            self.texts[row] = text
            self.mark_links(row, links)
        else:
            self.add(TEXT_BLOCK, text, node)
