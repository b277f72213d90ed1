"""RFC 9309, the Robots Exclusion Protocol. Cases are those of its text and of the practice it standardised."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


# What Google documents ("How Google interprets the robots.txt specification") and RFC 9309 says, one table a rule:
# the rules of our group → paths that are allowed, paths that are not.
PATHS = {
    "disallow: /\nallow: /fish": (
        "/fish /fish.html /fish/salmon.html /fishheads /fishheads/yummy.html /fish.html?id=anything", "/bar /Fish.asp /catfish /?id=fish",
    ),
    "disallow: /\nallow: /fish*": (
        "/fish /fish.html /fish/salmon.html /fishheads /fishheads/yummy.html /fish.html?id=anything", "/bar /Fish.bar /catfish /?id=fish",
    ),
    "disallow: /\nallow: /fish/": (
        "/fish/ /fish/salmon /fish/?salmon /fish/salmon.html /fish/?id=anything", "/bar /fish /fish.html /animals/fish/ /Fish/Salmon.html",
    ),
    "disallow: /\nallow: /*.php": (
        "/filename.php /folder/filename.php /folder/filename.php?parameters //folder/any.php.file.html /filename.php/ "
        "/index?f=filename.php/", "/bar /php/ /index?php /windows.PHP",
    ),
    "disallow: /\nallow: /*.php$": (
        "/filename.php /folder/filename.php", "/bar /filename.php?parameters /filename.php/ /filename.php5 /php/ /filename?php /aaaphpaaa "
        "//windows.PHP",
    ),
    "disallow: /\nallow: /fish*.php": ("/fish.php /fishheads/catfish.php?parameters", "/bar /Fish.PHP"),
    "allow: /p\ndisallow: /": ("/page /p", "/ /a"),
    "allow: /folder\ndisallow: /folder": ("/folder/page /folder", ""),
    "allow: /page\ndisallow: /*.htm": ("/page /a", "/page.htm /page.html /x.htm"),
    "allow: /page\ndisallow: /*.ph": ("/page /page.php5 /a", "/x.php5"),
    "allow: /$\ndisallow: /": ("/", "/page.html /index.html /?q"),
    # the longest match decides; of equal ones Allow
    "disallow: /x/page.html\nallow: /x/": ("/x/ /x/other", "/x/page.html"),
    "allow: /x/page.html\ndisallow: /x/": ("/x/page.html /y", "/x/ /x/other"),
    "disallow: \nallow: ": ("/ /x/page.html", ""),
    "disallow: /\nallow: /": ("/ /x/page.html", ""),
    "disallow: /x\nallow: /x/": ("/x/ /x/y", "/x /xy"),
    "disallow: /x/page.html\nallow: /x/page.html": ("/x/page.html", ""),
    "allow: /x/page.\ndisallow: /*.html": ("/x/page.html", "/x/y.html /page.html"),
    "allow: /a/b\ndisallow: /a\nallow: /": ("/a/b /b", "/a /a/c"),
    # encoding: both sides are brought into one form (RFC 9309, 2.2.2)
    "disallow: /\nallow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par": ("/foo/bar?qux=taz&baz=http://foo.bar?tar&par", "/foo/bar?qux=taz"),
    "disallow: /\nallow: /foo/bar/ツ": ("/foo/bar/%E3%83%84 /foo/bar/%e3%83%84", "/foo/bar/%E3%83%85"),
    "disallow: /\nallow: /foo/bar/%E3%83%84": ("/foo/bar/%E3%83%84", "/foo/bar/"),
    "disallow: /\nallow: /foo/bar/%62%61%7A": ("/foo/bar/baz /foo/bar/%62%61%7A", "/foo/bar/"),
    "disallow: /a%2Fb": ("/a/b", "/a%2Fb /a%2fb"),
    "disallow: /%7Ejoe/": ("/joe/", "/~joe/index.html /%7Ejoe/index.html"),
    "disallow: /a%3Fb": ("/a?b", "/a%3Fb /a%3fb"),
    # special characters
    "disallow: /foo/bar/quz\nallow: /foo/*/qux": ("/foo/quz /foo//quz /foo/bax/quz", "/foo/bar/quz"),
    "disallow: /foo/bar$\nallow: /foo/bar/qux": ("/foo/bar/qux /foo/bar/ /foo/bar/baz", "/foo/bar"),
    "# disallow: /\ndisallow: /foo/quz#qux\nallow: /": ("/foo/bar", "/foo/quz /foo/quzx"),
    "disallow: /a*": ("/b", "/a /ab /a/b"),
    "disallow: /a**b": ("/a /a/c", "/ab /axxb /a/x/b/y"),
    "disallow: *": ("", "/ /x"),
    "disallow: /*$": ("", "/ /x?y"),
    "disallow: /$x": ("/ /x", "/$x /$xy"),
    "disallow: /a*b*c$": ("/abd /abcx", "/abc /aXbXc /abcbc"),
    "disallow: /*?": ("/a", "/a? /a?b /?"),
    "disallow: /*.gif$": ("/a.gif?x /a.gifs", "/a.gif /x/y.gif"),
    # a folder is its index page, where that is allowed
    "allow: /allowed/index.html\ndisallow: /": ("/allowed/ /allowed/index.html", "/allowed/index.htm /other /allowed/x"),
    # case: names of lines do not have one, paths do
    "ALLOW: /x/\nDISALLOW: /": ("/x/y", "/a/b /X/y"),
    "AlLoW: /x/\ndIsAlLoW: /": ("/x/y", "/a/b"),
    "disallow: /X/": ("/x/y", "/X/y"),
    # what people write
    "disallow /x": ("/", "/x"),
    "disallow /x /y": ("/x /y", ""),
    "dissallow: /x\ndissalow: /y\ndisalow: /z": ("/", "/x /y /z"),
    "diasllow: /x\ndisallaw: /y": ("/", "/x /y"),
    "  disallow  :   /x   # why": ("/", "/x"),
    "disallow: /x /y": ("/x /y", ""),
    "no-such-thing: /x\ndisallow: /y": ("/x", "/y"),
}  # fmt: skip
CASES = [(rules, path, allowed) for rules, sides in PATHS.items() for allowed, side in zip((True, False), sides, strict=True)
         for path in side.split()]  # fmt: skip


@pytest.mark.parametrize(("rules", "path", "allowed"), CASES)
def test_paths_of_the_documentation(rules, path, allowed):
    assert allows(f"user-agent: corpuskit\n{rules}\n".encode(), path) is allowed


GROUPS = [
    # rules outside groups are passed over; groups of one agent are combined; a group's rules may stand apart
    ("allow: /foo/\n\nuser-agent: corpuskit\ndisallow: /\nallow: /x/\nuser-agent: b\ndisallow: /\nallow: /y/\n\n\nallow: /w/\n"
     "user-agent: c\n\nuser-agent: corpuskit\nallow: /z/\ndisallow: /", "/x/b /z/d", "/y/c /foo/ /w/a"),
    ("user-agent: a\ndisallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: corpuskit\n\nuser-agent: b\nallow: /z/\ndisallow: /", "/z/d", "/y/c"),
    ("user-agent: *\nallow: /\nuser-agent: corpuskit\ndisallow: /", "", "/x/y"),
    ("user-agent: *\nallow: /\nuser-agent: foobot\ndisallow: /", "/x/y", ""),
    ("user-agent: foobot\nallow: /\nuser-agent: barbot\ndisallow: /", "/x/y", ""),
    ("user-agent: *\ndisallow: /x/\nuser-agent: corpuskit\ndisallow: /y/", "/x/page", "/y/page"),
    ("USER-AGENT: CORPUSKIT\nallow: /x/\ndisallow: /", "/x/y", "/a/b"),
    ("user agent: corpuskit\ndisallow: /", "", "/"),
    ("useragent: corpuskit\ndisallow: /", "", "/"),
    ("user-agent corpuskit\ndisallow /", "", "/"),
    ("foo: corpuskit\nbar: /", "/x/y", ""),
    # the token ends where its letters end; a longer one is somebody else
    ("user-agent: *\ndisallow: /\nuser-agent: corpuskit images\nallow: /x/\ndisallow: /", "/x/y", "/y"),
    ("user-agent: corpuskit/9.9\ndisallow: /x", "/", "/x"),
    ("user-agent: corpuskit-images\ndisallow: /x", "/x", ""),
    ("user-agent: corpus\ndisallow: /x", "/x", ""),
    ("user-agent: * baz\ndisallow: /x", "/", "/x"),
    ("user-agent: *baz\ndisallow: /x", "/x", ""),
    ("user-agent: corpuskit\nsitemap: http://h.example/s.xml\nuser-agent: b\ndisallow: /x", "/", "/x"),
    ("user-agent: corpuskit\ncrawl-delay: 1\nuser-agent: b\ndisallow: /x", "/", "/x"),
    ("user-agent: corpuskit\nuser-agent: *\ndisallow: /x", "/", "/x"),
    ("user-agent: corpuskit", "/", ""),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "allowed", "refused"), GROUPS)
def test_groups(rules, allowed, refused):
    assert [path for path in allowed.split() if not allows(rules.encode(), path)] == []
    assert [path for path in refused.split() if allows(rules.encode(), path)] == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\r\n"])
def test_line_ends_of_all_systems(end):
    rules = end.join(["user-agent: corpuskit", "disallow: /x", "", "disallow: /y"]).encode()
    assert [allows(rules, path) for path in ("/x", "/y", "/z")] == [False, False, True]


@pytest.mark.parametrize(
    ("mark", "is_read"), [(b"\xef\xbb\xbf", True), (b"\xef\xbb", True), (b"\xef", True), (b"\xef\x11\xbf", False)]
)
def test_a_byte_order_mark_counts_at_the_beginning_only(mark, is_read):
    assert allows(mark + b"user-agent: corpuskit\ndisallow: /x", "/x") is not is_read
    assert allows(b"user-agent: corpuskit\n" + mark[:3] + b"disallow: /x", "/x")


def test_a_line_is_cut_after_sixteen_kilobytes():
    path = "/x/" + "a" * 16_664
    assert allows(f"user-agent: corpuskit\ndisallow: {path}/qux\n".encode(), "/fux")
    assert not allows(f"user-agent: corpuskit\ndisallow: {path}/qux\n".encode(), path + "/fux")


def test_patterns_of_a_stranger_cost_no_more_than_their_length():
    rules = ("user-agent: *\n" + "disallow: /" + "*a" * 500 + "b\n").encode()
    assert allows(rules, "/" + "a" * 1900)


SEGMENTS = [
    "/",
    "a",
    "b",
    "*",
    "$",
    "index.html",
    "%2f",
    "é",
    "?",
    "x=1",
    "&",
    "ab",
    "/a/",
    ".htm",
    "//",
    ".",
    ";",
    "ツ",
]
lines = st.one_of(
    st.sampled_from(["*", "corpuskit", "other", "corpuskit/2.0", "* x", "corpus", "CorpusKit"]).map(
        "User-agent: {}".format
    ),
    st.builds(
        lambda key, slash, parts: f"{key}: {slash}{''.join(parts)}",
        st.sampled_from(["Allow", "Disallow", "disallow", "ALLOW", "Dissallow", "disallaw"]),
        st.sampled_from(["", "/", "/"]),
        st.lists(st.sampled_from(SEGMENTS), max_size=4),
    ),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(lines, max_size=9), st.lists(st.sampled_from([s for s in SEGMENTS if s not in "%2féツ*$"]), max_size=5))
@pytest.mark.slow
def test_google_s_matcher_says_the_same(rules, path):
    from gpyrobotstxt.robots_cc import RobotsMatcher

    content, url = "\n".join(rules).encode(), "http://h.example/" + "".join(path)
    assert Robots.parse(content).allows(url) is bool(RobotsMatcher().allowed_by_robots(content, ["corpuskit"], url))


def test_crawl_delay_and_sitemaps_are_read():
    robots = Robots.parse(
        b"Sitemap: http://h.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nUser-agent: x\nCrawl-delay: 9"
    )
    assert robots.crawl_delay == 2.5
    assert robots.sitemaps == ("http://h.example/s.xml",)


def test_a_crawl_delay_is_capped_and_nonsense_is_passed_over():
    assert Robots.parse(b"User-agent: *\nCrawl-delay: 86400").crawl_delay == 60.0
    assert Robots.parse(b"User-agent: *\nCrawl-delay: soon").crawl_delay is None


def test_a_file_of_half_a_megabyte_is_read_and_no_more():
    long = b"User-agent: *\n" + b"Disallow: /no/\n" * 60_000 + b"Disallow: /late\n"
    assert len(long) > 512_000
    robots = Robots.parse(long)
    assert not robots.allows("http://h.example/no/x")
    assert robots.allows("http://h.example/late")
