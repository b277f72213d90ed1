"""What ``corpuskit extract`` leaves out is told; nothing is filtered away unsaid."""

import pytest

TEXTS = {
    "en": "The storm took the slates of forty houses, and nobody was hurt when the old elm fell over the lane.",
    "fr": "La tempête a emporté les ardoises de quarante maisons, et personne ne fut blessé quand l'orme tomba.",
}


@pytest.fixture
def pages(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for lang, text in TEXTS.items():
        (folder / f"{lang}.html").write_text(f"<html lang={lang}><title>{lang}</title><p>{text}</p>", "utf-8")
    return folder


@pytest.mark.parametrize("by", ["model", "trafilatura"])
def test_pages_in_another_language_make_no_file_and_are_told(cli, pages, tmp_path, by):
    done = cli("extract", pages, "-o", tmp_path / "out", "--target-language", "fr", "-f", "txt", "--main-by", by)
    assert (done.code, done.out) == (0, f"1 document in {tmp_path / 'out'}, 1 left out\n")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["fr.html.txt"]
    assert done.err.startswith(f"corpuskit: {pages / 'en.html'} left out: ")
    if by == "model":
        assert "target_language is 'fr', and its text is in 'en'" in done.err


def test_pages_without_metadata_are_told(cli, pages):
    done = cli("extract", pages / "en.html", "--only-with-metadata", "-f", "txt")
    assert (done.code, done.out) == (0, "")
    assert "left out: only_with_metadata, and it has no date" in done.err


def test_a_second_word_behind_a_filter_is_no_input(cli, pages, tmp_path):
    done = cli("extract", pages / "en.html", pages / "fr.html", "--url-filter", "en", "fr", "-o", tmp_path / "out")
    assert done.code == 2
    assert done.err == "corpuskit: fr: no such file or folder; --url-filter is given once for each part\n"
    assert not (tmp_path / "out").exists()
