"""The picture of a page with its blocks."""

import pytest
from pdf_builder import Page, pdf
from pdf_reading import PROSE, read

import corpuskit
from corpuskit.errors import ExtractionError
from corpuskit.extraction.pdf.picture import COLOURS, page_picture

CONTENT = pdf(Page().text(60, 60, "The flood", size=18, font="bold").lines(60, 100, PROSE))


def test_boxes_are_drawn_in_the_colour_of_their_role():
    picture = page_picture(CONTENT, 1, scale=1.0)
    assert picture.roles == {"section-heading": 1, "paragraph": 1}
    assert picture.image.size == (600, 800)
    colours = {colour for _, colour in picture.image.getcolors(maxcolors=1 << 24)}
    assert COLOURS["section-heading"] in colours
    assert COLOURS["paragraph"] in colours


def test_a_notebook_gets_a_png():
    assert page_picture(CONTENT, 1)._repr_png_().startswith(b"\x89PNG")


def test_a_page_that_is_not_there_is_an_error():
    with pytest.raises(ExtractionError, match="pages 1 to 1"):
        page_picture(CONTENT, 2)


@pytest.mark.whole
def test_a_document_shows_the_page_of_the_file_it_came_from(tmp_path):
    path = tmp_path / "flood.pdf"
    path.write_bytes(CONTENT)
    document = corpuskit.extract(path)
    assert document.page(1).roles == {"section-heading": 1, "paragraph": 1}
    with pytest.raises(ExtractionError, match="pages 1 to 1"):
        document.page(2)


@pytest.mark.whole
def test_a_document_that_does_not_know_its_file_takes_it_or_says_so():
    document = read(CONTENT)
    with pytest.raises(ExtractionError, match=r"page\(1, 'FILE.pdf'\)"):
        document.page(1)
    assert document.page(1, CONTENT).roles == {"section-heading": 1, "paragraph": 1}


@pytest.mark.whole
def test_the_path_of_the_file_is_not_written(tmp_path):
    path = tmp_path / "flood.pdf"
    path.write_bytes(CONTENT)
    document = corpuskit.extract(path, uri="https://floods.example/flood.pdf")
    corpuskit.write_nlptext(document, tmp_path / "flood.nlp.txt")
    assert str(tmp_path) not in (tmp_path / "flood.nlp.txt").read_text("utf-8")
    assert corpuskit.read_nlptext(tmp_path / "flood.nlp.txt").original is None
