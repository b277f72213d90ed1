"""Pages in the markup that Specs/HTML 2.8 of MediaWiki documents; the expected trees are written by hand."""

import pytest

from corpuskit.extraction import extract_bytes

HEAD = (
    '<!DOCTYPE html><html prefix="dc: http://purl.org/dc/terms/ mw: http://mediawiki.org/rdf/" '
    'about="https://{lang}.wikipedia.org/wiki/Special:Redirect/revision/4711"><head>'
    '<meta charset="utf-8"/><meta property="mw:pageId" content="12"/>'
    '<meta property="dc:modified" content="2024-05-06T07:08:09.000Z"/><title>{title}</title>'
    '<base href="//{lang}.wikipedia.org/wiki/"/></head><body lang="{lang}" class="mw-content-ltr mw-parser-output">'
)
NOTE = (
    '<sup about="#mwt1" class="mw-ref reference" id="cite_ref-1" rel="dc:references" typeof="mw:Extension/ref">'
    '<a href="./X#cite_note-1"><span class="mw-reflink-text">[1]</span></a></sup>'
)
REFERENCES = (
    '<div class="mw-references-wrap" typeof="mw:Extension/references"><ol class="mw-references references">'
    '<li id="cite_note-1"><a href="./X#cite_ref-1" rel="mw:referencedBy" class="mw-cite-backlink">'
    '<span class="mw-linkback-text">↑ </span></a> <span class="mw-reference-text">{}</span></li></ol></div>'
)


def page(lang, title, body):
    return (HEAD.format(lang=lang, title=title) + body + "</body></html>").encode()


def read(lang, title, body):
    uri = f"https://{lang}.wikipedia.org/wiki/{title}"
    return extract_bytes(page(lang, title, body), media_type="text/x-mediawiki-html", uri=uri)


def tree(document):
    table, roles = document.table, document.table.marks["role"]
    kinds = {"infobox", "reference", "navigation", "hatnote", "notice"}
    return [
        (e.nesting_level, e.type, table.text[i] or "", roles.get(i) if roles.get(i) in kinds else "", table.main[i])
        for i, e in enumerate(document)
    ]


ENGLISH = (
    '<section data-mw-section-id="0"><div role="note" class="hatnote navigation-not-searchable">For others, see '
    '<a rel="mw:WikiLink" href="./Other">Other</a>.</div>'
    '<table class="infobox" typeof="mw:Transclusion"><tbody><tr><th scope="row">Founded</th><td>1688</td></tr></tbody>'
    f"</table><p><b>Lloyd's</b> is a market.{NOTE}</p></section>"
    '<section data-mw-section-id="1"><h2 id="Kinds">Kinds</h2><ul><li>Life<ul><li>Term</li></ul></li><li>Fire</li></ul>'
    "</section>"
    '<section data-mw-section-id="2"><h2 id="References">References</h2>'
    + REFERENCES.format("A. Author, <i>A book</i>, 1999.")
    + "</section>"
    '<div role="navigation" class="navbox"><table class="nowraplinks navbox-inner"><tbody><tr><th>Insurance</th>'
    '<td><ul><li><a href="./Life">Life</a></li></ul></td></tr></tbody></table></div>'
)


def test_an_english_article():
    document = read("en", "Lloyd's", ENGLISH)
    found = tree(document)
    body = [row for row in found if row[4]]
    assert body == [
        (1, "Table", "", "infobox", True),
        (2, "TableHeader", "", "", True),
        (3, "TextBlock", "Founded", "", True),
        (2, "TableCell", "", "", True),
        (3, "TextBlock", "1688", "", True),
        (1, "TextBlock", "Lloyd's is a market.", "", True),
        (1, "Section", "Kinds", "", True),
        (2, "List", "", "", True),
        (3, "ListItem", "", "", True),
        (4, "TextBlock", "Life", "", True),
        (4, "List", "", "", True),
        (5, "ListItem", "", "", True),
        (6, "TextBlock", "Term", "", True),
        (3, "ListItem", "", "", True),
        (4, "TextBlock", "Fire", "", True),
        (1, "Section", "References", "", True),
        (2, "List", "", "reference", True),
        (3, "ListItem", "", "reference", True),
        (4, "TextBlock", "A. Author, A book, 1999.", "reference", True),
    ]
    assert {row[3] for row in found if not row[4]} == {"hatnote", "navigation"}
    assert [row[2] for row in found if not row[4] and row[2]] == ["For others, see Other.", "Insurance", "Life"]
    assert document.title == "Lloyd's"
    assert document.metadata["revision"] == "4711"
    assert document.metadata["language"] == "en"
    assert set(document.table.marks["zone"].values()) == {"references"}


@pytest.mark.parametrize(
    ("lang", "hatnote", "box", "heading"),
    [
        ("de", '<div class="hatnote">Siehe auch Anderes.</div>', "infobox", "Geschichte"),
        ("fr", '<div class="bandeau-container homonymie">Voir autre.</div>', "infobox_v2", "Histoire"),
    ],
)
def test_articles_in_other_languages(lang, hatnote, box, heading):
    body = (
        f'<section data-mw-section-id="0">{hatnote}<table class="{box}"><tbody><tr><td>1688</td></tr></tbody></table>'
        f'<p>Text.{NOTE}</p></section><section data-mw-section-id="1"><h2>{heading}</h2>'
        '<table class="wikitable"><caption>A</caption><tbody><tr><th colspan="2">B</th></tr><tr><td>1</td><td>2</td></tr>'
        "</tbody></table></section>"
    )
    document = read(lang, "X", body)
    assert [row[2:] for row in tree(document) if row[2] or row[3]] == [
        (document.table.text[0], "hatnote", False),
        ("", "infobox", True),
        ("1688", "", True),
        ("Text.", "", True),
        (heading, "", True),
        ("A", "", True),
        ("B", "", True),
        ("1", "", True),
        ("2", "", True),
    ]
    (header,) = [e for e in document if e.type == "TableHeader"]
    assert (header.row, header.col, header.col_span) == (1, 1, 2)


def shown(document):
    """(type, nesting level, text) of what is main and has text, and the groups that hold it."""
    table = document.table
    return [(e.type, e.nesting_level, table.text[i]) for i, e in enumerate(document) if table.main[i]]


PARTS = {
    "de: a nested numbered list": (
        "de",
        "<ol><li>Eins<ul><li>a<ul><li>b</li></ul></li></ul></li><li>Zwei</li></ol>",
        [
            ("List", 1, None), ("ListItem", 2, None), ("TextBlock", 3, "Eins"),
            ("List", 3, None), ("ListItem", 4, None), ("TextBlock", 5, "a"),
            ("List", 5, None), ("ListItem", 6, None), ("TextBlock", 7, "b"),
            ("ListItem", 2, None), ("TextBlock", 3, "Zwei"),
        ],
    ),
    "de: sections of three levels": (
        "de",
        '<section data-mw-section-id="1"><h2 id="A">A</h2><p>a</p><section data-mw-section-id="2"><h3 id="B">B</h3>'
        '<p>b</p></section></section><section data-mw-section-id="3"><h2 id="C">C</h2><p>c</p></section>',
        [
            ("Section", 1, "A"), ("TextBlock", 2, "a"), ("Section", 2, "B"), ("TextBlock", 3, "b"),
            ("Section", 1, "C"), ("TextBlock", 2, "c"),
        ],
    ),
    "fr: two references to one source": (
        "fr",
        f"<p>Un{NOTE} et deux{NOTE}.</p>" + REFERENCES.format("<cite>Le livre</cite>, 1999"),
        [
            ("TextBlock", 1, "Un et deux."), ("List", 1, None), ("ListItem", 2, None),
            ("TextBlock", 3, "Le livre, 1999"),
        ],
    ),
    "fr: a navigation box and a portal are not main": (
        "fr",
        '<p>Texte.</p><div class="navbox-container"><table class="navbox"><tbody><tr><td>Nav</td></tr></tbody></table>'
        '</div><ul class="bandeau-portail"><li>Portail</li></ul>',
        [("TextBlock", 1, "Texte.")],
    ),
    "en: a notice of the editors and a link to edit": (
        "en",
        '<table class="box-Unreferenced plainlinks metadata ambox"><tbody><tr><td>Cite sources.</td></tr></tbody></table>'
        '<p>Text.</p><h2>Head<span class="mw-editsection">[edit]</span></h2><p>More.</p>',
        [("TextBlock", 1, "Text."), ("Section", 1, "Head"), ("TextBlock", 2, "More.")],
    ),
    "en: a style that a template brings along": (
        "en",
        '<style data-mw-deduplicate="TemplateStyles:r1" typeof="mw:Extension/templatestyles">.a{color:red}</style><p>T.</p>',
        [("TextBlock", 1, "T.")],
    ),
    "en: a cell over two rows": (
        "en",
        '<table class="wikitable"><tbody><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></tbody></table>',
        [
            ("Table", 1, None), ("TableCell", 2, None), ("TextBlock", 3, "a"), ("TableCell", 2, None),
            ("TextBlock", 3, "b"), ("TableCell", 2, None), ("TextBlock", 3, "c"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_articles(name):
    lang, body, expected = PARTS[name]
    assert shown(read(lang, "X", body)) == expected
