"""tokens/: the index of a corpus, a cache that is made from elements/ where it lacks something."""

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
from corpuskit.tokens.caching import cached_by_owner
from corpuskit.tokens.chunks import Row, cut
from corpuskit.tokens.making import alive_in, make_parts, missing_in, renew_sources, wanted_documents
from corpuskit.tokens.merged import PREFIX, MergedLexica, merged_lexicon
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
_ABANDONED: Final = 3600.0  # seconds; a younger part that nothing refers to is about to be named, or still read


@dataclass(frozen=True, slots=True, eq=False)
class TokenIndex:
    """The tokens of a corpus in some parts.

    Attributes:
        parts: the parts, in the order in which they came.
        alive: of each part, which of its documents are the last versions of documents of the corpus.
        merged: where the lexica of several parts are kept together; None: nowhere.
        results: of cached functions.
    """

    parts: tuple[Part, ...]
    alive: tuple[Bools, ...]
    merged: MergedLexica | None = None
    results: dict[Any, Any] = field(default_factory=dict, repr=False)

    def lexicon(self, attribute: str) -> pa.Array:
        """Return the strings of an attribute in all parts, each once, in the order of code points; see :meth:`numbers_of`.

        Args:
            attribute: Such as ``lower``.
        """
        return self._lexicon(attribute)[0]

    def numbers_of(self, attribute: str) -> tuple[Numbers, ...]:
        """Return for each part the numbers in :meth:`lexicon` of the strings of its own lexicon.

        Args:
            attribute: Such as ``lower``.
        """
        return self._lexicon(attribute)[1]

    def numbered(self, number: int, attribute: str, numbers: Numbers) -> Numbers:
        """Return numbers of a part's own lexicon as those of :meth:`lexicon`.

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
            raise ConfigurationError(lacking(self, attribute))
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


def lacking(index: TokenIndex, attribute: str) -> str:
    """What is told of an attribute that an index does not have."""
    makes = {"lemma": 'annotate("lemma")', "pos": 'annotate("spacy:MODEL")'}
    hint = f"; corpus.{makes[attribute]} makes it" if attribute in makes else ""
    return f"no attribute {attribute!r}; there are {', '.join(('lower', 'word', *index.layers))}{hint}"


@dataclass(frozen=True, slots=True)
class _Open:
    """An index as it was opened, and what it was made of."""

    states: tuple[str | None, ...]
    stamps: dict[str, Stamps]
    index: TokenIndex


_OPEN: Final[WeakKeyDictionary[CorpusFolder, _Open]] = WeakKeyDictionary()
_LOCK: Final = threading.RLock()  # widgets ask from threads of their own


def index_of(rows: Iterable[Row]) -> TokenIndex:
    """Return an index in memory, of texts.

    Args:
        rows: doc_id, element_id, text and whether it is main content; those of a document together and in order.
    """
    part = part_of(cut(rows))
    return TokenIndex((part,), (np.ones(len(part.documents), np.bool_),))


def open_index(folder: CorpusFolder) -> TokenIndex:
    """Return the index of a corpus; documents that are new or changed are added to it before.

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
            and all(unchanged(tokens.subfolder(name), stamps) for name, stamps in known.stamps.items())
        ):
            return known.index
        _OPEN[folder] = opened = _open(folder, tokens, states)
        return opened.index


@contextlib.contextmanager
def changed_parts(folder: CorpusFolder) -> Iterator[list[tuple[SafeFolder, Part, Bools]]]:
    """The parts of an index, their folders, and which documents count; opened anew after what is done to them."""
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
    """The layers that some part has; the index is neither made nor renewed."""
    tokens = folder.root.subfolder(_FOLDER)
    parts = (read_part(tokens.subfolder(name), trust=True) for name in _part_names(tokens))
    return {layer for found in parts if found is not None for layer in found[0].layers}


def forget(folder: CorpusFolder, doc_ids: Sequence[str]) -> None:
    """Take documents out of the parts that hold them, so that none of their words stays on disk.

    Args:
        folder: The corpus folder.
        doc_ids: The documents.
    """
    gone, tokens = set(doc_ids), folder.root.subfolder(_FOLDER)
    with _LOCK:
        _OPEN.pop(folder, None)
        for name in tokens.folder_names():
            if name.startswith(PREFIX):
                tokens.remove_folder(name)
        for name in _part_names(tokens):
            found = read_part(tokens.subfolder(name))
            if found is None:
                remove_part(tokens.subfolder(name))
                continue
            part, _ = found
            stay = np.array([doc_id not in gone for doc_id in part.documents.column("doc_id").to_pylist()], np.bool_)
            if stay.any() and not stay.all():
                write_part(tokens, part.chunk(stay))
            if not stay.all():
                remove_part(tokens.subfolder(name))


def _open(folder: CorpusFolder, tokens: SafeFolder, states: tuple[str | None, ...]) -> _Open:
    parts: dict[str, Part] = {}
    stamps: dict[str, Stamps] = {}
    noted = _read_state(tokens)
    for name in sorted(noted["parts"], key=lambda name: noted["parts"][name]["order"]):
        known = {file: (size, when) for file, (size, when) in noted["parts"][name]["stamps"].items()}
        if (found := read_part(tokens.subfolder(name), known)) is not None:
            parts[name], stamps[name] = found
    if parts.keys() == noted["parts"].keys() and noted["states"] == list(states):
        dead = {name: set(noted["parts"][name]["dead"]) for name in parts}
        alive = {
            name: np.array([i not in dead[name] for i in range(len(part.documents))], np.bool_)
            if dead[name]
            else np.ones(len(part.documents), np.bool_)
            for name, part in parts.items()
        }
        merged = MergedLexica(tokens, stamps)
        return _Open(states, stamps, TokenIndex(tuple(parts.values()), tuple(alive.values()), merged))
    for name in _part_names(tokens):
        if name not in parts and (found := read_part(tokens.subfolder(name))) is not None:
            parts[name], stamps[name] = found
    wanted = wanted_documents(folder)
    renew_sources(folder, tokens, parts, stamps, wanted)
    alive = alive_in(parts, wanted)
    missing = missing_in(wanted, parts, alive)
    if missing:
        for name, part in make_parts(folder, tokens, missing, parts, alive).items():
            parts[name], stamps[name] = part
        alive = alive_in(parts, wanted)
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
    """Removes what nothing refers to, as soon as no other process can be about to."""
    for name in tokens.folder_names():
        if name in parts or name in merged or not name.startswith(("part-", PREFIX)):
            continue
        found = tokens.stat(name)
        if found is not None and time.time() - found.st_mtime > _ABANDONED:
            remove_part(tokens.subfolder(name))


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
    if not tokens.exists():
        return
    noted = {
        "states": states,
        "parts": {
            name: {"order": order, "dead": np.flatnonzero(~alive[name]).tolist(), "stamps": files}
            for order, (name, files) in enumerate(stamps.items())
        },
    }
    tokens.write(_STATE, json.dumps(noted).encode())
