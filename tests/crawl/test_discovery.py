"""What a crawl finds, and what it leaves for which reason."""

import base64

import pytest

from corpuskit.errors import ConfigurationError

SEED = "http://a.example/"
HTML = {"Content-Type": "text/html; charset=utf-8"}


def crawl(corpus, web, seeds=SEED, **options):
    return corpus.crawl(seeds, **{"delay": 0, "proxy": web.proxy, **options}).wait(progress=False)


def reasons(corpus):
    return corpus.frontier("refused").set_index("url").reason_refused.to_dict()


@pytest.mark.parametrize(
    ("kind", "feed"),
    [
        ("application/rss+xml", b"<rss><channel><item><link>http://a.example/news</link></item></channel></rss>"),
        (
            "application/atom+xml",
            b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/news"/></entry></feed>',
        ),
        (
            "application/rdf+xml",
            b'<RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><item><link>http://a.example/news</link></item></RDF>',
        ),
        ("application/feed+json", b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/news"}]}'),
    ],
)
def test_feeds_that_pages_name_are_read_once_and_count_as_no_page(corpus, web, kind, feed):
    web.pages[SEED] = f'<link rel="alternate" type="{kind}" href="/feed"><p>front <a href="/p">p</a></p>'.encode()
    web.pages["http://a.example/p"] = web.pages[SEED]
    web.pages["http://a.example/feed"] = lambda _: (200, {"Content-Type": kind}, feed)
    web.add("http://a.example/news", "no page links here")
    job = crawl(corpus, web)
    assert "http://a.example/news" in set(corpus.documents().uri)
    assert web.fetched["http://a.example/feed"] == 1
    assert job.progress.pages == 3


def test_a_feed_that_robots_txt_forbids_is_not_read(corpus, web):
    web.pages[SEED] = b'<link rel="alternate" type="application/rss+xml" href="/feed"><p>x <a href="/p">p</a></p>'
    web.add("http://a.example/p", "page")
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nDisallow: /feed\n")
    crawl(corpus, web)
    assert "http://a.example/feed" not in web.fetched


def test_a_canonical_page_is_found_like_a_link(corpus, web):
    web.pages["http://a.example/x?view=print"] = b'<link rel="canonical" href="/x"><p>for printers</p>'
    web.add("http://a.example/x", "the page itself")
    crawl(corpus, web, "http://a.example/x?view=print")
    assert web.fetched["http://a.example/x"] == 1


ENGLISH = "The insurer pays for the damage that the water has done to the house when the river rises over its banks."
GERMAN = (
    "Die Versicherung bezahlt den Schaden, den das Wasser am Haus verursacht hat, wenn der Fluss über die Ufer tritt."
)


def test_only_pages_in_the_chosen_languages_are_kept_and_the_rest_has_a_reason(corpus, web):
    links = '<a href="/de/start">a</a><a hreflang="fr" href="/autre">b</a><a href="/q">c</a><a href="/ok">d</a>'
    web.pages[SEED] = f'<html lang="en"><link rel="alternate" hreflang="it" href="/x"><p>{ENGLISH}</p>{links}'.encode()
    web.pages["http://a.example/q"] = f'<p>{GERMAN}</p><a href="/from-q">on</a>'.encode()
    web.add("http://a.example/ok", ENGLISH)
    web.add("http://a.example/from-q", ENGLISH)
    crawl(corpus, web, languages="en")
    assert sorted(corpus.documents().uri) == [SEED, "http://a.example/from-q", "http://a.example/ok"]
    assert reasons(corpus) == {
        "http://a.example/de/start": "language other, by its URL",
        "http://a.example/autre": "language fr",
        "http://a.example/x": "language it",
        "http://a.example/q": "language de",
    }
    crawl(corpus, web, None, resume=True, languages="en")
    assert web.fetched["http://a.example/q"] == 1
    crawl(corpus, web, None, resume=True, languages=["en", "de"])
    assert web.fetched["http://a.example/q"] == 2
    assert "http://a.example/q" in set(corpus.documents().uri)


def test_calendars_far_from_today_are_a_trap(corpus, web):
    traps = ["/2099/05/", "/events?date=2150-01-01", "/events?year=2345"]
    web.add(SEED, "front", [*traps, "/2019/05/", "/product/2099/5"])
    crawl(corpus, web)
    assert reasons(corpus) == {f"http://a.example{path}": "trap: a calendar far from today" for path in traps}
    assert {"http://a.example/2019/05/", "http://a.example/product/2099/5"} <= set(web.fetched)


@pytest.mark.slow
def test_a_kind_of_page_that_brings_nothing_new_is_left(corpus, web):
    web.add(SEED, "front", ["/list?page=0", "/good/0"])
    for i in range(400):
        web.pages[f"http://a.example/list?page={i}"] = (
            f'<p>The same long text again and again, for all of them.</p><a href="/list?page={i + 1}"></a>'
        ).encode()
        web.add(f"http://a.example/good/{i}", f"Something new, number {i}.", [f"/good/{i + 1}"] if i < 99 else [])
    job = crawl(corpus, web, connections=1)
    lists = [url for url in web.fetched if "list?" in url]
    assert 60 <= len(lists) < 300  # up to 200 pages wait for extraction
    assert len([url for url in web.fetched if "/good/" in url]) == 100
    assert "pages like a.example/list?page= brought" in " ".join(reasons(corpus).values())
    assert job.progress.reason == "nothing left to fetch"


def test_a_host_gets_no_more_than_its_budget(corpus, web):
    for host in ("a.example", "b.example"):
        web.add(f"http://{host}/", "front", [f"/p{i}" for i in range(20)])
        for i in range(20):
            web.add(f"http://{host}/p{i}", f"text {i} of {host}")
    job = crawl(corpus, web, [SEED, "http://b.example/"], host_pages=7)
    assert sorted(job.progress.hosts.items()) == [("a.example", 7), ("b.example", 7)]
    assert sum(web.fetched.values()) == 14
    assert "7 pages fetched from each remaining host" in job.progress.reason


def test_a_plan_fetches_robots_txt_and_sitemaps_and_changes_nothing(corpus, web):
    web.add(SEED, "front", ["/p"])
    rules = b"User-agent: *\nDisallow: /no\nCrawl-delay: 0.01\nSitemap: http://a.example/map.xml\n"
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, rules)
    names = ["p", "no/x", "skip/y", "q"]
    web.pages["http://a.example/map.xml"] = (
        "<urlset>" + "".join(f"<url><loc>http://a.example/{n}</loc></url>" for n in names) + "</urlset>"
    ).encode()
    plan = corpus.crawl(SEED, plan=True, delay=0, proxy=web.proxy, exclude="/skip", pages=2)
    assert plan[["url", "found", "verdict", "why"]].values.tolist() == [
        [SEED, "seed", "fetch", "no rule"],
        ["http://a.example/p", "sitemap", "fetch", "no rule"],
        ["http://a.example/no/x", "sitemap", "refused", "robots.txt: Disallow: /no"],
        ["http://a.example/skip/y", "sitemap", "refused", "excluded by /skip"],
        ["http://a.example/q", "sitemap", "later", "no rule"],
    ]
    assert plan.crawl_delay.tolist() == [0.01] * 5
    assert sorted(web.fetched) == ["http://a.example/map.xml"]
    assert corpus.frontier().empty
    crawl(corpus, web, exclude="/skip", pages=1)
    again = corpus.crawl(resume=True, plan=True, delay=0, proxy=web.proxy)
    assert set(again.found) == {"frontier"}
    assert again.url[0] == "http://a.example/p"


def test_a_held_source_is_left_out_and_comes_back(corpus, web):
    web.add(SEED, "front", ["http://b.example/"])
    web.add("http://b.example/", "other")
    corpus.set_source("b.example", "hold", why="shop")
    crawl(corpus, web, scope="web")
    assert reasons(corpus) == {"http://b.example/": "held by the analyst"}
    assert corpus.sources(candidates=True).set_index("host").loc["b.example", "verdict"] == "hold"
    corpus.set_source("b.example", "none")
    crawl(corpus, web, None, resume=True, scope="web")
    assert "http://b.example/" in set(corpus.documents().uri)


def test_outlinks_make_candidate_sources_and_an_approved_one_is_crawled(corpus, web):
    web.add(SEED, "front", ["/p", "http://b.example/", "http://c.example/"])
    web.add("http://a.example/p", "page", ["http://b.example/x"])
    web.add("http://b.example/", "another source")
    web.add("http://b.example/x", "its page")
    crawl(corpus, web)
    candidates = corpus.sources(candidates=True)
    assert candidates.host.tolist() == ["a.example", "b.example", "c.example"]
    assert candidates.why[1] == "linked from 2 pages"
    assert corpus.sources().host.tolist() == ["a.example"]
    corpus.set_source("b.example", "approve")
    crawl(corpus, web, None, resume=True)
    assert sorted(corpus.documents().host.unique()) == ["a.example", "b.example"]
    assert "http://c.example/" not in web.fetched


def test_a_boosted_source_comes_first(corpus, web):
    hosts = [f"h{i}.example" for i in range(6)]
    web.add(SEED, "front", [f"http://{host}/" for host in hosts])
    for host in hosts:
        web.add(f"http://{host}/", f"text of {host}", [f"/{i}" for i in range(5)])
        for i in range(5):
            web.add(f"http://{host}/{i}", f"page {i} of {host}")
    corpus.set_source("h5.example", "boost")
    rank = corpus.crawl(SEED, delay=0, proxy=web.proxy, scope="web", steer=lambda rows: rows.url.str.len() * 0.0, pages=7,
                        connections=1).wait(progress=False)  # fmt: skip
    assert rank.progress.hosts["h5.example"] == 6
    assert "boosted by the analyst" not in " ".join(corpus.frontier("queued").why)


def test_a_running_crawl_follows_a_verdict_at_once(corpus, web):
    web.add(SEED, "front", ["http://b.example/0"])
    for i in range(300):
        web.add(f"http://b.example/{i}", f"text {i}", [f"/{i + 1}"])
    job = corpus.crawl(SEED, delay=0, proxy=web.proxy, scope="web", connections=1)
    while job.progress.hosts["b.example"] < 3 and job.is_running:
        pass
    job.skip("b.example")
    job.wait(progress=False)
    assert job.progress.hosts["b.example"] < 300
    assert "held by the analyst" in reasons(corpus).values()


def test_seeds_come_from_a_file_and_go_into_one(corpus, web, tmp_path):
    file = tmp_path / "seeds.txt"
    file.write_text("# my sites\nhttp://a.example/  # the first\n\nhttp://a.example/x#part\n", "utf-8")
    web.add(SEED, "front")
    web.add("http://a.example/x", "x")
    crawl(corpus, web, file)
    corpus.set_source("good.example", "approve")
    assert corpus.export_seeds(tmp_path / "out.txt") == 3
    text = (tmp_path / "out.txt").read_text("utf-8")
    assert text == "http://a.example/\nhttp://a.example/x\nhttps://good.example/\n"


def test_the_report_tells_what_became_of_a_site(corpus, web):
    web.add(SEED, "front", ["/gone", "/hidden", "/moved", "/new", "mailto:x@a.example", "/no", "http://b.example/"])
    web.pages["http://a.example/hidden"] = lambda _: (403, {}, b"")
    web.pages["http://a.example/moved"] = lambda _: (301, {"Location": "/new"}, b"")
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nDisallow: /no\n")
    web.add("http://a.example/new", "here")
    job = crawl(corpus, web)
    row = job.report().set_index("host").loc["a.example"]
    assert row[["requests", "ok", "not_found", "forbidden", "moved", "queued", "refused"]].tolist() == [
        5,
        2,
        1,
        1,
        1,
        0,
        2,
    ]
    assert row.refused_why == "robots.txt 1; scheme mailto 1"
    # b.example is refused too, and is no row: nothing of it was asked for.
    assert "3 refused: robots.txt (1), scheme mailto (1), scope (1)" in repr(job)
    assert row.robots == "200"
    assert corpus.crawl_report().requests.tolist() == [5]


@pytest.mark.feature("compat")
def test_the_old_log_has_its_names_separators_and_status_names(corpus, web, tmp_path):
    web.add(SEED, "front", ["/a;b", "/gone"])
    web.add("http://a.example/a;b", "x")
    crawl(corpus, web)
    assert corpus.export_requests(tmp_path / "requests.log.csv") == 3
    lines = (tmp_path / "requests.log.csv").read_text("utf-8").splitlines()
    assert lines[0] == (
        "Clock;Url;Status code;Reponse time (ms);Download time (ms);Content size (bytes);Unique text blocks (%);"
        "Crawl depth;Parent Url;Redirected from;Retry count;Retry after (s);Error message"
    )
    rows = {row[1]: row for row in (line.split(";") for line in lines[1:])}
    assert {len(row) for row in rows.values()} == {13}
    assert rows["http://a.example/a,b"][2] == "OK"
    assert rows["http://a.example/gone"][2] == "NotFound"
    assert rows["http://a.example/gone"][8] == SEED


def test_passwords_of_netrc_and_credentials_go_to_their_hosts_only(corpus, web, tmp_path):
    seen = {}

    def page(name):
        def answer(handler):
            seen[name] = dict(handler.headers.items())
            return 200, HTML, b'<p>x</p><a href="http://b.example/">b</a>'

        return answer

    web.pages[SEED] = page("a")
    web.pages["http://b.example/"] = page("b")
    file = tmp_path / "netrc"
    file.write_text("machine b.example login me password secret-7\n", "utf-8")
    file.chmod(0o600)
    crawl(corpus, web, scope="web", netrc=str(file), headers={"Authorization": "Bearer hush", "X-Plain": "1"})
    assert seen["a"]["Authorization"] == "Bearer hush"
    assert seen["b"]["Authorization"] == "Basic " + base64.b64encode(b"me:secret-7").decode()
    assert seen["b"]["X-Plain"] == "1"
    assert not any("secret-7" in str(row["options"]) for row in corpus._folder.catalog.rows("SELECT options FROM jobs"))


def test_a_page_says_which_rule_allowed_it_and_what_it_lacks_without_scripts(corpus, web):
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nDisallow: /\nAllow: /$\n")
    web.pages[SEED] = b"<html><body><div id='app'>Loading</div><script>start()</script></body></html>"
    job = crawl(corpus, web)
    (document,) = corpus
    assert document.metadata["robots"] == "Allow: /$"
    assert document.metadata["needs_scripts"]
    assert job.progress.scripted == 1


def test_pages_can_be_stored_first_and_extracted_later(corpus, web):
    web.add(SEED, "front", ["/p"])
    web.add("http://a.example/p", "page")
    job = crawl(corpus, web, extract=False)
    assert (job.progress.stored, len(corpus)) == (2, 0)
    assert corpus.extract_pending() == 2
    assert len(corpus) == 2


def test_of_links_only_what_is_included_is_fetched_and_a_later_crawl_may_include_more(corpus, web):
    web.add(SEED, "front", ["/news/1", "/about", "/shop/news/2"])
    for path in ("news/1", "about", "shop/news/2"):
        web.add(f"http://a.example/{path}", path)
    job = crawl(corpus, web, include=["/news/*"])
    assert job.options.include == ("/news/*",)
    assert sorted(corpus.documents().uri) == [SEED, "http://a.example/news/1"]
    assert set(reasons(corpus).values()) == {"not included"}
    crawl(corpus, web, None, resume=True, include=["*/news/"])
    assert sorted(corpus.documents().uri)[-1] == "http://a.example/shop/news/2"
    crawl(corpus, web, None, resume=True, include=None)
    assert "http://a.example/about" in set(corpus.documents().uri)


def test_sitemaps_and_feeds_are_read_whatever_is_included(corpus, web):
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"Sitemap: http://a.example/map.xml\n")
    pages = "".join(f"<url><loc>http://a.example/{name}</loc></url>" for name in ("news/1", "other"))
    web.pages["http://a.example/map.xml"] = f"<urlset>{pages}</urlset>".encode()
    web.pages["http://a.example/feed"] = (
        b"<rss><channel><item><link>http://a.example/news/2</link></item></channel></rss>"
    )
    web.pages[SEED] = b'<link rel="alternate" type="application/rss+xml" href="/feed"><p>front</p>'
    for path in ("news/1", "news/2", "other"):
        web.add(f"http://a.example/{path}", path)
    crawl(corpus, web, include="/news/")
    assert sorted(corpus.documents().uri) == [SEED, "http://a.example/news/1", "http://a.example/news/2"]


def test_a_pattern_that_can_match_no_path_is_refused(corpus, web):
    with pytest.raises(ConfigurationError, match=r"expected a path such as '/news/\*' or '\*/news/\*'"):
        crawl(corpus, web, include="news")


def test_the_links_of_seeds_can_be_listed_without_keeping_anything(corpus, web):
    web.pages[SEED] = b'<link rel="alternate" type="application/rss+xml" href="/feed"><p>front <a href="/p">p</a></p>'
    web.pages["http://a.example/feed"] = (
        b"<rss><channel><item><link>http://a.example/news</link></item></channel></rss>"
    )
    plan = corpus.crawl(SEED, plan="links", delay=0, proxy=web.proxy)
    assert plan[["url", "found"]].values.tolist() == [
        [SEED, "seed"], ["http://a.example/p", "link"], ["http://a.example/news", "sitemap or feed"],
    ]  # fmt: skip
    assert corpus.frontier().empty
    assert corpus.documents().empty
    index = b"<sitemapindex><sitemap><loc>http://a.example/map.xml</loc></sitemap></sitemapindex>"
    web.pages["http://a.example/index.xml"] = index
    web.pages["http://a.example/map.xml"] = b"<urlset><url><loc>http://a.example/q</loc></url></urlset>"
    plan = corpus.crawl("http://a.example/index.xml", plan="links", delay=0, proxy=web.proxy)
    assert plan.url.tolist()[1:] == ["http://a.example/q"]
    plan = corpus.crawl("http://a.example/gone", plan="links", delay=0, proxy=web.proxy)
    assert plan.attrs["failed"] == {"http://a.example/gone": "the server answered 404 Not Found"}
