"""Storage and computation of document embeddings in vectors/NAME/, in immutable part files."""

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

__all__ = [
    "OWN",
    "Embedding",
    "Vectors",
    "corpus_space",
    "embed",
    "remove_documents",
    "unit",
    "vectors_folder",
    "vectors_of",
]

OWN: Final = "corpus"
"""Name of the vectors in the LSA space of the corpus."""

FOLDER: Final = "vectors"
Embedding = Callable[[Sequence[str]], Any]
"""Texts → array with one row per text."""

Floats = npt.NDArray[np.float32]

_OPEN: Final[WeakKeyDictionary[CorpusFolder, tuple[tuple[int, int] | None, VectorSpace]]] = WeakKeyDictionary()

_READ: Final[WeakKeyDictionary[CorpusFolder, dict[str, tuple[tuple[Any, ...], Vectors]]]] = WeakKeyDictionary()
_COUNTED: Final[WeakKeyDictionary[CorpusFolder, tuple[str | None, int]]] = WeakKeyDictionary()
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PART: Final = re.compile(r"part-[0-9a-f]{16}\.vec")
_MAX_DIMENSIONS: Final = 16_384
_DOCUMENTS_PER_BATCH: Final = 2_000  # documents per batch and minimum number of documents per part
_MAX_FIT: Final = 20_000  # documents that the LSA space is fitted on
_GROWN: Final = 2.0  # growth of the corpus at which the space is fitted again


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of the documents of a corpus.

    Attributes:
        name: Name of the vectors.
        doc_ids: Documents with a vector, by host and URI.
        matrix: One row of length one per document, float32. A document without a known word has zeros.
    """

    name: str
    doc_ids: tuple[str, ...]
    matrix: Floats

    def __len__(self) -> int:
        return len(self.doc_ids)


def vectors_folder(folder: CorpusFolder, name: str = OWN) -> SafeFolder:
    """Return the directory of the vectors with this name.

    Raises:
        ConfigurationError: The name is invalid.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"vectors named {name!r}: expected 1 to 64 lower-case letters, digits, - and _, beginning with a letter or digit"
        )
    return folder.root.subfolder(FOLDER).subfolder(name)


def vectors_of(folder: CorpusFolder, name: str = OWN) -> Vectors:
    """Return the vectors of a corpus. Missing vectors of the LSA space are computed first.

    Args:
        folder: The corpus.
        name: Name of the vectors.

    Raises:
        ConfigurationError: There are no vectors of this name.
        CorpusError: Their path is not a directory or regular file.
    """
    subfolder = vectors_folder(folder, name)
    if name == OWN:
        space = corpus_space(folder)
        if space is None:
            ids = tuple(doc_id for doc_id, _ in _current_versions(folder))
            return Vectors(name, ids, np.zeros((len(ids), 1), np.float32))
        fingerprint = _fingerprint(space)
        if (cached := _cached(folder, subfolder, name, fingerprint)) is not None:
            return cached
        _add_missing(folder, subfolder, lambda texts: embedded(space, texts), space.basis.shape[1], fingerprint)
        return _read_and_cache(folder, subfolder, name, space.basis.shape[1], fingerprint)
    if (cached := _cached(folder, subfolder, name, b"")) is not None:
        return cached
    dimensions = _dimensions(subfolder)
    if dimensions is None:
        available = ", ".join(sorted({OWN, *names(folder)}))
        raise ConfigurationError(
            f"there are no vectors named {name!r}, only {available}; embed({name!r}, function) computes them"
        )
    return _read_and_cache(folder, subfolder, name, dimensions, b"")


def embed(
    folder: CorpusFolder,
    name: str = OWN,
    function: Embedding | None = None,
    *,
    batch: int = 64,
    replace: bool = False,
    progress: bool = True,
) -> int:
    """Compute missing vectors and return the number of documents embedded; see ``corpus.vectors.embed()``.

    Args:
        folder: The corpus.
        name: Name of the vectors.
        function: Texts → array with one row per text. None for the vectors ``corpus``.
        batch: Number of texts per call of the function.
        replace: Delete vectors of this name first.
        progress: Show a progress bar.
    """
    subfolder = vectors_folder(folder, name)
    if batch < 1:
        raise ConfigurationError(f"batch={batch}: expected at least 1")
    if (name == OWN) != (function is None):
        raise ConfigurationError(
            f"vectors named {name!r} are computed without a function: choose another name, such as embed('mine', function)"
            if name == OWN
            else f"vectors named {name!r}: expected a function of texts that returns an array with one row per text"
        )
    if replace:
        subfolder.remove_folder()
    if function is None:
        before = _count_stored(subfolder, corpus_space(folder))
        return len(vectors_of(folder)) - before
    return _add_missing(folder, subfolder, function, _dimensions(subfolder), b"", batch=batch, progress=progress)


def _count_stored(subfolder: SafeFolder, space: VectorSpace | None) -> int:
    if space is None:
        return 0
    kind, fingerprint = _record(space.basis.shape[1]), _fingerprint(space)
    return len({pair for _, part in _parts(subfolder, kind, fingerprint) for pair in _keys(part)})


def remove_documents(folder: CorpusFolder, name: str, removed: Set[str]) -> None:
    """Remove documents from vectors. The LSA space and its vectors are deleted, since the space contains words of documents."""
    _READ.pop(folder, None)
    subfolder = vectors_folder(folder, name)
    if name == OWN:
        for part in _part_names(subfolder):
            subfolder.remove(part)
        subfolder.remove_folder("space")
        _OPEN.pop(folder, None)
        return
    for part in _part_names(subfolder):
        dimensions, fingerprint = records.head_of(subfolder, part) or (0, b"")
        rows = records.read(subfolder, part, _record(dimensions), maker=fingerprint) if _is_size(dimensions) else None
        if rows is None:  # a damaged part may contain anything
            subfolder.remove(part)
            continue
        stay = np.array([doc_id not in removed for doc_id in records.doc_ids_of(rows)], np.bool_)
        if not stay.all():
            _write_part(subfolder, rows[stay], dimensions, fingerprint)
            subfolder.remove(part)


# -- LSA space of the corpus -------------------------------------------------------------------------------------------------


def corpus_space(folder: CorpusFolder) -> VectorSpace | None:
    """Return the LSA space of a corpus, or None if no document has a word.

    The space is fitted if it is missing or damaged, or if the corpus has doubled since.
    """
    subfolder = vectors_folder(folder).subfolder("space")
    space = _stored_space(folder, subfolder)
    if space is not None and min(_different(folder), _MAX_FIT) <= _GROWN * space.texts:
        return space
    copies = duplicate_ids(folder)
    ids = [doc_id for doc_id, _ in _current_versions(folder) if doc_id not in copies]
    texts = list(scoring_texts(folder, ids[:: max(1, -(-len(ids) // _MAX_FIT))]).values())
    try:
        space = VectorSpace.fit(texts)
    except RelevanceError:  # no document has a word
        return None
    with contextlib.suppress(OSError):  # a read-only disk: the space is fitted again next time
        space.save(subfolder)
    return space


def _different(folder: CorpusFolder) -> int:
    """Return the number of distinct texts, cached until documents change."""
    state = folder.catalog.meta(DOCUMENTS_STATE)
    known = _COUNTED.get(folder)
    if known is None or known[0] != state:
        query = "SELECT count(DISTINCT coalesce(text_hash, doc_id)) FROM current"
        known = _COUNTED[folder] = state, int(folder.catalog.value(query))
    return known[1]


def _stored_space(folder: CorpusFolder, subfolder: SafeFolder) -> VectorSpace | None:
    """Return the stored space, cached until the file changes, or None if it is missing or unusable."""
    status = subfolder.stat("space.json")
    stamp = None if status is None else (status.st_size, status.st_mtime_ns)
    known = _OPEN.get(folder)
    if known is not None and known[0] == stamp:
        return known[1]
    try:
        space = VectorSpace.load(subfolder)
    except RelevanceError:
        return None
    if space.kind != "document" or not np.isfinite(space.basis).all():
        return None
    _OPEN[folder] = stamp, space
    return space


def embedded(space: VectorSpace, texts: Sequence[str]) -> Floats:
    """Return the LSA vectors of texts, normalized to length one."""
    vectors, _ = lsa_vectors(space.tables[0].tfidf(texts), space.codes)
    return unit(vectors)


def unit(matrix: Any) -> Floats:
    """Return the rows normalized to length one. Rows of zeros are unchanged."""
    rows = np.asarray(matrix, np.float32)
    normalized: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return normalized


def _fingerprint(space: VectorSpace) -> bytes:
    """Return the fingerprint of a space, stored with its vectors."""
    words = "\n".join(space.tables[0].words).encode("utf-8", "surrogatepass")
    return hashlib.sha256(words + space.codes.tobytes()).digest()[: records.FINGERPRINT_SIZE]


# -- parts -------------------------------------------------------------------------------------------------------------------


def _current_versions(folder: CorpusFolder) -> list[tuple[str, int]]:
    return [(doc_id, version) for doc_id, version in folder.catalog.tuples(
        "SELECT doc_id, version FROM current ORDER BY host, uri")]  # fmt: skip


def _record(dimensions: int) -> np.dtype[Any]:
    return np.dtype([("doc_id", "S16"), ("version", "<i4"), ("vector", "<f4", (dimensions,))])


def names(folder: CorpusFolder) -> list[str]:
    """Return the names of stored vectors."""
    return [name for name in folder.root.subfolder(FOLDER).folder_names() if _NAME.fullmatch(name)]


def _part_names(subfolder: SafeFolder) -> list[str]:
    return [name for name in subfolder.file_names("part-*.vec") if _PART.fullmatch(name)]


def _dimensions(subfolder: SafeFolder) -> int | None:
    """Return the number of dimensions shared by most stored vectors, or None without vectors."""
    documents: dict[int, int] = {}
    for name in _part_names(subfolder):
        dimensions, _ = records.head_of(subfolder, name) or (0, b"")
        if _is_size(dimensions):
            rows = records.read(subfolder, name, _record(dimensions), mapped=True)
            documents[dimensions] = documents.get(dimensions, 0) + (0 if rows is None else len(rows))
    return max(documents, key=lambda size: (documents[size], size)) if documents else None


def _is_size(dimensions: int) -> bool:
    return 1 <= dimensions <= _MAX_DIMENSIONS


@contextlib.contextmanager
def writing(subfolder: SafeFolder) -> Iterator[None]:
    """Convert OSError into CorpusError while files are written.

    Raises:
        CorpusError: The disk is full or read-only.
    """
    try:
        yield
    except OSError as error:
        raise CorpusError(f"{'/'.join(subfolder.parts)} cannot be written: {error}") from error


def damaged_parts(subfolder: SafeFolder) -> list[str]:
    """Return the parts that are truncated or changed, or contain NaN or infinity."""
    damaged = []
    for name in _part_names(subfolder):
        dimensions, fingerprint = records.head_of(subfolder, name) or (0, b"")
        is_whole = _is_size(dimensions) and any(
            name == good for good, _ in _parts(subfolder, _record(dimensions), fingerprint, name)
        )
        damaged += [] if is_whole else [name]
    return damaged


def _parts(
    subfolder: SafeFolder, kind: np.dtype[Any], fingerprint: bytes, *only: str
) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Yield the undamaged parts with this fingerprint and finite numbers."""
    for name in only or _part_names(subfolder):
        rows = records.read(subfolder, name, kind, maker=fingerprint, mapped=True)
        if rows is not None and np.isfinite(rows["vector"]).all():
            yield name, rows


def _keys(rows: npt.NDArray[Any]) -> list[tuple[str, int]]:
    return list(zip(records.doc_ids_of(rows), rows["version"].tolist(), strict=True))


def _write_part(subfolder: SafeFolder, rows: npt.NDArray[Any], dimensions: int, fingerprint: bytes) -> None:
    if len(rows):
        with writing(subfolder):
            records.write(subfolder, f"part-{secrets.token_hex(8)}.vec", rows, dimensions=dimensions, maker=fingerprint)


def _add_missing(
    folder: CorpusFolder,
    subfolder: SafeFolder,
    function: Embedding,
    dimensions: int | None,
    fingerprint: bytes,
    *,
    batch: int = _DOCUMENTS_PER_BATCH,
    progress: bool = False,
) -> int:
    """Compute the missing vectors and return their number."""
    from tqdm.auto import tqdm

    stored = (
        {key for _, rows in _parts(subfolder, _record(dimensions), fingerprint) for key in _keys(rows)}
        if dimensions
        else set()
    )
    missing = [(doc_id, version) for doc_id, version in _current_versions(folder) if (doc_id, version) not in stored]
    with tqdm(total=len(missing), desc="embed", unit="doc", disable=not progress) as bar:
        for start in range(0, len(missing), _DOCUMENTS_PER_BATCH):
            selected = dict(missing[start : start + _DOCUMENTS_PER_BATCH])
            texts = scoring_texts(folder, list(selected))
            rows = []
            names = [doc_id for doc_id in selected if doc_id in texts]
            for first in range(0, len(names), batch):
                doc_ids = names[first : first + batch]
                matrix = _check_embeddings(function([texts[doc_id] for doc_id in doc_ids]), len(doc_ids), dimensions)
                dimensions = matrix.shape[1]
                rows.append(matrix)
                bar.update(len(doc_ids))
            if rows and dimensions:
                part = np.zeros(len(names), _record(dimensions))
                part["doc_id"], part["version"] = [n.encode() for n in names], [selected[n] for n in names]
                part["vector"] = np.concatenate(rows)
                _write_part(subfolder, part, dimensions, fingerprint)
    if dimensions:
        _compact(folder, subfolder, dimensions, fingerprint)
    return len(missing)


def _check_embeddings(output: Any, texts: int, dimensions: int | None) -> Floats:
    """Validate the output of an embedding function and normalize its rows to length one.

    Raises:
        ConfigurationError: The output is not a matrix of finite numbers with one row per text.
    """
    try:
        matrix = np.asarray(output, np.float32)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"the function returned a {type(output).__name__}: expected numbers ({error})"
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != texts or not 1 <= matrix.shape[1] <= _MAX_DIMENSIONS:
        raise ConfigurationError(
            f"the function returned an array of shape {matrix.shape} for {texts} texts: expected one row per text"
        )
    if dimensions is not None and matrix.shape[1] != dimensions:
        raise ConfigurationError(
            f"the function returned {matrix.shape[1]} numbers per text, the stored vectors have {dimensions}: "
            "choose another name, or pass replace=True"
        )
    if not np.isfinite(matrix).all():
        raise ConfigurationError("the function returned infinite numbers or NaN: expected finite numbers")
    return unit(matrix)


def _compact(folder: CorpusFolder, subfolder: SafeFolder, dimensions: int, fingerprint: bytes) -> None:
    """Merge small parts without obsolete vectors, and remove parts that are damaged or have another fingerprint."""
    kind = _record(dimensions)
    part_names = _part_names(subfolder)
    parts = list(_parts(subfolder, kind, fingerprint, *part_names)) if part_names else []
    good = {name for name, _ in parts}
    current = set(_current_versions(folder))
    sizes = [len(rows) for _, rows in parts]
    alive = sum(key in current for _, rows in parts for key in _keys(rows))
    with contextlib.suppress(OSError):
        if len(parts) > 1 and (
            max(sizes) <= 3 * (sum(sizes) - max(sizes)) or 2 * alive < sum(sizes) or len(parts) > 20
        ):
            seen: set[tuple[str, int]] = set()
            chosen = []
            for _, rows in parts:
                keys = _keys(rows)
                stay = [key in current and key not in seen for key in keys]
                seen.update(keys)
                chosen.append(rows[np.array(stay, np.bool_)])
            _write_part(subfolder, np.concatenate(chosen), dimensions, fingerprint)
            for name in good:
                subfolder.remove(name)
        for name in set(part_names) - good:
            subfolder.remove(name)


def _stamp(folder: CorpusFolder, subfolder: SafeFolder, fingerprint: bytes) -> tuple[Any, ...]:
    """Return a cache key that changes with the documents, the parts and the fingerprint."""
    statuses = [(name, subfolder.stat(name)) for name in _part_names(subfolder)]
    files = [(name, status and (status.st_size, status.st_mtime_ns)) for name, status in statuses]
    return folder.catalog.meta(DOCUMENTS_STATE), fingerprint, *files


def _cached(folder: CorpusFolder, subfolder: SafeFolder, name: str, fingerprint: bytes) -> Vectors | None:
    """Return the cached vectors, or None if they are outdated."""
    stamp, vectors = _READ.get(folder, {}).get(name, (None, None))
    return vectors if vectors is not None and stamp == _stamp(folder, subfolder, fingerprint) else None


def _read_and_cache(
    folder: CorpusFolder, subfolder: SafeFolder, name: str, dimensions: int, fingerprint: bytes
) -> Vectors:
    """Read the vectors of the present documents in order, and cache them."""
    stamp = _stamp(folder, subfolder, fingerprint)  # taken before reading, so concurrent changes invalidate the cache
    vectors = _read_vectors(folder, subfolder, name, dimensions, fingerprint)
    _READ.setdefault(folder, {})[name] = stamp, vectors
    return vectors


def _read_vectors(
    folder: CorpusFolder, subfolder: SafeFolder, name: str, dimensions: int, fingerprint: bytes
) -> Vectors:
    parts = [rows for _, rows in _parts(subfolder, _record(dimensions), fingerprint)]
    locations: dict[tuple[str, int], tuple[int, int]] = {}
    for number, rows in enumerate(parts):
        for at, key in enumerate(_keys(rows)):
            locations.setdefault(key, (number, at))
    stored = [
        (doc_id, locations[doc_id, version])
        for doc_id, version in _current_versions(folder)
        if (doc_id, version) in locations
    ]
    ids = tuple(doc_id for doc_id, _ in stored)
    if len(parts) == 1 and [at for _, (_, at) in stored] == list(range(len(parts[0]))):
        return Vectors(name, ids, parts[0]["vector"])
    matrix = np.zeros((len(stored), dimensions), np.float32)
    of_part = np.array([location[0] for _, location in stored], np.int64)
    of_row = np.array([location[1] for _, location in stored], np.int64)
    for number, rows in enumerate(parts):
        matrix[of_part == number] = rows["vector"][of_row[of_part == number]]
    return Vectors(name, ids, matrix)
