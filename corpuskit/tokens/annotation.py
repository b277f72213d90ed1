"""Annotation of tokens with layers. Tokens that have a value are skipped."""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.tokens.file_layers import FileLayerSource
from corpuskit.tokens.index import update_parts
from corpuskit.tokens.index_builder import LAYER_ORIGINS, layer_origins
from corpuskit.tokens.index_part import IndexPart, layer_columns
from corpuskit.tokens.layer_sources import (
    Encoded,
    FunctionSource,
    LayerFunction,
    LayerSource,
    LemmaSource,
    check_layer_name,
    token_positions,
    without_lemmas,
)
from corpuskit.tokens.part_storage import add_layer
from corpuskit.tokens.spacy_layers import SpacySource
from corpuskit.validation import check_input_file

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

STAGE: Final = "annotate"
_FILE_FORMATS: Final = ("conllu", "vert")
_SAVE_INTERVAL: Final = 30.0  # seconds between two saves
_SAVE_RATIO: Final = 10  # at least this number of times the duration of a save passes before the next one
logger = logging.getLogger(__name__)


def annotate(
    folder: CorpusFolder,
    name: str,
    function: LayerFunction | None = None,
    *,
    columns: Sequence[str] | None = None,
    replace: bool = False,
    progress: bool = True,
) -> int:
    """Add layers to the tokens of a corpus, see :meth:`Corpus.text.annotate`. Return the number of annotated tokens.

    Args:
        folder: The corpus folder.
        name: ``lemma`` without a function: lemmas by simplemma. ``spacy:MODEL``: layers lemma, pos, tag, dep and ent by a spaCy
            pipeline, for documents in its language. ``conllu:PATH`` or ``vert:PATH``: layers from a file.
        function: Function from the words of a sentence to one value per word.
        columns: ``vert``: names of the columns of the file, including ``word``. ``conllu``: keys of its column MISC that
            become layers.
        replace: Replace existing values.
        progress: Show a progress bar.

    Raises:
        ConfigurationError: The name is unknown and no function was passed, or the function, model or file is invalid.
        MissingExtraError: simplemma, spaCy or the sentence splitter is not installed.
    """
    source = _layer_source(folder, name, function, columns)
    with update_parts(folder) as parts:
        run = _Run(folder, source, parts, replace=replace)
        run.run(progress=progress)
    if isinstance(source, LemmaSource):
        _warn_about_languages(part.documents.take(np.flatnonzero(alive)) for _, part, alive in parts)
    return run.count


class _Run:
    """Annotation of the parts of an index, saved at intervals.

    Attributes:
        count: Number of annotated tokens.
    """

    def __init__(
        self,
        folder: CorpusFolder,
        source: LayerSource,
        parts: Sequence[tuple[SafeFolder, IndexPart, Bools]],
        *,
        replace: bool,
    ) -> None:
        self._folder, self._source, self._replace = folder, source, replace
        self._origins = layer_origins(folder)
        own = [layer for layer, names in self._origins.items() if source.name in names]
        self._queue = []
        self._documents = self._unsupported = self._done = self.count = 0
        for at, part, alive in parts:
            supported = source.documents(part) & alive
            pending = supported if replace else supported & _incomplete(part, own)
            self._queue.append((at, part, pending))
            self._documents += int(alive.sum())
            self._unsupported += int((alive & ~supported).sum())
            self._done += int((supported & ~pending).sum())
        self._drafts: dict[str, dict[str, _Draft]] = {}
        self._layers: dict[str, None] = {}
        self._unsaved: set[str] = set()

    def run(self, *, progress: bool) -> None:
        """Annotate one part after the other."""
        from tqdm.auto import tqdm

        name = self._source.name
        total = sum(len(token_positions(part, documents)) for _, part, documents in self._queue)
        with tqdm(desc=name, total=total, unit=" tokens", unit_scale=True, disable=not progress) as bar:
            try:
                self._annotate(bar)
            except BaseException as error:
                self._save()
                bar.set_description(f"{name}: stopped, {self.status()}")
                error.add_note(f"{name}: {self.status()}; completed values are saved; call annotate again to continue")
                raise
            self._save()
            bar.set_description(f"{name}: {self.status()}")

    def status(self) -> str:
        """Return the progress as text."""
        unsupported = f", {self._unsupported:,} not supported by it" if self._unsupported else ""
        return f"{self._done:,} of {pluralize(self._documents, 'document')} done{unsupported}"

    def _annotate(self, bar: Any) -> None:
        saved = time.monotonic()
        for at, part, documents in self._queue:
            remaining = np.where(documents, np.diff(part.document_bounds()), -1)
            self._done += int((remaining == 0).sum())
            for positions, values in self._source.layer_values(part, documents) if documents.any() else ():
                self._put(at, part, positions, values)
                rows, sizes = np.unique(
                    np.searchsorted(part.document_bounds(), positions, side="right") - 1, return_counts=True
                )
                remaining[rows] -= sizes
                self._done += int((remaining[rows] == 0).sum())
                bar.update(len(positions))
                self.count += len(positions)
                if time.monotonic() - saved > _SAVE_INTERVAL:
                    start = time.monotonic()
                    self._save()
                    saved = start + _SAVE_RATIO * (time.monotonic() - start)  # saving a large part is slow

    def _put(self, at: SafeFolder, part: IndexPart, positions: Numbers, values: Mapping[str, Encoded]) -> None:
        drafts = self._drafts.setdefault(at.parts[-1], {})
        for layer, layer_values in values.items():
            if layer not in drafts:
                drafts[layer] = _Draft(part, layer)
            drafts[layer].put(positions, layer_values, replace=self._replace)
            self._layers[layer] = None
        self._unsaved.add(at.parts[-1])

    def _save(self) -> None:
        for at, part, _ in self._queue:
            drafts = self._drafts.get(at.parts[-1], {})
            for layer in self._layers:
                # Queries accept a layer only if all parts have it.
                if (layer in drafts and at.parts[-1] in self._unsaved) or not (part.has(layer) or layer in drafts):
                    draft = drafts.setdefault(layer, _Draft(part, layer))
                    add_layer(at, layer, *draft.columns())
        self._unsaved.clear()
        if self._layers:
            _record_origin(self._folder, self._origins, self._layers, self._source.name, replace=self._replace)


def _warn_about_languages(documents: Iterable[pa.Table]) -> None:
    """Warn about documents in languages without lemmas."""
    langs: Counter[str] = Counter()
    for table in documents:
        langs.update(without_lemmas(table))
    if langs:
        counts = ", ".join(f"{lang}: {count:,}" for lang, count in langs.most_common())
        logger.warning(
            "lemma: %s got lower-case words as lemmas, because their language has no lemmas (%s; ? is unknown); "
            "documents().query(\"lang in %s\") lists them",
            pluralize(langs.total(), "document"), counts, sorted(langs),
        )  # fmt: skip


def _record_origin(
    folder: CorpusFolder, origins: dict[str, list[str]], layers: Iterable[str], origin: str, *, replace: bool
) -> None:
    for layer in layers:
        names = [] if replace else origins.get(layer, [])
        origins[layer] = [*(name for name in names if name != origin), origin]
    # Exports compare the state to detect outdated files.
    folder.catalog.set_meta(LAYER_ORIGINS, json.dumps({"layers": origins, "state": secrets.token_hex(8)}))


def _layer_source(
    folder: CorpusFolder, name: str, function: LayerFunction | None, columns: Sequence[str] | None
) -> LayerSource:
    kind, colon, argument = name.partition(":")
    if columns is not None and kind not in _FILE_FORMATS:
        raise ConfigurationError(f"columns= is for layers from files, conllu:PATH or vert:PATH, not for {name!r}")
    if colon and function is None:
        if kind == "spacy":
            return SpacySource(argument)
        if kind in _FILE_FORMATS:
            rows = folder.catalog.tuples("SELECT doc_id, uri FROM current")
            uri_of: dict[str, str] = dict(rows)

            def report(doc_id: str, error: Exception | None) -> None:
                if error is not None:
                    folder.catalog.add_failure(uri_of[doc_id], STAGE, error)
                else:
                    folder.catalog.clear_failure(uri_of[doc_id], [STAGE])

            known = {uri: doc_id for doc_id, uri in rows} | {doc_id: doc_id for doc_id in uri_of}
            return FileLayerSource(kind, check_input_file(argument, "name"), columns, known, report)
        raise ConfigurationError(f"layers from {kind!r}: expected spacy:MODEL, conllu:PATH or vert:PATH")
    check_layer_name(name)
    if function is not None:
        return FunctionSource(name, function)
    if name != "lemma":
        raise ConfigurationError(
            f"layer {name!r}: expected a function (words of a sentence → values); only lemma works without one"
        )
    return LemmaSource()


def _incomplete(part: IndexPart, layers: Sequence[str]) -> Bools:
    """Return which documents have a token without a value in one of the layers. Return all if the part lacks a layer."""
    if not layers or not all(part.has(layer) for layer in layers):
        return np.ones(len(part.documents), np.bool_)
    bounds = part.document_bounds()
    incomplete = np.zeros(len(part.documents), np.bool_)
    for layer in layers:
        strings = part.lexicon(layer)
        if len(strings) and not strings[0].as_py():
            positions = part.positions(layer, np.array([0]))
            incomplete[np.searchsorted(bounds, positions, side="right") - 1] = True
    return incomplete


class _Draft:
    """Values of a layer of a part that are not saved yet, including the saved ones."""

    def __init__(self, part: IndexPart, layer: str) -> None:
        self._part, self._layer = part, layer
        exists = part.has(layer)
        self._strings = {string: i for i, string in enumerate(part.lexicon(layer).to_pylist())} if exists else {}
        self._empty = self._strings.setdefault("", len(self._strings))
        self._numbers = np.array(part.column(layer)) if exists else np.full(len(part), self._empty, np.uint32)

    def put(self, positions: Numbers, values: Encoded, *, replace: bool) -> None:
        """Set values. Existing ones are only changed with ``replace``."""
        numbers, strings = values
        own = np.array([self._strings.setdefault(string, len(self._strings)) for string in strings], np.uint32)
        if not replace:
            free = self._numbers[positions] == self._empty
            positions, numbers = positions[free], numbers[free]
        self._numbers[positions] = own[numbers]

    def columns(self) -> tuple[dict[str, Numbers], Any]:
        """Return the columns and the lexicon that are stored on disk."""
        import pyarrow as pa

        return layer_columns(self._part, self._layer, self._numbers, pa.array(list(self._strings), pa.large_string()))
