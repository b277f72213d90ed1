"""When a host may be asked again, on a clock that only the test moves; and which answers to robots.txt mean what."""

import asyncio
import itertools
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from corpuskit.crawl.politeness import PausedError, Politeness
from corpuskit.errors import FetchError, RefusedError, UnreachableError
from corpuskit.sources.web import Robots
from corpuskit.store.catalog import Catalog

HOST = "a.example"
ROBOTS = "https://a.example/robots.txt"
DAY = 86_400.0


@pytest.fixture
def catalog(tmp_path):
    opened = Catalog(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def clock(monkeypatch):
    """The time; who sleeps moves it."""
    moment = SimpleNamespace(now=1_000_000.0, slept=[])

    async def sleep(seconds):
        moment.slept.append(seconds)
        moment.now += seconds

    monkeypatch.setattr("corpuskit.crawl.politeness.time", SimpleNamespace(time=lambda: moment.now))
    monkeypatch.setattr("corpuskit.crawl.politeness.asyncio", SimpleNamespace(sleep=sleep))
    return moment


def finished(coroutine):
    """What a coroutine returns, in a thread of its own: a browser that other tests drive has an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


class Server:
    """Answers of a web server: URL → status, content or place of a redirect; the URLs that were asked."""

    def __init__(self, **answers):
        self.answers, self.asked = answers, []

    async def get(self, url, *, any_type):
        assert any_type  # a robots.txt of a wrong media type counts too
        self.asked.append(url)
        answer = self.answers.get(url, {"status": 404})
        if isinstance(answer, Exception):
            raise answer
        named = {"status": 200, "content": b"", "location": None, "reason": "as told", "retry_after": None}
        return SimpleNamespace(**{**named, **answer})


def read(politeness, server, scheme="https"):
    return finished(politeness.robots(server, scheme, HOST))


def test_between_two_requests_is_the_delay_and_two_hundredths(catalog, clock):
    politeness = Politeness(catalog, 10.0)
    finished(politeness.wait_for_turn(HOST))
    assert clock.slept == []
    finished(politeness.wait_for_turn(HOST))
    assert clock.slept == pytest.approx([10.2])
    clock.now += 4
    politeness.record_response(HOST)  # the answer took four seconds
    assert politeness.state(HOST).next_allowed - clock.now == pytest.approx(10.2)


def test_a_delay_is_kept_by_the_next_process_and_none_is_not_written_down(catalog, clock):
    Politeness(catalog, 10.0).record_request(HOST)
    assert Politeness(catalog, 10.0).state(HOST).next_allowed - clock.now == pytest.approx(10.2)
    Politeness(catalog, 0.0).record_request("b.example")
    assert catalog.value("SELECT count(*) FROM hosts WHERE host = 'b.example'") == 0


def test_an_answer_or_a_start_shortens_no_pause(catalog, clock):
    politeness = Politeness(catalog, 1.0)
    politeness.back_off(HOST, 500.0)
    politeness.record_response(HOST)
    politeness.record_request(HOST)
    politeness.back_off(HOST, 2.0)
    assert politeness.state(HOST).next_allowed == clock.now + 500


# A visit waits for twice the delay, and five seconds at least; what is not begun waits for five seconds.
@pytest.mark.parametrize(
    ("delay", "patient", "wait", "waits"),
    [
        (1.0, True, 5.0, True), (1.0, True, 5.5, False), (10.0, True, 20.0, True), (10.0, True, 20.5, False),
        (10.0, False, 5.0, True), (10.0, False, 5.5, False),
    ],
)  # fmt: skip
def test_a_visit_waits_for_its_host_a_little_and_not_longer(catalog, clock, delay, patient, wait, waits):
    politeness = Politeness(catalog, delay)
    politeness.state(HOST).next_allowed = clock.now + wait
    if waits:
        finished(politeness.wait_for_turn(HOST, patient=patient))
        assert clock.slept == [wait]
    else:
        with pytest.raises(PausedError, match="the server requested a pause"):
            finished(politeness.wait_for_turn(HOST, patient=patient))
        assert clock.slept == []


@pytest.mark.parametrize(
    ("delay", "waits"),
    [
        (0.0, [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024]),
        (1.0, [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024]),
        (10.0, [20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]),
    ],
)
def test_a_busy_host_is_left_alone_twice_as_long_each_time_up_to_an_hour(catalog, clock, delay, waits):
    found = []
    for _ in waits:
        politeness = Politeness(catalog, delay)  # a new process each time
        found.append(politeness.back_off(HOST, None) - clock.now)
        clock.now += found[-1]
    assert found == waits
    politeness.record_success(HOST)
    assert Politeness(catalog, delay).back_off(HOST, None) - clock.now == waits[0]


def test_a_pause_that_a_server_names_is_kept_up_to_an_hour(catalog, clock):
    assert Politeness(catalog, 1.0).back_off(HOST, 7.0) == clock.now + 7
    assert Politeness(catalog, 1.0).back_off("b.example", 9_999.0) == clock.now + 3600
    assert Politeness(catalog, 1.0).back_off("c.example", 0.0) == clock.now


@pytest.mark.parametrize(("ahead", "kept"), [(3600.0, 3600.0), (3601.0, None)])
def test_a_clock_that_went_back_stops_no_host_for_longer_than_an_hour(catalog, clock, ahead, kept):
    Politeness(catalog, 1.0).back_off(HOST, 3600.0)
    clock.now -= ahead - 3600
    assert Politeness(catalog, 1.0).state(HOST).next_allowed == (0.0 if kept is None else clock.now + kept)


def test_requests_that_were_under_way_when_a_pause_began_make_it_no_longer(catalog, clock):
    politeness = Politeness(catalog, 1.0)
    politeness.record_unreachable(HOST, "connection refused")
    state = politeness.record_unreachable(HOST, "no answer")
    assert (state.next_allowed, state.failures, state.last_error) == (clock.now + 2, 1, "no answer")
    clock.now += 2
    assert politeness.record_unreachable(HOST, "no answer").next_allowed == clock.now + 8


@pytest.mark.parametrize(("asked", "pause"), [(None, 2.0), (1.0, 2.0), (30.0, 30.0), (9_999.0, 3600.0)])
def test_a_host_that_cannot_be_reached_is_left_alone_for_as_long_as_it_asks(catalog, clock, asked, pause):
    assert Politeness(catalog, 1.0).record_unreachable(HOST, "status 503", asked).next_allowed == clock.now + pause


def test_a_host_is_given_up_when_it_was_not_reached_three_times(catalog, clock):
    politeness, given_up = Politeness(catalog, 1.0), []
    for _ in range(4):
        state = politeness.record_unreachable(HOST, "connection refused")
        given_up.append(state.is_unavailable)
        clock.now = state.next_allowed
    assert given_up == [False, False, True, True]
    for _ in range(4):
        politeness.back_off("busy.example", 1.0)
    assert not politeness.state("busy.example").is_unavailable


@pytest.mark.parametrize(("hosts", "ended"), [(None, {"a.example", "b.example"}), (["b.example"], {"b.example"})])
def test_pauses_of_dead_hosts_are_ended_and_those_a_server_asked_for_stay(catalog, clock, hosts, ended):
    politeness = Politeness(catalog, 1.0)
    for host in ("a.example", "b.example"):
        politeness.record_unreachable(host, "connection refused")
    politeness.back_off("busy.example", 60.0)
    politeness.clear_pauses(hosts)
    after = Politeness(catalog, 1.0)
    for host in ("a.example", "b.example"):
        state = after.state(host)
        expected = (0.0, 0, "") if host in ended else (clock.now + 2, 1, "connection refused")
        assert (state.next_allowed, state.failures, state.last_error) == expected
    assert after.state("busy.example").next_allowed == clock.now + 60


def test_a_host_has_four_connections_only_where_nobody_asks_for_a_delay(catalog, clock):
    politeness = Politeness(catalog, 0.0)
    assert politeness.state(HOST).max_in_flight == 1  # its robots.txt is not read yet
    read(politeness, Server())
    assert politeness.state(HOST).max_in_flight == 4
    slow = Politeness(catalog, 0.5)
    read(slow, Server())
    assert slow.state(HOST).max_in_flight == 1


def test_robots_txt_is_kept_for_a_day_with_all_it_says(catalog, clock):
    rules = b"User-agent: *\nDisallow: /x\nCrawl-delay: 3\nSitemap: https://a.example/1.xml\nSitemap: https://a.example/2.xml"
    server = Server(**{ROBOTS: {"content": rules}})
    first = read(Politeness(catalog, 1.0), server)
    clock.now += DAY - 1
    politeness = Politeness(catalog, 1.0)
    assert read(politeness, server) == first
    assert (first.allows("https://a.example/x"), first.crawl_delay) == (False, 3.0)
    assert first.sitemaps == ("https://a.example/1.xml", "https://a.example/2.xml")
    # The site's delay, longer than ours, counts from the reading on.
    assert politeness.state(HOST).delay == 3.0
    assert politeness.state(HOST).next_allowed - clock.now == pytest.approx(3.06)
    assert server.asked == [ROBOTS]
    clock.now += 1
    read(Politeness(catalog, 1.0), server)
    assert server.asked == [ROBOTS] * 2


def test_robots_txt_of_another_scheme_or_of_a_time_to_come_is_read_anew(catalog, clock):
    server = Server()
    politeness = Politeness(catalog, 5.0)
    read(politeness, server, "https")
    read(politeness, server, "https")
    assert politeness.state(HOST).delay == 5.0
    assert politeness.cached_robots("http", HOST) is None
    assert politeness.cached_robots("https", HOST) == Robots()
    clock.now -= 1
    assert politeness.cached_robots("https", HOST) is None
    assert politeness.cached_robots("https", "b.example") is None
    assert server.asked == [ROBOTS]


@pytest.mark.parametrize(("number", "found"), [(5, False), (6, True)])
def test_robots_txt_is_sought_through_five_redirects(catalog, clock, number, found):
    urls = [ROBOTS, *(f"https://a.example/{i}" for i in range(1, number + 1))]
    answers = {url: {"status": 301, "location": to} for url, to in itertools.pairwise(urls)}
    answers[urls[-1]] = {"content": b"User-agent: *\nDisallow: /"}
    server = Server(**answers)
    assert read(Politeness(catalog, 1.0), server).allows("https://a.example/x") is found
    assert server.asked == urls[:6]


@pytest.mark.parametrize("status", [204, 304, 400, 404, 428, 430, 499])
def test_all_is_allowed_where_there_is_no_robots_txt(catalog, clock, status):
    server = Server(**{ROBOTS: {"status": status, "content": b"User-agent: *\nDisallow: /"}})
    assert read(Politeness(catalog, 1.0), server) == Robots()
    assert catalog.value("SELECT robots_status FROM hosts WHERE host = ?", (HOST,)) == str(status)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_nothing_is_allowed_while_a_server_cannot_tell_its_robots_txt(catalog, clock, status):
    server = Server(**{ROBOTS: {"status": status, "retry_after": 30.0}})
    politeness = Politeness(catalog, 1.0)
    with pytest.raises(UnreachableError, match=f"the server answered {status} as told") as caught:
        read(politeness, server)
    assert (caught.value.status, caught.value.retry_after) == (status, 30.0)
    assert catalog.value("SELECT robots_status FROM hosts WHERE host = ?", (HOST,)) == str(status)
    assert politeness.cached_robots("https", HOST) is None


def test_a_robots_txt_that_cannot_be_read_is_an_unreachable_host_and_a_refusal_stays_one(catalog, clock):
    server = Server(**{ROBOTS: FetchError("cut", url=ROBOTS)})
    with pytest.raises(UnreachableError, match=r"robots\.txt cannot be read: cut"):
        read(Politeness(catalog, 1.0), server)
    status = catalog.value("SELECT robots_status FROM hosts WHERE host = ?", (HOST,))
    assert status.startswith("unreachable: robots.txt cannot be read: cut")
    with pytest.raises(RefusedError):
        read(Politeness(catalog, 1.0), Server(**{ROBOTS: RefusedError("private", url=ROBOTS)}))


def test_a_host_in_its_pause_is_not_asked_for_robots_txt_and_one_that_answers_is_well(catalog, clock):
    politeness, server = Politeness(catalog, 1.0), Server()
    politeness.record_unreachable(HOST, "connection refused")
    with pytest.raises(UnreachableError, match="connection refused"):
        read(politeness, server)
    assert server.asked == []
    clock.now += 2
    assert read(politeness, server) == Robots()
    assert (politeness.state(HOST).failures, politeness.state(HOST).last_error) == (0, "")


def test_sitemaps_are_read_once_a_day(catalog, clock):
    politeness = Politeness(catalog, 1.0)
    politeness.record_request(HOST)
    assert not politeness.has_read_sitemaps(HOST)
    politeness.record_sitemaps_read(HOST)
    assert politeness.has_read_sitemaps(HOST)
    clock.now += DAY - 1
    assert Politeness(catalog, 1.0).has_read_sitemaps(HOST)
    clock.now += 1
    assert not Politeness(catalog, 1.0).has_read_sitemaps(HOST)
    clock.now -= DAY + 1
    assert not Politeness(catalog, 1.0).has_read_sitemaps(HOST)
