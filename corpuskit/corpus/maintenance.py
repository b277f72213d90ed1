"""The accessor ``corpus.maintenance``: integrity check, backup and packing of a corpus directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from corpuskit.corpus.accessor import CorpusAccessor
from corpuskit.hooks import hooks
from corpuskit.ingest import extract_pending

if TYPE_CHECKING:
    from corpuskit.store.check import Problem


class MaintenanceAccessor(CorpusAccessor, attribute="maintenance"):
    """Integrity check, backup and packing of a corpus directory."""

    def check(self, *, progress: bool = False) -> list[Problem]:
        """Read the whole corpus and report damage and missing files. Nothing is changed.

        The text and marks of every document are parsed, and every original is compared with its hash.

        Args:
            progress: Show a progress bar.

        Returns:
            A list of :class:`corpuskit.store.check.Problem`, empty if the corpus is intact; ``Corpus.repair(path)`` repairs damage where possible.

        Example:
            >>> corpus.maintenance.check()
            []
        """
        from corpuskit.relevance import check_models
        from corpuskit.store.check import check

        problems = check(self._folder, progress=progress)
        reported = {problem.message for problem in problems}
        more = check_models(self._folder)
        for check_derived in hooks("check"):
            more += check_derived(self._folder)
        return [*problems, *(problem for problem in more if problem.message not in reported)]

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
            >>> copied = corpus.maintenance.backup("backup")
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
            >>> corpus.maintenance.pack() == len(corpus)
            True
        """
        from corpuskit.store.pack_commands import pack

        return pack(self._folder)

    def unpack(self) -> int:
        """Write packed documents as files again.

        Returns:
            The number of documents unpacked.

        Raises:
            CorpusBusyError: Another process packs or unpacks.

        Example:
            >>> corpus.maintenance.pack() == corpus.maintenance.unpack()
            True
        """
        from corpuskit.store.pack_commands import unpack

        return unpack(self._folder)

    def extract_pending(self) -> int:
        """Extract documents that were fetched by a killed process and not extracted yet.

        ``corpus.crawl()`` does this automatically at its start.

        Returns:
            The number of documents extracted.

        Example:
            >>> corpus.maintenance.extract_pending()
            0
        """
        return extract_pending(self._folder)
