"""Vectors of documents: what is like what, topics, and places on a map; all kept in the corpus under vectors/."""

from corpuskit.vectors.checking import check
from corpuskit.vectors.forgetting import forget
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
    "forget",
    "positions",
    "similar",
    "topic_column",
    "topics",
    "vectors_of",
]
