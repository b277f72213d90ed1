"""What happens to pages after they are fetched: extraction, and the scores that steer."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Final

from corpuskit import engine
from corpuskit.crawl.frontier import Lease, NewUrl
from corpuskit.crawl.state import CrawlState, Stopping
from corpuskit.ingest import LIMITS, Extracted, Task, commit, extract, extract_carefully

_LOOK: Final = 0.1  # seconds
_GOOD: Final = 5  # relevant pages of a host, after which its home page is asked for even if nothing links to it


@dataclass(frozen=True, slots=True)
class Origin:
    """How a page came: its lease, the number of its request, and the keys of the URLs it links to."""

    lease: Lease
    request: int
    targets: list[int]


class Finisher:
    """Has pages extracted in worker processes, commits what came of it and hands scores to the frontier.

    Used as a context manager; its thread ends when all that was handed in is done, or soon after the crawl was told to stop:
    what is not extracted by then is extracted by the next one.
    """

    def __init__(self, state: CrawlState, stopping: Stopping) -> None:
        self.error: BaseException | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.has_news = asyncio.Event()  # a page is done; set and cleared by the loop's thread
        self._state = state
        self._catalog = state.folder.catalog
        self._under_way: dict[int, Origin | None] = {}
        self._relevant: Counter[str] = Counter()
        self._stopping = stopping
        self._is_closing = threading.Event()
        self._is_leaving = threading.Event()
        self._pool: engine.Pool[Task, Extracted] = engine.Pool(extract, limits=LIMITS, last=extract_carefully)
        self._thread = threading.Thread(target=self._run, name="corpuskit-extraction", daemon=True)

    def __enter__(self) -> Finisher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closing.set()
        while self._thread.is_alive():
            self._thread.join(timeout=_LOOK)
            if self._stopping.is_over:
                self._is_leaving.set()
        self._pool.close()

    @property
    def waiting(self) -> int:
        """Pages that are not extracted yet."""
        return len(self._under_way)

    def hand_in(self, task: Task, origin: Origin | None = None) -> None:
        """A page to be extracted, and where it comes from where this crawl has fetched it."""
        # The entry first: the outcome may come before this call is over.
        self._under_way[self._pool.next_index] = origin
        self._pool.submit(task)

    def _run(self) -> None:
        try:
            while not (self._is_leaving.is_set() or (self._is_closing.is_set() and not self._under_way)):
                try:
                    outcome = self._pool.result(timeout=_LOOK)
                except queue.Empty:
                    continue
                share = commit(self._state.folder, outcome)
                self._state.progress.extracted += outcome.error is None
                origin = self._under_way[outcome.index]
                if origin is not None and outcome.value is not None:
                    self._note_share(origin, share)
                    self._pass_on_score(outcome.item.doc_id, outcome.value, origin.lease, origin.targets)
                    if self._state.ranking.is_stale():
                        self._rank_again()
                del self._under_way[outcome.index]
                self.in_loop(self.has_news.set)
        except BaseException as error:
            self.error = error
            self._under_way.clear()
            self.in_loop(self.has_news.set)

    def _note_share(self, origin: Origin, share: float | None) -> None:
        if share is None:
            return
        state = self._state
        state.progress.unique.append(share)
        self._catalog.connection.execute("UPDATE requests SET unique_share = ? WHERE id = ?", (share, origin.request))
        if state.yields.note(origin.lease.url, share):
            state.frontier.refuse(state.scope, origin.lease.host)

    def _pass_on_score(self, doc_id: str, page: Extracted, lease: Lease, targets: list[int]) -> None:
        ranking = self._state.ranking
        score = ranking.score_page(page.title, page.text, asdict(lease))
        if score is None:
            return
        self._catalog.connection.execute(
            "INSERT OR REPLACE INTO scores (doc_id, model, relevance, decision) VALUES (?, ?, ?, ?)",
            (doc_id, score.model, score.relevance, score.decision),
        )
        self._state.progress.harvest.append(score.relevance >= 0.5)
        if score.relevance >= 0.5:
            self._note_relevant(lease, score.relevance)
        heads = self._state.set_priorities(ranking.passed_on(targets, score.relevance))
        self.in_loop(lambda: self._state.turns.raise_heads(heads))

    def _note_relevant(self, lease: Lease, score: float) -> None:
        """Queues the home page of a good source: whole parts of a site may be linked from nowhere else."""
        self._relevant[lease.host] += 1
        if self._relevant[lease.host] != _GOOD:
            return
        state, depth = self._state, lease.depth + 1
        url = f"{lease.url.partition('://')[0]}://{lease.host}/"
        home = NewUrl(url, depth, 0.0, lease.url, parent_score=score)
        if state.scope.refusal(url) is not None or state.frontier.existing([home.id]):
            return
        [(priority, why)] = state.rank([{**asdict(home), "id": home.id, "host": lease.host}])
        home = replace(home, priority=priority, why=f"home page of a source; {why}")
        state.frontier.add([home])
        self.in_loop(lambda: state.note([home]))

    def _rank_again(self) -> None:
        changes, heads = self._state.ranking.ranked_again()
        self._state.set_priorities(changes)
        self.in_loop(lambda: self._state.turns.update(heads))

    def in_loop(self, change: Callable[[], None]) -> None:
        """Heads are changed by the loop's thread only, since it goes through them."""
        if self.loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: nothing is fetched any more
                self.loop.call_soon_threadsafe(change)
