"""Data sources of the widgets: points and regions of the map, and similar documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.vectors import positions, similar, topics

if TYPE_CHECKING:
    import pandas as pd

SIMILAR: Final = 50  # number of similar documents


def points_and_regions(folder: CorpusFolder, name: str) -> Callable[[], tuple[pd.DataFrame, pd.DataFrame | None]]:
    """Return a function that computes the points of all documents with topics, and the topics as regions.

    Args:
        folder: The corpus.
        name: Name of the vectors.
    """

    def give() -> tuple[pd.DataFrame, pd.DataFrame | None]:
        points = positions(folder, name)
        current = topics(folder, name=name)
        points["topic"] = current.of().set_index("doc_id")["topic"].reindex(points["doc_id"]).array
        return points, current.frame

    return give


def similar_documents(
    folder: CorpusFolder, name: str = "corpus", *, n: int = SIMILAR
) -> Callable[[list[str]], pd.DataFrame]:
    """Return a function that finds the documents most similar to some, the most similar first.

    Args:
        folder: the corpus.
        name: of the vectors.
        n: the number of documents to find.
    """

    def give(doc_ids: list[str]) -> pd.DataFrame:
        try:
            return similar(folder, doc_ids, n, name)
        except ConfigurationError as error:
            raise ConfigurationError(f"cannot find similar documents: {error}") from error

    return give
