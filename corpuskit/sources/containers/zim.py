"""ZIM files (openzim.org, "ZIM file format"): wikis and web sites packed for reading without network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlsplit

from corpuskit.errors import MissingExtraError, ResourceLimitError, SourceError
from corpuskit.sources.container import reads
from corpuskit.sources.files import FoundFile
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.resource import Found, Known, Resource

_MAGIC: Final = b"ZIM\x04"  # 72173914, little endian
_WIKI_TYPE: Final = "text/x-mediawiki-html"
_TAKEN: Final = ("text/html", "application/xhtml+xml", "application/pdf", "text/plain", "text/markdown")
_MOST_FAILURES: Final = 1_000  # then it is the file that is damaged
_BAD: Final = (RuntimeError, ValueError, OSError, KeyError, IndexError, TypeError, UnicodeError, MemoryError)


@reads(".zim")
def read_zim(found: FoundFile, *, max_bytes: int, known: Known | None) -> Iterator[Found]:
    """The pages and texts of a ZIM file, one at a time; redirects, pictures and styles are passed over.

    Pages of a wiki have the URL that they have there. Of an entry that cannot be read the error is given.

    Raises:
        MissingExtraError: libzim is not installed.
        SourceError: no ZIM file, or a damaged one: its checksum is wrong.
    """
    try:
        from libzim.reader import Archive
    except ImportError as error:
        raise MissingExtraError("libzim", "zim") from error
    try:
        with found.path.open("rb") as stream:
            if stream.read(4) != _MAGIC:
                raise SourceError(f"{found.uri} is no ZIM file")
        archive = Archive(found.path)
        # The library is written for sound files: a damaged one can end the process.
        is_sound = archive.check()
    except _BAD as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{found.uri} is no ZIM file, or a damaged one: {error}") from error
    if not is_sound:
        raise SourceError(f"{found.uri} is damaged, its checksum is wrong: get it again")
    yield from _Zim(archive, found, max_bytes).read()


class _Zim:
    def __init__(self, archive: Any, found: FoundFile, max_bytes: int) -> None:
        self._archive, self._found, self._max_bytes = archive, found, max_bytes
        self._scraper = self._metadata("Scraper").lower()
        source = self._metadata("Source")
        parts = urlsplit(source if "://" in source else f"https://{source}")
        self._site = f"{parts.scheme}://{parts.netloc}" if source and parts.netloc else ""
        self._language = self._metadata("Language").partition(",")[0]
        self._date = self._metadata("Date")

    def _metadata(self, key: str) -> str:
        try:
            return bytes(self._archive.get_metadata(key)).decode("utf-8", "replace").strip()
        except _BAD:
            return ""

    def read(self) -> Iterator[Found]:
        """The entries in the order of their paths."""
        failures = 0
        archive = self._archive
        # In files of today the content comes first; in old ones it stands among the rest, which its path tells.
        count = archive.entry_count if archive.has_new_namespace_scheme else archive.all_entry_count
        for number in range(count):
            try:
                found = self._entry(number)
            except _BAD as error:
                failures += 1
                yield f"{self._found.uri}@{number}", SourceError(f"{self._found.uri}: entry {number:,}: {error}")
                if failures >= _MOST_FAILURES:
                    return
                continue
            if found is not None:
                yield found

    def _entry(self, number: int) -> Found | None:
        entry = self._archive._get_entry_by_id(number)
        if entry.is_redirect:
            return None
        item = entry.get_item()
        declared = item.mimetype.partition(";")[0].strip().lower()
        is_content = self._archive.has_new_namespace_scheme or entry.path.startswith("A/")
        if declared not in _TAKEN or not is_content:
            return None
        uri = self._uri(entry.path)
        if item.size > self._max_bytes:
            return uri, ResourceLimitError(f"{uri}: {item.size:,} bytes, the limit is {self._max_bytes:,}")
        content = bytes(item.content)
        if not content.strip():
            return None
        media_type = detect_media_type(content, entry.path, declared)
        is_wiki = "mwoffliner" in self._scraper and media_type == "text/html"
        said = {"title": entry.title, "language": self._language, "zim_date": self._date}
        metadata = {"zim": self._found.path.name} | {key: value for key, value in said.items() if value}
        return Resource(
            uri=uri, content=content, media_type=_WIKI_TYPE if is_wiki else media_type, charset="utf-8",
            name=entry.path.rpartition("/")[2] or "page", source="zim", metadata=metadata,
        )  # fmt: skip

    def _uri(self, path: str) -> str:
        """The address a page has on the web, where the file says it, else its path in the file."""
        if not self._archive.has_new_namespace_scheme:
            path = path.removeprefix("A/")
        quoted = quote(path, safe=":/(),'!*~?&=;@+$%")
        if "mwoffliner" in self._scraper and self._site:
            return f"{self._site}/wiki/{quoted}"
        if "warc2zim" in self._scraper or "zimit" in self._scraper:
            return f"https://{quoted}"
        return f"{self._found.uri}/{path}"
