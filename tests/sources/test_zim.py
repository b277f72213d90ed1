"""ZIM files are written by libzim itself."""

import sys

import pytest
from libzim.writer import Creator, Hint, Item, StringProvider

from corpuskit.errors import MissingExtraError, ResourceLimitError, SourceError
from corpuskit.sources import find_files
from corpuskit.sources.archives import read_file

ARTICLE = (
    '<!DOCTYPE html><html lang="fr"><head><title>{0}</title></head><body><h1 id="firstHeading">{0}</h1>'
    '<div id="mw-content-text" class="mw-parser-output"><section data-mw-section-id="0"><table class="infobox_v2"><tbody><tr>'
    "<td>1801</td></tr></tbody></table><p>Le texte de {0}.<sup class='mw-ref reference'>[1]</sup></p></section></div></body></html>"
)


class Page(Item):
    def __init__(self, path, title, content, kind="text/html"):
        super().__init__()
        self._path, self._title, self._content, self._kind = path, title, content, kind

    def get_path(self):
        return self._path

    def get_title(self):
        return self._title

    def get_mimetype(self):
        return self._kind

    def get_contentprovider(self):
        return StringProvider(self._content)

    def get_hints(self):
        return {Hint.FRONT_ARTICLE: True}


def write(path, pages, **metadata):
    with Creator(path).config_indexing(False, "fra") as creator:
        creator.set_mainpath(pages[0].get_path())
        for item in pages:
            creator.add_item(item)
        creator.add_redirection("Ancien", "Redirigé", pages[0].get_path(), {Hint.FRONT_ARTICLE: True})
        for name, value in metadata.items():
            creator.add_metadata(name, value)


PAGES = [
    Page("Phare", "Phare", ARTICLE.format("Phare")),
    Page("Port_(ville)", "Port (ville)", ARTICLE.format("Port (ville)")),
    Page("style.css", "", "a{}", "text/css"),
]
WIKI = {"Scraper": "mwoffliner 1.14.0", "Source": "fr.wikipedia.org", "Language": "fra", "Date": "2026-03-01"}


def read(path, max_bytes=1_000_000):
    (found,) = find_files([path])
    return list(read_file(found, max_bytes=max_bytes))


def test_the_articles_of_a_wiki_have_their_addresses(tmp_path):
    write(tmp_path / "w.zim", PAGES, **WIKI)
    first, second = read(tmp_path / "w.zim")
    assert first.uri == "https://fr.wikipedia.org/wiki/Phare"
    assert second.uri == "https://fr.wikipedia.org/wiki/Port_(ville)"
    assert (first.media_type, first.source) == ("text/x-mediawiki-html", "zim")
    assert first.metadata == {"zim": "w.zim", "title": "Phare", "language": "fra", "zim_date": "2026-03-01"}


def test_a_corpus_takes_a_zim_file(corpus, tmp_path):
    write(tmp_path / "w.zim", PAGES, **WIKI)
    assert repr(corpus.add(tmp_path / "w.zim", progress=False)) == "2 new"
    assert corpus.documents().title.tolist() == ["Phare", "Port (ville)"]
    (document,) = [d for d in corpus if d.title == "Phare"]
    assert [row for row in document.to_text().split("\n") if "texte" in row] == ["Le texte de Phare."]
    assert "infobox" in document.table.marks["role"].values()
    assert repr(corpus.add(tmp_path / "w.zim", progress=False)) == "2 unchanged"


def test_sites_that_are_no_wiki_are_pages(tmp_path):
    write(tmp_path / "s.zim", [Page("a.example/x", "X", "<html><body><p>x</p></body></html>")], Scraper="warc2zim 2")
    write(tmp_path / "o.zim", [Page("x.html", "X", "<html><body><p>x</p></body></html>")])
    assert [(f.uri, f.media_type) for f in read(tmp_path / "s.zim")] == [("https://a.example/x", "text/html")]
    assert [f.uri.rpartition("/")[2] for f in read(tmp_path / "o.zim")] == ["x.html"]


def test_a_page_that_is_too_large_is_a_failure(tmp_path):
    write(tmp_path / "w.zim", [Page("L", "L", "<p>" + "x" * 5000), PAGES[0]], **WIKI)
    (_, error), small = read(tmp_path / "w.zim", max_bytes=1000)
    assert isinstance(error, ResourceLimitError)
    assert small.uri.endswith("/Phare")


@pytest.mark.parametrize("damage", ["cut", "flip", "text", "empty"])
def test_a_damaged_file_is_refused_before_it_is_read(tmp_path, damage):
    path = tmp_path / "w.zim"
    write(path, PAGES, **WIKI)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    made = {"cut": content[: len(content) // 3], "flip": content, "text": b"no ZIM file", "empty": b""}
    path.write_bytes(made[damage])
    with pytest.raises(SourceError, match=r"damaged|no ZIM file"):
        read(path)


def test_without_the_library_the_error_says_what_to_install(tmp_path, monkeypatch):
    write(tmp_path / "w.zim", PAGES)
    monkeypatch.setitem(sys.modules, "libzim.reader", None)
    with pytest.raises(MissingExtraError, match=r"corpuskit\[zim\]"):
        read(tmp_path / "w.zim")
