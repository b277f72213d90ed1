"""Records are written by warcio, another program, and by hand from ISO 28500."""

import gc
import gzip
import io
import re
import struct
import warnings
import zipfile

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from corpuskit.errors import ResourceLimitError, SourceError
from corpuskit.sources.warc import read_wacz, read_warc

PAGE = "<html><title>{0}</title><p>The page {0}.</p></html>"


def written(make, gz=True):
    """The bytes of a record. warcio leaves its temporary file to the garbage collector, which warns."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=gz)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        writer.write_record(make(writer))
        gc.collect(1)
    return out.getvalue()


def record(uri, body, *, status="200 OK", kind="text/html", headers=(), gz=True, **more):
    """One response record."""
    head = StatusAndHeaders(status, [("Content-Type", kind), *headers], protocol="HTTP/1.1")
    warc_headers = {"WARC-Date": "2020-01-02T03:04:05Z", **more}
    body = body.encode() if isinstance(body, str) else body
    return written(
        lambda writer: writer.create_warc_record(
            uri, "response", payload=io.BytesIO(body), http_headers=head, warc_headers_dict=warc_headers
        ),
        gz,
    )


def page(name, **more):
    return record(f"http://a.example/{name}", PAGE.format(name), **more)


def read(tmp_path, content, max_bytes=10_000_000):
    path = tmp_path / "x.warc.gz"
    path.write_bytes(content)
    return list(read_warc(path, max_bytes=max_bytes))


def names(found):
    return [f.uri.rpartition("/")[2] if not isinstance(f, tuple) else type(f[1]).__name__ for f in found]


def test_pages_are_read_with_their_dates_and_headers(tmp_path):
    modified = [("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT"), ("ETag", '"e"')]
    (found,) = read(tmp_path, record("http://a.example/x", PAGE, kind="text/html; charset=latin-1", headers=modified))
    assert (found.uri, found.content, found.media_type) == ("http://a.example/x", PAGE.encode(), "text/html")
    assert (found.charset, found.etag, found.source) == ("latin-1", '"e"', "warc")
    assert found.fetched.isoformat() == "2020-01-02T03:04:05+00:00"
    assert found.modified.isoformat() == "2015-10-21T07:28:00+00:00"


@pytest.mark.slow
def test_only_answers_with_text_are_taken(tmp_path):
    content = (
        page("a")
        + page("moved", status="301 Moved")
        + page("gone", status="404 Not Found")
        + record("http://a.example/i.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, kind="image/png")
        + record("http://a.example/f.pdf", b"%PDF-1.4 ...", kind="application/octet-stream")
        + record("http://a.example/t.txt", "text", kind="text/plain")
    )
    assert [f.uri.rpartition("/")[2] for f in read(tmp_path, content)] == ["a", "f.pdf", "t.txt"]


def test_packed_and_chunked_bodies_are_unpacked(tmp_path):
    packed = record("http://a.example/g", gzip.compress(b"<p>packed</p>"), headers=[("Content-Encoding", "gzip")])
    chunked = record("http://a.example/c", b"6\r\n<p>in \r\nA\r\nchunks</p>\r\n0\r\n\r\n",
                     headers=[("Transfer-Encoding", "chunked")])  # fmt: skip
    assert [f.content for f in read(tmp_path, packed + chunked)] == [b"<p>packed</p>", b"<p>in chunks</p>"]


def damaged(content):
    broken = bytearray(content)
    broken[len(broken) // 2] ^= 0xFF
    return bytes(broken)


def plain_damage(content):
    return content.replace(b"The page b", b"The page x")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (page("a") + damaged(page("b")) + page("c"), ["a", "SourceError", "c"]),
        (page("a") + b"junk" + page("c"), ["a", "SourceError", "c"]),
        (page("a") + page("c")[:-40], ["a", "SourceError"]),
        (page("a", gz=False) + plain_damage(page("b", gz=False)) + page("c", gz=False), ["a", "SourceError", "c"]),
        (page("a", gz=False) + page("c", gz=False)[:-20], ["a", "SourceError"]),
        (b"no archive", ["SourceError"]),
        (b"", []),
    ],
)
def test_a_damaged_record_is_one_failure_and_the_rest_is_read(tmp_path, content, expected):
    assert names(read(tmp_path, content)) == expected


@pytest.mark.slow
def test_a_record_that_is_too_large_is_a_failure(tmp_path):
    large = record("http://a.example/l", "x" * 200_000, kind="text/plain")
    bomb = record("http://a.example/z", gzip.compress(b"x" * 1_000_000), headers=[("Content-Encoding", "gzip")])
    found = read(tmp_path, large + bomb + page("a"), max_bytes=100_000)
    assert names(found) == ["ResourceLimitError", "ResourceLimitError", "a"]
    assert isinstance(found[0][1], ResourceLimitError)


def revisit(uri, refers_to, digest):
    head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
    return written(
        lambda writer: writer.create_revisit_record(uri, digest, refers_to, "2020-01-02T03:04:05Z", http_headers=head)
    )


@pytest.mark.slow
def test_revisits_give_the_payload_of_the_earlier_record(tmp_path):
    first = page("a")
    digest = re.search(rb"WARC-Payload-Digest: (\S+)", gzip.decompress(first))[1].decode()
    same = revisit("http://a.example/a", "http://a.example/a", digest)
    other = revisit("http://a.example/b", "http://a.example/a", digest)
    elsewhere = revisit("http://a.example/c", "http://a.example/z", "sha1:NONE")
    found = read(tmp_path, first + same + other + elsewhere)
    assert names(found) == ["a", "b", "SourceError"]
    assert found[0].content == found[1].content


def test_resource_records_are_taken(tmp_path):
    body = io.BytesIO(b"<p>kept</p>")
    content = written(
        lambda writer: writer.create_warc_record(
            "http://a.example/r", "resource", payload=body, warc_content_type="text/html"
        )
    )
    assert [f.content for f in read(tmp_path, content)] == [b"<p>kept</p>"]


@pytest.mark.slow
def test_a_wacz_package_gives_the_pages_of_its_archives(tmp_path):
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("archive/one.warc.gz", page("a"))
        package.writestr("archive/two.warc.gz", page("b") + page("c"))
        package.writestr("pages/pages.jsonl", "{}")
    assert names(read_wacz(path, max_bytes=1_000_000)) == ["a", "b", "c"]
    path.write_bytes(b"PK no zip")
    with pytest.raises(SourceError, match="not a WACZ package"):
        list(read_wacz(path, max_bytes=1_000_000))


def test_a_packed_bomb_in_a_package_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("corpuskit.sources.warc._SMALL", 100_000)
    with zipfile.ZipFile(tmp_path / "x.wacz", "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("archive/bomb.warc", b"0" * 1_000_000)
        package.writestr("archive/good.warc.gz", page("a"))
    assert names(read_wacz(tmp_path / "x.wacz", max_bytes=1_000_000)) == ["ResourceLimitError", "a"]


@pytest.mark.slow
def test_a_damaged_record_in_a_package_costs_that_record_alone(tmp_path):
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("archive/one.warc.gz", page("a") + page("b") + page("c"))
    content = path.read_bytes()
    at = content.index(page("a")[:10]) + len(page("a")) + len(page("b")) // 2
    path.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
    assert names(read_wacz(path, max_bytes=1_000_000)) == ["a", "SourceError", "c"]


def test_a_package_whose_part_ends_too_early_is_a_failure(tmp_path):
    buffer, archive = io.BytesIO(), page("a")
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("archive/one.warc.gz", archive)
    sizes = struct.pack("<II", len(archive), len(archive))
    first, _, last = buffer.getvalue().rpartition(sizes)  # those of the directory
    (tmp_path / "x.wacz").write_bytes(first + struct.pack("<II", 10**6, 10**6) + last)
    assert "SourceError" in names(read_wacz(tmp_path / "x.wacz", max_bytes=1_000_000))


@pytest.mark.slow
def test_a_record_whose_uri_is_none_does_not_stop_the_others(corpus, tmp_path):
    broken = record("http://[a.example/x", PAGE.format("x"))
    (tmp_path / "x.warc.gz").write_bytes(page("a") + broken + page("c"))
    report = corpus.add(tmp_path / "x.warc.gz", progress=False)
    assert (report.new, report.failed) == (2, 1)


@pytest.mark.slow
def test_a_corpus_takes_a_web_archive(corpus, tmp_path):
    (tmp_path / "x.warc.gz").write_bytes(page("a") + damaged(page("b")) + page("c"))
    report = corpus.add(tmp_path / "x.warc.gz", progress=False)
    assert (report.new, report.failed) == (2, 1)
    assert corpus.documents().uri.tolist() == ["http://a.example/a", "http://a.example/c"]
    assert corpus.documents().title.tolist() == ["a", "c"]
    assert corpus.failures().stage.tolist() == ["read"]
    assert "2 unchanged" in repr(corpus.add(tmp_path / "x.warc.gz", progress=False))


@pytest.mark.slow
def test_pages_of_a_web_archive_stay_records_with_their_headers(corpus, tmp_path):
    packed = record("http://a.example/g", gzip.compress(PAGE.format("g").encode()),
                    headers=[("Content-Encoding", "gzip"), ("Server", "s")])  # fmt: skip
    (tmp_path / "x.warc.gz").write_bytes(page("a") + packed)
    corpus.add(tmp_path / "x.warc.gz", progress=False)
    originals = tmp_path / "corpus" / "originals"
    assert [path.name for path in originals.iterdir()] == ["added-00001.warc.gz"]
    with (originals / "added-00001.warc.gz").open("rb") as stream:  # read by another program
        kept = [
            (r.rec_headers["WARC-Target-URI"], r.rec_headers["WARC-Date"], r.http_headers.get_header("Server"),
             r.content_stream().read().decode())
            for r in ArchiveIterator(stream, check_digests="raise")
        ]  # fmt: skip
    date = "2020-01-02T03:04:05Z"
    assert kept == [
        ("http://a.example/a", date, None, PAGE.format("a")),
        ("http://a.example/g", date, "s", PAGE.format("g")),
    ]
    assert corpus.check() == []


@pytest.mark.slow
def test_adding_again_keeps_nothing_twice_and_a_changed_page_is_a_new_version(corpus, tmp_path):
    path = tmp_path / "x.warc.gz"
    path.write_bytes(page("a"))
    for _ in range(2):
        corpus.add(path, progress=False)
    path.write_bytes(record("http://a.example/a", PAGE.format("changed")))
    assert repr(corpus.add(path, progress=False)) == "1 changed"
    assert corpus.documents(versions=True).version.tolist() == [1, 2]
    files = sorted(p.name for p in (tmp_path / "corpus" / "originals").iterdir())
    assert files == ["added-00001.warc.gz", "added-00002.warc.gz"]


@pytest.mark.slow
def test_a_revisit_finds_its_payload_in_a_file_added_before(corpus, tmp_path):
    first = page("a")
    digest = re.search(rb"WARC-Payload-Digest: (\S+)", gzip.decompress(first))[1].decode()
    later = tmp_path / "later.warc.gz"
    later.write_bytes(
        revisit("http://a.example/a", "http://a.example/a", digest)
        + revisit("http://a.example/b", "http://a.example/a", digest)
    )
    assert repr(corpus.add(later, progress=False)) == "2 failed; see corpus.failures()"
    assert "add that file first" in corpus.failures().message[0]
    (tmp_path / "first.warc.gz").write_bytes(first)
    corpus.add(tmp_path / "first.warc.gz", progress=False)
    report = corpus.add(later, progress=False)
    assert (report.new, report.unchanged, report.failed) == (1, 1, 0)
    assert corpus.documents().uri.tolist() == ["http://a.example/a", "http://a.example/b"]
    assert len({document.to_text() for document in corpus}) == 1
    assert corpus.failures().empty


def conversion(url, text):
    """A record of a WET file, as Common Crawl writes the plain text of a page."""
    body = text.encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-18T01:58:10Z\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000007>\r\nContent-Type: text/plain\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + body + b"\r\n\r\n")


def test_the_texts_of_a_wet_file_are_read(tmp_path):
    (tmp_path / "x.warc.wet.gz").write_bytes(conversion("https://a.example/p", "Escopete é un municipio."))
    [found] = read_warc(tmp_path / "x.warc.wet.gz", max_bytes=10**6)
    assert (found.uri, found.media_type, found.charset) == ("https://a.example/p", "text/plain", "utf-8")
    assert found.content.decode() == "Escopete é un municipio."


def test_of_a_page_and_its_text_in_one_file_the_page_is_read(tmp_path):
    url = "https://a.example/p"
    (tmp_path / "x.warc.gz").write_bytes(record(url, PAGE.format("T")) + conversion(url, "T text"))
    [found] = read_warc(tmp_path / "x.warc.gz", max_bytes=10**6)
    assert found.media_type == "text/html"
