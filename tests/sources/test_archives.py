import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from email.message import EmailMessage

import pytest

from corpuskit.errors import SourceError
from corpuskit.extraction import extract_bytes
from corpuskit.sources import find_files
from corpuskit.sources.archives import read_file


def read(path, max_bytes=1_000_000):
    (found,) = find_files([path])
    return list(read_file(found, max_bytes=max_bytes))


def names(found):
    return [f.uri if not isinstance(f, tuple) else type(f[1]).__name__ for f in found]


@pytest.fixture
def folder(tmp_path):
    inner = tmp_path / "d"
    inner.mkdir()
    return inner


MEMBERS = {
    "a.html": b"<p>a</p>",
    "b/c.txt": b"c",
    ".hidden": b"x",
    "__MACOSX/a.html": b"x",
    "../up.txt": b"x",
    "/abs.txt": b"x",
}


def test_members_of_archives_are_read_and_names_that_lead_out_are_refused(folder):
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        for name, content in MEMBERS.items():
            archive.writestr(name, content)
    with tarfile.open(folder / "x.tar.gz", "w:gz") as archive:
        for name, content in MEMBERS.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    for name in ("x.zip", "x.tar.gz"):
        found = read(folder / name)
        assert names(found) == [f"d/{name}/a.html", f"d/{name}/b/c.txt", "SourceError", "SourceError"]
        assert [f.media_type for f in found[:2]] == ["text/html", "text/plain"]


def test_members_that_are_too_large_or_damaged_do_not_stop_the_others(folder):
    with zipfile.ZipFile(folder / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.txt", b"0" * 5_000_000)
        archive.writestr("bad.txt", b"to be damaged")
        archive.writestr("good.txt", b"good")
    content = (folder / "x.zip").read_bytes().replace(b"bad.txt", b"bad.txt", 1)
    at = content.find(b"bad.txt") + len(b"bad.txt")
    (folder / "x.zip").write_bytes(content[:at] + b"\xff\xff\xff" + content[at + 3 :])
    assert names(read(folder / "x.zip")) == ["ResourceLimitError", "SourceError", "d/x.zip/good.txt"]


def test_broken_archives_are_failures(folder):
    for name in ("a.zip", "b.tar", "c.tar.gz", "d.txt.gz", "e.wacz"):
        (folder / name).write_bytes(b"no archive at all")
        try:
            found = read(folder / name)
        except SourceError as error:
            found = [(name, error)]
        assert names(found) == ["SourceError"]


def test_a_word_file_is_no_archive(folder):
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<x/>")
    (found,) = read(folder / "x.zip")
    assert found.media_type.endswith("wordprocessingml.document")


def message(subject="Rates", body="3 % a year.", html=None, attached=()):
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = subject, "A <a@a.example>", "b@b.example"
    mail["Date"] = "Wed, 21 Oct 2015 07:28:00 +0200"
    mail.set_content(body)
    if html:
        mail.add_alternative(html, subtype="html")
    for name, content in attached:
        mail.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return mail.as_bytes()


def test_a_message_is_a_document_and_its_attachments_are_others(folder):
    (folder / "m.eml").write_bytes(message(html="<p>never</p>", attached=[("../r.html", b"<p>Report</p>")]))
    mail, attached = read(folder / "m.eml")
    assert (attached.uri, attached.media_type, attached.name) == ("d/m.eml#1-r.html", "text/html", "r.html")
    document = extract_bytes(mail.content, media_type=mail.media_type)
    assert (document.title, document.to_text()) == ("Rates", "3 % a year.")
    assert document.metadata["author"] == "A <a@a.example>"
    assert document.timestamp.isoformat() == "2015-10-21T05:28:00+00:00"


def test_the_messages_of_a_mailbox_are_parted(folder):
    first, second = message("One", "From here\n\nFrom there"), message("Two")
    quoted = first.replace(b"\nFrom ", b"\n>From ")
    # The header From: is no separator.
    quoted = quoted.replace(b">From: ", b"From: ")
    (folder / "x.mbox").write_bytes(b"From a Wed\n" + quoted + b"\n\nFrom b Wed\n" + second)
    found = read(folder / "x.mbox")
    assert names(found) == ["d/x.mbox#1", "d/x.mbox#2"]
    documents = [extract_bytes(f.content, media_type=f.media_type) for f in found]
    assert [d.title for d in documents] == ["One", "Two"]
    assert documents[0].to_text() == "From here\nFrom there"


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_a_packed_file_is_unpacked_or_a_failure(folder, suffix, pack):
    path = folder / f"a.html.{suffix}"
    path.write_bytes(pack(b"<p>text</p>" * 100))
    (found,) = read(path)
    assert (found.uri, found.media_type, found.name) == (f"d/a.html.{suffix}", "text/html", "a.html")
    path.write_bytes(pack(b"<p>text</p>" * 100)[:-9])
    assert names(read(path)) == ["SourceError"]
    path.write_bytes(pack(b" " * 2_000_000))
    assert names(read(path)) == ["ResourceLimitError"]
