"""``corpuskit textworks``: artifact corpora and single files."""

import shutil

import pytest

from corpuskit.demo import demo_data


def test_artifacts_beside_pdf_files_are_asked_for_and_dropped(cli, tmp_path):
    corpus = tmp_path / "c"
    pdf = demo_data() / "files" / "tram-noise-report.pdf"
    assert cli("add", corpus, pdf).out == "1 new\n"
    entry = corpus / "originals" / f"{pdf.name}.d"
    assert [file.name for file in entry.iterdir()] == [pdf.name]
    cli("add", "--textworks", corpus, pdf)
    size = sum(file.stat().st_size for file in entry.glob("*.json"))
    assert cli("textworks", "drop", "--corpus", corpus).out == f"{size:,} bytes removed\n"
    assert [file.name for file in entry.iterdir()] == [pdf.name]


@pytest.mark.slow
def test_the_command_lines_of_textworks_are_taken(cli, tmp_path):
    root, file = tmp_path / "root", tmp_path / "x.pdf"
    root.mkdir()
    for target in (root / "a.pdf", file):
        shutil.copy(demo_data() / "files" / "tram-noise-report.pdf", target)
    assert cli("textworks", "--init-corpus", root).out == f"1 new entry in {root}\n"
    assert cli("textworks", "--corpus", root).out == "made     a.pdf.d\n"
    assert (root / "a.pdf.d" / "textgrid.json").exists()
    out = tmp_path / "x.json"
    assert cli("textworks", "--file", file, "--output", out).out == f"{out}\n"
    refused = cli("textworks", "--file", file, "--output", out)
    assert (refused.code, refused.err) == (
        1,
        f"corpuskit: {out} is there already; --overwrite makes it again\n",
    )
    assert cli("textworks", "--input", file, "--output", out, "--overwrite").code == 0
    (tmp_path / "list.txt").write_text(f"{file}\n{tmp_path / 'nowhere.pdf'}\n")
    done = cli("textworks", "--input-list", tmp_path / "list.txt", "--output-ext", "grid.json")
    assert done.code == 3
    assert done.out.splitlines()[0] == f"made     {file}.grid.json"
    assert "nowhere.pdf cannot be read" in done.out
    assert cli("textworks").code == 2
    done = cli("textworks", "--corpus", root, "--overwrite", "--options", "dehyphenate", "--annotations")
    assert done.out == "made     a.pdf.d\n"
    assert (root / "a.pdf.d" / "annotations.json").exists()
    assert "there is only dehyphenate" in cli("textworks", "--corpus", root, "--options", "shout").err


@pytest.mark.slow
def test_textworks_artifacts_are_made_once_and_an_unprepared_folder_is_told_what_to_do(cli, tmp_path):
    from corpuskit.demo import demo_data

    for file in (demo_data() / "files").glob("*.pdf"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    refused = cli("textworks", "run", "--corpus", tmp_path)
    assert refused.code == 1
    assert "textworks init" in refused.err
    assert cli("textworks", "init", "--corpus", tmp_path).out.startswith("4 new entries")
    made = cli("textworks", "run", "--corpus", tmp_path, "--filter", ".*policy.*")
    assert made.out.split() == ["made", "household-policy-booklet.pdf.d"]
    folder = tmp_path / "household-policy-booklet.pdf.d"
    assert {"segmentation.json", "textgrid.json"} <= {file.name for file in folder.iterdir()}
    again = cli("textworks", "run", "--corpus", tmp_path)
    assert sorted(line.split()[0] for line in again.out.splitlines()) == ["made", "made", "made", "skipped"]
