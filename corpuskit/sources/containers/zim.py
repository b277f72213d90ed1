"""Reader of ZIM files: wikis and web sites for offline reading (openzim.org, "ZIM file format")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlsplit

from corpuskit.errors import MissingExtraError, ResourceLimitError, SourceError
from corpuskit.sources.container import reads
from corpuskit.sources.files import FoundFile
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.resource import PayloadLookup, Resource, SourceItem

_MAGIC: Final = b"ZIM\x04"  # 72173914, little endian
_WIKI_TYPE: Final = "text/x-mediawiki-html"
_ACCEPTED_TYPES: Final = ("text/html", "application/xhtml+xml", "application/pdf", "text/plain", "text/markdown")
_MAX_FAILURES: Final = 1_000  # more failures mean that the file is damaged
_LIBZIM_ERRORS: Final = (RuntimeError, ValueError, OSError, KeyError, IndexError, TypeError, UnicodeError, MemoryError)


@reads(".zim")
def read_zim(file: FoundFile, *, max_bytes: int, known: PayloadLookup | None) -> Iterator[SourceItem]:
    """Yield the pages and texts of a ZIM file; redirects, images and style sheets are skipped.

    The URI of a wiki page is its URL on the web. An entry that cannot be read is yielded as (URI, error).

    Raises:
        MissingExtraError: libzim is not installed.
        SourceError: The file is not a ZIM file, or its checksum is wrong.
    """
    try:
        from libzim.reader import Archive
    except ImportError as error:
        raise MissingExtraError("libzim", "zim") from error
    try:
        with file.path.open("rb") as stream:
            if stream.read(4) != _MAGIC:
                raise SourceError(f"{file.uri}: not a ZIM file")
        archive = Archive(file.path)
        # libzim can crash the process on damaged files, so the checksum is verified first.
        is_sound = archive.check()
    except _LIBZIM_ERRORS as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{file.uri}: not a ZIM file, or damaged: {error}") from error
    if not is_sound:
        raise SourceError(f"{file.uri}: damaged, wrong checksum: download the file again")
    yield from _Zim(archive, file, max_bytes).read()


class _Zim:
    def __init__(self, archive: Any, file: FoundFile, max_bytes: int) -> None:
        self._archive, self._file, self._max_bytes = archive, file, max_bytes
        self._scraper = self._metadata("Scraper").lower()
        source = self._metadata("Source")
        parts = urlsplit(source if "://" in source else f"https://{source}")
        self._site = f"{parts.scheme}://{parts.netloc}" if source and parts.netloc else ""
        self._language = self._metadata("Language").partition(",")[0]
        self._date = self._metadata("Date")

    def _metadata(self, key: str) -> str:
        try:
            return bytes(self._archive.get_metadata(key)).decode("utf-8", "replace").strip()
        except _LIBZIM_ERRORS:
            return ""

    def read(self) -> Iterator[SourceItem]:
        """Yield the entries in the order of their paths."""
        failures = 0
        archive = self._archive
        # With the new namespace scheme the content entries come first; older files mix all namespaces.
        count = archive.entry_count if archive.has_new_namespace_scheme else archive.all_entry_count
        for number in range(count):
            try:
                item = self._entry(number)
            except _LIBZIM_ERRORS as error:
                failures += 1
                yield f"{self._file.uri}@{number}", SourceError(f"{self._file.uri}: entry {number:,}: {error}")
                if failures >= _MAX_FAILURES:
                    return
                continue
            if item is not None:
                yield item

    def _entry(self, number: int) -> SourceItem | None:
        entry = self._archive._get_entry_by_id(number)
        if entry.is_redirect:
            return None
        item = entry.get_item()
        declared = item.mimetype.partition(";")[0].strip().lower()
        is_content = self._archive.has_new_namespace_scheme or entry.path.startswith("A/")
        if declared not in _ACCEPTED_TYPES or not is_content:
            return None
        uri = self._uri(entry.path)
        if item.size > self._max_bytes:
            return uri, ResourceLimitError(f"{uri}: {item.size:,} bytes, the limit is {self._max_bytes:,}")
        content = bytes(item.content)
        if not content.strip():
            return None
        media_type = detect_media_type(content, entry.path, declared)
        is_wiki = "mwoffliner" in self._scraper and media_type == "text/html"
        optional = {"title": entry.title, "language": self._language, "zim_date": self._date}
        metadata = {"zim": self._file.path.name} | {key: value for key, value in optional.items() if value}
        return Resource(
            uri=uri, content=content, media_type=_WIKI_TYPE if is_wiki else media_type, charset="utf-8",
            name=entry.path.rpartition("/")[2] or "page", source="zim", metadata=metadata,
        )  # fmt: skip

    def _uri(self, path: str) -> str:
        """Return the URL of a page on the web if the file records it, else its path in the file."""
        if not self._archive.has_new_namespace_scheme:
            path = path.removeprefix("A/")
        quoted = quote(path, safe=":/(),'!*~?&=;@+$%")
        if "mwoffliner" in self._scraper and self._site:
            return f"{self._site}/wiki/{quoted}"
        if "warc2zim" in self._scraper or "zimit" in self._scraper:
            return f"https://{quoted}"
        return f"{self._file.uri}/{path}"
