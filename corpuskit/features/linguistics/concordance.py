"""Concordance: key words in context."""

from __future__ import annotations

import html
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics import lines, running_text
from corpuskit.features.linguistics.scope import described, noted, told
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.tokens import Matches, TokenSelection, find, parse_query
from corpuskit.validation import check_count

if TYPE_CHECKING:
    import pandas as pd

_SHOWN: Final = 40
_SIDE: Final = 45


def kwic(  # noqa: PLR0913 (all are named)
    folder: CorpusFolder,
    selection: TokenSelection,
    query: str,
    *,
    window: int = 8,
    sort: str | None = None,
    limit: int | None = None,
    syntax: str | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Each place where a query matches, with the words around it.

    The words around a match go over the borders of blocks, which ``¶`` marks, but not out of the selection and not into
    another document. Texts stand as they are, runs of blanks as one.

    Args:
        folder: the corpus.
        selection: where to look.
        query: as :func:`corpuskit.tokens.parse_query` reads it.
        window: words on each side, at most 10,000, in at most 50 characters for each.
        sort: by the nth word to the left or right, as ``"1R"``, or by several, as ``"1R 2R 1L"``; ``"0"`` is the match itself;
            lines without such a word come last. None: in reading order.
        limit: only the first so many in reading order, found without looking for the rest.
        syntax: cql, simple, wildcards; or text: the query is one regular expression for the running text of a block, across
            words and punctuation.
        sample: at most so many of the lines, drawn at random; each has the same chance.
        seed: same lines and seed, same sample.

    Returns:
        Columns doc_id, left, match, right, title, uri (str), element_id (int32). ``attrs["copies_left_out"]`` says how many
        exact copies were left out, with ``sample`` ``attrs["sample_of"]`` from how many lines it was drawn, and where the query
        may have been meant otherwise ``attrs["hint"]`` how.

    Raises:
        ConfigurationError: the query or ``sort`` cannot be read, a number is out of range, or a pattern takes too long.
    """
    places = lines.sort_places(sort)
    found = found_lines(folder, selection, query, window=window, limit=limit, syntax=syntax)
    of = len(found)
    found = found if sample is None else found.thinned(sample, seed)
    frame = noted((found.sorted(places) if places else found).frame(0, len(found)), selection)
    if syntax != "text" and (hint := parse_query(query, syntax).hint):
        frame.attrs["hint"] = hint
    if sample is not None:
        frame.attrs["sample_of"] = of
    return frame


class FoundLines(Protocol):
    """Lines that were found; they are made when they are looked at."""

    def __len__(self) -> int: ...

    @property
    def documents(self) -> int:
        """How many documents have a line."""

    def sorted(self, places: lines.Sort) -> FoundLines:
        """The lines in the order of some words; see :func:`corpuskit.features.linguistics.lines.sort_places`."""

    def thinned(self, n: int, seed: int) -> FoundLines:
        """At most ``n`` of the lines, drawn at random, in the order in which they are."""

    def near(self, word: str, attribute: str, window: int) -> FoundLines:
        """The lines with a word, or another value of an attribute, at most ``window`` words from the match.

        Raises:
            ConfigurationError: the lines are those of the running text, which has no words.
        """

    def in_document(self, doc_id: str) -> FoundLines:
        """The lines of a document."""

    def frame(self, start: int, end: int) -> pd.DataFrame:
        """Some of the lines, with the columns of ``kwic``."""


def found_lines(
    folder: CorpusFolder,
    selection: TokenSelection,
    query: str,
    *,
    window: int = 8,
    limit: int | None = None,
    syntax: str | None = None,
) -> FoundLines:
    """The lines of a query; see ``kwic``."""
    window = check_count(window, "window")
    if window > lines.MOST_WORDS:
        raise ConfigurationError(
            f"window={window} (--window): expected at most {lines.MOST_WORDS:,} words on each side; corpus[doc_id] is the whole document"
        )
    limit = None if limit is None else check_count(limit, "limit", minimum=1)
    if syntax == "text":
        if not query.strip():
            raise ConfigurationError("the query is empty: expected what to look for in the running text")
        rows = itertools.islice(running_text.lines(folder, query, selection, window=window), limit)
        return _TextLines(folder, selection, list(rows))
    return _IndexLines(folder, find(selection, parse_query(query, syntax), limit), window)


def drawn(size: int, n: int, seed: int) -> list[int]:
    """At most ``n`` of the numbers below ``size``, drawn at random, in order.

    Raises:
        ConfigurationError: ``n`` is no whole number, or less than 1.
    """
    n = check_count(n, "sample", minimum=1)
    return sorted(random.Random(seed).sample(range(size), min(n, size)))


@dataclass(frozen=True, slots=True)
class _IndexLines:
    _folder: CorpusFolder
    _matches: Matches
    _window: int

    def __len__(self) -> int:
        return len(self._matches)

    @property
    def documents(self) -> int:
        count = 0
        for number, part in enumerate(self._matches.selection.index.parts):
            starts = self._matches.start[self._matches.part == number]
            count += len(np.unique(part.document_of(part.element_of(starts))))
        return count

    def sorted(self, places: lines.Sort) -> FoundLines:
        order = lines.order_of(self._matches, places)
        return _IndexLines(self._folder, self._matches.take(order), self._window)

    def thinned(self, n: int, seed: int) -> FoundLines:
        return self._some(np.array(drawn(len(self), n, seed), np.int64))

    def near(self, word: str, attribute: str, window: int) -> FoundLines:
        return self._some(lines.near(self._matches, [word], attribute, window))

    def in_document(self, doc_id: str) -> FoundLines:
        return self._some(lines.in_document(self._matches, doc_id))

    def _some(self, rows: Any) -> FoundLines:
        return _IndexLines(self._folder, self._matches.take(rows), self._window)

    def frame(self, start: int, end: int) -> pd.DataFrame:
        return lines.frame_of(self._folder, self._matches.take(slice(start, end)), self._window)


@dataclass(frozen=True, slots=True)
class _TextLines:
    _folder: CorpusFolder
    _selection: TokenSelection
    _rows: list[running_text.Line]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def documents(self) -> int:
        return len({doc_id for doc_id, *_ in self._rows})

    def sorted(self, places: lines.Sort) -> FoundLines:
        return _TextLines(self._folder, self._selection, running_text.sorted_lines(self._rows, places))

    def thinned(self, n: int, seed: int) -> FoundLines:
        return self._some([self._rows[row] for row in drawn(len(self), n, seed)])

    def near(self, word: str, attribute: str, window: int) -> FoundLines:
        raise ConfigurationError("syntax='text' looks in the running text, where no word is near a match")

    def in_document(self, doc_id: str) -> FoundLines:
        return self._some([row for row in self._rows if row[0] == doc_id])

    def _some(self, rows: list[running_text.Line]) -> FoundLines:
        return _TextLines(self._folder, self._selection, rows)

    def frame(self, start: int, end: int) -> pd.DataFrame:
        import pandas as pd

        rows = self._rows[start:end]
        wanted = {doc_id for doc_id, *_ in rows}
        about: dict[str, tuple[str | None, str]] = {}
        for number in range(len(self._selection.index.parts)):
            table = described(self._selection.index, self._folder, number).to_pydict()
            found = zip(table["doc_id"], table["title"], table["uri"], strict=True)
            about |= {doc_id: (title, uri) for doc_id, title, uri in found if doc_id in wanted}
        names = ("doc_id", "element_id", "left", "match", "right", "title", "uri")
        frame = pd.DataFrame([(*row, *about[row[0]]) for row in rows], columns=list(names))
        return frame.astype({name: "int32" if name == "element_id" else "str" for name in names})


@dataclass(frozen=True, slots=True, repr=False)
class Concordance:
    """Lines of key words in context: ``.frame`` for pandas, ``.view()`` for the widget.

    Attributes:
        pattern: what was looked for.
        frame: the lines, as ``kwic`` gives them.
        note: what was left out; empty for nothing.
    """

    pattern: str
    frame: pd.DataFrame
    _viewer: Callable[[], Any] = field(repr=False)
    note: str = ""

    def view(self) -> Any:
        """Return the widget: aligned lines, sorting, and the document of a line as a tree."""
        return self._viewer()

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        """The first lines, the matches below each other."""
        head = f"{pluralize(len(self.frame), 'line')} of {self.pattern!r}" + (f"; {self.note}" if self.note else "")
        width = max((len(match) for match in self.frame["match"].head(_SHOWN)), default=0)
        rows = [
            f"{left[-_SIDE:]:>{_SIDE}}  {match:<{width}}  {right[:_SIDE]}"
            for left, match, right in self.frame[["left", "match", "right"]].head(_SHOWN).itertuples(index=False)
        ]
        more = len(self.frame) - len(rows)
        return "\n".join(
            [
                head,
                *rows,
                *([f"... and {pluralize(more, 'more line')}: .frame has all, .view() shows them"] if more else []),
            ]
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def concordance(  # noqa: PLR0913 (all are named)
    folder: CorpusFolder,
    selection: TokenSelection,
    query: str,
    viewer: Callable[[], Any],
    *,
    window: int = 8,
    sort: str | None = None,
    syntax: str | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> Concordance:
    """The lines of a query and their widget; see ``kwic``."""
    frame = kwic(folder, selection, query, window=window, sort=sort, syntax=syntax, sample=sample, seed=seed)
    thinned = sample_told(frame.attrs.get("sample_of", 0), sample, seed)
    return Concordance(
        query, frame, viewer, "; ".join(filter(None, [thinned, told(selection), frame.attrs.get("hint")]))
    )


def sample_told(of: int, sample: int | None, seed: int) -> str:
    """From how many lines a sample was drawn, in words."""
    return f"{sample:,} of {of:,} at random, seed {seed}" if sample is not None and of > sample else ""
