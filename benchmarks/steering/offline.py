"""A topic's web without a server: its pages, extracted once and kept beside them, and what a crawler would get for a URL."""

import gzip
import importlib.util
import json
import logging
import multiprocessing
import sqlite3
import sys
import zlib
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

from score import canonical

MAX_TEXT = 30_000


class Found(NamedTuple):
    """A page as corpuskit sees it; a link is (URL, anchor, text around it)."""

    title: str
    text: str
    links: list[tuple[str, str, str]]


def _extracted(row: tuple[str, bytes, str]) -> tuple[str, bytes]:
    from corpuskit.extraction import ExtractOptions, extract_bytes
    from corpuskit.sources.web import canonical_url, find_links

    logging.disable(logging.WARNING)
    url, body, charset = row
    body, uri = gzip.decompress(body), canonical_url(quote(url, safe=":/%?=&"))
    found = find_links(body, uri, charset=charset)
    title = text = ""
    try:
        document = extract_bytes(body, media_type="text/html", uri=uri, charset=charset, options=ExtractOptions())
        title, text = document.title, document.to_text(main=True)[:MAX_TEXT]
    except Exception as error:  # a page that cannot be extracted is a page without text, as in a crawl
        logging.getLogger(__name__).error("%s: %s", url, error)
    links = [(link.url, link.anchor, link.context) for link in found.links]
    return url, zlib.compress(json.dumps([title, text, links]).encode())


def extract_web(folder: Path, jobs: int) -> Path:
    """Extract the pages of a web once; return the file that keeps them."""
    source, kept = folder / "web.sqlite", folder / "extracted.sqlite"
    if kept.exists() and kept.stat().st_mtime > source.stat().st_mtime:
        return kept
    part = kept.with_suffix(".part")
    part.unlink(missing_ok=True)
    with sqlite3.connect(source) as base, sqlite3.connect(part) as out:
        out.execute("CREATE TABLE pages (url TEXT PRIMARY KEY, page BLOB)")
        rows = base.execute("SELECT url, body, charset FROM pages").fetchall()
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            for done, row in enumerate(pool.imap_unordered(_extracted, rows, chunksize=40), 1):
                out.execute("INSERT INTO pages VALUES (?, ?)", row)
                if done % 1000 == 0:
                    print(f"{folder.name}: {done:,} of {len(rows):,} pages extracted", file=sys.stderr, flush=True)
    part.replace(kept)
    return kept


class OfflineWeb:
    """A web that was built by build.py; traps are made page by page, as the server makes them."""

    def __init__(self, folder: Path, *, jobs: int = 2) -> None:
        self.gold: dict[str, Any] = json.loads((folder / "gold.json").read_text())
        self.values: dict[str, int | None] = self.gold["gold"]
        self.traps = frozenset(self.gold["trap_hosts"])
        with sqlite3.connect(extract_web(folder, jobs)) as base:
            self._pages = dict(base.execute("SELECT url, page FROM pages"))
        spec = importlib.util.spec_from_file_location(f"topic_{folder.name}", folder / "topic.py")
        assert spec is not None and spec.loader is not None
        topic = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(topic)
        self._traps = topic.TRAPS

    def get(self, url: str) -> Found | None:
        """Return a page; None where the server would answer 404."""
        packed = self._pages.get(canonical(url))
        if packed is not None:
            title, text, links = json.loads(zlib.decompress(packed))
            return Found(title, text, [(target, anchor, context) for target, anchor, context in links])
        parts = urlsplit(url)
        if parts.netloc not in self.traps:
            return None
        try:
            make = self._traps[parts.netloc.removesuffix(".test")]
            title, text, links = make(unquote(parts.path) or "/", parts.query)
        except (ValueError, IndexError):
            return None
        return Found(title, text, [(urljoin(url, quote(href, safe=":/?=&%+,;")), name, name) for href, name in links])

    def is_relevant(self, url: str) -> bool:
        """Return whether the gold counts a page."""
        return self.values.get(canonical(url)) == 1
