import shutil

import pytest

from corpuskit.errors import UnsupportedMediaTypeError
from corpuskit.extraction import extract_bytes
from corpuskit.sources import detect_media_type

RTF = (
    rb"{\rtf1\ansi{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}"
    rb"\pard\s1\outlinelevel0 Rates\par\pard\s0 3 % a year.\par}"
)


def test_without_libreoffice_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UnsupportedMediaTypeError, match="install it"):
        extract_bytes(RTF, media_type=detect_media_type(RTF, "a.rtf"))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
def test_a_rich_text_file_is_read_through_libreoffice():
    document = extract_bytes(RTF, media_type="application/rtf")
    assert [(e.type, e.text) for e in document] == [("Section", "Rates\n3 % a year."), ("TextBlock", "3 % a year.")]
