"""The care of a corpus folder: removing, checking, repairing, copying, packing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpuskit.corpus.base import OpenCorpus

if TYPE_CHECKING:
    from corpuskit.store.check import Problem
    from corpuskit.store.repair import Repaired


class CorpusUpkeep(OpenCorpus):
    """The care of a corpus folder: removing, checking, repairing, copying, packing."""

    def remove(self, docs: Any, *, reason: str) -> int:
        """Removes documents for good: text, original, cache and index. They are not taken in again.

        Raises:
            UnknownDocumentError: a doc_id is not in the corpus; then none is removed.
        """
        from corpuskit import tokens, vectors
        from corpuskit.store.removal import remove_documents

        gone = self._ids(docs) or []
        tokens.forget(self._folder, gone)  # the index is a cache: if the rest fails, it is made again
        removed = remove_documents(self._folder, gone, reason)
        vectors.forget(self._folder, gone)  # last: vectors of a model may be dear
        return removed

    def drop_textworks(self) -> int:
        """Removes the artifacts that corpuskit has written beside PDF files, which it could make again; gives their bytes.

        Those of other programs stay.
        """
        from corpuskit.extraction.pdf.textworks import drop_artifacts

        return drop_artifacts(self._folder.originals)

    def check(self, *, progress: bool = False) -> list[Problem]:
        """What in the folder is damaged or missing; see :func:`corpuskit.store.check.check`."""
        from corpuskit import vectors
        from corpuskit.store.check import check

        return [*check(self._folder, progress=progress), *vectors.check(self._folder)]

    @staticmethod
    def repair(path: str | os.PathLike[str]) -> Repaired:
        """Makes the catalogue of a damaged corpus again from its files; see :func:`corpuskit.store.repair.repair`.

        Nobody may have the corpus open.

        Raises:
            CorpusError: there is no corpus folder.
            CorpusBusyError: a crawl runs.
        """
        from corpuskit.store.repair import repair

        return repair(Path(path))

    def backup(self, path: str | os.PathLike[str]) -> int:
        """Copies the corpus into a new folder, also while it is crawled; gives the bytes.

        Raises:
            CorpusError: the folder exists.
        """
        from corpuskit.store.backup import backup

        return backup(self._folder, Path(path))

    def pack(self) -> int:
        """Puts documents into packs, many in a file, for copying and for file systems that dislike many files.

        Gives how many. All works as before; see :func:`corpuskit.store.packing.pack`.

        Raises:
            CorpusBusyError: another process packs or unpacks.
        """
        from corpuskit.store.packing import pack

        return pack(self._folder)

    def unpack(self) -> int:
        """Writes packed documents as files again; gives how many.

        Raises:
            CorpusBusyError: another process packs or unpacks.
        """
        from corpuskit.store.packing import unpack

        return unpack(self._folder)
