"""Id and host of a document, computed from its URI."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit


def document_id(uri: str) -> str:
    """Return the first 16 hex digits of the SHA-256 of the URI. The id is the same for all versions and on all machines."""
    return hashlib.sha256(uri.encode("utf-8", "replace")).hexdigest()[:16]


def host_with_port(uri: str) -> str:
    """Return the lower-case host of a URI with its port, or an empty string for a file.

    For a canonical URL it equals :func:`corpuskit.sources.web.host_of`. Models use hosts without ports, see
    :func:`corpuskit.relevance.urls.bare_host`.
    """
    return urlsplit(uri).netloc.rpartition("@")[2].lower() if "://" in uri else ""
