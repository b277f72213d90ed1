"""CorpusFolder: the parts of a corpus folder, opened together."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Final
from weakref import WeakMethod

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ConfigurationError, CorpusBusyError, CorpusError, UnknownDocumentError
from corpuskit.store.catalog import Catalog, now
from corpuskit.store.documents import read_document
from corpuskit.store.labels import LabelLog
from corpuskit.store.originals import Place, WarcWriter, read_original
from corpuskit.store.settings import FILE_NAME, Settings, change_settings, read_settings, write_default_settings
from corpuskit.store.telling import clock

_CATALOG: Final = "catalog.sqlite"
_LOCK: Final = ".crawl.lock"
_ANNOTATING: Final = ".annotate.lock"


class CorpusFolder:
    """A corpus on disk.

    Args:
        path: made if absent; a folder that holds other things is refused.

    Raises:
        CorpusError: the folder is not a corpus, or its catalogue is damaged.
        CorpusVersionError: a newer corpuskit made it.
        ConfigurationError: corpus.toml cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        if not self._is_corpus():
            self._make()
        self.settings: Settings = read_settings(self.path)
        self.catalog = Catalog(self.path / _CATALOG)
        self.labels = LabelLog(self.path / "labels", self.catalog)
        self._endings: list[WeakMethod[Callable[[], None]]] = []

    def _is_corpus(self) -> bool:
        return (self.path / FILE_NAME).exists() or (self.path / _CATALOG).exists()

    def _make(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if any(self.path.iterdir()):
                raise CorpusError(f"{self.path} is not a corpus and not empty; name a new folder")
            write_default_settings(self.path)
        except OSError as error:
            raise CorpusError(f"the corpus folder {self.path} cannot be made: {error}") from error

    def describe(self, description: str | None, seeds: Iterable[str] | None) -> str:
        """Changes what is given in corpus.toml; gives the description.

        Raises:
            ConfigurationError: the seeds are one string, not a list of words.
        """
        if isinstance(seeds, str):
            raise ConfigurationError(f"found seeds={seeds!r}, expected a list of words")
        values: dict[str, object] = {} if description is None else {"description": description}
        if seeds is not None:
            values["seeds"] = [word.strip() for word in seeds if word.strip()]
        if values:
            change_settings(self.path, values)
            self.settings = read_settings(self.path)
        return self.settings.description

    @property
    def documents(self) -> Path:
        """The extracted documents."""
        return self.path / "documents"

    @property
    def originals(self) -> Path:
        """What was collected, unchanged."""
        return self.path / "originals"

    @property
    def elements(self) -> Path:
        """The element cache."""
        return self.path / "elements"

    @property
    def models(self) -> Path:
        """The trained models."""
        return self.path / "models"

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
        """Held by the one crawl that may run. The system releases it when the process dies.

        Raises:
            CorpusBusyError: another crawl runs; the message says which.
        """
        with self._only_one(_LOCK, "crawl"):
            try:
                yield
            finally:
                if "warc" in self.__dict__:
                    self.warc.close()
                    del self.__dict__["warc"]

    @contextmanager
    def annotating(self) -> Iterator[None]:
        """Held by the one call that has a machine label documents, so that nothing is paid twice.

        Raises:
            CorpusBusyError: another one runs; the message says which.
        """
        with self._only_one(_ANNOTATING, "prelabel"):
            yield

    @contextmanager
    def _only_one(self, name: str, what: str) -> Iterator[None]:
        # A lock of SQLite works on every system and leaves nothing behind after a kill.
        connection = sqlite3.connect(self.path / name, timeout=0, isolation_level=None, check_same_thread=False)
        who = self.path / f"{name}.json"
        try:
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                raise CorpusBusyError(f"another {what} runs on this corpus: {_holder(who)}") from None
            who.write_text(json.dumps({"pid": os.getpid(), "since": now()}), "utf-8")
            try:
                yield
            finally:
                who.unlink(missing_ok=True)
        finally:
            connection.close()

    def document(self, doc_id: str, version: int | None = None) -> NLPTextDocument:
        """A document by its id, the last version unless another is named.

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
        """The bytes a document was extracted from.

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
        return read_original(self.originals, Place(*row))

    def before_close(self, end: Callable[[], None]) -> None:
        """Has a method called before the catalogue is closed: work in the background must not read by what is closed.

        The method's object is not kept alive by this.
        """
        self._endings.append(WeakMethod(end))

    def close(self) -> None:
        """Ends what works in the background, then closes the catalogue."""
        for known in self._endings:
            if (end := known()) is not None:
                end()
        self._endings.clear()
        self.catalog.close()


def _holder(who: Path) -> str:
    try:
        data = json.loads(who.read_text("utf-8"))
        return f"process {data['pid']}, since {clock(datetime.fromisoformat(data['since']).timestamp())}"
    except (OSError, ValueError, KeyError, TypeError):
        return "by whom is not known"
