"""Files of the standard format: they bring their own URI, date and metadata."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from corpuskit.dates import parse_iso_date
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
    fetched = parse_iso_date(document.metadata.get("fetched", "")) or resource.fetched
    return replace(resource, uri=document.uri, origin=None, modified=None, fetched=fetched)
