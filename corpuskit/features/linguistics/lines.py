"""Lines of a concordance: matches with the words around them, in any order, made when they are looked at."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.scope import described
from corpuskit.store import CorpusFolder
from corpuskit.tokens import Matches, TokenIndex, TokenSelection
from corpuskit.tokens.index_part import IndexPart, spans
from corpuskit.tokens.result_cache import cached_by_owner

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

BORDER: Final = "¶"  # stands between two blocks
MOST_CHARACTERS: Final = 50  # a word that a side has at most: a text may be a single word
_SORT: Final = re.compile(r"([0-9])([LRM])?", re.IGNORECASE)
_BLANKS: Final = re.compile(r"\s+")
_AT_ONCE: Final = 50_000  # lines
_PIECES_AT_ONCE: Final = 20_000_000  # words and gaps of lines, 8 bytes each: fewer lines where windows are wide
MOST_WORDS: Final = 10_000  # of a window: some twenty pages; a line as long as a book is no context
_COMPARED: Final = 5  # words of a match by which lines are sorted
_LAST: Final = np.iinfo(np.int64).max

Sort = Sequence[tuple[int, str]]


def sort_places(sort: str | None) -> list[tuple[int, str]]:
    """The places of a sort expression: (1, "R") for ``"1R"``, (0, "") for ``"0"``.

    Raises:
        ConfigurationError: it cannot be read.
    """
    places = []
    for part in (sort or "").replace(",", " ").split():
        match = _SORT.fullmatch(part)
        if match is None or (match[1] == "0") == bool(match[2]):
            raise ConfigurationError(
                f"sort={sort!r} (--sort): expected places such as '1R' or '2L 1L', or '0' for the match"
            )
        places.append((int(match[1]), (match[2] or "").upper()))
    if sort is not None and not places:
        raise ConfigurationError("sort '': expected places such as '1R' or '2L 1L', or '0' for the match")
    return places


def order_of(matches: Matches, places: Sort) -> Numbers:
    """The matches in the order of the words at some places; a line without such a word comes behind those that have it."""
    keys: list[Numbers] = []
    for distance, side in places:
        keys += [_ranks(matches, number) for number in range(_COMPARED)] if not distance else []
        if distance:
            keys.append(_neighbours(matches, distance, side))
    return np.lexsort(keys[::-1]) if keys else np.arange(len(matches))


def _ranks(matches: Matches, distance: int) -> Numbers:
    """Where the nth word of each match stands in the order of words; a match that has ended comes first."""
    places = np.where(matches.start + distance < matches.end, matches.start + distance, -1)
    return np.where(places < 0, -1, _ranks_at(matches, places))


def _neighbours(matches: Matches, distance: int, side: str) -> Numbers:
    found = np.empty(len(matches), np.int64)
    for number, rows in _parts(matches):
        some = matches.take(rows)
        *_, (places, _, _) = _walk(some, number, distance, side)
        found[rows] = places
    return np.where(found < 0, _LAST, _ranks_at(matches, found))


def _ranks_at(matches: Matches, places: Numbers) -> Numbers:
    index = matches.selection.index
    found = np.zeros(len(places), np.int64)
    for number, rows in _parts(matches):
        of = index.parts[number].numbers("lower", np.maximum(places[rows], 0))
        found[rows] = index.numbered(number, "lower", of)  # a lexicon is in order
    return found


def _parts(matches: Matches) -> Iterator[tuple[int, Numbers]]:
    """The numbers of parts, and which matches are in each."""
    for number in np.unique(matches.part).tolist():
        yield number, np.flatnonzero(matches.part == number)


def _walk(matches: Matches, number: int, steps: int, side: str) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    """From matches of a part word by word to one side, over the borders of blocks, in the selection, in the document.

    Yields:
        The place of each match's word, -1 where there is none; its element; whether a border was crossed to it.
    """
    part = matches.selection.index.parts[number]
    starts = part.column("element_start").astype(np.int64)
    step = 1 if side == "R" else -1
    beside = _beside(matches.selection, number)[max(step, 0)]
    places = matches.end - 1 if step > 0 else matches.start
    elements = part.element_of(places)
    goes_on = np.ones(len(places), np.bool_)
    for _ in range(steps):
        places = places + step
        stays = (places >= starts[elements]) & (places < starts[elements + 1])
        others = beside[elements]
        crossed = goes_on & ~stays & (others >= 0)
        goes_on &= stays | crossed
        elements = np.where(crossed, others, elements)
        places = np.where(crossed, starts[elements] if step > 0 else starts[elements + 1] - 1, places)
        yield np.where(goes_on, places, -1), elements, crossed


@cached_by_owner
def _beside(selection: TokenSelection, number: int) -> tuple[Numbers, Numbers]:
    """Return of each element the one before and the one after it in the selection and its document; -1 for none."""
    part, chosen = selection.index.parts[number], selection.elements(number)
    every = np.arange(len(part.column("element_id")))
    there = every if chosen is None else np.flatnonzero(chosen)
    padded = np.concatenate([[-1], there, [-1]])
    document = part.document_of(every)

    def within(other: Numbers) -> Numbers:
        return np.where((other >= 0) & (document[other] == document), other, -1)

    before = padded[np.searchsorted(there, every, side="left")]
    after = padded[np.searchsorted(there, every, side="right") + 1]
    return within(before), within(after)


def near(matches: Matches, strings: Sequence[str], attribute: str, window: int) -> Numbers:
    """Which matches have one of some strings at most ``window`` words away, in the same element."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = [np.empty(0, np.int64)]
    for number, rows in _parts(matches):
        part, some = matches.selection.index.parts[number], matches.take(rows)
        known = pc.is_in(part.lexicon(attribute), value_set=pa.array(list(strings), pa.large_string()))
        places = part.positions(attribute, np.flatnonzero(known.to_numpy(zero_copy_only=False)))
        bounds = part.column("element_start").astype(np.int64)
        left = np.maximum(some.start - window, bounds[part.element_of(some.start)])
        right = np.minimum(some.end + window, bounds[part.element_of(some.end - 1) + 1])
        count = np.searchsorted(places, right) - np.searchsorted(places, left)
        count -= np.searchsorted(places, some.end) - np.searchsorted(places, some.start)
        found.append(rows[count > 0])
    return np.sort(np.concatenate(found))


def in_document(matches: Matches, doc_id: str) -> Numbers:
    """Which matches are in a document."""
    found = [np.empty(0, np.int64)]
    for number, rows in _parts(matches):
        part = matches.selection.index.parts[number]
        ids = part.documents.column("doc_id").to_pylist()
        of = part.document_of(part.element_of(matches.start[rows]))
        found.append(rows[[ids[row] == doc_id for row in of.tolist()]])
    return np.sort(np.concatenate(found))


def frame_of(folder: CorpusFolder, matches: Matches, window: int) -> pd.DataFrame:
    """The lines as a DataFrame, in the order of the matches.

    Columns: doc_id (str), element_id (int32), left, match, right, title, uri (str).
    """
    import pandas as pd
    import pyarrow as pa

    size = min(_AT_ONCE, _PIECES_AT_ONCE // (2 * window + 1))
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
    """The lines as an Arrow table with the columns of :func:`frame_of`."""
    import pyarrow as pa

    tables, rows = [_schema().empty_table()], [np.empty(0, np.int64)]
    for number, of_part in _parts(matches):
        some, part = matches.take(of_part), matches.selection.index.parts[number]
        elements = part.element_of(some.start)
        about = described(matches.selection.index, folder, number).take(pa.array(part.document_of(elements)))
        pieces = _Pieces(matches.selection.index, number)
        columns = [
            about["doc_id"].combine_chunks(),
            pa.array(part.column("element_id")[elements]),
            pieces.side(some, number, window, "L"),
            pieces.matches(some),
            pieces.side(some, number, window, "R"),
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
    """Puts texts together of words and of what stands between them, as :class:`_Strings` numbers them."""

    def __init__(self, index: TokenIndex, number: int) -> None:
        self._part = index.parts[number]
        self._strings = _strings_of(index, number)

    def matches(self, matches: Matches) -> pa.Array:
        """The text of each match, as it stands."""
        part, strings = self._part, self._strings
        sizes = matches.end - matches.start
        places = spans(matches.start, matches.end)
        numbers = np.empty(2 * len(places), np.int64)
        numbers[1::2] = part.column("word")[places]
        before = part.column("gap")[places].astype(np.int64) + strings.gap
        elements = part.element_of(places)
        firsts = np.flatnonzero(places == part.column("element_start")[elements])
        before[firsts] = self._border(elements[firsts] - 1, places[firsts])
        numbers[:-1:2] = before
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        numbers[2 * offsets[:-1]] = strings.empty  # what stands before a match
        return strings.joined(numbers, 2 * offsets)

    def side(self, matches: Matches, number: int, window: int, side: str) -> pa.Array:
        """The words on one side of each match, with their punctuation; ``¶`` where another block begins."""
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
        # Most windows lie in one element: they are read at once, the others word by word.
        inside = last + window < starts[at + 1] if side == "R" else last - window >= starts[at]
        rows = np.flatnonzero(inside)
        steps = np.arange(1, window + 1)
        places = last[rows, None] + (steps if side == "R" else -steps)
        later = places if side == "R" else places + 1
        numbers[rows, : 2 * window : 2] = gap[later].astype(np.int64) + strings.shown
        numbers[rows, 1 : 2 * window : 2] = word[places]
        last[rows] += window if side == "R" else -window
        others = np.flatnonzero(~inside)
        for step, (places, elements, crossed) in enumerate(_walk(matches.take(others), number, window, side)):
            there = np.flatnonzero(places >= 0)
            rows = others[there]
            # Between two words stands the gap of the one that comes later.
            later = places[there] if side == "R" else last[rows]
            between = gap[later].astype(np.int64) + strings.shown
            over = crossed[there]
            earlier = at[rows][over] if side == "R" else elements[there][over]
            between[over] = self._border(earlier, later[over])
            numbers[rows, 2 * step] = between
            numbers[rows, 2 * step + 1] = word[places[there]]
            last[rows], at[rows] = places[there], elements[there]
        if side == "R":
            ends = last + 1 == starts[at + 1]
            following = np.where(ends, tail[at], gap[np.minimum(last + 1, len(part) - 1)]).astype(np.int64)
            numbers[:, -1] = following + strings.closing
        else:
            numbers[:, -1] = gap[last].astype(np.int64) + strings.opening
            numbers = numbers[:, ::-1]
        size = 2 * window + 1
        text = pc.utf8_trim_whitespace(strings.joined(numbers.ravel(), np.arange(0, numbers.size + 1, size)))
        most = MOST_CHARACTERS * window
        if pc.max(pc.binary_length(text)).as_py() <= most:  # no character is shorter than a byte
            return text
        return pc.utf8_slice_codeunits(text, 0, most) if side == "R" else pc.utf8_slice_codeunits(text, -most)

    def _border(self, elements: Numbers, places: Numbers) -> Numbers:
        """The string between the last word of an element and the first of another."""
        tails, gaps = self._part.column("tail")[elements], self._part.column("gap")[places]
        kinds, of = np.unique(tails.astype(np.int64) << 32 | gaps, return_inverse=True)
        return self._strings.borders(kinds)[of]


class _Strings:
    """The strings of a part by number: words, gaps as they stand, gaps with one blank for many, what of a gap belongs to the
    word before it, and to the word behind it, the empty string. Behind them come the borders of blocks, as they are met.

    Attributes:
        gap: number of the first gap as it stands.
        shown: of the first with one blank for many.
        closing: of the first for the word before it.
        opening: of the first for the word behind it.
        empty: of the empty string.
    """

    def __init__(self, part: IndexPart) -> None:
        import pyarrow as pa

        self._gaps = gaps = [_BLANKS.sub(" ", gap) for gap in part.lexicon("gap").to_pylist()]
        closing = [gap.split(" ", 1)[0] for gap in gaps]
        opening = [gap.rsplit(" ", 1)[-1] for gap in gaps]
        words, made = part.lexicon("word"), pa.array([*gaps, *closing, *opening, ""], pa.large_string())
        self.gap, self.shown, self.closing, self.opening = (len(words) + n * len(gaps) for n in range(4))
        self.empty = len(words) + 4 * len(gaps)
        self._strings = pa.concat_arrays([words, part.lexicon("gap"), made])
        self._borders: dict[int, int] = {}  # tail and gap → number
        self._lock = threading.Lock()  # several threads may ask one index

    def borders(self, kinds: Numbers) -> Numbers:
        """The numbers of what stands between blocks, for pairs of what ends one (the upper half) and what begins the other."""
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
        """Strings one behind the other: those from each offset to the next make one."""
        import pyarrow as pa

        # What is taken lies one behind the other in memory: it needs no more than other borders.
        _, starts, content = self._strings.take(pa.array(numbers)).buffers()
        ends = np.frombuffer(starts, np.int64, len(numbers) + 1)[offsets]
        return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(ends), content)
