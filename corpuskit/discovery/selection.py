"""Selection of scored pages: each page once, the best per host, the best overall."""

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
class SelectionCriteria:
    """Criteria for the selection of scored pages.

    Attributes:
        threshold: Minimum score.
        per_host: Maximum number of pages per host, the best first; None: all.
        budget_pages: Maximum number of pages, the best first; None: all. All are then held in memory.
        budget_bytes: Maximum total size of the records, the best pages first; None: all.

    Raises:
        ConfigurationError: A number is out of range.
    """

    threshold: float = THRESHOLD
    per_host: int | None = None
    budget_pages: int | None = BUDGET_PAGES
    budget_bytes: int | None = None

    def __post_init__(self) -> None:
        check_number("threshold", self.threshold, lambda value: 0.0 <= value <= 1.0, "a score from 0 to 1")
        for name in ("per_host", "budget_pages", "budget_bytes"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_count(getattr(self, name), name, minimum=1))


def check_number(name: str, value: object, fits: Callable[[float], bool], expected: str) -> None:
    """Check that a value is a number in the valid range.

    Raises:
        ConfigurationError: It is not; the message contains ``expected``.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not fits(float(value)):
        raise ConfigurationError(f"{name}={value!r:.80}: expected {expected}")


def scored_schema() -> pa.Schema:
    """Return the schema of scored locations: the columns of the index, crawl and score."""
    import pyarrow as pa

    return place_schema().append(pa.field("crawl", pa.string())).append(pa.field("score", pa.float32()))


def select_pages(
    locations: pa.Table, criteria: SelectionCriteria, *, final: bool = False, removed: Counter[str] | None = None
) -> pa.Table:
    """Return the selected locations, the best first. Ties are ordered by time, the latest first, then by location.

    A URL is selected once, with its latest capture. Of pages with equal digests the best URL is selected. Selecting
    from parts and then from the combined results equals a selection from the whole, except for pages excluded as
    duplicates of a page that a later step removes.

    Args:
        locations: Locations with the columns of :func:`scored_schema`.
        criteria: The criteria.
        final: Apply ``budget_bytes``. Before the final selection it is not applied, since duplicates may still be
            removed.
        removed: Counter of pages with a sufficient score that are removed, by criterion.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    table = locations.filter(pc.greater_equal(locations["score"], criteria.threshold))
    keys = [("score", "descending"), ("fetch_time", "descending"), ("url", "ascending")]
    keys += [("warc_filename", "ascending"), ("warc_record_offset", "ascending")]
    table = table.take(pc.sort_indices(table, sort_keys=keys))
    # A revisit record contains no page, so the record with the same digest comes first.
    is_revisit = pc.equal(pc.fill_null(table["content_mime_detected"], ""), "warc/revisit").to_numpy()
    order = np.argsort(is_revisit, kind="stable")
    digests = pc.coalesce(table["content_digest"], table["url"])
    counts = Counter[str]() if removed is None else removed

    def keep(name: str, mask: np.ndarray[Any, Any]) -> None:
        nonlocal order
        counts[name] += len(order) - int(mask.sum())
        order = order[mask]

    keep("equal URL", _ranks(table["url"].take(pa.array(order))) == 0)
    keep("equal digest", _ranks(digests.take(pa.array(order))) == 0)
    order.sort()
    if criteria.per_host is not None:
        keep("per_host", _ranks(table["url_host_name"].take(pa.array(order))) < criteria.per_host)
    if criteria.budget_pages is not None:
        keep("budget_pages", np.arange(len(order)) < criteria.budget_pages)
    if final and criteria.budget_bytes is not None:
        sizes = pc.fill_null(table["warc_record_length"].take(pa.array(order)), 0).to_numpy()
        keep("budget_bytes", np.cumsum(sizes, dtype=np.int64) <= criteria.budget_bytes)
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
