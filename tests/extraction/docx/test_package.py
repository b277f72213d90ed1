"""Packages of every kind: strict, templates, renamed parts, properties; hostile and damaged ones (ECMA-376 part 2)."""

import io
import random
import time
import zipfile
from datetime import UTC, datetime

import docx
import pytest
from docx_packages import MEDIA_TYPE, TYPE, p, package, packed, read, texts

from corpuskit.errors import EncryptedDocumentError, ExtractionError, ResourceLimitError
from corpuskit.extraction import ExtractOptions, extract_bytes
from corpuskit.sources import detect_media_type

CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">{}</cp:coreProperties>'
)


def written_by_python_docx():
    document = docx.Document()
    document.add_heading("Report", 0)
    document.add_heading("Rates", 1)
    document.add_paragraph("3 % a year.")
    document.add_paragraph("first", style="List Bullet")
    document.add_paragraph("deeper", style="List Bullet 2")
    document.add_table(1, 2).cell(0, 0).text = "cell"
    document.core_properties.title = "The report"
    document.core_properties.author = "A. Author"
    document.core_properties.modified = datetime(2024, 5, 6, 7, 8, 9)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_a_document_of_python_docx_is_read_whole():
    document = read(written_by_python_docx())
    assert texts(document) == ["Report", "Rates", "3 % a year.", "first", "deeper", "cell"]
    assert document.title == "The report"
    assert document.metadata["author"] == "A. Author"
    assert document.timestamp == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert document.metadata["timestamp_source"] == "modified"


def test_a_document_without_modified_date_has_that_of_its_making():
    core = CORE.format("<dc:title>Document1</dc:title><dcterms:created>2020-02-03T04:05:06Z</dcterms:created>")
    document = read(package(p("a"), **{"docProps/core.xml": core}))
    assert (document.title, document.timestamp) == ("", datetime(2020, 2, 3, 4, 5, 6, tzinfo=UTC))
    assert document.metadata["timestamp_source"] == "created"


def test_custom_properties_are_metadata():
    custom = '<Properties><property name="Client"><vt:lpwstr xmlns:vt="v">ACME</vt:lpwstr></property></Properties>'
    assert read(package(p("a"), **{"docProps/custom.xml": custom})).metadata["Client"] == "ACME"


def test_a_strict_document_is_read():
    content = package(p("a", "H1"))
    files = {
        i.filename: zipfile.ZipFile(io.BytesIO(content)).read(i)
        for i in zipfile.ZipFile(io.BytesIO(content)).infolist()
    }
    strict = {
        name: text.replace(b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
                           b"http://purl.oclc.org/ooxml/wordprocessingml/main")
        .replace(TYPE.encode(), b"http://purl.oclc.org/ooxml/officeDocument/relationships/")
        for name, text in files.items()
    }  # fmt: skip
    document = read(packed(strict))
    assert (texts(document), document.table.type[0]) == (["a"], 1)


def test_the_main_part_may_have_any_name_and_relationships_may_be_broken():
    assert texts(read(package(p("a"), main="word/document2.xml"))) == ["a"]
    files = {"word/document.xml": package_text("a"), "_rels/.rels": "<broken"}
    assert texts(read(packed(files))) == ["a"]
    types = '<Types><Override PartName="/x/y.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>'
    assert texts(read(packed({"x/y.xml": package_text("a"), "[Content_Types].xml": types}))) == ["a"]


def package_text(text):
    return zipfile.ZipFile(io.BytesIO(package(p(text)))).read("word/document.xml")


def test_missing_parts_and_external_pictures_do_not_end_a_document():
    relations = (
        f'<Relationship Id="x" Type="{TYPE}image" Target="http://x.example/i.png" TargetMode="External"/>'
        f'<Relationship Id="y" Type="{TYPE}footnotes" Target="gone.xml"/>'
    )
    note = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    assert texts(read(package(p("a") + p(note), relations=relations))) == ["a"]


def test_all_bodies_of_a_document_are_read_in_their_order():
    two = p("first") + "</w:body><w:body>" + p("second")
    document = read(package(two))
    assert texts(document) == ["first", "second"]
    paths = [locator.partition("#")[2] for locator in document.table.marks["locator"].values()]
    assert paths == ["/*/*[1]/*[1]", "/*/*[2]/*[1]"]


def test_bad_xml_in_one_place_is_read_with_a_warning():
    content = package(p("a & b") + p("c"))
    document = read(content)
    assert texts(document)[-1] == "c"
    assert "damaged XML" in document.warnings[0]


def bomb():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        for _ in range(100):
            part.write(b" " * 1_000_000)
    return buffer.getvalue()


def entities():
    text = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + package_text("&amp;").decode().partition("?>")[2]
    return packed({"word/document.xml": text})


def encrypted_part():
    content = bytearray(package(p("a")))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(signature)
        while at >= 0:
            content[at + flags] |= 1
            at = content.find(signature, at + 4)
    return bytes(content)


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (bomb(), ResourceLimitError),
        (entities(), ExtractionError),
        (encrypted_part(), EncryptedDocumentError),
        (OLE + "EncryptedPackage".encode("utf-16-le"), EncryptedDocumentError),
        (OLE, ExtractionError),
        (b"no package", ExtractionError),
        (packed({"a.txt": "a"}), ExtractionError),
        (packed({"word/document.xml": ""}), ExtractionError),
        (packed({"word/document.xml": "<x/>"}), ExtractionError),
        (packed({"word/document.xml": "<w:p " * 100_000}), ExtractionError),
        (package(p("a"))[:-30], ExtractionError),
        (package("<w:sdt><w:sdtContent>" * 5_000 + "</w:sdtContent></w:sdt>" * 5_000), ExtractionError),
    ],
)
def test_what_cannot_be_read_is_an_extraction_error(content, error):
    start = time.monotonic()
    with pytest.raises(error):
        read(content)
    assert time.monotonic() - start < 10


def test_damaged_packages_give_a_document_or_an_extraction_error():
    whole = written_by_python_docx()
    rng = random.Random(5)
    for number in range(150):
        content = bytearray(whole[: rng.randrange(len(whole))] if number % 3 == 0 else whole)
        for _ in range(rng.randrange(1, 20)):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        try:
            extract_bytes(bytes(content), media_type=MEDIA_TYPE, options=ExtractOptions())
        except ExtractionError as error:
            assert str(error)


def test_packages_are_known_by_their_content():
    assert detect_media_type(package(p("a")), "wrong.pdf") == MEDIA_TYPE
    macros = "application/vnd.ms-word.document.macroenabled.12"
    assert detect_media_type(package(p("a")), "a.docm") == macros
    assert detect_media_type(packed({"a.txt": "a"}), "a.bin") == "application/zip"
    assert detect_media_type(OLE + "EncryptedPackage".encode("utf-16-le"), "a.docx") == MEDIA_TYPE
