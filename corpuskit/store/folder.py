"""CorpusFolder: access to all parts of a corpus folder."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from typing import Final
from weakref import WeakMethod

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ConfigurationError, CorpusBusyError, CorpusError, UnknownDocumentError
from corpuskit.safe_folder import Folder, SafeFolder, as_safe_folder
from corpuskit.store.catalog import Catalog, now
from corpuskit.store.database import CATALOG, connect
from corpuskit.store.documents import read_document
from corpuskit.store.file_errors import processes_using
from corpuskit.store.formatting import format_time
from corpuskit.store.labels import LabelLog
from corpuskit.store.originals import OriginalLocation, WarcWriter, read_original
from corpuskit.store.settings import FILE_NAME, Settings, read_settings, update_settings, write_default_settings

CRAWL_LOCK: Final = ".crawl.lock"
_ANNOTATION_LOCK: Final = ".annotate.lock"
_PACK_LOCK: Final = ".pack.lock"
_LOCK_RETRIES: Final = 5  # if the holder of a lock cannot be identified
_RETRY_SECONDS: Final = 0.1
LOCKS: Final = tuple(name + end for name in (CRAWL_LOCK, _ANNOTATION_LOCK, _PACK_LOCK) for end in ("", ".json"))


class CorpusFolder:
    """A corpus on disk.

    Args:
        path: The folder. It is created if it does not exist; a directory with other content is refused. The ``root`` of
            another CorpusFolder opens the same corpus.
        trust: Follow links and skip the validation of the catalog. For corpora of the user.

    Attributes:
        path: Absolute path.
        root: Safe access to all files of the corpus.

    Raises:
        CorpusError: The folder is not a corpus, its catalog is damaged, or it contains a link.
        CorpusVersionError: The corpus was created by a newer version of corpuskit.
        ConfigurationError: corpus.toml is invalid.
    """

    def __init__(self, path: Folder, *, trust: bool = False) -> None:
        safe_path = as_safe_folder(path)
        trust = trust or safe_path.follow
        self.path = safe_path.path.resolve()
        self.root = SafeFolder(self.path, follow=trust)
        if not self._is_corpus():
            self._create()
        self.settings: Settings = read_settings(self.root)
        self.catalog = Catalog(self.path / CATALOG, trust=trust)
        try:
            self.labels = LabelLog(self.root.subfolder("labels"), self.catalog)
        except BaseException:
            self.catalog.close()
            raise
        self._close_callbacks: list[WeakMethod[Callable[[], None]]] = []

    def _is_corpus(self) -> bool:
        return self.root.exists(FILE_NAME) or self.root.exists(CATALOG)

    def _create(self) -> None:
        if self.path.is_file():
            raise CorpusError(
                f"expected a corpus folder, got a file: {self.path}; open a folder and add({self.path.name!r}) to it"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if any(self.path.iterdir()):
                raise CorpusError(f"{self.path} is not a corpus and not empty: choose a new folder")
            write_default_settings(self.root)
        except OSError as error:
            raise CorpusError(f"the corpus folder {self.path} cannot be created: {error}") from error

    def update_description(self, description: str | None, seeds: Iterable[str] | None) -> str:
        """Update the description and the seed words in corpus.toml, and return the description.

        Args:
            description: What the corpus is about; None leaves it unchanged.
            seeds: Words that its documents are about; None leaves them unchanged.

        Raises:
            ConfigurationError: ``seeds`` is not a list of words.
        """
        seeds = seeds if seeds is None or isinstance(seeds, str) else list(seeds)
        if isinstance(seeds, str) or not all(isinstance(word, str) and word.strip() for word in seeds or ()):
            raise ConfigurationError(f"found seeds={seeds!r}, expected a list of words; [] removes them")
        values: dict[str, object] = {} if description is None else {"description": description}
        if seeds is not None:
            values["seeds"] = [word.strip() for word in seeds]
        if values:
            update_settings(self.root, values)
            self.settings = read_settings(self.root)
        return self.settings.description

    @property
    def documents(self) -> SafeFolder:
        """The directory of extracted documents."""
        return self.root.subfolder("documents")

    @property
    def originals(self) -> SafeFolder:
        """The directory of originals, stored unchanged."""
        return self.root.subfolder("originals")

    @property
    def elements(self) -> SafeFolder:
        """The directory of the element cache."""
        return self.root.subfolder("elements")

    @property
    def models(self) -> SafeFolder:
        """The directory of trained models."""
        return self.root.subfolder("models")

    @cached_property
    def warc(self) -> WarcWriter:
        """Writer for crawled pages. Only the holder of :meth:`crawl_lock` may use it."""
        ends = self.catalog.rows(
            "SELECT original, max(original_offset + original_length) AS end FROM documents "
            "WHERE original_offset IS NOT NULL GROUP BY original"
        )
        return WarcWriter(self.originals, {row["original"]: row["end"] for row in ends})

    @contextmanager
    def crawl_lock(self) -> Iterator[None]:
        """Hold the crawl lock. Only one process can hold it; the operating system releases it if the process dies.

        Raises:
            CorpusBusyError: Another process holds the lock; the message names it.
        """
        with self._exclusive_lock(CRAWL_LOCK, "crawl or repair"):
            try:
                yield
            finally:
                if "warc" in self.__dict__:
                    self.warc.close()
                    del self.__dict__["warc"]

    @contextmanager
    def annotation_lock(self) -> Iterator[None]:
        """Hold the lock for labelling by a model. Only one process can hold it, so that no document is paid for twice.

        Raises:
            CorpusBusyError: Another process holds the lock; the message names it.
        """
        with self._exclusive_lock(_ANNOTATION_LOCK, "prelabel"):
            yield

    @contextmanager
    def pack_lock(self) -> Iterator[None]:
        """Hold the lock for adding and removing packs.

        Raises:
            CorpusBusyError: Another process packs, unpacks or merges; the message names it.
        """
        with self._exclusive_lock(_PACK_LOCK, "pack, unpack, merge or removal"):
            yield

    @contextmanager
    def _exclusive_lock(self, name: str, operation: str) -> Iterator[None]:
        with exclusive_lock(self.root, name, operation):
            yield

    def document(self, doc_id: str, version: int | None = None) -> NLPTextDocument:
        """Return a document.

        Args:
            doc_id: Its id.
            version: Number of the version; the last one by default.

        Raises:
            UnknownDocumentError: The corpus has no such document or version.
        """
        row = self.catalog.connection.execute(
            "SELECT path FROM documents WHERE doc_id = ? AND status = 'extracted' AND (? IS NULL OR version = ?) "
            "ORDER BY version DESC LIMIT 1",
            (doc_id, version, version),
        ).fetchone()
        if row is None:
            raise UnknownDocumentError(f"no document {doc_id!r}" + (f" version {version}" if version else ""))
        return read_document(self.documents, row["path"], strict=False)

    def original(self, doc_id: str) -> bytes:
        """Return the original of a document as bytes.

        Args:
            doc_id: The document.

        Raises:
            UnknownDocumentError: The corpus has no such document.
            CorpusError: The original is missing or damaged.
        """
        row = self.catalog.connection.execute(
            "SELECT original, original_offset, original_length FROM documents WHERE doc_id = ? "
            "ORDER BY version DESC LIMIT 1",
            (doc_id,),
        ).fetchone()
        if row is None:
            raise UnknownDocumentError(f"no document {doc_id!r}")
        if not row["original"]:
            raise CorpusError(
                f"the original of {doc_id} is not stored in this corpus, since it was merged from shards: its metadata "
                "names the source"
            )
        return read_original(self.originals, OriginalLocation(*row))

    def add_close_callback(self, callback: Callable[[], None]) -> None:
        """Register a method to call before the catalog is closed, to stop background work.

        Only a weak reference to its object is held.

        Args:
            callback: The method.
        """
        self._close_callbacks.append(WeakMethod(callback))

    def close(self) -> None:
        """Stop background work and close the catalog."""
        for reference in self._close_callbacks:
            if (callback := reference()) is not None:
                callback()
        self._close_callbacks.clear()
        self.catalog.close()


@contextmanager
def exclusive_lock(folder: SafeFolder, name: str, operation: str) -> Iterator[None]:
    """Hold a lock file. Only one process can hold it; the operating system releases it if the process dies.

    Args:
        folder: The directory.
        name: Name of the lock file.
        operation: What holders of the lock do, for the message.

    Raises:
        CorpusBusyError: Another process holds the lock; the message names it.
    """
    # SQLite locks work on every system and are released when a process is killed.
    connection = connect(folder, name, timeout=0)
    holder_file = f"{name}.json"
    try:
        for retries_left in range(_LOCK_RETRIES, -1, -1):
            try:
                connection.execute("BEGIN EXCLUSIVE")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    advice = "free some space" if "full" in str(error) else "check the permissions of the directory"
                    raise CorpusError(f"{name} cannot be locked ({error}): {advice}") from error
                holder = _holder(folder, holder_file) or processes_using(folder / name)
                if holder or not retries_left:
                    holder = holder or "an unknown process"
                    raise CorpusBusyError(f"another {operation} runs on this corpus: {holder}") from None
                time.sleep(_RETRY_SECONDS)  # the holder has just ended or has not written its file yet
            except sqlite3.DatabaseError as error:
                raise CorpusError(f"{name} is not a valid lock file ({error}): remove it") from error
        folder.write(holder_file, json.dumps({"pid": os.getpid(), "since": now()}).encode())
        try:
            yield
        finally:
            folder.remove(holder_file)
    finally:
        connection.close()


def _holder(folder: SafeFolder, holder_file: str) -> str:
    try:
        data = json.loads(folder.read(holder_file, 10_000))
        return f"process {int(data['pid'])}, since {format_time(datetime.fromisoformat(data['since']).timestamp())}"
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return ""  # not written yet, or removed already
