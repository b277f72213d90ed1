"""RFC 9309, the Robots Exclusion Protocol. Cases are those of its text and of the practice it standardised."""

import pytest

from corpuskit.sources.web import Robots

RFC_EXAMPLE = b"""User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: corpuskit
Disallow:/example/page.html

User-Agent: quxbot
EOF
"""


def allows(rules, url):
    return Robots.parse(rules).allows(f"http://h.example{url}")


@pytest.mark.parametrize(
    ("url", "allowed"), [("/", True), ("/example/", True), ("/example/page.html", False), ("/a.gif", True)]
)
def test_only_our_own_group_counts_where_there_is_one(url, allowed):
    assert allows(RFC_EXAMPLE, url) is allowed


@pytest.mark.parametrize(
    ("rules", "url", "allowed"),
    [
        (b"", "/", True),
        (b"User-agent: *\nDisallow: /", "/x", False),
        (b"User-agent: *\nDisallow:", "/x", True),
        (b"User-agent: other\nDisallow: /", "/x", True),
        (b"user-AGENT: CorpusKit/1.0\nDISALLOW: /", "/x", False),
        # 2.2.2: the longest match decides; of equal ones Allow
        (b"User-agent: *\nAllow: /p\nDisallow: /", "/page", True),
        (b"User-agent: *\nAllow: /folder\nDisallow: /folder", "/folder/page", True),
        (b"User-agent: *\nAllow: /page\nDisallow: /*.htm", "/page.htm", False),
        (b"User-agent: *\nAllow: /$\nDisallow: /", "/", True),
        (b"User-agent: *\nAllow: /$\nDisallow: /", "/page", False),
        (b"User-agent: *\nDisallow: /fish*.php", "/fishheads/catfish.php?id=2", False),
        (b"User-agent: *\nDisallow: /fish*.php", "/Fish.PHP", True),
        # 2.2.3: special characters
        (b"User-agent: *\nDisallow: /path/file-with-a-%2A.html", "/path/file-with-a-%2A.html", False),
        # several agents share a group; groups of one agent are combined
        (b"User-agent: a\nUser-agent: corpuskit\nDisallow: /x", "/x", False),
        (
            b"User-agent: corpuskit\nDisallow: /x\nUser-agent: b\nDisallow: /y\nUser-agent: corpuskit\nDisallow: /z",
            "/z",
            False,
        ),
        (b"User-agent: corpuskit\nDisallow: /x\nUser-agent: b\nDisallow: /y", "/y", True),
        # comments, byte order mark, line ends, lines that are no rule
        (b"\xef\xbb\xbfUser-agent: * # all\r\nDisallow: /x # this\r\n", "/x", False),
        (b"User-agent: *\rDisallow: /x\r", "/x", False),
        (b"nonsense\nUser-agent: *\n=\n\x00\xff\nDisallow: /x", "/x", False),
        (b"Disallow: /\nUser-agent: corpuskit\nAllow: /", "/x", True),
        # non-ASCII paths, written either way
        ("User-agent: *\nDisallow: /ツ".encode(), "/%E3%83%84", False),
    ],
)
def test_a_rule_decides(rules, url, allowed):
    assert allows(rules, url) is allowed


def test_crawl_delay_and_sitemaps_are_read():
    robots = Robots.parse(
        b"Sitemap: http://h.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nUser-agent: x\nCrawl-delay: 9"
    )
    assert robots.crawl_delay == 2.5
    assert robots.sitemaps == ("http://h.example/s.xml",)


def test_a_crawl_delay_is_capped_and_nonsense_is_passed_over():
    assert Robots.parse(b"User-agent: *\nCrawl-delay: 86400").crawl_delay == 60.0
    assert Robots.parse(b"User-agent: *\nCrawl-delay: soon").crawl_delay is None


def test_nothing_is_allowed_where_the_file_could_not_be_had():
    assert not Robots(closed=True).allows("http://h.example/")


def test_a_file_of_half_a_megabyte_is_read_and_no_more():
    long = b"User-agent: *\n" + b"Disallow: /no/\n" * 60_000 + b"Disallow: /late\n"
    assert len(long) > 512_000
    robots = Robots.parse(long)
    assert not robots.allows("http://h.example/no/x")
    assert robots.allows("http://h.example/late")
