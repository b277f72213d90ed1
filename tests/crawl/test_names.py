"""Links whose name says that no text is behind them."""

import pytest

from corpuskit.crawl.scope import UrlScope
from corpuskit.extraction import register
from corpuskit.sources.web import canonical_url

SEED = "http://a.example/"
FILES = {
    "/cat.png": "image/png", "/a/photo.JPEG": "image/jpeg", "/pic.jpg?w=300": "image/jpeg", "/logo.svg": "image/svg+xml",
    "/scan.tiff": "image/tiff", "/x.webp": "image/webp", "/film.mp4": "video/mp4", "/film.mov": "video/quicktime",
    "/song.mp3": "audio/mpeg", "/song.ogg": "audio/ogg", "/font.woff2": "font/woff2", "/all.zip": "application/zip",
    "/all.tar.gz": "application/gzip", "/all.tgz": "application/gzip", "/pages.warc.gz": "application/gzip",
    "/all.7z": "application/x-7z-compressed", "/setup.exe": "application/x-msdownload", "/disk.iso": "application/x-iso9660-image",
    "/app.apk": "application/vnd.android.package-archive", "/x%20y.png": "image/png",
}  # fmt: skip
PAGES = [
    "/", "/a", "/page.html", "/page.php", "/page.aspx", "/report.pdf", "/report.docx", "/report.doc", "/talk.pptx", "/book.epub",
    "/notes.txt", "/readme.md", "/mail.eml", "/feed.xml", "/feed.rss", "/data.json", "/sitemap.xml.gz", "/sitemap.txt.gz",
    "/wiki/File:Cat.jpg", "/wiki/Bild%3ACat.jpg", "/v1.2", "/john.doe", "/ASP.NET", "/booking.com", "/socket.io", "/abc.net.au",
    "/scary.movie", "/node.js", "/show?file=cat.png", "/cat.png/", "/cat.png/info", "/cgi-bin/shop.exe?item=3", "/run.sh",
    "/.png", "/table.csv", "/isapi.dll?x", "/a.b.c", "/news/dr.who",
]  # fmt: skip


def crawl(corpus, web, seeds=SEED, **options):
    return corpus.crawl(seeds, **{"delay": 0, "proxy": web.proxy, **options}).wait(progress=False)


@pytest.mark.parametrize(("path", "kind"), FILES.items())
def test_a_picture_film_font_archive_or_program_is_refused_by_its_name(path, kind):
    assert (
        UrlScope("domain", [SEED]).refusal(canonical_url(f"http://a.example{path}")) == f"media type {kind} by its name"
    )


@pytest.mark.parametrize("path", PAGES)
def test_a_page_or_document_is_not_refused_by_its_name(path):
    assert UrlScope("domain", [SEED]).refusal(canonical_url(f"http://a.example{path}")) is None


def test_what_is_refused_by_its_name_is_not_asked_for_and_stands_in_the_report(corpus, web):
    web.add(SEED, "front", ["/cat.png", "/dog.png", "/all.zip", "/wiki/File:Cat.jpg"])
    web.add("http://a.example/p", "page", ["/cat.png"])
    web.add("http://a.example/wiki/File:Cat.jpg", "about the picture")
    job = crawl(corpus, web, [SEED, "http://a.example/p"])
    assert sorted(web.fetched) == [SEED, "http://a.example/p", "http://a.example/wiki/File:Cat.jpg"]
    row = job.report().set_index("host").loc["a.example"]
    assert row.refused == 3
    assert row.refused_why == "media type image/png by its name 2; media type application/zip by its name 1"


def test_a_seed_is_asked_for_whatever_its_name_is(corpus, web):
    web.add("http://a.example/cat.png", "a page after all")
    crawl(corpus, web, "http://a.example/cat.png")
    assert corpus.documents().uri.tolist() == ["http://a.example/cat.png"]


def test_a_redirect_to_a_file_is_not_followed(corpus, web):
    web.add(SEED, "front", ["/download?id=3"])
    web.pages["http://a.example/download?id=3"] = lambda _: (302, {"Location": "/all.zip"}, b"")
    crawl(corpus, web)
    assert "http://a.example/all.zip" not in web.fetched


def test_files_that_an_earlier_version_had_queued_are_refused_and_come_back_when_they_can_be_read(
    corpus, web, monkeypatch
):
    monkeypatch.setattr("corpuskit.extraction.registry._registered", {})
    web.add(SEED, "front", ["/p", "/cat.png"])
    web.add("http://a.example/p", "page")
    web.pages["http://a.example/cat.png"] = lambda _: (200, {"Content-Type": "text/plain"}, b"text of the picture")
    crawl(corpus, web, pages=1)
    corpus._folder.catalog.connection.execute("UPDATE frontier SET state = 'queued', reason_refused = NULL")
    crawl(corpus, web, None, resume=True)
    assert "http://a.example/cat.png" not in web.fetched
    register("image/png", lambda *args, **options: None)
    crawl(corpus, web, None, resume=True)
    assert web.fetched["http://a.example/cat.png"] == 1
