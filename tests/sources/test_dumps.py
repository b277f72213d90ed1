"""Dumps in the form of export-0.11.xsd (Help:Export), written by hand."""

import bz2
import gzip
import sys

import pytest

from corpuskit.errors import MissingExtraError, ResourceLimitError, SourceError
from corpuskit.sources import find_files
from corpuskit.sources.archives import read_file

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo>
    <sitename>Wikipedia</sitename><dbname>dewiki</dbname><base>https://de.wikipedia.org/wiki/Wikipedia:Hauptseite</base>
    <generator>MediaWiki 1.45</generator><case>first-letter</case>
    <namespaces><namespace key="0" case="first-letter" /><namespace key="1" case="first-letter">Diskussion</namespace></namespaces>
  </siteinfo>
"""


def page(title, *texts, ns=0, redirect="", model="wikitext"):
    revisions = "".join(
        f"<revision><id>{number}</id><timestamp>2024-05-06T07:08:0{number}Z</timestamp><contributor><username>A</username>"
        f"<id>1</id></contributor><model>{model}</model><format>text/x-wiki</format>"
        f'<text bytes="{len(text)}" xml:space="preserve">{text}</text><sha1>x</sha1></revision>'
        for number, text in enumerate(texts, 1)
    )
    led = f'<redirect title="{redirect}" />' if redirect else ""
    return f"<page><title>{title}</title><ns>{ns}</ns><id>7</id>{led}{revisions}</page>\n"


DUMP = (
    HEAD
    + page("Hafenkasse", "alt", "Die '''Hafenkasse''' versichert.\n\n== Geschichte ==\nNeun Reeder.")
    + page("Alte Kasse", "#REDIRECT [[Hafenkasse]]", redirect="Hafenkasse")
    + page("Diskussion:Hafenkasse", "Hallo", ns=1)
    + page("Größe (Maß)/Länge", "Zweiter &amp; letzter Artikel.")
    + "</mediawiki>\n"
).encode()


def read(path, max_bytes=1_000_000):
    (found,) = find_files([path])
    return list(read_file(found, max_bytes=max_bytes))


@pytest.mark.parametrize(("name", "pack"), [("d.xml", bytes), ("d.xml.gz", gzip.compress), ("d.xml.bz2", bz2.compress)])
def test_a_dump_gives_its_articles_in_their_last_revision(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(DUMP))
    first, second = read(tmp_path / name)
    assert first.uri == "https://de.wikipedia.org/wiki/Hafenkasse"
    assert first.content.startswith(b"Die '''Hafenkasse'''")
    assert (first.media_type, first.source) == ("text/x-wiki", "dump")
    assert first.modified.isoformat() == "2024-05-06T07:08:02+00:00"
    expected = {"title": "Hafenkasse", "page_id": "7", "revision": "2", "dump": name, "language": "de"}
    assert first.metadata == expected
    assert second.uri == "https://de.wikipedia.org/wiki/Gr%C3%B6%C3%9Fe_(Ma%C3%9F)/L%C3%A4nge"


def test_a_corpus_takes_a_dump(corpus, tmp_path):
    (tmp_path / "d.xml.bz2").write_bytes(bz2.compress(DUMP))
    assert repr(corpus.add(tmp_path / "d.xml.bz2", progress=False)) == "2 new"
    assert corpus.documents().title.tolist() == ["Größe (Maß)/Länge", "Hafenkasse"]
    assert [path.name for path in (tmp_path / "corpus" / "originals").iterdir()] == ["added-00001.warc.gz"]
    (document,) = [d for d in corpus if d.title == "Hafenkasse"]
    assert document.to_text() == "Die Hafenkasse versichert.\nGeschichte\nNeun Reeder."
    assert document.timestamp.isoformat() == "2024-05-06T07:08:02+00:00"
    assert corpus.check() == []
    assert repr(corpus.add(tmp_path / "d.xml.bz2", progress=False)) == "2 unchanged"


def test_behind_damage_one_failure_tells_of_it(tmp_path):
    (tmp_path / "d.xml").write_bytes(DUMP[: DUMP.index(b"Zweiter") + 3])
    first, (uri, error) = read(tmp_path / "d.xml")
    assert first.uri.endswith("/Hafenkasse")
    assert uri.endswith("/d.xml")
    assert isinstance(error, SourceError)
    assert "after 1 articles" in str(error)
    packed = gzip.compress(DUMP)
    (tmp_path / "e.xml.gz").write_bytes(packed[:-200])
    assert isinstance(read(tmp_path / "e.xml.gz")[-1][1], SourceError)


def test_pages_that_are_too_large_and_bombs_are_failures(tmp_path):
    large = HEAD + page("Groß", "x" * 2000) + page("Klein", "y") + "</mediawiki>"
    (tmp_path / "d.xml").write_text(large)
    (_, error), small = read(tmp_path / "d.xml", max_bytes=1000)
    assert isinstance(error, ResourceLimitError)
    assert small.uri.endswith("/Klein")
    (tmp_path / "b.xml.gz").write_bytes(gzip.compress((HEAD + page("Groß", "x" * 50_000_000)).encode()))
    ((_, error),) = read(tmp_path / "b.xml.gz")
    assert isinstance(error, ResourceLimitError)
    bomb = '<!DOCTYPE mediawiki [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>' + DUMP.decode().replace("Zweiter", "&b;")
    (tmp_path / "e.xml").write_text(bomb)
    ((_, error),) = read(tmp_path / "e.xml")
    assert "document type definition" in str(error)


def test_pages_that_are_no_wikitext_are_failures(tmp_path):
    (tmp_path / "d.xml").write_text(HEAD + page("Daten", "{}", model="json") + page("Text", "t") + "</mediawiki>")
    (_, error), text = read(tmp_path / "d.xml")
    assert "expected wikitext" in str(error)
    assert text.content == b"t"


def test_without_the_library_the_error_says_what_to_install(corpus, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mwxml", None)
    (tmp_path / "d.xml").write_bytes(DUMP)
    with pytest.raises(MissingExtraError, match=r"corpuskit\[wikipedia\]"):
        read(tmp_path / "d.xml")
    assert repr(corpus.add(tmp_path / "d.xml", progress=False)) == "1 failed; see corpus.failures()"
