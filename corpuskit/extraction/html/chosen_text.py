"""A text that another program chose, found again in our tree and marked there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from corpuskit.document.elements import FORMATTING, TEXT_BLOCK, ElementTable
from corpuskit.document.spans import clip, dump, load
from corpuskit.extraction.choices import mark_groups
from corpuskit.extraction.html.alignment import align, joined

MAIN, COMMENT = 1, 2
_LEFT: Final = 0
_WORD: Final = re.compile(r"\w+")
_REMOVED: Final = {0xAD: None, 0x200B: None}  # soft hyphen, zero width space: a word is one with or without them
_SPANS: Final = ("links", FORMATTING)  # marks whose values are places in the text
_LEAST_ADDED: Final = 3  # words


def normal(text: str) -> str:
    """The text in Unicode NFC, without soft hyphens and zero width spaces."""
    return text if text.isascii() else unicodedata.normalize("NFC", text).translate(_REMOVED)


def clean_texts(table: ElementTable) -> None:
    """Bring the texts of a table into the form of :func:`normal`; the places of links move along."""
    for row, text in enumerate(table.text):
        if not text or (clean := normal(text)) == text:
            continue
        table.text[row] = clean
        for name in _SPANS:
            column = table.marks.get(name, {})
            if row in column:
                spans = load(column[row])
                column[row] = dump((len(normal(text[:start])), len(normal(text[:end])), it) for start, end, it in spans)


class Choice:
    """Which words of a table are chosen, and what was chosen beside them."""

    def __init__(self, table: ElementTable) -> None:
        self._table = table
        self._starts: list[int] = []  # row → its first word
        self._row: list[int] = []  # word → its row
        self._spans: list[tuple[int, int]] = []  # word → its place in the text of its row
        self._words: list[str] = []
        for row, text in enumerate(table.text):
            self._starts.append(len(self._words))
            for match in _WORD.finditer(text or ""):
                self._words.append(match[0])
                self._spans.append(match.span())
                self._row.append(row)
        self._starts.append(len(self._words))
        self._chosen = bytearray(len(self._words))
        self._added: dict[int, list[tuple[str, int]]] = {}  # row → texts behind it; -1: before all

    def take(self, parts: Sequence[tuple[str, int]]) -> None:
        """Find the words of texts, each with its kind, and keep runs of words that are nowhere."""
        words: list[tuple[int, int, int]] = []  # part, start, end
        for number, (text, _) in enumerate(parts):
            words += [(number, *match.span()) for match in _WORD.finditer(text)]
        wanted = [parts[number][0][start:end] for number, start, end in words]
        places = align(wanted, self._words)
        runs = joined(wanted, self._words, places)
        missing: list[int] = []
        last = -1
        for at in range(len(wanted) + 1):
            is_found = at == len(wanted) or places[at] >= 0 or at in runs
            if not is_found and (not missing or words[missing[-1]][0] == words[at][0]):
                missing.append(at)
                continue
            if len(missing) >= _LEAST_ADDED:
                number, start, _ = words[missing[0]]
                text = " ".join(parts[number][0][start : words[missing[-1]][2]].split())
                self._added.setdefault(last, []).append((text, parts[number][1]))
            missing = [] if is_found else [at]
            if at < len(wanted) and is_found:
                first, end = runs.get(at, (places[at], places[at] + 1))
                self._chosen[first:end] = bytes([parts[words[at][0]][1]]) * (end - first)
                last = self._row[end - 1]

    def table(self) -> ElementTable:
        """Return the table with parted rows, added ones, ``main`` and the role ``comment``."""
        made = _Rebuilt(self._table)
        made.add_texts(-1, self._added.get(-1, ()))
        for row, text in enumerate(self._table.text):
            made.start_row(row)
            for start, end, kind in self._pieces(row, text or ""):
                made.add_piece(row, start, end, kind)
            made.add_texts(row, self._added.get(row, ()))
        return made.finish()

    def _pieces(self, row: int, text: str) -> list[tuple[int, int, int]]:
        """A text in runs of words that are chosen alike, each cut before the first word of the next; titles stay whole."""
        first, last = self._starts[row], self._starts[row + 1]
        kinds = self._chosen[first:last]
        if not any(kinds):
            return [(0, len(text), _LEFT)]
        if self._table.type[row] != TEXT_BLOCK:
            return [(0, len(text), max(set(kinds), key=kinds.count))]
        runs: list[tuple[int, int]] = []  # start, kind
        for (start, _), kind in zip(self._spans[first:last], kinds, strict=True):
            if not runs or runs[-1][1] != kind:
                runs.append((start if runs else 0, kind))
        ends = [start for start, _ in runs[1:]] + [len(text)]
        return [(start, end, kind) for (start, kind), end in zip(runs, ends, strict=True)]


class _Rebuilt:
    """A table made anew, with some rows parted and others added."""

    def __init__(self, old: ElementTable) -> None:
        self._old, self._new = old, ElementTable()
        self._spans = {name: {row: load(spans) for row, spans in old.marks.get(name, {}).items()} for name in _SPANS}
        self._new_id: list[int] = []
        self._leaves: list[int] = []  # new rows that have nothing in them
        self._parents: list[int] = []  # of each new row, in the old table

    def start_row(self, row: int) -> None:
        self._new_id.append(len(self._new))

    def add_piece(self, row: int, start: int, end: int, kind: int) -> None:
        old, here = self._old, len(self._new)
        whole = old.text[row]
        is_part = whole is not None and (start, end) != (0, len(whole))
        text = whole
        if is_part:
            piece = (whole or "")[start:end]
            start += len(piece) - len(piece.lstrip())
            text = piece.strip()
        self._append(old.type[row], old.parent_id[row], old.nesting_level[row], text, kind)
        if row in old.cells:
            self._new.cells[here] = old.cells[row]
        for name, column in old.marks.items():
            if row in column and name not in _SPANS:
                self._new.mark(name, here, column[row])
        if is_part:
            self._leaves.append(here)
        for name, column in self._spans.items():
            if spans := clip(column.get(row, ()), start, len(text or "")):
                self._new.mark(name, here, dump(spans))
        if kind == COMMENT:
            self._new.mark("role", here, "comment")

    def add_texts(self, row: int, texts: Sequence[tuple[str, int]]) -> None:
        """Texts behind a TextBlock, or as the first in a group; -1: as the first in the document."""
        old = self._old
        is_group = row >= 0 and old.type[row] != TEXT_BLOCK
        parent = row if is_group or row < 0 else old.parent_id[row]
        level = 1 if row < 0 else old.nesting_level[row] + is_group
        for text, kind in texts:
            self._leaves.append(len(self._new))
            if kind == COMMENT:
                self._new.mark("role", len(self._new), "comment")
            self._append(TEXT_BLOCK, parent, level, text, kind)

    def _append(self, type_code: int, parent: int, level: int, text: str | None, kind: int) -> None:
        new = self._new
        new.type.append(type_code)
        self._parents.append(parent)
        new.nesting_level.append(level)
        new.text.append(text)
        new.main.append(kind != _LEFT)

    def finish(self) -> ElementTable:
        new, old = self._new, self._old
        self._new_id.append(len(new))
        new.parent_id = [-1 if parent < 0 else self._new_id[parent] for parent in self._parents]
        new.subtree_end = [row + 1 for row in range(len(new))]
        leaves = set(self._leaves)
        for row, end in enumerate(old.subtree_end):
            if old.type[row] != TEXT_BLOCK and self._new_id[row] not in leaves:
                new.subtree_end[self._new_id[row]] = self._new_id[end]
        mark_groups(new)
        return new
