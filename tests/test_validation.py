"""What stands where a path is expected: each reader says in a line what was found."""

import pytest

import corpuskit
from corpuskit import export
from corpuskit.errors import CorpusKitError, SourceError
from corpuskit.export.xml_check import check_xml

OF_A_FILE = {name: getattr(export, name) for name in export.__all__ if name.startswith("read_")}
OF_A_FILE |= {"read_nlptext": corpuskit.read_nlptext, "extract": corpuskit.extract, "check_xml": check_xml}
ALL = OF_A_FILE | {"open": corpuskit.open, "commoncrawl": corpuskit.commoncrawl}


def read(reader, given):
    found = reader(given)
    return list(found) if hasattr(found, "__next__") else found


@pytest.mark.parametrize("name", OF_A_FILE)
def test_a_folder_and_a_missing_file_are_told_by_name(name, tmp_path):
    for given in (tmp_path, tmp_path / "missing.tei.xml"):
        with pytest.raises(SourceError) as told:
            read(OF_A_FILE[name], given)
        assert given.name in str(told.value)
        assert "Errno" not in str(told.value)


@pytest.mark.feature("archives")
@pytest.mark.parametrize("name", ALL)
def test_an_empty_string_is_not_the_working_directory(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match=r"found .*expected"):
        read(ALL[name], "")
    assert not list(tmp_path.iterdir())


@pytest.mark.feature("archives")
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("given", [None, 5])
def test_what_is_no_path_is_told_with_what_was_expected(name, given):
    with pytest.raises((TypeError, SourceError), match="expected a") as told:
        read(ALL[name], given)
    assert isinstance(told.value, CorpusKitError) or "object" not in str(told.value)


@pytest.mark.parametrize("name", [name for name in OF_A_FILE if name != "check_xml"])
def test_a_file_of_something_else_is_an_error_of_corpuskit(name, tmp_path):
    (tmp_path / "junk").write_bytes(b"\x00\xff<junk")
    with pytest.raises(CorpusKitError):
        read(OF_A_FILE[name], tmp_path / "junk")
