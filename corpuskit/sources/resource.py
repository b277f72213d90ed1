"""A resource: bytes with what is known about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Resource:
    """What one place gave.

    Attributes:
        uri: where it stands; a relative path with ``/`` for a file.
        content: its bytes.
        media_type: lower case, without parameters.
        charset: what the server or archive said.
        fetched: when it was obtained, UTC.
        modified: Last-Modified of the server or the file, UTC.
        name: a file name for the original.
        origin: a hash of the folder it was added from, to tell files of one name apart; None for the web.
        etag: the server's.
        source: which source obtained it: ``file``, ``web``, ``warc``, ``wikipedia``, ``zim``, ``dump``, ``feed``.
        metadata: more to keep in the document's metadata.
        beside: files that belong to it, by their names in its artifact directory: ``textgrid.json``, ``marks.json.zst``.
        headers: of the HTTP answer it came in; None where there was none.
        record: of a web archive elsewhere, as it stands there, packed; None where the original is kept in another way.
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
    beside: dict[str, bytes] = field(default_factory=dict, repr=False)
    headers: tuple[tuple[str, str], ...] | None = None
    record: bytes | None = field(default=None, repr=False)


Found = Resource | tuple[str, Exception]
"""What was found; of what cannot be read (URI, error)."""

Known = Callable[[str], tuple[bytes, str, str | None] | None]
"""Content, media type and charset of what was obtained earlier, by its payload digest."""
