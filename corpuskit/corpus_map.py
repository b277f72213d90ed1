"""What a corpus is asked about the whole of its documents: the part of class Corpus that hands over to their vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from corpuskit.document.frames import in_types
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.vectors import Topics


class CorpusMap:
    """Vectors, similar documents, topics and places of a :class:`corpuskit.corpus.Corpus`."""

    _folder: CorpusFolder

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
