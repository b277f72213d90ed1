"""Feeds and sitemaps in a crawl: as seeds, named by pages and robots.txt, in a second look."""

import gzip

import pytest

SEED = "http://a.example/"
XML = {"Content-Type": "application/xml"}
RSS = (
    b"<?xml version='1.0'?><!-- made --><rss><channel><title>News</title><item><link>/one</link></item></channel></rss>"
)


def crawl(corpus, web, seeds=SEED, **options):
    return corpus.crawl(seeds, **{"delay": 0, "proxy": web.proxy, **options}).wait(progress=False)


def answer(body, kind="application/xml"):
    return lambda _: (200, {"Content-Type": kind}, body)


def urlset(*urls):
    return ("<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>").encode()


def index(*urls):
    return (
        "<sitemapindex>" + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls) + "</sitemapindex>"
    ).encode()


# -- seeds -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "body"),
    [
        ("feed", "application/rss+xml", RSS),
        ("feed", "text/html", RSS),
        ("feed", "text/xml", b'<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://n.example/x.dtd">' + RSS.partition(b"?>")[2]),
        ("atom.xml", "application/atom+xml",
         b'<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><entry><link href="/one"/></entry></feed>'),
        ("rdf", "application/rdf+xml",
         b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
         b"<item><link>http://a.example/one</link></item></rdf:RDF>"),
        ("feed.json", "application/feed+json",
         rb'{"title": "x", "version": "https:\/\/jsonfeed.org\/version\/1.1", "items": [{"url": "\/one"}]}'),
        ("sitemap.xml", "application/xml", urlset("http://a.example/one")),
        ("sitemap.xml.gz", "application/x-gzip", gzip.compress(urlset("http://a.example/one"), mtime=0)),
        ("sitemap.txt", "text/plain", b"http://a.example/one\r\n"),
    ],
)  # fmt: skip
def test_a_feed_or_sitemap_as_a_seed_is_followed_and_is_no_document(corpus, web, name, kind, body):
    web.pages[SEED + name] = answer(body, kind)
    web.add("http://a.example/one", "the page", ["/two"])
    web.add("http://a.example/two", "another")
    job = crawl(corpus, web, SEED + name, max_depth=1)
    assert sorted(corpus.documents().uri) == ["http://a.example/one", "http://a.example/two"]
    rows = corpus.frontier().set_index("url")
    assert rows.depth.to_dict() == {SEED + name: 0, "http://a.example/one": 0, "http://a.example/two": 1}
    assert rows.loc["http://a.example/one", "why"] == f"named by {SEED + name}; depth 0"
    assert job.progress.pages == 2
    assert corpus.failures().empty


def test_an_index_as_a_seed_leads_to_its_sitemaps(corpus, web):
    parts = ["http://a.example/s1.xml", "http://a.example/s2.xml.gz", "http://a.example/gone.xml"]
    web.pages["http://a.example/index.xml"] = answer(index(*parts))
    web.pages[parts[0]] = answer(urlset("http://a.example/one"))
    web.pages[parts[1]] = answer(gzip.compress(urlset("http://a.example/two")), "application/gzip")
    web.add("http://a.example/one", "one")
    web.add("http://a.example/two", "two")
    crawl(corpus, web, "http://a.example/index.xml", max_depth=0)
    assert sorted(corpus.documents().uri) == ["http://a.example/one", "http://a.example/two"]
    assert corpus.failures().uri.tolist() == [parts[2]]


def test_an_index_that_another_names_is_followed_no_further(corpus, web):
    for i in range(9):
        web.pages[f"http://a.example/i{i}.xml"] = answer(index(f"http://a.example/i{i + 1}.xml"))
    crawl(corpus, web, "http://a.example/i0.xml")
    assert sorted(web.fetched) == ["http://a.example/i0.xml", "http://a.example/i1.xml"]


def test_all_sitemaps_of_a_long_index_are_read_and_those_past_fifty_count(corpus, web):
    web.pages[SEED] = answer(index(*(f"http://a.example/s{i}.xml" for i in range(60))))
    for i in range(60):
        web.pages[f"http://a.example/s{i}.xml"] = answer(urlset(f"http://a.example/{i}"))
        web.add(f"http://a.example/{i}", f"page {i}")
    job = crawl(corpus, web)
    assert len(corpus) == 60
    assert job.progress.pages == 60 + 11  # the index is one of the fifty


def test_a_linked_feed_is_followed_and_counts_as_a_page(corpus, web):
    web.add(SEED, "front", ["/feed"])
    web.pages["http://a.example/feed"] = answer(RSS, "text/html")
    web.add("http://a.example/one", "the page")
    job = crawl(corpus, web)
    assert sorted(corpus.documents().uri) == [SEED, "http://a.example/one"]
    assert job.progress.pages == 3


def test_a_feed_that_asks_for_it_is_not_followed(corpus, web):
    web.pages[SEED] = lambda _: (200, {**XML, "X-Robots-Tag": "noindex, nofollow"}, RSS)
    crawl(corpus, web)
    assert list(web.fetched) == [SEED]


def test_a_page_that_lists_urls_is_still_a_document(corpus, web):
    web.add(SEED, "front", ["/list.txt"])
    web.pages["http://a.example/list.txt"] = answer(b"http://a.example/one\n", "text/plain")
    web.pages["http://a.example/x"] = b"<html><body><p>About feed and rss</p><rss></rss></body></html>"
    crawl(corpus, web, [SEED, "http://a.example/x"])
    assert sorted(corpus.documents().uri) == [SEED, "http://a.example/list.txt", "http://a.example/x"]


# -- feeds that pages name ---------------------------------------------------------------------------------------------

NAMES_A_FEED = (
    b'<html><head><link rel="alternate" type="application/rss+xml" href="/feed"></head><p>No link here.</p></html>'
)


def test_a_feed_is_read_before_the_crawl_ends_though_its_page_links_to_nothing(corpus, web):
    web.pages[SEED] = NAMES_A_FEED
    web.pages["http://a.example/feed"] = answer(RSS)
    web.add("http://a.example/one", "the page")
    job = crawl(corpus, web, max_depth=1)
    assert sorted(corpus.documents().uri) == [SEED, "http://a.example/one"]
    assert job.progress.pages == 2


def test_a_feed_that_a_stopped_crawl_had_no_time_for_is_read_by_the_next(corpus, web):
    web.pages[SEED] = NAMES_A_FEED
    web.pages["http://a.example/feed"] = answer(RSS)
    web.add("http://a.example/one", "the page")
    crawl(corpus, web, pages=1)
    crawl(corpus, web, None, resume=True)
    assert web.fetched == {SEED: 1, "http://a.example/feed": 1, "http://a.example/one": 1}


@pytest.mark.parametrize("options", [{"feeds": False}, {"scope": "web"}, {"exclude": "/feed"}])
def test_feeds_are_left_where_they_are_not_wanted(corpus, web, options):
    web.pages[SEED] = NAMES_A_FEED
    web.pages["http://a.example/feed"] = answer(RSS)
    crawl(corpus, web, **options)
    assert list(web.fetched) == [SEED]


def test_five_feeds_of_a_host_are_read(corpus, web):
    links = "".join(f'<link rel="alternate" type="application/rss+xml" href="/feed{i}">' for i in range(9))
    web.pages[SEED] = f"<html><head>{links}</head><p>front</p></html>".encode()
    for i in range(9):
        web.pages[f"http://a.example/feed{i}"] = answer(RSS)
    crawl(corpus, web)
    assert sum("feed" in url for url in web.fetched) == 5


def test_feeds_come_before_what_a_model_likes(corpus, web):
    web.pages[SEED] = NAMES_A_FEED.replace(b"No link", b"".join(b'<a href="/p%d">x</a>' % i for i in range(9)))
    for i in range(9):
        web.add(f"http://a.example/p{i}", f"page {i}")
    web.pages["http://a.example/feed"] = answer(RSS)
    web.add("http://a.example/one", "the page")
    crawl(corpus, web, pages=3, connections=1, steer=lambda rows: rows.url.str.contains("/p").astype(float))
    assert web.log[2] == "http://a.example/feed"


# -- a second look -----------------------------------------------------------------------------------------------------


def test_a_second_look_reads_the_feed_of_a_page_that_has_not_changed(corpus, web):
    feed = [RSS]
    asked = []

    def page(handler):
        if handler.headers.get("If-None-Match") == '"1"':
            return 304, {"ETag": '"1"'}, b""
        return 200, {"Content-Type": "text/html", "ETag": '"1"'}, NAMES_A_FEED

    def read(handler):
        asked.append(handler.headers.get("If-None-Match"))
        return 200, {"Content-Type": "application/rss+xml", "ETag": '"f"'}, feed[0]

    web.pages[SEED] = page
    web.pages["http://a.example/feed"] = read
    web.add("http://a.example/one", "one")
    web.add("http://a.example/two", "two")
    crawl(corpus, web)
    feed[0] = RSS.replace(b"/one", b"/two")
    crawl(corpus, web, None, resume=True, refresh=True)
    assert sorted(corpus.documents().uri) == [SEED, "http://a.example/one", "http://a.example/two"]
    assert asked == [None, None]  # what it named is known, not the feed itself: it is asked for as a whole


def test_a_feed_that_an_earlier_version_kept_as_a_document_is_followed_by_a_second_look(corpus, web, monkeypatch):
    asked = []

    def read(handler):
        asked.append(handler.headers.get("If-None-Match"))
        if asked[-1]:
            return 304, {}, b""
        return 200, {"Content-Type": "text/html", "ETag": '"f"'}, RSS

    web.pages[SEED] = read
    web.add("http://a.example/one", "one")
    with monkeypatch.context() as earlier:
        earlier.setattr("corpuskit.crawl.sitemaps.is_listing", lambda *_: False)
        crawl(corpus, web)
    assert corpus.documents().uri.tolist() == [SEED]
    crawl(corpus, web, None, resume=True, refresh=True)
    assert asked == [None, None]
    assert "http://a.example/one" in set(corpus.documents().uri)


# -- sitemaps that robots.txt names ------------------------------------------------------------------------------------


def robots(web, host, rules):
    web.pages[f"http://{host}/robots.txt"] = lambda _: (200, {}, rules.encode())


def test_a_sitemap_on_another_host_of_the_domain_is_read(corpus, web):
    robots(web, "www.a.example", "Sitemap: http://maps.a.example/www.xml\nSitemap: http://b.example/foreign.xml\n")
    robots(web, "maps.a.example", "User-agent: *\nDisallow: /\n")
    web.add("http://www.a.example/", "front")
    web.pages["http://maps.a.example/www.xml"] = answer(
        urlset("http://www.a.example/hidden", "http://maps.a.example/x")
    )
    web.pages["http://b.example/foreign.xml"] = answer(urlset("http://www.a.example/foreign"))
    web.add("http://www.a.example/hidden", "no page links here")
    crawl(corpus, web, "http://www.a.example/", scope="host")
    assert sorted(corpus.documents().uri) == ["http://www.a.example/", "http://www.a.example/hidden"]
    assert not any(url.startswith("http://b.example") for url in web.log)
    refused = corpus.frontier("refused")[["url", "reason_refused"]].values.tolist()
    assert refused == [["http://maps.a.example/x", "scope"]]


def test_what_an_index_on_another_host_names_is_read_as_far_as_that_host_allows(corpus, web):
    robots(web, "www.a.example", "Sitemap: http://maps.a.example/index.xml\n")
    robots(web, "maps.a.example", "User-agent: *\nDisallow: /no\nCrawl-delay: 0.01\n")
    web.add("http://www.a.example/", "front")
    web.pages["http://maps.a.example/index.xml"] = answer(
        index("http://maps.a.example/no.xml", "http://maps.a.example/yes.xml")
    )
    web.pages["http://maps.a.example/no.xml"] = answer(urlset("http://www.a.example/no"))
    web.pages["http://maps.a.example/yes.xml"] = answer(urlset("http://www.a.example/yes"))
    web.add("http://www.a.example/yes", "found")
    crawl(corpus, web, "http://www.a.example/", scope="host")
    assert "http://maps.a.example/no.xml" not in web.fetched
    assert "http://www.a.example/yes" in set(corpus.documents().uri)


def test_a_sitemap_that_cannot_be_had_costs_no_page(corpus, web):
    robots(web, "www.a.example", "Sitemap: http://cut.a.example/x.xml\nSitemap: http://www.a.example/in.xml\n"
                                 "Sitemap: nonsense://x\nSitemap: http://www.a.example/moved.xml\n")  # fmt: skip
    web.pages["http://cut.a.example/robots.txt"] = lambda _: (500, {}, b"")
    web.pages["http://www.a.example/in.xml"] = lambda _: (302, {"Location": "http://169.254.169.254/x"}, b"")
    web.pages["http://www.a.example/moved.xml"] = lambda _: (301, {"Location": "/there.xml"}, b"")
    web.pages["http://www.a.example/there.xml"] = answer(urlset("http://www.a.example/one"))
    web.add("http://www.a.example/", "front")
    web.add("http://www.a.example/one", "one")
    crawl(corpus, web, "http://www.a.example/")
    assert sorted(corpus.documents().uri) == ["http://www.a.example/", "http://www.a.example/one"]
    assert not any("169.254" in url or "cut.a.example/x" in url for url in web.log)


def test_a_sitemap_may_be_named_by_its_path(corpus, web):
    robots(web, "a.example", "Sitemap: /map.xml\n")
    web.add(SEED, "front")
    web.pages["http://a.example/map.xml"] = answer(urlset("http://a.example/one"))
    web.add("http://a.example/one", "one")
    crawl(corpus, web)
    assert "http://a.example/one" in web.fetched


def test_a_plan_reads_the_same_sitemaps(corpus, web):
    robots(web, "www.a.example", "Sitemap: http://maps.a.example/www.xml\nSitemap: http://b.example/foreign.xml\n")
    web.pages["http://maps.a.example/www.xml"] = answer(urlset("http://www.a.example/hidden"))
    plan = corpus.crawl("http://www.a.example/", plan=True, delay=0, proxy=web.proxy)
    assert plan.url.tolist() == ["http://www.a.example/", "http://www.a.example/hidden"]
    assert not any(url.startswith("http://b.example") for url in web.log)


def test_sitemaps_count_as_read_when_they_have_been_read(corpus, web):
    robots(web, "a.example", "Sitemap: http://a.example/map.xml\n")
    web.add(SEED, "front")
    when = "SELECT sitemaps_fetched FROM hosts WHERE host = 'a.example'"
    noted = []

    def read(_):
        noted.append(corpus._folder.catalog.value(when))
        return 200, XML, urlset("http://a.example/one")

    web.pages["http://a.example/map.xml"] = read
    crawl(corpus, web)
    assert noted == [None]  # a crawl that is killed here reads them again
    assert corpus._folder.catalog.value(when) is not None


def test_what_a_seed_sitemap_names_are_seeds_as_far_as_it_is_its_own(corpus, web):
    web.pages["http://a.example/s.xml"] = answer(urlset("http://a.example/one", "http://b.example/two"))
    web.add("http://a.example/one", "one", ["/deeper"])
    web.add("http://b.example/two", "two")
    crawl(corpus, web, "http://a.example/s.xml", max_depth=0, scope="web")
    assert corpus.documents().uri.tolist() == ["http://a.example/one"]
    rows = corpus.frontier().set_index("url")
    assert rows.loc["http://b.example/two", "reason_refused"] == "depth over 0"
    assert rows.loc["http://b.example/two", "parent"] == "http://a.example/s.xml"


def test_a_sitemap_that_breaks_off_is_told_and_its_half_url_is_not_asked_for(corpus, web):
    whole = urlset("http://a.example/one", "http://a.example/two")
    web.pages["http://a.example/s.xml"] = answer(whole[: whole.index(b"/two") + 2])
    web.add("http://a.example/one", "one")
    job = crawl(corpus, web, "http://a.example/s.xml")
    assert corpus.documents().uri.tolist() == ["http://a.example/one"]
    failure = corpus.failures().iloc[0]
    assert (failure.uri, failure.stage) == ("http://a.example/s.xml", "sitemap")
    assert failure.message == "only partly read: truncated in line 1"
    assert "sitemaps and feeds with errors: http://a.example/s.xml (only partly read: truncated in line 1)" in repr(job)
    assert set(web.fetched) == {"http://a.example/s.xml", "http://a.example/one"}
