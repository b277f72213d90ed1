"""The accessor ``corpus.vectors``: vectors, similar documents, topics and the map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpuskit.corpus.accessor import CorpusAccessor
from corpuskit.document.dataframes import convert_dtypes

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.features.vectors.widgets.map import DocumentMap
    from corpuskit.vectors import Topics


class VectorsAccessor(CorpusAccessor, attribute="vectors"):
    """Vectors, similar documents, topics and the map of a corpus."""

    def embed(
        self,
        name: str = "corpus",
        function: Callable[[Sequence[str]], Any] | None = None,
        *,
        batch: int = 64,
        replace: bool = False,
        progress: bool = True,
    ) -> int:
        """Compute the missing vectors of documents.

        An interrupted call saves complete batches: at most 2,000 documents are embedded again.

        Args:
            name: Name of the vectors; ``corpus`` for those of the corpus' own latent semantic space.
            function: Takes a list of texts (title and main text, at most 30,000 characters each), returns an array with one row per
                text, such as ``SentenceTransformer(...).encode``. None for ``corpus``.
            batch: Number of texts per call of the function.
            replace: Delete the vectors of this name first.
            progress: Show a progress bar.

        Returns:
            The number of documents embedded.

        Raises:
            ConfigurationError: The function is missing, or its output is not a matrix with one row per text.
            CorpusError: The disk cannot be written.

        Example:
            >>> corpus.vectors.embed(progress=False)
            73
            >>> corpus.vectors.embed(progress=False)
            0
        """
        from corpuskit.vectors import embed

        return embed(self._folder, name, function, batch=batch, replace=replace, progress=progress)

    def similar(self, to: Any, n: int = 20, *, name: str = "corpus", arrow: bool = False) -> pd.DataFrame:
        """Return the documents most similar to one document, several documents or a text.

        Args:
            to: An id, a URI or a file name; a text, if there is no such document; or several documents, as ids or a DataFrame
                with ``doc_id``.
            n: Maximum number of documents. Of equal texts one is returned. The query documents and their copies are excluded.
            name: Name of the vectors. A text as query needs the vectors ``corpus``.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns doc_id, title, uri (str), score (float64, the cosine, at most 1), shared (str, up to five words that are
            characteristic of both), the most similar first.

        Raises:
            ConfigurationError: The query is empty, ``n`` is below 1, or no word of the text is known.
            UnknownDocumentError: A document is not in the corpus.

        Example:
            >>> corpus.vectors.similar("rye-bread.html", 2)["title"].tolist()
            ['Bread in five evenings', 'Plum cake by the tray']
        """
        from corpuskit.vectors import similar

        return convert_dtypes(similar(self._folder, to, n, name), arrow)

    def topics(self, n: int | None = None, *, name: str = "corpus", seed: int = 0, renew: bool = False) -> Topics:
        """Return the topics of the corpus, in groups, with names.

        Topics are computed once and stored with your edits (rename, merge, split). New documents are assigned to existing topics.

        Args:
            n: Number of topics. Another number than before computes them again. None: the stored topics, else the default number.
            name: Name of the vectors.
            seed: The same documents and seed give the same topics.
            renew: Compute topics again. Edits are applied to topics with the same documents.

        Returns:
            A :class:`corpuskit.vectors.Topics`: ``.frame`` has one row per topic, ``.chart()`` draws them.

        Raises:
            ConfigurationError: ``n`` is out of range, or there are no vectors of this name.

        Example:
            >>> topics = corpus.vectors.topics(4)
            >>> int(topics.frame.query("level == 1")["documents"].sum())
            73
        """
        from corpuskit.vectors import topics
        from corpuskit.views.charts import topics as chart

        return topics(self._folder, n, name, seed=seed, renew=renew, chart=chart)

    def positions(
        self, *, name: str = "corpus", seed: int = 0, renew: bool = False, arrow: bool = False
    ) -> pd.DataFrame:
        """Return the position of each document on the map.

        The layout is computed once and stored. Later documents are placed near similar ones, and other documents are not moved.

        Args:
            name: Name of the vectors.
            seed: The same documents and seed give the same layout.
            renew: Compute the layout of all documents again.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns doc_id, title, uri (str), x, y (float32), by host and URI. Nine in ten documents are within 1 of the centre 0.
            ``attrs["placed"]`` is the number of documents added later. If there are many, compute the layout again.

        Raises:
            ConfigurationError: There are no vectors of this name.
            CorpusError: The path of the vectors is not a directory.

        Example:
            >>> places = corpus.vectors.positions()
            >>> len(places)
            73
        """
        from corpuskit.store.document_lookup import add_titles
        from corpuskit.vectors import positions

        return convert_dtypes(add_titles(self._folder, positions(self._folder, name, seed=seed, renew=renew)), arrow)

    def map(
        self,
        docs: Any = None,
        *,
        colour: str | None = None,
        by: str | None = None,
        keys: Mapping[str, str] | None = None,
        name: str = "corpus",
        height: int = 480,
    ) -> DocumentMap:
        """Return all documents on a map, as a widget to browse, search, select regions, label them and follow a crawl.

        ``.selection`` is a DataFrame of the chosen documents. A key labels all of them as one group: these labels have the origin
        ``group``, are weighted in training as the square root of their number, and are replaced by individual labels.

        Args:
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            colour: ``topic``, ``label``, ``relevance``, ``source``, ``language`` or ``date``. None: by topic if topics exist, else by label.
            by: Name of the annotator. None: the name of the user.
            keys: Key → label. Default: r relevant, o other, u unsure.
            name: Name of the vectors.
            height: Height of the map in pixels.

        Raises:
            ConfigurationError: A colour, key, label or name is wrong, or there are no vectors of this name.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.
            MissingExtraError: The extra ``notebook`` is not installed.

        Example:
            >>> documents = corpus.vectors.map(by="anna")
            >>> documents.select(["rye-bread.html", "plum-cake.html"])
            2
            >>> documents.close()
        """
        from corpuskit.features.vectors.similarity import points_and_regions, similar_documents
        from corpuskit.features.vectors.widgets.map import DocumentMap
        from corpuskit.views import doc_selection

        return DocumentMap(
            self._folder, points_and_regions(self._folder, name), docs=doc_selection.doc_ids_of(self._folder, docs), colour=colour, by=by, keys=keys,
            height=height, similar=similar_documents(self._folder, name),
        )  # fmt: skip
