"""Extractor of mail messages (RFC 5322, MIME of RFC 2045 to 2049)."""

from __future__ import annotations

import email
import email.policy
from datetime import UTC
from email.message import EmailMessage

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ExtractionError
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.options import ExtractOptions

_HEADERS = {"From": "author", "To": "to", "Cc": "cc", "Message-ID": "message_id", "In-Reply-To": "in_reply_to",
            "List-Id": "list_id"}  # fmt: skip


@extracts("message/rfc822")
def extract_mail(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """Extract the text of a message, preferably its plain text part; subject and headers become title and metadata.

    Attachments are separate documents; see ``corpuskit.sources.mail``.

    Raises:
        ExtractionError: The content is not a message, or has no text.
    """
    from corpuskit.extraction.html import extract_html
    from corpuskit.extraction.plain import extract_plain

    message = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    if not message.keys():
        raise ExtractionError(f"{uri or 'input'}: not a mail message: it has no headers")
    try:
        body = message.get_body(("plain", "html"))
        payload = body.get_payload(decode=True) if body is not None else b""
        headers = {name: " ".join(str(message[name]).split()) for name in ("Subject", *_HEADERS) if message[name]}
        date = getattr(message["Date"], "datetime", None)
        kind, stated = (body.get_content_type(), body.get_content_charset()) if body is not None else ("", None)
    except (AttributeError, KeyError, ValueError, LookupError, TypeError) as error:  # malformed headers
        raise ExtractionError(f"{uri or 'input'}: damaged mail message: {error}") from error
    payload = payload if isinstance(payload, bytes) else b""
    reader = extract_html if kind == "text/html" else extract_plain
    document = reader(payload or b"\n", uri=uri, options=options, charset=stated)
    document.title = headers.pop("Subject", "")
    document.metadata.update({_HEADERS[name]: value for name, value in headers.items()})
    if date is not None:
        document.timestamp = date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
        document.metadata["timestamp_source"] = "published"
    return document
