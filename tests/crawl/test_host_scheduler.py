"""The choice of the next host, held against a plain one that looks at every host each time."""

import random

import pytest

from corpuskit.crawl.frontier import Frontier, NewUrl, url_id
from corpuskit.crawl.host_scheduler import Turns
from corpuskit.crawl.politeness import Politeness
from corpuskit.store.catalog import Catalog


@pytest.fixture
def catalog(tmp_path):
    opened = Catalog(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def turns_of(catalog, urls, *, in_turns=True, is_full=lambda _: False, delay=0.0):
    frontier, politeness = Frontier(catalog), Politeness(catalog, delay)
    frontier.add(urls)
    turns = Turns(frontier, politeness, in_turns=in_turns, is_full=is_full)
    turns.update(dict(frontier.hosts()))
    return turns, frontier, politeness


def test_hosts_take_turns_whatever_came_of_them(catalog):
    urls = [NewUrl(f"http://{host}.example/{i}", 1, -1.0) for host in "abc" for i in range(4)]
    turns, frontier, _ = turns_of(catalog, urls)
    asked = []
    while lease := turns.next(1000.0):
        asked.append(lease.host[0])
        frontier.finish(lease, "failed" if lease.host[0] == "a" else "fetched")
        turns.ended(lease.host)
    assert "".join(asked) == "abc" * 4


def test_a_host_with_a_pause_waits_and_then_goes_on(catalog):
    turns, _, politeness = turns_of(catalog, [NewUrl(f"http://{host}.example/", 0, 0.0) for host in "ab"])
    politeness.of("a.example").next_allowed = 1010.0
    assert turns.next(1000.0).host == "b.example"
    assert turns.next(1000.0) is None
    assert (turns.next_time, turns.waiting) == (1010.0, [(1010.0, "a.example")])
    assert turns.next(1009.0) is None
    assert turns.next(1010.0).host == "a.example"
    assert turns.next_time is None


def test_a_host_whose_urls_wait_goes_on_when_a_new_one_is_found(catalog):
    turns, frontier, _ = turns_of(catalog, [NewUrl("http://a.example/", 0, 0.0)])
    lease = turns.next(1000.0)
    frontier.retry(lease, 1500.0)
    turns.raise_heads({"a.example": lease.priority})
    turns.ended("a.example")
    assert turns.next(1001.0) is None
    assert turns.next_time == 1500.0
    frontier.add([NewUrl("http://a.example/new", 1, -1.0)])
    turns.raise_heads({"a.example": -1.0})
    assert turns.next(1002.0).url == "http://a.example/new"
    turns.ended("a.example")
    assert turns.next(1499.0) is None
    assert turns.next(1500.0).url == "http://a.example/"


def test_a_host_that_is_full_is_left(catalog):
    turns, _, _ = turns_of(
        catalog, [NewUrl(f"http://{host}.example/", 0, 0.0) for host in "ab"], is_full=lambda host: host == "a.example"
    )
    assert turns.next(1000.0).host == "b.example"
    assert turns.next(1000.0) is None
    assert turns.full == {"a.example"}


@pytest.mark.parametrize("in_turns", [True, False])
@pytest.mark.slow
def test_a_choice_does_not_look_at_all_hosts(catalog, in_turns):
    """Of 3,000 hosts each is looked at a few times while each gets two pages: not once for every page of the crawl."""
    hosts = [f"h{i}.example" for i in range(3000)]
    urls = [NewUrl(f"http://{host}/{k}", 1, random.Random(host).random()) for host in hosts for k in range(2)]
    turns, frontier, politeness = turns_of(catalog, urls, in_turns=in_turns, delay=5.0)
    looks, of = [], politeness.of
    politeness.of = lambda host: looks.append(host) or of(host)
    now, taken = 1e6, 0
    while taken < len(urls):
        now += 0.01
        if (lease := turns.next(now)) is not None:
            of(lease.host).next_allowed = now + 5.0
            frontier.finish(lease, "fetched")
            turns.ended(lease.host)
            taken += 1
    assert len(looks) < 5 * len(urls)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_url_of_the_hosts_that_may_be_asked_comes_next(catalog, seed):
    """Links are found, priorities move, URLs fail and hosts pause at random; a plain choice says what must come."""
    rng = random.Random(seed)
    urls = {
        f"http://h{rng.randrange(12)}.example/{i}": [round(rng.random(), 6), 0.0, "queued"] for i in range(120)
    }  # URL → priority, not before, state
    turns, frontier, politeness = turns_of(catalog, [NewUrl(u, 1, v[0]) for u, v in urls.items()], in_turns=False)
    host_of = {url: url.split("/")[2] for url in urls}
    now, under_way, fetched = 1000.0, [], 0
    while fetched < 100:
        now += rng.choice([0.0, 0.5, 3.0])
        allowed = {
            url: value[0]
            for url, value in urls.items()
            if value[2] == "queued"
            and value[1] <= now
            and politeness.of(host_of[url]).next_allowed <= now
            and politeness.of(host_of[url]).in_flight < 1
        }
        lease = turns.next(now)
        assert (lease is None) == (not allowed)
        # A URL that waited comes with its host's next turn: that its time has come raises no host's place.
        never_waited = [priority for url, priority in allowed.items() if not urls[url][1]]
        assert lease is None or lease.priority >= max(never_waited, default=-1.0)
        if lease is not None:
            urls[lease.url][2] = "leased"
            under_way.append(lease)
        if under_way and (lease is None or rng.random() < 0.6):
            done = under_way.pop(rng.randrange(len(under_way)))
            if rng.random() < 0.2:
                urls[done.url][1:] = [now + 7.0, "queued"]
                frontier.retry(done, now + 7.0)
                turns.raise_heads({done.host: done.priority})
            else:
                urls[done.url][2] = "fetched"
                frontier.finish(done, "fetched")
                fetched += 1
            politeness.of(done.host).next_allowed = now + rng.choice([0.0, 2.0])
            turns.ended(done.host)
        if rng.random() < 0.3:
            url = rng.choice([url for url, value in urls.items() if value[2] != "leased"])
            urls[url][0] = priority = round(rng.random(), 6)
            frontier.set_priorities([(priority, "", url_id(url))])
            if urls[url][2] == "queued":
                turns.raise_heads({host_of[url]: priority})
