"""Comparison of crawls by the share of relevant pages over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import ConfigurationError
from corpuskit.labels import corpus_labels
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_SIDES: Final = frozenset({"relevant", "other"})


@dataclass(frozen=True, slots=True, repr=False)
class CrawlComparison:
    """Crawls of a corpus, evaluated with the labels and the last model.

    Attributes:
        table: One row per crawl: crawl (int64), started (datetime64, UTC), pages, relevant, hosts (int64), harvest_rate
            (float64, relevant / pages), first_half, second_half (float64: the same of each half).
        pages: One row per page in the order of fetching: crawl, page (int64, from 1), url (str), relevant (bool).
    """

    table: pd.DataFrame
    pages: pd.DataFrame

    def chart(self, *, ax: Axes | None = None) -> Axes:
        """Draw relevant pages over pages fetched, a line a crawl."""
        from corpuskit.views import charts

        return charts.harvest_of_crawls(self.pages, ax=ax)

    def __repr__(self) -> str:
        shown = self.table.assign(started=self.table["started"].dt.strftime("%Y-%m-%d %H:%M"))
        return shown.to_string(index=False, float_format=lambda value: f"{value:.3f}")

    def _repr_html_(self) -> str:
        return str(self.table.style.format(precision=3).hide(axis="index").to_html())


def compare_crawls(folder: CorpusFolder, *crawls: Any) -> CrawlComparison:
    """Compare crawls by harvest rate.

    A page is relevant if it is labelled so or, without a label, if the last model scores it at least 0.5.

    Args:
        folder: The corpus.
        crawls: Crawl jobs or their numbers. None: all that fetched a page.

    Raises:
        ConfigurationError: A crawl does not exist, or has no pages in the corpus.
    """
    import pandas as pd

    try:
        requested = [int(getattr(crawl, "id", crawl)) for crawl in crawls]
    except (TypeError, ValueError):
        raise ConfigurationError(f"crawls: found {crawls!r}, expected crawl jobs or their numbers") from None
    pages = folder.catalog.frame(
        "SELECT r.job AS crawl, r.url, d.doc_id, d.host, j.started, coalesce(s.relevance >= 0.5, 0) AS relevant "
        "FROM (SELECT job, url, min(id) AS id FROM requests WHERE job IS NOT NULL GROUP BY job, url) r "
        "JOIN current d ON d.uri = r.url JOIN jobs j ON j.id = r.job LEFT JOIN scores s ON s.doc_id = d.doc_id "
        "ORDER BY r.job, r.id"
    )
    crawl_ids = [int(job) for job in pages["crawl"].unique()]
    if unknown := [job for job in requested if job not in crawl_ids]:
        available = ", ".join(map(str, crawl_ids)) or "none"
        raise ConfigurationError(f"found no pages of crawl {unknown[0]} in the corpus, expected one of: {available}")
    pages = pages[pages["crawl"].isin(requested)] if requested else pages
    pages = pages.astype({"crawl": "int64", "relevant": "bool"}).reset_index(drop=True)
    sides = {
        label.target: label.label == "relevant" for label in corpus_labels(folder, "document") if label.label in _SIDES
    }
    judged = pages["doc_id"].map(sides)
    pages["relevant"] = judged.where(judged.notna(), pages["relevant"]).astype("bool")
    pages["page"] = pages.groupby("crawl").cumcount() + 1
    rows = []
    for job, group in pages.groupby("crawl"):
        half = (len(group) + 1) // 2
        relevant = group["relevant"]
        rows.append(
            (job, group["started"].iloc[0], len(group), int(relevant.sum()), group["host"].nunique(), relevant.mean(),
             relevant[:half].mean(), relevant[half:].mean())
        )  # fmt: skip
    names = ["crawl", "started", "pages", "relevant", "hosts", "harvest_rate", "first_half", "second_half"]
    table = pd.DataFrame(rows, columns=names)
    table["started"] = pd.to_datetime(table["started"], utc=True, format="ISO8601").astype("datetime64[us, UTC]")
    integers = dict.fromkeys(("crawl", "pages", "relevant", "hosts"), "int64")
    return CrawlComparison(
        table.astype(integers | dict.fromkeys(names[5:], "float64")), pages[["crawl", "page", "url", "relevant"]]
    )
