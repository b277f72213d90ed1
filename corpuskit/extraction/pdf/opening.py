"""Opens a PDF; a damaged one is mended once."""

from __future__ import annotations

import io
import logging
import re
from dataclasses import dataclass
from typing import Any, Final

from corpuskit.errors import EncryptedDocumentError, ExtractionError, MissingExtraError, ResourceLimitError

_log = logging.getLogger(__name__)

MANY_PAGES: Final = 20_000
"""More pages are believed only after pikepdf has counted them: a damaged page tree can claim any number."""
_BY_CERTIFICATE: Final = re.compile(rb"/Filter\s*/Adobe\.PubSec")


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
    """Opens a PDF; one that pdfium refuses, or in which it finds no page, is mended by pikepdf and tried again.

    Raises:
        EncryptedDocumentError: a password is needed, or it is wrong.
        ExtractionError: no PDF, or damaged beyond repair.
        ResourceLimitError: more than :data:`MANY_PAGES` real pages.
        MissingExtraError: pypdfium2 is not installed.
    """
    if b"%PDF-" not in content[:4096] and b"%PDF-" not in content[-1_000_000:]:
        found = "nothing" if not content else f"{content[:20]!r}"
        raise ExtractionError(f"{where}: found {found}, expected a PDF, which starts with %PDF-")
    pdf, reason = _load(content, password, where)
    if pdf is not None and 0 < len(pdf) <= MANY_PAGES:
        return Opened(pdf, is_encrypted=_is_encrypted(pdf))
    if pdf is not None:
        reason = f"{len(pdf):,} pages"
        pdf.close()
    mended = _mended(content, password, where)
    if mended is not None:
        pdf, _ = _load(mended, None, where)
        if pdf is not None and len(pdf) > MANY_PAGES:
            pdf.close()
            raise ResourceLimitError(f"{where}: {reason}, the limit is {MANY_PAGES:,}")
        if pdf is not None and len(pdf):
            return Opened(pdf, is_repaired=True)
    raise ExtractionError(f"{where}: damaged beyond repair ({reason})")


def _load(content: bytes, password: str | None, where: str) -> tuple[Any, str]:
    """The document of pypdfium2, or None and why not."""
    try:
        import pypdfium2
        from pypdfium2 import raw
    except ImportError:
        raise MissingExtraError("pypdfium2", "pdf") from None
    try:
        return pypdfium2.PdfDocument(content, password=password), ""
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code == raw.FPDF_ERR_PASSWORD or "password" in str(error).lower():
            raise _locked(where, password) from error
        if code == raw.FPDF_ERR_SECURITY and _BY_CERTIFICATE.search(content):
            raise EncryptedDocumentError(
                f"{where}: encrypted for the holders of certificates; save a copy without protection and add that"
            ) from error
        return None, str(error)


def _locked(where: str, password: str | None) -> EncryptedDocumentError:
    said = "the password is wrong" if password else "a password is needed (options.password)"
    return EncryptedDocumentError(f"{where}: {said}")


def _is_encrypted(pdf: Any) -> bool:
    from pypdfium2 import raw

    return bool(raw.FPDF_GetSecurityHandlerRevision(pdf) != -1)


def _mended(content: bytes, password: str | None, where: str) -> bytes | None:
    """The file written anew by pikepdf, which finds objects without the table of their places.

    Raises:
        EncryptedDocumentError: it knows the encryption, and needs another password.
    """
    try:
        import pikepdf
    except ImportError:
        _log.info("a damaged PDF could be mended with pikepdf: pip install 'corpuskit[pdf]'")
        return None
    written = io.BytesIO()
    try:
        with pikepdf.open(io.BytesIO(content), password=password or "") as pdf:
            if not len(pdf.pages):
                return None
            pdf.save(written)
    except pikepdf.PasswordError as error:
        raise _locked(where, password) from error
    except (pikepdf.PdfError, ValueError, RuntimeError, OverflowError, RecursionError) as error:
        _log.info("pikepdf cannot mend it: %s", error)
        return None
    return written.getvalue()
