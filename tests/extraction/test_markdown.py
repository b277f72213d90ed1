"""Markdown as CommonMark 0.31 and GitHub's tables document it; the trees are written by hand."""

import pytest

import corpuskit as ck
from corpuskit.extraction import ExtractOptions, extract_bytes
from corpuskit.sources import detect_media_type


def read(text, **options):
    return extract_bytes(text.encode(), media_type="text/markdown", uri="a.md", options=ExtractOptions(**options))


def tree(document):
    table = document.table
    return [(e.nesting_level, e.type, table.cells.get(i), table.text[i] or "") for i, e in enumerate(document)]


GUIDE = """# Rates

Intro with *emphasis*, a [link](http://a.example/x) and `code`.

Savings
-------

* one
* two
  1. deep

| kind | rate |
|------|-----:|
| loan | 6 %  |

```python
print("<b>x</b>")
    y
```

## Other

Last.
"""


def test_headings_lists_tables_and_code_become_elements():
    assert tree(read(GUIDE)) == [
        (1, "Section", None, "Rates"),
        (2, "TextBlock", None, "Intro with emphasis, a link and code."),
        (2, "Section", None, "Savings"),
        (3, "List", None, ""),
        (4, "ListItem", None, ""),
        (5, "TextBlock", None, "one"),
        (4, "ListItem", None, ""),
        (5, "TextBlock", None, "two"),
        (5, "List", None, ""),
        (6, "ListItem", None, ""),
        (7, "TextBlock", None, "deep"),
        (3, "Table", None, ""),
        (4, "TableHeader", (1, 1, 1, 1), ""),
        (5, "TextBlock", None, "kind"),
        (4, "TableHeader", (1, 1, 2, 1), ""),
        (5, "TextBlock", None, "rate"),
        (4, "TableCell", (2, 1, 1, 1), ""),
        (5, "TextBlock", None, "loan"),
        (4, "TableCell", (2, 1, 2, 1), ""),
        (5, "TextBlock", None, "6 %"),
        (3, "TextBlock", None, 'print("<b>x</b>")\n    y'),
        (2, "Section", None, "Other"),
        (3, "TextBlock", None, "Last."),
    ]


def test_code_has_its_role_and_a_link_its_target():
    frame = read(GUIDE).to_frame().set_index("text")
    assert frame.loc['print("<b>x</b>")\n    y', "role"] == "code"
    assert frame.loc["Intro with emphasis, a link and code.", "links"] == '[[23,27,"http://a.example/x"]]'
    assert frame["main"].all()


def test_the_first_heading_is_the_title_where_there_is_no_front_matter():
    assert read("Before.\n\n## Rates of *today*\n\n# More\n").title == "Rates of today"
    assert read("No heading.\n").title == ""


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: \"Rates: é\"  \n# a comment\nauthors: [Ada Finch, 'Tom Reed']\ndate: 2024-05-06\nlang: en\n---\n",
        "---\ntitle: 'Rates: é'\nauthors:\n- Ada Finch\n- Tom Reed\ndate: 2024-05-06 # of print\nlang: en\n...\n",
        "---\ntitle: >-\n  Rates:\n  é\nauthors:\n  - Ada Finch\n  - Tom Reed\ndate: 2024-05-06\nlang: en\n---\n",
        '+++\ntitle = "Rates: é"\nauthors = ["Ada Finch", "Tom Reed"]\ndate = 2024-05-06\nlang = "en"\n+++\n',
    ],
)
def test_front_matter_is_metadata_and_no_text(front):
    document = read(front + "# Heading\n\nText.\n")
    assert document.title == "Rates: é"
    assert document.metadata["author"] == "Ada Finch; Tom Reed"
    assert document.metadata["language"] == "en"
    assert document.timestamp.isoformat() == "2024-05-06T00:00:00+00:00"
    assert document.to_text() == "Heading\nText."


def test_front_matter_that_a_program_fills_in_is_no_text():
    document = read("---\n# See https://site.example/metadata\n{{ card_data }}\n---\n\n# Data\n\nText.\n")
    assert (document.title, document.to_text()) == ("Data", "Data\nText.")


def test_authors_may_have_more_than_a_name():
    text = "---\nauthors:\n  - name: Bob Ray\n    email: bob@a.example\n  - Eve\n    Low\ntags:\n  - |\n    rates\n---\n\nText.\n"
    assert read(text).metadata["author"] == "Bob Ray; Eve Low"


def test_a_rule_above_a_text_is_no_front_matter():
    assert read("---\nOnce upon a time.\n\n---\n\nMore.\n").to_text() == "Once upon a time.\nMore."


def test_html_in_markdown_is_read_as_that_of_a_web_page():
    text = '<p align="center"><b>Rates</b></p>\n\n<script>alert(1)</script>\n\nH<sub>2</sub>O <img src=x onerror=alert(2)>\n'
    assert read(text).to_text() == "Rates\nH2O"


# Those that CommonMark (4.6, conditions 1 to 5) ends with their end alone, where they begin a line.
_ENDLESS = ["<script>", "<style>", "<textarea>", "<textarea", "<!--", "<?php", "<![CDATA["]
_LEFT_OPEN = [
    "<title>", "<iframe>", "<template>", "<noscript>", "<svg>", "<video>", "<plaintext>", "<select>", "</html>", "</body>", "<html>",
    "</template>", "<div hidden>", "<span style='display: none'>", '<div title="x',
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        *(("Before {} after.", tag) for tag in [*_ENDLESS, *_LEFT_OPEN]),
        *((text, tag) for text in ("{}", "{} begins\nand ends.") for tag in _LEFT_OPEN),
    ],
)
def test_a_tag_without_an_end_takes_nothing_in(text, tag):
    document = read(f"# A\n\n{text.format(tag)}\n\n## B\n\n- last\n")
    assert [(kind, said) for _, kind, _, said in tree(document) if said][-2:] == [
        ("Section", "B"),
        ("TextBlock", "last"),
    ]
    assert {"Before", "after.", "begins", "ends."} & set(text.split()) <= set(document.to_text().split())
    assert "</p>" not in document.to_text()


@pytest.mark.parametrize("tag", _ENDLESS)
def test_html_that_never_ends_is_text_to_the_end(tag):
    document = read(f"# A\n\n{tag}\n\ntwo\n\n- last\n")
    assert document.to_text().split() == ["A", *tag.split(), "two", "-", "last"]


def test_html_that_ends_in_its_block_or_paragraph_is_read():
    page = "<html><head><title>t</title><style>p {}</style></head>\n<body><p>x</p></body></html>\n\nmore\n"
    assert read(page).to_text() == "x\nmore"
    assert read("a <script>alert(1)</script> b <!-- </html> --> c\n\nd\n").to_text() == "a b c\nd"


def test_a_title_with_markup_stays_text():
    assert read("---\ntitle: </title><script>alert(1)</script>\n---\n\nText.\n").title == (
        "</title><script>alert(1)</script>"
    )


def test_a_list_of_links_is_a_list_and_main():
    document = read("# Places\n\n* [A](http://a.example/)\n* [B](http://b.example/)\n* [C](http://c.example/)\n")
    assert [e.type for e in document][:3] == ["Section", "List", "ListItem"]
    assert document.to_text(main=True) == "Places\nA\nB\nC"


def test_what_is_nested_deeper_than_a_person_writes_is_read_as_plain_text():
    document = read("> " * 200 + "deep\n\nThe end.\n")
    assert document.to_text() == "> " * 200 + "deep\nThe end."
    assert "read as plain text" in document.warnings[0]


def test_twenty_nested_lists_are_read():
    document = read("\n".join("  " * depth + f"- item {depth}" for depth in range(20)))
    assert [e.type for e in document].count("List") == 20


def test_formatting_is_kept_where_it_is_asked_for():
    frame = read("A **bold** word.\n", formatting=True).to_frame()
    assert frame["formatting"].tolist() == ['[[2,6,"bold"]]']


@pytest.mark.parametrize(
    ("content", "name", "declared", "expected"),
    [
        (b"# A\n\ntext", "a.md", None, "text/markdown"),
        (b"# A\n\ntext", "a.markdown", None, "text/markdown"),
        (b"# A\n\ntext", "", "text/markdown; charset=utf-8", "text/markdown"),
        (b'<p align="center">\n\n# A\n', "README.md", None, "text/markdown"),
        (b"# A\n\nWrite `<p >` here.", "a.md", None, "text/markdown"),
        (b"<!doctype html><title>x</title><p>y", "a.md", None, "text/html"),
        (b"<!-- saved -->\n<!doctype html><p>y", "a.md", "text/html", "text/html"),
    ],
)
def test_markdown_is_told_by_its_name_though_it_holds_html(content, name, declared, expected):
    assert detect_media_type(content, name, declared) == expected


@pytest.mark.whole
def test_what_is_exported_as_markdown_is_read_as_it_was(tmp_path):
    page = (
        b"<title>Rates</title><article><h1>Rates</h1><p>For * all | and _some_ &lt;of&gt; [us].</p><h2>Now</h2><ul><li>3 %"
        b"<li>4 %</ul><table><tr><th>a<th>b<tr><td>1<td>2</table><pre>x &lt; y\n  z</pre></article>"
    )
    before = ck.extract(page, options=ExtractOptions(main="all"))
    (tmp_path / "a.md").write_text(before.to("markdown"), "utf-8")
    after = ck.extract(tmp_path / "a.md")
    assert (after.title, tree(after)) == ("Rates", tree(before))
