import gzip

import pytest

from corpuskit.sources.web.discovery import is_listing, parse_listing

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@pytest.mark.parametrize(
    ("content", "pages"),
    [
        (f"<urlset {NS}><url><loc> http://h.example/a </loc><lastmod>2024</lastmod></url><url><loc>/b</loc></url></urlset>",
         ["http://h.example/a", "http://h.example/b"]),
        ("http://h.example/a\nnonsense\nhttps://h.example/b\n", ["http://h.example/a", "https://h.example/b"]),
        ("<rss><channel><link>http://h.example/</link><item><link>http://h.example/news</link></item></channel></rss>",
         ["http://h.example/news"]),
        ('<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://h.example/"/><entry><link href="/e"/>'
         '<link rel="edit" href="/edit"/></entry></feed>', ["http://h.example/e"]),
        ('<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
         "<item><link>http://h.example/r</link></item></rdf:RDF>", ["http://h.example/r"]),
        ('{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "http://h.example/j"}, {"id": 1}, 3]}',
         ["http://h.example/j"]),
        (f"<urlset {NS}><url><loc>http://h.example/a</loc></url><url><loc>http://h.example/b", ["http://h.example/a"]),
        ("<html><body>no list</body></html>", []),
        ("", []),
        ("<", []),
        ("{[", []),
    ],
)  # fmt: skip
def test_the_urls_of_a_listing_are_found(content, pages):
    assert list(parse_listing(content.encode(), "http://h.example/sitemap.xml").pages) == pages
    assert list(parse_listing(gzip.compress(content.encode()), "http://h.example/sitemap.xml.gz").pages) == pages


def test_an_index_names_further_sitemaps():
    index = f"<sitemapindex {NS}><sitemap><loc>http://h.example/s1.xml.gz</loc></sitemap></sitemapindex>".encode()
    assert parse_listing(index, "http://h.example/").sitemaps == ("http://h.example/s1.xml.gz",)


@pytest.mark.slow
def test_entities_are_not_expanded_and_bombs_end():
    evil = b'<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://h.example/&x;</loc></url></urlset>'
    assert not any("root" in page for page in parse_listing(evil, "http://h.example/").pages)
    assert parse_listing(gzip.compress(b" " * 200_000_000), "http://h.example/").pages == ()


def test_a_listing_is_cut_at_fifty_thousand():
    lines = "\n".join(f"http://h.example/{i}" for i in range(60_000)).encode()
    assert len(parse_listing(lines, "http://h.example/").pages) == 50_000


@pytest.mark.parametrize(
    ("content", "yes"),
    [
        (b"\xef\xbb\xbf \n<?xml version='1.0'?>\n<?xml-stylesheet href='a>b'?><!-- <html> --><urlset>", True),
        (b'<!DOCTYPE rss [ <!ENTITY a "b"> ]> <rss version="2.0">', True),
        (b"<s:sitemapindex xmlns:s='x'>", True),
        (b'{"items": [], "version": "https://jsonfeed.org/version/1"}', True),
        (b"<html><body><rss></rss></body></html>", False),
        (b"<feedback>", False),
        (b'{"feed": "rss"}', False),
        (b"<!-- <rss> -->", False),
        (b"http://h.example/a\n", False),
        (b"\x1f\x8bnonsense", False),
        (b"", False),
    ],
)
def test_a_listing_is_told_from_a_page_by_its_first_element(content, yes):
    assert is_listing(content) is yes
    assert is_listing(gzip.compress(content)) is yes


def test_a_text_is_a_sitemap_where_every_line_is_a_url():
    lines = b"\xef\xbb\xbfhttp://h.example/a\r\n\r\n  https://h.example/b\n"
    assert is_listing(lines, "text/plain")
    assert not is_listing(lines + b"and more\n", "text/plain")
    assert not is_listing(b"\n", "text/plain")


def test_no_prologue_takes_longer_than_its_length():
    for part in (b"<!-- -->", b"<!--", b" ", b"<?a?>", b"<!DOCTYPE a [", b"<!DOCTYPE a>"):
        assert not is_listing(part * 100_000 + b"<rss>")


def test_a_damaged_sitemap_gives_what_can_be_read_and_says_so():
    whole = "".join(f"<url><loc>http://h.example/{n}</loc></url>" for n in range(3000))
    packed = gzip.compress(f"<urlset>{whole}</urlset>".encode())
    listing = parse_listing(packed[: len(packed) // 2], "http://h.example/s.xml.gz")
    assert 0 < len(listing.pages) < 3000
    assert listing.damage.startswith("gzip data truncated or damaged")
    assert parse_listing(packed, "http://h.example/s.xml.gz").damage == ""
    many = "".join(f"<url><loc>/{n}</loc></url>" for n in range(50_001))
    assert parse_listing(f"<urlset>{many}</urlset>".encode(), "http://h.example/").damage == "more than 50,000 URLs"
