"""Builder of index parts: tokens of new and changed documents from elements/."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from corpuskit import engine
from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import damage_reported
from corpuskit.tokens.index_part import IndexPart
from corpuskit.tokens.layer_sources import lemmas
from corpuskit.tokens.part_storage import Stamps, read_part, write_documents, write_part
from corpuskit.tokens.token_table import TokenTable, add_missing_layers, concatenate, tokenize

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Bools = npt.NDArray[np.bool_]

_MAX_TOKENS: Final = 24_000_000  # per part; a part is rewritten when one of its documents is removed
_MIN_WORDS_FOR_PROCESSES: Final = 2_000_000  # below this number, starting processes costs more than it saves
_MERGE_RATIO: Final = 3  # parts up to this number of times the size of the new tokens are merged with them

LAYER_ORIGINS: Final = "layers"
"""Key in the catalog of the origins of layers."""

DocumentKey = tuple[str, int, str]  # doc_id, version, and the file of elements/ that its tokens were taken from


Documents = Mapping[DocumentKey, tuple[str | None, int]]
"""Documents, with language and number of words."""


def current_documents(folder: CorpusFolder) -> Documents:
    """Return the current versions of the documents, in the order of frames."""
    rows = folder.catalog.tuples(
        "SELECT doc_id, version, part, lang, words FROM current JOIN element_cache USING (doc_id, version) "
        "ORDER BY host, uri"
    )
    return {(doc_id, version, part): (lang, words or 0) for doc_id, version, part, lang, words in rows}


def _keys(part: IndexPart) -> list[DocumentKey]:
    columns = [part.documents.column(name).to_pylist() for name in ("doc_id", "version", "source")]
    return list(zip(*columns, strict=True))


def alive_documents(parts: Mapping[str, IndexPart], documents: Documents) -> dict[str, Bools]:
    """Return which documents of each part are current. A document in two parts counts in the first."""
    alive: dict[str, Bools] = {}
    seen: set[DocumentKey] = set()
    for name, part in parts.items():
        keys = _keys(part)
        alive[name] = np.array([key in documents and key not in seen for key in keys], np.bool_)
        seen.update(key for key, is_alive in zip(keys, alive[name], strict=True) if is_alive)
    return alive


def missing_documents(documents: Documents, parts: Mapping[str, IndexPart], alive: Mapping[str, Bools]) -> Documents:
    """Return the current documents that are in no part."""
    indexed = {
        key for name, part in parts.items() for key, is_alive in zip(_keys(part), alive[name], strict=True) if is_alive
    }
    return {key: value for key, value in documents.items() if key not in indexed}


def layer_origins(folder: CorpusFolder) -> dict[str, list[str]]:
    """Return layer → origins: ``lemma`` (simplemma), ``spacy:MODEL``, ``conllu:FILE``, or the layer's name for a function.

    Args:
        folder: The corpus folder.

    Raises:
        CorpusError: The catalog contains an invalid entry.
    """
    try:
        saved = json.loads(folder.catalog.meta(LAYER_ORIGINS) or "{}").get("layers", {})
        if all(isinstance(origins, list) for origins in saved.values()):
            return {str(layer): [str(origin) for origin in origins] for layer, origins in saved.items()}
    except (ValueError, AttributeError, RecursionError):
        pass
    raise CorpusError(
        "catalog.sqlite: the entry on the origin of token layers is invalid; corpuskit repair rebuilds the catalog without "
        "it, then annotate(replace=True) recreates the layers"
    )


def build_parts(
    folder: CorpusFolder, tokens: SafeFolder, missing: Documents, parts: dict[str, IndexPart], alive: dict[str, Bools]
) -> dict[str, tuple[IndexPart, Stamps]]:
    """Build parts with the missing documents, merged with small existing parts. Merged parts are removed from ``parts``."""
    tokens.mkdir()
    tables: list[TokenTable] = []
    size, built = 0, {}

    def write() -> None:
        name = write_part(tokens, concatenate(tables))
        opened = read_part(tokens.subfolder(name))
        assert opened is not None
        built[name] = opened
        tables.clear()

    layers = dict.fromkeys(layer for part in parts.values() for layer in part.layers)
    origins = layer_origins(folder)
    by_simplemma = "lemma" in layers and "lemma" in origins.get("lemma", ["lemma"])
    for tokenized in _tokenize_missing(folder, missing):
        table = add_missing_layers(tokenized, [layer for layer in layers if layer != "lemma" or not by_simplemma])
        if by_simplemma:
            table.columns["lemma"], table.lexica["lemma"] = lemmas(table)
        if tables and size + len(table.columns["word"]) > _MAX_TOKENS:
            write()
            size = 0
        tables.append(table)
        size += len(table.columns["word"])
    for name, part in sorted(parts.items(), key=lambda named: len(named[1])):
        if size + len(part) > _MAX_TOKENS or (len(part) > _MERGE_RATIO * size and alive[name].mean() > 0.5):
            continue
        tables.insert(0, part.table(alive[name]))
        size += len(part)
        del parts[name]
        with contextlib.suppress(OSError):
            os.utime(tokens / name)  # other processes may still read it; it is removed after a delay
    write()
    return built


def _tokenize_missing(folder: CorpusFolder, missing: Documents) -> Iterable[TokenTable]:
    tasks: dict[str, list[tuple[str, int, str, str | None]]] = {}
    for key, (lang, _) in missing.items():
        tasks.setdefault(key[2], []).append((*key, lang))
    in_processes = len(tasks) > 1 and sum(words for _, words in missing.values()) >= _MIN_WORDS_FOR_PROCESSES
    parts = [(folder.elements, part, keys) for part, keys in tasks.items()]
    return engine.values(_tokenize_file, parts, in_processes=in_processes, progress="tokens" if in_processes else None)


def _tokenize_file(task: tuple[SafeFolder, str, list[tuple[str, int, str, str | None]]]) -> TokenTable:
    """Tokenize documents from one file of elements/."""
    import pyarrow as pa

    elements, part, keys = task
    order = {key[0]: key for key in keys}
    table = _texts(elements, part, list(order), ["text", "text_hash"])
    # The documents of a file are in the order of their ids in ``keys``. Documents without text have no rows.
    with_text = dict.fromkeys(table.column("doc_id").unique().to_pylist())
    rows = [order[doc_id] for doc_id in with_text] + [key for key in keys if key[0] not in with_text]
    columns = list(zip(*rows, strict=True))
    types = {"doc_id": pa.string(), "version": pa.int32(), "source": pa.string(), "lang": pa.string()}
    documents = pa.table([pa.array(v, t) for v, t in zip(columns, types.values(), strict=True)], names=list(types))
    digests = _digests(table)
    documents = documents.append_column("digest", pa.array([digests.get(row[0], 0) for row in rows], pa.uint64()))
    named = (table.column(name).to_pylist() for name in ("doc_id", "element_id", "text", "main"))
    return tokenize(zip(*named, strict=True), documents)


def _digests(table: pa.Table) -> dict[str, int]:
    """Return a digest per document of its texts, their order, and which of them are main content."""
    import pandas as pd

    with np.errstate(over="ignore"):
        mixed = table.column("text_hash").to_numpy() ^ (
            table.column("element_id").to_numpy().astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        )
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ table.column("main").to_numpy().astype(np.uint64)) * np.uint64(
            0xBF58476D1CE4E5B9
        )
        sums = pd.Series(mixed).groupby(table.column("doc_id").to_pandas().to_numpy()).sum()
    return {str(doc_id): int(number) for doc_id, number in sums.items()}


def update_sources(
    folder: CorpusFolder,
    tokens: SafeFolder,
    parts: dict[str, IndexPart],
    stamps: dict[str, Stamps],
    documents: Documents,
) -> None:
    """Update the source of documents after elements/ was rebuilt, if their texts are unchanged.

    Their tokens are kept. Their rows get the name of the file of elements/ that now contains them.
    """
    import pyarrow as pa

    missing = {(key[0], key[1]): key for key in missing_documents(documents, parts, alive_documents(parts, documents))}
    known: dict[str, dict[str, int]] = {}
    for name, part in list(parts.items()):
        keys, digests = _keys(part), part.documents.column("digest").to_pylist()
        langs, sources = part.documents.column("lang").to_pylist(), [key[2] for key in keys]
        for row, key in enumerate(keys):
            other = missing.get((key[0], key[1]))
            if other is None or key in documents or documents[other][0] != langs[row]:
                continue
            if other[2] not in known:
                doc_ids = [pending[0] for pending in missing.values() if pending[2] == other[2]]
                known[other[2]] = _digests(_texts(folder.elements, other[2], doc_ids, ["text_hash"]))
            if known[other[2]].get(key[0], 0) == digests[row]:
                sources[row] = other[2]
                del missing[key[0], key[1]]
        if sources != [key[2] for key in keys]:
            column = part.documents.column_names.index("source")
            changed = part.documents.set_column(column, "source", pa.array(sources, pa.string()))
            write_documents(tokens.subfolder(name), changed)
            if (opened := read_part(tokens.subfolder(name), stamps[name])) is not None:
                parts[name], stamps[name] = opened


def _texts(elements: SafeFolder, part: str, doc_ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
    """Return elements with text from a file of elements/: doc_id, element_id, main and the named columns."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with damage_reported(path := elements / part):
        table = pq.ParquetFile(path).read(["doc_id", "element_id", "main", "text_hash", "text"])
    ids = table.column("doc_id").cast(pa.string())
    keep = pc.and_(pc.is_in(ids, pa.array(list(doc_ids), pa.string())), pc.is_valid(table.column("text")))
    return table.set_column(0, "doc_id", ids).filter(keep).select(["doc_id", "element_id", "main", *columns])
