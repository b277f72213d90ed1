"""CPU a page of choosing by a model on a long queue, beside breadth-first on the same queue.

    python benchmarks/steering_cost.py                  # 100,000 queued URLs of 500 hosts, 1,000 pages
    python benchmarks/steering_cost.py --urls 1000000

Everything that steering adds to a page is in it: choosing, scoring the page's text, the promise of its links, ranking the queue again,
and writing priorities into the catalogue. Fetching, parsing and extracting are not. The way is that of a crawl, on a frontier on disk.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

import corpuskit
from corpuskit.crawl.frontier import Frontier, NewUrl, url_id
from corpuskit.crawl.host_scheduler import HostScheduler
from corpuskit.crawl.model_ranking import ModelRanking
from corpuskit.crawl.politeness import Politeness
from corpuskit.crawl.ranking import BreadthFirst, Ranking
from corpuskit.relevance import CorpusModel, train

LINKS, NEW = 100, 20  # of a page; so many of them were not known
WORDS = [
    "sea",
    "fish",
    "net",
    "boat",
    "harbour",
    "tide",
    "salt",
    "wave",
    "tax",
    "form",
    "court",
    "clause",
    "duty",
    "paper",
    "stamp",
    "office",
    "lake",
    "river",
    "bridge",
    "road",
]


def text(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(WORDS, k=words))


def url(draw: random.Random, hosts: int, number: int) -> str:
    host = int(hosts * draw.random() ** 2)
    return f"http://h{host}.example/{draw.choice(WORDS)}/{draw.choice(WORDS)}-{number}.html"


def measure(folder: Path, ranking: Ranking, *, urls: int, hosts: int, pages: int) -> tuple[float, float]:
    """Return CPU seconds to begin and CPU milliseconds a page."""
    draw = random.Random(1)
    corpus = corpuskit.open(folder)
    catalog = corpus._folder.catalog
    frontier = Frontier(catalog)
    known = [url(draw, hosts, number) for number in range(urls)]
    frontier.add(NewUrl(one, 1, 0.0, "http://h0.example/", text(draw, 3), text(draw, 8)) for one in known)
    scheduler = HostScheduler(
        frontier, Politeness(catalog, 0.0), round_robin=ranking.round_robin, is_full=lambda _: False
    )
    started = time.process_time()
    ranking.begin(corpus._folder, frontier)
    frontier.rescore(ranking.rank)
    scheduler.set_priorities(dict(frontier.hosts()))
    began = time.process_time() - started
    body = [text(draw, 400) for _ in range(50)]
    spent = 0.0
    for number in range(pages):
        targets = [url_id(one) for one in draw.sample(known, LINKS - NEW)]
        fresh = [url(draw, hosts, urls + number * NEW + k) for k in range(NEW)]
        anchors = [(text(draw, 3), text(draw, 8)) for _ in fresh]
        started = time.process_time()
        lease = scheduler.lease_next(time.time())
        assert lease is not None
        ranking.on_leased(lease.id, lease.host)
        rows = [
            {"id": url_id(one), "url": one, "host": one.split("/")[2], "depth": 2, "anchor": anchor, "context": context,
             "parent": lease.url, "parent_score": None}
            for one, (anchor, context) in zip(fresh, anchors, strict=True)
        ]  # fmt: skip
        ranked = ranking.rank(rows)
        new = [
            NewUrl(row["url"], 2, priority, lease.url, row["anchor"], row["context"], None, why)
            for row, (priority, why) in zip(rows, ranked, strict=True)
        ]
        frontier.add(new)
        for one in new:
            scheduler.raise_priorities({one.url.split("/")[2]: one.priority})
        row = {"url": lease.url, "host": lease.host}
        if (score := ranking.score_page("page", body[number % len(body)], row)) is not None:
            changes = ranking.on_links_scored([*targets, *(row["id"] for row in rows)], score.relevance)
            frontier.set_priorities((change.priority, change.why, change.id) for change in changes)
            scheduler.raise_priorities({change.host: change.priority for change in changes})
        if ranking.is_stale():
            again, heads = ranking.rerank()
            frontier.set_priorities((change.priority, change.why, change.id) for change in again)
            scheduler.set_priorities(heads)
        frontier.finish(lease, "fetched")
        scheduler.release(lease.host)
        spent += time.process_time() - started
    return began, 1000 * spent / pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=100_000, help="queued at the start (default: 100,000)")
    parser.add_argument("--hosts", type=int, default=500)
    parser.add_argument("--pages", type=int, default=1000)
    options = parser.parse_args()
    draw = random.Random(0)
    texts = [text(draw, 200) + (" sea fish" if number % 2 else " tax form") * 20 for number in range(200)]
    model = CorpusModel(train(texts, ["relevant" if number % 2 else "other" for number in range(200)]))
    for name, ranking in (("by the model", ModelRanking(model)), ("breadth-first", BreadthFirst())):
        with tempfile.TemporaryDirectory() as folder:
            began, cost = measure(
                Path(folder) / "corpus", ranking, urls=options.urls, hosts=options.hosts, pages=options.pages
            )
        print(f"{name:14s} {cost:6.2f} ms a page, {began:.1f} s to begin on {options.urls:,} URLs", flush=True)


if __name__ == "__main__":
    main()
