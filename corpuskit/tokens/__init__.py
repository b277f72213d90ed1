"""The token index: words and their annotation as columns on disk, and the queries that they answer."""

from corpuskit.tokens.annotating import annotate
from corpuskit.tokens.chunks import TOKENIZER_VERSION
from corpuskit.tokens.index import TokenIndex, forget, index_of, open_index
from corpuskit.tokens.making import made_by
from corpuskit.tokens.matching import Matches, check_query, find, find_by_part
from corpuskit.tokens.query import Query, parse_query
from corpuskit.tokens.reading import Annotation, annotation_of
from corpuskit.tokens.selection import Selection, select

__all__ = [
    "TOKENIZER_VERSION",
    "Annotation",
    "Matches",
    "Query",
    "Selection",
    "TokenIndex",
    "annotate",
    "annotation_of",
    "check_query",
    "find",
    "find_by_part",
    "forget",
    "index_of",
    "made_by",
    "open_index",
    "parse_query",
    "select",
]
