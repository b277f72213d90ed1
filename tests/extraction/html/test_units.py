"""Posts of threads, comments and reviews as Sections: the markup of forums and weblogs, written by hand."""

import pytest

import corpuskit
from corpuskit.document.elements import SECTION, TYPE_NAMES


def extracted(body):
    return corpuskit.extract(
        f"<title>T</title><body>{body}".encode(), media_type="text/html", uri="http://a.example/t/1"
    )


def units(document):
    """(role, texts inside) of each Section that is a unit."""
    table = document.table
    roles = table.marks["role"]
    return [
        (roles[row], [text for text in table.text[row:end] if text])
        for row, end in enumerate(table.subtree_end)
        if table.type[row] == SECTION and table.text[row] is None and roles.get(row) in ("post", "comment", "review")
    ]


def bylines(document):
    table = document.table
    return [table.text[row] for row, role in sorted(table.marks["role"].items()) if role == "byline"]


def post(number, author, text, inside=""):
    return (
        f'<article class="message js-post" id="js-post-{number}"><div class="user-info"><span class="username">{author}'
        f"</span></div><div><time>May {number}</time></div><div class=body><p>{text}</p></div>{inside}</article>"
    )


def test_each_post_of_a_thread_is_a_section_with_its_byline():
    document = extracted(f"<h1>A thread</h1><div>{post(1, 'ann', 'How deep is it?')}{post(2, 'bob', 'Very.')}</div>")
    assert units(document) == [
        ("post", ["ann", "May 1", "How deep is it?"]),
        ("post", ["bob", "May 2", "Very."]),
    ]
    assert bylines(document) == ["ann", "May 1", "bob", "May 2"]
    table = document.table
    assert [TYPE_NAMES[kind] for kind in table.type[:3]] == ["Section", "Section", "TextBlock"]
    assert table.nesting_level[:3] == [1, 2, 3]
    assert table.marks["locator"][1] == "/html/body[1]/div[1]/article[1]"


def test_comments_that_answer_comments_stand_within_them():
    document = extracted(
        "<article><h1>Bread</h1><p>Knead the dough for ten minutes, then let it rest.</p></article><ol class=commentlist>"
        '<li class="comment depth-1" id="comment-7"><div id="div-comment-7" class="comment-body">'
        '<cite class="fn">Eve</cite><p>Eight will do.</p></div><ul class=children>'
        '<li class="comment depth-2" id="comment-9"><div id="div-comment-9"><cite class="fn">Ann</cite><p>No.</p></div></li>'
        "</ul></li></ol>"
    )
    assert units(document) == [
        ("comment", ["Eve", "Eight will do.", "Ann", "No."]),
        ("comment", ["Ann", "No."]),
    ]
    names = [(document.table.nesting_level[i], TYPE_NAMES[kind]) for i, kind in enumerate(document.table.type)][2:]
    assert names == [
        (1, "List"), (2, "ListItem"), (3, "Section"), (4, "TextBlock"), (4, "TextBlock"), (4, "List"), (5, "ListItem"),
        (6, "Section"), (7, "TextBlock"), (7, "TextBlock"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("attributes", "role"),
    [
        ('itemscope itemtype="https://schema.org/Comment"', "comment"),
        ('itemscope itemtype="https://schema.org/Comment" class="crawler-post"', "post"),
        ('itemscope itemtype="http://schema.org/Answer"', "post"),
        ('itemscope itemtype="http://schema.org/Review"', "review"),
        ('data-comment-id="{n}"', "comment"),
        ('class="question" data-questionid="{n}"', "post"),
        ('class="review" id="li-comment-{n}"', "review"),
        ('id="p{n}" class="post bg2"', "post"),
        ('data-content="post-{n}"', "post"),
    ],
)
def test_the_ways_to_say_so(attributes, role):
    parts = [f"<div {attributes.format(n=n)}><span class=author>Ann</span><p>Text {n}.</p></div>" for n in (1, 2)]
    assert units(extracted("".join(parts))) == [(role, ["Ann", f"Text {n}."]) for n in (1, 2)]


@pytest.mark.parametrize(
    "body",
    [
        # An article of WordPress, and a list of such.
        '<article id="post-3" class="post-3 hentry"><span class=author>A</span><p>x</p></article>' * 2,
        # A list of articles whose titles lead to them.
        '<div data-post-id="3"><h2><a href="/a">A title</a></h2><span class=author>A</span><p>x</p></div>' * 2,
        # Answers of a list of questions have no author and no date.
        '<div itemscope itemtype="https://schema.org/Answer"><p>Yes.</p></div>' * 3,
        # A place for an advertisement.
        '<div id="placement-post-3"><p>Buy!</p></div>' * 3,
        # One alone is no thread.
        '<div id="post-3"><span class=author>A</span><p>x</p></div>',
    ],
)
def test_what_is_no_post(body):
    assert units(extracted(body)) == []


def test_a_heading_in_a_post_holds_nothing_of_the_next():
    first = post(1, "ann", "See below.", "<h4>Tools</h4><p>A saw.</p>")
    document = extracted(f"<h2>Thread</h2>{first}{post(2, 'bob', 'Thanks.')}")
    assert units(document)[0] == ("post", ["ann", "May 1", "See below.", "Tools", "A saw."])
    assert units(document)[1] == ("post", ["bob", "May 2", "Thanks."])


def test_links_and_cells_stay_where_they_were():
    table = "<table><tr><th>a<td>b</table>"
    body = post(1, "ann", 'See <a href="/x">this</a>.') + post(2, "bob", "Numbers", table)
    found = extracted(body).table
    (row,) = [row for row, text in enumerate(found.text) if text == "See this."]
    assert found.marks["links"] == {row: '[[4,8,"http://a.example/x"]]'}
    assert {TYPE_NAMES[found.type[cell]] for cell in found.cells} == {"TableHeader", "TableCell"}


@pytest.mark.slow
def test_units_in_units_without_end_cost_no_more_than_time():
    body = "".join(f'<div id="comment-{n}"><span class=author>A</span><p>t</p>' for n in range(1, 400))
    assert 0 < len(units(extracted(body))) <= 50


def test_a_document_with_posts_is_written_and_read_as_it_is(tmp_path):
    document = extracted(post(1, "ann", "How deep is it?") + post(2, "bob", "Very."))
    corpuskit.write_nlptext(document, tmp_path / "t.nlp.txt")
    again = corpuskit.read_nlptext(tmp_path / "t.nlp.txt")
    assert again.table.type == document.table.type
    assert again.table.text == document.table.text
