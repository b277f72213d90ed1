"""Structure tags of a page (ISO 32000-1, 14.7 and 14.8): what the program that made the file said its parts are."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_MAX_ELEMENTS: Final = 50_000
_MAX_DEPTH: Final = 60
_ENOUGH: Final = 0.8  # of the characters must be tagged, else the tags are left alone

# Types of ISO 32000-1, 14.8.4, that stand for a block of their own; the inline ones belong to the block around them.
_BLOCKS: Final = frozenset(
    {
        "P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "Title", "Caption", "TD", "TH", "Code", "Note", "FENote", "Formula",
        "TOCI", "LI", "BlockQuote", "Figure", "Aside", "BibEntry", "Artifact",
    }
)  # fmt: skip
_LOOSE: Final = ""
"""Type of content directly in a Sect, Div or NonStruct: tagged, but nothing says where a paragraph ends."""
_OUTER: Final = frozenset({"TD", "TH", "LI", "Caption", "TOCI", "Note", "FENote", "Figure"})
"""Types whose paragraphs are not blocks of their own."""


@dataclass(slots=True)
class TagBlock:
    """A tagged block.

    Attributes:
        type: standard structure type.
        table: number of the table it is a cell of; -1 for none.
        row: 0-based, of a cell.
        row_span, col_span: of a cell.
        depth: how many lists it stands in.
    """

    type: str
    table: int = -1
    row: int = 0
    row_span: int = 1
    col_span: int = 1
    depth: int = 0


@dataclass(slots=True)
class PageTags:
    """The tagged blocks of a page in their logical order.

    Attributes:
        block_of: marked content identifier → index in ``blocks``.
    """

    blocks: list[TagBlock] = field(default_factory=list)
    block_of: dict[int, int] = field(default_factory=dict)

    def lookup(self, identifiers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Indices of blocks for marked content identifiers, -1 for none."""
        highest = max(self.block_of, default=-1)
        table = np.full(highest + 2, -1, np.int32)
        for identifier, block in self.block_of.items():
            table[identifier] = block
        known = (identifiers >= 0) & (identifiers <= highest)
        found: NDArray[np.int32] = np.where(known, table[np.where(known, identifiers, 0)], -1)
        return found


def read_tags(page: Any) -> PageTags | None:
    """The tags of a page of pypdfium2; None where it has none."""
    from pypdfium2 import raw

    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return None
    try:
        reader = _Reader(raw)
        for i in range(raw.FPDF_StructTree_CountChildren(tree)):
            element = raw.FPDF_StructTree_GetChildAtIndex(tree, i)
            if element:
                reader.walk(element, _Context(), 0)
        return reader.found if reader.found.block_of else None
    finally:
        raw.FPDF_StructTree_Close(tree)


def usable_tags(tags: PageTags | None, identifiers: NDArray[np.int32]) -> NDArray[np.int32] | None:
    """The block of each character, or None where too few are tagged or all stand in one block."""
    if tags is None or not identifiers.size:
        return None
    found = tags.lookup(identifiers)
    tagged = found[found >= 0]
    if tagged.size < _ENOUGH * found.size:
        return None
    largest = np.bincount(tagged).max()
    if found.size > 1_500 and largest > 0.7 * found.size:
        return None  # the page is one block: no structure at all
    loose = np.array([block.type == _LOOSE for block in tags.blocks] + [False])
    unbound: NDArray[np.int32] = np.where(loose[found], -1, found).astype(np.int32)
    return unbound


@dataclass(frozen=True, slots=True)
class _Context:
    """What stands around an element."""

    block: int = -1
    is_outer: bool = False
    table: int = -1
    row: int = 0
    lists: int = 0


class _Reader:
    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.found = PageTags()
        self._elements = 0
        self._tables = 0
        self._rows: dict[int, int] = {}
        self._loose = -1
        self._buffer = ctypes.create_string_buffer(512)

    def walk(self, element: Any, context: _Context, depth: int) -> None:
        """An element and all below it."""
        self._elements += 1
        if self._elements > _MAX_ELEMENTS or depth > _MAX_DEPTH:
            return
        raw = self._raw
        context = self._entered(element, self._type(element), context)
        for i in range(raw.FPDF_StructElement_CountChildren(element)):
            child = raw.FPDF_StructElement_GetChildAtIndex(element, i)
            if child:
                self.walk(child, context, depth + 1)
            else:
                identifier = raw.FPDF_StructElement_GetChildMarkedContentID(element, i)
                if 0 <= identifier < 1_000_000:
                    self.found.block_of.setdefault(identifier, self._block(context))

    def _block(self, context: _Context) -> int:
        if context.block >= 0:
            return context.block
        if self._loose < 0:
            self._loose = len(self.found.blocks)
            self.found.blocks.append(TagBlock(_LOOSE))
        return self._loose

    def _entered(self, element: Any, kind: str, context: _Context) -> _Context:
        if kind == "Table":
            self._tables += 1
            return _Context(context.block, context.is_outer, self._tables - 1, -1, context.lists)
        if kind == "TR" and context.table >= 0:
            row = self._rows.get(context.table, -1) + 1
            self._rows[context.table] = row
            return _Context(context.block, context.is_outer, context.table, row, context.lists)
        if kind == "L":
            return _Context(context.block, False, context.table, context.row, context.lists + 1)
        if kind not in _BLOCKS or (context.is_outer and kind not in {"LI", "TD", "TH"}):
            return context
        block = TagBlock(kind, depth=context.lists)
        if kind in {"TD", "TH"} and context.table >= 0:
            block.table, block.row = context.table, max(context.row, 0)
            block.row_span, block.col_span = self._span(element, "RowSpan"), self._span(element, "ColSpan")
        self.found.blocks.append(block)
        return _Context(len(self.found.blocks) - 1, kind in _OUTER, context.table, context.row, context.lists)

    def _type(self, element: Any) -> str:
        length = self._raw.FPDF_StructElement_GetType(element, self._buffer, 512)
        return self._buffer.raw[: max(0, length - 2)].decode("utf-16-le", "replace") if 2 < length <= 512 else ""

    def _span(self, element: Any, name: str) -> int:
        raw = self._raw
        value = ctypes.c_float()
        for i in range(raw.FPDF_StructElement_GetAttributeCount(element)):
            attribute = raw.FPDF_StructElement_GetAttributeAtIndex(element, i)
            found = raw.FPDF_StructElement_Attr_GetValue(attribute, name.encode()) if attribute else None
            if found and raw.FPDF_StructElement_Attr_GetNumberValue(found, ctypes.byref(value)):
                return min(max(1, int(value.value)), 1_000)
        return 1
