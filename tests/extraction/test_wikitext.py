"""Wikitext as Help:Formatting, Help:Tables and Help:Lists document it; the trees are written by hand."""

import pytest

from corpuskit.extraction import extract_bytes

URI = "https://en.wikipedia.org/wiki/Harbour_Mutual"


def read(text, uri=URI):
    return extract_bytes(text.encode(), media_type="text/x-wiki", uri=uri)


def tree(document):
    table = document.table
    return [(e.nesting_level, e.type, table.cells.get(i), table.text[i] or "") for i, e in enumerate(document)]


def texts(text):
    return read(text).to_text().split("\n")


ARTICLE = """{{Short description|Insurer}}
{{Infobox company
| name = Harbour Mutual
| founded = {{start date|1871}} 1871 in [[Bristol]]
| people =
* Ada Finch
* Tom Reed
| logo =
}}
[[File:HM.jpg|thumb|200px|The ''seal'' of [[Harbour Mutual|the society]]]]
'''Harbour Mutual''' is a [[mutual insurance|mutual insurer]]<ref name="a">Finch, ''Small Boats''</ref> for
boats.<ref name="a" /> See [https://harbour.example its site] and {{lang|fr|assurance}}.<!-- unseen -->

== History ==
Nine ship owners met.

=== Rules ===
# pay in advance
# tell
#* the hull
#* the rig
# share
; Term : meaning
: more

== Results ==
{| class="wikitable"
|+ In millions
! rowspan="2" | Year !! colspan="2" | Premiums
|-
! Boats !! Piers
|-
| 2023 || 90 || 12
|}

== References ==
{{reflist}}
[[Category:Insurers]]
[[de:Hafenkasse]]
"""


def test_an_article_of_a_dump():
    document = read(ARTICLE)
    assert document.title == "Harbour Mutual"
    assert tree(document) == [
        (1, "Table", None, ""),
        (2, "TableHeader", (1, 1, 1, 1), ""),
        (3, "TextBlock", None, "name"),
        (2, "TableCell", (1, 1, 2, 1), ""),
        (3, "TextBlock", None, "Harbour Mutual"),
        (2, "TableHeader", (2, 1, 1, 1), ""),
        (3, "TextBlock", None, "founded"),
        (2, "TableCell", (2, 1, 2, 1), ""),
        (3, "TextBlock", None, "1871 in Bristol"),
        (2, "TableHeader", (3, 1, 1, 1), ""),
        (3, "TextBlock", None, "people"),
        (2, "TableCell", (3, 1, 2, 1), ""),
        (3, "List", None, ""),
        (4, "ListItem", None, ""),
        (5, "TextBlock", None, "Ada Finch"),
        (4, "ListItem", None, ""),
        (5, "TextBlock", None, "Tom Reed"),
        (1, "TextBlock", None, "The seal of the society"),
        (1, "TextBlock", None, "Harbour Mutual is a mutual insurer for boats. See its site and assurance."),
        (1, "Section", None, "History"),
        (2, "TextBlock", None, "Nine ship owners met."),
        (2, "Section", None, "Rules"),
        (3, "List", None, ""),
        (4, "ListItem", None, ""),
        (5, "TextBlock", None, "pay in advance"),
        (4, "ListItem", None, ""),
        (5, "TextBlock", None, "tell"),
        (5, "List", None, ""),
        (6, "ListItem", None, ""),
        (7, "TextBlock", None, "the hull"),
        (6, "ListItem", None, ""),
        (7, "TextBlock", None, "the rig"),
        (4, "ListItem", None, ""),
        (5, "TextBlock", None, "share"),
        (3, "List", None, ""),
        (4, "ListItem", None, ""),
        (5, "TextBlock", None, "Term"),
        (5, "TextBlock", None, "meaning"),
        (5, "TextBlock", None, "more"),
        (1, "Section", None, "Results"),
        (2, "Table", None, "In millions"),
        (3, "TableHeader", (1, 2, 1, 1), ""),
        (4, "TextBlock", None, "Year"),
        (3, "TableHeader", (1, 1, 2, 2), ""),
        (4, "TextBlock", None, "Premiums"),
        (3, "TableHeader", (2, 1, 2, 1), ""),
        (4, "TextBlock", None, "Boats"),
        (3, "TableHeader", (2, 1, 3, 1), ""),
        (4, "TextBlock", None, "Piers"),
        (3, "TableCell", (3, 1, 1, 1), ""),
        (4, "TextBlock", None, "2023"),
        (3, "TableCell", (3, 1, 2, 1), ""),
        (4, "TextBlock", None, "90"),
        (3, "TableCell", (3, 1, 3, 1), ""),
        (4, "TextBlock", None, "12"),
        (1, "Section", None, "References"),
        (2, "List", None, ""),
        (3, "ListItem", None, ""),
        (4, "TextBlock", None, "Finch, Small Boats"),
    ]
    assert document.table.marks["role"][0] == "infobox"
    assert set(document.table.marks["zone"].values()) == {"references"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So <math>E = mc^2</math> holds.", ["So E = mc^2 holds."]),
        ("H<sub>2</sub>O &amp; m&sup2;", ["H2O & m²"]),
        ("<nowiki>'''no bold'''</nowiki> here", ["'''no bold''' here"]),
        ("<gallery>\nA.jpg|The ''hall''\nB.jpg|The door\n</gallery>", ["The hall", "The door"]),
        ("a<br />b", ["a", "b"]),
        ("One{{cn|date=2020}}.\n\nTwo.", ["One.", "Two."]),
        ("Un.<ref>Note</ref>", ["Un.", "Note"]),
        ("<syntaxhighlight lang=python>\nif a < b:\n    f()\n</syntaxhighlight>", ["if a < b:", "    f()"]),
        ("{{Quote|Equal value.|Moore}}", ["Equal value."]),
        ("[[:Category:Ships]] and [[File:x.png|20px]] and [[Ship#Hull|hull]]", [":Category:Ships and and hull"]),
        ("{|\n| outer\n{|\n| inner\n|}\n|}", ["outer", "inner"]),
        ("unclosed [[link and {{template\n\nend", ["unclosed [[link and {{template", "end"]),
    ],
)  # fmt: skip
def test_markup_becomes_text(text, expected):
    expected = [line.removeprefix(":") for line in expected]
    assert texts(text) == expected
