"""Feeds of RSS 2.0 (with its content module), RSS 1.0 and Atom (RFC 4287)."""

import pytest

from corpuskit.sources import find_files
from corpuskit.sources.archives import read_file

RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Harbour news</title><link>http://h.example/</link>
<item><title>Storm &amp; claims</title><link>http://h.example/storm</link><description>Short.</description>
<content:encoded><![CDATA[<p>Whole <b>text</b>.</p><ul><li>one</li></ul>]]></content:encoded>
<pubDate>Wed, 21 Oct 2015 07:28:00 GMT</pubDate><dc:creator>A. Finch</dc:creator></item>
<item><title>Calm</title><description>&lt;p&gt;No wind.&lt;/p&gt;</description></item>
<item><title>Only a title</title><link>http://h.example/t</link></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><link href="http://h.example/"/>
<entry><title>E</title><link rel="edit" href="http://h.example/edit"/><link href="http://h.example/e"/>
<updated>2024-05-06T07:08:09+02:00</updated><author><name>B. Low</name></author><summary>short</summary>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>In <i>markup</i>.</p></div></content></entry>
<entry><title>P</title><link href="http://h.example/p"/><content type="text">1 &lt; 2</content></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<item><title>R</title><link>http://h.example/r</link><description>Text of R.</description></item></rdf:RDF>"""


def read(path):
    (found,) = find_files([path])
    return list(read_file(found, max_bytes=1_000_000))


def test_items_of_rss_are_documents_with_their_whole_text(corpus, tmp_path):
    (tmp_path / "news.xml").write_text(RSS)
    assert repr(corpus.add(tmp_path / "news.xml", progress=False)) == "2 new"
    first, second = sorted(corpus, key=lambda document: document.title, reverse=True)
    assert (first.title, first.uri) == ("Storm & claims", "http://h.example/storm")
    assert first.to_text() == "Whole text.\none"
    assert first.timestamp.isoformat() == "2015-10-21T07:28:00+00:00"
    assert (first.metadata["author"], first.metadata["feed"]) == ("A. Finch", "Harbour news")
    assert (second.title, second.to_text()) == ("Calm", "No wind.")
    assert second.uri.endswith("/news.xml#2")
    assert repr(corpus.add(tmp_path / "news.xml", progress=False)) == "2 unchanged"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (ATOM, [("http://h.example/e", b"<p>In <i>markup</i>.</p>"), ("http://h.example/p", b"<p>1 &lt; 2</p>")]),
        (RDF, [("http://h.example/r", b"Text of R.")]),
        (RSS[: RSS.index("<item><title>Calm")], [("http://h.example/storm", b"<p>Whole <b>text</b>.</p>")]),
    ],
)
def test_items_of_other_feeds_are_found(tmp_path, content, expected):
    (tmp_path / "f.atom").write_text(content)
    items = read(tmp_path / "f.atom")
    assert [item.uri for item in items] == [uri for uri, _ in expected]
    assert all(text in item.content for item, (_, text) in zip(items, expected, strict=True))


def test_what_is_no_feed_stays_a_file(tmp_path):
    (tmp_path / "a.html").write_text(
        "<html><body><p>How to write &lt;rss&gt;: <code>&lt;rss</code> <rss></p></body></html>"
    )
    (tmp_path / "b.xml").write_text("<rss><channel><title>empty</title></channel></rss>")
    assert [f.source for name in ("a.html", "b.xml") for f in read(tmp_path / name)] == ["file", "file"]


def test_entities_are_not_expanded(tmp_path):
    evil = '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    (tmp_path / "f.xml").write_text(
        f"<?xml version='1.0'?>{evil}<rss><item><description>t &x; &b;</description></item></rss>"
    )
    (item,) = read(tmp_path / "f.xml")
    assert b"root:" not in item.content
    assert b"aaaaaaaa" not in item.content


def test_a_link_that_is_no_url_is_no_address(corpus, tmp_path):
    (tmp_path / "f.xml").write_text(RSS.replace("http://h.example/storm", "http://[h.example/storm"))
    assert repr(corpus.add(tmp_path / "f.xml", progress=False)) == "2 new"
    assert all("f.xml#" in uri for uri in corpus.documents().uri)


def test_a_damaged_feed_that_loses_items_is_told(tmp_path):
    (tmp_path / "f.xml").write_text(RSS.replace("</item>\n<item><title>Calm", "<![CDATA[</item><item ><title>Calm"))
    (_, error), *items = read(tmp_path / "f.xml")
    assert "only 1 of 3 items" in str(error)
    assert [item.uri for item in items] == ["http://h.example/storm"]
