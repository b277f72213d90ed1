"""The original of a document opens in the library that its users know."""

import io
import zipfile

import pytest

from corpuskit.demo import demo_data
from corpuskit.errors import EncryptedDocumentError, ExtractionError, ResourceLimitError, UnknownDocumentError
from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.original import Original
from corpuskit.ingest import document_id

SENTENCE = "The keeper moves the hives to the heather in August, when the lime trees have finished flowering. "
PAGE = f"<html><head><title>Heather</title></head><body><article><h1>Heather</h1><p>{SENTENCE * 4}</p></article></body></html>"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def word_with_comment():
    import docx

    document = docx.Document()
    run = document.add_paragraph("The premium rises.").runs[0]
    document.add_comment(run, text="By how much?", author="Ann", initials="A")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.fixture
def filled(corpus, tmp_path, web):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "page.html").write_text(PAGE, "utf-8")
    (folder / "letter.docx").write_bytes(word_with_comment())
    corpus.add(folder, demo_data() / "files" / "household-policy-booklet.pdf", progress=False)
    web.pages["http://a.example/"] = PAGE.encode()
    corpus.crawl(["http://a.example/"], proxy=web.proxy, delay=0).wait(progress=False)
    ids = corpus.documents().set_index("uri").doc_id
    return corpus, ids


@pytest.mark.slow
def test_a_file_and_a_crawled_page_give_their_bytes_and_a_path(filled):
    corpus, ids = filled
    for uri in ("files/page.html", "http://a.example/"):
        original = corpus.original(ids[uri])
        assert original.bytes == PAGE.encode()
        assert original.path.read_bytes() == PAGE.encode()
        assert (original.media_type, original.uri) == ("text/html", uri)
        assert repr(original) == f"<Original of {uri}: text/html, {len(PAGE)} bytes>"
    copy = original.path
    del original
    assert not copy.exists()
    assert corpus.original(ids["files/page.html"]).path.is_relative_to(corpus.path)


@pytest.mark.slow
def test_a_page_opens_in_lxml_and_trafilatura(filled):
    import trafilatura

    corpus, ids = filled
    original = corpus.original(ids["http://a.example/"])
    assert original.lxml().findtext(".//h1") == "Heather"
    document = original.trafilatura()
    theirs = trafilatura.bare_extraction(
        PAGE.encode(), url="http://a.example/", include_comments=False, with_metadata=True
    )
    assert (document.title, document.text) == (theirs.title, theirs.text)
    assert document.body.tag == "body"
    assert original.trafilatura(target_language="fr") is None


def test_a_pdf_opens_in_pdfplumber_and_pypdfium2(filled):
    corpus, ids = filled
    original = corpus.original(ids["files/household-policy-booklet.pdf"])
    with original.pdfplumber() as pdf:
        pages, width = len(pdf.pages), pdf.pages[0].width
        picture = pdf.pages[0].to_image(resolution=50).debug_tablefinder()
        assert picture.annotated.size[0] == round(float(width) * 50 / 72)
    opened = original.pypdfium2()
    assert (len(opened), opened[0].get_width()) == (pages, float(width))
    opened.close()


def test_comments_of_a_word_document_are_read_with_python_docx(filled):
    corpus, ids = filled
    document = corpus.original(ids["files/letter.docx"]).docx()
    assert [(comment.author, comment.text) for comment in document.comments] == [("Ann", "By how much?")]


def test_wikitext_opens_in_mwparserfromhell():
    original = Original(b"'''Bees''' in {{Place|name=Ulm}}", "text/x-wiki", "https://wiki.example/Bees")
    (template,) = original.wikitext().filter_templates()
    assert template.get("name").value == "Ulm"


@pytest.mark.parametrize("opener", ["pdfplumber", "pypdfium2", "docx", "wikitext"])
def test_another_kind_of_original_is_told(opener):
    original = Original(PAGE.encode(), "text/html", "http://a.example/")
    with pytest.raises(ExtractionError, match=r"http://a\.example/: found text/html, expected"):
        getattr(original, opener)()
    with pytest.raises(ExtractionError, match="found application/pdf, expected a web page"):
        Original(b"%PDF-", "application/pdf", "x.pdf").lxml()


@pytest.mark.parametrize(
    ("opener", "media_type"),
    [("lxml", "text/html"), ("trafilatura", "text/html"), ("pdfplumber", "application/pdf"), ("docx", WORD)],
)
def test_what_is_too_large_is_refused(opener, media_type):
    original = Original(b"x" * 2000, media_type, "x", options=ExtractOptions(max_bytes=1000))
    with pytest.raises(ResourceLimitError, match="2,000 bytes, the limit is 1,000"):
        getattr(original, opener)()


def test_a_bomb_in_a_word_document_is_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b" " * 50_000_000)
    with pytest.raises(ResourceLimitError, match="a bomb"):
        Original(buffer.getvalue(), WORD, "x.docx").docx()


@pytest.mark.parametrize("opener", ["pdfplumber", "pypdfium2"])
def test_a_damaged_pdf_is_an_extraction_error(opener):
    with pytest.raises(ExtractionError, match=r"x\.pdf"):
        getattr(Original(b"%PDF-1.4 and no more", "application/pdf", "x.pdf"), opener)()


def test_an_encrypted_pdf_asks_for_its_password(tmp_path):
    import pikepdf

    with pikepdf.open(demo_data() / "files" / "household-policy-booklet.pdf") as pdf:
        pdf.save(tmp_path / "x.pdf", encryption=pikepdf.Encryption(owner="o", user="secret"))
    original = Original((tmp_path / "x.pdf").read_bytes(), "application/pdf", "x.pdf")
    for opener in ("pdfplumber", "pypdfium2"):
        with pytest.raises(EncryptedDocumentError, match="password"):
            getattr(original, opener)()
        with getattr(original, opener)(password="secret") as opened:
            assert len(getattr(opened, "pages", opened)) > 0


def test_an_unknown_document_has_no_original(corpus):
    with pytest.raises(UnknownDocumentError):
        corpus.original(document_id("nowhere"))
