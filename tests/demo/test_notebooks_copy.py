from corpuskit.demo.notebooks import copy_notebooks


def test_notebooks_are_copied_once_and_changes_stay(tmp_path):
    names = copy_notebooks(tmp_path / "nb")
    assert names[0] == "01_collect.ipynb"
    (tmp_path / "nb" / names[0]).write_text("mine", "utf-8")
    assert copy_notebooks(tmp_path / "nb") == []
    assert (tmp_path / "nb" / names[0]).read_text("utf-8") == "mine"
