"""Web archives: WARC and WACZ files."""

from __future__ import annotations

from collections.abc import Iterator

from corpuskit.sources.container import reads
from corpuskit.sources.files import FoundFile
from corpuskit.sources.resource import Found, Known
from corpuskit.sources.warc import WARC_SUFFIXES, read_wacz, read_warc


@reads(*WARC_SUFFIXES)
def warc(found: FoundFile, *, max_bytes: int, known: Known | None) -> Iterator[Found]:
    """Return the pages and files of a WARC file."""
    return read_warc(found.path, max_bytes=max_bytes, name=found.uri, known=known)


@reads(".wacz")
def wacz(found: FoundFile, *, max_bytes: int, known: Known | None) -> Iterator[Found]:
    """Return the pages and files of a WACZ package."""
    return read_wacz(found.path, max_bytes=max_bytes, name=found.uri, known=known)
