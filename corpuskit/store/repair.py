"""Makes a catalogue again from what it is an index of: documents/, originals/, labels/ and models/."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from pathlib import Path
from typing import Final

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.catalog import Catalog
from corpuskit.store.database import CATALOG
from corpuskit.store.folder import CRAWL_LOCK, CorpusFolder, only_one
from corpuskit.store.kept_originals import Originals
from corpuskit.store.old_catalog import old_catalog, salvage
from corpuskit.store.repair_report import Repaired
from corpuskit.store.restored_rows import restore_documents
from corpuskit.store.telling import counted

__all__ = ["Repaired", "repair"]

_NEW: Final = "catalog.sqlite.repaired"


def repair(path: Path) -> Repaired:
    """Makes the catalogue of a corpus again; the old one is kept beside it under another name.

    A row of the old catalogue is taken where it can be read and fits its document. The rest of a row comes from the
    document itself, which names its URI, times, media type and the hash of its original. The frontier comes from the old
    catalogue, else from the requests in the web archives: what was fetched is known then, what was queued is not.

    Raises:
        CorpusError: there is no corpus folder; a file of it cannot be written.
        CorpusBusyError: a crawl runs.
    """
    folder = SafeFolder(path.resolve())
    if not any(folder.has(name) for name in ("corpus.toml", CATALOG, "documents", "labels")):
        raise CorpusError(f"{path} is no corpus: there is no corpus.toml, catalogue, documents/ or labels/")
    with only_one(folder, CRAWL_LOCK, "crawl or repair"):
        return _repair(folder)


def _repair(inside: SafeFolder) -> Repaired:
    report = Repaired()
    for suffix in ("", "-wal", "-shm", "-journal"):
        inside.remove(_NEW + suffix)
    catalog = Catalog(inside / _NEW)
    try:
        with old_catalog(inside) as old:
            known = salvage(old, catalog, report)
        originals = Originals(inside.within("originals"))
        restore_documents(inside.within("documents"), catalog, originals, known, report)
        _frontier(catalog, originals, report)
        _models(inside.within("models"), catalog, report)
        catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        catalog.close()
    report.old = _swap(inside)
    folder = CorpusFolder(inside.path)  # reads the labels
    try:
        _elements(folder, report)
        folder.catalog.flush()
    finally:
        folder.close()
    return report


def _swap(folder: SafeFolder) -> str | None:
    """The new catalogue takes the place of the old one, which is kept."""
    name = None
    if folder.has(CATALOG):
        number = 1
        while folder.has(f"{CATALOG}.damaged-{number}"):
            number += 1
        name = f"{CATALOG}.damaged-{number}"
        for suffix in ("-wal", "-shm", "-journal", ""):  # the log belongs to the file; a new file must not get it
            with contextlib.suppress(FileNotFoundError):
                folder.rename(CATALOG + suffix, name + suffix)
    folder.rename(_NEW, CATALOG)
    for suffix in ("-wal", "-shm"):
        folder.remove(_NEW + suffix)
    return name


def _frontier(catalog: Catalog, originals: Originals, report: Repaired) -> None:
    """URLs of the web archives that the frontier does not know were fetched."""
    from corpuskit.sources.web.urls import host_of, url_key

    with catalog.transaction() as connection:
        for url in originals.requested:
            if not url.startswith(("http://", "https://")):
                continue
            key = int.from_bytes(hashlib.sha256(url_key(url).encode("utf-8", "replace")).digest()[:8], "big") >> 1
            report.requests += connection.execute(
                "INSERT OR IGNORE INTO frontier (id, url, host, depth, kind, priority, state, why) "
                "VALUES (?, ?, ?, 0, 'seed', 0, 'fetched', 'repaired from a web archive')",
                (key, url, host_of(url)),
            ).rowcount
    if report.requests:
        report.lost.append("URLs that were queued and not fetched, and depths: name the seeds again to crawl on")


def _models(folder: SafeFolder, catalog: Catalog, report: Repaired) -> None:
    known = {row[0] for row in catalog.rows("SELECT folder FROM models")}
    found = set(folder.folders())
    gone = sorted(known - found)
    if gone:
        with catalog.transaction() as connection:
            connection.executemany("DELETE FROM models WHERE folder = ?", [(name,) for name in gone])
        report.lost.append(
            f"{counted(len(gone), 'model')}, such as {gone[0]}, whose folder is gone: run corpuskit train"
        )
    missing = sorted(name for name in found if not any(name in row for row in known))
    if missing:
        report.lost.append(
            f"what was known of {counted(len(missing), 'model')}, such as models/{missing[0]}: run corpuskit train"
        )


def _elements(folder: CorpusFolder, report: Repaired) -> None:
    from corpuskit.store import element_cache

    for name in folder.elements.names("*.parquet"):
        folder.elements.remove(name)
    element_cache.update(folder)
    unread = Counter(row["stage"] for row in folder.catalog.rows("SELECT stage FROM failures WHERE stage = 'read'"))
    if unread["read"]:
        report.lost.append(f"{counted(unread['read'], 'resource')} could not be read: corpuskit failures lists them")
