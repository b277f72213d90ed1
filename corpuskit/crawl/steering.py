"""The order of a crawl that follows a model.

Early, a URL model trained on the analyst's labels finds most; later, a link model trained on the crawl's own pages, that is on
what the document model said of them, wins. The priority of a URL mixes both with the best score of a page that links to it
and the mean score of its directory, and moves from the first to the second over 2,000 pages. A source that got 25 pages
without two labels is held until somebody has looked at it: without that, a crawl that trains itself can fall into a trap
that its own classifier likes.
"""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from corpuskit.crawl.ranking import PageScore, Ranking, Row
from corpuskit.relevance import CorpusModel, url_tokens
from corpuskit.relevance.reading import scoring_text
from corpuskit.store.catalog import Catalog
from corpuskit.text import WORD

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

# Weights of the mix at its start and its end, found on simulated crawls of documentation sites.
_START: Final = {"url": 0.40, "link": 0.15, "parent": 0.20, "directory": 0.25}
_END: Final = {"url": 0.15, "link": 0.40, "parent": 0.20, "directory": 0.25}
_FIRST_PAGES: Final = 300  # pages before there are labels; from here the mix moves
_MOVES_OVER: Final = 2000
_PRIOR: Final = 3.0  # pages' worth of trust in the host's mean for a directory, and in the crawl's mean for a host
_HELD_AFTER: Final = 25
_LABELS_A_SOURCE: Final = 2
_HELD: Final = -10.0
_LEARN_EVERY: Final = 200  # pages
_RANK_EVERY: Final = 40  # pages; the whole queue is ranked again
_RANK_SHARE: Final = 0.2  # of the time, at most, is spent on that
_EXAMPLES: Final = 4000
_BUCKETS: Final = 1 << 18


class ModelRanking(Ranking):
    """The mix described above, for one crawl.

    Args:
        model: trained on the corpus' labels.
    """

    def __init__(self, model: CorpusModel) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._hosts = _Means()
        self._directories = _Means()
        self._labels: dict[str, int] = {}
        self._examples: list[tuple[npt.NDArray[np.int32], float]] = []
        self._features: dict[int, npt.NDArray[np.int32]] = {}
        self._by_url: dict[int, float] = {}
        self._weights: Floats | None = None
        self._bias = 0.0
        self._learnt_at = 0
        self._ranked_at = 0
        self._rank_seconds = 0.0
        self._rank_began = time.monotonic()

    def begin(self, catalog: Catalog) -> None:
        """Takes up what earlier crawls fetched and what was labelled."""
        rows = catalog.rows(
            "SELECT f.id, f.url, f.host, f.anchor, f.context, s.relevance FROM documents d "
            "JOIN scores s ON s.doc_id = d.doc_id JOIN frontier f ON f.url = d.uri WHERE d.status = 'extracted' "
            "ORDER BY d.fetched"
        )
        with self._lock:
            for row in rows:
                self._note(dict(row), row["relevance"])
            self._labels = dict(
                tuple(row)
                for row in catalog.rows(
                    "SELECT d.host, count(DISTINCT l.target) FROM labels l JOIN current d ON d.doc_id = l.target "
                    "WHERE l.kind = 'document' AND NOT l.superseded GROUP BY d.host"
                )
            )
            self._learn()
            self._ranked_at = len(self._examples)

    def score_page(self, title: str, text: str, row: Row) -> PageScore | None:
        """The score and decision of the page's title and main text."""
        if not (title + text).strip():
            return None
        document = scoring_text(title, text)
        relevance = float(self._model.score([document])[0])
        with self._lock:
            self._note(row, relevance)
            if len(self._examples) - self._learnt_at >= _LEARN_EVERY:
                self._learn()
        return PageScore(relevance, self._model.document.decide([document])[0], self._model.version)

    def is_stale(self) -> bool:
        """Enough was learnt since the whole queue was ranked, and ranking does not take too much of the time."""
        spent = self._rank_seconds / max(time.monotonic() - self._rank_began, 1e-9)
        return len(self._examples) - self._ranked_at >= _RANK_EVERY and spent < _RANK_SHARE

    def ranked_all(self, seconds: float) -> None:
        """The whole queue has just been ranked; it took so long."""
        self._ranked_at = len(self._examples)
        self._rank_seconds += seconds

    def rank(self, rows: Sequence[Row]) -> list[tuple[float, str]]:
        """(priority, why) of each row."""
        import numpy as np

        if not rows:
            return []
        with self._lock:
            url = self._url_scores(rows)
            link = self._link_scores(rows)
            host = [self._hosts.mean(row["host"], self._hosts.overall) for row in rows]
            directory = np.array(
                [self._directories.mean(_directory(row["url"]), prior) for row, prior in zip(rows, host, strict=True)]
            )
            scores = [row["parent_score"] for row in rows]
            parent = np.array([self._hosts.overall if score is None else float(score) for score in scores])
            if link is None:
                link = parent
            moved = min(1.0, max(0.0, (len(self._examples) - _FIRST_PAGES) / _MOVES_OVER))
            weight = {name: (1 - moved) * _START[name] + moved * _END[name] for name in _START}
            priority = (
                weight["url"] * url
                + weight["link"] * link
                + weight["parent"] * parent
                + weight["directory"] * directory
            )
            held = np.array([self._is_held(row["host"]) for row in rows])
        return [
            (float(p) + _HELD * bool(h), _why(h, u, li, pa, d))
            for p, h, u, li, pa, d in zip(priority, held, url, link, parent, directory, strict=True)
        ]

    def _is_held(self, host: str) -> bool:
        if host in self.verdicts:
            return False  # somebody has looked at it
        return self._hosts.count(host) >= _HELD_AFTER and self._labels.get(host, 0) < _LABELS_A_SOURCE

    def _note(self, row: Row, relevance: float) -> None:
        self._hosts.add(row["host"], relevance)
        self._directories.add(_directory(row["url"]), relevance)
        features = self._features.pop(row.get("id", -1), None)
        self._examples.append((features if features is not None else _features(row), relevance))

    def _learn(self) -> None:
        """Trains the link model on the last pages and as many of the earlier ones."""
        import numpy as np
        from sklearn.linear_model import SGDClassifier

        self._learnt_at = len(self._examples)
        chosen = self._examples[-_EXAMPLES // 2 :]
        earlier = self._examples[: -_EXAMPLES // 2]
        if len(earlier) > _EXAMPLES // 2:
            picks = np.random.RandomState(0).permutation(len(earlier))[: _EXAMPLES // 2]
            earlier = [earlier[i] for i in sorted(picks)]
        chosen = earlier + chosen
        relevant = np.array([score > 0.5 for _, score in chosen], dtype=bool)
        if relevant.sum() < 5 or (~relevant).sum() < 5:
            return
        learner = SGDClassifier(
            loss="log_loss", alpha=1e-5, class_weight="balanced", max_iter=8, tol=None, random_state=0
        ).fit(_matrix([features for features, _ in chosen]), relevant)
        self._weights = learner.coef_[0]
        self._bias = float(learner.intercept_[0])

    def _link_scores(self, rows: Sequence[Row]) -> Floats | None:
        import numpy as np

        if self._weights is None:
            return None
        matrix = _matrix([self._features_of(row) for row in rows])
        logits = matrix @ self._weights + self._bias
        result: Floats = 1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))
        return result

    def _features_of(self, row: Row) -> npt.NDArray[np.int32]:
        key = row.get("id")
        if key is None:
            return _features(row)
        found = self._features.get(key)
        if found is None:
            if len(self._features) > _CACHED:
                self._features.clear()
            found = self._features[key] = _features(row)
        return found

    def _url_scores(self, rows: Sequence[Row]) -> Floats:
        import numpy as np

        if self._model.url is None:
            return np.full(len(rows), self._hosts.overall)
        keys = [zlib.crc32(row["url"].encode()) for row in rows]
        missing = [i for i, key in enumerate(keys) if key not in self._by_url]
        if missing:
            if len(self._by_url) > _CACHED:
                self._by_url.clear()
                missing = list(range(len(rows)))
            scores = self._model.score_urls([rows[i]["url"] for i in missing])
            self._by_url.update((keys[i], float(score)) for i, score in zip(missing, scores, strict=True))
        return np.array([self._by_url[key] for key in keys])


_CACHED: Final = 300_000  # rows whose features are kept


class _Means:
    """Mean scores of groups, drawn towards a prior where a group is small."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: dict[str, int] = {}
        self._sum = 0.0
        self._count = 0

    def add(self, group: str, score: float) -> None:
        self._sums[group] = self._sums.get(group, 0.0) + score
        self._counts[group] = self._counts.get(group, 0) + 1
        self._sum += score
        self._count += 1

    def count(self, group: str) -> int:
        return self._counts.get(group, 0)

    @property
    def overall(self) -> float:
        """The mean of all, one relevant page in five where nothing is known."""
        return (self._sum + 1) / (self._count + 5)

    def mean(self, group: str, prior: float) -> float:
        return (self._sums.get(group, 0.0) + _PRIOR * prior) / (self._counts.get(group, 0) + _PRIOR)


def _directory(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[0]


def _features(row: Row) -> npt.NDArray[np.int32]:
    """Buckets of the tokens of URL, anchor and context."""
    import numpy as np

    tokens = list(url_tokens(row["url"]))
    tokens += [f"a:{word}" for word in WORD.findall((row["anchor"] or "").lower())]
    tokens += [f"c:{word}" for word in WORD.findall((row["context"] or "").lower())]
    return np.array([zlib.crc32(token.encode()) % _BUCKETS for token in tokens], dtype=np.int32)


def _matrix(features: Sequence[npt.NDArray[np.int32]]) -> Any:
    """Rows of equal length (1) with a one for each bucket."""
    import numpy as np
    from scipy.sparse import csr_matrix

    lengths = np.array([len(row) for row in features])
    indices = np.concatenate(features) if len(features) else np.empty(0, np.int32)
    values = np.repeat(1.0 / np.sqrt(np.maximum(lengths, 1)), lengths)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return csr_matrix((values, indices, starts), shape=(len(features), _BUCKETS))


def _why(held: bool, url: float, link: float, parent: float, directory: float) -> str:
    text = f"URL {url:.2f}, link {link:.2f}, parent {parent:.2f}, directory {directory:.2f}"
    return f"held until two documents of this source are labelled; {text}" if held else text
