"""What is fuzzed: a parser each, its seeds, what it may raise, and what must hold of what it gives.

A target returns for every input, or raises what is a finding. ``benchmarks/robustness/fuzz_parsers.py`` runs them at length,
``tests/fuzz/test_targets.py`` a few inputs of each with the other tests.
"""

from __future__ import annotations

import atexit
import gzip
import io
import json
import os
import random
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from corpuskit.errors import CorpusKitError, DocumentFormatError, ExtractionError, RefusedError

ROOT = Path(__file__).resolve().parents[2]
from fuzz_mutation import mutated, mutated_package  # noqa: E402

BASE = "http://h.example/a/b.html"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@dataclass(frozen=True)
class Target:
    """A parser.

    Attributes:
        run: gives it one input.
        seeds: where inputs begin.
        splices: pieces of the format.
        seconds: no input may take longer.
        mutate: makes inputs of seeds and splices.
    """

    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]
    splices: Sequence[bytes] = ()
    seconds: float = 10.0
    mutate: Callable[[random.Random, Sequence[bytes], Sequence[bytes]], bytes] = mutated


def made(name: str, number: int, seed: int = 0) -> bytes:
    """Input ``number`` of a target: the same on every machine."""
    target = TARGETS[name]
    return target.mutate(random.Random(f"{seed}/{name}/{number}"), _seeds(name), target.splices)


@cache
def _seeds(name: str) -> Sequence[bytes]:
    return TARGETS[name].seeds()


def _files(pattern: str, folder: str = "tests/gate/html") -> list[bytes]:
    return [path.read_bytes() for path in sorted((ROOT / folder).glob(pattern))]


# -- documents ---------------------------------------------------------------------------------------------------------


def nlptext(content: bytes) -> None:
    """Strict raises DocumentFormatError with a line of the file; lenient reads all; what is read can be written."""
    from corpuskit.document import from_nlptext, to_nlptext

    try:
        from_nlptext(content, strict=True)
    except DocumentFormatError as error:
        assert 1 <= error.line <= content.count(b"\n") + content.count(b"\r") + 2
    document = from_nlptext(content, strict=False)
    whole(document.table)
    normal = document.normalize()
    text = to_nlptext(normal).encode()
    again = from_nlptext(text, strict=True)
    assert to_nlptext(again.normalize()).encode() == text


def marks(content: bytes) -> None:
    """A marks file is refused or leaves the table whole."""
    import zstandard

    from corpuskit.document import from_nlptext
    from corpuskit.document.dataframes import to_arrow
    from corpuskit.document.marks import load_marks

    document = from_nlptext(_MARKED)
    for packed in (content, zstandard.ZstdCompressor(level=1).compress(content)):
        try:
            load_marks(packed, document.table)
        except DocumentFormatError:
            continue
        whole(document.table)
        to_arrow(document.table)


_MARKED = (
    b"## NLPTextDocument Title t\n## NLPTextDocument Uri u\n## NLPTextDocument Timestamp 2020-01-02T03:04:05\n"
    + b"a\n" * 8
)
_MARKS = json.dumps({
    "format": "corpuskit-marks", "version": 1, "elements": 8, "not_main": [[0, 2], [5, 8]],
    "columns": {"role": {"1": "title", "7": "footer"}, "page": {"0": 1}, "main_probability": {"3": 0.5},
                "links": {"2": '[[0,1,"http://x.example/"]]'}, "locator": {"1": "1:0,0,5.00,5.00"}},
}).encode()  # fmt: skip


def extracted(content: bytes, media_type: str) -> None:
    """A document whose table is whole and that can be written and read, or an ExtractionError."""
    from corpuskit.document import from_nlptext, to_nlptext
    from corpuskit.extraction import extract_bytes

    try:
        document = extract_bytes(content, media_type=media_type, uri=BASE)
    except ExtractionError:
        return
    whole(document.table)
    from_nlptext(to_nlptext(document.normalize()).encode(), strict=True)


def pdf_with_artifacts(content: bytes) -> None:
    """As ``extracted``; segmentation and text grid are JSON without NaN, and, asked of every eighth input, keep their schemas."""
    from corpuskit.compat.textworks.extractor import extract_pdf_with_artifacts
    from corpuskit.extraction.options import ExtractOptions

    with tempfile.TemporaryDirectory(dir=_fast_folder()) as folder:
        try:
            extract_pdf_with_artifacts(content, uri=BASE, options=ExtractOptions(), charset=None, folder=Path(folder))
        except ExtractionError:
            return
        for file in Path(folder).rglob("*.json"):
            data = json.loads(file.read_bytes(), parse_constant=_no_number)
            if zlib.crc32(content) % 8 == 0:  # it took three quarters of the time
                _schema("segmentation" in file.name).validate(data)


def _no_number(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


@cache
def _schema(segmentation: bool) -> Any:
    from jsonschema.validators import validator_for

    from corpuskit.compat.textworks.schema import SEGMENTATION_SCHEMA, TEXTGRID_SCHEMA

    schema = SEGMENTATION_SCHEMA if segmentation else TEXTGRID_SCHEMA
    return validator_for(schema)(schema)


def whole(table: object) -> None:
    """The table's own bookkeeping holds."""
    size = len(table.type)
    assert all(
        len(c) == size for c in (table.parent_id, table.subtree_end, table.nesting_level, table.text, table.main)
    )
    above = [-1]
    for row in range(size):
        while above[-1] >= 0 and table.subtree_end[above[-1]] <= row:
            above.pop()
        assert table.parent_id[row] == above[-1]
        assert table.nesting_level[row] == len(above)
        assert row < table.subtree_end[row] <= size
        above.append(row)
    assert all(0 <= row < size for row in table.cells)


# -- the web -----------------------------------------------------------------------------------------------------------


def robots(content: bytes) -> None:
    """Rules can be asked, and are kept as lines that are read the same again."""
    from corpuskit.sources.web.robots import Robots

    found = Robots.parse(content)
    answers = [found.allows(url) for url in (BASE, "http://h.example/", "http://h.example/private/x?y=1#z")]
    again = Robots.parse(found.rules.encode("utf-8", "replace"))
    assert [again.allows(url) for url in (BASE, "http://h.example/", "http://h.example/private/x?y=1#z")] == answers
    assert found.crawl_delay is None or 0 <= found.crawl_delay <= 60


def listing(content: bytes) -> None:
    """Sitemaps and feeds name canonical URLs only, and are told apart packed as they are unpacked."""
    from corpuskit.sources.web.discovery import MAX_URLS, is_listing, parse_listing
    from corpuskit.sources.web.urls import canonical_url

    assert is_listing(content) == is_listing(gzip.compress(content, 1)) or content.startswith(b"\x1f\x8b")
    for packed in (content, gzip.compress(content, 1)):
        found = parse_listing(packed, BASE)
        assert len(found.pages) <= MAX_URLS
        for url in (*found.pages, *found.sitemaps):
            assert canonical_url(url) == url


def links(content: bytes) -> None:
    """Links of a page are canonical."""
    from corpuskit.sources.web.links import MAX_LINKS, find_links
    from corpuskit.sources.web.urls import canonical_url

    found = find_links(content, BASE)
    assert len(found.links) <= MAX_LINKS
    for link in found.links:
        assert canonical_url(link.url) == link.url


def url(content: bytes) -> None:
    """Canonical twice is canonical once; the document's path is legal and stays in its folder."""
    from corpuskit.sources.web.urls import canonical_url, url_key
    from corpuskit.store.paths import document_path

    text = content.decode("utf-8", "surrogateescape" if len(content) % 2 else "replace")
    for base in (None, BASE):
        try:
            found = canonical_url(text, base)
        except RefusedError:
            continue
        assert canonical_url(found) == found
        assert found.isascii() and found.startswith(("http://", "https://"))
        url_key(found)
        inside(document_path(found))
    inside(document_path(text))


def inside(path: str) -> None:
    """A relative path without steps upwards, of parts that are legal names."""
    parts = path.split("/")
    assert all(part and part not in {".", ".."} and len(os.fsencode(part)) <= 160 for part in parts)
    assert not set(path) & set('\\:*?"<>|\0\n\r')


def warc(content: bytes) -> None:
    """Records or (URI, error); reading ends."""
    from corpuskit.sources.warc import read_warc

    file = _fast_folder() / f"fuzz-{os.getpid()}.warc.gz"
    for packed in (content, _members(content)):
        file.write_bytes(packed)
        for number, found in enumerate(read_warc(file, max_bytes=1_000_000)):
            assert number < 50_000
            if isinstance(found, tuple):
                assert isinstance(found[1], CorpusKitError)
            else:
                assert len(found.content) <= 1_000_000


def archive(content: bytes) -> None:
    """ZIP and tar files give members or errors."""
    from corpuskit.sources.archives import read_file
    from corpuskit.sources.files import FoundFile

    for name in ("x.zip", "x.tar", "x.tar.gz", "x.gz", "x.wacz", "x.mbox"):
        file = _fast_folder() / f"fuzz-{os.getpid()}-{name}"
        file.write_bytes(content)
        try:
            for found in read_file(FoundFile(file, name, "o"), max_bytes=1_000_000):
                assert ".." not in (found[0] if isinstance(found, tuple) else found.name).split("/") or isinstance(
                    found, tuple
                )
        except CorpusKitError:
            continue


def pack(content: bytes) -> None:
    """A pack of documents from a stranger is refused, or its documents are read or refused."""
    from corpuskit.store.packs import Pack

    file = _fast_folder() / f"fuzz-{os.getpid()}.nlp.txt.zst"
    file.write_bytes(content)
    try:
        with Pack(file) as opened:
            for path in opened.paths():
                opened.read(path)
    except CorpusKitError:
        return


def label_file(content: bytes) -> None:
    """Lines that are no label are failures; labelling goes on."""
    import shutil

    from corpuskit.store.catalog import Catalog
    from corpuskit.store.labels import LabelLog

    folder = Path(tempfile.mkdtemp(dir=_fast_folder()))
    try:
        (folder / "labels").mkdir()
        (folder / "labels" / "x.jsonl").write_bytes(content)
        catalog = Catalog(folder / "catalog.sqlite")
        try:
            LabelLog(folder / "labels", catalog).current()
        finally:
            catalog.close()
    finally:
        shutil.rmtree(folder)


@cache
def _fast_folder() -> Path:
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    owner = os.getpid()

    def remove() -> None:
        import shutil

        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def _members(content: bytes) -> bytes:
    """Each record packed as a gzip member, as crawlers write them."""
    records = content.split(b"WARC/1")
    return b"".join(gzip.compress(b"WARC/1" + record, 1) for record in records[1:])


# -- seeds -------------------------------------------------------------------------------------------------------------


def _nlptext_seeds() -> list[bytes]:
    from corpuskit.document import to_nlptext
    from corpuskit.extraction import extract_bytes

    pages = _files("structure/*.html")[:12]
    return [to_nlptext(extract_bytes(page, media_type="text/html").normalize()).encode() for page in pages]


def _pdf_seeds() -> list[bytes]:
    return [content for content in _files("*.pdf", "data/demo/files") if len(content) < 100_000]


def _small_pdf_seeds() -> list[bytes]:
    """Mostly a page of few lines: the segmentation names every glyph."""
    lines = [
        b"BT /F1 14 Tf 50 250 Td (1 A heading) Tj ET",
        b"BT /F1 10 Tf 50 220 Td (Some words of a para-) Tj 0 -12 Td (graph, 2 \\(3\\).) Tj ET",
        b"BT /F1 10 Tf 60 180 Td (- an item) Tj 0 -12 Td (- another) Tj ET",
        b"50 140 m 250 140 l S 50 120 100 20 re S 150 120 100 20 re S",
        b"BT /F1 10 Tf 55 125 Td (a) Tj 100 0 Td (b) Tj ET BT /F1 6 Tf 1 0 0.2 1 50 50 Tm (note) Tj ET",
    ]
    stream = b"\n".join(lines)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
    ]  # fmt: skip
    content, starts = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        starts.append(len(content))
        content += b"%d 0 obj%s endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    content += b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        table,
        len(content),
    )
    return [content] * 19 + _pdf_seeds()[:1]


def _word_seeds() -> list[bytes]:
    return [content for content in _files("*.docx", "data/demo/files") if len(content) < 100_000]


def _warc_seeds() -> list[bytes]:
    from datetime import UTC, datetime

    from corpuskit.store.originals import WarcWriter

    with tempfile.TemporaryDirectory() as folder:
        writer = WarcWriter(Path(folder), {})
        for number in range(3):
            headers = [("Content-Type", "text/html; charset=utf-8"), ("ETag", '"x"')]
            body = b"<html><title>T</title><p>The page.</p></html>" * (number + 1)
            writer.write(f"http://h.example/{number}", datetime(2020, 1, 2, tzinfo=UTC), b"GET / HTTP/1.1\r\n\r\n",
                         "HTTP/1.1 200 OK", headers, body)  # fmt: skip
        writer.close()
        packed = next(Path(folder).glob("*.warc.gz")).read_bytes()
    plain = gzip.decompress(packed)
    revisit = (
        b"WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://h.example/r\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
        b"WARC-Record-ID: <urn:uuid:a>\r\nWARC-Payload-Digest: sha1:X\r\nContent-Type: application/http; msgtype=response\r\n"
        b"Content-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n"
    )
    chunked = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://h.example/c>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
        b"WARC-Record-ID: <urn:uuid:b>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: 110\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>hi\r\n10\r\n</p><p>there</p>\n\r\n0\r\n\r\n\r\n\r\n"
    )
    return [packed, plain, plain + revisit, chunked]


def _archive_seeds() -> list[bytes]:
    import tarfile
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("a.html", "<p>one</p>" * 20)
        package.writestr("b/c.txt", "two" * 20)
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as package:
        info = tarfile.TarInfo("a.txt")
        info.size = 4
        package.addfile(info, io.BytesIO(b"text"))
    mail = b"From a@b.example Thu Jan  1 00:00:00 2020\nFrom: a@b.example\nSubject: s\nContent-Type: text/plain\n\nBody\n\n"
    return [out.getvalue(), tar.getvalue(), gzip.compress(tar.getvalue()), gzip.compress(b"text " * 50), mail * 2]


def _pack_seeds() -> list[bytes]:
    from corpuskit.document import to_nlptext
    from corpuskit.document.marks import dump_marks
    from corpuskit.extraction import extract_bytes
    from corpuskit.store.packs import PackWriter

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.nlp.txt.zst"
        with PackWriter(file) as writer:
            for number, page in enumerate(_files("structure/*.html")[:4]):
                document = extract_bytes(page, media_type="text/html", uri=BASE).normalize()
                writer.add(f"h.example/{number}", to_nlptext(document).encode(), dump_marks(document.table))
        return [file.read_bytes()]


_ROBOTS = [
    b"User-agent: *\nDisallow: /private/\nAllow: /private/x\nCrawl-delay: 2\nSitemap: http://h.example/s.xml\n",
    b"\xef\xbb\xbfUser-Agent: corpuskit\r\nUser-Agent: other\r\nDisallow: /*.pdf$\r\nDisallow: /a*b*c\r\n\r\nUser-agent: *\nDisallow:\n",
    b"user agent: *\nDisalow: /x # why\nNoindex: /\nHost: h\nCrawl-delay: 1e400\n",
]
_LISTINGS = [
    b'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://h.example/a</loc>'
    b'<xhtml:link xmlns:xhtml="http://www.w3.org/1999/xhtml" rel="alternate" href="/b"/></url></urlset>',
    b"<sitemapindex><sitemap><loc>http://h.example/s1.xml</loc></sitemap></sitemapindex>",
    b"<rss><channel><link>http://h.example/</link><item><link>http://h.example/news</link></item></channel></rss>",
    b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/e"/><link rel="edit" href="/x"/></entry></feed>',
    b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "http://h.example/j"}, {"id": 1}, 3]}',
    b"http://h.example/a\nhttps://h.example/b\n",
    b'<!DOCTYPE u [<!ENTITY x "y"><!ENTITY z "&x;&x;">]><urlset><url><loc>http://h.example/&z;</loc></url></urlset>',
]
_URLS = [
    b"http://user:pw@h.example:80/a/../b/./c?x=1&utm_source=n#f", b"//h.example/\xc3\xa4?q=%C3%A4", b"../x/%7Ey;jsessionid=1",
    b"https://xn--bcher-kva.example/%zz", "http://b\u00fccher.example/\u2028".encode(), b"http://[::1]:8080/", b"mailto:a@b.example",
    b"http://h.example/" + b"a/" * 30, b"javascript:alert(1)", b"http://1.2.3.4.:99999/", b"data:text/html,x", b"?x=%00&sid=1",
    b"http://h.example/con/aux.txt/.hidden/x.", b"file:///etc/passwd", b"http:\\\\h.example\\x",
]  # fmt: skip
_LABELS = [
    b'{"target": "http://a.example/", "kind": "url", "label": "relevant", "by": "me", "when": "2026-01-02T03:04:05+00:00", '
    b'"note": null, "version": null}\n{"target": "0011223344556677", "kind": "document", "label": "other", "by": "me", '
    b'"when": "2026-01-02T03:04:06+00:00", "note": "why", "version": 1}\n'
]

_XML = (
    b"<", b">", b"</", b"/>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?x?>", b"&amp;", b"&#0;", b"&#xD800;", b"&x;",
    b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"xmlns='u'", b" a='1'", b"'", b'"',
)  # fmt: skip
_HTML = (
    *_XML, b"<li>", b"</ul>", b"<ul>", b"<table>", b"</td>", b"<td rowspan=3 colspan=0>", b"<tr>", b"<h2>", b"</h2>", b"<dt>", b"</dl>", b"<dd>",
    b"<pre>", b"<caption>", b"<a href='http://[' title=t>", b"<script>", b"<svg>", b"<title>", b"<textarea>", b"<select><option>", b"<x<y z<=1>",
    b"<p hidden>", b"<template>", b"<noscript>", b"</body></html>", b"<base href='http://['>", b"<img alt='", b"<math alttext=a>", b"<frameset>",
    b"<script type=application/ld+json>[[{\"@type\": 1}]]</script>", b"<time datetime=9999999999>", b"<meta charset=utf-7>", b"<col span=99999>",
)  # fmt: skip
_WORD = (
    *_XML, b"<w:p>", b"</w:p>", b"<w:r>", b"<w:t>x</w:t>", b"<w:tbl>", b"<w:tc>", b"</w:tc>", b"<w:gridSpan w:val='-1'/>", b"<w:vMerge/>",
    b"<w:gridSpan w:val='99999999'/>", b"<w:numPr><w:ilvl w:val='99'/><w:numId w:val='x'/></w:numPr>", b"<w:ins>", b"<w:del>", b"<w:sdt>",
    b"<w:fldChar w:fldCharType='begin'/>", b"<w:hyperlink r:id='x'>", b"<m:oMath>", b"<mc:AlternateContent>", b"<w:footnoteReference w:id='1'/>",
    b"w:val='", b"w:outlineLvl", b"<w:sym w:char='FFFFFFF'/>", b"<w:br/>", b"<w:basedOn w:val='H1'/>",
)  # fmt: skip
_PDF = (
    b"<<", b">>", b"[", b"]", b"/Kids", b"/Parent 1 0 R", b"/Count -1", b"/Count 99999999", b"1 0 R", b"0 0 0 0 re", b"BT", b"ET", b"Tj", b"endstream",
    b"endobj", b"/Rotate 45", b"/MediaBox [0 0 0 0]", b"/MediaBox [0 0 1e30 1e30]", b"1e308", b"-1", b"NaN", b"/Length 0", b"xref", b"trailer",
    b"/Encrypt", b"/ObjStm", b"/Type /Page", b"(\\", b"\xff", b"/StructParents", b"/K 0", b"q " * 50,
)  # fmt: skip
_NLP = (
    b"## ", b"## 1 Section Start x\n", b"## 1 Section End\n", b"## 1 List Start\n", b"## 1 List Items >> a || b\n", b"## 2 Table Start\n", b"## 1 List End\n",
    b"## 3 TableCell Start 1,1:2,2\n", b"## 3 TableHeader Start 0,0\n", b" || ", b" >> ", b"\\n", b"\\", b"\r", b"\r\n", b"\xc2\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf",
    b". ##", b"## NLPTextDocument Title x\n", b"## NLPTextDocument Metadata a=b\n", b"## 99999999999999999999 Section Start\n", b"## -1 List End\n", b"\0", b"\xff",
)  # fmt: skip
_JSON = (
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"null",
    b"1e999",
    b"-1",
    b"NaN",
    b"true",
    b"9" * 40,
    b"[" * 3000,
    b"\\ud800",
    b"\\u0000",
    b'{"a":' * 50,
)
_WARC = (
    b"WARC/1.1\r\n", b"WARC/9.9\r\n", b"\r\n\r\n", b"Content-Length: 99999999999\r\n", b"Content-Length: -1\r\n", b"WARC-Type: revisit\r\n", b"WARC-Type: response\r\n",
    b"HTTP/1.1 200 OK\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n", b"\x1f\x8b\x08", b"WARC-Date: x\r\n", b"ffffffff\r\n", b"\0", b"Content-Encoding: br\r\n",
    b"WARC-Block-Digest: sha1:AAAA\r\n", b"WARC-Target-URI: http://[\r\n", b"WARC-Target-URI: file:///etc/passwd\r\n", b"Content-Type: text/html; charset=\xff\r\n",
)  # fmt: skip

TARGETS: dict[str, Target] = {
    "nlptext": Target(nlptext, _nlptext_seeds, _NLP),
    "marks": Target(marks, lambda: [_MARKS], _JSON),
    "html": Target(partial(extracted, media_type="text/html"), lambda: _files("structure/*.html") + _files("pages/*.html"), _HTML),
    "markdown": Target(partial(extracted, media_type="text/markdown"), lambda: _files("*.md", "docs/howto"), (*_HTML[:6], b"> ", b"- ", b"[", b"](", b"|", b"```\n", b"---\n", b"+++\n", b"![", b"*", b"\n\n", b"title: x\n")),
    "docx": Target(partial(extracted, media_type=WORD), _word_seeds, _WORD, mutate=mutated_package),
    "pdf": Target(partial(extracted, media_type="application/pdf"), _pdf_seeds, _PDF, seconds=30),
    "segmentation": Target(pdf_with_artifacts, _small_pdf_seeds, _PDF, seconds=30),
    "robots": Target(robots, lambda: _ROBOTS, (b"*", b"$", b"\n", b"User-agent: *\n", b"Disallow: /", b"Allow:", b"%", b"\0", b"\xff", b"#", b":", b"*" * 80)),
    "listing": Target(listing, lambda: _LISTINGS, (*_XML, *_JSON, b"<url>", b"<loc>", b"</loc>", b"<item>", b"<link>", b"http://[")),
    "links": Target(links, lambda: _files("structure/*.html"), _HTML),
    "url": Target(url, lambda: _URLS, (b"/", b"..", b"%", b"%00", b"%2F", b"%2e", b"?", b"&", b"#", b":", b"@", b"[", b"]", b"//", b"\\", b"\xe3\x80\x82", b"\xc2\xad", b"xn--", b"\t", b" ", b"sid=", b"~")),
    "warc": Target(warc, _warc_seeds, _WARC),
    "archive": Target(archive, _archive_seeds, (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\xff\xff\xff\xff", b"../", b"\0" * 512, b"ustar", b"\x1f\x8b")),
    "pack": Target(pack, _pack_seeds, (b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\x51\x2a\x4d\x18", b"\xff\xff\xff\xff", b"\0\0\0\0")),
    "labels": Target(label_file, lambda: _LABELS, (*_JSON, b"\n", b'"kind": "host"')),
}  # fmt: skip
