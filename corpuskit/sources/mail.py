"""Mail: single messages (RFC 5322), mailboxes (RFC 4155), and what is attached."""

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
_MOST_ATTACHMENTS: Final = 1_000


def messages(path: Path, *, max_bytes: int) -> Iterator[bytes | ResourceLimitError]:
    """The messages of a mailbox, one at a time; of one that is too large the error.

    A line that begins with ``From `` after an empty one begins a message; ``>From `` stands for such a line in one.
    """
    lines: list[bytes] = []
    size = 0
    is_blank = True
    begun = False
    with path.open("rb") as stream:
        for line in stream:
            if is_blank and line.startswith(b"From "):
                if begun:
                    yield _whole(lines, size, max_bytes, path)
                lines, size, begun = [], 0, True
            elif begun:
                size += len(line)
                if size <= max_bytes:
                    lines.append(line[1:] if line.lstrip(b">").startswith(b"From ") and line[:1] == b">" else line)
            is_blank = not line.strip()
    if begun:
        yield _whole(lines, size, max_bytes, path)


def _whole(lines: list[bytes], size: int, max_bytes: int, path: Path) -> bytes | ResourceLimitError:
    if size > max_bytes:
        return ResourceLimitError(f"{path.name}: a message of {size:,} bytes, the limit is {max_bytes:,}")
    return b"".join(lines)


def attachments(resource: Resource) -> Iterator[Resource]:
    """The files attached to a message; nothing of other resources."""
    if resource.media_type != MAIL_TYPE:
        return
    message = email.message_from_bytes(resource.content, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    try:
        parts = list(message.iter_attachments())[:_MOST_ATTACHMENTS]
    except (AttributeError, KeyError, ValueError, LookupError):  # the package trips over headers that break the rules
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
