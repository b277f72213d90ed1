"""What a document in one format says of itself is what the page says, and what was asked for is shown."""

import json

import pytest

import corpuskit
from corpuskit.errors import ConfigurationError
from corpuskit.extraction import ExtractOptions

PARAGRAPHS = "".join(
    f"<p>The storm of last night took the slates of house {i}, and the wind did not rest.</p>" for i in range(6)
)
PAGE = (
    '<html lang=en><head><title>Storm</title><meta name=author content="Ann Lee"><meta property="og:site_name" content="The News">'
    '<meta name=keywords content="storm, roofs">{date}</head><body><article><h1>Storm</h1>'
    f'<p>It came <b>at <i>night</i></b>.</p><img src="/roof.jpg" alt="A roof without slates">{PARAGRAPHS}</article></body></html>'
)
SAID = '<meta property="article:published_time" content="2019-04-11T10:00:00Z">'


def extracted(tmp_path, date=SAID, **options):
    (tmp_path / "storm.html").write_text(PAGE.replace("{date}", date), "utf-8")
    return corpuskit.extract(tmp_path / "storm.html", options=ExtractOptions(**options))


def test_the_date_is_the_one_the_page_says_not_that_of_its_file(tmp_path):
    assert json.loads(extracted(tmp_path).to("json"))["date"] == "2019-04-11"
    document = extracted(tmp_path, date="")
    assert document.timestamp is not None
    assert json.loads(document.to("json"))["date"] is None
    assert "when=" not in document.to("tei").partition("<text")[0]


def test_metadata_is_in_markdown_and_in_what_trafilatura_chose(tmp_path):
    head = extracted(tmp_path).to("markdown", metadata=True).split("---")[1]
    for line in ('author: "Ann Lee"', 'site_name: "The News"', 'tags: "storm, roofs"'):
        assert line in head
    document = extracted(tmp_path, main="trafilatura")
    assert 'author="Ann Lee"' in document.to("xml", metadata=True)
    assert "Ann Lee" not in document.to("txt")
    assert "Ann Lee" in document.to("txt", metadata=True)


def test_formatting_is_in_xml_as_trafilatura_writes_it(tmp_path):
    assert '<p>It came <hi rend="#b">at </hi><hi rend="#i"><hi rend="#b">night</hi></hi>.</p>' in extracted(
        tmp_path, formatting=True
    ).to("xml")
    assert "<hi" not in extracted(tmp_path).to("xml")


def test_images_that_are_asked_for_are_shown(tmp_path):
    document = extracted(tmp_path, date='<link rel=canonical href="https://news.example/storm">', image_addresses=True)
    assert "![A roof without slates](<https://news.example/roof.jpg>)" in document.to("markdown")
    assert "roof.jpg" in extracted(tmp_path, main="trafilatura", image_addresses=True).to("markdown")


def test_the_program_that_made_a_pdf_is_not_its_author(corpus, tmp_path):
    import pikepdf

    with pikepdf.new() as made:
        made.add_blank_page()
        made.docinfo["/Creator"] = "TeX"
        made.save(tmp_path / "a.pdf")
    corpus.add(tmp_path / "a.pdf", progress=False)
    assert len(corpus) == 1
    assert corpus.documents().author.isna().all()


def test_a_language_that_is_no_code_is_refused():
    with pytest.raises(ConfigurationError, match="target_language = 'french': expected an ISO 639-1 code"):
        ExtractOptions(target_language="french")
