"""What runs, fields, tracked changes and equations give; by ECMA-376 part 1 and Unicode Technical Note 28."""

import pytest
from docx_packages import cell, p, package, read, run, style, table, texts


def text_of(content, **options):
    return texts(read(package(p(content)), **options))


FIELD = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>", ["a\tb\nc"]),
        ("<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t></w:r>", ["a\u2011b\u00adc"]),
        ('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0E0"/></w:r>', ["α→"]),
        (run("\uf062", '<w:rFonts w:ascii="Symbol"/>'), ["β"]),
        (run("seen") + run("hidden", "<w:vanish/>"), ["seen"]),
        (run("seen", '<w:vanish w:val="0"/>'), ["seen"]),
        (f"<w:smartTag>{run('tag')}</w:smartTag><w:sdt><w:sdtContent>{run('box')}</w:sdtContent></w:sdt>", ["tagbox"]),
        (f'<w:bdo w:val="rtl">{run("שלום")}</w:bdo>', ["שלום"]),
        (
            "<w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase>"
            "</w:ruby></w:r>",
            ["漢"],
        ),
        (
            f"{FIELD.format('begin')}<w:r><w:instrText>PAGE</w:instrText></w:r>{FIELD.format('separate')}{run('7')}"
            f"{FIELD.format('end')}",
            ["7"],
        ),
        (
            '<w:r><mc:AlternateContent><mc:Choice Requires="w16se"><x/></mc:Choice><mc:Fallback><w:t>😃</w:t>'
            "</mc:Fallback></mc:AlternateContent></w:r>",
            ["😃"],
        ),
        ("<w:r><w:t>two\n   lines</w:t></w:r>", ["two lines"]),
    ],
)
def test_runs_give_their_text(content, expected):
    assert text_of(content) == expected


def test_a_hidden_style_hides_its_runs_and_a_direct_value_shows_them():
    hidden = style("V", "v", kind="character", more="<w:rPr><w:vanish/></w:rPr>")
    body = p(run("a", '<w:rStyle w:val="V"/>') + run("b", '<w:rStyle w:val="V"/><w:vanish w:val="0"/>'))
    assert texts(read(package(body, styles=hidden))) == ["b"]


def test_a_run_shows_in_a_paragraph_whose_style_is_hidden_where_it_says_so():
    hidden = style("V", "v", more="<w:rPr><w:vanish/></w:rPr>")
    body = p(run("a") + run("b", '<w:vanish w:val="0"/>') + run("c", "<w:b/>"), "V")
    assert texts(read(package(body, styles=hidden))) == ["b"]


def test_scripts_are_plain_in_the_text_and_marked_in_the_notation():
    low, high = '<w:vertAlign w:val="subscript"/>', '<w:vertAlign w:val="superscript"/>'
    document = read(package(p(run("Fe") + run("3", low) + run("O") + run("4", low) + run(" {x} a") + run("2", high))))
    assert texts(document) == ["Fe3O4 {x} a2"]
    assert document.table.marks["tex"] == {0: r"{Fe_{3}O_{4}} \{x\} {a^{2}}"}


def r(text):
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        (f"<m:sSup><m:e>{r('c')}</m:e><m:sup>{r('2')}</m:sup></m:sSup>", "c^2"),
        (f"<m:sSub><m:e>{r('a')}</m:e><m:sub>{r('n+1')}</m:sub></m:sSub>", "a_(n+1)"),
        (f"<m:f><m:num>{r('a+b')}</m:num><m:den>{r('2')}</m:den></m:f>", "(a+b)/2"),
        (f"<m:rad><m:deg>{r('3')}</m:deg><m:e>{r('x')}</m:e></m:rad>", "√(3&x)"),
        (f"<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e>{r('x')}</m:e></m:rad>", "√(x)"),
        (
            f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{r('n=1')}</m:sub><m:sup>{r('∞')}</m:sup>"
            f"<m:e>{r('n')}</m:e></m:nary>",
            "∑_(n=1)^∞ n",
        ),
        (f"<m:d><m:e>{r('x')}</m:e><m:e>{r('y')}</m:e></m:d>", "(x|y)"),
        (f"<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e>{r('x')}</m:e></m:d>", "[x]"),
        (f"<m:func><m:fName>{r('sin')}</m:fName><m:e>{r('x')}</m:e></m:func>", "sin x"),
        (
            f"<m:m><m:mr><m:e>{r('a')}</m:e><m:e>{r('b')}</m:e></m:mr><m:mr><m:e>{r('c')}</m:e><m:e>{r('d')}</m:e>"
            "</m:mr></m:m>",
            "(a, b; c, d)",
        ),
        (f"<m:acc><m:e>{r('x')}</m:e></m:acc>", "x\u0302"),
    ],
)
def test_equations_stand_in_one_line(equation, expected):
    document = read(package(p(f"<m:oMathPara><m:oMath>{equation}</m:oMath></m:oMathPara>")))
    assert texts(document) == [expected]
    assert document.table.marks["role"] == {0: "equation"}


CHANGED = run("a") + f"<w:ins>{run('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"


def test_tracked_changes_are_accepted_or_undone():
    assert text_of(CHANGED) == ["anew"]
    assert text_of(CHANGED, tracked_changes="original") == ["aold"]


def test_moved_text_is_once_in_either_reading():
    moved = p(f"<w:moveFrom>{run('m')}</w:moveFrom>" + run("1")) + p(f"<w:moveTo>{run('m')}</w:moveTo>" + run("2"))
    assert texts(read(package(moved))) == ["1", "m2"]
    assert texts(read(package(moved), tracked_changes="original")) == ["m1", "2"]


def test_a_deleted_paragraph_mark_joins_paragraphs_and_an_inserted_one_parts_them():
    deleted = p("one", properties="<w:rPr><w:del/></w:rPr>") + p("two")
    inserted = deleted.replace("<w:del/>", "<w:ins/>")
    readings = [
        texts(read(package(body), tracked_changes=which))
        for body in (deleted, inserted)
        for which in ("accepted", "original")
    ]
    assert readings == [["onetwo"], ["one", "two"], ["one", "two"], ["onetwo"]]


def test_deleted_rows_are_left_out():
    row = f"<w:tr><w:trPr><w:del/></w:trPr>{cell('gone')}</w:tr>"
    content = package(table(cell("kept"), row))
    assert texts(read(content)) == ["kept"]
    assert texts(read(content, tracked_changes="original")) == ["kept", "gone"]


def test_a_drop_capital_belongs_to_its_paragraph():
    assert texts(read(package(p("D", properties='<w:framePr w:dropCap="drop"/>') + p("rop cap")))) == ["Drop cap"]
