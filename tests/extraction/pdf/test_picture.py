"""The picture of a page with its blocks."""

import pytest

from corpuskit.errors import ExtractionError
from corpuskit.extraction.pdf.picture import COLOURS, page_picture

from .reading import PROSE
from .writer import Page, pdf

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
