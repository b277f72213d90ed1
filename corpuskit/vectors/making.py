"""vectors/NAME/: a vector for each document, made once, in parts that are written once."""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from corpuskit.errors import ConfigurationError, CorpusError, RelevanceError
from corpuskit.relevance.corpus_training import scoring_texts
from corpuskit.relevance.linear_table import lsa_vectors
from corpuskit.relevance.vector_space import VectorSpace
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.document_rows import duplicate_ids
from corpuskit.store.schema import DOCUMENTS_STATE
from corpuskit.vectors import records

__all__ = ["OWN", "Embedding", "Vectors", "corpus_space", "embed", "forget", "room_of", "unit", "vectors_of"]

OWN: Final = "corpus"
"""The name of the vectors that the corpus makes of itself."""

FOLDER: Final = "vectors"
Embedding = Callable[[Sequence[str]], Any]
"""Texts → an array of one row a text."""

Floats = npt.NDArray[np.float32]

_OPEN: Final[WeakKeyDictionary[CorpusFolder, tuple[tuple[int, int] | None, VectorSpace]]] = WeakKeyDictionary()

_READ: Final[WeakKeyDictionary[CorpusFolder, dict[str, tuple[tuple[Any, ...], Vectors]]]] = WeakKeyDictionary()
_COUNTED: Final[WeakKeyDictionary[CorpusFolder, tuple[str | None, int]]] = WeakKeyDictionary()
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PART: Final = re.compile(r"part-[0-9a-f]{16}\.vec")
_MOST_DIMENSIONS: Final = 16_384
_AT_ONCE: Final = 2_000  # documents whose texts are in memory, and at least as many in a part
_FIT: Final = 20_000  # documents that tell which words there are
_GROWN: Final = 2.0  # the corpus has so many times the documents its space was made of: another one is made


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of the documents of a corpus.

    Attributes:
        name: what they are called.
        doc_ids: the documents that have one, by host and URI.
        matrix: one row a document, float32, of length one; zeros where a document has no word that is known.
    """

    name: str
    doc_ids: tuple[str, ...]
    matrix: Floats

    def __len__(self) -> int:
        return len(self.doc_ids)


def room_of(folder: CorpusFolder, name: str = OWN) -> SafeFolder:
    """Return where vectors of a name are kept.

    Raises:
        ConfigurationError: it is no name.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"vectors called {name!r}: expected up to 64 small letters, digits, - and _, the first no sign"
        )
    return folder.root.subfolder(FOLDER).subfolder(name)


def vectors_of(folder: CorpusFolder, name: str = OWN) -> Vectors:
    """Return the vectors of a corpus; missing ones of its own are made before.

    Args:
        folder: The corpus folder.
        name: Name of the vectors.

    Raises:
        ConfigurationError: there are no vectors of this name.
        CorpusError: something else stands in their place.
    """
    room = room_of(folder, name)
    if name == OWN:
        space = corpus_space(folder)
        if space is None:
            ids = tuple(doc_id for doc_id, _ in _wanted(folder))
            return Vectors(name, ids, np.zeros((len(ids), 1), np.float32))
        maker = _maker(space)
        if (kept := _held_still(folder, room, name, maker)) is not None:
            return kept
        _complete(folder, room, lambda texts: embedded(space, texts), space.basis.shape[1], maker)
        return _collected(folder, room, name, space.basis.shape[1], maker)
    if (kept := _held_still(folder, room, name, b"")) is not None:
        return kept
    dimensions = _dimensions(room)
    if dimensions is None:
        there = ", ".join(sorted({OWN, *names(folder)}))
        raise ConfigurationError(f"no vectors called {name!r}; there are {there}; embed({name!r}, function) makes some")
    return _collected(folder, room, name, dimensions, b"")


def embed(
    folder: CorpusFolder,
    name: str = OWN,
    function: Embedding | None = None,
    *,
    batch: int = 64,
    replace: bool = False,
    progress: bool = True,
) -> int:
    """Give a vector to each document that has none, and return how many were made.

    Stopped, it keeps what it has: at most 2,000 documents are asked for again.

    Args:
        folder: the corpus.
        name: of the vectors; ``corpus`` for those of the corpus' own space.
        function: texts → an array of one row a text; None for ``corpus``. It gets a document's title and main text, at most
            30,000 characters.
        batch: texts that the function gets at once.
        replace: vectors of this name that are there go first.
        progress: shows a bar.

    Raises:
        ConfigurationError: no function is given, or the function gave something else than vectors.
        CorpusError: the disk cannot be written.
    """
    room = room_of(folder, name)
    if batch < 1:
        raise ConfigurationError(f"batch={batch}: expected at least 1")
    if (name == OWN) != (function is None):
        raise ConfigurationError(
            f"vectors called {name!r}: a function makes vectors of another name, such as embed('mine', function)"
            if name == OWN
            else f"vectors called {name!r}: expected a function of texts that gives an array of one row a text"
        )
    if replace:
        room.remove_folder()
    if function is None:
        before = _held(room, corpus_space(folder))
        return len(vectors_of(folder)) - before
    return _complete(folder, room, function, _dimensions(room), b"", batch=batch, progress=progress)


def _held(room: SafeFolder, space: VectorSpace | None) -> int:
    if space is None:
        return 0
    kind, maker = _record(space.basis.shape[1]), _maker(space)
    return len({pair for _, part in _parts(room, kind, maker) for pair in _keys(part)})


def forget(folder: CorpusFolder, name: str, gone: Set[str]) -> None:
    """Take documents out of vectors; the corpus' own and its space go, since it knows words of their texts."""
    _READ.pop(folder, None)
    room = room_of(folder, name)
    if name == OWN:
        for part in _part_names(room):
            room.remove(part)
        room.remove_folder("space")
        _OPEN.pop(folder, None)
        return
    for part in _part_names(room):
        dimensions, maker = records.head_of(room, part) or (0, b"")
        rows = records.read(room, part, _record(dimensions), maker=maker) if _is_size(dimensions) else None
        if rows is None:  # damaged: whatever is in it
            room.remove(part)
            continue
        stay = np.array([doc_id not in gone for doc_id in records.doc_ids_of(rows)], np.bool_)
        if not stay.all():
            _write_part(room, rows[stay], dimensions, maker)
            room.remove(part)


# -- the corpus' own space ---------------------------------------------------------------------------------------------------


def corpus_space(folder: CorpusFolder) -> VectorSpace | None:
    """Return the latent semantic space of a corpus; it is made where it lacks, is damaged, or the corpus has doubled since.

    None where no document has a word.
    """
    room = room_of(folder).subfolder("space")
    space = _kept_space(folder, room)
    if space is not None and min(_different(folder), _FIT) <= _GROWN * space.texts:
        return space
    copies = duplicate_ids(folder)
    ids = [doc_id for doc_id, _ in _wanted(folder) if doc_id not in copies]
    texts = list(scoring_texts(folder, ids[:: max(1, -(-len(ids) // _FIT))]).values())
    try:
        space = VectorSpace.fit(texts)
    except RelevanceError:  # not a word in any of them
        return None
    with contextlib.suppress(OSError):  # a disk that cannot be written: it is made again next time
        space.save(room)
    return space


def _different(folder: CorpusFolder) -> int:
    """How many different texts there are, counted again when documents have changed."""
    state = folder.catalog.meta(DOCUMENTS_STATE)
    known = _COUNTED.get(folder)
    if known is None or known[0] != state:
        query = "SELECT count(DISTINCT coalesce(text_hash, doc_id)) FROM current"
        known = _COUNTED[folder] = state, int(folder.catalog.value(query))
    return known[1]


def _kept_space(folder: CorpusFolder, room: SafeFolder) -> VectorSpace | None:
    """The space on the disk, read once as long as it is the same; None where there is none that can be used."""
    status = room.stat("space.json")
    stamp = None if status is None else (status.st_size, status.st_mtime_ns)
    known = _OPEN.get(folder)
    if known is not None and known[0] == stamp:
        return known[1]
    try:
        space = VectorSpace.load(room)
    except RelevanceError:
        return None
    if space.kind != "document" or not np.isfinite(space.basis).all():
        return None
    _OPEN[folder] = stamp, space
    return space


def embedded(space: VectorSpace, texts: Sequence[str]) -> Floats:
    """The lsa_vectors of texts in a space, of length one."""
    found, _ = lsa_vectors(space.tables[0].tfidf(texts), space.codes)
    return unit(found)


def unit(matrix: Any) -> Floats:
    """Return the rows, each of length one; zeros stay."""
    whole = np.asarray(matrix, np.float32)
    scaled: Floats = whole / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-9)
    return scaled


def _maker(space: VectorSpace) -> bytes:
    """What tells the vectors of a space from those of another one."""
    words = "\n".join(space.tables[0].words).encode("utf-8", "surrogatepass")
    return hashlib.sha256(words + space.codes.tobytes()).digest()[: records.MAKER]


# -- parts -------------------------------------------------------------------------------------------------------------------


def _wanted(folder: CorpusFolder) -> list[tuple[str, int]]:
    return [(doc_id, version) for doc_id, version in folder.catalog.tuples(
        "SELECT doc_id, version FROM current ORDER BY host, uri")]  # fmt: skip


def _record(dimensions: int) -> np.dtype[Any]:
    return np.dtype([("doc_id", "S16"), ("version", "<i4"), ("vector", "<f4", (dimensions,))])


def names(folder: CorpusFolder) -> list[str]:
    """Return the names of vectors there are."""
    return [name for name in folder.root.subfolder(FOLDER).folder_names() if _NAME.fullmatch(name)]


def _part_names(room: SafeFolder) -> list[str]:
    return [name for name in room.file_names("part-*.vec") if _PART.fullmatch(name)]


def _dimensions(room: SafeFolder) -> int | None:
    """The dimensions of most documents in the parts that are there."""
    found: dict[int, int] = {}
    for name in _part_names(room):
        dimensions, _ = records.head_of(room, name) or (0, b"")
        if _is_size(dimensions):
            rows = records.read(room, name, _record(dimensions), mapped=True)
            found[dimensions] = found.get(dimensions, 0) + (0 if rows is None else len(rows))
    return max(found, key=lambda one: (found[one], one)) if found else None


def _is_size(dimensions: int) -> bool:
    return 1 <= dimensions <= _MOST_DIMENSIONS


@contextlib.contextmanager
def writing(room: SafeFolder) -> Iterator[None]:
    """While something is written: a disk that is full or cannot be written is told.

    Raises:
        CorpusError: it cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise CorpusError(f"{'/'.join(room.parts)} cannot be written: {error}") from error


def damaged_parts(room: SafeFolder) -> list[str]:
    """Return the parts that are cut or changed, or hold what is no number."""
    found = []
    for name in _part_names(room):
        dimensions, maker = records.head_of(room, name) or (0, b"")
        is_whole = _is_size(dimensions) and any(
            name == good for good, _ in _parts(room, _record(dimensions), maker, name)
        )
        found += [] if is_whole else [name]
    return found


def _parts(room: SafeFolder, kind: np.dtype[Any], maker: bytes, *only: str) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """The parts that are whole, of this maker, and have nothing but numbers in them."""
    for name in only or _part_names(room):
        rows = records.read(room, name, kind, maker=maker, mapped=True)
        if rows is not None and np.isfinite(rows["vector"]).all():
            yield name, rows


def _keys(rows: npt.NDArray[Any]) -> list[tuple[str, int]]:
    return list(zip(records.doc_ids_of(rows), rows["version"].tolist(), strict=True))


def _write_part(room: SafeFolder, rows: npt.NDArray[Any], dimensions: int, maker: bytes) -> None:
    if len(rows):
        with writing(room):
            records.write(room, f"part-{secrets.token_hex(8)}.vec", rows, dimensions=dimensions, maker=maker)


def _complete(
    folder: CorpusFolder,
    room: SafeFolder,
    function: Embedding,
    dimensions: int | None,
    maker: bytes,
    *,
    batch: int = _AT_ONCE,
    progress: bool = False,
) -> int:
    """Make the vectors that lack; give how many."""
    from tqdm.auto import tqdm

    held = {key for _, rows in _parts(room, _record(dimensions), maker) for key in _keys(rows)} if dimensions else set()
    missing = [(doc_id, version) for doc_id, version in _wanted(folder) if (doc_id, version) not in held]
    with tqdm(total=len(missing), desc="embed", unit="doc", disable=not progress) as bar:
        for start in range(0, len(missing), _AT_ONCE):
            some = dict(missing[start : start + _AT_ONCE])
            texts = scoring_texts(folder, list(some))
            rows = []
            names = [doc_id for doc_id in some if doc_id in texts]
            for first in range(0, len(names), batch):
                asked = names[first : first + batch]
                found = _checked(function([texts[doc_id] for doc_id in asked]), len(asked), dimensions)
                dimensions = found.shape[1]
                rows.append(found)
                bar.update(len(asked))
            if rows and dimensions:
                part = np.zeros(len(names), _record(dimensions))
                part["doc_id"], part["version"] = [n.encode() for n in names], [some[n] for n in names]
                part["vector"] = np.concatenate(rows)
                _write_part(room, part, dimensions, maker)
    if dimensions:
        _tidy(folder, room, dimensions, maker)
    return len(missing)


def _checked(found: Any, texts: int, dimensions: int | None) -> Floats:
    """What a function gave, as vectors of length one.

    Raises:
        ConfigurationError: it is something else.
    """
    try:
        matrix = np.asarray(found, np.float32)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"the function gave a {type(found).__name__}: expected numbers ({error})") from error
    if matrix.ndim != 2 or matrix.shape[0] != texts or not 1 <= matrix.shape[1] <= _MOST_DIMENSIONS:
        raise ConfigurationError(
            f"the function gave an array of shape {matrix.shape} for {texts} texts: expected one row a text"
        )
    if dimensions is not None and matrix.shape[1] != dimensions:
        raise ConfigurationError(
            f"the function gave {matrix.shape[1]} numbers a text, the vectors that are kept have {dimensions}: "
            "name others, or give replace=True"
        )
    if not np.isfinite(matrix).all():
        raise ConfigurationError("the function gave numbers that are infinite or none (NaN)")
    return unit(matrix)


def _tidy(folder: CorpusFolder, room: SafeFolder, dimensions: int, maker: bytes) -> None:
    """Write small parts as one, without what is not wanted any more; remove what is damaged or of an earlier space."""
    kind = _record(dimensions)
    there = _part_names(room)
    parts = list(_parts(room, kind, maker, *there)) if there else []
    good = {name for name, _ in parts}
    wanted = set(_wanted(folder))
    sizes = [len(rows) for _, rows in parts]
    alive = sum(key in wanted for _, rows in parts for key in _keys(rows))
    with contextlib.suppress(OSError):
        if len(parts) > 1 and (
            max(sizes) <= 3 * (sum(sizes) - max(sizes)) or 2 * alive < sum(sizes) or len(parts) > 20
        ):
            seen: set[tuple[str, int]] = set()
            chosen = []
            for _, rows in parts:
                keys = _keys(rows)
                stay = [key in wanted and key not in seen for key in keys]
                seen.update(keys)
                chosen.append(rows[np.array(stay, np.bool_)])
            _write_part(room, np.concatenate(chosen), dimensions, maker)
            for name in good:
                room.remove(name)
        for name in set(there) - good:
            room.remove(name)


def _stamp(folder: CorpusFolder, room: SafeFolder, maker: bytes) -> tuple[Any, ...]:
    """Another one when the documents, the parts or what made them have changed."""
    found = [(name, room.stat(name)) for name in _part_names(room)]
    files = [(name, status and (status.st_size, status.st_mtime_ns)) for name, status in found]
    return folder.catalog.meta(DOCUMENTS_STATE), maker, *files


def _held_still(folder: CorpusFolder, room: SafeFolder, name: str, maker: bytes) -> Vectors | None:
    """The vectors as they were read last; None where something has changed since."""
    stamp, found = _READ.get(folder, {}).get(name, (None, None))
    return found if found is not None and stamp == _stamp(folder, room, maker) else None


def _collected(folder: CorpusFolder, room: SafeFolder, name: str, dimensions: int, maker: bytes) -> Vectors:
    """The vectors of the documents there are, in their order; kept until something changes."""
    stamp = _stamp(folder, room, maker)  # of before: what changes meanwhile is read the next time
    found = _gathered(folder, room, name, dimensions, maker)
    _READ.setdefault(folder, {})[name] = stamp, found
    return found


def _gathered(folder: CorpusFolder, room: SafeFolder, name: str, dimensions: int, maker: bytes) -> Vectors:
    parts = [rows for _, rows in _parts(room, _record(dimensions), maker)]
    places: dict[tuple[str, int], tuple[int, int]] = {}
    for number, rows in enumerate(parts):
        for at, key in enumerate(_keys(rows)):
            places.setdefault(key, (number, at))
    wanted = [(doc_id, places[doc_id, version]) for doc_id, version in _wanted(folder) if (doc_id, version) in places]
    ids = tuple(doc_id for doc_id, _ in wanted)
    if len(parts) == 1 and [at for _, (_, at) in wanted] == list(range(len(parts[0]))):
        return Vectors(name, ids, parts[0]["vector"])
    matrix = np.zeros((len(wanted), dimensions), np.float32)
    of_part = np.array([place[0] for _, place in wanted], np.int64)
    of_row = np.array([place[1] for _, place in wanted], np.int64)
    for number, rows in enumerate(parts):
        matrix[of_part == number] = rows["vector"][of_row[of_part == number]]
    return Vectors(name, ids, matrix)
