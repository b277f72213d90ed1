"""Token index of a corpus in tokens/, a cache that is built and updated from elements/."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import update as update_elements
from corpuskit.store.schema import DOCUMENTS_STATE, ELEMENTS_STATE
from corpuskit.tokens.index_builder import (
    alive_documents,
    build_parts,
    current_documents,
    missing_documents,
    update_sources,
)
from corpuskit.tokens.index_part import IndexPart, in_memory_part
from corpuskit.tokens.merged_lexica import PREFIX, MergedLexica, merged_lexicon
from corpuskit.tokens.part_storage import Stamps, is_unchanged, read_part, remove_part, write_part
from corpuskit.tokens.result_cache import cached_by_owner
from corpuskit.tokens.token_table import Row, tokenize

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

_FOLDER: Final = "tokens"
_STATE: Final = "index.json"
_PART: Final = re.compile(r"part-[0-9a-f]{16}")
_MIN_AGE: Final = 3600.0  # seconds; a younger part without reference may be in use by another process


@dataclass(frozen=True, slots=True, eq=False)
class TokenIndex:
    """The tokens of a corpus in one or more parts.

    Attributes:
        parts: The parts, oldest first.
        alive: Mask per part of the documents that are current versions of documents of the corpus.
        merged: Store of the merged lexica. None: they are not stored.
        results: Results of cached functions.
    """

    parts: tuple[IndexPart, ...]
    alive: tuple[Bools, ...]
    merged: MergedLexica | None = None
    results: dict[Any, Any] = field(default_factory=dict, repr=False)

    def lexicon(self, attribute: str) -> pa.Array:
        """Return the distinct strings of an attribute in all parts, sorted by code point; see :meth:`numbers_of`.

        Args:
            attribute: Such as ``lower``.
        """
        return self._lexicon(attribute)[0]

    def numbers_of(self, attribute: str) -> tuple[Numbers, ...]:
        """Return for each part the numbers of its strings in :meth:`lexicon`.

        Args:
            attribute: Such as ``lower``.
        """
        return self._lexicon(attribute)[1]

    def numbered(self, number: int, attribute: str, numbers: Numbers) -> Numbers:
        """Convert numbers of a part's lexicon to numbers of :meth:`lexicon`.

        Args:
            number: Number of the part.
            attribute: Such as ``lower``.
            numbers: Numbers of the part's own lexicon.
        """
        return numbers if len(self.parts) == 1 else self.numbers_of(attribute)[number][numbers]

    @cached_by_owner
    def _lexicon(self, attribute: str) -> tuple[pa.Array, tuple[Numbers, ...]]:
        import pyarrow as pa

        if not all(part.has(attribute) for part in self.parts):
            raise ConfigurationError(missing_attribute_message(self, attribute))
        if not self.parts:
            return pa.array([], pa.large_string()), ()
        if len(self.parts) == 1:
            lexicon = self.parts[0].lexicon(attribute)
            return lexicon, (np.arange(len(lexicon)),)
        if self.merged is not None:
            return self.merged.lexicon(attribute, self.parts)
        return merged_lexicon([part.lexicon(attribute) for part in self.parts])

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that all parts have."""
        first = self.parts[0].layers if self.parts else ()
        return tuple(name for name in first if all(part.has(name) for part in self.parts))

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)


def missing_attribute_message(index: TokenIndex, attribute: str) -> str:
    """Return the error message for an attribute that an index does not have."""
    commands = {"lemma": 'annotate("lemma")', "pos": 'annotate("spacy:MODEL")'}
    hint = f"; corpus.{commands[attribute]} adds it" if attribute in commands else ""
    return f"no attribute {attribute!r}, expected one of {', '.join(('lower', 'word', *index.layers))}{hint}"


@dataclass(frozen=True, slots=True)
class _Open:
    """An open index and the state that it was built from."""

    states: tuple[str | None, ...]
    stamps: dict[str, Stamps]
    index: TokenIndex


_OPEN: Final[WeakKeyDictionary[CorpusFolder, _Open]] = WeakKeyDictionary()
_LOCK: Final = threading.RLock()  # widgets query from other threads


def index_of(rows: Iterable[Row]) -> TokenIndex:
    """Return an in-memory index of texts.

    Args:
        rows: doc_id, element_id, text and whether it is main content. The rows of a document are adjacent and in order.
    """
    part = in_memory_part(tokenize(rows))
    return TokenIndex((part,), (np.ones(len(part.documents), np.bool_),))


def open_index(folder: CorpusFolder) -> TokenIndex:
    """Open the index of a corpus. New and changed documents are added first.

    Args:
        folder: The corpus folder.
    """
    with _LOCK:
        update_elements(folder)
        states, tokens = _states(folder), folder.root.subfolder(_FOLDER)
        known = _OPEN.get(folder)
        if (
            known is not None
            and known.states == states
            and all(is_unchanged(tokens.subfolder(name), stamps) for name, stamps in known.stamps.items())
        ):
            return known.index
        _OPEN[folder] = opened = _open(folder, tokens, states)
        return opened.index


@contextlib.contextmanager
def update_parts(folder: CorpusFolder) -> Iterator[list[tuple[SafeFolder, IndexPart, Bools]]]:
    """Yield the folder, the part and the mask of current documents for each part. The index is reopened afterwards."""
    tokens = folder.root.subfolder(_FOLDER)
    with _LOCK:
        open_index(folder)
        opened = _OPEN[folder]
        try:
            named = zip(opened.stamps, opened.index.parts, opened.index.alive, strict=True)
            yield [(tokens.subfolder(name), part, alive) for name, part, alive in named]
        finally:
            _OPEN.pop(folder, None)


def layers_on_disk(folder: CorpusFolder) -> set[str]:
    """Return the layers of any part, without building or updating the index."""
    tokens = folder.root.subfolder(_FOLDER)
    parts = (read_part(tokens.subfolder(name), skip_checksums=True) for name in _part_names(tokens))
    return {layer for opened in parts if opened is not None for layer in opened[0].layers}


def remove_documents(folder: CorpusFolder, doc_ids: Sequence[str]) -> None:
    """Remove documents from the parts that contain them, so that none of their words remains on disk.

    Args:
        folder: The corpus folder.
        doc_ids: The documents.
    """
    removed, tokens = set(doc_ids), folder.root.subfolder(_FOLDER)
    with _LOCK:
        _OPEN.pop(folder, None)
        for name in tokens.folder_names():
            if name.startswith(PREFIX):
                tokens.remove_folder(name)
        for name in _part_names(tokens):
            opened = read_part(tokens.subfolder(name))
            if opened is None:
                remove_part(tokens.subfolder(name))
                continue
            part, _ = opened
            remaining = np.array(
                [doc_id not in removed for doc_id in part.documents.column("doc_id").to_pylist()], np.bool_
            )
            if remaining.any() and not remaining.all():
                write_part(tokens, part.table(remaining))
            if not remaining.all():
                remove_part(tokens.subfolder(name))


def _open(folder: CorpusFolder, tokens: SafeFolder, states: tuple[str | None, ...]) -> _Open:
    parts: dict[str, IndexPart] = {}
    stamps: dict[str, Stamps] = {}
    saved = _read_state(tokens)
    for name in sorted(saved["parts"], key=lambda name: saved["parts"][name]["order"]):
        known = {file: (size, when) for file, (size, when) in saved["parts"][name]["stamps"].items()}
        if (opened := read_part(tokens.subfolder(name), known)) is not None:
            parts[name], stamps[name] = opened
    if parts.keys() == saved["parts"].keys() and saved["states"] == list(states):
        dead = {name: set(saved["parts"][name]["dead"]) for name in parts}
        alive = {
            name: np.array([i not in dead[name] for i in range(len(part.documents))], np.bool_)
            if dead[name]
            else np.ones(len(part.documents), np.bool_)
            for name, part in parts.items()
        }
        merged = MergedLexica(tokens, stamps)
        return _Open(states, stamps, TokenIndex(tuple(parts.values()), tuple(alive.values()), merged))
    for name in _part_names(tokens):
        if name not in parts and (opened := read_part(tokens.subfolder(name))) is not None:
            parts[name], stamps[name] = opened
    documents = current_documents(folder)
    update_sources(folder, tokens, parts, stamps, documents)
    alive = alive_documents(parts, documents)
    missing = missing_documents(documents, parts, alive)
    if missing:
        for name, opened in build_parts(folder, tokens, missing, parts, alive).items():
            parts[name], stamps[name] = opened
        alive = alive_documents(parts, documents)
    parts = {name: part for name, part in parts.items() if alive[name].any()}
    _write_state(tokens, states, {name: stamps[name] for name in parts}, alive)
    stamps = {name: stamps[name] for name in parts}
    merged = MergedLexica(tokens, stamps)
    index = TokenIndex(tuple(parts.values()), tuple(alive[name] for name in parts), merged)
    _clean(tokens, set(parts), {merged.name(attribute) for attribute in ("word", "lower", *index.layers)})
    return _Open(states, stamps, index)


def _states(folder: CorpusFolder) -> tuple[str | None, ...]:
    return tuple(folder.catalog.meta(key) for key in (DOCUMENTS_STATE, ELEMENTS_STATE))


def _part_names(tokens: SafeFolder) -> list[str]:
    return [name for name in tokens.folder_names() if _PART.fullmatch(name)]


def _clean(tokens: SafeFolder, parts: set[str], merged: set[str]) -> None:
    """Remove folders without reference, unless another process may be about to use them."""
    for name in tokens.folder_names():
        if name in parts or name in merged or not name.startswith(("part-", PREFIX)):
            continue
        status = tokens.stat(name)
        if status is not None and time.time() - status.st_mtime > _MIN_AGE:
            remove_part(tokens.subfolder(name))


def _read_state(tokens: SafeFolder) -> dict[str, Any]:
    empty: dict[str, Any] = {"states": None, "parts": {}}
    try:
        saved: dict[str, Any] = json.loads(tokens.read(_STATE))
        for name, part in saved["parts"].items():
            if not _PART.fullmatch(name):
                return empty
            list(map(int, part["dead"]))
            int(part["order"])
            {file: (int(size), int(when)) for file, (size, when) in part["stamps"].items()}
        saved["states"]
    except (CorpusError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return empty
    return saved


def _write_state(
    tokens: SafeFolder, states: tuple[str | None, ...], stamps: Mapping[str, Stamps], alive: Mapping[str, Bools]
) -> None:
    if not tokens.exists():
        return
    state = {
        "states": states,
        "parts": {
            name: {"order": order, "dead": np.flatnonzero(~alive[name]).tolist(), "stamps": files}
            for order, (name, files) in enumerate(stamps.items())
        },
    }
    tokens.write(_STATE, json.dumps(state).encode())
