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
from corpuskit.features.linguistics.scope import document_table, duplicates_note, with_provenance
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
    """Return key words in context; see ``corpus.text.kwic()``.

    A side has at most 50 characters per word. Lines without a word at a position of ``sort`` come last. If the query may have
    been intended differently, ``attrs["hint"]`` describes how.
    """
    keys = lines.parse_sort(sort)
    kwic_lines = find_lines(folder, selection, query, window=window, limit=limit, syntax=syntax)
    total = len(kwic_lines)
    kwic_lines = kwic_lines if sample is None else kwic_lines.sampled(sample, seed)
    frame = with_provenance((kwic_lines.sorted(keys) if keys else kwic_lines).frame(0, len(kwic_lines)), selection)
    if syntax != "text" and (hint := parse_query(query, syntax).hint):
        frame.attrs["hint"] = hint
    if sample is not None:
        frame.attrs["sample_of"] = total
    return frame


class KwicLines(Protocol):
    """Lines of a concordance. Their texts are created on access."""

    def __len__(self) -> int: ...

    @property
    def documents(self) -> int:
        """Number of documents with at least one line."""

    def sorted(self, keys: lines.SortKeys) -> KwicLines:
        """Return the lines sorted by words of the match or its context; see :func:`corpuskit.features.linguistics.lines.parse_sort`."""

    def sampled(self, n: int, seed: int) -> KwicLines:
        """Return at most ``n`` lines drawn at random, in their present order."""

    def with_word_nearby(self, word: str, attribute: str, window: int) -> KwicLines:
        """Return the lines with a value of an attribute, such as a word, at most ``window`` words from the match.

        Raises:
            ConfigurationError: The lines come from a search of the running text, which has no tokens.
        """

    def in_document(self, doc_id: str) -> KwicLines:
        """Return the lines of a document."""

    def frame(self, start: int, end: int) -> pd.DataFrame:
        """Return the lines from ``start`` up to ``end`` with the columns of ``kwic``."""


def find_lines(
    folder: CorpusFolder,
    selection: TokenSelection,
    query: str,
    *,
    window: int = 8,
    limit: int | None = None,
    syntax: str | None = None,
) -> KwicLines:
    """Return the lines of a query in reading order; see ``kwic``."""
    window = check_count(window, "window")
    if window > lines.MAX_WINDOW:
        raise ConfigurationError(
            f"window={window} (--window): expected at most {lines.MAX_WINDOW:,} words on each side; corpus[doc_id] is the whole document"
        )
    limit = None if limit is None else check_count(limit, "limit", minimum=1)
    if syntax == "text":
        if not query.strip():
            raise ConfigurationError("the query is empty: expected a regular expression for the running text")
        rows = itertools.islice(running_text.lines(folder, query, selection, window=window), limit)
        return _TextLines(folder, selection, list(rows))
    return _IndexLines(folder, find(selection, parse_query(query, syntax), limit), window)


def draw_rows(size: int, n: int, seed: int) -> list[int]:
    """Return at most ``n`` row numbers below ``size``, drawn at random, in ascending order.

    Raises:
        ConfigurationError: ``n`` is not a whole number of at least 1.
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

    def sorted(self, keys: lines.SortKeys) -> KwicLines:
        order = lines.sort_order(self._matches, keys)
        return _IndexLines(self._folder, self._matches.take(order), self._window)

    def sampled(self, n: int, seed: int) -> KwicLines:
        return self._subset(np.array(draw_rows(len(self), n, seed), np.int64))

    def with_word_nearby(self, word: str, attribute: str, window: int) -> KwicLines:
        return self._subset(lines.rows_near(self._matches, [word], attribute, window))

    def in_document(self, doc_id: str) -> KwicLines:
        return self._subset(lines.rows_in_document(self._matches, doc_id))

    def _subset(self, rows: Any) -> KwicLines:
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

    def sorted(self, keys: lines.SortKeys) -> KwicLines:
        return _TextLines(self._folder, self._selection, running_text.sorted_lines(self._rows, keys))

    def sampled(self, n: int, seed: int) -> KwicLines:
        return self._subset([self._rows[row] for row in draw_rows(len(self), n, seed)])

    def with_word_nearby(self, word: str, attribute: str, window: int) -> KwicLines:
        raise ConfigurationError(
            "syntax='text' searches the running text, which has no tokens: choose another syntax to filter lines by a word"
        )

    def in_document(self, doc_id: str) -> KwicLines:
        return self._subset([row for row in self._rows if row[0] == doc_id])

    def _subset(self, rows: list[running_text.Line]) -> KwicLines:
        return _TextLines(self._folder, self._selection, rows)

    def frame(self, start: int, end: int) -> pd.DataFrame:
        import pandas as pd

        rows = self._rows[start:end]
        doc_ids = {doc_id for doc_id, *_ in rows}
        about: dict[str, tuple[str | None, str]] = {}
        for number in range(len(self._selection.index.parts)):
            table = document_table(self._selection.index, self._folder, number).to_pydict()
            entries = zip(table["doc_id"], table["title"], table["uri"], strict=True)
            about |= {doc_id: (title, uri) for doc_id, title, uri in entries if doc_id in doc_ids}
        names = ("doc_id", "element_id", "left", "match", "right", "title", "uri")
        frame = pd.DataFrame([(*row, *about[row[0]]) for row in rows], columns=list(names))
        return frame.astype({name: "int32" if name == "element_id" else "str" for name in names})


@dataclass(frozen=True, slots=True, repr=False)
class Concordance:
    """Lines of key words in context: ``.frame`` for pandas, ``.view()`` for the widget.

    Attributes:
        pattern: The query.
        frame: The lines as returned by ``kwic``.
        note: Note on omitted duplicates and sampling, empty by default.
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
        """Return the first lines as text with the matches aligned."""
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
    """Return the lines of a query and a factory of their widget; see ``kwic``."""
    frame = kwic(folder, selection, query, window=window, sort=sort, syntax=syntax, sample=sample, seed=seed)
    sampled = sample_note(frame.attrs.get("sample_of", 0), sample, seed)
    return Concordance(
        query, frame, viewer, "; ".join(filter(None, [sampled, duplicates_note(selection), frame.attrs.get("hint")]))
    )


def sample_note(of: int, sample: int | None, seed: int) -> str:
    """Describe the sample and the number of lines it was drawn from."""
    return f"{sample:,} of {of:,} at random, seed {seed}" if sample is not None and of > sample else ""
