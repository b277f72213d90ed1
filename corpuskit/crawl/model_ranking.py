"""Ranking for model-guided crawls: URLs with the highest expected relevance come first.

:mod:`corpuskit.crawl.url_scoring` computes the scores. The whole queue is scored again every few pages, since each
scored page changes the data of its host, its directory and the linked URLs. Only the first URLs of each host are
stored.

A host is suspended if many of its pages were fetched, or some labelled, and no label is "relevant". A crawl that trusts
only its own model can fall into a trap that the model prefers. Suspended hosts are fetched from if no other host is
left, first those with the fewest labels and pages. A relevant label ends the suspension.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from corpuskit.crawl.frontier import Frontier, LinkStatistics, url_id
from corpuskit.crawl.ranking import (
    BOOST,
    BreadthFirst,
    CallableRanking,
    Change,
    PageScore,
    QueueRow,
    Ranking,
    priority_boost,
)
from corpuskit.crawl.source_verdicts import BOOSTED
from corpuskit.crawl.url_scoring import UrlFeatures, UrlScores
from corpuskit.errors import ConfigurationError
from corpuskit.labels import is_machine, judged_documents
from corpuskit.relevance import CorpusModel
from corpuskit.relevance.scoring_text import scoring_text
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

SUSPENDED_PENALTY: Final = -10.0
"""Addition to the score of a URL of a suspended host, which puts it behind all others."""
_MAX_UNLABELLED_PAGES: Final = 25  # pages of a host without labels, before it is suspended
_MAX_OTHER_LABELS: Final = 10  # labels of a host without "relevant"; five labels halve the number of pages
_MAX_PAGES_ONE_LABEL: Final = 100  # pages of a host with a single label, "relevant"
_PAGES_PER_PENALTY: Final = 50.0  # pages of a suspended host that lower its score by 1, as two labels do
_MAX_PENALTY: Final = 4.0
_RANK_EVERY: Final = 20  # scored pages, before the whole queue is ranked again
_RANK_SHARE: Final = 5000  # a long queue is ranked after one page per 5,000 URLs, so the cost per page is bounded
_STORED_URLS: Final = 200  # best URLs with stored priorities: many more than are fetched until the next ranking
_STORED_PER_HOST: Final = 2  # best URLs of each host with stored priorities, since other hosts may have to wait
_MIN_CHANGE: Final = 5e-3  # smaller changes of a priority are not stored: scores of links differ by more


class KnownPage(NamedTuple):
    """A page fetched by an earlier crawl.

    Attributes:
        score: Its relevance by the model.
        label: relevant, other or None.
        is_labelled: Whether a person has labelled it.
    """

    url: str
    host: str
    score: float | None
    label: str | None
    is_labelled: bool


class Queue(Protocol):
    """The methods of a frontier that are used at the start of a crawl."""

    def queued(self) -> Iterable[Iterable[QueueRow]]:
        """Return the queued URLs, in batches."""

    def link_statistics(self, score_of: Mapping[int, float]) -> LinkStatistics:
        """Return statistics of the pages that link to them."""


class ModelRanking(Ranking):
    """Ranking by the expected relevance of URLs, for one crawl; see the module docstring.

    Args:
        model: A model trained on labels of the corpus.
    """

    scores_pages = True

    def __init__(self, model: CorpusModel) -> None:
        self._model = model
        # The fetching loop adds and leases URLs; the extraction thread ranks them.
        self._lock = threading.RLock()
        self._scores = UrlScores(model.score)
        self._fetched: Counter[str] = Counter()  # host → fetched pages
        self._labels: Counter[str] = Counter()  # host → labelled pages
        self._relevant: Counter[str] = Counter()  # host → pages labelled relevant
        self._suspended: dict[str, float] = {}  # suspended host → addition to its scores
        self._folder: CorpusFolder | None = None
        self._last_label: int | None = None
        self._pages = 0
        self._ranked_at = 0
        self._lowest_stored = float("-inf")  # lowest priority of the best URLs in the last ranking

    def begin(self, folder: CorpusFolder, frontier: Frontier) -> None:
        """Load the fetched pages and labels of the corpus, and the queue."""
        self._folder = folder
        self._last_label = self._find_last_label()
        self.load(_known_pages(folder), frontier)

    def load(self, pages: Sequence[KnownPage], frontier: Queue) -> None:
        """Load fetched pages and a queue."""
        scores: dict[int, float] = {}
        self._fetched = Counter(page.host for page in pages)
        self._count_labels(pages)
        for page in pages:
            score = page.score if page.label is None else float(page.label == "relevant")
            if score is not None:
                self._scores.record_page(page.url, page.host, score, is_labelled=page.label is not None)
                scores[url_id(page.url)] = score
        for rows in frontier.queued():
            self._add_rows(rows)
        link_statistics = frontier.link_statistics(scores)
        self._scores.add_linking_pages(
            self._scores.slots_of(link_statistics.ids.tolist()),
            link_statistics.count,
            link_statistics.total,
            link_statistics.minimum,
        )
        for host in self._fetched:
            self._update_suspension(host)

    def _count_labels(self, pages: Iterable[KnownPage]) -> None:
        self._labels = Counter(page.host for page in pages if page.is_labelled)
        self._relevant = Counter(page.host for page in pages if page.label == "relevant")

    def _find_last_label(self) -> int | None:
        if self._folder is None:
            return None
        self._folder.labels.refresh()
        last: int | None = self._folder.catalog.value("SELECT max(id) FROM labels")
        return last

    def _reload_labels(self) -> None:
        """Update the suspensions after labels were added while the crawl runs."""
        if self._folder is not None and (last := self._find_last_label()) != self._last_label:
            self._last_label = last
            self._count_labels(_known_pages(self._folder))
            for host in self._fetched:
                self._update_suspension(host)

    def rank(self, rows: Sequence[QueueRow]) -> list[tuple[float, str]]:
        """Return (priority, reason) of each row, and add new rows to the table of scores."""
        if not rows:
            return []
        with self._lock:
            self._add_rows(rows)
            for host in {row["host"] for row in rows}:
                self._update_suspension(host)
            slots = self._scores.slots_of(row["id"] for row in rows)
            priorities, features = self._priorities(slots)
            self._scores.stored_priorities[slots] = priorities
            reasons = self._reasons(slots, features)
        # The caller adds the boosts itself.
        return [
            (float(value) - self._boost(row), why) for row, value, why in zip(rows, priorities, reasons, strict=True)
        ]

    def score_page(self, title: str, text: str, row: QueueRow) -> PageScore | None:
        """Return the score and decision for the title and main text of a page."""
        if not (title + text).strip():
            return None
        document = scoring_text(title, text)
        relevance = float(self._model.score([document])[0])
        self.record_score(row["url"], row["host"], relevance)
        return PageScore(relevance, self._model.document.decide([document])[0], self._model.version)

    def record_score(self, url: str, host: str, relevance: float) -> None:
        """Record the score of a fetched page."""
        with self._lock:
            self._scores.record_page(url, host, relevance)
            self._pages += 1

    def on_leased(self, key: int, host: str) -> None:
        """Remove a URL that is being fetched, and update the suspension of its host."""
        with self._lock:
            self._scores.remove([key])
            self._fetched[host] += 1
            self._update_suspension(host)

    def discard(self, keys: Iterable[int]) -> None:
        """Remove URLs that are not queued."""
        with self._lock:
            self._scores.remove(keys)

    def on_links_scored(self, targets: Sequence[int], relevance: float) -> list[Change]:
        """Return the changed priorities of the URLs linked by a page of this relevance."""
        with self._lock:
            slots = self._scores.record_links(targets, relevance)
            priorities, features = self._priorities(slots)
            stored = self._scores.stored_priorities[slots]
            # Changes far behind the best URLs are stored by the next ranking, if they still matter then.
            is_relevant = (priorities >= self._lowest_stored) | (stored >= self._lowest_stored)
            return self._changes(slots, priorities, features, is_relevant & (abs(priorities - stored) > _MIN_CHANGE))

    def is_stale(self) -> bool:
        """Return whether enough pages were scored since the last ranking of the whole queue."""
        return self._pages - self._ranked_at >= max(_RANK_EVERY, len(self._scores) // _RANK_SHARE)

    def rerank(self, *, all_urls: bool = False) -> tuple[list[Change], dict[str, float]]:
        """Return the changed priorities of the best URLs of each host, or of all URLs, and host → its best priority."""
        import numpy as np

        with self._lock:
            self._reload_labels()
            self._ranked_at = self._pages
            slots = self._scores.all_slots
            if not len(slots):
                return [], {}
            priorities, features = self._priorities(slots)
            hosts = self._scores.hosts_of(slots)
            order = np.lexsort((-priorities, hosts))
            first = np.flatnonzero(np.diff(hosts[order], prepend=-1))
            size = np.diff(first, append=len(order))
            position = np.empty(len(order), np.int64)
            position[order] = np.arange(len(order)) - np.repeat(first, size)
            is_stored = position < _STORED_PER_HOST
            best_of_all = np.argpartition(-priorities, min(_STORED_URLS, len(slots)) - 1)[:_STORED_URLS]
            is_stored[best_of_all] = True
            self._lowest_stored = float(priorities[best_of_all].min())
            # Stored priorities of the other URLs may be outdated, unless they rank before these.
            best_other = np.full(int(hosts.max()) + 1, -np.inf)
            np.maximum.at(best_other, hosts[~is_stored], priorities[~is_stored])
            stored = self._scores.stored_priorities[slots]
            changed = (abs(priorities - stored) > _MIN_CHANGE) & (
                all_urls | is_stored | (stored > best_other[hosts] - 2 * _MIN_CHANGE)
            )
            names = self._scores.hosts.names
            best = {names[hosts[index]]: float(priorities[index]) for index in order[first]}
            return self._changes(slots, priorities, features, changed), best

    def _add_rows(self, rows: Iterable[QueueRow]) -> None:
        new = {row["id"]: row for row in rows if row["id"] not in self._scores}
        self._scores.add(
            {key: (row["url"], row["host"], row["anchor"], row["context"]) for key, row in new.items()},
            [priority_boost(row)[0] for row in new.values()],
        )

    def _priorities(self, slots: Ints) -> tuple[Floats, UrlFeatures]:
        """Return the priority of each URL: its score, lowered for suspended and raised for boosted hosts."""
        import numpy as np

        scores, features = self._scores.scores(slots)
        hosts = self._scores.hosts
        additions_by_host = self._suspended | {
            host: BOOST for host, verdict in self.verdicts.items() if verdict == "boost"
        }
        additions = np.zeros(len(hosts))
        for host, addition in additions_by_host.items():
            if host in hosts:
                additions[hosts.number(host)] = addition
        return scores + additions[self._scores.hosts_of(slots)], features

    def _boost(self, row: QueueRow) -> float:
        return priority_boost(row)[0] + (BOOST if self.verdicts.get(row["host"]) == "boost" else 0.0)

    def _update_suspension(self, host: str) -> None:
        """Suspend a host, or end its suspension."""
        labels, pages = self._labels[host], self._fetched[host]
        if host in self.verdicts:  # the analyst has decided
            allowed = None
        elif not self._relevant[host]:
            allowed = _MAX_UNLABELLED_PAGES * max(0.0, 1.0 - labels / _MAX_OTHER_LABELS)
        else:
            allowed = _MAX_PAGES_ONE_LABEL if labels == 1 else None
        if allowed is None or pages < allowed:
            self._suspended.pop(host, None)
        else:
            # If only suspended hosts are left, those with the fewest labels and pages come first.
            penalty = 0.5 * labels + (pages - allowed) / _PAGES_PER_PENALTY
            self._suspended[host] = SUSPENDED_PENALTY - min(_MAX_PENALTY, penalty)

    def _changes(
        self, slots: Ints, priorities: Floats, features: UrlFeatures, changed: npt.NDArray[np.bool_]
    ) -> list[Change]:
        slots, priorities = slots[changed], priorities[changed]
        self._scores.stored_priorities[slots] = priorities
        features = UrlFeatures(
            features.link_text[changed],
            features.linking_mean[changed],
            features.linking_min[changed],
            features.directory[changed],
        )
        names = self._scores.hosts.names
        hosts = [names[number] for number in self._scores.hosts_of(slots)]
        ids = self._scores.ids(slots).tolist()
        return list(map(Change, ids, hosts, priorities.tolist(), self._reasons(slots, features, with_boosts=True)))

    def _reasons(self, slots: Ints, features: UrlFeatures, *, with_boosts: bool = False) -> list[str]:
        """Return the reason of each URL's priority.

        Args:
            slots: Slots of the URLs.
            features: Their features.
            with_boosts: Mention boosts of the analyst.
        """
        names = self._scores.hosts.names
        texts = []
        for number, link_text, linking_mean, directory in zip(
            self._scores.hosts_of(slots), features.link_text, features.linking_mean, features.directory, strict=True
        ):
            host = names[number]
            text = f"link text {link_text:.2f}, linking pages {linking_mean:.2f}, directory {directory:.2f}"
            if host in self._suspended:
                text = f"held until a document of this source is labelled relevant; {text}"
            if with_boosts and self.verdicts.get(host) == "boost":
                text = f"{BOOSTED}{text}"
            texts.append(text)
        return texts


def _known_pages(folder: CorpusFolder) -> list[KnownPage]:
    judged = judged_documents(folder)
    labelled = {label.target for label in folder.labels.current("document") if not is_machine(label.by)}
    rows = folder.catalog.tuples(
        "SELECT c.doc_id, c.uri, c.host, s.relevance FROM current c LEFT JOIN scores s ON s.doc_id = c.doc_id "
        "WHERE c.host <> ''"
    )
    return [KnownPage(uri, host, score, judged.get(key), key in labelled) for key, uri, host, score in rows]


def stakes(folder: CorpusFolder, pages: int = 400) -> Counter[str]:
    """Return host → the number of its URLs among the next pages, if no host were suspended.

    Labels of hosts with high numbers have the largest effect on the crawl.
    """
    rows = folder.catalog.tuples(
        "SELECT host, count(*) FROM (SELECT host FROM frontier WHERE state = 'queued' "
        "ORDER BY CASE WHEN priority < ? THEN priority - ? ELSE priority END DESC, n LIMIT ?) GROUP BY host",
        (SUSPENDED_PENALTY / 2, SUSPENDED_PENALTY, pages),
    )
    return Counter(dict(rows))


def ranking_of(steer: Any) -> Ranking:
    """Return the ranking for the argument ``steer`` of ``Corpus.crawl``.

    Args:
        steer: None, a model, a ranking or a function.

    Raises:
        ConfigurationError: ``steer`` has another type.
    """
    if steer is None:
        return BreadthFirst()
    if hasattr(steer, "rank") and hasattr(steer, "score_page"):
        return steer  # type: ignore[no-any-return]
    if isinstance(steer, CorpusModel):
        return ModelRanking(steer)
    if callable(steer):
        return CallableRanking(steer)
    raise ConfigurationError(f"steer={steer!r}: expected None, a model, or a function from frontier rows to scores")
