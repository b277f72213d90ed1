"""Which scored pages are taken: each once, the best of each host, the best of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import ConfigurationError
from corpuskit.sources.commoncrawl import place_schema
from corpuskit.validation import check_count

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

THRESHOLD: Final = 0.5
BUDGET_PAGES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Choice:
    """What is taken of scored pages.

    Attributes:
        threshold: pages scored lower are left out.
        per_host: at most so many of one host, the best; None: all.
        budget_pages: at most so many, the best; None: all, which are held in memory.
        budget_bytes: the best as long as their records have at most so many bytes together; None: all.

    Raises:
        ConfigurationError: a number that cannot be.
    """

    threshold: float = THRESHOLD
    per_host: int | None = None
    budget_pages: int | None = BUDGET_PAGES
    budget_bytes: int | None = None

    def __post_init__(self) -> None:
        check_number("threshold", self.threshold, lambda value: 0.0 <= value <= 1.0, "a score from 0 to 1")
        for name in ("per_host", "budget_pages", "budget_bytes"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_count(getattr(self, name), name, least=1))


def check_number(name: str, value: object, fits: Callable[[float], bool], expected: str) -> None:
    """Refuse what is no number, or none that can be.

    Raises:
        ConfigurationError: Says what was expected.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not fits(float(value)):
        raise ConfigurationError(f"{name}={value!r:.80}: expected {expected}")


def scored_schema() -> pa.Schema:
    """The columns of a scored place: those of the index, crawl and score."""
    import pyarrow as pa

    return place_schema().append(pa.field("crawl", pa.string())).append(pa.field("score", pa.float32()))


def choose(places: pa.Table, choice: Choice, *, final: bool = False, cut: Counter[str] | None = None) -> pa.Table:
    """Return the chosen ones of scored places, the best first; equal ones by time, the last first, then by place.

    A URL is taken once, by its last capture; of equal digests the best URL is taken. What is chosen of several parts and
    then of all that was chosen is what is chosen of the whole, but for pages whose twin was left out on the way.

    Args:
        places: with columns of :func:`scored_schema`.
        choice: what is taken.
        final: budgets hold for these; before, the budget of bytes does not cut, since twins may go yet.
        cut: counts the places that go though they score enough, by what takes them out.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    table = places.filter(pc.greater_equal(places["score"], choice.threshold))
    keys = [("score", "descending"), ("fetch_time", "descending"), ("url", "ascending")]
    keys += [("warc_filename", "ascending"), ("warc_record_offset", "ascending")]
    table = table.take(pc.sort_indices(table, sort_keys=keys))
    # A revisit record has no page of its own: its twin comes first.
    is_revisit = pc.equal(pc.fill_null(table["content_mime_detected"], ""), "warc/revisit").to_numpy()
    order = np.argsort(is_revisit, kind="stable")
    digests = pc.coalesce(table["content_digest"], table["url"])
    gone = Counter[str]() if cut is None else cut

    def keep(name: str, wanted: np.ndarray[Any, Any]) -> None:
        nonlocal order
        gone[name] += len(order) - int(wanted.sum())
        order = order[wanted]

    keep("equal URL", _ranks(table["url"].take(pa.array(order))) == 0)
    keep("equal digest", _ranks(digests.take(pa.array(order))) == 0)
    order.sort()
    if choice.per_host is not None:
        keep("per_host", _ranks(table["url_host_name"].take(pa.array(order))) < choice.per_host)
    if choice.budget_pages is not None:
        keep("budget_pages", np.arange(len(order)) < choice.budget_pages)
    if final and choice.budget_bytes is not None:
        sizes = pc.fill_null(table["warc_record_length"].take(pa.array(order)), 0).to_numpy()
        keep("budget_bytes", np.cumsum(sizes, dtype=np.int64) <= choice.budget_bytes)
    return table.take(pa.array(order)).select(scored_schema().names).cast(scored_schema())


def _ranks(column: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """Return, per value, the number of equal values before it."""
    import numpy as np

    codes = column.combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    ranks = np.empty(len(codes), np.int64)
    ranks[order] = np.arange(len(codes)) - np.repeat(starts, np.diff(starts, append=len(codes)))
    return ranks
