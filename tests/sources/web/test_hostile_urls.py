"""URLs as strangers write them: one canonical form each, or a refusal with a reason.

``CORPUSKIT_HOSTILE=10000 pytest tests/sources/web/test_hostile_urls.py`` tries ten thousand.
"""

import os
import re
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpuskit.errors import RefusedError
from corpuskit.sources.web import canonical_url, find_links, url_key

EXAMPLES = int(os.environ.get("CORPUSKIT_HOSTILE", "500"))
BASE = "http://h.example/folder/page.html?q=1"
CANONICAL = re.compile(r"https?://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/[!-~]*\Z")

words = st.text(st.characters(blacklist_categories=()), max_size=12)
schemes = st.sampled_from(
    ["http:", "https:", "HTTP:", "hTtPs:", "javascript:", "data:", "file:", "ftp:", "mailto:", "blob:", "view-source:", "", "//", ":", "x" * 30 + ":"]
)  # fmt: skip
hosts = st.one_of(
    st.sampled_from(
        ["h.example", "H.Example.", "münchen.example", "xn--mnchen-3ya.example", "例え.テスト", "пример.испытание", "faß.example",
         "[::1]", "[2001:DB8::1]", "[::ffff:127.0.0.1]", "[fe80::1%25eth0]", "[", "[::", "127.1", "0x7f.1", "2130706433",
         "a..b", ".", "-", "a" * 64 + ".example", "h%2eexample", "h.example:80", "h.example:0", "h.example:99999", "h.example:",
         "h.example:8_0", "ｈ.example", "h。example", "a b.example", "ü" * 200, "\u202eh.example", "h\x00.example"]
    ),
    words,
)  # fmt: skip
users = st.sampled_from(["", "user@", "user:pass@", "a@b@", ":@", "%40@", "http://evil.example@"])
paths = st.one_of(
    st.sampled_from(
        ["", "/", "/a/../../b", "/./././", "/%2e%2e/%2E/x", "/a%2fb", "/%", "/%zz", "/%c3%a9", "/é", "/\ud800", "/a;jsessionid=1",
         "/" + "a/" * 4000, "/" + "x" * 8192, "/?", "/?&&", "/?utm_source=x&b=%26", "/?a=1#f", "#", "\\\\evil\\x", "/a\x00b", "/a\tb\n",
         "/a b", "/index.html", "/Default.ASPX?x", "/'\"<>`{}|^", "/?q=\xff", "/%00", "//", "///x", "?" + "a&" * 5000]
    ),
    words.map(lambda text: "/" + text),
)  # fmt: skip
hostile = st.one_of(
    st.builds(lambda s, u, h, p: f"{s}{'//' if s.endswith(':') else ''}{u}{h}{p}", schemes, users, hosts, paths),
    st.builds(lambda s, p: s + p, schemes, paths),
    words,
    st.sampled_from(
        ["javascript:alert(1)", "data:text/html,<a href=x>", "\x00http://h.example/", "JaVa\nScript:alert(1)", "http:h.example", "https:///x"]
    ),
)  # fmt: skip


@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(hostile, st.sampled_from([None, BASE]))
def test_each_has_one_form_or_a_reason(url, base):
    try:
        once = canonical_url(url, base)
    except RefusedError as error:
        assert str(error)
        return
    assert CANONICAL.match(once), once
    assert len(once) <= 2000
    parts = urlsplit(once)
    assert parts.scheme in {"http", "https"}
    assert parts.username is None
    assert parts.fragment == ""
    assert canonical_url(once) == once
    assert canonical_url(once, "https://other.example/deep/er?x") == once
    assert url_key(once) == url_key("https://" + once.partition("://")[2])


@settings(
    max_examples=EXAMPLES // 5, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(
    st.lists(hostile, max_size=8), st.sampled_from(["", "/elsewhere/", "http://b.example/x/y", "javascript:x", "//["])
)
def test_links_of_a_page_are_resolved_as_each_alone(urls, base):
    """What find_links remembers of one page must not change what it says of another."""
    anchors = "".join(f'<a href="{url}">x</a>' for url in (u.replace('"', "").replace("\x00", "") for u in urls))
    page = f'<base href="{base}">{anchors}'.encode("utf-8", "replace")
    found = find_links(page, BASE)
    for link in found.links:
        assert canonical_url(link.url) == link.url
    for _, reason in found.refused:
        assert reason
    assert find_links(page, BASE) == found


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("page2.html", "http://h.example/folder/page2.html"), ("../x", "http://h.example/x"), ("?p=2", "http://h.example/folder/page.html?p=2"),
        ("/top", "http://h.example/top"), ("//b.example/x", "http://b.example/x"), ("HTTP://B.example/x", "http://b.example/x"),
        ("./", "http://h.example/folder/"), ("a:b/c", None), ("x#part", "http://h.example/folder/x"), (" /sp ", "http://h.example/sp"),
    ],
)  # fmt: skip
def test_a_link_is_joined_with_its_page(href, target):
    found = find_links(f'<a href="{href}">x</a>'.encode(), BASE)
    assert [link.url for link in found.links] == ([target] if target else [])
    assert bool(found.refused) is (target is None)


def test_thousands_of_links_in_one_element_are_read_in_time_that_grows_with_the_page():
    page = ("<p>" + "words " * 50_000 + "".join(f'<a href="/{i}">{i}</a> ' for i in range(5000)) + "</p>").encode()
    found = find_links(page, BASE)
    assert len(found.links) == 5000
    assert found.links[4999].anchor == "4999"
