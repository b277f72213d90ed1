"""A corpus as one array of word numbers, with the element and document each word stands in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import element_tables
from corpuskit.text import WORD
from corpuskit.views.patterns import compiled_pattern

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TokenStream:
    """The words of documents in reading order, case folded.

    Attributes:
        words: the vocabulary, in order of first appearance.
        ids: position in ``words`` of each token.
        element: number of the element of each token, growing; a window of words never leaves its element.
        document: position in ``doc_ids`` of each token.
        doc_ids: the documents that have words.
        element_ids: element_id of each element number.
    """

    words: list[str]
    ids: Ints
    element: Ints
    document: Ints
    doc_ids: list[str]
    element_ids: list[int]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def counts(self) -> Ints:
        """How often each word of the vocabulary occurs."""
        return np.bincount(self.ids, minlength=len(self.words))

    @property
    def document_counts(self) -> Ints:
        """In how many documents each word of the vocabulary occurs."""
        pairs = np.unique(self.document * max(1, len(self.words)) + self.ids)
        return np.bincount(pairs % max(1, len(self.words)), minlength=len(self.words))

    def matching(self, pattern: str) -> Bools:
        """Of each word of the vocabulary, whether the whole of it matches a regular expression.

        Raises:
            ConfigurationError: the pattern cannot be read.
        """
        compiled = compiled_pattern(pattern.casefold() if pattern.isalnum() else pattern)
        return np.fromiter((compiled.fullmatch(word) is not None for word in self.words), bool, len(self.words))


def token_stream(
    folder: CorpusFolder, doc_ids: Sequence[str] | None = None, *, main: bool = True
) -> TokenStream:  # fmt: skip
    """The words of documents; with ``main`` those of the main content only."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def rows() -> Iterable[tuple[str, int, str]]:
        for table in element_tables(folder, doc_ids, columns=["doc_id", "element_id", "text", "main"]):
            keep = pc.is_valid(table.column("text"))
            part = table.filter(pc.and_(keep, table.column("main")) if main else keep)
            yield from zip(
                part.column("doc_id").cast(pa.string()).to_pylist(), part.column("element_id").to_pylist(),
                part.column("text").to_pylist(), strict=True,
            )  # fmt: skip

    return stream_of(rows())


def stream_of(rows: Iterable[tuple[str, int, str]]) -> TokenStream:
    """The stream of texts (doc_id, element_id, text)."""
    numbers: dict[str, int] = {}
    parts: list[Any] = []
    lengths: list[int] = []
    documents: list[int] = []
    positions: dict[str, int] = {}
    element_ids: list[int] = []
    for doc_id, element_id, text in rows:
        found = WORD.findall(text.casefold())
        if not found:
            continue
        parts.append(np.array([numbers.setdefault(word, len(numbers)) for word in found], np.int64))
        lengths.append(len(found))
        documents.append(positions.setdefault(doc_id, len(positions)))
        element_ids.append(element_id)
    size = np.array(lengths, np.int64)
    return TokenStream(
        words=list(numbers),
        ids=np.concatenate(parts) if parts else np.empty(0, np.int64),
        element=np.repeat(np.arange(len(size)), size),
        document=np.repeat(np.array(documents, np.int64), size),
        doc_ids=list(positions),
        element_ids=element_ids,
    )
