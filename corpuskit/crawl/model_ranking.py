"""The order of a crawl that follows a model: what promises most is fetched next, and no source is trusted unseen.

:mod:`corpuskit.crawl.url_scoring` says what a URL promises. The whole queue is judged again every few pages, since each page that was
scored changes what is known of its source, its directory and its links; only the best of each host are written down.

A source that got pages, or labels, none of which says "relevant" is held until one does: a crawl that believes its own model
only can fall into a trap that the model likes. Held sources are fetched from when no other is left, first those of which least is known.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from corpuskit.crawl.frontier import Frontier, Linking, url_id
from corpuskit.crawl.ranking import BOOST, BreadthFirst, Change, PageScore, Ranking, Row, Steered, lift
from corpuskit.crawl.source_verdicts import BOOSTED
from corpuskit.crawl.url_scoring import Promises, Signals
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

HELD: Final = -10.0
"""What is added to the promise of a URL of a held source: it is fetched when nothing else is left."""
_HELD_AFTER: Final = 25  # pages of a source without any label
_HELD_AFTER_LABELS: Final = 10  # labels, none of which says "relevant"; with half of them after half of the pages
_TRUSTED: Final = 100  # pages of a source with one label, which says "relevant"
_LOWERED_BY: Final = 50.0  # pages of a held source that lower it by 1, as two labels do
_MOST_LOWERED: Final = 4.0
_RANK_EVERY: Final = 20  # pages
_RANK_SHARE: Final = 5000  # or as many pages as the queue has this many URLs: ranking a long one costs no more a page
_AHEAD: Final = 200  # best URLs whose place is written down: many times what is fetched until the queue is ranked again
_AHEAD_A_HOST: Final = 2  # the same of each host, for those that must wait before
_SAME: Final = 5e-3  # a priority that moved by less is left as it is: links differ by more in what they promise


class KnownPage(NamedTuple):
    """A page that was fetched: its score, its label (relevant, other or None), and whether anybody was asked for one."""

    url: str
    host: str
    score: float | None
    label: str | None
    was_asked: bool


class Queue(Protocol):
    """What is read of a frontier when a crawl begins."""

    def queued(self) -> Iterable[Iterable[Row]]:
        """The queued URLs."""

    def linking(self, score_of: Mapping[int, float]) -> Linking:
        """The pages that link to them."""


class ModelRanking(Ranking):
    """The order described above, for one crawl.

    Args:
        model: trained on the corpus' labels.
    """

    scores_pages = True

    def __init__(self, model: CorpusModel) -> None:
        self._model = model
        # The fetching loop adds and takes URLs, the thread that has pages scored ranks them.
        self._lock = threading.RLock()
        self._promises = Promises(model.score)
        self._asked: Counter[str] = Counter()  # host → pages that were asked for
        self._labels: Counter[str] = Counter()  # host → labelled pages, and those of them that are relevant
        self._relevant: Counter[str] = Counter()
        self._held: dict[str, float] = {}  # host → what is added to its promises
        self._folder: CorpusFolder | None = None
        self._last_label: int | None = None
        self._pages = 0
        self._ranked_at = 0
        self._last_ahead = float("-inf")  # the priority of the last of the best when the queue was ranked

    def begin(self, folder: CorpusFolder, frontier: Frontier) -> None:
        """Takes up what earlier crawls fetched, what was labelled, and the queue."""
        self._folder = folder
        self._last_label = self._find_last_label()
        self.take_up(_known_pages(folder), frontier)

    def take_up(self, pages: Sequence[KnownPage], frontier: Queue) -> None:
        """Takes up pages that were fetched, and a queue."""
        scores: dict[int, float] = {}
        self._asked = Counter(page.host for page in pages)
        self._count_labels(pages)
        for page in pages:
            score = page.score if page.label is None else float(page.label == "relevant")
            if score is not None:
                self._promises.note_page(page.url, page.host, score, is_labelled=page.label is not None)
                scores[url_id(page.url)] = score
        for rows in frontier.queued():
            self._take_in(rows)
        linking = frontier.linking(scores)
        self._promises.link(self._promises.places(linking.ids.tolist()), linking.count, linking.total, linking.least)
        for host in self._asked:
            self._look_at(host)

    def _count_labels(self, pages: Iterable[KnownPage]) -> None:
        self._labels = Counter(page.host for page in pages if page.was_asked)
        self._relevant = Counter(page.host for page in pages if page.label == "relevant")

    def _find_last_label(self) -> int | None:
        if self._folder is None:
            return None
        self._folder.labels.refresh()
        last: int | None = self._folder.catalog.value("SELECT max(id) FROM labels")
        return last

    def _follow_labels(self) -> None:
        """Lets go on what was held, or holds it, where somebody labels while the crawl runs."""
        if self._folder is not None and (last := self._find_last_label()) != self._last_label:
            self._last_label = last
            self._count_labels(_known_pages(self._folder))
            for host in self._asked:
                self._look_at(host)

    def rank(self, rows: Sequence[Row]) -> list[tuple[float, str]]:
        """(priority, why) of each row; those that were not known are taken in."""
        if not rows:
            return []
        with self._lock:
            self._take_in(rows)
            for host in {row["host"] for row in rows}:
                self._look_at(host)
            places = self._promises.places(row["id"] for row in rows)
            priorities, known = self._judge(places)
            self._promises.written[places] = priorities
            reasons = self._reasons(places, known)
        # What is added whatever a ranking says is added to these by the caller.
        return [
            (float(value) - self._lift(row), why) for row, value, why in zip(rows, priorities, reasons, strict=True)
        ]

    def score_page(self, title: str, text: str, row: Row) -> PageScore | None:
        """The score and decision of the page's title and main text."""
        if not (title + text).strip():
            return None
        document = scoring_text(title, text)
        relevance = float(self._model.score([document])[0])
        self.note(row["url"], row["host"], relevance)
        return PageScore(relevance, self._model.document.decide([document])[0], self._model.version)

    def note(self, url: str, host: str, relevance: float) -> None:
        """Notes the score of a page that was fetched."""
        with self._lock:
            self._promises.note_page(url, host, relevance)
            self._pages += 1

    def took(self, key: int, host: str) -> None:
        """Notes that a URL is being fetched."""
        with self._lock:
            self._promises.remove([key])
            self._asked[host] += 1
            self._look_at(host)

    def forget(self, keys: Iterable[int]) -> None:
        """Leaves out URLs that are not queued."""
        with self._lock:
            self._promises.remove(keys)

    def passed_on(self, targets: Sequence[int], relevance: float) -> list[Change]:
        """The URLs on a page of such relevance whose promise has changed by that."""
        with self._lock:
            places = self._promises.note_links(targets, relevance)
            priorities, known = self._judge(places)
            written = self._promises.written[places]
            # What is far behind is written down when the queue is ranked again, if it has come nearer by then.
            is_near = (priorities >= self._last_ahead) | (written >= self._last_ahead)
            return self._changes(places, priorities, known, is_near & (abs(priorities - written) > _SAME))

    def is_stale(self) -> bool:
        """Enough pages were scored since the whole queue was ranked."""
        return self._pages - self._ranked_at >= max(_RANK_EVERY, len(self._promises) // _RANK_SHARE)

    def ranked_again(self, *, whole: bool = False) -> tuple[list[Change], dict[str, float]]:
        """The URLs of each host whose place among its best has changed, or all, and host → its best priority."""
        import numpy as np

        with self._lock:
            self._follow_labels()
            self._ranked_at = self._pages
            places = self._promises.all_places
            if not len(places):
                return [], {}
            priorities, known = self._judge(places)
            hosts = self._promises.hosts_of(places)
            order = np.lexsort((-priorities, hosts))
            first = np.flatnonzero(np.diff(hosts[order], prepend=-1))
            size = np.diff(first, append=len(order))
            behind = np.empty(len(order), np.int64)
            behind[order] = np.arange(len(order)) - np.repeat(first, size)
            is_ahead = behind < _AHEAD_A_HOST
            best_of_all = np.argpartition(-priorities, min(_AHEAD, len(places)) - 1)[:_AHEAD]
            is_ahead[best_of_all] = True
            self._last_ahead = float(priorities[best_of_all].min())
            # What was written behind these is right as long as it claims no place before them.
            last = np.full(int(hosts.max()) + 1, -np.inf)
            np.maximum.at(last, hosts[~is_ahead], priorities[~is_ahead])
            written = self._promises.written[places]
            changed = (abs(priorities - written) > _SAME) & (whole | is_ahead | (written > last[hosts] - 2 * _SAME))
            names = self._promises.hosts.names
            best = {names[hosts[at]]: float(priorities[at]) for at in order[first]}
            return self._changes(places, priorities, known, changed), best

    def _take_in(self, rows: Iterable[Row]) -> None:
        new = {row["id"]: row for row in rows if row["id"] not in self._promises}
        self._promises.add(
            {key: (row["url"], row["host"], row["anchor"], row["context"]) for key, row in new.items()},
            [lift(row)[0] for row in new.values()],
        )

    def _judge(self, places: Ints) -> tuple[Floats, Signals]:
        """The priority of each URL: its promise, lower for held sources and higher for boosted ones."""
        import numpy as np

        promise, known = self._promises.of(places)
        hosts = self._promises.hosts
        changed = self._held | {host: BOOST for host, verdict in self.verdicts.items() if verdict == "boost"}
        moved = np.zeros(len(hosts))
        for host, by in changed.items():
            if host in hosts:
                moved[hosts.number(host)] = by
        return promise + moved[self._promises.hosts_of(places)], known

    def _lift(self, row: Row) -> float:
        return lift(row)[0] + (BOOST if self.verdicts.get(row["host"]) == "boost" else 0.0)

    def _look_at(self, host: str) -> None:
        """Holds a source, or lets it go on."""
        labels, pages = self._labels[host], self._asked[host]
        if host in self.verdicts:  # somebody has looked at it
            allowed = None
        elif not self._relevant[host]:
            allowed = _HELD_AFTER * max(0.0, 1.0 - labels / _HELD_AFTER_LABELS)
        else:
            allowed = _TRUSTED if labels == 1 else None
        if allowed is None or pages < allowed:
            self._held.pop(host, None)
        else:
            # Where only held sources are left, those come first of which least is known.
            known = 0.5 * labels + (pages - allowed) / _LOWERED_BY
            self._held[host] = HELD - min(_MOST_LOWERED, known)

    def _changes(
        self, places: Ints, priorities: Floats, known: Signals, changed: npt.NDArray[np.bool_]
    ) -> list[Change]:
        places, priorities = places[changed], priorities[changed]
        self._promises.written[places] = priorities
        known = Signals(known.words[changed], known.linking[changed], known.least[changed], known.directory[changed])
        names = self._promises.hosts.names
        hosts = [names[number] for number in self._promises.hosts_of(places)]
        ids = self._promises.ids(places).tolist()
        return list(map(Change, ids, hosts, priorities.tolist(), self._reasons(places, known, is_whole=True)))

    def _reasons(self, places: Ints, known: Signals, *, is_whole: bool = False) -> list[str]:
        """Why each URL has its place, for people; ``is_whole``: with what the analyst wants first."""
        names = self._promises.hosts.names
        texts = []
        for number, words, linking, directory in zip(
            self._promises.hosts_of(places), known.words, known.linking, known.directory, strict=True
        ):
            host = names[number]
            text = f"link text {words:.2f}, linking pages {linking:.2f}, directory {directory:.2f}"
            if host in self._held:
                text = f"held until a document of this source is labelled relevant; {text}"
            if is_whole and self.verdicts.get(host) == "boost":
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
    """Host → how many of the next pages would be its own, if no source were held: where a label counts."""
    rows = folder.catalog.tuples(
        "SELECT host, count(*) FROM (SELECT host FROM frontier WHERE state = 'queued' "
        "ORDER BY CASE WHEN priority < ? THEN priority - ? ELSE priority END DESC, n LIMIT ?) GROUP BY host",
        (HELD / 2, HELD, pages),
    )
    return Counter(dict(rows))


def ranking_of(steer: Any) -> Ranking:
    """Return the ranking that ``Corpus.crawl(steer=...)`` means.

    Args:
        steer: None, a model, a ranking or a function.

    Raises:
        ConfigurationError: none of these.
    """
    if steer is None:
        return BreadthFirst()
    if hasattr(steer, "rank") and hasattr(steer, "score_page"):
        return steer  # type: ignore[no-any-return]
    if isinstance(steer, CorpusModel):
        return ModelRanking(steer)
    if callable(steer):
        return Steered(steer)
    raise ConfigurationError(f"steer={steer!r}: expected a model, or a function from frontier rows to scores")
