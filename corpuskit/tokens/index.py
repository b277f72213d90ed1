"""tokens/: the index of a corpus, a cache that is made from elements/ where it lacks something."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from corpuskit import engine
from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import update as update_elements
from corpuskit.store.schema import DOCUMENTS_STATE, ELEMENTS_STATE
from corpuskit.tokens.chunks import Chunk, Row, cut, joined
from corpuskit.tokens.part import Part, part_of
from corpuskit.tokens.storage import Stamps, read_part, remove_part, unchanged, write_part

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

_FOLDER: Final = "tokens"
_STATE: Final = "index.json"
_PART: Final = re.compile(r"part-[0-9a-f]{16}")
_MOST_TOKENS: Final = 24_000_000  # a part; a document that is removed has its part written again
_IN_PROCESSES_FROM: Final = 2_000_000  # words; below, starting processes costs more than it gains
_MERGED: Final = 3  # a part that is at most so many times as large as what comes new is written together with it
_ABANDONED: Final = 3600.0  # seconds; a younger part that nothing refers to is about to be named, or still read


@dataclass(frozen=True, slots=True, eq=False)
class TokenIndex:
    """The tokens of a corpus in some parts.

    Attributes:
        parts: the parts, in the order in which they came.
        alive: of each part, which of its documents are the last versions of documents of the corpus.
        cache: what queries found out about it; thrown away with it.
    """

    parts: tuple[Part, ...]
    alive: tuple[Bools, ...]
    cache: dict[Any, Any]

    def lexicon(self, attribute: str) -> pa.Array:
        """The strings of an attribute in all parts, each once; see :meth:`numbers_of`."""
        return self._lexicon(attribute)[0]

    def numbers_of(self, attribute: str) -> tuple[Numbers, ...]:
        """For each part, the numbers in :meth:`lexicon` of the strings of its own lexicon."""
        return self._lexicon(attribute)[1]

    def numbered(self, number: int, attribute: str, numbers: Numbers) -> Numbers:
        """Numbers of a part's own lexicon as those of :meth:`lexicon`."""
        return numbers if len(self.parts) == 1 else self.numbers_of(attribute)[number][numbers]

    def ranks(self, attribute: str) -> Numbers:
        """The place of each string of :meth:`lexicon` in the order of code points."""
        key = "ranks", attribute
        if key not in self.cache:
            import pyarrow.compute as pc

            lexicon = self.lexicon(attribute)
            if len(self.parts) == 1:
                return np.arange(len(lexicon))  # a part's lexicon is in order
            ranks = np.empty(len(lexicon), np.int64)
            ranks[pc.array_sort_indices(lexicon).to_numpy()] = np.arange(len(lexicon))
            self.cache[key] = ranks
        found: Numbers = self.cache[key]
        return found

    def _lexicon(self, attribute: str) -> tuple[pa.Array, tuple[Numbers, ...]]:
        import pyarrow as pa
        import pyarrow.compute as pc

        key = "lexicon", attribute
        if key not in self.cache:
            if not all(part.has(attribute) for part in self.parts):
                there = ", ".join(("lower", "word", *self.layers))
                raise ConfigurationError(f"no attribute {attribute!r}; there are {there}")
            lexica = [part.lexicon(attribute) for part in self.parts]
            if len(lexica) == 1:
                self.cache[key] = lexica[0], (np.arange(len(lexica[0])),)
            elif not lexica:
                self.cache[key] = pa.array([], pa.large_string()), ()
            else:
                encoded = pc.dictionary_encode(pa.chunked_array(lexica)).unify_dictionaries()
                numbers = tuple(chunk.indices.to_numpy().astype(np.int64) for chunk in encoded.chunks)
                self.cache[key] = encoded.chunk(0).dictionary, numbers
        found: tuple[pa.Array, tuple[Numbers, ...]] = self.cache[key]
        return found

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that all parts have."""
        first = self.parts[0].layers if self.parts else ()
        return tuple(name for name in first if all(part.has(name) for part in self.parts))

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class _Open:
    """An index as it was opened, and what it was made of."""

    states: tuple[str | None, ...]
    stamps: dict[str, Stamps]
    index: TokenIndex


_OPEN: Final[WeakKeyDictionary[CorpusFolder, _Open]] = WeakKeyDictionary()
_LOCK: Final = threading.RLock()  # widgets ask from threads of their own


def index_of(rows: Iterable[Row]) -> TokenIndex:
    """An index in memory, of texts.

    Args:
        rows: doc_id, element_id, text and whether it is main content; those of a document together and in order.
    """
    part = part_of(cut(rows))
    return TokenIndex((part,), (np.ones(len(part.documents), np.bool_),), {})


def open_index(folder: CorpusFolder) -> TokenIndex:
    """The index of a corpus; documents that are new or changed are added to it before."""
    with _LOCK:
        update_elements(folder)
        states, tokens = _states(folder), folder.inside.within(_FOLDER)
        known = _OPEN.get(folder)
        if (
            known is not None
            and known.states == states
            and all(unchanged(tokens.within(name), stamps) for name, stamps in known.stamps.items())
        ):
            return known.index
        _OPEN[folder] = opened = _open(folder, tokens, states)
        return opened.index


def forget(folder: CorpusFolder, doc_ids: Sequence[str]) -> None:
    """Takes documents out of the parts that hold them, so that none of their words stays on disk."""
    gone, tokens = set(doc_ids), folder.inside.within(_FOLDER)
    with _LOCK:
        _OPEN.pop(folder, None)
        for name in _part_names(tokens):
            found = read_part(tokens.within(name))
            if found is None:
                remove_part(tokens.within(name))
                continue
            part, _ = found
            stay = np.array([doc_id not in gone for doc_id in part.documents.column("doc_id").to_pylist()], np.bool_)
            if stay.any() and not stay.all():
                write_part(tokens, part.chunk(stay))
            if not stay.all():
                remove_part(tokens.within(name))


def _open(folder: CorpusFolder, tokens: SafeFolder, states: tuple[str | None, ...]) -> _Open:
    parts: dict[str, Part] = {}
    stamps: dict[str, Stamps] = {}
    noted = _read_state(tokens)
    for name in sorted(noted["parts"], key=lambda name: noted["parts"][name]["order"]):
        known = {file: (size, when) for file, (size, when) in noted["parts"][name]["stamps"].items()}
        if (found := read_part(tokens.within(name), known)) is not None:
            parts[name], stamps[name] = found
    if parts.keys() == noted["parts"].keys() and noted["states"] == list(states):
        dead = {name: set(noted["parts"][name]["dead"]) for name in parts}
        alive = {
            name: np.array([i not in dead[name] for i in range(len(part.documents))], np.bool_)
            if dead[name]
            else np.ones(len(part.documents), np.bool_)
            for name, part in parts.items()
        }
        return _Open(states, stamps, TokenIndex(tuple(parts.values()), tuple(alive.values()), {}))
    for name in _part_names(tokens):
        if name not in parts and (found := read_part(tokens.within(name))) is not None:
            parts[name], stamps[name] = found
    wanted = _wanted(folder)
    alive = _alive(parts, wanted)
    missing = _missing(wanted, parts, alive)
    if missing:
        for name, part in _make(folder, tokens, missing, parts, alive).items():
            parts[name], stamps[name] = part
        alive = _alive(parts, wanted)
    parts = {name: part for name, part in parts.items() if alive[name].any()}
    _write_state(tokens, states, {name: stamps[name] for name in parts}, alive)
    _clean(tokens, set(parts))
    index = TokenIndex(tuple(parts.values()), tuple(alive[name] for name in parts), {})
    return _Open(states, {name: stamps[name] for name in parts}, index)


def _states(folder: CorpusFolder) -> tuple[str | None, ...]:
    return tuple(folder.catalog.meta(key) for key in (DOCUMENTS_STATE, ELEMENTS_STATE))


Key = tuple[str, int, str]  # doc_id, version, and the part of elements/ that its tokens were taken from


Wanted = Mapping[Key, tuple[str | None, int]]
"""Documents, and of each its language and how many words it has."""


def _wanted(folder: CorpusFolder) -> Wanted:
    """The last versions of documents, in the order of frames."""
    rows = folder.catalog.tuples(
        "SELECT doc_id, version, part, lang, words FROM current JOIN element_cache USING (doc_id, version) "
        "ORDER BY host, uri"
    )
    return {(doc_id, version, part): (lang, words or 0) for doc_id, version, part, lang, words in rows}


def _keys(part: Part) -> list[Key]:
    columns = [part.documents.column(name).to_pylist() for name in ("doc_id", "version", "source")]
    return list(zip(*columns, strict=True))


def _alive(parts: Mapping[str, Part], wanted: Wanted) -> dict[str, Bools]:
    """Which documents of each part are wanted; one that two parts hold counts in the first."""
    alive: dict[str, Bools] = {}
    seen: set[Key] = set()
    for name, part in parts.items():
        keys = _keys(part)
        alive[name] = np.array([key in wanted and key not in seen for key in keys], np.bool_)
        seen.update(key for key, is_alive in zip(keys, alive[name], strict=True) if is_alive)
    return alive


def _missing(wanted: Wanted, parts: Mapping[str, Part], alive: Mapping[str, Bools]) -> Wanted:
    held = {
        key for name, part in parts.items() for key, is_alive in zip(_keys(part), alive[name], strict=True) if is_alive
    }
    return {key: about for key, about in wanted.items() if key not in held}


def _make(
    folder: CorpusFolder, tokens: SafeFolder, missing: Wanted, parts: dict[str, Part], alive: dict[str, Bools]
) -> dict[str, tuple[Part, Stamps]]:
    """Writes parts with the missing documents, together with small parts there are; these leave ``parts``."""
    tokens.make()
    chunks: list[Chunk] = []
    size, made = 0, {}

    def write() -> None:
        name = write_part(tokens, joined(chunks))
        found = read_part(tokens.within(name))
        assert found is not None
        made[name] = found
        chunks.clear()

    for chunk in _cut_missing(folder, missing):
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
    outcomes = engine.run(
        _cut_part,
        [(folder.elements, part, keys) for part, keys in tasks.items()],
        on="processes" if in_processes else "serial",
        limits=engine.Limits(seconds=None, memory=None),
        progress="tokens" if in_processes else None,
        total=len(tasks),
    )
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
        assert outcome.value is not None
        yield outcome.value


def _cut_part(task: tuple[SafeFolder, str, list[tuple[str, int, str, str | None]]]) -> Chunk:
    """The tokens of some documents of a part of elements/."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    elements, part, keys = task
    table = pq.ParquetFile(elements / part).read(["doc_id", "element_id", "text", "main"])
    doc_ids = table.column("doc_id").cast(pa.string())
    order = {key[0]: key for key in keys}
    table = table.set_column(0, "doc_id", doc_ids).filter(
        pc.and_(pc.is_in(doc_ids, pa.array(list(order), pa.string())), pc.is_valid(table.column("text")))
    )
    # Documents stand in a part in the order in which they were asked for; those without a text are in it nowhere.
    there = dict.fromkeys(table.column("doc_id").unique().to_pylist())
    rows = [order[doc_id] for doc_id in there] + [key for key in keys if key[0] not in there]
    columns = list(zip(*rows, strict=True))
    types = {"doc_id": pa.string(), "version": pa.int32(), "source": pa.string(), "lang": pa.string()}
    documents = pa.table([pa.array(v, t) for v, t in zip(columns, types.values(), strict=True)], names=list(types))
    named = (table.column(name).to_pylist() for name in ("doc_id", "element_id", "text", "main"))
    return cut(zip(*named, strict=True), documents)


def _part_names(tokens: SafeFolder) -> list[str]:
    return [name for name in tokens.folders() if _PART.fullmatch(name)]


def _clean(tokens: SafeFolder, used: set[str]) -> None:
    """Removes what nothing refers to, as soon as no other process can be about to."""
    for name in tokens.folders():
        found = tokens.stat(name) if name.startswith("part-") and name not in used else None
        if found is not None and time.time() - found.st_mtime > _ABANDONED:
            remove_part(tokens.within(name))


def _read_state(tokens: SafeFolder) -> dict[str, Any]:
    nothing: dict[str, Any] = {"states": None, "parts": {}}
    try:
        noted: dict[str, Any] = json.loads(tokens.read(_STATE))
        for name, part in noted["parts"].items():
            if not _PART.fullmatch(name):
                return nothing
            list(map(int, part["dead"]))
            int(part["order"])
            {file: (int(size), int(when)) for file, (size, when) in part["stamps"].items()}
        noted["states"]
    except (CorpusError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return nothing
    return noted


def _write_state(
    tokens: SafeFolder, states: tuple[str | None, ...], stamps: Mapping[str, Stamps], alive: Mapping[str, Bools]
) -> None:
    if not tokens.has():
        return
    noted = {
        "states": states,
        "parts": {
            name: {"order": order, "dead": np.flatnonzero(~alive[name]).tolist(), "stamps": files}
            for order, (name, files) in enumerate(stamps.items())
        },
    }
    tokens.write(_STATE, json.dumps(noted).encode())
