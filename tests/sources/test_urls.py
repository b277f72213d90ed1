import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpuskit.errors import RefusedError
from corpuskit.sources.web import canonical_url, url_key


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Example.COM:80/a/../b/./c", "http://example.com/b/c"),
        ("https://example.com:443", "https://example.com/"),
        ("http://example.com/%7euser/%C3%A9", "http://example.com/~user/%C3%A9"),
        ("http://example.com/é", "http://example.com/%C3%A9"),
        ("http://example.com/a b", "http://example.com/a%20b"),
        ("http://example.com/a%2fb", "http://example.com/a%2Fb"),
        ("http://user:secret@example.com/", "http://example.com/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://example.com/?utm_source=x&id=3&fbclid=1#top", "http://example.com/?id=3"),
        ("http://example.com/p;jsessionid=AB12?PHPSESSID=1", "http://example.com/p"),
        ("http://example.com/?b=1&a=2", "http://example.com/?b=1&a=2"),
        ("http://[2001:DB8::0:1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://example.com./", "http://example.com/"),
        ("  http://example.com/a\n/b ", "http://example.com/a/b"),
        ("../x?y", "http://base.example/x?y"),
        ("//other.example/z", "http://other.example/z"),
    ],
)
def test_a_url_has_one_form(url, canonical):
    assert canonical_url(url, "http://base.example/d/e") == canonical
    assert canonical_url(canonical) == canonical


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("javascript:alert(1)", "scheme javascript"),
        ("data:text/html,<p>", "scheme data"),
        ("mailto:a@b.example", "scheme mailto"),
        ("file:///etc/passwd", "scheme file"),
        ("http://", "host"),
        ("http://a..b/", "host"),
        ("http://example.com:0/", "port"),
        ("http://example.com:99999/", "port"),
        ("http://example.com:x/", "port"),
        ("http://[::1", "URL"),
        ("http://exa mple.com/", "host"),
        ("http://example.com/" + "a" * 8000, "2,000"),
        ("relative/path", "scheme missing"),
    ],
)
def test_what_cannot_be_fetched_is_refused_with_its_reason(url, reason):
    with pytest.raises(RefusedError, match=reason):
        canonical_url(url)


def test_the_same_page_has_one_key():
    keys = {url_key(url) for url in ("http://a.example/d/", "https://a.example/d/", "http://a.example/d/index.html")}
    assert len(keys) == 1
    assert url_key("http://a.example/d/") != url_key("http://a.example/d")


@given(st.one_of(st.text(max_size=100), st.text(max_size=60).map(lambda t: f"http://h.example/{t}"),
                 st.text(max_size=30).map(lambda t: f"http://{t}/"), st.text(max_size=30).map(lambda t: f"http://h.example/?{t}")))  # fmt: skip
def test_any_string_has_one_form_that_stays_or_is_refused(text):
    try:
        once = canonical_url(text, "http://base.example/")
    except RefusedError:
        return
    assert once.isascii()
    assert canonical_url(once) == once
