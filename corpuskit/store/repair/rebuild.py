"""Rebuilding of the catalog from documents/, originals/, labels/ and models/."""

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

_NEW_CATALOG: Final = "catalog.sqlite.repaired"


def repair(path: Path) -> RepairReport:
    """Rebuild the catalog of a corpus. The old catalog is kept under another name.

    A row of the old catalog is used if it is readable and matches its document. Other rows are restored from the
    document, which contains its URI, dates, media type and the hash of its original. The frontier is restored from the
    old catalog or from the requests in WARC files; the latter contain the fetched URLs, but not the queued ones.

    Raises:
        CorpusError: The folder is not a corpus, or a file cannot be written.
        CorpusBusyError: A crawl is running.
    """
    folder = SafeFolder(path.resolve())
    if not any(folder.exists(name) for name in ("corpus.toml", CATALOG, "documents", "labels")):
        raise CorpusError(f"{path} is not a corpus: it has no corpus.toml, catalog.sqlite, documents/ or labels/")
    with exclusive_lock(folder, CRAWL_LOCK, "crawl or repair"):
        return _repair(folder)


def _repair(root: SafeFolder) -> RepairReport:
    report = RepairReport()
    for suffix in ("", "-wal", "-shm", "-journal"):
        root.remove(_NEW_CATALOG + suffix)
    catalog = Catalog(root / _NEW_CATALOG)
    try:
        with open_damaged_catalog(root) as old:
            known = salvage(old, catalog, report)
        originals = OriginalIndex(root.subfolder("originals"))
        restore_documents(root.subfolder("documents"), catalog, originals, known, report)
        _restore_frontier(catalog, originals, report)
        _restore_models(root.subfolder("models"), catalog, report)
        catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        catalog.close()
    report.old = _replace_catalog(root)
    folder = CorpusFolder(root.path)  # indexes the labels
    try:
        _rebuild_elements(folder, report)
        folder.catalog.flush()
    finally:
        folder.close()
    return report


def _replace_catalog(folder: SafeFolder) -> str | None:
    """Replace the catalog by the new one. Return the name under which the old one is kept, or None."""
    name = None
    if folder.exists(CATALOG):
        number = 1
        while folder.exists(f"{CATALOG}.damaged-{number}"):
            number += 1
        name = f"{CATALOG}.damaged-{number}"
        for suffix in ("-wal", "-shm", "-journal", ""):  # the write-ahead log must not be applied to the new file
            with contextlib.suppress(FileNotFoundError):
                folder.rename(CATALOG + suffix, name + suffix)
    folder.rename(_NEW_CATALOG, CATALOG)
    for suffix in ("-wal", "-shm"):
        folder.remove(_NEW_CATALOG + suffix)
    return name


def _restore_frontier(catalog: Catalog, originals: OriginalIndex, report: RepairReport) -> None:
    """Add the URLs in WARC files to the frontier as fetched."""
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
        report.lost.append("queued URLs and the depths of URLs: crawl the seeds again")


def _restore_models(folder: SafeFolder, catalog: Catalog, report: RepairReport) -> None:
    known = {row[0] for row in catalog.rows("SELECT folder FROM models")}
    folders = set(folder.folder_names())
    without_folder = sorted(known - folders)
    if without_folder:
        with catalog.transaction() as connection:
            connection.executemany("DELETE FROM models WHERE folder = ?", [(name,) for name in without_folder])
        report.lost.append(
            f"{pluralize(len(without_folder), 'model')}, such as {without_folder[0]}, without a folder: run corpuskit train"
        )
    unregistered = sorted(name for name in folders if not any(name in row for row in known))
    if unregistered:
        report.lost.append(
            f"the records of {pluralize(len(unregistered), 'model')}, such as models/{unregistered[0]}: run corpuskit train"
        )


def _rebuild_elements(folder: CorpusFolder, report: RepairReport) -> None:
    from corpuskit.store import element_cache

    for name in folder.elements.file_names("*.parquet"):
        folder.elements.remove(name)
    element_cache.update(folder)
    unread = Counter(row["stage"] for row in folder.catalog.rows("SELECT stage FROM failures WHERE stage = 'read'"))
    if unread["read"]:
        report.lost.append(f"{pluralize(unread['read'], 'resource')} could not be read: corpuskit failures lists them")
