"""Whole articles in the markup of Parsoid (MediaWiki, Specs/HTML 2.8.0), written for this project, and their trees by hand.

A line of a ``.gold`` file is an element, indented by its level:

    = title of the document
    S: title of a section          L, T: a list, a table (with its title)      I, P: an item, a text block
    H 1+2,3: header cell of row 1, over 2 rows, of column 3; C: a cell         {role}
    -role: a text that is not main

``I``, ``H`` and ``C`` with a text hold one text block; ``\\n`` is a line break.
"""

import re
from pathlib import Path

import pytest

from corpuskit.extraction import extract_bytes

PAGES = Path(__file__).parent / "pages"
CODES = {
    "S": "Section",
    "L": "List",
    "T": "Table",
    "I": "ListItem",
    "P": "TextBlock",
    "H": "TableHeader",
    "C": "TableCell",
}
TOLD = {"infobox", "reference", "caption", "code"}
LINE = re.compile(
    r"( *)([SLTIPHC])(?: (\d+)(?:\+(\d+))?,(\d+)(?:\+(\d+))?)?(?: \{(\w+)\})?(?:: (.*))?",
)


def gold(name):
    """Title, the elements that are main, and role and text of the others."""
    title, main, others = "", [], []
    for line in (PAGES / f"{name}.gold").read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            title = line[2:]
        elif line.startswith("-"):
            role, _, text = line[1:].partition(": ")
            others.append((role, text))
        else:
            indent, code, row, rows, col, cols, role, text = LINE.fullmatch(line).groups()
            level = 1 + len(indent) // 2
            cell = (int(row), int(rows or 1), int(col), int(cols or 1)) if row else None
            text = (text or "").replace("\\n", "\n")
            inline = code in "IHC" and text
            main.append((level, CODES[code], cell, role or "", "" if inline else text))
            if inline:
                main.append((level + 1, "TextBlock", None, role or "", text))
    return title, main, others


def read(name):
    content = (PAGES / f"{name}.html").read_bytes()
    uri = f"https://{name[:2]}.wikipedia.org/wiki/{name}"
    return extract_bytes(content, media_type="text/x-mediawiki-html", uri=uri)


def found(document):
    table = document.table
    roles = table.marks["role"]
    main, others = [], []
    for i, element in enumerate(document):
        text = (table.text[i] or "").replace("\N{NO-BREAK SPACE}", " ")
        role = roles.get(i) or ""
        if table.main[i]:
            main.append((table.nesting_level[i], element.type, table.cells.get(i), role if role in TOLD else "", text))
        elif text:
            others.append((role, text))
    return document.title, main, others


@pytest.mark.parametrize("name", sorted(path.stem for path in PAGES.glob("*.html")))
def test_an_article_is_the_tree_written_by_hand(name):
    title, main, others = found(read(name))
    expected_title, expected_main, expected_others = gold(name)
    assert main == expected_main
    assert others == expected_others
    assert title == expected_title


def test_articles_keep_what_parsoid_says_of_them():
    metadata = read("en_company").metadata
    assert (metadata["revision"], metadata["page_id"], metadata["language"]) == ("700001", "100000", "en")
    assert metadata["modified"] == "2026-03-09T10:20:30+00:00"


def test_there_are_pages_in_three_languages():
    names = [path.stem for path in PAGES.glob("*.html")]
    assert {lang: sum(name.startswith(lang) for name in names) for lang in ("de", "en", "fr")} == {
        "de": 4,
        "en": 4,
        "fr": 4,
    }
