"""Document embeddings, similarity search, topics and the layout of the map, stored in the directory vectors/ of the corpus."""

from typing import TYPE_CHECKING, Any

from corpuskit.vectors.checking import check
from corpuskit.vectors.forgetting import remove_documents
from corpuskit.vectors.layout import positions
from corpuskit.vectors.making import OWN, Vectors, embed, vectors_of
from corpuskit.vectors.similar import similar
from corpuskit.vectors.topics import Topic, Topics, topic_column, topics

__all__ = [
    "OWN",
    "Topic",
    "Topics",
    "Vectors",
    "check",
    "embed",
    "positions",
    "remove_documents",
    "similar",
    "topic_column",
    "topics",
    "vectors_of",
]

_EARLIER_NAMES = {"forget": remove_documents}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return a public object by its earlier name."""
        try:
            return _EARLIER_NAMES[name]
        except KeyError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
