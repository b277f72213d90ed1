"""In which order the frontier is fetched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from corpuskit.errors import ConfigurationError
from corpuskit.relevance import CorpusModel
from corpuskit.relevance.learning import scoring_text

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class PageScore:
    """P(relevant), the decision it leads to, and whose it is."""

    relevance: float
    decision: str
    model: str


Row = dict[str, Any]
"""id, url, host, depth, anchor, context, parent, parent_score of one queued URL."""

_COLUMNS: Final = ("url", "anchor", "context", "parent_score", "host")


class Ranking(Protocol):
    """Gives queued URLs their priority; the highest of the hosts that may be asked is fetched next."""

    steers: bool
    """It reads scores of pages, so pages are extracted and scored before much more is fetched."""

    def rank(self, rows: Sequence[Row]) -> list[tuple[float, str]]:
        """(priority, why) of each row."""

    def score_page(self, title: str, text: str, row: Row) -> PageScore | None:
        """What a model says of a page that was fetched; it is noted with the links on it. None: not known."""


class BreadthFirst:
    """Pages near the seeds first."""

    steers = False

    def rank(self, rows: Sequence[Row]) -> list[tuple[float, str]]:
        """Priority 0 for seeds, -1 for what they link to, and so on."""
        return [(-float(row["depth"]), f"depth {row['depth']}") for row in rows]

    def score_page(self, title: str, text: str, row: Row) -> PageScore | None:
        """Not known."""
        return None


class Steered:
    """The order of a callable that scores frontier rows.

    Args:
        steer: a DataFrame of url, anchor, context, parent_score, host → an array of scores.
    """

    steers = True

    def __init__(self, steer: Callable[[pd.DataFrame], Any]) -> None:
        self._steer = steer

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

    def score_page(self, title: str, text: str, row: Row) -> PageScore | None:
        """Not known."""
        return None


class ByModel(Steered):
    """The order of a corpus model: what it says of the page that links, mixed with what it says of the URL."""

    def __init__(self, model: CorpusModel) -> None:
        super().__init__(self._score_rows)
        self._model = model

    def _score_rows(self, rows: pd.DataFrame) -> Any:
        import numpy as np

        parent = rows["parent_score"].to_numpy(dtype=float)
        known = ~np.isnan(parent)
        scores = np.where(known, parent, 0.0)
        if self._model.url is not None:
            by_url = self._model.score_urls(rows["url"].tolist())
            scores = np.where(known, 0.6 * scores + 0.4 * by_url, 0.4 * by_url)
        return scores

    def score_page(self, title: str, text: str, row: Row) -> PageScore | None:
        """The score and decision of the page's title and main text."""
        if not (title + text).strip():
            return None
        document = scoring_text(title, text)
        relevance = float(self._model.score([document])[0])
        return PageScore(relevance, self._model.document.decide([document])[0], self._model.version)


def ranking_of(steer: Any) -> Ranking:
    """The ranking for ``Corpus.crawl(steer=...)``: None, a model, a ranking or a callable.

    Raises:
        ConfigurationError: none of these.
    """
    if steer is None:
        return BreadthFirst()
    if hasattr(steer, "rank") and hasattr(steer, "score_page"):
        return steer  # type: ignore[no-any-return]
    if isinstance(steer, CorpusModel):
        return ByModel(steer)
    if callable(steer):
        return Steered(steer)
    raise ConfigurationError(f"steer={steer!r}: expected a model, or a function from frontier rows to scores")
