"""Bold, italic and the like in frames and exports."""

import json

import pandas as pd
import pytest
from lxml import etree

import corpuskit
from corpuskit.export import read_jsonl, read_parquet, read_tei
from corpuskit.extraction import ExtractOptions

PAGE = (
    "<html lang=en><title>T</title><body><main><p>The <b>flood <i>of</i> 1901</b> took <code>mill[3]</code>, "
    "<a href='http://a.example/x'>the <em>lower</em> one</a>, and H<sub>2</sub>O <del>rose</del>.</p>"
    "<p>Plain *stars* stay.</p></main></body></html>"
)


@pytest.fixture
def formatted(corpus, tmp_path):
    toml = tmp_path / "corpus" / "corpus.toml"
    toml.write_text(toml.read_text("utf-8") + "formatting = true\n", "utf-8")
    corpus.close()
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    (tmp_path / "plain.txt").write_text("A text without any formatting in it.", "utf-8")
    with corpuskit.open(tmp_path / "corpus") as opened:
        opened.add(tmp_path / "page.html", tmp_path / "plain.txt", progress=False)
        yield opened


@pytest.mark.parametrize("arrow", [False, True])
def test_elements_of_a_corpus_have_formatting_on_demand(formatted, arrow):
    assert "formatting" not in formatted.elements()
    frame = formatted.elements(formatting=True, languages=True, frequencies=True, arrow=arrow)
    row = frame[frame.text.str.startswith("The flood", na=False)].iloc[0]
    parts = [(row.text[start:end], kind) for start, end, kind in json.loads(row.formatting)]
    assert parts == [
        ("flood of 1901", "bold"), ("of", "italic"), ("mill[3]", "code"), ("lower", "italic"), ("2", "subscript"),
        ("rose", "deleted"),
    ]  # fmt: skip
    assert frame.formatting.notna().sum() == 1
    assert not arrow or all(isinstance(dtype, pd.ArrowDtype) for dtype in frame.dtypes)


def test_exports_keep_it_and_are_read_again(formatted, tmp_path):
    formatted.export(tmp_path / "out", format=["jsonl", "parquet", "tei", "xml", "html", "markdown"], main=False)
    doc_id = formatted.documents().query("uri.str.endswith('page.html')").doc_id.iloc[0]
    spans = formatted[doc_id].table.marks["formatting"]
    out = tmp_path / "out"
    found = [
        *(read_tei(file) for file in (out / "tei").rglob("page*.tei.xml")),
        *read_jsonl(out / "corpus.jsonl"),
        *read_parquet(out),
    ]
    found = [document for document in found if document.title == "T"]
    assert [document.table.marks["formatting"] for document in found] == [spans] * 3
    elements = pd.read_parquet(out / "elements.parquet")
    assert elements.formatting.dropna().tolist() == list(spans.values())
    schema = etree.RelaxNG(etree.parse(out / "corpus.rng"))
    xml = etree.parse(out / "corpus.xml")
    assert schema.validate(xml), schema.error_log
    assert [node.text for node in xml.iter("{urn:corpuskit:corpus:1}formatting")] == list(spans.values())


def test_pages_are_written_with_it():
    document = corpuskit.extract(
        PAGE.encode(),
        media_type="text/html",
        uri="http://a.example/",
        options=ExtractOptions(main="all", formatting=True),
    )
    markdown = document.to("markdown")
    assert "The **flood** ***of*** **1901** took `mill[3]`, [the *lower* one](<http://a.example/x>), and" in markdown
    assert "H<sub>2</sub>O ~~rose~~." in markdown
    assert "Plain \\*stars\\* stay." in markdown
    html = document.to("html")
    assert "The <b>flood </b><b><i>of</i></b><b> 1901</b> took <code>mill[3]</code>, " in html
    assert ">the <i>lower</i> one</a>, and H<sub>2</sub>O <del>rose</del>." in html
    tei = document.to("tei")
    assert '<hi rend="bold italic">of</hi>' in tei
    assert '<ref target="http://a.example/x">the <hi rend="italic">lower</hi> one</ref>' in tei


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        ("x_{1}^2", "a $x_{1}^2$ b"),
        ("a<b>c", "a $a\\lt b\\gt c$ b"),
        ("[x](javascript:alert(1))", "a $[x]{}(javascript:alert(1))$ b"),
        ("5\\$ `code`", "a $5\\$ 'code'$ b"),
        ("5$ $", "a $5\\$ \\$$ b"),
    ],
)
def test_a_formula_is_tex_between_dollars_in_markdown(tex, shown):
    alt = tex.replace("<", "&lt;")
    page = f'<p>a <math alttext="{alt}"><mi>x</mi></math> b</p>'.encode()
    document = corpuskit.extract(page, media_type="text/html")
    assert document.to("markdown", main=False).splitlines()[-1] == shown


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("see <b>this</b>", "[see **this**](<http://a.example/>)"),
        ("<code>a[0]</code> of it", "[`a[0]` of it](<http://a.example/>)"),
        ("a] <i>b</i>", "[a\\] *b*](<http://a.example/>)"),
        ("<math alttext='x_1'><mi>x</mi></math>", "[$x_1$](<http://a.example/>)"),
        ("<math alttext='x]'><mi>x</mi></math>", "[x\\]](<http://a.example/>)"),
    ],
)
def test_the_text_of_a_link_keeps_its_formatting_in_markdown(label, shown):
    page = f"<p>A <a href='http://a.example/'>{label}</a> b.</p>".encode()
    document = corpuskit.extract(page, media_type="text/html", options=ExtractOptions(main="all", formatting=True))
    assert document.to("markdown").splitlines()[-1] == f"A {shown} b."
