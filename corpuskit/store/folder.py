"""CorpusFolder: the parts of a corpus folder, opened together."""

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
_ANNOTATING: Final = ".annotate.lock"
_PACKING: Final = ".pack.lock"
_ASKED_AGAIN: Final = 5  # times, where a lock is held by nobody that can be named
_BETWEEN: Final = 0.1  # seconds
LOCKS: Final = tuple(name + end for name in (CRAWL_LOCK, _ANNOTATING, _PACKING) for end in ("", ".json"))


class CorpusFolder:
    """A corpus on disk.

    Args:
        path: made if absent; a folder that holds other things is refused. ``inside`` of another one opens the same.
        trust: the corpus is the user's own: links in it are followed, its catalogue is not looked through first.

    Attributes:
        path: where it is.
        inside: the way to all that stands in it.

    Raises:
        CorpusError: the folder is not a corpus, its catalogue is damaged, or something in it leads out.
        CorpusVersionError: a newer corpuskit made it.
        ConfigurationError: corpus.toml cannot be read.
    """

    def __init__(self, path: Folder, *, trust: bool = False) -> None:
        given = as_safe_folder(path)
        trust = trust or given.follow
        self.path = given.path.resolve()
        self.root = SafeFolder(self.path, follow=trust)
        if not self._is_corpus():
            self._make()
        self.settings: Settings = read_settings(self.root)
        self.catalog = Catalog(self.path / CATALOG, trust=trust)
        try:
            self.labels = LabelLog(self.root.subfolder("labels"), self.catalog)
        except BaseException:
            self.catalog.close()
            raise
        self._endings: list[WeakMethod[Callable[[], None]]] = []

    def _is_corpus(self) -> bool:
        return self.root.exists(FILE_NAME) or self.root.exists(CATALOG)

    def _make(self) -> None:
        if self.path.is_file():
            raise CorpusError(
                f"{self.path} is a file: a corpus is a folder; name one, and add({self.path.name!r}) to it"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if any(self.path.iterdir()):
                raise CorpusError(f"{self.path} is not a corpus and not empty; name a new folder")
            write_default_settings(self.root)
        except OSError as error:
            raise CorpusError(f"the corpus folder {self.path} cannot be made: {error}") from error

    def update_description(self, description: str | None, seeds: Iterable[str] | None) -> str:
        """Change what is given in corpus.toml and return the description.

        Args:
            description: What the corpus is about; None: as it is.
            seeds: Words that its documents are about; None: as they are.

        Raises:
            ConfigurationError: the seeds are one string, not a list of words.
        """
        seeds = seeds if seeds is None or isinstance(seeds, str) else list(seeds)
        if isinstance(seeds, str) or not all(isinstance(word, str) and word.strip() for word in seeds or ()):
            raise ConfigurationError(f"found seeds={seeds!r}, expected a list of words; [] for none")
        values: dict[str, object] = {} if description is None else {"description": description}
        if seeds is not None:
            values["seeds"] = [word.strip() for word in seeds]
        if values:
            update_settings(self.root, values)
            self.settings = read_settings(self.root)
        return self.settings.description

    @property
    def documents(self) -> SafeFolder:
        """The extracted documents."""
        return self.root.subfolder("documents")

    @property
    def originals(self) -> SafeFolder:
        """What was collected, unchanged."""
        return self.root.subfolder("originals")

    @property
    def elements(self) -> SafeFolder:
        """The element cache."""
        return self.root.subfolder("elements")

    @property
    def models(self) -> SafeFolder:
        """The trained models."""
        return self.root.subfolder("models")

    @cached_property
    def warc(self) -> WarcWriter:
        """Where crawled pages are appended; only the holder of :meth:`crawl_lock` may use it."""
        ends = self.catalog.rows(
            "SELECT original, max(original_offset + original_length) AS end FROM documents "
            "WHERE original_offset IS NOT NULL GROUP BY original"
        )
        return WarcWriter(self.originals, {row["original"]: row["end"] for row in ends})

    @contextmanager
    def crawl_lock(self) -> Iterator[None]:
        """Hold a lock: it is held by the one crawl that may run. The system releases it when the process dies.

        Raises:
            CorpusBusyError: another crawl runs; the message says which.
        """
        with self._only_one(CRAWL_LOCK, "crawl or repair"):
            try:
                yield
            finally:
                if "warc" in self.__dict__:
                    self.warc.close()
                    del self.__dict__["warc"]

    @contextmanager
    def annotation_lock(self) -> Iterator[None]:
        """Hold a lock: it is held by the one call that has a machine label documents, so that nothing is paid twice.

        Raises:
            CorpusBusyError: another one runs; the message says which.
        """
        with self._only_one(_ANNOTATING, "prelabel"):
            yield

    @contextmanager
    def pack_lock(self) -> Iterator[None]:
        """Hold a lock: it is held by who adds or removes packs.

        Raises:
            CorpusBusyError: another process packs, unpacks or merges; the message says which.
        """
        with self._only_one(_PACKING, "pack, unpack, merge or removal"):
            yield

    @contextmanager
    def _only_one(self, name: str, what: str) -> Iterator[None]:
        with exclusive_lock(self.root, name, what):
            yield

    def document(self, doc_id: str, version: int | None = None) -> NLPTextDocument:
        """Return a document.

        Args:
            doc_id: Its id.
            version: Number of the version; None: the last one.

        Raises:
            UnknownDocumentError: there is none.
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
        """Return the bytes a document was extracted from.

        Args:
            doc_id: The document.

        Raises:
            UnknownDocumentError: there is none.
            CorpusError: it is missing or damaged.
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
                f"the original of {doc_id} is not kept here: it was merged from shards; its metadata says from where"
            )
        return read_original(self.originals, OriginalLocation(*row))

    def add_close_callback(self, end: Callable[[], None]) -> None:
        """Have a method called before the catalogue is closed: work in the background must not read by what is closed.

        The method's object is not kept alive by this.

        Args:
            end: The method.
        """
        self._endings.append(WeakMethod(end))

    def close(self) -> None:
        """End what works in the background, then close the catalogue."""
        for known in self._endings:
            if (end := known()) is not None:
                end()
        self._endings.clear()
        self.catalog.close()


@contextmanager
def exclusive_lock(folder: SafeFolder, name: str, what: str) -> Iterator[None]:
    """Hold a lock: it is held by one process at a time; the system releases it when the process dies.

    Raises:
        CorpusBusyError: another one holds it; the message says which.
    """
    # A lock of SQLite works on every system and leaves nothing behind after a kill.
    connection = connect(folder, name, timeout=0)
    who = f"{name}.json"
    try:
        for left in range(_ASKED_AGAIN, -1, -1):
            try:
                connection.execute("BEGIN EXCLUSIVE")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    advice = "free some space" if "full" in str(error) else "check the folder's permissions"
                    raise CorpusError(f"{name} cannot be locked ({error}): {advice}") from error
                holder = _holder(folder, who) or processes_using(folder / name)
                if holder or not left:
                    holder = holder or "which process is not known"
                    raise CorpusBusyError(f"another {what} runs on this corpus: {holder}") from None
                time.sleep(_BETWEEN)  # it has just ended, or has not yet written who it is
            except sqlite3.DatabaseError as error:
                raise CorpusError(f"{name} is no lock ({error}): remove it") from error
        folder.write(who, json.dumps({"pid": os.getpid(), "since": now()}).encode())
        try:
            yield
        finally:
            folder.remove(who)
    finally:
        connection.close()


def _holder(folder: SafeFolder, who: str) -> str:
    try:
        data = json.loads(folder.read(who, 10_000))
        return f"process {int(data['pid'])}, since {format_time(datetime.fromisoformat(data['since']).timestamp())}"
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return ""  # it has not written it yet, or has just ended
