"""Extractors of formats converted by LibreOffice: Word before 2007, OpenDocument, RTF, presentations."""

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

_TIMEOUT_SECONDS: Final = 90
_TO_WORD: Final = "docx:Office Open XML Text"
_PROGRAMS: Final = ("soffice", "libreoffice")


@extracts("application/msword", "application/vnd.oasis.opendocument.text", "application/rtf", "text/rtf")
def extract_text_document(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """Extract a ``.doc``, ``.odt`` or ``.rtf`` file, converted to ``.docx`` by LibreOffice.

    Raises:
        UnsupportedMediaTypeError: LibreOffice is not installed.
        ExtractionError: LibreOffice cannot read the file.
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
    """Extract a ``.pptx`` or ``.odp`` file, converted to PDF by LibreOffice; raise as :func:`extract_text_document`."""
    from corpuskit.extraction.pdf import extract_pdf

    converted = convert(content, "pdf", uri or "input")
    return extract_pdf(converted, uri=uri, options=options, charset=charset)


def convert(content: bytes, target: str, where: str) -> bytes:
    """Convert a file with LibreOffice; ``target`` is an argument of ``soffice --convert-to``.

    A temporary profile allows parallel runs and isolates the conversion from the settings of the user.
    """
    program = next((path for name in _PROGRAMS if (path := shutil.which(name))), None)
    if program is None:
        raise UnsupportedMediaTypeError(
            f"{where}: this format requires LibreOffice, which is not installed: install it "
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
            done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise ExtractionError(f"{where}: LibreOffice did not finish within {_TIMEOUT_SECONDS} s") from error
        converted_file = source.with_suffix("." + target.partition(":")[0])
        if not converted_file.exists():
            error_output = done.stderr.decode("utf-8", "replace").strip()[-200:]
            raise ExtractionError(
                f"{where}: LibreOffice cannot read the file{': ' + error_output if error_output else ''}"
            )
        return converted_file.read_bytes()
