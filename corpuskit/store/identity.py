"""What the catalogue calls a document: its id and its host, both told by its URI."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit


def document_id(uri: str) -> str:
    """Return the first 16 hex digits of the SHA-256 of the URI: stable over versions and machines."""
    return hashlib.sha256(uri.encode("utf-8", "replace")).hexdigest()[:16]


def host_column(uri: str) -> str:
    """Return the host of any URI with its port, lower case; empty for a file.

    Of a canonical URL it is what :func:`corpuskit.sources.web.host_of` gives; models know hosts without their ports,
    see :func:`corpuskit.relevance.url_tokenizers.bare_host`.
    """
    return urlsplit(uri).netloc.rpartition("@")[2].lower() if "://" in uri else ""
