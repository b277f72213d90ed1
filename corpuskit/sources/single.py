"""Opening of a single source for ``corpuskit.extract``: path, URL, bytes, binary file or lxml element."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from corpuskit.errors import SourceError
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.packed import packed_by, unpack
from corpuskit.validation import check_path

_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_MARKUP: Final = re.compile(r"\s*<")


@dataclass(frozen=True, slots=True)
class Opened:
    """Content of a source; ``path`` is absolute and set for files only."""

    content: bytes
    media_type: str
    uri: str | None
    charset: str | None = None
    modified: datetime | None = None
    fetched: datetime | None = None
    path: str | None = None


def open_source(source: Any, *, media_type: str | None, uri: str | None, max_bytes: int) -> Any:
    """Return the content of a path, URL, bytes or binary file as :class:`Opened`; return an lxml element unchanged.

    Content compressed with gzip, bzip2 or xz is decompressed.

    Raises:
        SourceError: The path is empty, or the file cannot be read or decompressed.
        ResourceLimitError: The decompressed content is larger than ``max_bytes``.
        FetchError: The URL cannot be fetched.
        TypeError: The source is a str with HTML, or of an unsupported type.
    """
    charset = modified = fetched = file = None
    name = ""
    if isinstance(source, (bytes, bytearray, memoryview)):
        content = bytes(source)
    elif isinstance(source, str) and _URL.match(source):
        from corpuskit.sources.web import fetch

        answer = fetch(source)
        content, charset, uri = answer.content, answer.charset, uri or answer.uri
        media_type = media_type or answer.media_type
        modified, fetched = answer.modified, answer.fetched
    elif isinstance(source, str) and (_MARKUP.match(source) or "\n" in source):
        raise TypeError("found markup in a str, expected bytes: use extract(text.encode(), media_type='text/html')")
    elif isinstance(source, (str, os.PathLike)):
        path = check_path(source, "source")
        try:
            content = path.read_bytes()
            modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except OSError as error:
            raise SourceError(f"{path} cannot be read: {error.strerror or error}") from error
        name, file, uri = path.name, str(path.resolve()), uri or path.resolve().as_uri()
    elif hasattr(source, "read"):
        content = source.read()
        if isinstance(content, str):
            raise TypeError("found a file opened in text mode, expected binary mode")
        name = str(getattr(source, "name", ""))
    elif hasattr(source, "tag") and hasattr(source, "iter"):
        return source
    else:
        raise TypeError(f"cannot extract a {type(source).__name__}: expected a path, URL, bytes, file or lxml element")
    if suffix := packed_by(content):
        name = name.removesuffix(suffix)
        content, media_type = (
            unpack(content, where=name + suffix if name else uri or "input", max_bytes=max_bytes),
            None,
        )
    return Opened(content, media_type or detect_media_type(content, name), uri, charset, modified, fetched, file)
