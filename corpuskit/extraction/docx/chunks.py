"""Parts in other formats that a document imports (altChunk, 17.17.2.1): HTML, MHTML, text, other Word documents."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable
from email.message import EmailMessage
from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ExtractionError
from corpuskit.extraction.docx.package import Package
from corpuskit.extraction.options import ExtractOptions

_DEEPEST: Final = 4  # documents in documents
_ZIP: Final = b"PK\x03\x04"
_MIME: Final = (b"mime-version", b"content-type", b"from:", b"message-id")
PackageReader = Callable[[Package, ExtractOptions, int], NLPTextDocument]


def read_chunk(
    package: Package, name: str, options: ExtractOptions, depth: int, extract_package: PackageReader
) -> NLPTextDocument | None:
    """The document in a part; None for a part that is missing or of another format, which the warnings tell.

    Args:
        package: which imports it.
        name: of the part.
        options: of the extraction.
        depth: how many documents the package is imported into.
        extract_package: reads a Word document in the part.
    """
    content = package.read(name)
    if content is None or not content.strip():
        package.warnings.append(f"{name}, which is imported (altChunk), is missing or empty")
        return None
    where = f"{package.where}/{name}"
    try:
        document = _read(content, where, options, depth, extract_package)
    except ExtractionError as error:
        package.warnings.append(f"{name}, which is imported (altChunk), cannot be read: {error}")
        return None
    if document is None:
        package.warnings.append(f"{name}, which is imported (altChunk), is of another format and left out")
    return document


def _read(
    content: bytes, where: str, options: ExtractOptions, depth: int, extract_package: PackageReader
) -> NLPTextDocument | None:
    from dataclasses import replace

    from corpuskit.extraction.html import extract_html
    from corpuskit.extraction.plain import extract_plain

    if content.startswith(_ZIP):
        if depth >= _DEEPEST:
            raise ExtractionError(f"{where}: more than {_DEEPEST} documents in each other")
        return extract_package(Package(content, where), options, depth + 1)
    whole = replace(options, classify=False)
    head = content[:4096].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    charset = None
    if head.startswith(_MIME):
        message = email.message_from_bytes(content, policy=email.policy.default)
        assert isinstance(message, EmailMessage)
        try:
            body = message.get_body(("html", "plain"))
            payload = body.get_payload(decode=True) if body is not None else None
            charset = body.get_content_charset() if body is not None else None
        except (AttributeError, KeyError, ValueError, LookupError, TypeError) as error:
            raise ExtractionError(f"{where}: damaged MHTML: {error}") from error
        if not isinstance(payload, bytes) or not payload.strip():
            return None
        content = payload
        head = content[:4096].lower()
    if b"<html" in head or b"<body" in head or b"<p" in head or b"<!doctype html" in head or b"<div" in head:
        return extract_html(content, uri=None, options=whole, charset=charset)
    if head.startswith((b"{\\rtf", b"<?xml")) or b"\0" in head:
        return None
    return extract_plain(content, uri=None, options=whole, charset=charset)
