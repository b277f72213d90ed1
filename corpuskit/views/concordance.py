"""Concordance: key words in context."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import element_tables
from corpuskit.text import WORD
from corpuskit.text.tokens import WORD_BACKWARDS
from corpuskit.views.patterns import compiled_pattern, ignoring_case, matches_in, wider

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS: Final = {"doc_id": "str", "element_id": "int32", "left": "str", "match": "str", "right": "str"}
_SORT: Final = re.compile(r"([0-9])([LRM])?", re.IGNORECASE)
_SLICE: Final = 2_000  # elements whose texts become strings at once, so that the first lines come early
_WORD_LENGTH: Final = 50  # characters a word that a side has at most: a text may be a single word
_SHOWN: Final = 40
_SIDE: Final = 45

Line = tuple[str, int, str, str, str]


def kwic(
    folder: CorpusFolder,
    pattern: str,
    *,
    window: int = 8,
    sort: str | None = None,
    doc_ids: Sequence[str] | None = None,
    limit: int | None = None,
) -> pd.DataFrame:
    """Each place where a pattern stands, with the words around it.

    Args:
        folder: the corpus.
        pattern: a regular expression, case-insensitive, matched within one element, in the syntax of the package ``regex``:
            Python's, with ``\\p{Greek}`` and the like.
        window: words on each side, in at most 50 characters for each.
        sort: by the nth word to the left or right, as ``"1R"``, or by several, as ``"1R 2R 1L"``; ``"0"`` is the match itself;
            None: in reading order.
        doc_ids: only in these documents.
        limit: only the first so many in reading order, found without reading the rest.

    Returns:
        Columns doc_id, left, match, right (str), element_id (int32).

    Raises:
        ConfigurationError: the pattern or ``sort`` cannot be read, or the pattern takes too long.
    """
    places = _places_of(sort)
    rows: list[Line] = []
    for line in lines(folder, pattern, window=window, doc_ids=doc_ids):
        if limit is not None and len(rows) >= limit:
            break
        rows.append(line)
    return frame_of(sorted_lines(rows, places) if places else rows)


def lines(
    folder: CorpusFolder, pattern: str, *, window: int = 8, doc_ids: Sequence[str] | None = None
) -> Iterator[Line]:
    """The lines (doc_id, element_id, left, match, right) in reading order, as they are found.

    Raises:
        ConfigurationError: the pattern cannot be read, or takes too long.
    """
    import polars as pl
    import pyarrow as pa

    compiled = compiled_pattern(pattern)
    where, wide = pl.col("text").is_not_null(), wider(pattern)
    if wide is not None:  # finds the texts that may match without making Python strings of all
        where = pl.col("text").str.contains(ignoring_case(wide))
    before, after = _contexts(window)
    most = _WORD_LENGTH * window
    for table in element_tables(folder, doc_ids, columns=["doc_id", "element_id", "text"], where=where):
        for start in range(0, len(table), _SLICE):
            part = table.slice(start, _SLICE)
            ids = part.column("doc_id").cast(pa.string()).to_pylist()
            texts = part.column("text").to_pylist()
            for doc_id, element_id, text in zip(ids, part.column("element_id").to_pylist(), texts, strict=True):
                backwards, size = "", len(text)
                for match in matches_in(text, compiled):
                    first, last = match.span()
                    if first < last:
                        backwards = backwards or text[::-1]
                        left = text[size - _reach(before, backwards, size - first, most) : first]
                        right = text[last : _reach(after, text, last, most)]
                        yield doc_id, element_id, " ".join(left.split()), match[0], " ".join(right.split())


@cache
def _contexts(window: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Up to so many words: before a place, in the text read backwards, and after it."""
    return re.compile(rf"(?:\W*{WORD_BACKWARDS}){{0,{window}}}"), re.compile(rf"(?:\W*{WORD.pattern}){{0,{window}}}")


def _reach(words: re.Pattern[str], text: str, place: int, most: int) -> int:
    """Where the words from a place on end."""
    found = words.match(text, place, place + most)
    return found.end() if found else place


def frame_of(rows: Sequence[Line]) -> pd.DataFrame:
    """The lines as a DataFrame."""
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(_COLUMNS)).astype(_COLUMNS)


def _places_of(sort: str | None) -> list[tuple[int, str]]:
    places = []
    for part in (sort or "").replace(",", " ").split():
        match = _SORT.fullmatch(part)
        if match is None or (match[1] == "0") == bool(match[2]):
            raise ConfigurationError(f"sort {sort!r}: expected places such as '1R' or '2L 1L', or '0' for the match")
        places.append((int(match[1]), (match[2] or "").upper()))
    if sort is not None and not places:
        raise ConfigurationError("sort '': expected places such as '1R' or '2L 1L', or '0' for the match")
    return places


def sorted_lines(rows: Sequence[Line], places: Sequence[tuple[int, str]] | str) -> list[Line]:
    """The lines by the words at some places (a sort expression); lines without such a word come first."""
    wanted = _places_of(places) if isinstance(places, str) else places

    def key(line: Line) -> list[str]:
        words = {"L": WORD.findall(line[2].casefold())[::-1], "R": WORD.findall(line[4].casefold())}
        return [
            line[3].casefold() if place == 0 else words[side][place - 1] if len(words[side]) >= place else ""
            for place, side in wanted
        ]

    return sorted(rows, key=key)


@dataclass(frozen=True, slots=True, repr=False)
class Concordance:
    """Lines of key words in context: ``.frame`` for pandas, ``.view()`` for the widget.

    Attributes:
        pattern: what was looked for.
        frame: the lines, as :func:`kwic` gives them.
    """

    pattern: str
    frame: pd.DataFrame
    _viewer: Callable[[], Any] = field(repr=False)

    def view(self) -> Any:
        """The widget: aligned lines, sorting, and the document of a line as a tree."""
        return self._viewer()

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        """The first lines, the matches below each other."""
        head = f"{len(self.frame):,} lines of {self.pattern!r}"
        width = max((len(match) for match in self.frame["match"].head(_SHOWN)), default=0)
        rows = [
            f"{left[-_SIDE:]:>{_SIDE}}  {match:<{width}}  {right[:_SIDE]}"
            for left, match, right in self.frame[["left", "match", "right"]].head(_SHOWN).itertuples(index=False)
        ]
        more = len(self.frame) - len(rows)
        return "\n".join(
            [head, *rows, *([f"... and {more:,} more: .frame has all, .view() shows them"] if more else [])]
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"
