"""Check of a corpus: catalog, documents, originals and labels, and no links or pipes in its directories."""

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

_BATCH: Final = 200  # documents per task
_IN_PROCESSES_FROM: Final = 1000
_FOLDERS: Final = (
    "documents", "originals", "labels", "models", "elements", "tokens", "vectors", "preprocessing", "annotations",
    "discoveries",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem found by a check.

    Attributes:
        part: catalog, documents, originals, labels, models, elements, tokens, vectors, preprocessing, annotations,
            discoveries, or locks (lock files).
        where: Path below the corpus folder, or a doc_id.
        message: Description of the problem.
    """

    part: str
    where: str
    message: str


CheckRow = tuple[str, str, str, int | None, int | None, str]


def check(folder: CorpusFolder, *, progress: bool = False) -> list[Problem]:
    """Read the whole corpus and return what is damaged or missing. Nothing is changed.

    The text and marks of every document are parsed; every original is read and compared with its hash.
    """
    problems = list(_check_catalog(folder))
    try:
        rows = _extracted_rows(folder)
        unread_labels = folder.catalog.rows("SELECT uri, message FROM failures WHERE stage = 'labels'")
    except CorpusKitError as error:  # the other checks need a readable catalog
        return [*problems, Problem("catalog", "catalog.sqlite", str(error))]
    tasks = [(folder.root, rows[start : start + _BATCH]) for start in range(0, len(rows), _BATCH)]
    in_processes = len(rows) >= _IN_PROCESSES_FROM
    for batch_problems in engine.values(
        _check_documents, tasks, in_processes=in_processes, progress="check" if progress else None
    ):
        problems += batch_problems
    known_files = {row[1].casefold() + TEXT_SUFFIX for row in rows}
    # An interrupted run may have written a document without updating its row.
    known_files |= {
        path.casefold() + TEXT_SUFFIX
        for (path,) in folder.catalog.tuples("SELECT path FROM documents WHERE status = 'fetched'")
    }
    problems += _check_unlisted_files(folder, known_files)
    problems += [Problem("labels", row["uri"], row["message"]) for row in unread_labels]
    messages = {problem.message for problem in problems}
    return [*problems, *(problem for problem in _check_file_types(folder.root) if problem.message not in messages)]


def count_pending(folder: CorpusFolder) -> int:
    """Return the number of documents that are stored but not extracted: a run was interrupted or is in progress."""
    return int(folder.catalog.value("SELECT count(*) FROM documents WHERE status = 'fetched'"))


def _extracted_rows(folder: CorpusFolder) -> list[CheckRow]:
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
        messages = [row[0] for row in folder.catalog.rows("PRAGMA integrity_check(20)")]
    except (sqlite3.DatabaseError, CorpusKitError) as error:
        messages = [str(error)]
    yield from (Problem("catalog", "catalog.sqlite", message) for message in messages if message != "ok")


def _check_documents(task: tuple[SafeFolder, list[CheckRow]]) -> list[Problem]:
    root, rows = task
    problems = []
    for doc_id, path, original, offset, length, content_hash in rows:
        try:
            read_document(root.subfolder("documents"), path)
        except (CorpusKitError, OSError) as error:
            problems.append(Problem("documents", path + TEXT_SUFFIX, str(error)))
        if not original:
            continue  # merged from shards without the original
        try:
            content = read_original(root.subfolder("originals"), OriginalLocation(original, offset, length))
            if hashlib.sha256(content).hexdigest() != content_hash:
                problems.append(
                    Problem("originals", original, f"the content differs from the original of document {doc_id}")
                )
        except (CorpusKitError, OSError) as error:
            problems.append(Problem("originals", original, str(error)))
    return problems


def _check_file_types(root: SafeFolder) -> Iterator[Problem]:
    """Yield links, pipes, devices, and files and directories in place of each other."""
    for directory in _FOLDERS:
        for name, message in root.subfolder(directory).irregular_entries():
            yield Problem(directory, f"{directory}/{name}" if name else directory, message)
    for name in LOCKS:
        try:
            with contextlib.suppress(FileNotFoundError):
                root.open(name).close()
        except (CorpusError, OSError) as error:
            yield Problem("locks", name, str(error))


def _check_unlisted_files(folder: CorpusFolder, known_files: set[str]) -> Iterator[Problem]:
    try:
        names = sorted(folder.documents.walk(TEXT_SUFFIX))
    except CorpusError:
        return  # reported by _check_file_types
    for name in names:
        if name.casefold() not in known_files:
            yield Problem("documents", name, "has no row in the catalog")
