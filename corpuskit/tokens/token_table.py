"""Tokenization: texts as columns of token numbers, with a lexicon per column."""

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
"""Version stored in each part of an index. Parts of another version are rebuilt."""

_WORD_OR_GAP: Final = re.compile(f"({WORD.pattern})")

Row = tuple[str, int, str, bool]  # doc_id, element_id, text, main


class _Lexicon(dict[str, int]):
    """Numbers strings in order of first occurrence."""

    def __missing__(self, key: str) -> int:
        number = self[key] = len(self)
        return number

    def numbers(self, strings: Sequence[str]) -> Numbers:
        return np.fromiter(map(self.__getitem__, strings), np.uint32, len(strings))


@dataclass(slots=True)
class TokenTable:
    """The tokens of documents in reading order.

    The text of an element can be restored: it consists of its words, the gap before each word, and its tail. Elements
    without words are left out.

    Attributes:
        columns: ``word`` and ``gap`` (numbers of each token's word and of the text before it in its element), ``tail``,
            ``element_id``, ``element_main`` (per element), ``element_size`` (tokens), ``document_size`` (elements).
        lexica: ``word`` and ``gap`` (also for tails): Arrow arrays.
        documents: Table with one row per document. Its first column is doc_id.
    """

    columns: dict[str, Numbers] = field(default_factory=dict)
    lexica: dict[str, pa.Array] = field(default_factory=dict)
    documents: pa.Table = None


def tokenize(rows: Iterable[Row], documents: pa.Table | None = None) -> TokenTable:
    """Tokenize texts.

    Args:
        rows: doc_id, element_id, text and whether it is main content. The rows of a document are adjacent and in order.
        documents: Rows of the documents, in the same order. They may include documents without elements. None: only doc_id.
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
        pieces = _WORD_OR_GAP.split(text)
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
    return TokenTable(
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


def concatenate(tables: Sequence[TokenTable]) -> TokenTable:
    """Concatenate tables. Tokens without a layer get the empty string."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(tables) == 1:
        return tables[0]
    layers = dict.fromkeys(name for table in tables for name in table.lexica)
    tables = [add_missing_layers(table, layers) for table in tables]
    names = list(tables[0].columns)
    lexica: dict[str, pa.Array] = {}
    maps: dict[str, list[Numbers]] = {}
    for name in layers:
        encoded = pc.dictionary_encode(pa.chunked_array([table.lexica[name] for table in tables])).unify_dictionaries()
        lexica[name] = encoded.chunk(0).dictionary
        maps[name] = [part.indices.to_numpy().astype(np.uint32) for part in encoded.chunks]
    columns = {}
    for name in names:
        lexicon = "gap" if name == "tail" else name
        parts = [table.columns[name] for table in tables]
        if lexicon in maps:
            parts = [numbers[part] for numbers, part in zip(maps[lexicon], parts, strict=True)]
        columns[name] = np.concatenate(parts)
    return TokenTable(columns, lexica, pa.concat_tables([table.documents for table in tables]))


def add_missing_layers(table: TokenTable, names: Iterable[str]) -> TokenTable:
    """Return a table with all of the named layers. Tokens get the empty string in missing layers."""
    import pyarrow as pa

    missing = [name for name in names if name not in table.lexica]
    if not missing:
        return table
    zeros = np.zeros(len(table.columns["word"]), np.uint32)
    empty = pa.array([""], pa.large_string())
    return TokenTable(
        table.columns | dict.fromkeys(missing, zeros), table.lexica | dict.fromkeys(missing, empty), table.documents
    )
