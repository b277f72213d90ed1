"""A crawl that follows a model: no source trusted unseen, the best of each host in its place, an end when nothing comes."""

import random

import numpy as np
import pytest

from corpuskit.crawl import model_ranking
from corpuskit.crawl.frontier import Frontier, LinkStatistics, url_id
from corpuskit.crawl.model_ranking import SUSPENDED_PENALTY, KnownPage, ModelRanking, stakes
from corpuskit.errors import ConfigurationError

SEED = "http://a.example/"


class Model:
    """P(relevant) by the word sea; no document model is needed to test an order."""

    def score(self, texts):
        return np.array([0.9 if "sea" in text else 0.1 for text in texts])


class Queue:
    def __init__(self, rows):
        self.rows = rows

    def queued(self):
        return [self.rows] if self.rows else []

    def link_statistics(self, score_of):
        nothing = np.zeros(0)
        return LinkStatistics(np.zeros(0, np.int64), nothing, nothing, nothing, nothing)


def row(url, anchor=""):
    host = url.split("/")[2]
    return {"id": url_id(url), "url": url, "host": host, "depth": 1, "anchor": anchor, "context": "", "parent": SEED,
            "parent_score": None}  # fmt: skip


def page(number, host="h.example", label=None, asked=False):
    return KnownPage(f"http://{host}/{number}", host, 0.9, label, asked)


def priority(ranking, host="h.example"):
    [(value, why)] = ranking.rank([row(f"http://{host}/new")])
    return value, why


@pytest.fixture
def ranking():
    return ModelRanking(Model())


@pytest.mark.parametrize(
    ("pages", "others", "relevant", "is_held"),
    [
        (24, 0, 0, False),
        (25, 0, 0, True),
        (17, 3, 0, False),
        (18, 3, 0, True),  # looked at, and not found relevant: three labels of ten, so seven tenths of the pages
        (10, 10, 0, True),
        (18, 3, 1, False),
        (99, 0, 1, False),
        (100, 0, 1, True),
        (1000, 0, 2, False),
        (1000, 5, 2, False),
    ],
)
def test_a_source_is_held_until_somebody_has_looked_at_it(ranking, pages, others, relevant, is_held):
    labels = ["other"] * others + ["relevant"] * relevant
    known = [page(n, label=labels[n] if n < len(labels) else None, asked=n < len(labels)) for n in range(pages)]
    ranking.load(known, Queue([]))
    value, why = priority(ranking)
    assert (value < SUSPENDED_PENALTY / 2) is is_held
    assert why.startswith("held until a document of this source is labelled relevant") is is_held


def test_a_source_is_held_while_its_pages_are_fetched(ranking):
    ranking.load([page(n) for n in range(24)], Queue([row("http://h.example/x")]))
    assert priority(ranking)[0] > 0
    ranking.on_leased(url_id("http://h.example/x"), "h.example")
    assert priority(ranking)[0] < SUSPENDED_PENALTY / 2


def test_what_an_analyst_says_of_a_source_comes_before_holding_it(ranking):
    ranking.verdicts = {"h.example": "approve"}
    ranking.load([page(n) for n in range(200)], Queue([]))
    assert priority(ranking)[0] > 0


def test_a_relevant_page_raises_what_it_links_to(ranking):
    rows = [row(f"http://h.example/{name}") for name in "abc"]
    before = dict(zip("abc", (value for value, _ in ranking.rank(rows)), strict=True))
    changes = ranking.on_links_scored([rows[0]["id"], url_id("http://elsewhere.example/")], 0.95)
    assert [change.id for change in changes] == [rows[0]["id"]]
    assert changes[0].priority > before["a"]
    assert changes[0].host == "h.example"


def test_ranking_again_keeps_the_best_of_each_host_in_the_frontier(monkeypatch):
    """What is written may be outdated behind the first ones of a host, and must never be better than these."""
    monkeypatch.setattr(model_ranking, "_STORED_URLS", 12)
    monkeypatch.setattr(model_ranking, "_STORED_PER_HOST", 5)
    draw = random.Random(7)
    ranking = ModelRanking(Model())
    rows = {
        (key := url_id(url)): row(url, draw.choice(["sea", "land"])) | {"id": key}
        for number in range(400)
        if (url := f"http://h{number % 6}.example/{number % 9}/{number}")
    }
    written = dict(zip(rows, (value for value, _ in ranking.rank(list(rows.values()))), strict=True))
    for _ in range(60):
        host = f"h{draw.randrange(6)}.example"
        ranking.record_score(f"http://{host}/{draw.randrange(9)}/seen", host, draw.random())
        changes = list(ranking.on_links_scored(draw.sample(sorted(rows), 8), draw.random()))
        again, best = ranking.rerank()
        for change in [*changes, *again]:
            written[change.id] = change.priority
        true = dict(zip(rows, (value for value, _ in _judged(ranking, rows)), strict=True))
        for host in best:
            of_host = [key for key in rows if rows[key]["host"] == host]
            first = sorted(of_host, key=lambda key: -written[key])[:5]
            assert sorted((true[key] for key in first), reverse=True) == pytest.approx(
                sorted((true[key] for key in of_host), reverse=True)[:5], abs=1.6e-2
            )
            assert best[host] == pytest.approx(max(true[key] for key in of_host), abs=1.6e-2)
        gone = max(rows, key=lambda key: written[key])
        ranking.on_leased(gone, rows.pop(gone)["host"])
        del written[gone]


def _judged(ranking, rows):
    """The places that rank() would write now, without writing them."""
    slots = ranking._scores.slots_of(rows)
    kept = ranking._scores.stored_priorities.copy()
    result = ranking.rank(list(rows.values()))
    ranking._scores.stored_priorities[: len(kept)] = kept
    assert len(slots) == len(result)
    return result


@pytest.fixture
def harbour(corpus, web):
    """Thirty pages of the sea and many of the law behind them, with a model that knows which is which."""
    web.add(SEED, "front", [f"/sea/{n}" for n in range(30)] + [f"/law/{n}" for n in range(60)])
    for n in range(60):
        web.add(
            f"http://a.example/law/{n}",
            f"tax form court clause duty number {n}",
            [f"/law/more/{n}-{k}" for k in range(6)],
        )
        for k in range(6):
            web.add(f"http://a.example/law/more/{n}-{k}", f"tax clause {n} court form {k} duty paragraph")
    for n in range(30):
        web.add(f"http://a.example/sea/{n}", f"sea fish net boat harbour tide number {n}")
    corpus.crawl(SEED, delay=0, proxy=web.proxy, pages=60).wait(progress=False)
    documents = corpus.documents()
    sides = {row.doc_id: "relevant" if "/sea/" in row.uri else "other" for row in documents.itertuples()}
    corpus.set_labels(sides, by="me")
    return corpus


def test_a_label_given_while_the_crawl_runs_lets_a_held_source_go_on(harbour, web):
    harbour.set_labels(dict.fromkeys(harbour.documents().doc_id, "withdrawn"), by="me")
    ranking = ModelRanking(Model())
    ranking.begin(harbour._folder, Frontier(harbour._folder.catalog))
    _, best = ranking.rerank()
    assert best["a.example"] < SUSPENDED_PENALTY / 2  # 60 pages without a label
    documents = harbour.documents()
    harbour.set_labels(dict.fromkeys(documents[documents.uri.str.contains("/sea/")].doc_id[:2], "relevant"), by="me")
    changes, best = ranking.rerank()
    assert best["a.example"] > 0
    assert not changes[0].why.startswith("held")


def test_a_source_without_scores_is_held_and_harms_nothing(ranking):
    ranking.load([KnownPage(f"http://h.example/{n}", "h.example", None, None, False) for n in range(30)], Queue([]))
    assert priority(ranking, "other.example")[0] > 0


@pytest.mark.slow
def test_a_crawl_ends_when_hardly_a_page_is_relevant_any_more(harbour, web):
    model = harbour.train()
    job = harbour.crawl(resume=True, steer=model, min_harvest=0.5, delay=0, proxy=web.proxy).wait(progress=False)
    assert 200 <= job.progress.pages < 300  # of 391: the last 200 are looked at
    assert "the model calls" in job.progress.reason
    assert "of the last 200 pages relevant, less than min_harvest 50.0%" in job.progress.reason
    assert "of the last 200 relevant by the model" in job.summary
    plain = harbour.crawl(resume=True, steer=None, pages=1, delay=0, proxy=web.proxy).wait(progress=False)
    assert plain.options.min_harvest == 0  # kept from the steered crawl, it has no meaning here
    assert "relevant by the model" not in plain.summary


def test_a_least_harvest_needs_a_model_and_is_a_share(harbour):
    with pytest.raises(ConfigurationError, match="expected a model that scores pages"):
        harbour.crawl(resume=True, min_harvest=0.1)
    with pytest.raises(ConfigurationError, match=r"min_harvest=5 \(--min-harvest\): expected a share from 0 to 1"):
        harbour.crawl(resume=True, min_harvest=5)


@pytest.mark.slow
def test_labels_are_asked_where_the_next_pages_come_from(corpus, web):
    """Of two sources nobody labelled, the one that the crawl is about to fetch from is asked first, held or not."""
    sites = {
        "a.example": "sea fish net boat",
        "b.example": "sea harbour tide boat",
        "c.example": "tax court clause form",
    }
    for host, word in sites.items():
        web.add(f"http://{host}/", f"front {word}", [f"/{n}" for n in range(60)])
        for n in range(60):
            web.add(f"http://{host}/{n}", f"{word} number {n} {word.split()[n % 4]}")
    corpus.crawl([f"http://{host}/" for host in sites], delay=0, proxy=web.proxy, pages=45).wait(progress=False)
    documents = corpus.documents()
    known = documents[documents.host != "b.example"]
    corpus.set_labels(
        {row.doc_id: "relevant" if row.host == "a.example" else "other" for row in known.itertuples()}, by="me"
    )
    corpus.crawl(resume=True, steer=corpus.train(), delay=0, proxy=web.proxy, pages=90).wait(progress=False)
    held = corpus.frontier("queued").query("host == 'b.example'")
    assert held.why.str.startswith("held").all()
    assert stakes(corpus._folder, 80)["b.example"] > 0
    asked = corpus.next_to_label(12)
    assert asked.host.iloc[0] == "b.example"
    from_there = asked[asked.reason == "new source"]
    assert from_there.index[0] < 3  # reasons alternate
    assert set(from_there.host) == {"b.example"}
    assert "random" in set(asked.reason)
