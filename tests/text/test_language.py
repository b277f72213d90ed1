"""The language of texts, and of what is too short to tell."""

import pytest

from corpuskit.text import detect_language, detect_languages


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("The insurance company pays for damage by water when a river rises over its banks.", "en"),
        ("L'assureur paie les dommages causés par l'eau lorsqu'une rivière sort de son lit.", "fr"),
        ("Die Versicherung zahlt für Schäden durch Wasser, wenn ein Fluss über die Ufer tritt.", "de"),
        ("保険会社は川が氾濫したときの水害による損害を支払います。これは重要なことです。", "ja"),
    ],
)
def test_sentences_have_their_language(text, lang):
    assert detect_language(text) == lang


def test_short_texts_are_unknown_unless_the_source_says():
    assert detect_languages(["OK", "", None, "12345 67890 12345", "Home"]) == ["?"] * 5
    assert detect_language("OK", hint="fr-CA") == "fr"


def test_the_text_decides_against_the_hint():
    assert (
        detect_language("Die Versicherung zahlt für Schäden durch Wasser, wenn ein Fluss über die Ufer tritt.", "en")
        == "de"
    )


def test_a_text_that_is_capitals_for_the_most_part_is_told_as_in_small_letters():
    licence = (
        "Ptyprocess is under the ISC license, as code derived from Pexpect.\n    http://opensource.org/licenses/ISC\n\n"
        "Copyright (c) 2013-2014, Pexpect development team\nCopyright (c) 2012, Noah Spurrier <noah@noah.org>\n\n"
        "PERMISSION TO USE, COPY, MODIFY, AND/OR DISTRIBUTE THIS SOFTWARE FOR ANY PURPOSE\n"
        "WITH OR WITHOUT FEE IS HEREBY GRANTED, PROVIDED THAT THE ABOVE COPYRIGHT NOTICE\n"
        "AND THIS PERMISSION NOTICE APPEAR IN ALL COPIES."
    )
    assert detect_language(licence) == "en"
    assert detect_language("COPYRIGHT 2024") == "?"
