"""Title, author, dates, language, licence: what a page says of itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from corpuskit.document import NLPTextDocument
from corpuskit.extraction import ExtractOptions, extract_bytes


def extract(head: str, body: str = "<p>a</p>", uri: str = "https://site.example/x") -> NLPTextDocument:
    page = f"<html><head>{head}</head><body>{body}</body></html>".encode()
    return extract_bytes(page, media_type="text/html", uri=uri, options=ExtractOptions(classify=False))


def test_meta_elements_fill_the_metadata() -> None:
    document = extract(
        '<title> A &amp;\n B </title><meta name=author content="Ann Marlow"><meta name=description content="On bees">'
        '<meta property="og:site_name" content="Hilltop"><link rel=canonical href="/y">'
        '<link rel=license href="https://creativecommons.org/licenses/by/4.0/">'
    )
    assert document.title == "A & B"
    assert document.metadata == {
        "author": "Ann Marlow",
        "canonical": "https://site.example/y",
        "description": "On bees",
        "license": "https://creativecommons.org/licenses/by/4.0/",
        "site_name": "Hilltop",
    }


def test_json_ld_fills_what_meta_elements_leave_out() -> None:
    document = extract(
        '<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [{"@type": "WebSite"},'
        '{"@type": "NewsArticle", "headline": "Bees", "author": [{"name": "Ann"}, {"name": "Tom"}],'
        '"datePublished": "2024-05-06T10:00:00+02:00", "inLanguage": "en-GB", "publisher": {"name": "Hilltop"}}]}'
        "</script>"
    )
    assert document.title == "Bees"
    assert document.timestamp == datetime(2024, 5, 6, 8, tzinfo=UTC)
    assert document.metadata == {
        "author": "Ann; Tom",
        "language": "en-GB",
        "published": "2024-05-06T10:00:00+02:00",
        "site_name": "Hilltop",
        "timestamp_source": "published",
    }


@pytest.mark.parametrize(
    ("head", "body", "uri", "source", "day"),
    [
        ('<meta property="article:modified_time" content="2024-03-02">', "", "", "modified", (2024, 3, 2)),
        ('<meta property="article:published_time" content="2024-03-01">', "", "", "published", (2024, 3, 1)),
        ('<meta name=date content="Fri, 01 Mar 2024 00:00:00 GMT">', "", "", "published", (2024, 3, 1)),
        ("", "<time datetime=2024-03-01>1 March</time>", "", "published", (2024, 3, 1)),
        ("", "", "https://site.example/2024/03/01/bees", "published", (2024, 3, 1)),
    ],
)
def test_the_date_is_the_modified_one_before_the_published_one(
    head: str, body: str, uri: str, source: str, day: tuple[int, int, int]
) -> None:
    document = extract(head, body, uri or "https://site.example/x")
    assert document.timestamp == datetime(*day, tzinfo=UTC)
    assert document.metadata["timestamp_source"] == source


def test_a_date_is_the_day_in_the_zone_of_the_page() -> None:
    document = extract('<meta property="article:published_time" content="2023-11-08T23:30:00-05:00">')
    assert document.metadata["published"] == "2023-11-08T23:30:00-05:00"
    assert document.timestamp == datetime(2023, 11, 9, 4, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("body", "published", "modified"),
    [
        ("<h1>A</h1><div>By Ann Marlow, 12 May 2020</div><p>In 2021 more.</p>", "2020-05-12", None),
        ("<h1>A</h1><p>a</p>" + "<p>b</p>" * 9 + '<div class="entry-date">20. März 2021</div>', "2021-03-20", None),
        ("<h1>A</h1><p>Last updated: Sep 4, 2025</p><p>Published Sep 1, 2025</p>", "2025-09-01", "2025-09-04"),
        ("<h1>A</h1><p>Last updated: Sep 4, 2025</p>", None, "2025-09-04"),
        ("<h1>A</h1><p>a</p><footer>© 2020 Hilltop</footer>", None, None),
        ("<h1>A</h1><p>http://127.0.0.1:9/2020/05/12</p>", None, None),
    ],
)
def test_a_date_that_only_the_text_shows(body: str, published: str | None, modified: str | None) -> None:
    metadata = extract("", body).metadata
    assert (metadata.get("published", "")[:10] or None, metadata.get("modified", "")[:10] or None) == (
        published,
        modified,
    )


def test_a_page_without_date_has_none() -> None:
    assert extract("").timestamp is None


@pytest.mark.parametrize("value", ["yesterday", "0000-00-00", "99999999999", "2024-13-45", "12 May"])
def test_what_is_no_date_is_passed_over(value: str) -> None:
    assert extract(f'<meta name=date content="{value}">').timestamp is None


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ('<meta property="og:locale" content="de_AT">', "de-AT"),
        ('<meta http-equiv="content-language" content="fr">', "fr"),
        ("", None),
    ],
)
def test_language_is_what_the_page_says(head: str, language: str | None) -> None:
    assert extract(head).metadata.get("language") == language


def test_an_empty_shell_is_filled_from_json_ld_and_flagged() -> None:
    sentence = "A flat roof is a better place for bees than most people think."
    article = f"{sentence} " * 4 + "\\n" + f"{sentence} " * 4
    document = extract(
        '<script type="application/ld+json">{"@type": "Article", "articleBody": "' + article + '"}</script>'
        "<script src=1></script><script src=2></script>",
        "<div id=root></div>",
    )
    assert document.metadata["needs_javascript"] == "true"
    assert [element.text for element in document] == [" ".join([sentence] * 4)] * 2
    assert not document.table.marks["locator"]


def test_broken_json_ld_is_passed_over() -> None:
    assert extract('<title>T</title><script type="application/ld+json">{"@type": </script>').title == "T"


@pytest.mark.parametrize("body", ["<div id=root></div>", "", "<nav><a href=/>Home</a></nav><p>Please wait.</p>"])
def test_an_article_that_only_json_ld_holds_is_the_text_without_any_script(body: str) -> None:
    article = "A flat roof is a better place for bees than most people think. The rent is one jar of honey a year."
    document = extract(
        '<script type="application/ld+json">{"@type": "NewsArticle", "articleBody": "' + article + '"}</script>', body
    )
    assert article in document.to_text(main=True)
    assert "needs_javascript" not in document.metadata


def test_an_article_that_the_page_shows_is_not_given_twice() -> None:
    article = "A flat roof is a better place for bees than most people think. The rent is one jar of honey a year."
    document = extract(
        '<script type="application/ld+json">{"@type": "NewsArticle", "articleBody": "' + article + '"}</script>',
        f"<p>{article.replace('. ', '.</p><p>')}</p>",
    )
    assert document.to_text().count("flat roof") == 1
