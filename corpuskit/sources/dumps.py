"""XML dumps of MediaWiki (Help:Export), plain or packed: the articles in their last revision, as wikitext."""

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
from corpuskit.sources.resource import Found, Resource

WIKITEXT_TYPE: Final = "text/x-wiki"
_HEAD: Final = 4096
_ARTICLE: Final = 0  # namespace
_OVERHEAD: Final = 10_000_000  # bytes of XML beside the text of a page


def is_dump(path: Path) -> bool:
    """Whether a file ``.xml``, ``.xml.bz2``, ``.xml.gz`` or ``.xml.xz`` begins as a dump does."""
    name = path.name.lower()
    if not any(name.endswith(".xml" + packed) for packed in ("", *PACKERS)):
        return False
    try:
        with closing(_open(path)) as stream:
            return b"<mediawiki" in stream.read(_HEAD)
    except DAMAGED:
        return False


def read_dump(found: FoundFile, *, max_bytes: int) -> Iterator[Found]:
    """The articles of a dump, one at a time: pages of the namespace 0 that are no redirect, each in its last revision.

    Of a page that is too large the error is given; behind damage there are no more pages, and one error says so.

    Raises:
        MissingExtraError: mwxml is not installed.
        SourceError: the file cannot be opened.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a package it needs writes "\\*" in a docstring
            import mwxml
    except ImportError as error:
        raise MissingExtraError("mwxml", "wikipedia") from error
    try:
        stream = _open(found.path)
    except OSError as error:
        raise SourceError(f"{found.uri} cannot be read: {error.strerror or error}") from error
    count = 0
    with closing(stream):
        guarded = _Guarded(stream, max_bytes + _OVERHEAD)
        try:
            dump = mwxml.Dump.from_file(guarded)
            site = _Site(dump.site_info, found.uri)
            for page in dump.pages:
                guarded.begin()
                last = None
                for revision in page:
                    guarded.begin()
                    last = revision
                if page.namespace == _ARTICLE and page.redirect is None and last is not None:
                    count += 1
                    yield site.resource(page, last, found, max_bytes)
        except ResourceLimitError as error:
            yield found.uri, error
        except (*DAMAGED, ParseError, AssertionError, TypeError, AttributeError, KeyError) as error:
            yield found.uri, SourceError(f"{found.uri}: damaged behind {count:,} articles: {error}")
        except mwxml.errors.MalformedXML as error:
            yield found.uri, SourceError(f"{found.uri}: no dump behind {count:,} articles: {error}")


class _Guarded:
    """A file that ends with an error where one element takes more than ``limit`` bytes, or entities are declared."""

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        self._stream, self._limit, self._since, self._is_first = stream, limit, 0, True

    def begin(self) -> None:
        """A new element begins."""
        self._since = 0

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(1 << 16 if size < 0 else min(size, 1 << 16))
        if self._is_first and b"<!" in content.partition(b"<mediawiki")[0].replace(b"<!--", b""):
            raise SourceError("a dump with a document type definition")
        self._is_first = False
        self._since += len(content)
        if self._since > self._limit:
            raise ResourceLimitError(f"a page of more than {self._limit:,} bytes: what follows it is not read")
        return content


class _Site:
    """What a dump says about its wiki."""

    def __init__(self, info: Any, uri: str) -> None:
        base = urlsplit(info.base or "")
        folder = base.path.rpartition("/")[0]
        self._url = f"{base.scheme}://{base.netloc}{folder}/" if base.netloc else f"{uri}/"
        name = info.dbname or ""
        self._language = name.removesuffix("wiki") if name.endswith("wiki") and len(name) <= 7 else ""

    def resource(self, page: Any, revision: Any, found: FoundFile, max_bytes: int) -> Found:
        """One page."""
        url = self._url + quote(page.title.replace(" ", "_"), safe=":/(),'!*~")
        if revision.model not in {None, "wikitext"}:
            return url, SourceError(f"{url}: a page of {revision.model}, not of wikitext")
        content = (revision.text or "").encode("utf-8", "replace")
        if len(content) > max_bytes:
            return url, ResourceLimitError(f"{url}: {len(content):,} bytes, the limit is {max_bytes:,}")
        metadata = {
            "title": page.title, "page_id": str(page.id), "revision": str(revision.id), "dump": found.path.name,
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
