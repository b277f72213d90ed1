"""Concordance lines: sort matches, filter them and create their left and right contexts."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.scope import document_table
from corpuskit.store import CorpusFolder
from corpuskit.tokens import Matches, TokenIndex, TokenSelection
from corpuskit.tokens.index_part import IndexPart, spans
from corpuskit.tokens.result_cache import cached_by_owner

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

BORDER: Final = "¶"  # separates two blocks
MAX_CHARACTERS_PER_WORD: Final = 50  # per word of a side: a document may consist of a single huge word
_SORT: Final = re.compile(r"([0-9])([LRM])?", re.IGNORECASE)
_BLANKS: Final = re.compile(r"\s+")
_LINES_PER_BATCH: Final = 50_000  # lines
_PIECES_PER_BATCH: Final = 20_000_000  # words and gaps, 8 bytes each: limits the lines per batch for large windows
MAX_WINDOW: Final = 10_000  # words on each side: some twenty pages
_COMPARED: Final = 5  # words of a match that are compared by sort="0"
_LAST: Final = np.iinfo(np.int64).max

SortKeys = Sequence[tuple[int, str]]


def parse_sort(sort: str | None) -> list[tuple[int, str]]:
    """Parse a sort expression into distances and sides: (1, "R") for ``"1R"``, (0, "") for ``"0"``.

    Raises:
        ConfigurationError: The expression is invalid.
    """
    keys = []
    for part in (sort or "").replace(",", " ").split():
        match = _SORT.fullmatch(part)
        if match is None or (match[1] == "0") == bool(match[2]):
            raise ConfigurationError(
                f"sort={sort!r} (--sort): expected positions such as '1R' or '2L 1L', or '0' for the match"
            )
        keys.append((int(match[1]), (match[2] or "").upper()))
    if sort is not None and not keys:
        raise ConfigurationError("sort '': expected positions such as '1R' or '2L 1L', or '0' for the match")
    return keys


def sort_order(matches: Matches, sort_keys: SortKeys) -> Numbers:
    """Return the row numbers that sort the matches by words. Lines without a word at a position come last."""
    keys: list[Numbers] = []
    for distance, side in sort_keys:
        keys += [_ranks(matches, number) for number in range(_COMPARED)] if not distance else []
        if distance:
            keys.append(_neighbours(matches, distance, side))
    return np.lexsort(keys[::-1]) if keys else np.arange(len(matches))


def _ranks(matches: Matches, distance: int) -> Numbers:
    """Return the sort rank of the nth word of each match, -1 for a shorter match."""
    positions = np.where(matches.start + distance < matches.end, matches.start + distance, -1)
    return np.where(positions < 0, -1, _ranks_at(matches, positions))


def _neighbours(matches: Matches, distance: int, side: str) -> Numbers:
    positions_of_words = np.empty(len(matches), np.int64)
    for number, rows in _parts(matches):
        part_matches = matches.take(rows)
        *_, (part_positions, _, _) = _walk(part_matches, number, distance, side)
        positions_of_words[rows] = part_positions
    return np.where(positions_of_words < 0, _LAST, _ranks_at(matches, positions_of_words))


def _ranks_at(matches: Matches, positions: Numbers) -> Numbers:
    index = matches.selection.index
    ranks = np.zeros(len(positions), np.int64)
    for number, rows in _parts(matches):
        of = index.parts[number].numbers("lower", np.maximum(positions[rows], 0))
        ranks[rows] = index.numbered(number, "lower", of)  # a lexicon is sorted
    return ranks


def _parts(matches: Matches) -> Iterator[tuple[int, Numbers]]:
    """Yield the number of each index part with matches, and the rows of its matches."""
    for number in np.unique(matches.part).tolist():
        yield number, np.flatnonzero(matches.part == number)


def _walk(matches: Matches, number: int, steps: int, side: str) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    """Step from the matches of a part word by word to one side, across blocks, within the selection and the document.

    Yields:
        Per step and match: the position of the word or -1, its element, and whether a block border was crossed.
    """
    part = matches.selection.index.parts[number]
    starts = part.column("element_start").astype(np.int64)
    step = 1 if side == "R" else -1
    adjacent = _adjacent_elements(matches.selection, number)[max(step, 0)]
    positions = matches.end - 1 if step > 0 else matches.start
    elements = part.element_of(positions)
    is_active = np.ones(len(positions), np.bool_)
    for _ in range(steps):
        positions = positions + step
        is_inside = (positions >= starts[elements]) & (positions < starts[elements + 1])
        neighbours = adjacent[elements]
        crossed = is_active & ~is_inside & (neighbours >= 0)
        is_active &= is_inside | crossed
        elements = np.where(crossed, neighbours, elements)
        positions = np.where(crossed, starts[elements] if step > 0 else starts[elements + 1] - 1, positions)
        yield np.where(is_active, positions, -1), elements, crossed


@cached_by_owner
def _adjacent_elements(selection: TokenSelection, number: int) -> tuple[Numbers, Numbers]:
    """Return the previous and the next element of each element, within the selection and the document, or -1."""
    part, chosen = selection.index.parts[number], selection.elements(number)
    all_elements = np.arange(len(part.column("element_id")))
    selected = all_elements if chosen is None else np.flatnonzero(chosen)
    padded = np.concatenate([[-1], selected, [-1]])
    document = part.document_of(all_elements)

    def within(other: Numbers) -> Numbers:
        return np.where((other >= 0) & (document[other] == document), other, -1)

    before = padded[np.searchsorted(selected, all_elements, side="left")]
    after = padded[np.searchsorted(selected, all_elements, side="right") + 1]
    return within(before), within(after)


def rows_near(matches: Matches, strings: Sequence[str], attribute: str, window: int) -> Numbers:
    """Return the rows of matches with one of the strings at most ``window`` words away in the same element."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows_per_part = [np.empty(0, np.int64)]
    for number, rows in _parts(matches):
        part, part_matches = matches.selection.index.parts[number], matches.take(rows)
        known = pc.is_in(part.lexicon(attribute), value_set=pa.array(list(strings), pa.large_string()))
        positions = part.positions(attribute, np.flatnonzero(known.to_numpy(zero_copy_only=False)))
        bounds = part.column("element_start").astype(np.int64)
        left = np.maximum(part_matches.start - window, bounds[part.element_of(part_matches.start)])
        right = np.minimum(part_matches.end + window, bounds[part.element_of(part_matches.end - 1) + 1])
        count = np.searchsorted(positions, right) - np.searchsorted(positions, left)
        count -= np.searchsorted(positions, part_matches.end) - np.searchsorted(positions, part_matches.start)
        rows_per_part.append(rows[count > 0])
    return np.sort(np.concatenate(rows_per_part))


def rows_in_document(matches: Matches, doc_id: str) -> Numbers:
    """Return the rows of the matches in a document."""
    rows_per_part = [np.empty(0, np.int64)]
    for number, rows in _parts(matches):
        part = matches.selection.index.parts[number]
        ids = part.documents.column("doc_id").to_pylist()
        of = part.document_of(part.element_of(matches.start[rows]))
        rows_per_part.append(rows[[ids[row] == doc_id for row in of.tolist()]])
    return np.sort(np.concatenate(rows_per_part))


def frame_of(folder: CorpusFolder, matches: Matches, window: int) -> pd.DataFrame:
    """Return the lines as a DataFrame, in the order of the matches.

    Columns: doc_id (str), element_id (int32), left, match, right, title, uri (str).
    """
    import pandas as pd
    import pyarrow as pa

    size = min(_LINES_PER_BATCH, _PIECES_PER_BATCH // (2 * window + 1))
    tables = [
        lines_table(folder, matches.take(slice(first, first + size)), window) for first in range(0, len(matches), size)
    ]
    table = pa.concat_tables(tables) if tables else _schema().empty_table()
    strings: Any = pd.StringDtype(na_value=float("nan"))
    columns = {
        name: table[name].to_numpy() if name == "element_id" else strings.__from_arrow__(table[name])
        for name in table.column_names
    }
    return pd.DataFrame(columns, copy=False)


def lines_table(folder: CorpusFolder, matches: Matches, window: int) -> pa.Table:
    """Return the lines as an Arrow table with the columns of :func:`frame_of`."""
    import pyarrow as pa

    tables, rows = [_schema().empty_table()], [np.empty(0, np.int64)]
    for number, of_part in _parts(matches):
        part_matches, part = matches.take(of_part), matches.selection.index.parts[number]
        elements = part.element_of(part_matches.start)
        about = document_table(matches.selection.index, folder, number).take(pa.array(part.document_of(elements)))
        pieces = _Pieces(matches.selection.index, number)
        columns = [
            about["doc_id"].combine_chunks(),
            pa.array(part.column("element_id")[elements]),
            pieces.side(part_matches, number, window, "L"),
            pieces.matches(part_matches),
            pieces.side(part_matches, number, window, "R"),
            about["title"].combine_chunks(),
            about["uri"].combine_chunks(),
        ]
        tables.append(pa.Table.from_arrays(columns, schema=_schema()))
        rows.append(of_part)
    table = pa.concat_tables(tables)
    return table if len(tables) == 2 else table.take(pa.array(np.argsort(np.concatenate(rows))))


def _schema() -> pa.Schema:
    import pyarrow as pa

    text = pa.large_string()
    names = ("doc_id", "element_id", "left", "match", "right", "title", "uri")
    return pa.schema([(name, pa.int32() if name == "element_id" else text) for name in names])


@cached_by_owner
def _strings_of(index: TokenIndex, number: int) -> _Strings:
    return _Strings(index.parts[number])


class _Pieces:
    """Builder of texts from words and the gaps between them, numbered by :class:`_Strings`."""

    def __init__(self, index: TokenIndex, number: int) -> None:
        self._part = index.parts[number]
        self._strings = _strings_of(index, number)

    def matches(self, matches: Matches) -> pa.Array:
        """Return the original text of each match."""
        part, strings = self._part, self._strings
        sizes = matches.end - matches.start
        positions = spans(matches.start, matches.end)
        numbers = np.empty(2 * len(positions), np.int64)
        numbers[1::2] = part.column("word")[positions]
        before = part.column("gap")[positions].astype(np.int64) + strings.gap
        elements = part.element_of(positions)
        firsts = np.flatnonzero(positions == part.column("element_start")[elements])
        before[firsts] = self._border(elements[firsts] - 1, positions[firsts])
        numbers[:-1:2] = before
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        numbers[2 * offsets[:-1]] = strings.empty  # no gap before the first word of a match
        return strings.joined(numbers, 2 * offsets)

    def side(self, matches: Matches, number: int, window: int, side: str) -> pa.Array:
        """Return the context on one side of each match, with punctuation; ``¶`` separates blocks."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not window:
            return pa.array([""] * len(matches), pa.large_string())
        part = self._part
        word, gap = part.column("word"), part.column("gap")
        tail, starts = part.column("tail"), part.column("element_start").astype(np.int64)
        strings = self._strings
        numbers = np.full((len(matches), 2 * window + 1), strings.empty, np.int64)
        last = matches.end - 1 if side == "R" else matches.start.copy()
        at = part.element_of(last)
        # Most windows are within one element: these are read in one step, the others word by word.
        fits_element = last + window < starts[at + 1] if side == "R" else last - window >= starts[at]
        rows = np.flatnonzero(fits_element)
        steps = np.arange(1, window + 1)
        positions = last[rows, None] + (steps if side == "R" else -steps)
        later = positions if side == "R" else positions + 1
        numbers[rows, : 2 * window : 2] = gap[later].astype(np.int64) + strings.shown
        numbers[rows, 1 : 2 * window : 2] = word[positions]
        last[rows] += window if side == "R" else -window
        remaining = np.flatnonzero(~fits_element)
        for step, (positions, elements, crossed) in enumerate(_walk(matches.take(remaining), number, window, side)):
            has_word = np.flatnonzero(positions >= 0)
            rows = remaining[has_word]
            # The gap between two words is stored with the later one.
            later = positions[has_word] if side == "R" else last[rows]
            between = gap[later].astype(np.int64) + strings.shown
            over = crossed[has_word]
            earlier = at[rows][over] if side == "R" else elements[has_word][over]
            between[over] = self._border(earlier, later[over])
            numbers[rows, 2 * step] = between
            numbers[rows, 2 * step + 1] = word[positions[has_word]]
            last[rows], at[rows] = positions[has_word], elements[has_word]
        if side == "R":
            ends = last + 1 == starts[at + 1]
            following = np.where(ends, tail[at], gap[np.minimum(last + 1, len(part) - 1)]).astype(np.int64)
            numbers[:, -1] = following + strings.closing
        else:
            numbers[:, -1] = gap[last].astype(np.int64) + strings.opening
            numbers = numbers[:, ::-1]
        size = 2 * window + 1
        text = pc.utf8_trim_whitespace(strings.joined(numbers.ravel(), np.arange(0, numbers.size + 1, size)))
        max_characters = MAX_CHARACTERS_PER_WORD * window
        if pc.max(pc.binary_length(text)).as_py() <= max_characters:  # a character has at least one byte
            return text
        return (
            pc.utf8_slice_codeunits(text, 0, max_characters)
            if side == "R"
            else pc.utf8_slice_codeunits(text, -max_characters)
        )

    def _border(self, elements: Numbers, positions: Numbers) -> Numbers:
        """Return the strings between the last word of an element and the first word of the next."""
        tails, gaps = self._part.column("tail")[elements], self._part.column("gap")[positions]
        kinds, of = np.unique(tails.astype(np.int64) << 32 | gaps, return_inverse=True)
        return self._strings.borders(kinds)[of]


class _Strings:
    """Numbered strings of an index part.

    Words come first, then four variants of the gaps, then the empty string. Borders of blocks are appended on first use.

    Attributes:
        gap: Number of the first original gap.
        shown: Number of the first gap with normalized whitespace.
        closing: Number of the first gap reduced to the punctuation that belongs to the preceding word.
        opening: Number of the first gap reduced to the punctuation that belongs to the following word.
        empty: Number of the empty string.
    """

    def __init__(self, part: IndexPart) -> None:
        import pyarrow as pa

        self._gaps = gaps = [_BLANKS.sub(" ", gap) for gap in part.lexicon("gap").to_pylist()]
        closing = [gap.split(" ", 1)[0] for gap in gaps]
        opening = [gap.rsplit(" ", 1)[-1] for gap in gaps]
        words, gap_variants = part.lexicon("word"), pa.array([*gaps, *closing, *opening, ""], pa.large_string())
        self.gap, self.shown, self.closing, self.opening = (len(words) + n * len(gaps) for n in range(4))
        self.empty = len(words) + 4 * len(gaps)
        self._strings = pa.concat_arrays([words, part.lexicon("gap"), gap_variants])
        self._borders: dict[int, int] = {}  # tail and gap → number
        self._lock = threading.Lock()  # several threads may use one index

    def borders(self, kinds: Numbers) -> Numbers:
        """Return the numbers of block borders for pairs of tail (upper 32 bits) and gap (lower 32 bits)."""
        import pyarrow as pa

        with self._lock:
            new = [kind for kind in kinds.tolist() if kind not in self._borders]
            if new:
                first = len(self._strings)
                texts = [
                    f"{self._gaps[kind >> 32].rstrip()} {BORDER} {self._gaps[kind & 0xFFFFFFFF].lstrip()}"
                    for kind in new
                ]
                self._strings = pa.concat_arrays([self._strings, pa.array(texts, pa.large_string())])
                self._borders |= {kind: first + row for row, kind in enumerate(new)}
            return np.array([self._borders[kind] for kind in kinds.tolist()], np.int64)

    def joined(self, numbers: Numbers, offsets: Numbers) -> pa.Array:
        """Concatenate strings: those from each offset up to the next become one."""
        import pyarrow as pa

        # The strings are already adjacent in memory: only the offsets change.
        _, starts, content = self._strings.take(pa.array(numbers)).buffers()
        ends = np.frombuffer(starts, np.int64, len(numbers) + 1)[offsets]
        return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(ends), content)
