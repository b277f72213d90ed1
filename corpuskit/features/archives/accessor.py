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
        """Score an index of web archives by the model of URLs, and select_pages the best pages; nothing is fetched.

        The same call goes on where an earlier one stopped.

        Args:
            index: what :func:`corpuskit.commoncrawl` gave, or what that takes.
            threshold: pages scored lower are left out; None: 0.5.
            per_host: at most so many pages of one host, the best.
            budget_pages: at most so many, the best; None: all, which are held in memory.
            budget_bytes: the best as long as their records have at most so many bytes.
            sample: scores this share of the index's files only, to estimate what the whole would give.
            on: where; see :func:`corpuskit.engine.run`.
            more: ``name``, ``out``, ``workers``, ``seed`` and ``progress``; see :func:`corpuskit.discovery.discover`.

        Returns:
            The chosen pages: ``.frame`` (a row a host), ``.estimate()``, ``.sample(n)``, ``.scores``, ``.sources``, ``.write(path)``.

        Raises:
            RelevanceError: there is no model of URLs.
            ConfigurationError: a number that cannot be, or another discovery has this name.
            SourceError: there is no such index.

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

        The same call goes on where an earlier one stopped; pages that the corpus has are left out.

        Args:
            discovery: what :meth:`discover` gave, or its name.
            threshold: takes only documents in that the model of documents scores so high.
            on: where; see :func:`corpuskit.engine.run`.
            requests_per_second: of the store, of all workers together.
            base: what the names of archives are relative to; None: as in the call of :meth:`discover`. A discovery that is named
                needs it where the archives are on this machine.
            more: ``workers``, ``out`` and ``progress``; see :func:`corpuskit.discovery.fetch`.

        Returns:
            How many pages were fetched, what became of their documents, and which shards were set aside.

        Raises:
            CorpusError: there is no discovery of this name.
            ConfigurationError: a number that cannot be, or a discovery of another corpus.
            SourceError: none of the archives can be read.
            RelevanceError: a threshold is given and there is no model.
            CorpusBusyError: another process packs or merges.

        Example:
            >>> from corpuskit.demo import demo_archive
            >>> found = corpus.archives.discover(demo_archive("archive"), threshold=0.0, on="serial", progress=False)
            >>> corpus.archives.fetch(found, on="serial", progress=False).failures
            0
        """
        from corpuskit.discovery import Discovery, fetch

        found = Discovery.resolve(self._folder, discovery, archives=None if base is None else os.fspath(base))
        return fetch(
            self._folder, found, threshold=threshold, on=on, requests_per_second=requests_per_second, **more
        )  # fmt: skip

    def train_urls(self, discovery: Discovery | str | None = None, *, seed: int = 0) -> CorpusModel:
        """Train the model of URLs again, on the labels and on what the model of documents says of the pages that came.

        The model of documents stays as it is, with its audit. Discover again, and the choice is better.

        Args:
            discovery: an index's URLs, to learn what URLs are like there; also pages that :meth:`fetch` left out teach.
            seed: same labels, pages and seed, same model.

        Returns:
            The corpus' new last model: the model of documents it had, and a new one of URLs.

        Raises:
            RelevanceError: there is no model yet, or labels and pages do not suffice.
            CorpusError: there is no discovery of this name.
            ConfigurationError: it is of another corpus.

        Example:
            >>> corpus.archives.train_urls().version
            'model-000...'
        """
        from corpuskit.discovery import Discovery
        from corpuskit.discovery.page_fetching import rejected_scores
        from corpuskit.relevance.learning import retrain_urls

        if discovery is None:
            return retrain_urls(self._folder, {}, [], seed=seed)
        found = Discovery.resolve(self._folder, discovery)
        return retrain_urls(self._folder, rejected_scores(self._folder, found), found.pool, seed=seed)

    def merge(self, shards: str | os.PathLike[str], *, progress: bool = True) -> MergeReport:
        """Merge shards that :func:`corpuskit.shards.extract_shards` has written. Those merged before are passed over.

        Documents arrive packed. Their originals stay where they are. Of two contents of one page the second is a new version. A
        process that dies goes on where it stopped.

        Args:
            shards: Folder of the shards, or its address on a store of objects.
            progress: Show a progress bar.

        Returns:
            The number of new, updated, unchanged and failed documents.

        Raises:
            SourceError: There are no outputs of shards.
            CorpusBusyError: Another process packs or merges.

        Example:
            >>> corpus.archives.merge("shards")                              # doctest: +SKIP
            12,408 new
        """
        from corpuskit.shards import merge

        return merge(self._folder, os.fspath(shards), progress=progress)
