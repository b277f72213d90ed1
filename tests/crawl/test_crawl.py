import itertools
import time
from collections import Counter

import pytest

from corpuskit.crawl import crawler
from corpuskit.crawl.politeness import Politeness
from corpuskit.crawl.ranking import PageScore, Ranking
from corpuskit.errors import ConfigurationError, RefusedError
from corpuskit.ingest import document_id
from corpuskit.widgets.crawl_state import CrawlState

SEED = "http://a.example/"


def crawl(corpus, web, seeds=SEED, **options):
    options = {"delay": 0, "proxy": web.proxy, **options}
    return corpus.crawl(seeds, **options).wait(progress=False)


def small_site(web, host="a.example", pages=6):
    web.add(f"http://{host}/", "front", [f"/p{i}" for i in range(pages)])
    for i in range(pages):
        web.add(f"http://{host}/p{i}", f"Text number {i} of {host}.", ["/", f"/p{(i + 1) % pages}"])


def test_a_site_is_crawled_page_by_page_each_once(corpus, web):
    small_site(web)
    job = crawl(corpus, web)
    assert job.progress.reason == "nothing left to fetch"
    assert set(web.fetched.values()) == {1}
    assert len(corpus) == 7
    documents = corpus.documents()
    assert documents.doc_id.tolist() == [document_id(uri) for uri in documents.uri]
    assert "Text number 3" in corpus[document_id("http://a.example/p3")].to_text()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("options", [{"connections": 1}, {"connections": 2}], ids=["one connection", "two"])
def test_a_steered_crawl_goes_on_when_a_page_is_extracted_not_at_the_next_look(corpus, web, monkeypatch, options):
    monkeypatch.setattr(crawler, "_IDLE_SECONDS", 86_400.0)  # it never comes to looking by itself
    small_site(web)
    job = crawl(corpus, web, steer=lambda rows: rows.url.str.len() * 0.0, **options)
    assert (job.progress.pages, job.progress.reason) == (7, "nothing left to fetch")


def test_robots_txt_is_read_first_and_obeyed(corpus, web):
    small_site(web)
    rules = b"User-agent: *\nDisallow: /\nUser-agent: corpuskit\nDisallow: /p1\nAllow: /p1/ok\n"
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {"Content-Type": "text/plain"}, rules)
    crawl(corpus, web)
    assert web.log[0] == "http://a.example/robots.txt"
    assert "http://a.example/p1" not in web.fetched
    refused = corpus.frontier("refused")
    assert refused[["url", "reason_refused"]].values.tolist() == [["http://a.example/p1", "robots.txt"]]


@pytest.mark.parametrize(("status", "pages"), [(404, 7), (403, 7), (500, 0), (503, 0)])
@pytest.mark.slow
def test_without_robots_txt_all_is_allowed_but_not_while_the_server_is_broken(corpus, web, status, pages):
    small_site(web)
    web.pages["http://a.example/robots.txt"] = lambda _: (status, {}, b"")
    crawl(corpus, web, minutes=0.05)
    assert sum(web.fetched.values()) == pages


@pytest.mark.slow
def test_a_crawl_delay_is_kept_even_when_told_not_to_wait(corpus, web):
    small_site(web, pages=3)
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nCrawl-delay: 0.3\n")
    times = []
    for url in [url for url in web.pages if not url.endswith("robots.txt")]:
        body = web.pages[url]
        web.pages[url] = lambda _, body=body: (
            times.append(time.monotonic()),
            (200, {"Content-Type": "text/html"}, body),
        )[1]
    crawl(corpus, web)
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert len(times) == 4
    assert min(gaps) >= 0.28


def test_the_same_page_at_its_other_address_is_asked_for_after_the_delay_too(corpus, web):
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nCrawl-delay: 0.3\n")
    times = []

    def answer(status, headers, body):
        def give(_):
            times.append(time.monotonic())
            return status, headers, body

        return give

    web.pages["http://a.example/start/index.html"] = answer(301, {"Location": "http://a.example/start/"}, b"")
    web.pages["http://a.example/start/"] = answer(200, {"Content-Type": "text/html"}, b"<p>The page itself.</p>")
    crawl(corpus, web, "http://a.example/start/index.html")
    assert len(times) == 2
    assert times[1] - times[0] >= 0.28


@pytest.mark.slow
def test_the_delay_counts_from_the_answer(corpus, web):
    small_site(web, pages=3)
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nCrawl-delay: 0.3\n")
    answered, asked = [], []
    for url in [url for url in web.pages if not url.endswith("robots.txt")]:
        body = web.pages[url]

        def slow(_, body=body):
            asked.append(time.monotonic())
            time.sleep(0.2)
            answered.append(time.monotonic())
            return 200, {"Content-Type": "text/html"}, body

        web.pages[url] = slow
    crawl(corpus, web)
    assert len(asked) == 4
    assert min(after - before for before, after in zip(answered, asked[1:], strict=False)) >= 0.28


def test_links_out_of_scope_stay_refused_and_come_back_when_the_scope_widens(corpus, web):
    web.add(SEED, "front", ["http://b.example/", "http://sub.a.example/"])
    web.add("http://b.example/", "other site")
    web.add("http://sub.a.example/", "sub site")
    crawl(corpus, web, scope="host")
    assert len(corpus) == 1
    assert sorted(corpus.frontier("refused").reason_refused) == ["scope", "scope"]
    crawl(corpus, web, None, resume=True, scope="domain")
    assert len(corpus) == 2
    crawl(corpus, web, None, resume=True, scope="web")
    assert len(corpus) == 3
    assert set(web.fetched.values()) == {1}


def test_excluded_patterns_are_not_fetched_and_counted(corpus, web):
    small_site(web)
    crawl(corpus, web, exclude=["/p1", "/*2$"])
    assert set(web.fetched) == {SEED, *(f"http://a.example/p{i}" for i in (0, 3, 4, 5))}
    assert Counter(corpus.frontier("refused").reason_refused) == {"excluded by /p1": 1, "excluded by /*2$": 1}


def test_the_page_budget_is_kept_and_the_rest_waits(corpus, web):
    small_site(web, pages=20)
    job = crawl(corpus, web, pages=8)
    assert sum(web.fetched.values()) == job.progress.pages == 8
    assert len(corpus.frontier("queued")) == 13
    with pytest.raises(ConfigurationError, match="expected one of queued, fetched, failed, refused"):
        corpus.frontier("waiting")
    crawl(corpus, web, None, resume=True, pages=5)
    assert sum(web.fetched.values()) == 13
    assert set(web.fetched.values()) == {1}


def test_an_error_page_is_a_failure_row_and_counts_as_a_page(corpus, web):
    web.add(SEED, "front", ["/gone"])
    job = crawl(corpus, web)
    assert job.progress.pages == 2
    assert corpus.failures()[["uri", "stage"]].values.tolist() == [["http://a.example/gone", "fetch"]]
    assert "404" in corpus.failures().message[0]
    assert corpus.requests().status_code.tolist() == [200, 404]


def test_a_seed_that_is_not_there_is_a_failure_row(corpus, web):
    job = crawl(corpus, web, "http://a.example/nothing")
    assert job.progress.failed == 1
    assert corpus.failures().uri.tolist() == ["http://a.example/nothing"]
    assert len(corpus) == 0


def test_an_empty_page_is_a_failure_row(corpus, web):
    web.pages[SEED] = b"  \n"
    crawl(corpus, web)
    assert corpus.failures().message.tolist() == ["the page is empty"]


def test_a_busy_server_is_asked_again_after_the_time_it_names(corpus, web):
    asked = []

    def busy(_):
        asked.append(time.monotonic())
        return (
            (429, {"Retry-After": "1"}, b"") if len(asked) == 1 else (200, {"Content-Type": "text/html"}, b"<p>now</p>")
        )

    web.pages[SEED] = busy
    job = crawl(corpus, web)
    assert len(corpus) == 1
    assert asked[1] - asked[0] >= 0.99
    assert job.progress.pages == 1


def test_redirects_are_followed_recorded_and_not_fetched_twice(corpus, web):
    web.add(SEED, "front", ["/old", "/new", "/loop"])
    web.pages["http://a.example/old"] = lambda _: (301, {"Location": "/new"}, b"")
    web.pages["http://a.example/loop"] = lambda _: (302, {"Location": "/loop"}, b"")
    web.add("http://a.example/new", "moved here")
    crawl(corpus, web)
    assert sorted(corpus.documents().uri) == [SEED, "http://a.example/new"]
    assert web.fetched["http://a.example/new"] == 1
    assert corpus.failures().uri.tolist() == ["http://a.example/loop"]


def test_a_redirect_into_a_private_network_is_refused(corpus, web):
    web.add(SEED, "front", ["/in"])
    web.pages["http://a.example/in"] = lambda _: (302, {"Location": "http://169.254.169.254/latest/meta-data"}, b"")
    crawl(corpus, web, scope="web")
    row = corpus.frontier("refused").iloc[0]
    assert row.reason_refused == "private address 169.254.169.254"
    assert not any("169.254" in url for url in web.log)


def test_a_name_that_resolves_to_a_private_address_is_refused_when_it_is_connected(corpus, web):
    port = int(web.proxy.rpartition(":")[2])
    web.add(f"http://127.0.0.1:{port}/", "local", [f"http://localhost:{port}/secret"])
    web.add(f"http://localhost:{port}/secret", "not for everybody")
    corpus.crawl(f"http://127.0.0.1:{port}/", delay=0, scope="web").wait(progress=False)
    assert corpus.documents().uri.tolist() == [f"http://127.0.0.1:{port}/"]
    assert not any("localhost" in url for url in web.log)
    (reason,) = corpus.frontier("refused").reason_refused
    assert "localhost has the private address" in reason


def test_a_loopback_seed_named_by_the_user_is_fetched_but_no_other_local_port(corpus, web):
    port = int(web.proxy.rpartition(":")[2])
    base = f"http://127.0.0.1:{port}"
    web.add(
        f"{base}/",
        "local",
        [f"{base}/p", "http://127.0.0.1:1/", "http://10.0.0.1/", "http://[::1]:1/", "http://2130706433/"],
    )
    web.add(f"{base}/p", "page")
    corpus.crawl(f"{base}/", delay=0, scope="web").wait(progress=False)
    assert sorted(corpus.documents().uri) == [f"{base}/", f"{base}/p"]
    reasons = corpus.frontier("refused").reason_refused
    assert len(reasons) == 4
    assert reasons.str.startswith("private address").all()


def test_private_hosts_that_are_refused_wait_for_no_turn(corpus, web, monkeypatch):
    port = int(web.proxy.rpartition(":")[2])
    base, name = f"http://127.0.0.1:{port}", f"http://localhost:{port}"
    web.add(f"{base}/", "local", [f"{host}/{number}" for host in (base, name) for number in range(6)])
    corpus.crawl(f"{base}/", delay=0, scope="web", pages=1).wait(progress=False)
    waits = []
    turn = Politeness.wait_for_turn

    async def noted(self, host, **how):
        waits.append(host)
        await turn(self, host, **how)

    monkeypatch.setattr(Politeness, "wait_for_turn", noted)
    job = corpus.crawl(resume=True, delay=3600).wait(progress=False)  # its seeds are not named now
    assert job.progress.private_queued == 6
    assert f"127.0.0.1:{port}" not in waits
    assert waits.count(f"localhost:{port}") <= 1  # what the name leads to is known once it was resolved


def test_nofollow_is_respected_in_all_three_places(corpus, web):
    web.pages[SEED] = b'<a href="/a">a</a> <a rel="nofollow" href="/b">b</a> <a href="/c">c</a>'
    web.pages["http://a.example/a"] = b'<meta name="robots" content="noindex, nofollow"><p>x</p><a href="/d">d</a>'
    header = {"X-Robots-Tag": "nofollow", "Content-Type": "text/html"}
    web.pages["http://a.example/c"] = lambda _: (200, header, b'<p>y</p><a href="/e">e</a>')
    crawl(corpus, web)
    assert sorted(web.fetched) == [SEED, "http://a.example/a", "http://a.example/c"]


def test_a_page_over_the_limit_is_a_failure_and_read_no_further(corpus, web):
    import gzip

    bomb = gzip.compress(bytes(60_000_000))
    web.add(SEED, "front", ["/bomb", "/ok"])
    web.pages["http://a.example/bomb"] = lambda _: (
        200,
        {"Content-Type": "text/html", "Content-Encoding": "gzip"},
        bomb,
    )
    web.add("http://a.example/ok", "fine")
    crawl(corpus, web)
    assert corpus.failures().uri.tolist() == ["http://a.example/bomb"]
    assert len(corpus) == 2


def test_pictures_are_refused_without_reading_them(corpus, web):
    web.add(SEED, "front", ["/cat"])
    web.pages["http://a.example/cat"] = lambda _: (200, {"Content-Type": "image/png"}, bytes(1000))
    crawl(corpus, web)
    assert corpus.frontier("refused").reason_refused.tolist() == ["media type image/png"]


@pytest.mark.slow
def test_a_cut_answer_is_tried_again(corpus, web):
    asked = []

    def cut(handler):
        asked.append(1)
        if len(asked) == 1:
            handler.close_connection = True
            return 200, {"Content-Type": "text/html", "Content-Length": "1000"}, b"<p>half"
        return 200, {"Content-Type": "text/html"}, b"<p>whole</p>"

    web.pages[SEED] = cut
    crawl(corpus, web)
    assert corpus[document_id(SEED)].to_text() == "whole"


def test_our_name_and_contact_are_sent_and_secrets_stay_out_of_the_archive(corpus, web):
    seen = {}

    def page(handler):
        seen.update(handler.headers.items())
        return 200, {"Content-Type": "text/html"}, b"<p>x</p>"

    web.pages[SEED] = page
    crawl(corpus, web, contact="me@uni.example", headers={"X-Key": "hush-1"}, cookies={"session": "hush-2"})
    assert seen["User-Agent"].startswith("corpuskit/")
    assert "me@uni.example" in seen["User-Agent"]
    assert (seen["X-Key"], seen["Cookie"]) == ("hush-1", "session=hush-2")
    import gzip
    from pathlib import Path

    files = [file for file in Path(corpus.path).rglob("*") if file.is_file()]
    for file in files:
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        assert b"hush" not in content, file


def test_the_archive_is_read_by_another_program(corpus, web):
    from pathlib import Path

    from warcio.archiveiterator import ArchiveIterator

    small_site(web, pages=2)
    crawl(corpus, web)
    (file,) = (Path(corpus.path) / "originals").glob("*.warc.gz")
    with file.open("rb") as handle:
        records = [
            (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read())
            for record in ArchiveIterator(handle, check_digests="raise")
        ]
    bodies = {uri: body for kind, uri, body in records if kind == "response"}
    assert bodies == {url: body for url, body in web.pages.items() if url.startswith("http://a.example")}
    assert sum(kind == "request" for kind, _, _ in records) == 3


def test_steering_by_a_function_fetches_what_it_likes_first(corpus, web):
    web.add(SEED, "front", [f"/bad{i}" for i in range(5)] + [f"/good{i}" for i in range(5)])
    for i in range(5):
        web.add(f"http://a.example/bad{i}", "x")
        web.add(f"http://a.example/good{i}", "y")
    rows_seen = []

    def likes_good(rows):
        rows_seen.append(rows)
        return rows.url.str.contains("good").astype(float)

    crawl(corpus, web, pages=6, steer=likes_good, connections=1)
    assert sum("good" in url for url in web.fetched) == 5
    assert list(rows_seen[0].columns) == ["url", "anchor", "context", "parent_score", "host"]
    assert corpus.frontier("queued").why.str.startswith("score").all()


class ByWord(Ranking):
    """Ranks by the number of a URL's letters; a page that says water is relevant."""

    def rank(self, rows):
        return [(-float(len(row["url"])), "length") for row in rows]

    def score_page(self, title, text, row):
        return PageScore(float("water" in title), "relevant" if "water" in title else "other", "word")


def test_the_home_page_of_a_good_source_is_asked_for_even_if_nothing_links_to_it(corpus, web):
    for host, word in (("a.example", "water"), ("b.example", "sand")):
        for i in range(8):
            web.add(f"http://{host}/part/p{i}", f"text {i}", [f"/part/p{i + 1}"] if i < 7 else [], title=f"{word} {i}")
        web.add(f"http://{host}/", "front", ["/elsewhere"])
        web.add(f"http://{host}/elsewhere", "more")
    crawl(corpus, web, ["http://a.example/part/p0", "http://b.example/part/p0"], steer=ByWord())
    assert "http://a.example/elsewhere" in web.fetched
    assert "http://b.example/" not in web.fetched
    home = corpus.frontier().set_index("url").loc["http://a.example/"]
    assert home.why == "home page of a source; length"


def test_a_wrong_call_says_what_to_do(corpus, web):
    with pytest.raises(ConfigurationError, match="pass seeds"):
        corpus.crawl()
    with pytest.raises(ConfigurationError, match="no earlier crawl to resume"):
        corpus.crawl(resume=True)
    with pytest.raises(ConfigurationError, match="scope='planet'"):
        corpus.crawl(SEED, scope="planet")
    with pytest.raises(ConfigurationError, match="pagse"):
        corpus.crawl(SEED, pagse=3)
    with pytest.raises(ConfigurationError, match="exclude=3: expected a list"):
        corpus.crawl(SEED, exclude=3)
    with pytest.raises(RefusedError, match="scheme ftp"):
        corpus.crawl("ftp://a.example/")
    with pytest.raises(ConfigurationError, match="steer=3"):
        corpus.crawl(SEED, steer=3)


def test_a_crawl_can_be_paused_resumed_and_stopped(corpus, web):
    small_site(web, pages=300)
    job = corpus.crawl(SEED, delay=0, proxy=web.proxy, connections=2)
    job.pause()
    while job.progress.pages < 1 and job.is_running:
        time.sleep(0.01)
        job.resume()
    job.pause()
    time.sleep(0.3)
    paused_at = job.progress.pages
    time.sleep(0.3)
    assert job.progress.pages == paused_at
    assert "paused" in repr(job)
    job.resume()
    job.stop()
    assert not job.is_running
    assert job.progress.reason in {"stopped by the user", "nothing left to fetch"}


def test_sitemaps_that_robots_txt_names_are_read_and_no_page_of_another_host(corpus, web):
    web.add(SEED, "front")
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"Sitemap: http://a.example/map.xml\n")
    web.pages["http://a.example/map.xml"] = (
        b"<urlset><url><loc>http://a.example/hidden</loc></url><url><loc>http://b.example/x</loc></url></urlset>"
    )
    web.add("http://a.example/hidden", "no page links here")
    job = crawl(corpus, web)
    assert sorted(corpus.documents().uri) == [SEED, "http://a.example/hidden"]
    assert job.progress.pages == 2
    assert corpus.frontier("refused").url.tolist() == ["http://b.example/x"]


def test_a_second_look_fetches_only_what_has_changed(corpus, web):
    bodies = {name: f"<p>text of {name}</p><a href='/b'>b</a><a href='/c'>c</a>".encode() for name in "abc"}
    asked = []

    def page(name):
        def answer(handler):
            tag = f'"{hash(bodies[name])}"'
            asked.append(name)
            if name != "c" and handler.headers.get("If-None-Match") == tag:
                return 304, {"ETag": tag}, b""
            return 200, {"ETag": tag, "Content-Type": "text/html"}, bodies[name]

        return answer

    for name, url in (("a", SEED), ("b", "http://a.example/b"), ("c", "http://a.example/c")):
        web.pages[url] = page(name)
    crawl(corpus, web)
    bodies["b"] = b"<p>another text</p>"
    job = crawl(corpus, web, None, resume=True, refresh=True)
    assert sorted(asked) == ["a", "a", "b", "b", "c", "c"]
    assert (job.progress.pages, job.progress.stored, job.progress.unchanged) == (2, 1, 2)
    assert "2 pages of 1 host, 1 new document, 2 unchanged, 0 failed" in job.summary
    assert corpus.documents().set_index("uri").version.to_dict() == {
        SEED: 1, "http://a.example/b": 2, "http://a.example/c": 1,
    }  # fmt: skip
    assert corpus[document_id("http://a.example/b")].to_text() == "another text"
    assert sorted(corpus.requests().status_code) == [200, 200, 200, 200, 200, 304]


def test_the_share_of_new_text_is_noted_and_stops_a_crawl_of_copies(corpus, web):
    for i in range(400):
        web.add(f"http://a.example/p{i}", "The same text on every page.", [f"/p{i + 1}", f"/p{i + 2}"])
    job = crawl(corpus, web, "http://a.example/p0", min_unique=0.6)
    assert "less than 60% new text" in job.progress.reason
    assert sum(web.fetched.values()) < 400
    shares = corpus.requests().unique_share.dropna()
    # Two workers extract: whichever page is committed first is all new.
    assert (shares == 1.0).sum() == 1
    assert len(shares) >= 100


def test_a_dashboard_tells_the_time_the_share_of_new_text_and_the_bytes(corpus, web):
    web.add("http://a.example/", "one two three", ["/same"])
    web.pages["http://a.example/same"] = web.pages["http://a.example/"]
    job = corpus.crawl("http://a.example/", delay=0, proxy=web.proxy, preset="nlptextdoc").wait(progress=False)
    state = CrawlState(job).read()
    assert state["bytes"] == 2 * len(web.pages["http://a.example/"])
    assert state["unique"] == 0.5
    assert state["elapsed"] == int(job.progress.ended - job.progress.started)
