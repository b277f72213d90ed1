"""Messages of mailboxes (RFC 4155) and attachments of messages (RFC 5322)."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Final

from corpuskit.errors import ResourceLimitError
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.resource import Resource

MAIL_TYPE: Final = "message/rfc822"
_MAX_ATTACHMENTS: Final = 1_000


def messages(path: Path, *, max_bytes: int) -> Iterator[bytes | ResourceLimitError]:
    """Yield the messages of a mailbox; for a message that is too large, yield the error.

    A message starts at a line ``From `` after an empty line. Inside a message such a line is escaped as ``>From ``.
    """
    lines: list[bytes] = []
    size = 0
    is_after_blank = True
    has_started = False
    with path.open("rb") as stream:
        for line in stream:
            if is_after_blank and line.startswith(b"From "):
                if has_started:
                    yield _join_message(lines, size, max_bytes, path)
                lines, size, has_started = [], 0, True
            elif has_started:
                size += len(line)
                if size <= max_bytes:
                    lines.append(line[1:] if line.lstrip(b">").startswith(b"From ") and line[:1] == b">" else line)
            is_after_blank = not line.strip()
    if has_started:
        yield _join_message(lines, size, max_bytes, path)


def _join_message(lines: list[bytes], size: int, max_bytes: int, path: Path) -> bytes | ResourceLimitError:
    if size > max_bytes:
        return ResourceLimitError(f"{path.name}: message of {size:,} bytes, the limit is {max_bytes:,}")
    return b"".join(lines)


def attachments(resource: Resource) -> Iterator[Resource]:
    """Yield the files attached to a mail message; other resources have none."""
    if resource.media_type != MAIL_TYPE:
        return
    message = email.message_from_bytes(resource.content, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    try:
        parts = list(message.iter_attachments())[:_MAX_ATTACHMENTS]
    except (AttributeError, KeyError, ValueError, LookupError):  # the email package raises these on malformed headers
        return
    for number, part in enumerate(parts, 1):
        try:
            content = part.get_payload(decode=True)
            name = part.get_filename() or f"attachment-{number}"
        except (AttributeError, KeyError, ValueError, LookupError):
            continue
        if isinstance(content, bytes) and content.strip():
            name = name.replace("\\", "/").rpartition("/")[2]
            media_type = detect_media_type(content, name, part.get_content_type())
            yield Resource(
                f"{resource.uri}#{number}-{name}", content, media_type, charset=part.get_content_charset(), name=name,
                modified=resource.modified, origin=resource.origin, source=resource.source,
            )  # fmt: skip
