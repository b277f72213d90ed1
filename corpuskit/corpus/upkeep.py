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
        """Remove documents for good: text, original, vectors and index entries. They are not taken in again.

        Args:
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus.
            reason: Why they are removed; kept with their URIs.

        Returns:
            The number of documents removed.

        Raises:
            UnknownDocumentError: A document is not in the corpus. None is removed.
            ConfigurationError: There is no reason.

        Example:
            >>> corpus.remove(["baking-course.docx", "tram-noise-report.pdf"], reason="off topic")
            2
        """
        from corpuskit import tokens, vectors
        from corpuskit.store.removal import remove_documents

        gone = self._ids(docs) or []
        tokens.forget(self._folder, gone)  # the index is a cache: if the rest fails, it is made again
        removed = remove_documents(self._folder, gone, reason)
        vectors.forget(self._folder, gone)  # last: vectors of a model may be dear
        return removed

    def drop_textworks(self) -> int:
        """Remove the TextWorks artifacts that corpuskit has written beside PDF files, and could write again.

        Those of other programs stay.

        Returns:
            The number of bytes freed.

        Example:
            >>> corpus.drop_textworks()
            0
        """
        from corpuskit.extraction.pdf.textworks import drop_artifacts

        return drop_artifacts(self._folder.originals)

    def check(self, *, progress: bool = False) -> list[Problem]:
        """Read the whole corpus and report what is damaged or missing. Nothing is changed.

        Every document's text and marks are parsed, every original is compared with its hash.

        Args:
            progress: Show a progress bar.

        Returns:
            A list of :class:`corpuskit.store.check.Problem`, empty where all is well; :meth:`repair` mends what can be mended.

        Example:
            >>> corpus.check()
            []
        """
        from corpuskit import vectors
        from corpuskit.relevance import check_models
        from corpuskit.store.check import check

        problems = check(self._folder, progress=progress)
        told = {problem.message for problem in problems}
        more = [*check_models(self._folder), *vectors.check(self._folder)]
        return [*problems, *(problem for problem in more if problem.message not in told)]

    @staticmethod
    def repair(path: str | os.PathLike[str]) -> Repaired:
        """Rebuild the catalogue of a damaged corpus from its other files. Nobody may have the corpus open.

        Args:
            path: Folder of the corpus.

        Returns:
            A :class:`corpuskit.store.repair.Repaired`: what was found, rebuilt and lost.

        Raises:
            CorpusError: There is no corpus folder.
            CorpusBusyError: A crawl runs.

        Example:
            >>> path = corpus.path
            >>> corpus.close()
            >>> repaired = type(corpus).repair(path)
        """
        from corpuskit.store.repair import repair

        return repair(Path(path))

    def backup(self, path: str | os.PathLike[str]) -> int:
        """Copy the corpus into a new folder, also while it is crawled.

        All is copied but exports and the element cache: layers, results of preprocessing, discoveries and the paid answers
        of machines too.

        Args:
            path: Folder to create.

        Returns:
            The number of bytes copied.

        Raises:
            CorpusError: The folder exists.

        Example:
            >>> copied = corpus.backup("backup")
            >>> import corpuskit as ck
            >>> len(ck.open("backup")) == len(corpus)
            True
        """
        from corpuskit.store.backup import backup

        return backup(self._folder, Path(path))

    def pack(self) -> int:
        """Put documents into packs, thousands in one file, for copying and for file systems that dislike many files.

        Everything works as before. The corpus can be read, labelled and crawled meanwhile.

        Returns:
            The number of documents packed.

        Raises:
            CorpusBusyError: Another process packs or unpacks.

        Example:
            >>> corpus.pack() == len(corpus)
            True
        """
        from corpuskit.store.packing import pack

        return pack(self._folder)

    def unpack(self) -> int:
        """Write packed documents as files again.

        Returns:
            The number of documents unpacked.

        Raises:
            CorpusBusyError: Another process packs or unpacks.

        Example:
            >>> corpus.pack() == corpus.unpack()
            True
        """
        from corpuskit.store.packing import unpack

        return unpack(self._folder)
