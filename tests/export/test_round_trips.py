import json
import tempfile
from pathlib import Path

import pytest
import zstandard
from export_items import marked_documents, write
from hypothesis import given, settings
from hypothesis import strategies as st

from corpuskit.document import DocumentBuilder
from corpuskit.errors import DocumentFormatError
from corpuskit.export import ExportOptions, read_jsonl, read_nlptext_archive, read_parquet, read_tei
from corpuskit.export.formats.json_lines import JsonLinesWriter
from corpuskit.export.formats.nlptext import ArchiveWriter, NlpTextWriter
from corpuskit.export.formats.parquet import ParquetWriter
from corpuskit.export.formats.tei import TeiWriter
from corpuskit.export.xml_check import check_xml
from corpuskit.store.documents import read_document

OPTIONS = ExportOptions()


def through_nlptext(folder, documents):
    write(NlpTextWriter, folder, documents, OPTIONS)
    return [read_document(folder / "nlp.txt", f"a.example/page-{i}") for i in range(1, len(documents) + 1)]


def through_archive(folder, documents):
    write(ArchiveWriter, folder, documents, OPTIONS)
    return list(read_nlptext_archive(folder / "corpus.nlp.txt.zst"))


def through_jsonl(folder, documents):
    write(JsonLinesWriter, folder, documents, OPTIONS)
    return list(read_jsonl(folder / "corpus.jsonl"))


def through_parquet(folder, documents):
    write(ParquetWriter, folder, documents, OPTIONS)
    return list(read_parquet(folder))


def through_tei(folder, documents):
    write(TeiWriter, folder, documents, OPTIONS)
    files = [folder / "tei" / "a.example" / f"page-{i}.tei.xml" for i in range(1, len(documents) + 1)]
    assert [check_xml(file) for file in files] == [[] for _ in files]
    return [read_tei(file) for file in files]


WAYS = (through_nlptext, through_archive, through_jsonl, through_parquet, through_tei)


def told(document):
    """All of a document; columns without values are as good as none."""
    table = document.table
    marks = {name: column for name, column in table.marks.items() if column}
    return (
        document.title, document.uri, document.timestamp, document.metadata, table.type, table.parent_id,
        table.subtree_end, table.nesting_level, table.text, table.main, table.cells, marks,
    )  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@given(documents=st.lists(marked_documents(), max_size=3))
@settings(max_examples=25, deadline=None)
def test_documents_with_marks_survive_writing_and_reading(way, documents):
    with tempfile.TemporaryDirectory() as folder:
        read = way(Path(folder), documents)
    assert [told(document) for document in read] == [told(document) for document in documents]


@given(documents=st.lists(marked_documents(), min_size=1, max_size=2))
@settings(max_examples=15, deadline=None)
def test_documents_survive_the_whole_circle_of_formats(documents):
    current = documents
    for way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            current = way(Path(folder), current)
    assert [told(document) for document in current] == [told(document) for document in documents]


def test_the_archive_is_plain_text_to_other_programs(tmp_path):
    builder = DocumentBuilder("One", "u1")
    builder.add_text_block("first")
    write(ArchiveWriter, tmp_path, [builder.build(), DocumentBuilder("Two", "u2").build()], OPTIONS)
    content = (tmp_path / "corpus.nlp.txt.zst").read_bytes()
    with zstandard.ZstdDecompressor().stream_reader(content, read_across_frames=True) as reader:
        text = reader.read().decode()
    assert text.count("## NLPTextDocument Title") == 2
    assert "\nfirst\n" in text


def test_json_lines_without_elements_are_texts(tmp_path):
    builder = DocumentBuilder("One", "u1")
    builder.add_text_block("first")
    write(JsonLinesWriter, tmp_path, [builder.build()], ExportOptions(elements=False))
    (row,) = map(json.loads, (tmp_path / "corpus.jsonl").read_text("utf-8").splitlines())
    assert "elements" not in row
    assert [document.to_text() for document in read_jsonl(tmp_path / "corpus.jsonl")] == ["first"]


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "{",
        "[" * 100_000,
        '{"elements": [1]}',
        '{"elements": [{"type": "TextBlock"}]}',
        '{"elements": [{"type": "TextBlock", "level": 2, "text": "x"}]}',
        '{"elements": [{"type": "ListItem", "level": 1}]}',
        '{"elements": [{"type": "TableCell", "level": 1}]}',
        '{"elements": [{"type": "Section", "level": 1, "main": 1}]}',
        '{"elements": [{"type": "Table", "level": 1}, {"type": "TableCell", "level": 2, "row": 0, "col": 1}]}',
        '{"elements": [{"type": "TextBlock", "level": 1, "text": "x", "page": "one"}]}',
        '{"elements": [{"type": ["TextBlock"], "level": 1, "text": "x"}]}',
        '{"elements": [], "metadata": {"a=b": "c"}}',
        '{"elements": [], "timestamp": "yesterday"}',
        '{"elements": {}}',
    ],
)
def test_a_line_that_is_no_document_is_refused_with_its_number(tmp_path, line):
    file = tmp_path / "x.jsonl"
    file.write_text('{"text": "good"}\n' + line + "\n")
    with pytest.raises(DocumentFormatError) as caught:
        list(read_jsonl(file))
    assert caught.value.line == 2


@pytest.mark.slow
def test_a_zstd_bomb_is_refused(tmp_path):
    bomb = zstandard.ZstdCompressor(level=19).compress(b"\0" * (600 * 1024 * 1024))
    (tmp_path / "bomb.zst").write_bytes(bomb)
    with pytest.raises(DocumentFormatError, match="more than 512 MiB"):
        list(read_nlptext_archive(tmp_path / "bomb.zst"))


def test_parquet_files_that_do_not_fit_each_other_are_refused(tmp_path):
    builder = DocumentBuilder("One", "u1")
    builder.add_text_block("first")
    write(ParquetWriter, tmp_path, [builder.build()], OPTIONS)
    (tmp_path / "other").mkdir()
    write(ParquetWriter, tmp_path / "other", [], OPTIONS)
    (tmp_path / "other" / "documents.parquet").replace(tmp_path / "documents.parquet")
    with pytest.raises(DocumentFormatError, match="elements of 0000000000000001"):
        list(read_parquet(tmp_path))


def test_a_tei_file_with_entities_is_refused(tmp_path):
    file = tmp_path / "x.xml"
    file.write_text('<!DOCTYPE TEI [<!ENTITY a "b">]><TEI xmlns="http://www.tei-c.org/ns/1.0"><text>&a;</text></TEI>')
    with pytest.raises(DocumentFormatError, match="entities"):
        read_tei(file)


def test_a_tei_file_of_others_is_read_by_its_structure(tmp_path):
    file = tmp_path / "x.xml"
    file.write_text(
        """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>The
        title</title></titleStmt><publicationStmt><publisher>House</publisher></publicationStmt></fileDesc></teiHeader>
        <text><body><div><head>One</head><p>A <hi>b</hi> c</p>
        <list><item>x</item><item><p>y</p></item></list>
        <table><row><cell role="label">h</cell><cell cols="2">i</cell><cell>j</cell></row><row><cell>k</cell></row></table>
        </div></body></text></TEI>"""
    )
    document = read_tei(file)
    assert (document.title, document.metadata) == ("The title", {"publisher": "House"})
    assert list(document.text_strings()) == ["One", "A b c", "x", "y", "h", "i", "j", "k"]
    assert list(document.table.cells.values()) == [(1, 1, 1, 1), (1, 1, 2, 2), (1, 1, 4, 1), (2, 1, 1, 1)]
