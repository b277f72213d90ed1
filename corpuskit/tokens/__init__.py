"""The token index: words and their annotation as columns on disk, and the queries that they answer."""

from corpuskit.tokens.chunks import TOKENIZER_VERSION
from corpuskit.tokens.index import TokenIndex, annotate, forget, index_of, open_index
from corpuskit.tokens.matching import Matches, check_query, find
from corpuskit.tokens.query import Query, parse_query
from corpuskit.tokens.selection import Selection, select

__all__ = [
    "TOKENIZER_VERSION",
    "Matches",
    "Query",
    "Selection",
    "TokenIndex",
    "annotate",
    "check_query",
    "find",
    "forget",
    "index_of",
    "open_index",
    "parse_query",
    "select",
]
