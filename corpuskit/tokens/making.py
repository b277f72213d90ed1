"""Makes the parts of the index that are missing, from elements/."""

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
from corpuskit.tokens.chunks import Chunk, cut, joined, with_layers
from corpuskit.tokens.layers import lemmas
from corpuskit.tokens.part import Part
from corpuskit.tokens.storage import Stamps, read_part, write_documents, write_part

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Bools = npt.NDArray[np.bool_]

_MOST_TOKENS: Final = 24_000_000  # a part; a document that is removed has its part written again
_IN_PROCESSES_FROM: Final = 2_000_000  # words; below, starting processes costs more than it gains
_MERGED: Final = 3  # a part that is at most so many times as large as what comes new is written together with it

LAYERS_MADE: Final = "layers"
"""What the catalogue knows of layers: by what each was made."""

Key = tuple[str, int, str]  # doc_id, version, and the part of elements/ that its tokens were taken from


Wanted = Mapping[Key, tuple[str | None, int]]
"""Documents, and of each its language and how many words it has."""


def wanted_documents(folder: CorpusFolder) -> Wanted:
    """The last versions of documents, in the order of frames."""
    rows = folder.catalog.tuples(
        "SELECT doc_id, version, part, lang, words FROM current JOIN element_cache USING (doc_id, version) "
        "ORDER BY host, uri"
    )
    return {(doc_id, version, part): (lang, words or 0) for doc_id, version, part, lang, words in rows}


def _keys(part: Part) -> list[Key]:
    columns = [part.documents.column(name).to_pylist() for name in ("doc_id", "version", "source")]
    return list(zip(*columns, strict=True))


def alive_in(parts: Mapping[str, Part], wanted: Wanted) -> dict[str, Bools]:
    """Which documents of each part are wanted; one that two parts hold counts in the first."""
    alive: dict[str, Bools] = {}
    seen: set[Key] = set()
    for name, part in parts.items():
        keys = _keys(part)
        alive[name] = np.array([key in wanted and key not in seen for key in keys], np.bool_)
        seen.update(key for key, is_alive in zip(keys, alive[name], strict=True) if is_alive)
    return alive


def missing_in(wanted: Wanted, parts: Mapping[str, Part], alive: Mapping[str, Bools]) -> Wanted:
    """The wanted documents that no part holds."""
    held = {
        key for name, part in parts.items() for key, is_alive in zip(_keys(part), alive[name], strict=True) if is_alive
    }
    return {key: about for key, about in wanted.items() if key not in held}


def made_by(folder: CorpusFolder) -> dict[str, list[str]]:
    """Return layer → what made it: ``lemma`` (simplemma), ``spacy:MODEL``, ``conllu:FILE``, or its own name for a function.

    Args:
        folder: The corpus folder.

    Raises:
        CorpusError: the catalogue holds something else.
    """
    try:
        noted = json.loads(folder.catalog.meta(LAYERS_MADE) or "{}").get("layers", {})
        if all(isinstance(makers, list) for makers in noted.values()):
            return {str(layer): [str(maker) for maker in makers] for layer, makers in noted.items()}
    except (ValueError, AttributeError, RecursionError):
        pass
    raise CorpusError(
        "what made the layers of words is not what corpuskit writes into catalog.sqlite: corpuskit repair makes it again "
        "without that; then annotate(replace=True) makes the layers again"
    )


def make_parts(
    folder: CorpusFolder, tokens: SafeFolder, missing: Wanted, parts: dict[str, Part], alive: dict[str, Bools]
) -> dict[str, tuple[Part, Stamps]]:
    """Writes parts with the missing documents, together with small parts there are; these leave ``parts``."""
    tokens.mkdir()
    chunks: list[Chunk] = []
    size, made = 0, {}

    def write() -> None:
        name = write_part(tokens, joined(chunks))
        found = read_part(tokens.subfolder(name))
        assert found is not None
        made[name] = found
        chunks.clear()

    layers = dict.fromkeys(layer for part in parts.values() for layer in part.layers)
    makers = made_by(folder)
    by_simplemma = "lemma" in layers and "lemma" in makers.get("lemma", ["lemma"])
    for cut_now in _cut_missing(folder, missing):
        chunk = with_layers(cut_now, [layer for layer in layers if layer != "lemma" or not by_simplemma])
        if by_simplemma:
            chunk.columns["lemma"], chunk.lexica["lemma"] = lemmas(chunk)
        if chunks and size + len(chunk.columns["word"]) > _MOST_TOKENS:
            write()
            size = 0
        chunks.append(chunk)
        size += len(chunk.columns["word"])
    for name, part in sorted(parts.items(), key=lambda named: len(named[1])):
        if size + len(part) > _MOST_TOKENS or (len(part) > _MERGED * size and alive[name].mean() > 0.5):
            continue
        chunks.insert(0, part.chunk(alive[name]))
        size += len(part)
        del parts[name]
        with contextlib.suppress(OSError):
            os.utime(tokens / name)  # who reads it can go on: it is removed when it is abandoned
    write()
    return made


def _cut_missing(folder: CorpusFolder, missing: Wanted) -> Iterable[Chunk]:
    tasks: dict[str, list[tuple[str, int, str, str | None]]] = {}
    for key, (lang, _) in missing.items():
        tasks.setdefault(key[2], []).append((*key, lang))
    in_processes = len(tasks) > 1 and sum(words for _, words in missing.values()) >= _IN_PROCESSES_FROM
    parts = [(folder.elements, part, keys) for part, keys in tasks.items()]
    return engine.values(_cut_part, parts, in_processes=in_processes, progress="tokens" if in_processes else None)


def _cut_part(task: tuple[SafeFolder, str, list[tuple[str, int, str, str | None]]]) -> Chunk:
    """The tokens of some documents of a part of elements/."""
    import pyarrow as pa

    elements, part, keys = task
    order = {key[0]: key for key in keys}
    table = _texts(elements, part, list(order), ["text", "text_hash"])
    # Documents stand in a part in the order in which they were asked for; those without a text are in it nowhere.
    there = dict.fromkeys(table.column("doc_id").unique().to_pylist())
    rows = [order[doc_id] for doc_id in there] + [key for key in keys if key[0] not in there]
    columns = list(zip(*rows, strict=True))
    types = {"doc_id": pa.string(), "version": pa.int32(), "source": pa.string(), "lang": pa.string()}
    documents = pa.table([pa.array(v, t) for v, t in zip(columns, types.values(), strict=True)], names=list(types))
    digests = _digests(table)
    documents = documents.append_column("digest", pa.array([digests.get(row[0], 0) for row in rows], pa.uint64()))
    named = (table.column(name).to_pylist() for name in ("doc_id", "element_id", "text", "main"))
    return cut(zip(*named, strict=True), documents)


def _digests(table: pa.Table) -> dict[str, int]:
    """A number for the texts of each document, which of them are main content, and their order."""
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


def renew_sources(
    folder: CorpusFolder, tokens: SafeFolder, parts: dict[str, Part], stamps: dict[str, Stamps], wanted: Wanted
) -> None:
    """Where elements/ was made again, the tokens of documents whose texts are the same stay.

    The rows of these documents get the name of the part of elements/ in which they stand now.
    """
    import pyarrow as pa

    missing = {(key[0], key[1]): key for key in missing_in(wanted, parts, alive_in(parts, wanted))}
    known: dict[str, dict[str, int]] = {}
    for name, part in list(parts.items()):
        keys, digests = _keys(part), part.documents.column("digest").to_pylist()
        langs, sources = part.documents.column("lang").to_pylist(), [key[2] for key in keys]
        for row, key in enumerate(keys):
            other = missing.get((key[0], key[1]))
            if other is None or key in wanted or wanted[other][0] != langs[row]:
                continue
            if other[2] not in known:
                some = [one[0] for one in missing.values() if one[2] == other[2]]
                known[other[2]] = _digests(_texts(folder.elements, other[2], some, ["text_hash"]))
            if known[other[2]].get(key[0], 0) == digests[row]:
                sources[row] = other[2]
                del missing[key[0], key[1]]
        if sources != [key[2] for key in keys]:
            place = part.documents.column_names.index("source")
            changed = part.documents.set_column(place, "source", pa.array(sources, pa.string()))
            write_documents(tokens.subfolder(name), changed)
            if (found := read_part(tokens.subfolder(name), stamps[name])) is not None:
                parts[name], stamps[name] = found


def _texts(elements: SafeFolder, part: str, doc_ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
    """The elements with a text of some documents of a part of elements/: doc_id, element_id, main and more columns."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with damage_reported(path := elements / part):
        table = pq.ParquetFile(path).read(["doc_id", "element_id", "main", "text_hash", "text"])
    found = table.column("doc_id").cast(pa.string())
    keep = pc.and_(pc.is_in(found, pa.array(list(doc_ids), pa.string())), pc.is_valid(table.column("text")))
    return table.set_column(0, "doc_id", found).filter(keep).select(["doc_id", "element_id", "main", *columns])
