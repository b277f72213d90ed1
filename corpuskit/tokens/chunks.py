"""Texts cut into tokens: what the index is made of, as columns of numbers with a lexicon each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.text import WORD

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

TOKENIZER_VERSION: Final = 1
"""Stands in every part of an index; a part made by another version is made again."""

_CUT: Final = re.compile(f"({WORD.pattern})")

Row = tuple[str, int, str, bool]  # doc_id, element_id, text, main


class _Lexicon(dict[str, int]):
    """Numbers strings in the order in which they are met."""

    def __missing__(self, key: str) -> int:
        number = self[key] = len(self)
        return number

    def numbers(self, strings: Sequence[str]) -> Numbers:
        return np.fromiter(map(self.__getitem__, strings), np.uint32, len(strings))


@dataclass(slots=True)
class Chunk:
    """The tokens of some documents in reading order.

    What stands between words is kept too: word and gap in turn, and the tail of each element, are its text. Elements without
    a word are left out.

    Attributes:
        columns: ``word`` and ``gap`` (number of each token's word, and of what stands before it in its element), ``tail``,
            ``element_id``, ``element_main`` (of each element), ``element_size`` (tokens), ``document_size`` (elements).
        lexica: ``word`` and ``gap`` (of tails too): Arrow arrays.
        documents: a table with a row a document, first of all its doc_id.
    """

    columns: dict[str, Numbers] = field(default_factory=dict)
    lexica: dict[str, pa.Array] = field(default_factory=dict)
    documents: pa.Table = None


def cut(rows: Iterable[Row], documents: pa.Table | None = None) -> Chunk:
    """The tokens of texts.

    Args:
        rows: doc_id, element_id, text and whether it is main content; those of a document together and in order.
        documents: their rows, in the same order; documents without elements may be among them. None: a column doc_id.
    """
    import pyarrow as pa

    words, gaps = _Lexicon(), _Lexicon()
    word_parts: list[Numbers] = []
    gap_parts: list[Numbers] = []
    tails: list[int] = []
    sizes: list[int] = []
    ids: list[int] = []
    mains: list[bool] = []
    elements: dict[str, int] = {} if documents is None else dict.fromkeys(documents.column("doc_id").to_pylist(), 0)
    for doc_id, element_id, text, main in rows:
        elements.setdefault(doc_id, 0)
        pieces = _CUT.split(text)
        if len(pieces) == 1:
            continue
        word_parts.append(words.numbers(pieces[1::2]))
        gap_parts.append(gaps.numbers(pieces[:-1:2]))
        tails.append(gaps[pieces[-1]])
        sizes.append(len(pieces) // 2)
        ids.append(element_id)
        mains.append(main)
        elements[doc_id] += 1
    empty = np.empty(0, np.uint32)
    return Chunk(
        {
            "word": np.concatenate(word_parts) if word_parts else empty,
            "gap": np.concatenate(gap_parts) if gap_parts else empty,
            "tail": np.array(tails, np.uint32),
            "element_id": np.array(ids, np.int32),
            "element_main": np.array(mains, np.bool_),
            "element_size": np.array(sizes, np.uint32),
            "document_size": np.array(list(elements.values()), np.uint32),
        },
        {"word": pa.array(list(words), pa.large_string()), "gap": pa.array(list(gaps), pa.large_string())},
        pa.table({"doc_id": pa.array(list(elements), pa.string())}) if documents is None else documents,
    )


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Several chunks as one; tokens of those that lack a layer have the empty string there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(chunks) == 1:
        return chunks[0]
    layers = dict.fromkeys(name for chunk in chunks for name in chunk.lexica)
    chunks = [with_layers(chunk, layers) for chunk in chunks]
    names = list(chunks[0].columns)
    lexica: dict[str, pa.Array] = {}
    maps: dict[str, list[Numbers]] = {}
    for name in layers:
        encoded = pc.dictionary_encode(pa.chunked_array([chunk.lexica[name] for chunk in chunks])).unify_dictionaries()
        lexica[name] = encoded.chunk(0).dictionary
        maps[name] = [part.indices.to_numpy().astype(np.uint32) for part in encoded.chunks]
    columns = {}
    for name in names:
        lexicon = "gap" if name == "tail" else name
        parts = [chunk.columns[name] for chunk in chunks]
        if lexicon in maps:
            parts = [numbers[part] for numbers, part in zip(maps[lexicon], parts, strict=True)]
        columns[name] = np.concatenate(parts)
    return Chunk(columns, lexica, pa.concat_tables([chunk.documents for chunk in chunks]))


def with_layers(chunk: Chunk, names: Iterable[str]) -> Chunk:
    """A chunk whose tokens have the empty string in the layers that it lacks."""
    import pyarrow as pa

    lacking = [name for name in names if name not in chunk.lexica]
    if not lacking:
        return chunk
    nothing = np.zeros(len(chunk.columns["word"]), np.uint32)
    empty = pa.array([""], pa.large_string())
    return Chunk(
        chunk.columns | dict.fromkeys(lacking, nothing), chunk.lexica | dict.fromkeys(lacking, empty), chunk.documents
    )
