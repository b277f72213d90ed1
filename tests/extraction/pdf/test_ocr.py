"""Scanned pages through OCRmyPDF; a program of that name stands in for it."""

import json
import sys

import pytest
from pdf_builder import Page, pdf
from pdf_reading import PROSE, read

from corpuskit.errors import ConfigurationError, ExtractionError
from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.pdf.extract import with_text_layer

SCAN = pdf(Page().box(60, 60, 300, 300))
LAYERED = pdf(Page().lines(60, 100, PROSE, mode=3))

if sys.platform == "win32":
    pytest.skip("the stand-in is a shell script", allow_module_level=True)


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Puts an ``ocrmypdf`` on the path that runs these lines of shell."""

    def put(script):
        path = tmp_path / "bin" / "ocrmypdf"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")

    return put


def test_pages_without_text_get_it_from_ocrmypdf(program, tmp_path):
    (tmp_path / "layered.pdf").write_bytes(LAYERED)
    program(f'echo "$@" > {tmp_path}/called; for last; do :; done; cp {tmp_path}/layered.pdf "$last"')
    assert read(SCAN).metadata["status"] == "no_text"
    document = read(SCAN, ocr=True, ocr_language="deu")
    assert document.to_text() == " ".join(PROSE)
    assert document.metadata["ocr"] == "ocrmypdf"
    assert "status" not in document.metadata
    called = (tmp_path / "called").read_text().split()
    assert "--skip-text" in called
    assert called[called.index("-l") + 1] == "deu"


@pytest.mark.whole
@pytest.mark.feature("compat")
def test_the_artifacts_are_those_of_the_pages_with_text(program, tmp_path):
    (tmp_path / "layered.pdf").write_bytes(LAYERED)
    program(f'for last; do :; done; cp {tmp_path}/layered.pdf "$last"')
    (tmp_path / "scan.pdf.d").mkdir()
    from corpuskit.compat.textworks.extractor import extract_pdf_with_artifacts

    extract_pdf_with_artifacts(SCAN, uri="x", options=ExtractOptions(ocr=True), folder=tmp_path / "scan.pdf.d")
    written = json.loads((tmp_path / "scan.pdf.d" / "segmentation.json").read_text("utf-8"))
    assert written["pages"][0]["blocks"][0]["lines"][0][0][:2] == ["The", "river"]


def test_a_file_with_text_is_left_alone(program, tmp_path):
    program(f"touch {tmp_path}/called; exit 1")
    assert read(pdf(Page().lines(60, 100, PROSE)), ocr=True).to_text() == " ".join(PROSE)
    assert not (tmp_path / "called").exists()


def test_a_missing_program_is_told_with_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match="apt-get install ocrmypdf"):
        read(SCAN, ocr=True)


def test_a_failure_of_the_program_is_an_error_of_the_file(program):
    program("echo no such language >&2; exit 3")
    with pytest.raises(ExtractionError, match="no such language"):
        read(SCAN, ocr=True)


def test_the_program_is_ended_after_its_time(program):
    program("exec sleep 20")
    with pytest.raises(ExtractionError, match=r"more than 0\.5 s"):
        with_text_layer(SCAN, language="eng", where="x", seconds=0.5)
