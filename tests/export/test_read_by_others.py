"""Each export is read by the program it is for."""

import json
import re
import warnings
from collections import Counter

import conllu
import duckdb
import fasttext
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import sentencepiece
from export_items import item_of
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html
from markdown_it import MarkdownIt

from corpuskit import read_nlptext
from corpuskit.document import DocumentBuilder
from corpuskit.document.elements import TYPE_NAMES
from corpuskit.export.formats.markdown import to_markdown
from corpuskit.export.xml_check import check_xml


@pytest.fixture(scope="module")
def texts(small):
    return {doc_id: small[doc_id].to_text(main=True) for doc_id in small.documents().doc_id}


def test_datasets_loads_it_from_disk(whole, texts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that datasets imports
        import datasets

        found = datasets.load_from_disk(str(whole / "datasets"))
    assert dict(zip(found["doc_id"], found["text"], strict=True)) == texts
    assert found.features["words"].dtype == "int64"
    assert found.filter(lambda row: row["label"] == "relevant").num_rows == 1


def test_fasttext_trains_on_its_lines(whole, tmp_path):
    # Without word n-grams the wheel for NumPy 2 gives NaN for so few words.
    file = tmp_path / "many.txt"
    file.write_bytes((whole / "fasttext.txt").read_bytes() * 100)
    model = fasttext.train_supervised(str(file), epoch=1, wordNgrams=2, minCount=1, verbose=0)
    assert set(model.labels) == {"__label__relevant", "__label__other"}
    words = {word for line in (whole / "fasttext.txt").read_text("utf-8").splitlines() for word in line.split()[1:]}
    assert words <= set(model.words)


def test_duckdb_and_pyarrow_join_documents_and_elements(whole, small):
    rows = duckdb.sql(
        f"SELECT d.uri, count(*) AS n FROM '{whole}/documents.parquet' d JOIN '{whole}/elements.parquet' e "
        "USING (doc_id) GROUP BY 1 ORDER BY 1"
    ).fetchall()
    assert rows == [(row.uri, row.elements) for row in small.documents().itertuples()]
    assert pa.parquet.read_table(whole / "elements.parquet").num_rows == sum(n for _, n in rows)
    lines = duckdb.sql(f"SELECT doc_id, len(elements) FROM '{whole}/corpus.jsonl'").fetchall()
    assert sorted(n for _, n in lines) == sorted(n for _, n in rows)


@pytest.mark.parametrize(("name", "parted"), [("documents.csv", ","), ("documents.tsv", "\t")])
def test_pandas_reads_the_tables(whole, texts, name, parted):
    frame = pd.read_csv(whole / name, sep=parted, dtype={"doc_id": str})
    assert frame.doc_id.tolist() == list(texts)
    assert [text.removeprefix("'") for text in frame.text] == list(texts.values())
    assert not frame.map(lambda cell: isinstance(cell, str) and cell.lstrip().startswith(("=", "+", "@"))).any(
        axis=None
    )


def test_pandas_reads_json_lines(whole, texts):
    frame = pd.read_json(whole / "corpus.jsonl", lines=True, dtype={"doc_id": str})
    assert dict(zip(frame.doc_id, frame.text, strict=True)) == texts
    assert frame.license.dropna().tolist() == ["https://creativecommons.org/licenses/by/4.0/"]


@pytest.mark.feature("linguistics")
def test_conllu_reads_sentences_whose_tokens_give_their_text(whole, texts):
    found = conllu.parse((whole / "corpus.conllu").read_text("utf-8"))
    assert {sentence.metadata["newdoc id"] for sentence in found if "newdoc id" in sentence.metadata} == set(texts)
    for sentence in found:
        assert [token["id"] for token in sentence] == list(range(1, len(sentence) + 1))
        spelled = "".join(
            token["form"] + ("" if token["misc"] == {"SpaceAfter": "No"} else " ") for token in sentence
        ).rstrip()
        assert spelled == sentence.metadata["text"]
    said = " ".join(sentence.metadata["text"] for sentence in found)
    assert said.split() == " ".join(texts.values()).split()


@pytest.mark.feature("linguistics")
def test_vertical_text_is_well_formed_and_has_each_token_on_a_line(whole, texts):
    content = (whole / "corpus.vert").read_text("utf-8")
    root = etree.fromstring(f"<corpus>{content}</corpus>")
    assert root.xpath("doc/@doc_id") == list(texts)
    assert all(" " not in line for line in content.splitlines() if not line.startswith("<doc"))
    tokens = [line for part in root.itertext() for line in part.split("\n") if line]
    assert tokens[:4] == ["Flood", "cover", "The", "insurer"]
    assert Counter("".join(tokens)) == Counter(re.sub(r"\s", "", "".join(texts.values())))


def test_tei_and_xml_are_valid_by_their_schemas(whole):
    files = [*(whole / "tei").rglob("*.xml"), whole / "corpus.xml"]
    assert len(files) == 4
    assert [check_xml(file) for file in files] == [[]] * 4
    assert check_xml(whole / "corpus.xml", whole / "corpus.rng") == []
    tei = etree.parse(next(file for file in files if file.name.startswith("a.html")))
    names = {"t": "http://www.tei-c.org/ns/1.0"}
    assert tei.xpath("//t:ref/@target", namespaces=names)[0] == "https://b.example/"
    assert tei.xpath("//t:licence/text()", namespaces=names) == ["CC-BY-4.0"]


def with_title_once(document):
    """The title, then the text; without the first heading where that is the title."""
    table = document.table
    texts = [text for text in table.text if text]
    headings = [
        text for text, kind in zip(table.text, table.type, strict=True) if text and TYPE_NAMES[kind] == "Section"
    ]
    if headings and " ".join(headings[0].split()) == " ".join(document.title.split()):
        texts.remove(headings[0])
    return document.title + "".join(texts)


def test_a_markdown_parser_finds_the_text_and_no_html(whole, small):
    parser = MarkdownIt("commonmark").enable("table")
    for file in (whole / "md").rglob("*.md"):
        body = file.read_text("utf-8").split("---\n", 2)[2]
        parsed = parser.parse(body)
        inline = [child for token in parsed for child in token.children or []]
        assert not any(token.type.startswith("html") for token in [*parsed, *inline])
        shown = "".join(child.content if child.type == "text" else " " for child in inline)
        name = file.relative_to(whole / "md").as_posix().removesuffix(".md")
        document = read_nlptext(whole / "nlp.txt" / f"{name}.nlp.txt")
        assert "".join(shown.split()) == "".join(with_title_once(document).split())


def test_html_pages_show_the_text_and_can_run_nothing(whole):
    pages = list((whole / "html").rglob("*.html"))
    assert len(pages) == 3
    for file in pages:
        root = html.parse(file).getroot()
        assert not root.xpath("//script|//*[@onclick or @onload]|//img|//iframe|//link")
        assert all(href.startswith(("http://", "https://", "mailto:")) for href in root.xpath("//@href"))
        assert "default-src 'none'" in root.xpath("//meta[@http-equiv]/@content")[0]
    shown = [" ".join(html.parse(file).getroot().text_content().split()) for file in pages]
    assert any("a formula <script> looks *like*." in text for text in shown)


@pytest.mark.feature("compat")
def test_pandas_reads_the_frames_of_frenchtext(whole, small):
    folder = whole / "frenchtext"
    index = pd.read_csv(folder / "datasets.csv", sep=";")
    assert list(index) == ["Dataset", "DatasetFile", "Website", "Url", "Scope", "UrlsFile", "Pages", "Words"]
    frame = pd.read_feather(folder / index.DatasetFile[0])
    urls = pd.read_feather(folder / index.UrlsFile[0])
    assert frame.Website.unique().tolist() == [index.Website[0]]
    assert (frame.DocId.dtype, frame.NestingLevel.dtype, frame.DocEltCmd.dtype) == ("uint32", "uint8", "category")
    assert sorted(urls.DocUrl) == sorted(small.documents().uri)
    assert not frame.Text.duplicated().any()
    wanted = set()
    for doc_id in small.documents().doc_id:
        events = small[doc_id].events()
        content = events[events.DocEltCmd.isin(["Title", "Text"])]
        wanted |= set(zip(content.DocEltType, content.DocEltCmd, content.NestingLevel, content.Text, strict=True))
    told = set(zip(frame.DocEltType, frame.DocEltCmd, frame.NestingLevel, frame.Text, strict=True))
    assert told <= wanted
    assert {text for *_, text in told} == {text for *_, text in wanted}
    assert not frame.DocId.is_monotonic_increasing
    assert int(index.Words[0]) == int(frame.Words.sum())
    languages = [name for name in urls if name.startswith("%")]
    np.testing.assert_allclose(urls[languages].sum(axis=1), 1)


@pytest.mark.slow
def test_mlcroissant_takes_the_description_and_reads_the_records(whole, small, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that mlcroissant imports
        import mlcroissant

        dataset = mlcroissant.Dataset(jsonld=str(whole / "croissant.json"))
        assert not dataset.metadata.ctx.issues.errors
        rows = list(dataset.records("documents"))
    assert [row["documents/doc_id"].decode() for row in rows] == small.documents().doc_id.tolist()
    card = json.loads((whole / "croissant.json").read_text("utf-8"))
    sums = json.loads((whole / "manifest.json").read_text("utf-8"))["files"]
    described = {entry["name"]: entry.get("sha256") for entry in card["distribution"]}
    assert described["corpus.jsonl"] == sums["corpus.jsonl"]["sha256"]


def test_sentences_stand_a_line_each(whole):
    lines = (whole / "sentences.txt").read_text("utf-8").split("\n")
    assert "The insurer pays for floods." in lines
    assert "It pays soon." in lines


def test_feather_files_are_arrow_files(whole):
    for file in (whole / "frenchtext").glob("*.feather"):
        assert pa.feather.read_table(file).num_rows > 0


@given(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs", "Cc"]), max_size=30)
       | st.text(alphabet="\\`*_{}[]<>()#+-.!|&~=:;@1\n $'\"", max_size=14))  # fmt: skip
def test_markdown_shows_any_text_as_it_is(text):
    builder = DocumentBuilder("t", "u")
    builder.add_text_block(text)
    builder.start_section(text)
    builder.start_list()
    builder.start_list_item()
    builder.add_text_block(text)
    builder.end_list_item()
    builder.end_list()
    builder.end_section()
    document = builder.build().normalize()
    body = to_markdown(item_of(document)).split("---\n", 2)[2]
    parsed = MarkdownIt("commonmark").enable("table").parse(body)
    inline = [child for token in parsed for child in token.children or []]
    assert not any(token.type.startswith(("html", "code", "fence", "link", "image")) for token in [*parsed, *inline])
    shown = "".join(child.content if child.type in {"text", "text_special"} else " " for child in inline)
    assert "".join(shown.split()) == "".join(with_title_once(document).split())


def test_sentencepiece_learns_a_subword_model_from_sentences(whole, small, tmp_path):
    sentencepiece.SentencePieceTrainer.train(
        input=str(whole / "sentences.txt"), model_prefix=str(tmp_path / "small"), vocab_size=90, hard_vocab_limit=False,
        num_threads=1, minloglevel=2,
    )  # fmt: skip
    model = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "small.model"))
    assert (tmp_path / "small.vocab").read_text("utf-8").splitlines()[0] == "<unk>\t0"
    small.export(tmp_path / "chunks", format="chunks", count_tokens=lambda text: len(model.encode(text)))
    chunks = [json.loads(line) for line in (tmp_path / "chunks" / "chunks.jsonl").read_text("utf-8").splitlines()]
    assert chunks
    assert all(chunk["tokens"] >= len(model.encode(chunk["text"])) for chunk in chunks)
