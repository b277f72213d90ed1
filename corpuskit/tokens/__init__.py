"""Token index: words and layers as columns on disk, and queries on them."""

from typing import TYPE_CHECKING, Any

from corpuskit.tokens.annotation import annotate
from corpuskit.tokens.index import TokenIndex, index_of, open_index, remove_documents
from corpuskit.tokens.index_builder import layer_origins
from corpuskit.tokens.layer_reader import Annotation, annotation_of
from corpuskit.tokens.matching import Matches, check_query, find, find_by_part
from corpuskit.tokens.query import Query, parse_query
from corpuskit.tokens.token_selection import TokenSelection, select
from corpuskit.tokens.token_table import TOKENIZER_VERSION

__all__ = [
    "TOKENIZER_VERSION",
    "Annotation",
    "Matches",
    "Query",
    "TokenIndex",
    "TokenSelection",
    "annotate",
    "annotation_of",
    "check_query",
    "find",
    "find_by_part",
    "index_of",
    "layer_origins",
    "open_index",
    "parse_query",
    "remove_documents",
    "select",
]

_EARLIER_NAMES = {"Selection": TokenSelection, "forget": remove_documents, "made_by": layer_origins}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return a public object by its earlier name."""
        try:
            return _EARLIER_NAMES[name]
        except KeyError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
