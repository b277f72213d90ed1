"""Rules of the walk beyond the hand-made pages of tests/gate; each expected tree was written by hand."""

from __future__ import annotations

import json

import pytest
from html_outlines import extract, outline, texts
from lxml import etree
from lxml import html as lxml_html

from corpuskit.extraction import ExtractOptions, extract_bytes
from corpuskit.extraction.html import extract_tree

TREE_ONLY = ExtractOptions(classify=False)


def test_a_section_reaches_beyond_the_wrappers_around_its_heading() -> None:
    assert (
        outline("<div><div><h2>A</h2><p>by B</p></div></div><div><p>a</p></div>")
        == "Section A, .TextBlock by B, .TextBlock a"
    )


@pytest.mark.parametrize("tag", ["article", "main", "section", "aside", "blockquote", "figure", "details", "footer"])
def test_a_section_ends_with_the_part_of_the_page_it_is_in(tag: str) -> None:
    assert outline(f"<{tag}><div><h2>A</h2></div><p>a</p></{tag}><p>b</p>") == "Section A, .TextBlock a, TextBlock b"


def test_the_title_of_a_page_reaches_beyond_a_section_of_its_own() -> None:
    assert (
        outline("<section><h1>A</h1><p>by B</p></section><section><h2>C</h2><p>c</p></section><p>d</p>")
        == "Section A, .TextBlock by B, .Section C, ..TextBlock c, .TextBlock d"
    )


@pytest.mark.parametrize("tag", ["aside", "footer", "blockquote", "figure", "details", "dialog", "fieldset"])
def test_a_heading_in_a_part_that_stands_apart_ends_no_section_outside(tag: str) -> None:
    assert (
        outline(f"<h2>A</h2><p>a</p><{tag}><h1>B</h1><p>b</p><h1>C</h1></{tag}><p>d</p>")
        == "Section A, .TextBlock a, .Section B, ..TextBlock b, .Section C, .TextBlock d"
    )


def test_a_list_made_for_items_without_one_ends_with_the_wrapper_though_a_section_goes_on() -> None:
    assert (
        outline("<div><h2>A</h2><li>a</li></div><li>b</li>")
        == "Section A, .List, ..ListItem, ...TextBlock a, .List, ..ListItem, ...TextBlock b"
    )


def test_a_heading_alone_in_its_wrapper_opens_a_section_that_goes_on() -> None:
    assert outline("<header><div><h1>A</h1></div></header><p>a</p>") == "Section A, .TextBlock a"


def test_a_higher_heading_in_a_wrapper_closes_a_section_opened_outside() -> None:
    assert (
        outline("<h2>A</h2><p>a</p><div><h1>B</h1><p>b</p></div><p>c</p>")
        == "Section A, .TextBlock a, Section B, .TextBlock b, .TextBlock c"
    )


def test_a_heading_in_an_item_does_not_close_the_section_around_the_list() -> None:
    assert (
        outline("<h3>A</h3><ul><li><h2>B</h2><p>b</p></li></ul><p>c</p>")
        == "Section A, .List, ..ListItem, ...Section B, ....TextBlock b, .TextBlock c"
    )


def test_a_list_inside_a_heading_ends_the_title() -> None:
    assert (
        outline("<h2>A<ul><li>x</li></ul></h2><p>b</p>") == "Section A, .List, ..ListItem, ...TextBlock x, .TextBlock b"
    )


def test_items_without_a_list_are_wrapped_and_counted() -> None:
    document = extract("<div><li>a</li><li>b</li></div><p>c</p>", classify=False)
    assert [element.type for element in document] == ["List", *["ListItem", "TextBlock"] * 2, "TextBlock"]
    assert any("ListItem outside a List" in warning for warning in document.warnings)


def test_text_directly_in_a_table_becomes_a_cell() -> None:
    root = etree.fromstring("<html><body><table>x<tr><td>y</td></tr></table></body></html>")
    document = extract_tree(root, uri=None, options=TREE_ONLY)
    assert [element.type for element in document] == ["Table", *["TableCell", "TextBlock"] * 2]


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("<ul><li><a href=1>A</a></li></ul>", "List"),
        ("<ul><li><a href=1>A</a></li><li><a href=2>B</a></li></ul>", "NavigationList"),
        ("<ul><li><a href=1>A</a> and much more</li><li><a href=2>B</a></li></ul>", "List"),
        ("<nav><ul><li>plain</li></ul></nav>", "NavigationList"),
        ("<div role=navigation><ol><li>plain</li></ol></div>", "NavigationList"),
    ],
)
def test_a_navigation_list_leads_elsewhere(markup: str, kind: str) -> None:
    assert extract(markup, classify=False)[0].type == kind


def test_links_are_absolute_and_their_offsets_cut_the_text() -> None:
    document = extract('<p>See  <a href="../c.html"> the <b>map</b> </a>, or <a href="//x.example/">x</a>.<br>End</p>')
    text = document.table.text[0]
    assert text == "See the map , or x.\nEnd"
    links = json.loads(document.table.marks["links"][0])
    assert [(text[a:b], url) for a, b, url in links] == [
        ("the map", "https://site.example/c.html"),
        ("x", "https://x.example/"),
    ]


def test_the_base_element_is_the_base_of_links() -> None:
    page = b'<html><head><base href="/deep/"></head><body><p><a href="c">c</a></p></body></html>'
    document = extract_bytes(page, media_type="text/html", uri="https://site.example/a", options=TREE_ONLY)
    assert json.loads(document.table.marks["links"][0]) == [[0, 1, "https://site.example/deep/c"]]


def test_locators_find_the_elements_in_the_page() -> None:
    page = b"<html><body><div><p>a</p><div>b<p>c</p></div></div><table><tr><td>d</td></tr></table></body></html>"
    document = extract_bytes(page, media_type="text/html", options=TREE_ONLY)
    root = lxml_html.fromstring(page)
    for row, text in enumerate(document.table.text):
        (found,) = root.xpath(document.table.marks["locator"][row])
        assert (text or "") in found.text_content()


def test_images_without_words_between_do_not_run_into_text() -> None:
    assert texts("<p>one<img alt=two><img alt=three>four</p>") == ["one two three four"]


def test_images_can_be_left_out() -> None:
    assert extract("<p>a<img alt=b></p>", images=False, classify=False).to_text() == "a"


def test_blocks_in_pre_are_line_feeds() -> None:
    assert texts("<pre><div>a</div><div>  b</div></pre>") == ["a\n  b"]


@pytest.mark.parametrize(
    "markup",
    [
        "<p hidden>x</p>",
        "<p style='visibility:hidden'>x</p>",
        "<p class='invisible'>x</p>",
        "<p aria-hidden=true>x</p>",
        "<form role=search>x</form>",
        "<noscript><p>x</p></noscript>",
        "<template><p>x</p></template>",
    ],
)
def test_what_nobody_sees_is_left_out(markup: str) -> None:
    assert texts("<p>seen</p>" + markup) == ["seen"]


@pytest.mark.parametrize(
    "markup",
    [
        "<div role=tabpanel hidden>x</div>",
        "<div class=accordion-body aria-hidden=true>x</div>",
        "<div hidden id=S:0>x</div>",
        "<p class='hidden md:block'>x</p>",
    ],
)
def test_what_opens_at_a_click_is_kept(markup: str) -> None:
    assert texts("<p>seen</p>" + markup) == ["seen", "x"]


def test_hidden_parts_are_counted() -> None:
    assert "2 hidden parts left out" in extract("<p>a</p><p hidden>b</p><p hidden>c</p>").warnings


def test_posts_in_noscript_are_read_where_the_page_shows_nothing_else() -> None:
    post = "This is the first post of a thread that is only there for browsers without scripts. " * 8
    assert texts(f"<div id=app></div><noscript><div><p>{post}</p></div></noscript>") == [post.strip()]


def test_what_follows_the_end_of_the_body_is_kept() -> None:
    page = b"<html><body><p>a</p></body></html><p>b</p>" + b"<!-- " + b"x" * 300 + b" -->"
    assert extract_bytes(page, media_type="text/html", options=TREE_ONLY).to_text() == "a\nb"


def test_attribute_names_with_angle_brackets_do_no_harm() -> None:
    assert texts("<div x<y='1' class='c'><p>a</p></div><p \x01<z=1>b</p>") == ["a", "b"]


def test_a_tree_parsed_by_others_is_read_and_left_as_it_was() -> None:
    root = lxml_html.fromstring(b"<html><body><!-- c --><script>s()</script><h1>A</h1><?pi x?><p>b</p></body></html>")
    before = etree.tostring(root)
    assert extract_tree(root, uri=None, options=TREE_ONLY).to_text() == "A\nb"
    assert etree.tostring(root) == before


def test_quotes_that_became_names_of_attributes_do_no_harm() -> None:
    # A quote too many, as shops write it: the class ends in the next attribute, whose value becomes a name.
    markup = (
        '<a id="x" href="/y" class="" data-id=" 220" data-set="[1,2]" ">Half</a> <a class=" b" 1" c="2" "="">life</a>'
    )
    assert extract(markup).to_text() == "Half life"
    shop = '<a id="p" class=" data-id=" 220"="" data-key="App_220" data-tags="[1,2]" "="">Half life</a>'
    assert extract(shop).to_text() == "Half life"


@pytest.mark.parametrize(
    ("markup", "text", "locator"),
    [
        ("<p>hello world</p>", "hello world", "/p"),
        ("<span>one <b>two</b></span>", "one two", "/span"),
        ("<h1>Title only</h1>", "Title only", "/h1"),
        ("<pre>a\n  b</pre>", "a\n  b", "/pre"),
        ("<div><p>x</p><p>y z</p></div>", "x\ny z", "/div/p[1]"),
    ],
)
def test_an_element_without_blocks_in_it_has_its_text_and_place(markup: str, text: str, locator: str) -> None:
    document = extract_tree(lxml_html.fragment_fromstring(markup), uri=None, options=ExtractOptions())
    assert document.to_text() == text
    assert document.table.marks["locator"][0] == locator


@pytest.mark.parametrize("sign", ["¶", "#", "§", "🔗"])
def test_links_of_a_title_to_itself_are_no_part_of_it(sign: str) -> None:
    assert (
        outline(f'<h2>A<a class="x" href="#a">{sign}</a></h2><p>See # and <a href="#n">b</a></p>')
        == "Section A, .TextBlock See # and b"
    )


def test_what_mediawiki_puts_behind_titles_and_before_notes_is_no_text() -> None:
    assert (
        outline(
            '<h2>A<span class="mw-editsection">[<a href="/e">edit</a>]</span></h2><ol><li><span class="mw-cite-backlink">^ '
            '<a href="#r1">a</a></span> <span>Smith</span></li></ol>'
        )
        == "Section A, .List, ..ListItem, ...TextBlock Smith"
    )


def test_a_caption_that_repeats_the_alternative_text_stands_once() -> None:
    assert (
        outline(
            '<figure><a href="/x"><img alt="A cat"></a><figcaption>A cat</figcaption></figure><img alt="B"><ul><li><img alt="C">'
            "</li></ul><p>C</p>"
        )
        == "TextBlock A cat, TextBlock B, List, .ListItem, ..TextBlock C, TextBlock C"
    )


@pytest.mark.parametrize("head", ["", '<link rel=canonical href="https://a.example/news/storm.html">'])
def test_a_page_in_a_file_has_the_links_of_the_address_it_names(head):
    page = f'<head>{head}</head><p>See <a href="/x">this</a>, <a href="y.html">that</a>.</p>'.encode()
    table = extract_bytes(page, media_type="text/html", uri="file:///home/me/storm.html").table
    urls = [url for *_, url in json.loads(table.marks["links"][0])]
    assert urls == (
        ["https://a.example/x", "https://a.example/news/y.html"] if head else ["/x", "file:///home/me/y.html"]
    )


def test_where_a_file_lies_does_not_change_its_main_content():
    page = (b"<title>Bees</title><ul><li><a href=/a>Home</a></ul><h1>Bees</h1>" + b"<p>A swarm leaves the hive in May, mostly.</p>" * 5
            + b"<p>Short.</p><footer>Contact</footer>")  # fmt: skip
    said = [
        extract_bytes(page, media_type="text/html", uri=uri).table.marks["main_probability"]
        for uri in (
            "file:///bees.html",
            "file:///home/me/pages/2019/12/of-the-garden/bees-1.html",
            "folder/bees.html",
            None,
        )
    ]
    assert said[0]
    assert said[1:] == [said[0]] * 3
