"""The choice of the next host, held against a plain one that looks at every host each time."""

import random

import pytest

from corpuskit.crawl.frontier import Frontier, NewUrl, url_id
from corpuskit.crawl.host_scheduler import HostScheduler
from corpuskit.crawl.politeness import Politeness
from corpuskit.store.catalog import Catalog


@pytest.fixture
def catalog(tmp_path):
    opened = Catalog(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def scheduler_of(catalog, urls, *, round_robin=True, is_full=lambda _: False, delay=0.0):
    frontier, politeness = Frontier(catalog), Politeness(catalog, delay)
    frontier.add(urls)
    scheduler = HostScheduler(frontier, politeness, round_robin=round_robin, is_full=is_full)
    scheduler.set_priorities(dict(frontier.hosts()))
    return scheduler, frontier, politeness


def test_hosts_take_turns_whatever_came_of_them(catalog):
    urls = [NewUrl(f"http://{host}.example/{i}", 1, -1.0) for host in "abc" for i in range(4)]
    scheduler, frontier, _ = scheduler_of(catalog, urls)
    asked = []
    while lease := scheduler.lease_next(1000.0):
        asked.append(lease.host[0])
        frontier.finish(lease, "failed" if lease.host[0] == "a" else "fetched")
        scheduler.release(lease.host)
    assert "".join(asked) == "abc" * 4


def test_a_host_with_a_pause_waits_and_then_goes_on(catalog):
    scheduler, _, politeness = scheduler_of(catalog, [NewUrl(f"http://{host}.example/", 0, 0.0) for host in "ab"])
    politeness.state("a.example").next_allowed = 1010.0
    assert scheduler.lease_next(1000.0).host == "b.example"
    assert scheduler.lease_next(1000.0) is None
    assert (scheduler.next_time, scheduler.waiting) == (1010.0, [(1010.0, "a.example")])
    assert scheduler.lease_next(1009.0) is None
    assert scheduler.lease_next(1010.0).host == "a.example"
    assert scheduler.next_time is None


def test_a_host_whose_urls_wait_goes_on_when_a_new_one_is_found(catalog):
    scheduler, frontier, _ = scheduler_of(catalog, [NewUrl("http://a.example/", 0, 0.0)])
    lease = scheduler.lease_next(1000.0)
    frontier.retry(lease, 1500.0)
    scheduler.raise_priorities({"a.example": lease.priority})
    scheduler.release("a.example")
    assert scheduler.lease_next(1001.0) is None
    assert scheduler.next_time == 1500.0
    frontier.add([NewUrl("http://a.example/new", 1, -1.0)])
    scheduler.raise_priorities({"a.example": -1.0})
    assert scheduler.lease_next(1002.0).url == "http://a.example/new"
    scheduler.release("a.example")
    assert scheduler.lease_next(1499.0) is None
    assert scheduler.lease_next(1500.0).url == "http://a.example/"


def test_a_host_that_is_full_is_left(catalog):
    scheduler, _, _ = scheduler_of(
        catalog, [NewUrl(f"http://{host}.example/", 0, 0.0) for host in "ab"], is_full=lambda host: host == "a.example"
    )
    assert scheduler.lease_next(1000.0).host == "b.example"
    assert scheduler.lease_next(1000.0) is None
    assert scheduler.full == {"a.example"}


@pytest.mark.parametrize("round_robin", [True, False])
@pytest.mark.slow
def test_a_choice_does_not_look_at_all_hosts(catalog, round_robin):
    """Of 3,000 hosts each is looked at a few times while each gets two pages: not once for every page of the crawl."""
    hosts = [f"h{i}.example" for i in range(3000)]
    urls = [NewUrl(f"http://{host}/{k}", 1, random.Random(host).random()) for host in hosts for k in range(2)]
    scheduler, frontier, politeness = scheduler_of(catalog, urls, round_robin=round_robin, delay=5.0)
    looks, of = [], politeness.state
    politeness.state = lambda host: looks.append(host) or of(host)
    now, taken = 1e6, 0
    while taken < len(urls):
        now += 0.01
        if (lease := scheduler.lease_next(now)) is not None:
            of(lease.host).next_allowed = now + 5.0
            frontier.finish(lease, "fetched")
            scheduler.release(lease.host)
            taken += 1
    assert len(looks) < 5 * len(urls)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_url_of_the_hosts_that_may_be_asked_comes_next(catalog, seed):
    """Links are found, priorities move, URLs fail and hosts pause at random; a plain choice says what must come."""
    rng = random.Random(seed)
    urls = {
        f"http://h{rng.randrange(12)}.example/{i}": [round(rng.random(), 6), 0.0, "queued"] for i in range(120)
    }  # URL → priority, not before, state
    scheduler, frontier, politeness = scheduler_of(
        catalog, [NewUrl(u, 1, v[0]) for u, v in urls.items()], round_robin=False
    )
    host_of = {url: url.split("/")[2] for url in urls}
    now, under_way, fetched = 1000.0, [], 0
    while fetched < 100:
        now += rng.choice([0.0, 0.5, 3.0])
        allowed = {
            url: value[0]
            for url, value in urls.items()
            if value[2] == "queued"
            and value[1] <= now
            and politeness.state(host_of[url]).next_allowed <= now
            and politeness.state(host_of[url]).in_flight < 1
        }
        lease = scheduler.lease_next(now)
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
                scheduler.raise_priorities({done.host: done.priority})
            else:
                urls[done.url][2] = "fetched"
                frontier.finish(done, "fetched")
                fetched += 1
            politeness.state(done.host).next_allowed = now + rng.choice([0.0, 2.0])
            scheduler.release(done.host)
        if rng.random() < 0.3:
            url = rng.choice([url for url, value in urls.items() if value[2] != "leased"])
            urls[url][0] = priority = round(rng.random(), 6)
            frontier.set_priorities([(priority, "", url_id(url))])
            if urls[url][2] == "queued":
                scheduler.raise_priorities({host_of[url]: priority})
