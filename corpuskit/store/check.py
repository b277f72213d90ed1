"""Looks whether a corpus folder is whole: catalogue, documents, originals, labels, and no links or pipes in it."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from corpuskit import engine
from corpuskit.errors import CorpusError, CorpusKitError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.documents import TEXT_SUFFIX, read_document
from corpuskit.store.folder import LOCKS, CorpusFolder
from corpuskit.store.originals import OriginalLocation, read_original

_BATCH: Final = 200  # documents a task
_IN_PROCESSES_FROM: Final = 1000
_FOLDERS: Final = (
    "documents", "originals", "labels", "models", "elements", "tokens", "vectors", "preprocessing", "annotations",
    "discoveries",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it should be.

    Attributes:
        part: catalog, documents, originals, labels, models, elements, tokens, vectors, preprocessing, annotations,
            discoveries, or locks: the files by which processes wait for each other.
        where: a path below the corpus folder, or a doc_id.
        message: what is wrong.
    """

    part: str
    where: str
    message: str


Row = tuple[str, str, str, int | None, int | None, str]


def check(folder: CorpusFolder, *, progress: bool = False) -> list[Problem]:
    """Reads the whole corpus and tells what is damaged or missing; changes nothing.

    Every document's text and marks are parsed, every original is read and compared with its hash.
    """
    problems = list(_check_catalog(folder))
    try:
        rows = _rows(folder)
        unread_labels = folder.catalog.rows("SELECT uri, message FROM failures WHERE stage = 'labels'")
    except CorpusKitError as error:  # more cannot be told before a repair
        return [*problems, Problem("catalog", "catalog.sqlite", str(error))]
    tasks = [(folder.root, rows[start : start + _BATCH]) for start in range(0, len(rows), _BATCH)]
    in_processes = len(rows) >= _IN_PROCESSES_FROM
    for found in engine.values(
        _check_documents, tasks, in_processes=in_processes, progress="check" if progress else None
    ):
        problems += found
    known = {row[1].casefold() + TEXT_SUFFIX for row in rows}
    # A run that was stopped may have written the document, and not that it did.
    known |= {
        path.casefold() + TEXT_SUFFIX
        for (path,) in folder.catalog.tuples("SELECT path FROM documents WHERE status = 'fetched'")
    }
    problems += _check_strays(folder, known)
    problems += [Problem("labels", row["uri"], row["message"]) for row in unread_labels]
    told = {problem.message for problem in problems}
    return [*problems, *(problem for problem in _check_kinds(folder.root) if problem.message not in told)]


def count_pending(folder: CorpusFolder) -> int:
    """Return how many documents were taken in and not read yet: a run was stopped, or reads them now."""
    return int(folder.catalog.value("SELECT count(*) FROM documents WHERE status = 'fetched'"))


def _rows(folder: CorpusFolder) -> list[Row]:
    return [
        (
            row["doc_id"],
            row["path"],
            row["original"],
            row["original_offset"],
            row["original_length"],
            row["content_hash"],
        )
        for row in folder.catalog.rows("SELECT * FROM documents WHERE status = 'extracted' ORDER BY host, uri, version")
    ]


def _check_catalog(folder: CorpusFolder) -> Iterator[Problem]:
    try:
        found = [row[0] for row in folder.catalog.rows("PRAGMA integrity_check(20)")]
    except (sqlite3.DatabaseError, CorpusKitError) as error:
        found = [str(error)]
    yield from (Problem("catalog", "catalog.sqlite", message) for message in found if message != "ok")


def _check_documents(task: tuple[SafeFolder, list[Row]]) -> list[Problem]:
    root, rows = task
    problems = []
    for doc_id, path, original, offset, length, content_hash in rows:
        try:
            read_document(root.subfolder("documents"), path)
        except (CorpusKitError, OSError) as error:
            problems.append(Problem("documents", path + TEXT_SUFFIX, str(error)))
        if not original:
            continue  # merged from shards: the originals stayed where they were
        try:
            content = read_original(root.subfolder("originals"), OriginalLocation(original, offset, length))
            if hashlib.sha256(content).hexdigest() != content_hash:
                problems.append(Problem("originals", original, f"not what document {doc_id} was made from"))
        except (CorpusKitError, OSError) as error:
            problems.append(Problem("originals", original, str(error)))
    return problems


def _check_kinds(inside: SafeFolder) -> Iterator[Problem]:
    """Links, pipes, devices, and files and folders in each other's place: what each act that meets them refuses."""
    for room in _FOLDERS:
        for name, message in inside.subfolder(room).irregular_entries():
            yield Problem(room, f"{room}/{name}" if name else room, message)
    for name in LOCKS:
        try:
            with contextlib.suppress(FileNotFoundError):
                inside.open(name).close()
        except (CorpusError, OSError) as error:
            yield Problem("locks", name, str(error))


def _check_strays(folder: CorpusFolder, known: set[str]) -> Iterator[Problem]:
    try:
        names = sorted(folder.documents.walk(TEXT_SUFFIX))
    except CorpusError:
        return  # told with what stands in a wrong place
    for name in names:
        if name.casefold() not in known:
            yield Problem("documents", name, "stands in no row of the catalogue")
