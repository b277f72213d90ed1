"""Expected trees are written by hand from ECMA-376 part 1."""

import io
import json
import zipfile

import pytest
from docx_packages import HEADINGS, cell, item, numbering, outline, p, package, packed, read, run, style, table, texts
from lxml import etree


def test_headings_open_nested_sections():
    document = read(package(p("Book", "T") + p("One", "H1") + p("a") + p("Part", "H2") + p("b") + p("Two", "H1")))
    assert outline(document) == [
        ("Section", 1, "Book"),
        ("Section", 2, "One"),
        ("TextBlock", 3, "a"),
        ("Section", 3, "Part"),
        ("TextBlock", 4, "b"),
        ("Section", 2, "Two"),
    ]
    assert document.table.marks["role"] == {
        0: "title", 1: "section-heading", 2: "paragraph", 3: "section-heading", 4: "paragraph", 5: "section-heading",
    }  # fmt: skip
    assert document.title == "Book"


@pytest.mark.parametrize(
    ("styles", "paragraph"),
    [
        (style("X", "Überschrift 2"), p("a", "X")),
        (style("X", "Titre 1"), p("a", "X")),
        (HEADINGS + style("Y", "mine", "H2") + style("X", "yours", "Y"), p("a", "X")),
        (style("X", "mine", properties='<w:outlineLvl w:val="3"/>'), p("a", "X")),
        ("", p("a", properties='<w:outlineLvl w:val="0"/>')),
    ],
)
def test_a_heading_comes_from_name_base_or_outline_level(styles, paragraph):
    assert outline(read(package(paragraph, styles=styles))) == [("Section", 1, "a")]


@pytest.mark.parametrize(
    ("styles", "paragraph"),
    [
        (HEADINGS, p("a", "Missing")),
        (HEADINGS + style("X", "TOC Heading", "H1", '<w:outlineLvl w:val="9"/>'), p("a", "X")),
        (HEADINGS, p("a", "H1", '<w:outlineLvl w:val="9"/>')),
        (style("X", "x", "Y") + style("Y", "y", "X"), p("a", "X")),
    ],
)
def test_body_text_is_no_heading(styles, paragraph):
    assert outline(read(package(paragraph, styles=styles))) == [("TextBlock", 1, "a")]


def test_styles_of_another_prefix_are_read():
    styles = HEADINGS.replace("w:", "q:")
    name = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    other = packed(
        {
            "word/document.xml": f'<q:document xmlns:q="{name}"><q:body>'
            '<q:p><q:pPr><q:pStyle q:val="H1"/></q:pPr><q:r><q:t>a</q:t></q:r></q:p></q:body></q:document>',
            "word/styles.xml": f'<q:styles xmlns:q="{name}">{styles}</q:styles>',
            "word/_rels/document.xml.rels": '<Relationships><Relationship Id="a" Type="x/styles" Target="styles.xml"/>'
            "</Relationships>",
        }
    )
    assert outline(read(other)) == [("Section", 1, "a")]


def test_lists_nest_by_level_and_end_with_a_paragraph():
    one, two = numbering("decimal", "lowerLetter")
    body = item("a") + item("b", 1) + item("c", 1) + item("d") + p("between") + item("e")
    assert outline(read(package(body, numbering=one + two))) == [
        ("List", 1, None), ("ListItem", 2, None), ("TextBlock", 3, "a"),
        ("List", 3, None), ("ListItem", 4, None), ("TextBlock", 5, "b"), ("ListItem", 4, None), ("TextBlock", 5, "c"),
        ("ListItem", 2, None), ("TextBlock", 3, "d"),
        ("TextBlock", 1, "between"),
        ("List", 1, None), ("ListItem", 2, None), ("TextBlock", 3, "e"),
    ]  # fmt: skip


def test_a_list_of_another_numbering_is_nested_where_it_is_indented_more():
    (a, b), (c, d) = numbering("decimal", number=1), numbering("bullet", number=2)
    c = c.replace("<w:numFmt", '<w:pPr><w:ind w:left="1440"/></w:pPr><w:numFmt')
    body = item("one") + item("dot", number=2) + item("two")
    found = outline(read(package(body, numbering=a + c + b + d)))
    assert [x[2] for x in found if x[2]] == ["one", "dot", "two"]
    assert [x[1] for x in found if x[2]] == [3, 5, 3]


def test_an_item_without_a_sign_goes_on_with_the_item_above():
    """So pandoc writes the second paragraph of an item: as an item of a list whose bullet is a space."""
    one, two = numbering("decimal", "decimal", number=1)
    blank, three = numbering("bullet", "bullet", number=2)
    blank = blank.replace("%1.", " ").replace("%2.", " ")
    body = item("a") + item("b", 1) + item("more of a", 0, 2) + item("c") + p("x") + item("alone", 0, 2)
    found = outline(read(package(body, numbering=one + blank + two + three)))
    assert [(level, text) for _, level, text in found if text] == [
        (3, "a"), (5, "b"), (3, "more of a"), (3, "c"), (1, "x"), (1, "alone"),
    ]  # fmt: skip


def test_a_numbered_heading_is_no_item_and_number_zero_ends_numbering():
    one, two = numbering("decimal")
    number = '<w:numPr><w:numId w:val="1"/></w:numPr>'
    styles = HEADINGS + style("L", "mine", properties=number)
    off = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    body = p("Head", "H1", number) + p("in", "L") + p("out", "L", off)
    assert outline(read(package(body, styles=styles, numbering=one + two))) == [
        ("Section", 1, "Head"), ("List", 2, None), ("ListItem", 3, None), ("TextBlock", 4, "in"),
        ("TextBlock", 2, "out"),
    ]  # fmt: skip


def test_merged_cells_have_spans_and_their_text_once():
    wide, down, more = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    head = f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{cell('wide', wide)}{cell('h')}</w:tr>"
    body = table(head, cell("down", down) + cell("1") + cell("2"), cell("", more) + cell("3") + cell("4"))
    document = read(package(body))
    found = {e.text: (e.type, e.row, e.row_span, e.col, e.col_span) for e in document if e.type.startswith("TableC")}
    heads = {e.text: (e.row, e.row_span, e.col, e.col_span) for e in document if e.type == "TableHeader"}
    assert heads == {"wide": (1, 1, 1, 2), "h": (1, 1, 3, 1)}
    assert found["down"] == ("TableCell", 2, 2, 1, 1)
    assert found["4"] == ("TableCell", 3, 1, 3, 1)
    assert texts(document).count("down") == 1


def test_the_first_row_heads_a_table_whose_style_says_so():
    look = '<w:tblStyle w:val="Grid"/><w:tblLook w:val="04A0"/>'
    rows = (cell("a"), cell("b"))
    plain = style("Grid", "Table Grid", kind="table")
    shaded = style("Grid", "Shaded", kind="table", more='<w:tblStylePr w:type="firstRow"><w:rPr/></w:tblStylePr>')
    kinds = [
        [e.type for e in read(package(table(*rows, properties=look), styles=s)) if e.type != "TextBlock"]
        for s in (plain, shaded)
    ]
    assert kinds == [["Table", "TableCell", "TableCell"], ["Table", "TableHeader", "TableCell"]]


def test_a_nested_table_stands_in_its_cell():
    document = read(package(table(cell(table(cell("in")) + p()))))
    assert outline(document) == [
        ("Table", 1, None), ("TableCell", 2, None), ("Table", 3, None), ("TableCell", 4, None), ("TextBlock", 5, "in"),
    ]  # fmt: skip


def test_captions_are_titles_of_tables_before_and_after():
    counter = '<w:fldSimple w:instr=" SEQ Table "><w:r><w:t>1</w:t></w:r></w:fldSimple>'
    after = p(run("Table ") + counter, "C")
    body = p("Table 1: Rates", "C") + table(cell("a")) + p("x") + table(cell("b")) + after + p("Figure 1", "C") + p("y")
    found = outline(read(package(body)))
    assert [x for x in found if x[1] == 1] == [
        ("Table", 1, "Table 1: Rates"), ("TextBlock", 1, "x"), ("Table", 1, "Table 1"), ("TextBlock", 1, "Figure 1"),
        ("TextBlock", 1, "y"),
    ]  # fmt: skip


def test_notes_follow_the_body_and_running_heads_and_comments_are_not_main():
    ref = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    end = '<w:sectPr><w:headerReference r:id="header1.xml"/><w:footerReference r:id="footer1.xml"/></w:sectPr>'
    document = read(
        package(
            p("Head", "H1") + p(run("Text") + ref + '<w:r><w:commentReference w:id="0"/></w:r>') + end,
            footnotes=f'<w:footnote w:type="separator" w:id="0">{p("---")}</w:footnote>'
            f'<w:footnote w:id="1">{p("never")}</w:footnote><w:footnote w:id="2">{p("Note")}</w:footnote>',
            comments=f'<w:comment w:id="0">{p("Check")}</w:comment>',
            header1=p("Top"),
            footer1=p("Page 1"),
        )
    )
    assert outline(document) == [
        ("TextBlock", 1, "Top"), ("Section", 1, "Head"), ("TextBlock", 2, "Text"), ("TextBlock", 1, "Note"),
        ("TextBlock", 1, "Check"), ("TextBlock", 1, "Page 1"),
    ]  # fmt: skip
    assert texts(document, main=True) == ["Head", "Text", "Note"]
    assert list(document.table.marks["role"].values()) == [
        "header", "section-heading", "paragraph", "footnote", "comment", "footer",
    ]  # fmt: skip


def test_a_header_of_first_pages_counts_only_where_there_are_such():
    first = '<w:headerReference w:type="first" r:id="header1.xml"/>'
    for title_page, count in (("", 0), ("<w:titlePg/>", 1)):
        content = package(p("a") + f"<w:sectPr>{first}{title_page}</w:sectPr>", header1=p("Top"))
        assert texts(read(content)).count("Top") == count


def test_a_text_box_in_two_branches_is_read_once_after_its_paragraph():
    box = f"<w:txbxContent>{p('Box')}</w:txbxContent>"
    alternate = (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing>'
        f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert texts(read(package(p(run("Anchor") + alternate) + p("Next")))) == ["Anchor", "Box", "Next"]


def test_alternative_texts_of_pictures_are_not_main_and_can_be_left_out():
    picture = '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="A house"/></wp:inline></w:drawing></w:r>'
    content = package(p(run("a") + picture))
    assert texts(read(content), main=False) == ["A house"]
    assert texts(read(content, images=False)) == ["a"]


def test_a_locator_is_the_path_of_its_paragraph_in_the_part():
    content = package(
        p("x") + "<w:sdt><w:sdtPr/><w:sdtContent>" + p("found") + "</w:sdtContent></w:sdt>" + table(cell("c"))
    )
    document = read(content)
    for element, text in ((1, "found"), (4, "c")):
        name, _, path = document.table.marks["locator"][element].partition("#")
        root = etree.fromstring(zipfile.ZipFile(io.BytesIO(content)).read(name))
        assert "".join(root.xpath(path)[0].itertext()) == text


def test_links_have_their_places_in_the_text():
    relations = '<Relationship Id="u" Type="x/hyperlink" Target="http://a.example/" TargetMode="External"/>'
    link = f'<w:hyperlink r:id="u" w:anchor="top">{run("here")}</w:hyperlink>'
    code = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "http://b.example/" </w:instrText></w:r>'
    code += f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("there")}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    document = read(package(p(run("  Go ") + link + run(" or ") + code), relations=relations))
    assert texts(document) == ["Go here or there"]
    assert json.loads(document.table.marks["links"][0]) == [
        [3, 7, "http://a.example/#top"],
        [11, 16, "http://b.example/"],
    ]


CHUNK = '<Relationship Id="c1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk" Target="{}"/>'
IMPORT = '<w:altChunk r:id="c1"/>'
HTML = (
    "<html><body><h1>In</h1><p>One.</p><h2>Deep</h2><ul><li>a<ul><li>b</li></ul></li></ul>"
    "<table><tr><th>H</th></tr><tr><td>c</td></tr></table></body></html>"
)


def imported(name, content, body=None):
    body = body or p("Head", "H1") + IMPORT + p("After.")
    return read(package(body, relations=CHUNK.format(name), **{f"word/{name}": content}))


def test_imported_html_stands_where_it_is_imported():
    assert outline(imported("a.html", HTML)) == [
        ("Section", 1, "Head"),
        ("Section", 1, "In"),
        ("TextBlock", 2, "One."),
        ("Section", 2, "Deep"),
        ("List", 3, None),
        ("ListItem", 4, None),
        ("TextBlock", 5, "a"),
        ("List", 5, None),
        ("ListItem", 6, None),
        ("TextBlock", 7, "b"),
        ("Table", 3, None),
        ("TableHeader", 4, None),
        ("TextBlock", 5, "H"),
        ("TableCell", 4, None),
        ("TextBlock", 5, "c"),
        ("TextBlock", 3, "After."),
    ]


def test_imported_word_documents_mail_pages_and_texts_are_read():
    inner = package(p("Inner", "H1") + p("Text of it."))
    assert texts(imported("a.docx", inner)) == ["Head", "Inner", "Text of it.", "After."]
    page = b"MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body><p>M\xc3\xa4il.</p></body></html>"
    assert texts(imported("a.mht", page)) == ["Head", "Mäil.", "After."]
    assert texts(imported("a.txt", "One.\n\nTwo.")) == ["Head", "One.", "Two.", "After."]


def test_imported_parts_in_cells_have_no_sections():
    document = imported("a.html", "<html><body><h1>In</h1><p>One.</p></body></html>", table(cell(IMPORT)))
    assert outline(document) == [
        ("Table", 1, None), ("TableCell", 2, None), ("TextBlock", 3, "In"), ("TextBlock", 3, "One."),
    ]  # fmt: skip


def test_imported_parts_that_are_missing_or_of_other_formats_are_told():
    for name, content in (("a.rtf", "{\\rtf1 x}"), ("a.docx", b"PK\x03\x04 damaged"), ("b.html", "")):
        document = imported(name, content)
        assert texts(document) == ["Head", "After."]
        assert len(document.warnings) == 1
    assert len(read(package(IMPORT)).warnings) == 1


def test_documents_in_documents_come_to_an_end():
    content = package(p("0"))
    for number in range(1, 8):
        content = package(p(str(number)) + IMPORT, relations=CHUNK.format("a.docx"), **{"word/a.docx": content})
    document = read(content)
    assert texts(document) == ["7", "6", "5", "4", "3"]
