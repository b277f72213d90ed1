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
    from corpuskit.interruptible import polars as pl

    frame: Any = pl.from_arrow(places)
    frame = frame.filter(pl.col("score") >= choice.threshold)
    order = ["score", "fetch_time", "url", "warc_filename", "warc_record_offset"]
    frame = frame.sort(order, descending=[True, True, False, False, False], nulls_last=True, maintain_order=True)
    # A revisit record has no page of its own: its twin has.
    is_again = pl.col("content_mime_detected").fill_null("") == "warc/revisit"
    frame = pl.concat([frame.filter(~is_again), frame.filter(is_again)])
    gone = Counter[str]() if cut is None else cut

    def count(name: str, before: int) -> None:
        gone[name] += before - len(frame)

    size = len(frame)
    frame = frame.unique("url", keep="first", maintain_order=True)
    count("equal URL", size)
    size = len(frame)
    digest = pl.col("content_digest").fill_null(pl.col("url"))
    frame = frame.unique(digest, keep="first", maintain_order=True)
    count("equal digest", size)
    frame = frame.sort(order, descending=[True, True, False, False, False], nulls_last=True, maintain_order=True)
    size = len(frame)
    if choice.per_host is not None:
        frame = frame.filter(pl.int_range(pl.len()).over("url_host_name") < choice.per_host)
    count("per_host", size)
    size = len(frame)
    if choice.budget_pages is not None:
        frame = frame.head(choice.budget_pages)
    count("budget_pages", size)
    size = len(frame)
    if final and choice.budget_bytes is not None:
        frame = frame.filter(pl.col("warc_record_length").cum_sum() <= choice.budget_bytes)
    count("budget_bytes", size)
    return frame.to_arrow().select(scored_schema().names).cast(scored_schema())
