"""URI and date of resources in the ``.nlp.txt`` format, which stores them in the file."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from corpuskit.dates import parse_iso_date
from corpuskit.document import from_nlptext
from corpuskit.errors import DocumentFormatError
from corpuskit.sources.resource import Resource

NLPTEXT_TYPE: Final = "text/x-nlptext"


def as_itself(resource: Resource) -> Resource:
    """Return a ``.nlp.txt`` resource with the URI and fetch date stored in it.

    Other resources are returned unchanged, and so are files without a URI (``?``) and files that violate the format: the
    extraction reports that error later.
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
