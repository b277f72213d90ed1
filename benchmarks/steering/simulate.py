"""Simulate crawls of the topics' webs on their link graphs: corpuskit's own ranking and questions, and baselines, in a minute a run.

    python simulate.py --data DIR                                  # all topics that were built, all orders, two runs each
    python simulate.py --data DIR mail geo --orders corpuskit "best parent" --runs 3

Nothing is served and nothing is stored; pages are extracted once and kept in DIR/TOPIC/extracted.sqlite. The protocol is that of
live.py, also that several URLs are under way at once: a page is scored some pages after it was chosen. Baselines share the warm-up,
the first labels and the document model; only their order and their questions differ (uncertain and high-scored pages at random).
"""

import argparse
import heapq
import json
import logging
import random
import re
import statistics
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from analyst import Analyst
from offline import OfflineWeb
from score import LEAST_PAGES, Robots, auhc, canonical
from steered import EVERY, FIRST_LABELS, LABELS_A_ROUND

from corpuskit.crawl.frontier import LinkStatistics, url_id
from corpuskit.crawl.model_ranking import SUSPENDED_PENALTY, KnownPage, ModelRanking
from corpuskit.crawl.ranking import QueueRow
from corpuskit.errors import RelevanceError
from corpuskit.relevance import CorpusModel, pdf_trio_url_tokens, train
from corpuskit.relevance.active_learning import choose_by_source
from corpuskit.relevance.sampling import suggest
from corpuskit.relevance.scoring_text import scoring_text

ORDERS = ["corpuskit", "best parent", "mean parent", "URL fastText", "host turns", "breadth-first", "oracle"]
WARM_UP, POOL, STAKES = 300, 5000, 400
UNDER_WAY, A_HOST, WORKERS = 16, 4, 2  # as a crawl without delay has it on two cores
FETCHING, EXTRACTING = 0.008, 0.025  # seconds; only their ratio matters


class Simulation:
    """One crawl: what was found, fetched, labelled and scored; a URL is its number."""

    def __init__(self, web: OfflineWeb, order: str, seed: int, labels: int) -> None:
        self.web, self.order, self.random, self.seed = web, order, random.Random(seed), seed
        self.analyst, self.robots = Analyst(web.gold, labels), Robots(web.gold["robots"])
        self.urls: list[str] = []
        self.hosts: list[str] = []
        self.rows: list[QueueRow] = []
        self.number: dict[str, int] = {}
        self.by_key: dict[int, int] = {}
        self.parents: list[list[int]] = []
        self.queued: dict[int, None] = {}
        self.links: dict[int, list[int]] = {}
        self.texts: dict[int, str] = {}
        self.scores: dict[int, float] = {}
        self.labels: dict[int, str] = {}
        self.asked: set[int] = set()
        self.fetched: list[int] = []
        self.taken: Counter[str] = Counter()
        self.relevant: Counter[str] = Counter()
        self.model: Any = None
        self.chooser: Chooser = TurnsFirst(self)
        for url in web.gold["seeds"]:
            self.discover(url, "", "", None)

    def discover(self, url: str, anchor: str, context: str, parent: int | None) -> int | None:
        """Return the number of a URL; None where robots.txt forbids it."""
        key = canonical(url)
        if key not in self.number:
            if not self.robots.allowed(url):
                return None
            at = self.number[key] = len(self.urls)
            host = urlsplit(url).netloc
            self.urls.append(url)
            self.hosts.append(host)
            depth = 0 if parent is None else self.rows[parent]["depth"] + 1
            self.rows.append(
                {"id": url_id(url), "url": url, "host": host, "depth": depth, "anchor": anchor, "context": context,
                 "parent": None if parent is None else self.urls[parent], "parent_score": None}
            )  # fmt: skip
            self.by_key[self.rows[at]["id"]] = at
            self.parents.append([])
            self.queued[at] = None
        at = self.number[key]
        if parent is not None and parent != at:
            self.parents[at].append(parent)
        return at

    def take(self, at: int) -> None:
        del self.queued[at]
        self.taken[self.hosts[at]] += 1

    def fetch(self, at: int) -> bool:
        """Fetch a page and discover its links; return whether there is one."""
        self.fetched.append(at)
        page, first = self.web.get(self.urls[at]), len(self.urls)
        if page is None:
            self.links[at] = []
            return False
        self.texts[at] = scoring_text(page.title, page.text)
        found = (self.discover(*link, at) for link in page.links)
        self.links[at] = [target for target in dict.fromkeys(found) if target is not None and target != at]
        self.chooser.discovered(range(first, len(self.urls)))
        return True

    def warm_up(self, pages: int) -> None:
        while len(self.fetched) < pages and (at := self.chooser.choose(frozenset())) is not None:
            self.take(at)
            self.fetch(at)

    # -- the analyst ------------------------------------------------------------------------------------------------

    def label(self, asked: Mapping[int, str]) -> int:
        """Ask for labels, each for a reason; return how many were given."""
        before = len(self.labels)
        for at, reason in asked.items():
            self.asked.add(at)
            if answer := self.analyst.label(self.urls[at], audit=reason == "new source"):
                self.labels[at] = answer
        return len(self.labels) - before

    def first_labels(self) -> dict[int, str]:
        words = re.compile(self.web.gold["keywords"], re.IGNORECASE)
        ranked = sorted(self.texts, key=lambda at: -len(words.findall(self.texts[at])))
        others = ranked[FIRST_LABELS:]
        return dict.fromkeys(ranked[:FIRST_LABELS] + self.random.sample(others, min(FIRST_LABELS, len(others))), "")

    def train(self) -> None:
        """Train on the labels and score what was fetched; without enough labels the model stays."""
        known = list(self.texts)
        pool = known if len(known) <= POOL else self.random.sample(known, POOL)
        try:
            document = train(
                [self.texts[at] for at in self.labels],
                list(self.labels.values()),
                pool=[self.texts[at] for at in pool],
                groups=[self.hosts[at] for at in self.labels],
            )
        except RelevanceError:
            return
        self.model = CorpusModel(document)
        self.scores = dict(zip(known, document.score([self.texts[at] for at in known]).tolist(), strict=True))

    # -- the crawl --------------------------------------------------------------------------------------------------

    def run(self, pages: int) -> dict[str, Any]:
        self.warm_up(min(WARM_UP, pages))
        self.label(self.first_labels())
        self.train()
        while len(self.fetched) < pages and self.queued:
            self.chooser = CHOOSERS[self.order](self) if self.model else TurnsFirst(self)
            before = len(self.fetched)
            self.steer(min(EVERY, pages - before))
            if len(self.fetched) == before:
                break
            if len(self.fetched) < pages and self.label(self.chooser.questions()):
                self.train()
        return self.figures(pages)

    def steer(self, pages: int) -> None:
        """Fetch so many pages, several at a time: each is chosen by what was scored by then."""
        last, now, number = len(self.fetched) + pages, 0.0, 0
        events: list[tuple[float, int, str, int]] = []
        fetching: Counter[str] = Counter()
        waiting: deque[int] = deque()
        under_way = working = 0
        while True:
            while under_way < UNDER_WAY and len(self.fetched) + sum(fetching.values()) < last:
                full = frozenset(host for host, count in fetching.items() if count >= A_HOST)
                if (at := self.chooser.choose(full)) is None:
                    break
                self.take(at)
                self.chooser.on_leased(at)
                fetching[self.hosts[at]] += 1
                under_way, number = under_way + 1, number + 1
                heapq.heappush(events, (now + FETCHING * (0.5 + self.random.random()), number, "fetched", at))
            if not events:
                return
            now, _, what, at = heapq.heappop(events)
            if what == "fetched":
                fetching[self.hosts[at]] -= 1
                if self.fetch(at):
                    waiting.append(at)
                else:
                    under_way -= 1
            else:
                working, under_way = working - 1, under_way - 1
                if self.model is not None:  # too few labels: a round goes by without
                    self.scores[at] = float(self.model.score([self.texts[at]])[0])
                    self.note_relevant(at)
                self.chooser.scored(at)
            while working < WORKERS and waiting:
                working, number = working + 1, number + 1
                end = now + EXTRACTING * (0.5 + self.random.random())
                heapq.heappush(events, (end, number, "scored", waiting.popleft()))

    def note_relevant(self, at: int) -> None:
        """The home page of a source with five relevant pages is asked for; baselines do not know that."""
        host = self.hosts[at]
        self.relevant[host] += self.scores[at] >= 0.5
        if self.order == "corpuskit" and self.scores[at] >= 0.5 and self.relevant[host] == 5:
            first = len(self.urls)
            self.discover(f"http://{host}/", "", "", at)
            self.chooser.discovered(range(first, len(self.urls)))

    def figures(self, pages: int) -> dict[str, Any]:
        found, total = [], self.web.gold["relevant_reachable"]
        for at in self.fetched:
            found.append((found[-1] if found else 0) + self.web.is_relevant(self.urls[at]))
        return {
            "AUHC": auhc(found, total),
            "AUHC 2000": auhc(found, total, LEAST_PAGES),
            "found at 1000": found[min(999, len(found) - 1)],
            "found at R": found[min(total, len(found)) - 1],
            "trap pages": sum(self.hosts[at] in self.web.traps for at in self.fetched),
            "labels": self.analyst.labels,
        }


class Chooser:
    """An order of the queue."""

    def __init__(self, crawl: Simulation) -> None:
        self.crawl = crawl

    def choose(self, full: frozenset[str]) -> int | None:
        """Return the URL to be fetched next, of none of the hosts that are busy."""
        free = (at for at in self.crawl.queued if self.crawl.hosts[at] not in full)
        return max(free, key=self.value, default=None)

    def value(self, at: int) -> float:
        raise NotImplementedError

    def on_leased(self, at: int) -> None:
        return

    def discovered(self, urls: range) -> None:
        return

    def scored(self, at: int) -> None:
        return

    def questions(self) -> dict[int, str]:
        """Eight of the least certain pages and four of the high-scored ones, at random."""
        crawl = self.crawl
        free = [at for at in crawl.texts if at not in crawl.asked]
        unsure = sorted(free, key=lambda at: abs(crawl.scores.get(at, 0.0) - 0.5))[:40]
        high = [at for at in free if crawl.scores.get(at, 0.0) > 0.5]
        return dict.fromkeys(
            crawl.random.sample(unsure, min(8, len(unsure))) + crawl.random.sample(high, min(4, len(high))), ""
        )


class BreadthFirst(Chooser):
    """First found, first fetched."""

    def value(self, at: int) -> float:
        return -float(at)


class TurnsFirst(Chooser):
    """Breadth-first, a turn a host, as a crawl without a model has it: ties go to the least depth, then by name."""

    def choose(self, full: frozenset[str]) -> int | None:
        crawl, first = self.crawl, dict[str, int]()
        for at in crawl.queued:
            host = crawl.hosts[at]
            if host not in first or crawl.rows[at]["depth"] < crawl.rows[first[host]]["depth"]:
                first[host] = at
        best = min(
            (host for host in first if host not in full),
            key=lambda host: (crawl.taken[host], crawl.rows[first[host]]["depth"], host),
            default=None,
        )
        return None if best is None else first[best]


class BestParent(Chooser):
    """The best score of a page that links there."""

    def value(self, at: int) -> float:
        return max((self.crawl.scores.get(parent, 0.0) for parent in self.crawl.parents[at]), default=0.0)


class MeanParent(Chooser):
    """The mean score of the pages that link there."""

    def value(self, at: int) -> float:
        parents = self.crawl.parents[at]
        return sum(self.crawl.scores.get(parent, 0.0) for parent in parents) / max(1, len(parents))


class UrlFastText(Chooser):
    """fastText on the URLs of the labelled pages, by the recipe of pdf_trio."""

    def __init__(self, crawl: Simulation) -> None:
        import tempfile

        import fasttext

        super().__init__(crawl)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            for at, label in crawl.labels.items():
                file.write(f"__label__{label} {pdf_trio_url_tokens(crawl.urls[at])}\n")
            file.flush()
            self.model = fasttext.train_supervised(file.name, epoch=25, lr=0.5, thread=1, verbose=0)
        self.values: dict[int, float] = {}

    def value(self, at: int) -> float:
        if at not in self.values:
            tokens = pdf_trio_url_tokens(self.crawl.urls[at])
            [(share, label)] = self.model.f.predict(f"{tokens}\n", 1, 0.0, "strict")
            self.values[at] = share if label == "__label__relevant" else 1.0 - share
        return self.values[at]


class Oracle(Chooser):
    """Knows the gold: relevant pages first, then those that link to most that were not met."""

    def __init__(self, crawl: Simulation) -> None:
        super().__init__(crawl)
        self.values: dict[int, float] = {}

    def value(self, at: int) -> float:
        if at not in self.values:
            web = self.crawl.web
            page = web.get(self.crawl.urls[at])
            unmet = {canonical(url) for url, *_ in page.links if web.is_relevant(url)} if page else set()
            self.values[at] = 1e6 * web.is_relevant(self.crawl.urls[at]) + len(unmet - self.crawl.number.keys())
        return self.values[at]

    def scored(self, at: int) -> None:
        if len(self.crawl.fetched) % 100 == 0:
            self.values.clear()


class Ours(Chooser):
    """corpuskit's ranking, begun anew as by ``crawl(resume=True, steer=model)``; the priorities of the frontier are a column."""

    def __init__(self, crawl: Simulation) -> None:
        super().__init__(crawl)
        self.ranking = ModelRanking(crawl.model)
        fetched = [at for at in crawl.fetched if at in crawl.texts]
        self.ranking.load(
            [KnownPage(crawl.urls[at], crawl.hosts[at], crawl.scores.get(at), crawl.labels.get(at), at in crawl.asked)
             for at in fetched],
            self,
        )  # fmt: skip
        self.priorities = np.full(1 << 17, -np.inf)
        self.host = np.zeros(1 << 17, np.int64)
        self.host_numbers: dict[str, int] = {}
        self._write(list(crawl.queued))

    def queued(self) -> Iterator[list[QueueRow]]:
        yield [self.crawl.rows[at] for at in self.crawl.queued]

    def link_statistics(self, score_of: Mapping[int, float]) -> LinkStatistics:
        rows = []
        for at in self.crawl.queued:
            scores = [score_of[key] for p in self.crawl.parents[at] if (key := self.crawl.rows[p]["id"]) in score_of]
            rows.append(
                (self.crawl.rows[at]["id"], len(scores), sum(scores), min(scores, default=1.0), max(scores, default=0))
            )
        ids, *columns = zip(*sorted(rows), strict=True)
        return LinkStatistics(np.array(ids, np.int64), *(np.array(column, float) for column in columns))

    def _write(self, urls: list[int]) -> None:
        rows = [self.crawl.rows[at] for at in urls]
        for at, (priority, _) in zip(urls, self.ranking.rank(rows), strict=True):
            self.priorities[at] = priority
            self.host[at] = self.host_numbers.setdefault(self.crawl.hosts[at], len(self.host_numbers))

    def choose(self, full: frozenset[str]) -> int | None:
        values = self.priorities[: len(self.crawl.urls)]
        if full:
            busy = [self.host_numbers[host] for host in full if host in self.host_numbers]
            values = np.where(np.isin(self.host[: len(values)], busy), -np.inf, values)
        at = int(np.argmax(values))
        return at if values[at] > -np.inf else None

    def on_leased(self, at: int) -> None:
        self.priorities[at] = -np.inf
        self.ranking.on_leased(self.crawl.rows[at]["id"], self.crawl.hosts[at])

    def discovered(self, urls: range) -> None:
        self._write(list(urls))

    def scored(self, at: int) -> None:
        crawl, score = self.crawl, self.crawl.scores[at]
        self.ranking.record_score(crawl.urls[at], crawl.hosts[at], score)
        changes = self.ranking.on_links_scored([crawl.rows[target]["id"] for target in crawl.links[at]], score)
        if self.ranking.is_stale():
            changes = [*changes, *self.ranking.rerank()[0]]
        for change in changes:
            if (at := crawl.by_key[change.id]) in crawl.queued:
                self.priorities[at] = change.priority

    def questions(self) -> dict[int, str]:
        crawl, n = self.crawl, LABELS_A_ROUND
        self._write(list(crawl.queued))
        best = sorted(
            crawl.queued,
            key=lambda at: -(self.priorities[at] - SUSPENDED_PENALTY * (self.priorities[at] < SUSPENDED_PENALTY / 2)),
        )
        stakes = Counter(crawl.hosts[at] for at in best[:STAKES])
        free = {str(at): crawl.hosts[at] for at in crawl.texts if at not in crawl.asked}
        doubt = {str(at): abs(score - 0.5) for at, score in crawl.scores.items()}
        chosen = choose_by_source(free, Counter(crawl.hosts[at] for at in crawl.asked), doubt, stakes, n - n // 4)
        rest = [int(name) for name in free if name not in chosen]
        left = min(n - len(chosen), len(rest))
        found = suggest(crawl.model.document, [crawl.texts[at] for at in rest], left, random=int(left >= 3), seed=0)
        return {int(name): reason for name, reason in chosen.items()} | {
            rest[item.index]: item.reason for item in found
        }


CHOOSERS: dict[str, type[Chooser]] = dict(
    zip(ORDERS, [Ours, BestParent, MeanParent, UrlFastText, TurnsFirst, BreadthFirst, Oracle], strict=True)
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topics", nargs="*", help="folders of DIR (default: all that were built)")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="what build.py made")
    parser.add_argument("--orders", nargs="+", default=ORDERS, choices=ORDERS, metavar="ORDER", help=", ".join(ORDERS))
    parser.add_argument("--runs", type=int, default=2, help="runs a topic and order (default: 2)")
    parser.add_argument("--pages", type=int, help=f"pages a run (default: 2R, at least {LEAST_PAGES})")
    parser.add_argument("--labels", type=int, default=210, help="the analyst's labels (default: 210)")
    parser.add_argument("--json", type=Path, help="write the figures of all runs here")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    names = options.topics or sorted(path.parent.name for path in options.data.glob("*/gold.json"))
    results: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for name in names:
        web = OfflineWeb(options.data / name)
        total = web.gold["relevant_reachable"]
        pages = options.pages or max(2 * total, LEAST_PAGES)
        print(f"\n{name}: R = {total}, {pages} pages, {options.runs} runs", flush=True)
        for order in options.orders:
            started = time.process_time()
            runs = [Simulation(web, order, seed, options.labels).run(pages) for seed in range(1, options.runs + 1)]
            results.setdefault(name, {})[order] = runs
            means = {figure: statistics.mean(run[figure] for run in runs) for figure in runs[0]}
            told = ", ".join(
                f"{figure} {value:.0f}" for figure, value in means.items() if not figure.startswith("AUHC")
            )
            seconds = (time.process_time() - started) / options.runs
            each = " ".join(f"{run['AUHC']:.3f}" for run in runs)
            print(
                f"{order:14s} {means['AUHC']:.4f} ({each})  2000: {means['AUHC 2000']:.4f}  {told}  ({seconds:.0f} s a run)",
                flush=True,
            )
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    for figure in ("AUHC", "AUHC 2000"):
        print(f"\nMean {figure} over the topics")
        for order in options.orders:
            values = [statistics.mean(run[figure] for run in results[name][order]) for name in names]
            each = "  ".join(f"{name} {value:.3f}" for name, value in zip(names, values, strict=True))
            print(f"{order:14s} {statistics.mean(values):.4f}   {each}")


if __name__ == "__main__":
    main()
