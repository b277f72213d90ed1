"""Reader of mailbox files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpuskit.sources.container import reads
from corpuskit.sources.files import FoundFile
from corpuskit.sources.mail import MAIL_TYPE, attachments, messages
from corpuskit.sources.resource import PayloadLookup, Resource, SourceItem


@reads(".mbox")
def read_mailbox(file: FoundFile, *, max_bytes: int, known: PayloadLookup | None) -> Iterator[SourceItem]:
    """Yield the messages of an mbox file (RFC 4155) and their attachments."""
    for number, content in enumerate(messages(file.path, max_bytes=max_bytes), 1):
        uri = f"{file.uri}#{number}"
        if isinstance(content, Exception):
            yield uri, content
            continue
        resource = Resource(uri, content, MAIL_TYPE, name=f"{file.path.stem}-{number}.eml", origin=file.origin)
        yield resource
        yield from (replace(attachment, origin=file.origin) for attachment in attachments(resource))
