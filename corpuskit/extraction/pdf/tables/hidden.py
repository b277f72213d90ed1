"""Rows and columns of a ruled table that have no rules between them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np

from corpuskit.extraction.pdf.tables.grid import cell_lines, snapped
from corpuskit.extraction.pdf.tables.rows import is_number
from corpuskit.extraction.pdf.words import Word

_FEW = 5  # lines: cells of text may run over about as many by chance


@dataclass(slots=True)
class Place:
    """A cell before it has text; positions in the lists of edges."""

    row: int
    col: int
    row_span: int
    col_span: int
    words: list[Word] = field(default_factory=list)


def pieces_of(words: list[Word]) -> list[list[Word]]:
    """Words of a cell, line by line, parted at gaps wider than a blank."""
    pieces: list[list[Word]] = []
    lines: dict[int, list[Word]] = defaultdict(list)
    for word in words:
        lines[round(word.base / 4)].append(word)
    for line in lines.values():
        line.sort(key=lambda word: word.x0)
        current = [line[0]]
        for word in line[1:]:
            if word.x0 - current[-1].x1 > 0.9 * word.size:
                pieces.append(current)
                current = []
            current.append(word)
        pieces.append(current)
    return pieces


def split_hidden_rows(places: list[Place]) -> list[Place]:
    """Rows that hold several lines in most of their cells, on the same base lines, were not ruled: they are parted."""
    by_row: dict[int, list[Place]] = defaultdict(list)
    for place in places:
        by_row[place.row].append(place)
    cut: dict[int, list[float]] = {}
    for row, members in by_row.items():
        filled = [place for place in members if place.words and place.row_span == 1]
        if any(place.row_span > 1 for place in members) or len(filled) < 2:
            continue
        bases = [sorted(snapped([word.base for word in place.words if not word.glued], 2.5)) for place in filled]
        lines = max(bases, key=len)
        if len(lines) < 3:
            continue
        least = 0.7 * len(lines) if len(lines) > _FEW else len(lines)
        full = [own for own in bases if len(own) >= least]
        on_lines = all(any(abs(base - line) < 2 for line in lines) for own in bases for base in own)
        if on_lines and (len(full) >= max(2, 0.6 * len(bases)) or _are_labelled(filled, bases, lines)):
            cut[row] = lines
    if not cut:
        return places
    added = 0
    shift: dict[int, int] = {}
    for row in range(max(place.row + place.row_span for place in places)):
        shift[row] = added
        added += len(cut[row]) - 1 if row in cut else 0
    found = []
    for place in places:
        lines = cut.get(place.row, [])
        if not lines:
            last = place.row + place.row_span - 1
            span = shift[last] - shift[place.row] + place.row_span
            found.append(Place(place.row + shift[place.row], place.col, span, place.col_span, place.words))
            continue
        parted: list[list[Word]] = [[] for _ in lines]
        for word in place.words:
            parted[min(range(len(lines)), key=lambda k: abs(lines[k] - word.base))].append(word)
        for k, words in enumerate(parted):
            found.append(Place(place.row + shift[place.row] + k, place.col, 1, place.col_span, words))
    return found


def _are_labelled(filled: list[Place], bases: list[list[float]], lines: list[float]) -> bool:
    """Whether all cells but the first hold numbers on the same lines, and the first also names of groups of them."""
    if len(filled) < 3 or len(bases[0]) != len(lines):
        return False
    first = bases[1]
    if len(first) < 3 or any(len(own) != len(first) for own in bases[2:]):
        return False
    if any(abs(a - b) > 2 for own in bases[2:] for a, b in zip(own, first, strict=True)):
        return False
    return all(
        is_number(" ".join(word.text for word in line)) for place in filled[1:] for line in cell_lines(place.words)
    )


def split_hidden_columns(places: list[Place]) -> list[Place]:
    """Columns whose cells hold several texts each, with the same gaps between, are parted at these gaps."""
    for col in sorted({place.col for place in places if place.col_span == 1}, reverse=True):
        borders = _hidden_borders(
            [place for place in places if place.col == col and place.col_span == 1 and place.words]
        )
        if borders:
            places = _parted_at(places, col, borders)
    return places


def _hidden_borders(places: list[Place]) -> list[float]:
    """Where a column is to be parted; empty for most columns."""
    pieces = [pieces_of(place.words) for place in places]
    counts = Counter(len(own) for own in pieces)
    if not counts:
        return []
    usual, times = counts.most_common(1)[0]
    lines = [len(snapped([word.base for word in place.words], 2.5)) for place in places]
    if usual < 2 or times < max(3, 0.6 * len(places)) or any(count > 1 for count in lines):
        return []
    chosen = [own for own in pieces if len(own) == usual]
    borders = []
    for k in range(usual - 1):
        left = max(own[k][-1].x1 for own in chosen)
        right = min(own[k + 1][0].x0 for own in chosen)
        if right - left < 0.4 * chosen[0][0][0].size:
            return []
        borders.append((left + right) / 2)
    return borders


def _parted_at(places: list[Place], col: int, borders: list[float]) -> list[Place]:
    extra = len(borders)
    edges = np.array(borders)
    found = []
    for place in places:
        if place.col > col:
            place.col += extra
        elif place.col == col and place.col_span == 1:
            pieces = pieces_of(place.words)
            first = [int(np.searchsorted(edges, piece[0].x0)) for piece in pieces]
            last = [int(np.searchsorted(edges, piece[-1].x1)) for piece in pieces]
            if first == last:
                for k in range(extra + 1):
                    words = [word for piece, at in zip(pieces, first, strict=True) if at == k for word in piece]
                    found.append(Place(place.row, col + k, place.row_span, 1, words))
                continue
            place.col_span += extra
        elif place.col <= col < place.col + place.col_span:
            place.col_span += extra
        found.append(place)
    return found
