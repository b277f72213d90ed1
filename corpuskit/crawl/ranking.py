"""Rankings: the order in which the URLs of the frontier are fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from corpuskit.errors import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.crawl.frontier import Frontier
    from corpuskit.store import CorpusFolder


@dataclass(frozen=True, slots=True)
class PageScore:
    """P(relevant) of a page, the decision it leads to, and the version of the model."""

    relevance: float
    decision: str
    model: str


class Change(NamedTuple):
    """New priority of a queued URL, with the reason."""

    id: int
    host: str
    priority: float
    why: str


QueueRow = dict[str, Any]
"""One queued URL: id, url, host, depth, anchor, context, parent, parent_score."""

BOOST: Final = 1_000.0  # priority; higher than any priority of a ranking

_EARLIER_NAMES: Final = {
    "in_turns": "round_robin",
    "took": "on_leased",
    "forget": "discard",
    "passed_on": "on_links_scored",
}
_COLUMNS: Final = ("url", "anchor", "context", "parent_score", "host")


class Ranking:
    """Interface of rankings. The queued URL with the highest priority, of the hosts that may be requested, is fetched
    next.
    """

    steers: bool = True
    """Whether priorities depend on scores of pages. Fetching then waits until the fetched pages are scored."""

    scores_pages: bool = False
    """Whether :meth:`score_page` returns the relevance of pages."""

    round_robin: bool = False
    """Select the host with the fewest pages next; the priority orders the URLs within a host."""

    verdicts: Mapping[str, str] = MappingProxyType({})
    """host → verdict of the analyst: approve, hold or boost."""

    def __init_subclass__(cls) -> None:
        """Accept the earlier names of overridden attributes and methods."""
        super().__init_subclass__()
        for earlier, name in _EARLIER_NAMES.items():
            if earlier in vars(cls):
                setattr(cls, name, vars(cls)[earlier])
        if (ranked_again := vars(cls).get("ranked_again")) is not None:
            cls.rerank = lambda self, *, all_urls=False: ranked_again(self, whole=all_urls)  # type: ignore[method-assign]

    def begin(self, folder: CorpusFolder, frontier: Frontier) -> None:
        """Prepare for a crawl. Called once, before the queue is ranked.

        Args:
            folder: The corpus folder; its catalog contains the results of earlier crawls.
            frontier: The queue.
        """
        return

    def rank(self, rows: Sequence[QueueRow]) -> list[tuple[float, str]]:
        """Return (priority, reason) of each row.

        Args:
            rows: Queued URLs.
        """
        raise NotImplementedError

    def score_page(self, title: str, text: str, row: QueueRow) -> PageScore | None:
        """Return the score of a fetched page, and update the data that the ranking uses; None: no score.

        Args:
            title: Title of the page.
            text: Its main text.
            row: Its row of the frontier.
        """
        return None

    def on_leased(self, key: int, host: str) -> None:
        """Handle the start of a fetch.

        Args:
            key: Id of the URL in the frontier.
            host: Its host.
        """
        return

    def discard(self, keys: Iterable[int]) -> None:
        """Remove URLs that were ranked and are not queued.

        Args:
            keys: Their ids in the frontier.
        """
        return

    def on_links_scored(self, targets: Sequence[int], relevance: float) -> Sequence[Change]:
        """Return the changed priorities of URLs after a page that links to them was scored.

        Args:
            targets: Ids of these URLs.
            relevance: P(relevant) of the page.
        """
        return ()

    def is_stale(self) -> bool:
        """Return whether enough pages were scored since the last ranking of the whole queue."""
        return False

    def rerank(self, *, all_urls: bool = False) -> tuple[Sequence[Change], Mapping[str, float]]:
        """Rank the queue again, and return the changed priorities and host → its best priority.

        Args:
            all_urls: Return changes of all URLs, not only of the first ones.
        """
        return (), {}


class BreadthFirst(Ranking):
    """Ranking by distance from the seeds. Hosts take turns."""

    steers = False
    round_robin = True

    def rank(self, rows: Sequence[QueueRow]) -> list[tuple[float, str]]:
        """Return priority 0 for seeds, -1 for the URLs they link to, and so on.

        Args:
            rows: Queued URLs.
        """
        return [(-float(row["depth"]), f"depth {row['depth']}") for row in rows]


class CallableRanking(Ranking):
    """Ranking by a callable that scores rows of the frontier.

    Args:
        steer: Function from a DataFrame with the columns url, anchor, context, parent_score and host to an array of
            scores.
    """

    def __init__(self, steer: Callable[[pd.DataFrame], Any]) -> None:
        self._steer = steer

    def begin(self, folder: CorpusFolder, frontier: Frontier) -> None:
        """Update the scores of the linking pages, which the callable may use."""
        frontier.refresh_parent_scores()

    def rank(self, rows: Sequence[QueueRow]) -> list[tuple[float, str]]:
        """Return the scores of the callable. URLs with NaN or infinite scores come last."""
        import numpy as np
        import pandas as pd

        if not rows:
            return []
        frame = pd.DataFrame([[row[name] for name in _COLUMNS] for row in rows], columns=list(_COLUMNS))
        frame["parent_score"] = pd.to_numeric(frame["parent_score"]).astype("float64")
        scores = np.asarray(self._steer(frame), dtype=float)
        if scores.shape != (len(rows),):
            raise ConfigurationError(
                f"steer returned scores of shape {scores.shape}, expected ({len(rows)},): one score per row"
            )
        return [(float(score) if np.isfinite(score) else -1e9, f"score {score:.3f}") for score in scores]


def priority_boost(row: QueueRow) -> tuple[float, str]:
    """Return the addition to the priority of a URL and its reason, for any ranking: sitemaps and feeds come before
    pages.
    """
    return (BOOST / 2, "sitemap or feed; ") if row.get("kind") == "listing" else (0.0, "")
