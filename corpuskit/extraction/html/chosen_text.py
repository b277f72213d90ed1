"""A text that another program chose, found again in our tree and marked there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from corpuskit.document.elements import FORMATTING, TEXT_BLOCK, ElementTable
from corpuskit.document.spans import clip, dump, load
from corpuskit.document.table_rewriter import TableRewriter
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
        old, rewriter = self._table, TableRewriter(self._table)
        spans = {name: {row: load(stored) for row, stored in old.marks.get(name, {}).items()} for name in _SPANS}
        comments: list[int] = []

        def add(type_code: int, text: str | None, kind: int, end: int = 0, origin: int = -1) -> int:
            element_id = rewriter.add(type_code, text, end, main=kind != _LEFT, origin=origin)
            if kind == COMMENT:
                comments.append(element_id)
            return element_id

        for row in range(-1, len(old)):
            whole = (old.text[row] if row >= 0 else None) or ""
            rewriter.advance(row)
            for start, end, kind in self._pieces(row, whole) if row >= 0 else ():
                part = whole[start:end]
                is_part = len(part) < len(whole)
                text = part.strip() if is_part else old.text[row]
                begin = end - len(part.lstrip()) if is_part else 0
                element_id = add(old.type[row], text, kind, old.subtree_end[row], row)
                for name, column in spans.items():
                    if inside := clip(column.get(row, ()), begin, len(text or "")):
                        rewriter.table.mark(name, element_id, dump(inside))
            for text, kind in self._added.get(row, ()):
                add(TEXT_BLOCK, text, kind)
        table = rewriter.finish(without=_SPANS)
        for element_id in comments:
            table.mark("role", element_id, "comment")
        mark_groups(table)
        return table

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
