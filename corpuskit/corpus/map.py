"""What a corpus is asked about the whole of its documents: the part of class Corpus that hands over to their vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.frames import in_types

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.vectors import Topics
    from corpuskit.widgets.map import DocumentMap


class CorpusMap(OpenCorpus):
    """Vectors, similar documents, topics and places of a :class:`corpuskit.corpus.Corpus`."""

    def embed(
        self,
        name: str = "corpus",
        function: Callable[[Sequence[str]], Any] | None = None,
        *,
        batch: int = 64,
        replace: bool = False,
        progress: bool = True,
    ) -> int:
        """Gives a vector to each document that has none; gives how many. See :func:`corpuskit.vectors.embed`.

        Args:
            name: of the vectors; ``corpus`` for those of the corpus' own latent semantic space.
            function: texts → an array of one row a text, such as ``SentenceTransformer(...).encode``.
            batch: texts that the function gets at once.
            replace: vectors of this name that are there go first.
            progress: shows a bar.

        Raises:
            ConfigurationError: no function is given, or it gave something else than vectors.
        """
        from corpuskit.vectors import embed

        return embed(self._folder, name, function, batch=batch, replace=replace, progress=progress)

    def similar(self, to: Any, n: int = 20, *, name: str = "corpus", arrow: bool = False) -> pd.DataFrame:
        """The documents most like one, several or a text; see :func:`corpuskit.vectors.similar`.

        Args:
            to: an id, URI or file name, a text, ids, or a DataFrame with doc_id.
            n: at most so many.
            name: of the vectors.
            arrow: with Arrow types.

        Raises:
            ConfigurationError: no word of the text is known, or there is nothing to ask with.
            UnknownDocumentError: a document is not in the corpus.
        """
        from corpuskit.vectors import similar

        return in_types(similar(self._folder, to, n, name), arrow)

    def topics(self, n: int | None = None, *, name: str = "corpus", seed: int = 0, renew: bool = False) -> Topics:
        """What the corpus is about: topics in groups, with names; see :func:`corpuskit.vectors.topics`.

        Made once and kept, with what you rename, merge and split; new documents are assigned without moving the old.

        Args:
            n: how many topics; another number than before makes them anew. None: those there are, else the usual number.
            name: of the vectors.
            seed: same documents and seed, same topics.
            renew: makes them anew; what you said of topics holds for those with the same documents.

        Raises:
            ConfigurationError: ``n`` is below 2, or there are no vectors of this name.
        """
        from corpuskit.vectors import topics
        from corpuskit.views.charts import topics as chart

        return topics(self._folder, n, name, seed=seed, renew=renew, chart=chart)

    def positions(
        self, *, name: str = "corpus", seed: int = 0, renew: bool = False, arrow: bool = False
    ) -> pd.DataFrame:
        """Where each document stands on the map: doc_id, x, y; see :func:`corpuskit.vectors.positions`."""
        from corpuskit.vectors import positions

        return in_types(positions(self._folder, name, seed=seed, renew=renew), arrow)

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
        """All documents on a map, as a widget: look, search, circle a region, label it, see a crawl come in.

        ``.selection`` is a DataFrame of the documents that are chosen. A key labels all of them as one group: those labels
        have the note ``map``, train a model as the root of their number would, and give way to a look at a document.

        Args:
            docs: show only these; None for all.
            colour: ``topic``, ``label``, ``relevance``, ``source``, ``language`` or ``date``.
            by: whose labels are given; default: the user's name.
            keys: key → label; default r relevant, o other, u unsure.
            name: of the vectors that the map is made of.
            height: of the map in pixels.

        Raises:
            ConfigurationError: a wrong colour, key, label or name, or there are no vectors of this name.
            UnknownDocumentError: one of ``docs`` is not in the corpus.
            MissingExtraError: the extra ``notebook`` is not installed.
        """
        from corpuskit.views import choosing
        from corpuskit.widgets.likeness import points_and_regions, similar_documents
        from corpuskit.widgets.map import DocumentMap

        return DocumentMap(
            self._folder, points_and_regions(self._folder, name), docs=choosing.doc_ids_of(self._folder, docs), colour=colour, by=by, keys=keys,
            height=height, similar=similar_documents(self._folder, name),
        )  # fmt: skip
