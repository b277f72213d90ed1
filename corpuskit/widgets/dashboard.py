"""A running crawl: what it finds, what it waits for, what comes next; pause, skip, boost, stop."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, Final

import traitlets

from corpuskit.store.formatting import pluralize
from corpuskit.widgets.crawl_state import CrawlState
from corpuskit.widgets.shell import Widget, module, styles

if TYPE_CHECKING:
    from corpuskit.crawl import CrawlJob

_SECONDS: Final = 0.3  # between two updates: fewer than 4 a second
MAX_BYTES: Final = 2_000  # of an update


class CrawlDashboard(Widget):
    """The state of a crawl, a few times a second, and what steers it.

    Args:
        job: the crawl, as ``Corpus.crawl`` gives it; also one that has ended.
    """

    _esm = module("dashboard")
    _css = styles("dashboard")
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, job: CrawlJob) -> None:
        self._state = CrawlState(job)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        super().__init__(state=fitted(self._state.read()))
        self._pump = threading.Thread(target=self._run, name="corpuskit-dashboard", daemon=True)
        self._pump.start()

    def _run(self) -> None:
        while not self._closed.wait(_SECONDS):
            state = self._update()
            if state["status"] == "ended":
                return

    def _update(self) -> dict[str, Any]:
        with self._lock:
            state = fitted(self._state.read())
            if state != self.state:
                self.state = state
        return state

    def close(self) -> None:
        """End the updates. The crawl continues."""
        self._closed.set()
        super().close()

    def summary(self) -> str:
        """Return status, pages, harvest."""
        state = self.state
        harvest = "" if state["harvest"] is None else f", harvest rate {state['harvest']:.0%}"
        return f"Crawl {state['status']}: {pluralize(state['pages'], 'page')} of {pluralize(state['hosts'], 'host')}{harvest}"

    # -- messages --------------------------------------------------------------------------------------------------

    def _on_do(self, message: dict[str, Any]) -> None:
        what = str(message["what"])
        if what in {"skip", "boost"}:
            with self._lock:  # else a reading under way would keep the sources as they were
                count = getattr(self._state, what)(str(message["host"]))
            self.send({"op": "done", "what": what, "host": message["host"], "count": count})
        elif what in {"pause", "resume"}:
            getattr(self._state.job, what)()
        elif what == "stop":
            # stop() waits for running requests. The kernel must not block meanwhile.
            threading.Thread(target=self._state.job.stop, name="corpuskit-stop", daemon=True).start()
            self.send({"op": "done", "what": what})
        self._update()


def fitted(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state in at most :data:`MAX_BYTES` of JSON, shortened at the ends of its lists."""
    state = dict(state)
    while len(json.dumps(state, separators=(",", ":")).encode()) > MAX_BYTES:
        largest_list = max(("next", "waiting", "errors", "curve"), key=lambda name: len(json.dumps(state[name])))
        if not state[largest_list]:
            break
        state[largest_list] = state[largest_list][1:] if largest_list == "curve" else state[largest_list][:-1]
    return state
