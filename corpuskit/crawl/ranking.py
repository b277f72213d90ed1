"""In which order the frontier is fetched."""

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
    """P(relevant), the decision it leads to, and whose it is."""

    relevance: float
    decision: str
    model: str


class Change(NamedTuple):
    """A new place of a queued URL."""

    id: int
    host: str
    priority: float
    why: str


Row = dict[str, Any]
"""id, url, host, depth, anchor, context, parent, parent_score of one queued URL."""

BOOST: Final = 1_000.0  # priority; above all that rankings give

_COLUMNS: Final = ("url", "anchor", "context", "parent_score", "host")


class Ranking:
    """Gives queued URLs their priority; the highest of the hosts that may be asked is fetched next."""

    steers: bool = True
    """It reads scores of pages, so pages are extracted and scored before much more is fetched."""

    scores_pages: bool = False
    """It says of pages how relevant they are; see :meth:`score_page`."""

    in_turns: bool = False
    """Hosts take turns: the one with the fewest pages is next; within a host the priority decides."""

    verdicts: Mapping[str, str] = MappingProxyType({})
    """host → what the analyst said of it: approve, hold or boost."""

    def begin(self, folder: CorpusFolder, frontier: Frontier) -> None:
        """Take notice of the crawl; called once, before the queue is ranked.

        Args:
            folder: The corpus folder, whose catalogue has what earlier crawls found.
            frontier: The queue.
        """
        return

    def rank(self, rows: Sequence[Row]) -> list[tuple[float, str]]:
        """Return (priority, why) of each row.

        Args:
            rows: Queued URLs.
        """
        raise NotImplementedError

    def score_page(self, title: str, text: str, row: Row) -> PageScore | None:
        """Return what a model says of a page that was fetched, which is noted with the links on it; None: not known.

        Args:
            title: Title of the page.
            text: Its main text.
            row: Its row of the frontier.
        """
        return None

    def took(self, key: int, host: str) -> None:
        """Take notice that a URL is being fetched.

        Args:
            key: Its id in the frontier.
            host: Its host.
        """
        return

    def forget(self, keys: Iterable[int]) -> None:
        """Forget URLs that were ranked and are not queued.

        Args:
            keys: Their ids in the frontier.
        """
        return

    def passed_on(self, targets: Sequence[int], relevance: float) -> Sequence[Change]:
        """Return what changes in the queue since a page links to some URLs.

        Args:
            targets: Ids of these URLs.
            relevance: P(relevant) of the page.
        """
        return ()

    def is_stale(self) -> bool:
        """Return whether the queue should be ranked again, since much was learnt."""
        return False

    def ranked_again(self, *, whole: bool = False) -> tuple[Sequence[Change], Mapping[str, float]]:
        """Return what changes in the queue, and host → its best priority.

        Args:
            whole: To the last URL, however far behind.
        """
        return (), {}


class BreadthFirst(Ranking):
    """Pages near the seeds first, a turn a host."""

    steers = False
    in_turns = True

    def rank(self, rows: Sequence[Row]) -> list[tuple[float, str]]:
        """Return priority 0 for seeds, -1 for what they link to, and so on.

        Args:
            rows: Queued URLs.
        """
        return [(-float(row["depth"]), f"depth {row['depth']}") for row in rows]


class Steered(Ranking):
    """The order of a callable that scores frontier rows.

    Args:
        steer: a DataFrame of url, anchor, context, parent_score, host → an array of scores.
    """

    def __init__(self, steer: Callable[[pd.DataFrame], Any]) -> None:
        self._steer = steer

    def begin(self, folder: CorpusFolder, frontier: Frontier) -> None:
        """Brings the scores of the linking pages up to date, for the callable to see."""
        frontier.refresh_parent_scores()

    def rank(self, rows: Sequence[Row]) -> list[tuple[float, str]]:
        """The callable's scores; what is no number ranks last."""
        import numpy as np
        import pandas as pd

        if not rows:
            return []
        frame = pd.DataFrame([[row[name] for name in _COLUMNS] for row in rows], columns=list(_COLUMNS))
        frame["parent_score"] = pd.to_numeric(frame["parent_score"]).astype("float64")
        scores = np.asarray(self._steer(frame), dtype=float)
        if scores.shape != (len(rows),):
            raise ConfigurationError(f"steer gave {scores.shape} scores for {len(rows)} rows")
        return [(float(score) if np.isfinite(score) else -1e9, f"score {score:.3f}") for score in scores]


def lift(row: Row) -> tuple[float, str]:
    """What is added to the priority of a URL whatever a ranking says, and why: sitemaps and feeds come before pages."""
    return (BOOST / 2, "sitemap or feed; ") if row.get("kind") == "listing" else (0.0, "")
