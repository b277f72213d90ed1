"""A whole file of each kind that a corpus takes, and ways to damage it. ``number`` makes the URLs in it its own."""

import bz2
import gzip
import io
import tarfile
import tempfile
import zipfile
from email.message import EmailMessage
from pathlib import Path

from docx import Document
from fastwarc.warc import WarcRecord, WarcRecordType

DEMO = Path(__file__).parents[2] / "data" / "demo" / "files"
TEXT = "Some text of it, long enough to be read. " * 10


def html(number=0):
    body = "".join(f"<h2>Head {i}</h2><p>{TEXT}</p><ul><li>a<ul><li>b</li></ul></li></ul>" for i in range(10))
    return (
        f"<html><head><title>A page</title></head><body>{body}<table><tr><td>c</td></tr></table></body></html>".encode()
    )


def docx(number=0):
    document = Document()
    for i in range(10):
        document.add_heading(f"Head {i}", 1 + i % 3)
        document.add_paragraph(TEXT)
        document.add_paragraph("item", style="List Bullet")
    document.add_table(3, 3)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def pdf(number=0):
    return min((path.read_bytes() for path in DEMO.glob("*.pdf")), key=len)


def warc(number=0):
    buffer = io.BytesIO()
    for i in range(3):
        record = WarcRecord()
        record.init_headers(WarcRecordType.response)
        record.headers["Content-Type"] = "application/http; msgtype=response"
        record.headers["WARC-Target-URI"] = f"http://a.example/{number}/{i}"
        record.headers["WARC-Date"] = "2020-01-02T03:04:05Z"
        record.set_bytes_content(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html())
        plain = io.BytesIO()
        record.write(plain, checksum_data=True)
        buffer.write(plain.getvalue())
    return buffer.getvalue()


def warc_gz(number=0):
    parts = warc(number).split(b"\r\n\r\nWARC/1.")
    return b"".join(gzip.compress((b"WARC/1." if i else b"") + part + b"\r\n\r\n") for i, part in enumerate(parts))


def wacz(number=0):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("archive/data.warc.gz", warc_gz(number))
    return buffer.getvalue()


def zip_file(number=0):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("a.html", html())
        package.writestr("b/c.txt", TEXT)
        package.writestr("d.docx", docx())
    return buffer.getvalue()


def tar_gz(number=0):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as package:
        for name, content in (("a.html", html()), ("b/c.txt", TEXT.encode())):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            package.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def eml(number=0):
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "Räte", "A <a@a.example>", "b@b.example"
    mail["Date"] = "Wed, 21 Oct 2015 07:28:00 +0200"
    mail.set_content(TEXT)
    mail.add_alternative(html().decode(), subtype="html")
    mail.add_attachment(TEXT.encode(), maintype="text", subtype="plain", filename="x.txt")
    return mail.as_bytes()


def mbox(number=0):
    return b"".join(b"From a Wed Oct 21 07:28:00 2015\n" + eml() + b"\n\n" for _ in range(3))


def epub(number=0):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("mimetype", "application/epub+zip")
        package.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="c.opf"/>'
            "</rootfiles></container>",
            zipfile.ZIP_DEFLATED,
        )
        package.writestr(
            "c.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            '<dc:title>Book</dc:title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
            '</manifest><spine><itemref idref="a"/></spine></package>',
            zipfile.ZIP_DEFLATED,
        )
        package.writestr("a.xhtml", html(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def txt(number=0):
    return f"{TEXT}\n\n{TEXT}Größe\n".encode()


def markdown(number=0):
    return f"# Head\n\n{TEXT}\n\n* a\n* b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n".encode()


def nlptext(number=0):
    import corpuskit

    buffer = io.StringIO()
    uri = f"http://a.example/{number}/"
    corpuskit.write_nlptext(corpuskit.extract(html(), media_type="text/html", uri=uri), buffer)
    return buffer.getvalue().encode()


def dump(number=0):
    pages = "".join(
        f"<page><title>Article {i}</title><ns>0</ns><id>{i}</id><revision><id>{i}</id>"
        f"<timestamp>2024-05-06T07:08:09Z</timestamp><model>wikitext</model><format>text/x-wiki</format>"
        f"<text>'''Article''' {TEXT}\n\n== Head ==\n* a\n* b\n{{|\n| c\n|}}</text></revision></page>"
        for i in range(1, 4)
    )
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"><siteinfo>'
        f"<base>https://w.example/{number}/Main</base></siteinfo>{pages}</mediawiki>"
    ).encode()


def dump_bz2(number=0):
    return bz2.compress(dump(number))


def feed(number=0):
    items = "".join(
        f"<item><title>T{i}</title><link>http://f.example/{number}/{i}</link><description>&lt;p&gt;{TEXT}</description></item>"
        for i in range(3)
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>{items}</channel></rss>'.encode()


def zim(number=0):
    from libzim.writer import Creator, Item, StringProvider

    class Page(Item):
        def get_path(self):
            return "Page"

        def get_title(self):
            return "Page"

        def get_mimetype(self):
            return "text/html"

        def get_contentprovider(self):
            return StringProvider(html().decode())

        def get_hints(self):
            return {}

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.zim"
        with Creator(path) as creator:
            creator.add_item(Page())
        return path.read_bytes()


KINDS = {
    "docx": docx, "pdf": pdf, "html": html, "warc": warc, "warc.gz": warc_gz, "wacz": wacz, "zip": zip_file,
    "tar.gz": tar_gz, "eml": eml, "mbox": mbox, "epub": epub, "txt": txt, "md": markdown, "nlp.txt": nlptext,
    "xml": dump, "xml.bz2": dump_bz2, "rss": feed, "zim": zim,
}  # fmt: skip
"""Suffix → what makes a whole file."""


def damaged(content, rng):
    """The bytes cut, with bits flipped, with other bytes put in, or without their beginning."""
    kind = rng.randrange(5)
    changed = bytearray(content)
    if kind == 0:
        return content[: rng.randrange(len(content))]
    if kind == 1:
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    elif kind == 2:
        for _ in range(rng.randrange(1, 100)):
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    elif kind == 3:
        at = rng.randrange(len(changed))
        changed[at:at] = rng.randbytes(rng.randrange(1, 500))
    else:
        del changed[: rng.randrange(1, len(changed))]
    return bytes(changed)


def write_damaged(folder, kind, count, rng):
    """Damaged files of a kind, every tenth with the name of another kind, and a whole one; gives file names → marks.

    A file is told of where its name or its mark, which the URLs in it hold, stands in a URI.
    """
    make = KINDS[kind]
    is_numbered = kind in {"warc", "warc.gz", "wacz", "xml", "xml.bz2", "rss", "nlp.txt"}
    marks = {}
    whole = make()
    for number in range(1, count + 1):
        suffix = rng.choice(sorted(KINDS)) if number % 10 == 0 else kind
        name = f"n{number}.{suffix}"
        (folder / name).write_bytes(damaged(make(number) if is_numbered else whole, rng))
        marks[name] = f".example/{number}/"
    (folder / f"whole.{kind}").write_bytes(whole)
    marks[f"whole.{kind}"] = ".example/0/"
    return marks
