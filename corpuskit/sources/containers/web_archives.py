"""Readers of web archives: WARC and WACZ files."""

from __future__ import annotations

from collections.abc import Iterator

from corpuskit.sources.container import reads
from corpuskit.sources.files import FoundFile
from corpuskit.sources.resource import PayloadLookup, SourceItem
from corpuskit.sources.warc import WARC_SUFFIXES, read_wacz, read_warc


@reads(*WARC_SUFFIXES)
def warc(file: FoundFile, *, max_bytes: int, known: PayloadLookup | None) -> Iterator[SourceItem]:
    """Return the pages and files of a WARC file."""
    return read_warc(file.path, max_bytes=max_bytes, name=file.uri, known=known)


@reads(".wacz")
def wacz(file: FoundFile, *, max_bytes: int, known: PayloadLookup | None) -> Iterator[SourceItem]:
    """Return the pages and files of a WACZ package."""
    return read_wacz(file.path, max_bytes=max_bytes, name=file.uri, known=known)
