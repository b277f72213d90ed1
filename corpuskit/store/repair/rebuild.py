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
from corpuskit.store.folder import CRAWL_LOCK, CorpusFolder, exclusive_lock
from corpuskit.store.formatting import pluralize
from corpuskit.store.repair.document_rows import restore_documents
from corpuskit.store.repair.original_index import OriginalIndex
from corpuskit.store.repair.report import RepairReport
from corpuskit.store.repair.salvage import open_damaged_catalog, salvage

__all__ = ["repair"]

_NEW: Final = "catalog.sqlite.repaired"


def repair(path: Path) -> RepairReport:
    """Makes the catalogue of a corpus again; the old one is kept beside it under another name.

    A row of the old catalogue is taken where it can be read and fits its document. The rest of a row comes from the
    document itself, which names its URI, times, media type and the hash of its original. The frontier comes from the old
    catalogue, else from the requests in the web archives: what was fetched is known then, what was queued is not.

    Raises:
        CorpusError: there is no corpus folder; a file of it cannot be written.
        CorpusBusyError: a crawl runs.
    """
    folder = SafeFolder(path.resolve())
    if not any(folder.exists(name) for name in ("corpus.toml", CATALOG, "documents", "labels")):
        raise CorpusError(f"{path} is no corpus: there is no corpus.toml, catalogue, documents/ or labels/")
    with exclusive_lock(folder, CRAWL_LOCK, "crawl or repair"):
        return _repair(folder)


def _repair(inside: SafeFolder) -> RepairReport:
    report = RepairReport()
    for suffix in ("", "-wal", "-shm", "-journal"):
        inside.remove(_NEW + suffix)
    catalog = Catalog(inside / _NEW)
    try:
        with open_damaged_catalog(inside) as old:
            known = salvage(old, catalog, report)
        originals = OriginalIndex(inside.subfolder("originals"))
        restore_documents(inside.subfolder("documents"), catalog, originals, known, report)
        _frontier(catalog, originals, report)
        _models(inside.subfolder("models"), catalog, report)
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
    if folder.exists(CATALOG):
        number = 1
        while folder.exists(f"{CATALOG}.damaged-{number}"):
            number += 1
        name = f"{CATALOG}.damaged-{number}"
        for suffix in ("-wal", "-shm", "-journal", ""):  # the log belongs to the file; a new file must not get it
            with contextlib.suppress(FileNotFoundError):
                folder.rename(CATALOG + suffix, name + suffix)
    folder.rename(_NEW, CATALOG)
    for suffix in ("-wal", "-shm"):
        folder.remove(_NEW + suffix)
    return name


def _frontier(catalog: Catalog, originals: OriginalIndex, report: RepairReport) -> None:
    """URLs of the web archives that the frontier does not know were fetched."""
    from corpuskit.sources.web.urls import host_of, url_key

    with catalog.transaction() as connection:
        for url in originals.requested:
            if not url.startswith(("http://", "https://")):
                continue
            key = int.from_bytes(hashlib.sha256(url_key(url).encode("utf-8", "replace")).digest()[:8], "big") >> 1
            report.requests += connection.execute(
                "INSERT OR IGNORE INTO frontier (id, url, host, depth, priority, state, why) "
                "VALUES (?, ?, ?, 0, 0, 'fetched', 'repaired from a web archive')",
                (key, url, host_of(url)),
            ).rowcount
    if report.requests:
        report.lost.append("URLs that were queued and not fetched, and depths: name the seeds again to crawl on")


def _models(folder: SafeFolder, catalog: Catalog, report: RepairReport) -> None:
    known = {row[0] for row in catalog.rows("SELECT folder FROM models")}
    found = set(folder.folder_names())
    gone = sorted(known - found)
    if gone:
        with catalog.transaction() as connection:
            connection.executemany("DELETE FROM models WHERE folder = ?", [(name,) for name in gone])
        report.lost.append(
            f"{pluralize(len(gone), 'model')}, such as {gone[0]}, whose folder is gone: run corpuskit train"
        )
    missing = sorted(name for name in found if not any(name in row for row in known))
    if missing:
        report.lost.append(
            f"what was known of {pluralize(len(missing), 'model')}, such as models/{missing[0]}: run corpuskit train"
        )


def _elements(folder: CorpusFolder, report: RepairReport) -> None:
    from corpuskit.store import element_cache

    for name in folder.elements.file_names("*.parquet"):
        folder.elements.remove(name)
    element_cache.update(folder)
    unread = Counter(row["stage"] for row in folder.catalog.rows("SELECT stage FROM failures WHERE stage = 'read'"))
    if unread["read"]:
        report.lost.append(f"{pluralize(unread['read'], 'resource')} could not be read: corpuskit failures lists them")
