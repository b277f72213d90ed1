"""The published examples of frenchtext's normaliser, and Unicode's own statements about characters."""

import unicodedata

import pytest

from corpuskit.text import normalize

# Examples of frenchtext's documentation: input → output.
VECTORS = {
    "½ ① Ⅳ x² H₂O": "1/2 (1) +4 x(2) H(2)O",
    "ﬁn œuf": "fin oeuf",
    "раypal": "paypal",
    "☎": "$BlackTelephone_",
}


@pytest.mark.parametrize("source", VECTORS)
def test_the_examples_of_frenchtext(source):
    assert normalize(source, "french").text == VECTORS[source]


def test_all_control_characters_of_windows_1252_are_read_as_such():
    for code in range(0x80, 0xA0):
        try:
            char = bytes([code]).decode("cp1252")
        except UnicodeDecodeError:
            continue
        assert normalize(chr(code), layers=["win1252_as_latin1"]).text == char


def test_the_utf8_of_every_letter_of_windows_1252_is_repaired():
    """In a word, as it is met: between letters."""
    wrong = []
    for code in range(0xC0, 0x100):
        char = bytes([code]).decode("cp1252")
        bad = "".join(bytes([byte]).decode("cp1252", "replace").replace("\ufffd", chr(byte)) for byte in char.encode())
        if char.isalpha() and normalize(f"b{bad}b", layers=["utf8_as_win1252"]).text != f"b{char}b":
            wrong.append(char)
    assert wrong == []


def test_the_combining_layer_is_normalisation_form_c():
    for code in range(0xC0, 0x2000):
        decomposed = unicodedata.normalize("NFD", chr(code))
        assert normalize(decomposed, layers=["combining"]).text == unicodedata.normalize("NFC", decomposed)
    hangul = unicodedata.normalize("NFD", "한국어 텍스트")
    assert normalize(hangul, layers=["combining"]).text == "한국어 텍스트"


def test_every_vulgar_fraction_has_its_value():
    for code in (0xBC, 0xBD, 0xBE, *range(0x2150, 0x215F)):
        over, under = normalize(chr(code), "english").text.split("/")
        assert int(over) / int(under) == pytest.approx(unicodedata.numeric(chr(code)))
