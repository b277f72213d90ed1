"""Mailboxes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpuskit.sources.container import reads
from corpuskit.sources.files import FoundFile
from corpuskit.sources.mail import MAIL_TYPE, attachments, messages
from corpuskit.sources.resource import Found, Known, Resource


@reads(".mbox")
def read_mailbox(found: FoundFile, *, max_bytes: int, known: Known | None) -> Iterator[Found]:
    """The messages of an mbox file (RFC 4155)."""
    for number, content in enumerate(messages(found.path, max_bytes=max_bytes), 1):
        uri = f"{found.uri}#{number}"
        if isinstance(content, Exception):
            yield uri, content
            continue
        resource = Resource(uri, content, MAIL_TYPE, name=f"{found.path.stem}-{number}.eml", origin=found.origin)
        yield resource
        yield from (replace(found_in, origin=found.origin) for found_in in attachments(resource))
