"""What software puts beside a text and no reader counts as part of it; and pages whose text a script brings."""

from __future__ import annotations

import pytest
from html_outlines import texts

from corpuskit.document import NLPTextDocument
from corpuskit.extraction import ExtractOptions, extract_bytes


def extract(body: str) -> NLPTextDocument:
    content = f"<!DOCTYPE html><html lang=en><body>{body}</body></html>".encode()
    return extract_bytes(
        content, media_type="text/html", uri="https://site.example/a", options=ExtractOptions(classify=False)
    )


@pytest.mark.parametrize("name", ["mw-editsection", "editsection"])
def test_the_edit_link_of_a_wiki_is_no_part_of_a_title(name: str) -> None:
    assert texts(f'<h2>History <span class="{name}">[<a href="/w?action=edit">edit</a>]</span></h2>') == ["History"]


@pytest.mark.parametrize("sign", ["^", "↑", "↩", "↩\ufe0e", "↩\ufe0f"])
def test_a_link_from_a_note_back_to_its_mark_is_no_part_of_the_note(sign: str) -> None:
    note = f'<ol><li id=n1><a href="#m1">{sign}</a> Jones 2000.</li><li>Smith 1999. <a href="#m2">{sign}</a></li></ol>'
    assert texts(note) == ["Jones 2000.", "Smith 1999."]


def test_a_sign_that_leads_elsewhere_is_text() -> None:
    assert texts('<p>up <a href="/top">↑</a></p>') == ["up ↑"]


@pytest.mark.parametrize("caption", ["A cat", "A cat.", "A cat (picture: Ann Marlow)", "A cat – asleep"])
def test_an_alternative_text_that_its_caption_begins_with_is_left_out(caption: str) -> None:
    assert texts(f'<figure><img src=a alt="A cat"><figcaption>{caption}</figcaption></figure>') == [caption]


def test_an_alternative_text_behind_its_caption_is_left_out() -> None:
    assert texts('<figure><figcaption>A cat</figcaption><img src=a alt="A cat"></figure>') == ["A cat"]


@pytest.mark.parametrize("caption", ["A category", "A cat sat on the mat", "The cat"])
def test_an_alternative_text_that_says_something_else_stays(caption: str) -> None:
    assert texts(f'<figure><img src=a alt="A cat"><figcaption>{caption}</figcaption></figure>') == ["A cat", caption]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('[vc_row full_width="x"][vc_column_text]A text.[/vc_column_text][/vc_row]', ["A text."]),
        ("[et_pb_section][/et_pb_section]", []),
        ('[caption id="attachment_6" width="300"]A cat[/caption]', ["A cat"]),
        ('Before [gallery ids="1,2"]<a href=/b>b</a> after', ["Before b after"]),
        ("[sic] [1] [edit] [a b] [video] [vc]", ["[sic] [1] [edit] [a b] [video] [vc]"]),
    ],
)
def test_shortcodes_that_nothing_replaced_are_left_out(written: str, shown: list[str]) -> None:
    assert texts(f"<p>{written}</p>") == shown


def test_shortcodes_in_code_stay() -> None:
    assert texts('<p>Write <code>[vc_row]</code>:</p><pre>[gallery ids="1"]</pre>') == [
        "Write [vc_row]:",
        '[gallery ids="1"]',
    ]


@pytest.mark.parametrize(
    "body",
    [
        "<div id=root></div>",
        "<div class=x id=__next></div>",
        "<app-root>Loading ...</app-root><p>Imprint</p>",
        "<noscript>Please enable JavaScript.</noscript>",
    ],
)
def test_a_page_that_waits_for_scripts_is_flagged_without_them(body: str) -> None:
    assert extract(body).metadata["needs_javascript"] == "true"


@pytest.mark.parametrize(
    "body",
    [
        "<div id=root><p>The office is closed on Monday; please call the number on the door of the house.</p></div>",
        "<p>Closed.</p>",
        "<p>Closed.</p><noscript>Please enable JavaScript.</noscript>",
    ],
)
def test_a_short_page_is_not_flagged(body: str) -> None:
    assert "needs_javascript" not in extract(body).metadata
