"""The accessor ``corpus.archives``: pages of web archives, selected and fetched, and merging of shards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from corpuskit.corpus.accessor import CorpusAccessor
from corpuskit.errors import ConfigurationError

if TYPE_CHECKING:
    from distributed import Client

    from corpuskit.discovery import Discovery, FetchReport
    from corpuskit.relevance import CorpusModel
    from corpuskit.shards import MergeReport
    from corpuskit.sources.commoncrawl import Index


class ArchivesAccessor(CorpusAccessor, attribute="archives"):
    """Pages of web archives, selected and fetched, and merging of shards."""

    def discover(
        self,
        index: Index | str | os.PathLike[str],
        *,
        threshold: float | None = None,
        per_host: int | None = None,
        budget_pages: int | None = 100_000,
        budget_bytes: int | None = None,
        sample: float | None = None,
        on: Literal["serial", "processes", "dask"] | Client = "processes",
        **more: Any,
    ) -> Discovery:
        """Score an index of web archives with the URL model and select the best pages, without fetching them.

        The same call continues an interrupted one.

        Args:
            index: Result of :func:`corpuskit.commoncrawl`, or its argument.
            threshold: Minimum score. None: 0.5.
            per_host: Maximum number of pages per host, best first.
            budget_pages: Maximum number of pages, best first. None: all; they are held in memory.
            budget_bytes: Maximum total size of their records, best first.
            sample: Share of the index's files to score, to estimate the result of the whole index.
            on: Executor; see :func:`corpuskit.engine.run`.
            more: ``name``, ``out``, ``workers``, ``seed`` and ``progress``; see :func:`corpuskit.discovery.discover`.

        Returns:
            The selected pages: ``.frame`` (one row per host), ``.estimate()``, ``.sample(n)``, ``.scores``, ``.sources``, ``.write(path)``.

        Raises:
            RelevanceError: There is no URL model.
            ConfigurationError: A number is out of range, or another discovery has this name.
            SourceError: The index does not exist.

        Example:
            >>> from corpuskit.demo import demo_archive
            >>> found = corpus.archives.discover(demo_archive("archive"), on="serial", progress=False)
            >>> found.seen
            101
            >>> index = ck.commoncrawl("CC-MAIN-2024-22", tld="fr")                      # doctest: +SKIP
            >>> corpus.archives.discover(index, sample=0.01).estimate()                           # doctest: +SKIP
        """
        from corpuskit.discovery import SelectionCriteria, discover
        from corpuskit.discovery.selection import THRESHOLD
        from corpuskit.sources.commoncrawl import Index, commoncrawl

        if isinstance(index, (str, os.PathLike)):
            index = commoncrawl(index)
        if not isinstance(index, Index):
            raise ConfigurationError(
                f"found {index!r:.80}, expected an index: what commoncrawl() returned, the name of a crawl, or a path"
            )
        choice = SelectionCriteria(THRESHOLD if threshold is None else threshold, per_host, budget_pages, budget_bytes)
        return discover(self._folder, index, choice=choice, sample=sample, on=on, **more)

    def fetch(
        self,
        discovery: Discovery | str,
        *,
        threshold: float | None = None,
        on: Literal["serial", "processes", "dask"] | Client = "processes",
        requests_per_second: float = 5.0,
        base: str | os.PathLike[str] | None = None,
        **more: Any,
    ) -> FetchReport:
        """Fetch the pages of a discovery from their archives into the corpus, by byte ranges.

        The same call continues an interrupted one. Pages that the corpus has are skipped.

        Args:
            discovery: Result of :meth:`discover`, or its name.
            threshold: Add only documents with at least this score of the document model.
            on: Executor; see :func:`corpuskit.engine.run`.
            requests_per_second: Rate limit for the store, over all workers.
            base: Location that the names of archives are relative to. None: that of :meth:`discover`. A discovery given by name
                needs it if the archives are on this machine.
            more: ``workers``, ``out`` and ``progress``; see :func:`corpuskit.discovery.fetch`.

        Returns:
            The number of fetched pages, the outcomes of their documents, and the damaged shards.

        Raises:
            CorpusError: No discovery has this name.
            ConfigurationError: A number is out of range, or the discovery belongs to another corpus.
            SourceError: No archive can be read.
            RelevanceError: ``threshold`` is given and there is no model.
            CorpusBusyError: Another process packs or merges.

        Example:
            >>> from corpuskit.demo import demo_archive
            >>> found = corpus.archives.discover(demo_archive("archive"), threshold=0.0, on="serial", progress=False)
            >>> corpus.archives.fetch(found, on="serial", progress=False).failures
            0
        """
        from corpuskit.discovery import Discovery, fetch

        opened = Discovery.resolve(self._folder, discovery, archives=None if base is None else os.fspath(base))
        return fetch(
            self._folder, opened, threshold=threshold, on=on, requests_per_second=requests_per_second, **more
        )  # fmt: skip

    def train_urls(self, discovery: Discovery | str | None = None, *, seed: int = 0) -> CorpusModel:
        """Retrain the URL model on the labels and on the document model's scores of the fetched pages.

        The document model and its audit do not change. Run :meth:`discover` again for a better selection.

        Args:
            discovery: Discovery with URLs that describe the index. Pages that :meth:`fetch` skipped are also used for training.
            seed: Seed; the same labels, pages and seed give the same model.

        Returns:
            The new last model: the previous document model and a new URL model.

        Raises:
            RelevanceError: There is no model yet, or labels and pages do not suffice.
            CorpusError: No discovery has this name.
            ConfigurationError: It belongs to another corpus.

        Example:
            >>> corpus.archives.train_urls().version
            'model-000...'
        """
        from corpuskit.discovery import Discovery
        from corpuskit.discovery.page_fetching import rejected_scores
        from corpuskit.relevance.corpus_training import retrain_urls

        if discovery is None:
            return retrain_urls(self._folder, {}, [], seed=seed)
        opened = Discovery.resolve(self._folder, discovery)
        return retrain_urls(self._folder, rejected_scores(self._folder, opened), opened.pool, seed=seed)

    def merge(self, shards: str | os.PathLike[str], *, progress: bool = True) -> MergeReport:
        """Merge shards that :func:`corpuskit.shards.extract_shards` has written. Shards that were merged before are skipped.

        Documents are added packed; their originals stay at their location. A second content of a page is a new version. A
        killed process continues with the same call.

        Args:
            shards: Folder of the shards, or its address in an object store.
            progress: Show a progress bar.

        Returns:
            The number of new, updated, unchanged and failed documents.

        Raises:
            SourceError: The folder has no output of shards.
            CorpusBusyError: Another process packs or merges.

        Example:
            >>> corpus.archives.merge("shards")                              # doctest: +SKIP
            12,408 new
        """
        from corpuskit.shards import merge

        return merge(self._folder, os.fspath(shards), progress=progress)
