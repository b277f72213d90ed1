"""Documents that three programs wrote of the same outlines: python-docx here, pandoc and LibreOffice in ``written/make.py``."""

import io
from pathlib import Path

import pytest
from docx_outlines import expected, found, parse, write_with_python_docx
from docx_packages import MEDIA_TYPE

from corpuskit.extraction import extract_bytes

WRITTEN = Path(__file__).parent / "written"
OUTLINES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(WRITTEN.glob("*.gold"))}


def read(content):
    return extract_bytes(content, media_type=MEDIA_TYPE)


def test_there_are_more_than_thirty_documents():
    assert 3 * len(OUTLINES) == 36


@pytest.mark.parametrize("name", OUTLINES)
def test_what_python_docx_wrote_is_read(name):
    nodes = parse(OUTLINES[name])
    buffer = io.BytesIO()
    write_with_python_docx(nodes, buffer)
    assert found(read(buffer.getvalue())) == list(expected(nodes))


@pytest.mark.parametrize("writer", ["pandoc", "libreoffice"])
@pytest.mark.parametrize("name", OUTLINES)
def test_what_other_programs_wrote_is_read(name, writer):
    content = (WRITTEN / f"{name}.{writer}.docx").read_bytes()
    assert found(read(content)) == list(expected(parse(OUTLINES[name])))
