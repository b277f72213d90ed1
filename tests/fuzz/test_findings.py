"""What fuzzing has found, each a test of its own."""

import io
import zipfile

import pytest

from corpuskit.document import from_nlptext
from corpuskit.document.marks import load_marks
from corpuskit.errors import DocumentFormatError
from corpuskit.extraction import extract_bytes
from corpuskit.sources.web.urls import canonical_url
from corpuskit.store.paths import document_path


def test_a_url_with_lone_surrogates_is_canonical():
    assert canonical_url("http://h.example/\udcc4?q=\udcff") == "http://h.example/%EF%BF%BD?q=%EF%BF%BD"


@pytest.mark.parametrize("query", ["%A<", "%\\4", "%zz", "%A\udcb4"])
def test_a_query_with_a_per_cent_sign_that_encodes_nothing_is_canonical(query):
    found = canonical_url("http://h.example/?x=" + query)
    assert found.startswith("http://h.example/?x=%25")
    assert canonical_url(found) == found


@pytest.mark.parametrize("uri", ["http://[::1", "x://[:1]/a", "http://[*]/\udc80", "\udcff/\udcfe"])
def test_any_uri_has_a_path(uri):
    path = document_path(uri)
    assert path.encode()
    assert not path.startswith("/")


@pytest.mark.parametrize("value", [2**31, 10**400, 0, -1])
def test_marks_with_numbers_no_column_holds_are_refused(value):
    import json

    import zstandard

    document = from_nlptext(
        b"## NLPTextDocument Title t\n## NLPTextDocument Uri u\n## NLPTextDocument Timestamp 2020-01-02T03:04:05\nx\n"
    )
    marks = {
        "format": "corpuskit-marks",
        "version": 1,
        "elements": 1,
        "not_main": [],
        "columns": {"page": {"0": value}},
    }
    with pytest.raises(DocumentFormatError):
        load_marks(zstandard.compress(json.dumps(marks).encode()), document.table)


def test_a_word_part_with_bytes_that_are_no_utf8_is_read():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as package:
        package.writestr("word/document.xml", b"<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>"
                         b"<w:body><w:p><w:r><w:t>be\xed\xa0\x80fore&#xD800;&#55296;</w:t></w:r></w:p></w:body></w:document>")  # fmt: skip
        package.writestr(
            "docProps/core.xml", b"<c xmlns='http://purl.org/dc/elements/1.1/'><title>T\xedtle</title></c>"
        )
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert "fore" in extract_bytes(content.getvalue(), media_type=word).to_text()


def test_a_pdf_whose_title_is_no_utf16_is_read():
    import pikepdf

    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.trailer["/Info"] = pdf.make_indirect(
        pikepdf.Dictionary(Title=pikepdf.String(b"\xfe\xff" + "A true report".encode("utf-16-be") + b"\xd8\x00\x00B"))
    )
    out = io.BytesIO()
    pdf.save(out)
    assert extract_bytes(out.getvalue(), media_type="application/pdf").title.startswith("A true report")


@pytest.mark.parametrize("bad", [b"&#xD800;", b"&#0056000;", b"\xed\xa0\x80", b"<\xed\xa0\x80/>"])
def test_a_sitemap_with_surrogates_is_read(bad):
    from corpuskit.sources.web.discovery import parse_listing

    content = (
        b"<urlset><url><loc>http://h.example/a</loc></url>"
        + bad
        + b"<url><loc>http://h.example/b"
        + bad
        + b"</loc></url></urlset>"
    )
    assert parse_listing(content, "http://h.example/").pages[0] == "http://h.example/a"


def test_a_host_that_ends_in_an_ideographic_full_stop_is_canonical():
    assert canonical_url("http://b\u00fccher.example\u3002/") == "http://xn--bcher-kva.example/"


def test_a_tar_file_cut_in_its_gzip_header_is_an_error_of_its_own(tmp_path):
    from corpuskit.sources.archives import read_file
    from corpuskit.sources.files import FoundFile

    (tmp_path / "x.tar.gz").write_bytes(b"\x1f\x8b\x08")
    ((uri, error),) = read_file(FoundFile(tmp_path / "x.tar.gz", "x.tar.gz", "o"), max_bytes=1000)
    assert uri == "x.tar.gz"
    assert "damaged" in str(error)


def test_a_label_file_with_a_deep_line_is_read_around_it(tmp_path):
    import corpuskit

    corpuskit.open(tmp_path / "c").close()
    good = '{"target": "http://a.example/", "kind": "url", "label": "relevant", "by": "me", "when": "2026-01-02T03:04:05+00:00"}\n'
    (tmp_path / "c" / "labels" / "x.jsonl").write_text("[" * 100_000 + "\n" + good)
    corpus = corpuskit.open(tmp_path / "c")
    assert corpus.labels()["label"].tolist() == ["relevant"]
    assert "line 1" in corpus.failures()["message"][0]
    corpus.close()


def test_text_far_outside_of_a_pdf_page_costs_no_memory():
    from corpuskit.extraction.pdf.layout.columns import reading_order

    class Item:
        def __init__(self, x):
            self.x0, self.x1, self.top, self.bottom = x, x + 10, 0, 10

    items = [Item(x) for x in (0, 10, 20, 30, 40, 50, 60, 70, 4e8)]
    assert reading_order(items) == [items]


def test_an_address_with_a_zone_is_refused():
    from corpuskit.errors import RefusedError

    with pytest.raises(RefusedError):
        canonical_url("http://[fe80::1%25eth0\udc8e]/")


@pytest.mark.parametrize("name", ["x.wacz", "x.zip"])
def test_a_zip_of_a_version_to_come_is_an_error_of_its_own(tmp_path, name):
    from corpuskit.errors import SourceError
    from corpuskit.sources.archives import read_file
    from corpuskit.sources.files import FoundFile

    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as package:
        package.writestr("a.txt", "text")
    data = bytearray(content.getvalue())
    entry = data.index(b"PK\x01\x02")
    data[entry + 6] = 200  # "version needed to extract"
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SourceError):
        list(read_file(FoundFile(tmp_path / name, name, "o"), max_bytes=1000))


def test_a_member_without_a_name_is_passed_over(tmp_path):
    from corpuskit.sources.archives import read_file
    from corpuskit.sources.files import FoundFile

    with zipfile.ZipFile(tmp_path / "x.zip", "w") as package:
        package.writestr("b.txt", "nothing")
        package.writestr("a.txt", "text")
    (tmp_path / "x.zip").write_bytes((tmp_path / "x.zip").read_bytes().replace(b"b.txt", b"\0.txt"))
    found = list(read_file(FoundFile(tmp_path / "x.zip", "x.zip", "o"), max_bytes=1000))
    assert [resource.name for resource in found] == ["a.txt"]


def test_a_label_with_a_lone_surrogate_is_a_failure(tmp_path):
    import corpuskit

    corpuskit.open(tmp_path / "c").close()
    (tmp_path / "c" / "labels" / "x.jsonl").write_text(
        '{"target": "\\ud800", "kind": "url", "label": "relevant", "by": "me", "when": "2026-01-02T03:04:05+00:00"}\n'
    )
    corpus = corpuskit.open(tmp_path / "c")
    assert len(corpus.labels()) == 0
    assert len(corpus.failures()) == 1
    corpus.close()


def test_a_table_cell_of_hyphens_costs_no_cubic_time():
    """67 s before: found by a scan of all patterns with regexploit."""
    import subprocess
    import sys

    code = "from corpuskit.extraction.pdf.tables.rows import is_number; print(is_number('-' * 100_000 + 'Q'), is_number('-12.5 %'))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.split() == ["False", "True"]
