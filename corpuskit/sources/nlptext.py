"""Files of the standard format: they bring their own URI, date and metadata."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from corpuskit.document import from_nlptext
from corpuskit.errors import DocumentFormatError
from corpuskit.sources.resource import Resource

NLPTEXT_TYPE: Final = "text/x-nlptext"


def as_itself(resource: Resource) -> Resource:
    """A ``.nlp.txt`` under the URI that it holds, fetched when it says; everything else as it is.

    So is one whose URI is not known (``?``), and one that breaks the format: that failure is told of the file.
    """
    if resource.media_type != NLPTEXT_TYPE:
        return resource
    try:
        document = from_nlptext(resource.content)
    except DocumentFormatError:
        return resource
    if document.uri in {"", "?"}:
        return resource
    fetched = _date(document.metadata.get("fetched", "")) or resource.fetched
    return replace(resource, uri=document.uri, origin=None, modified=None, fetched=fetched)


def _date(text: str) -> datetime | None:
    try:
        date = datetime.fromisoformat(text)
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
