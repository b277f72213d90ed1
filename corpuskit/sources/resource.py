"""Resources: content with its URI, media type, dates and metadata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Resource:
    """Content obtained from a source, before extraction.

    Attributes:
        uri: URI of the content; for a file, its relative path with ``/``.
        content: The bytes.
        media_type: Media type in lower case, without parameters.
        charset: Encoding declared by the server or archive.
        fetched: Time at which the content was obtained, UTC.
        modified: Last-Modified date of the server or file, UTC.
        name: File name for storing the original.
        origin: Hash of the folder that the file was added from, to distinguish files with equal URIs, or None for the web.
        etag: ETag header of the server.
        source: Kind of source: ``file``, ``web``, ``warc``, ``wikipedia``, ``zim``, ``dump``, ``feed``.
        metadata: Additional entries for the document metadata.
        sidecars: Sidecar files: name in the artifact directory (``textgrid.json``, ``marks.json.zst``) → content.
        headers: Headers of the HTTP response, or None without a response.
        record: Compressed record of an external web archive, as stored there, or None if the original is stored in another way.
    """

    uri: str
    content: bytes
    media_type: str
    charset: str | None = None
    fetched: datetime = field(default_factory=lambda: datetime.now(UTC))
    modified: datetime | None = None
    name: str = ""
    origin: str | None = None
    etag: str | None = None
    source: str = "file"
    metadata: dict[str, str] = field(default_factory=dict)
    sidecars: dict[str, bytes] = field(default_factory=dict, repr=False)
    headers: tuple[tuple[str, str], ...] | None = None
    record: bytes | None = field(default=None, repr=False)

    @property
    def beside(self) -> dict[str, bytes]:
        """The earlier name of ``sidecars``."""
        return self.sidecars


SourceItem = Resource | tuple[str, Exception]
"""A resource, or (URI, error) for content that cannot be read."""

PayloadLookup = Callable[[str], tuple[bytes, str, str | None] | None]
"""Function that returns content, media type and charset of a stored payload for its digest, or None if it is not stored."""
