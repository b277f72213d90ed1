"""Document information, flags, title and date."""

from datetime import UTC, datetime

import pytest
from pdf_builder import Page, pdf
from pdf_reading import PROSE, read


def test_document_information_is_metadata():
    info = {
        "Title": "On floods",
        "Author": "A. Miller",
        "Subject": "Water",
        "Keywords": "flood, mill",
        "Producer": "Press 1",
    }
    document = read(pdf(Page().lines(60, 100, PROSE), info=info, language="en-GB"))
    assert document.title == "On floods"
    wanted = {"author": "A. Miller", "description": "Water", "keywords": "flood, mill", "producer": "Press 1"}
    assert wanted.items() <= document.metadata.items()
    assert document.metadata["language"] == "en-GB"
    assert document.metadata["pages"] == "1"
    assert (document.metadata["page_width"], document.metadata["page_height"]) == ("600", "800")


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("D:20240513080000Z", "2024-05-13T08:00:00+00:00"),
        ("D:20240513080000+02'00'", "2024-05-13T08:00:00+02:00"),
        ("D:20240513", "2024-05-13T00:00:00+00:00"),
        ("20240513080000", "2024-05-13T08:00:00+00:00"),
        ("D:20241399", None),
        ("yesterday", None),
    ],
)
def test_dates_are_read_as_the_standard_writes_them(stated, expected):
    # ISO 32000-1, 7.9.4
    document = read(pdf(Page().text(60, 100, "Text."), info={"ModDate": stated}))
    assert document.metadata.get("modified") == expected
    assert document.timestamp == (datetime.fromisoformat(expected).astimezone(UTC) if expected else None)


@pytest.mark.parametrize(
    "junk", ["untitled", "Microsoft Word - letter.doc", "paper.dvi", "", "PowerPoint Presentation"]
)
def test_a_junk_title_gives_way_to_that_on_the_page(junk):
    page = (
        Page()
        .text(60, 40, "Journal of Water", size=11)
        .text(60, 90, "On floods and mills", size=18)
        .lines(60, 130, PROSE)
    )
    assert read(pdf(page, info={"Title": junk})).title == "On floods and mills"


def test_pages_without_text_are_told():
    document = read(pdf(Page().lines(60, 100, PROSE), Page(), Page().text(60, 100, "End.")))
    assert document.metadata["pages_without_text"] == "2"
    assert "status" not in document.metadata


def test_a_file_without_any_text_says_so():
    document = read(pdf(Page(), Page()))
    assert document.metadata["status"] == "no_text"
    assert document.to_text() == ""


def test_pages_are_marked_from_one():
    document = read(
        pdf(*(Page().text(60, 300, f"Sentence {word} stands alone here.") for word in ("one", "two", "three")))
    )
    assert sorted(set(document.table.marks["page"].values())) == [1, 2, 3]


@pytest.mark.parametrize(
    "junk",
    ["doi:10.1016/j.actamat.2011.12.024", "10.1021/ja00051a040", "https://doi.org/10.1021/nn5b00028", "PII: S0022-0000(99)1",
     "paper_final.docx", "1301.4293.pdf", "pp. 123-130", "123..130", "ja991028 1..12", "arXiv:1609.03499v2"],
)  # fmt: skip
def test_a_title_that_is_an_identifier_a_file_or_pages_gives_way_to_that_of_the_page(junk):
    page = Page().text(60, 60, "On the floods of rivers", size=18, font="bold").lines(60, 100, PROSE)
    assert read(pdf(page, info={"Title": junk})).title == "On the floods of rivers"


@pytest.mark.parametrize("title", ["Pages 12 of a life", "The doi system explained", "Report 2019", "On 10.5 per cent"])
def test_a_title_that_only_looks_like_one_stays(title):
    page = Page().text(60, 60, "On the floods of rivers", size=18, font="bold").lines(60, 100, PROSE)
    assert read(pdf(page, info={"Title": title})).title == title
