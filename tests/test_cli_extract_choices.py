"""What ``corpuskit extract`` leaves out is told; nothing is filtered away unsaid."""

import subprocess
import sys

import pytest

TEXTS = {
    "en": "The storm took the slates of forty houses, and nobody was hurt when the old elm fell over the lane.",
    "fr": "La tempête a emporté les ardoises de quarante maisons, et personne ne fut blessé quand l'orme tomba.",
}


def run(*arguments):
    command = [sys.executable, "-c", "from corpuskit.cli import main; main()", "extract", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def pages(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for lang, text in TEXTS.items():
        (folder / f"{lang}.html").write_text(f"<html lang={lang}><title>{lang}</title><p>{text}</p>", "utf-8")
    return folder


@pytest.mark.parametrize("by", ["model", "trafilatura"])
def test_pages_in_another_language_make_no_file_and_are_told(pages, tmp_path, by):
    done = run(pages, "-o", tmp_path / "out", "--target-language", "fr", "-f", "txt", "--main-by", by)
    assert (done.returncode, done.stdout) == (0, f"1 document in {tmp_path / 'out'}, 1 left out\n")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["fr.html.txt"]
    assert done.stderr.startswith(f"corpuskit: {pages / 'en.html'} left out: ")
    if by == "model":
        assert "target_language is 'fr', and its text is in 'en'" in done.stderr


def test_pages_without_metadata_are_told(pages):
    done = run(pages / "en.html", "--only-with-metadata", "-f", "txt")
    assert (done.returncode, done.stdout) == (0, "")
    assert "left out: only_with_metadata, and it has no date" in done.stderr


def test_a_second_word_behind_a_filter_is_no_input(pages, tmp_path):
    done = run(pages / "en.html", pages / "fr.html", "--url-filter", "en", "fr", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr == "corpuskit: fr: no such file or folder; --url-filter is given once for each part\n"
    assert not (tmp_path / "out").exists()
