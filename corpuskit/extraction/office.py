"""Formats that LibreOffice reads, through its conversion: Word before 2007, OpenDocument, RTF, presentations."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ExtractionError, UnsupportedMediaTypeError
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.options import ExtractOptions

_SECONDS: Final = 90
_TO_WORD: Final = "docx:Office Open XML Text"
_PROGRAMS: Final = ("soffice", "libreoffice")


@extracts("application/msword", "application/vnd.oasis.opendocument.text", "application/rtf", "text/rtf")
def extract_text_document(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """A ``.doc``, ``.odt`` or ``.rtf`` as the Word document that LibreOffice makes of it.

    Raises:
        UnsupportedMediaTypeError: LibreOffice is not installed.
        ExtractionError: it cannot read the file.
    """
    from corpuskit.extraction.docx import extract_docx

    converted = convert(content, _TO_WORD, uri or "input")
    return extract_docx(converted, uri=uri, options=options, charset=charset)


@extracts(
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.oasis.opendocument.presentation",
)
def extract_presentation(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """A ``.pptx`` or ``.odp`` as the PDF file that LibreOffice makes of it. Raises as :func:`extract_text_document`."""
    from corpuskit.extraction.pdf import extract_pdf

    converted = convert(content, "pdf", uri or "input")
    return extract_pdf(converted, uri=uri, options=options, charset=charset)


def convert(content: bytes, target: str, where: str) -> bytes:
    """A file in another format; ``target`` as ``soffice --convert-to`` takes it.

    It runs with a profile of its own, so that several can run at once and no setting of the user's counts.
    """
    program = next((path for name in _PROGRAMS if (path := shutil.which(name))), None)
    if program is None:
        raise UnsupportedMediaTypeError(
            f"{where}: this format is read through LibreOffice, which is not installed; install it "
            "(https://www.libreoffice.org, or apt-get install libreoffice-writer-nogui), or save the file as .docx or .pdf"
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source = Path(folder) / "source"
        source.write_bytes(content)
        profile = (Path(folder) / "profile").as_uri()
        command = [
            program, f"-env:UserInstallation={profile}", "--headless", "--norestore", "--convert-to", target,
            "--outdir", folder, str(source),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise ExtractionError(f"{where}: LibreOffice took more than {_SECONDS} s") from error
        made = source.with_suffix("." + target.partition(":")[0])
        if not made.exists():
            said = done.stderr.decode("utf-8", "replace").strip()[-200:]
            raise ExtractionError(f"{where}: LibreOffice cannot read it{': ' + said if said else ''}")
        return made.read_bytes()
