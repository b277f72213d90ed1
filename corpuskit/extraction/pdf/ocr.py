"""Text for scanned pages, from OCRmyPDF where that is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from corpuskit.errors import ConfigurationError, ExtractionError

PROGRAM: Final = "ocrmypdf"
SECONDS: Final = 100  # a worker process is ended after 120; more scans than that takes are for ocrmypdf beforehand
_ENCRYPTED: Final = 8  # exit codes of OCRmyPDF: docs/advanced.rst, "Return code policy"


def with_text_layer(content: bytes, *, language: str, where: str, seconds: float = SECONDS) -> bytes:
    """The PDF with a text layer on pages that have none; the other pages stay as they are.

    Args:
        content: the PDF.
        language: what Tesseract calls it, such as ``eng`` or ``deu+fra``.
        where: what it is called in errors.
        seconds: it is ended after so long.

    Raises:
        ConfigurationError: OCRmyPDF is not installed.
        ExtractionError: it fails or takes too long.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        raise ConfigurationError(
            f"{where}: ocr=True needs OCRmyPDF, which is not installed; install it (apt-get install ocrmypdf, "
            "brew install ocrmypdf), or extract without ocr"
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "source.pdf", Path(folder) / "target.pdf"
        source.write_bytes(content)
        command = [
            program, "--skip-text", "--output-type", "pdf", "--quiet", "--jobs", "1", "-l", language,
            str(source), str(target),
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL, cwd=folder
            )
        except subprocess.TimeoutExpired as error:
            raise ExtractionError(f"{where}: OCRmyPDF took more than {seconds:g} s") from error
        if done.returncode or not target.exists():
            said = done.stderr.decode("utf-8", "replace").strip()[-300:]
            reason = "it is encrypted" if done.returncode == _ENCRYPTED else said or f"exit code {done.returncode}"
            raise ExtractionError(f"{where}: OCRmyPDF failed: {reason}")
        return target.read_bytes()
