import pytest

from corpuskit.errors import ExportError
from corpuskit.export.xml_check import check_xml

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>T</title></titleStmt>
<publicationStmt><p>x</p></publicationStmt><sourceDesc><p>y</p></sourceDesc></fileDesc></teiHeader>
<text><body>{}</body></text></TEI>"""


def test_check_tells_a_valid_file_from_one_that_breaks_its_schema(cli, tmp_path):
    good, bad = tmp_path / "good.xml", tmp_path / "bad.xml"
    good.write_text(TEI.format("<p>a</p>"))
    bad.write_text(TEI.format("\n<p>a<para/></p>"))
    assert (cli("check", good).code, cli("check", good).out) == (0, f"{good}: valid\n")
    result = cli("check", bad)
    assert result.code == 3
    assert "No declaration for element para" in result.out


def test_tei_without_its_header_and_a_paragraph_behind_a_division_are_faults(tmp_path):
    file = tmp_path / "x.xml"
    for body in ("<div><p>a</p></div><p>b</p>", "<list/>", "<table><row/></table>", "<p>a</p><section/>"):
        file.write_text(TEI.format(body))
        assert check_xml(file), body
    file.write_text('<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>a</p></body></text></TEI>')
    assert check_xml(file)


def test_a_file_that_is_no_xml_has_the_line_of_its_fault(tmp_path):
    file = tmp_path / "x.xml"
    file.write_text("<a>\n<b>\n</a>")
    (fault,) = check_xml(file)
    assert fault.line == 3


def test_other_files_are_checked_by_a_schema_that_is_named(tmp_path):
    file = tmp_path / "x.xml"
    file.write_text("<a><b/></a>")
    with pytest.raises(ExportError, match="no schema is known for <a>"):
        check_xml(file)
    dtd = tmp_path / "x.dtd"
    dtd.write_text("<!ELEMENT a (b)><!ELEMENT b EMPTY>")
    assert check_xml(file, dtd) == []
    file.write_text("<a><c/></a>")
    assert check_xml(file, dtd)
    with pytest.raises(ExportError, match="cannot be read as a schema"):
        check_xml(file, tmp_path / "missing.rng")


def test_export_help_lists_each_format(cli):
    from corpuskit.export import format_names

    text = cli("export", "--help").out
    assert all(f" {name} " in text for name in format_names())
