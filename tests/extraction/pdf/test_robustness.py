"""Damaged, encrypted and hostile files end in an error of ours or in what can be read of them."""

import io

import pytest
from pdf_builder import Page, pdf
from pdf_reading import PROSE, read

import corpuskit
from corpuskit import engine
from corpuskit.errors import EncryptedDocumentError, ExtractionError, ResourceLimitError
from corpuskit.extraction.pdf import characters, opening

GOOD = pdf(Page().lines(60, 100, PROSE), Page().lines(60, 100, ["The second page."]))


@pytest.mark.parametrize("content", [b"", b"hello", b"<html>404</html>", b"%PDF-1.7\n%%EOF", b"%PDF-1.4 junk" * 50])
def test_what_is_no_pdf_is_an_error(content):
    with pytest.raises(ExtractionError):
        read(content)


def encrypted(user, owner="owner"):
    import pikepdf

    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(GOOD)) as file:
        file.save(out, encryption=pikepdf.Encryption(user=user, owner=owner, R=6))
    return out.getvalue()


def test_a_password_is_asked_for_and_opens():
    content = encrypted("secret")
    with pytest.raises(EncryptedDocumentError, match="needed"):
        read(content)
    with pytest.raises(EncryptedDocumentError, match="wrong"):
        read(content, password="guess")
    document = read(content, password="secret")
    assert "river rose" in document.to_text()
    assert document.metadata["encrypted"] == "true"


def test_an_owner_password_alone_does_not_matter():
    assert "river rose" in read(encrypted("")).to_text()


def test_a_file_without_its_end_is_mended():
    whole = GOOD[: GOOD.rindex(b"xref")]
    document = read(whole)
    assert "river rose" in document.to_text()


def test_a_file_that_pdfium_refuses_is_mended_once(monkeypatch):
    true, refused = opening._load, []

    def refuse_first(content, password, where):
        if not refused:
            refused.append(content)
            return None, "refused"
        return true(content, password, where)

    monkeypatch.setattr(opening, "_load", refuse_first)
    document = read(GOOD)
    assert "river rose" in document.to_text()
    assert document.metadata["repaired"] == "true"


def test_a_page_count_that_lies_is_no_endless_work():
    content = GOOD.replace(b"/Count 2", b"/Count 90000000")
    assert "river rose" in read(content).to_text()


def test_a_bad_page_leaves_the_others(monkeypatch):
    true = characters.read_characters
    calls = []

    def fail_first(page, fonts):
        calls.append(page)
        if len(calls) == 1:
            raise ResourceLimitError("too many characters")
        return true(page, fonts)

    monkeypatch.setattr("corpuskit.extraction.pdf.analysis.read_characters", fail_first)
    document = read(GOOD)
    assert document.to_text() == "The second page."
    assert document.metadata["failed_pages"] == "1"
    assert document.warnings == ["page 1: too many characters"]


@pytest.mark.slow
def test_a_page_too_large_for_memory_does_not_end_this_process(tmp_path):
    import zlib

    page = Page()
    page.content = [b"BT /F0 12 Tf 10 10 Td " + b"(A) Tj " * 1_000 + b"ET"]
    bomb = zlib.compress(b"BT /F0 12 Tf 10 10 Td " + b"(A) Tj " * 3_000_000 + b" ET", 9)
    content = pdf(page)
    stream = zlib.compress(page.content[0])
    bad = content.replace(b"/Length %d/" % len(stream), b"/Length %d/" % len(bomb)).replace(stream, bomb)
    with pytest.raises(ResourceLimitError):
        engine.call(read, bad, limits=engine.Limits(seconds=60, memory=1024**3))


@pytest.mark.whole
def test_the_front_door_reads_in_another_process(tmp_path):
    path = tmp_path / "flood.pdf"
    path.write_bytes(GOOD)
    assert "river rose" in corpuskit.extract(path).to_text()


def test_a_page_written_askew_is_no_text_of_the_body():
    page = Page().lines(60, 300, PROSE).text(0, 0, "DRAFT", size=60, matrix="0.7 0.7 -0.7 0.7 100 100")
    document = read(pdf(page))
    assert document.to_text(main=True) == " ".join(PROSE)
    assert "DRAFT" in document.to_text()


def test_a_file_that_pdfium_cannot_decrypt_and_pikepdf_asks_a_password_for_is_told_as_locked(monkeypatch):
    monkeypatch.setattr(opening, "_load", lambda content, password, where: (None, "unsupported security scheme"))
    with pytest.raises(EncryptedDocumentError, match="a password is needed"):
        read(encrypted("secret"))


def test_a_file_encrypted_for_certificates_is_not_called_damaged():
    # PDF 32000-1, 7.6.5: the public-key security handler.
    lock = b"<</Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s5/V 4/CF<</DefaultCryptFilter<</CFM/AESV2/Recipients[<3082>]>>>>/StmF/DefaultCryptFilter/StrF/DefaultCryptFilter>>"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>", lock]  # fmt: skip
    content, places = b"%PDF-1.6\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    table = b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<</Size 5/Root 1 0 R/Encrypt 4 0 R/ID[<00><00>]>>\nstartxref\n%d\n%%%%EOF\n" % len(content)
    with pytest.raises(EncryptedDocumentError, match="holders of certificates"):
        read(content + table + end)
