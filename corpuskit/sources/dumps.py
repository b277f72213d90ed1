"""Reader of MediaWiki XML dumps (Help:Export), plain or compressed: latest revision of each article, as wikitext."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, cast
from urllib.parse import quote, urlsplit
from xml.etree.ElementTree import ParseError

from corpuskit.errors import MissingExtraError, ResourceLimitError, SourceError
from corpuskit.sources.files import FoundFile
from corpuskit.sources.packed import DAMAGED, PACKERS
from corpuskit.sources.resource import Resource, SourceItem

WIKITEXT_TYPE: Final = "text/x-wiki"
_HEAD_BYTES: Final = 4096  # bytes
_ARTICLE_NAMESPACE: Final = 0  # namespace
_MAX_OVERHEAD_BYTES: Final = 10_000_000  # bytes of XML per page in addition to its text


def is_dump(path: Path) -> bool:
    """Return whether a file ``.xml``, ``.xml.bz2``, ``.xml.gz`` or ``.xml.xz`` starts like a MediaWiki dump."""
    name = path.name.lower()
    if not any(name.endswith(".xml" + suffix) for suffix in ("", *PACKERS)):
        return False
    try:
        with closing(_open(path)) as stream:
            return b"<mediawiki" in stream.read(_HEAD_BYTES)
    except DAMAGED:
        return False


def read_dump(file: FoundFile, *, max_bytes: int) -> Iterator[SourceItem]:
    """Yield the articles of a dump in their latest revision: pages in namespace 0 that are not redirects.

    A page that is too large is yielded as (URI, error). Damage is yielded as one error and ends the reading.

    Raises:
        MissingExtraError: mwxml is not installed.
        SourceError: The file cannot be opened.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a dependency of mwxml has an invalid escape sequence
            import mwxml
    except ImportError as error:
        raise MissingExtraError("mwxml", "wikipedia") from error
    try:
        stream = _open(file.path)
    except OSError as error:
        raise SourceError(f"{file.uri} cannot be read: {error.strerror or error}") from error
    count = 0
    with closing(stream):
        guarded = _LimitedStream(stream, max_bytes + _MAX_OVERHEAD_BYTES)
        try:
            dump = mwxml.Dump.from_file(guarded)
            site = _WikiInfo(dump.site_info, file.uri)
            for page in dump.pages:
                guarded.begin()
                last = None
                for revision in page:
                    guarded.begin()
                    last = revision
                if page.namespace == _ARTICLE_NAMESPACE and page.redirect is None and last is not None:
                    count += 1
                    yield site.resource(page, last, file, max_bytes)
        except ResourceLimitError as error:
            yield file.uri, error
        except (*DAMAGED, ParseError, AssertionError, TypeError, AttributeError, KeyError) as error:
            yield file.uri, SourceError(f"{file.uri}: damaged after {count:,} articles: {error}")
        except mwxml.errors.MalformedXML as error:
            yield file.uri, SourceError(f"{file.uri}: not valid dump XML after {count:,} articles: {error}")


class _LimitedStream:
    """Stream that raises if an element is longer than ``limit`` bytes or a document type is declared."""

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        self._stream, self._limit, self._element_bytes, self._is_first = stream, limit, 0, True

    def begin(self) -> None:
        """Reset the byte count at the start of an element."""
        self._element_bytes = 0

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(1 << 16 if size < 0 else min(size, 1 << 16))
        if self._is_first and b"<!" in content.partition(b"<mediawiki")[0].replace(b"<!--", b""):
            raise SourceError("the dump has a document type definition; dumps of MediaWiki have none")
        self._is_first = False
        self._element_bytes += len(content)
        if self._element_bytes > self._limit:
            raise ResourceLimitError(f"page larger than {self._limit:,} bytes: reading stopped there")
        return content


class _WikiInfo:
    """Base URL and language of the wiki of a dump."""

    def __init__(self, info: Any, uri: str) -> None:
        base = urlsplit(info.base or "")
        folder = base.path.rpartition("/")[0]
        self._url = f"{base.scheme}://{base.netloc}{folder}/" if base.netloc else f"{uri}/"
        name = info.dbname or ""
        self._language = name.removesuffix("wiki") if name.endswith("wiki") and len(name) <= 7 else ""

    def resource(self, page: Any, revision: Any, file: FoundFile, max_bytes: int) -> SourceItem:
        """Return the resource of a page, or (URL, error)."""
        url = self._url + quote(page.title.replace(" ", "_"), safe=":/(),'!*~")
        if revision.model not in {None, "wikitext"}:
            return url, SourceError(f"{url}: content model {revision.model}, expected wikitext")
        content = (revision.text or "").encode("utf-8", "replace")
        if len(content) > max_bytes:
            return url, ResourceLimitError(f"{url}: {len(content):,} bytes, the limit is {max_bytes:,}")
        metadata = {
            "title": page.title, "page_id": str(page.id), "revision": str(revision.id), "dump": file.path.name,
        }  # fmt: skip
        if self._language:
            metadata["language"] = self._language
        return Resource(
            uri=url, content=content, media_type=WIKITEXT_TYPE, charset="utf-8", modified=_date(revision.timestamp),
            name=page.title.replace("/", "_") + ".wiki", source="dump", metadata=metadata,
        )  # fmt: skip


def _open(path: Path) -> IO[bytes]:
    _, opener = PACKERS.get(path.suffix.lower(), (b"", open))
    return cast(IO[bytes], opener(path, "rb"))


def _date(timestamp: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(timestamp.unix(), UTC) if timestamp is not None else None
    except (ValueError, OSError, OverflowError, AttributeError):
        return None
