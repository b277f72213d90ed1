"""Give the tokens of a corpus layers, each token once."""

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
from corpuskit.tokens.file_layers import FileLayers
from corpuskit.tokens.index import changed_parts
from corpuskit.tokens.layers import (
    Annotator,
    Encoded,
    Function,
    Lemmas,
    Values,
    check_name,
    places_of,
    without_lemmas,
)
from corpuskit.tokens.making import LAYERS_MADE, made_by
from corpuskit.tokens.part import Part, layer_of
from corpuskit.tokens.spacy_layers import Spacy
from corpuskit.tokens.storage import add_layer
from corpuskit.validation import check_input_file

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

STAGE: Final = "annotate"
_FILES: Final = ("conllu", "vert")
_SECONDS: Final = 30.0  # after which what was found is saved
_SHARE: Final = 10  # times as long as saving took, at least, pass until the next
logger = logging.getLogger(__name__)


def annotate(
    folder: CorpusFolder,
    name: str,
    function: Values | None = None,
    *,
    columns: Sequence[str] | None = None,
    replace: bool = False,
    progress: bool = True,
) -> int:
    """Give tokens a value in layers; return how many tokens got one now.

    What has a value is left as it is; stopped, or where the function fails, what was found is kept, and the same call goes
    on with the document at which it stopped. A process that is killed loses the last half minute. New documents get lemmas by
    themselves, if it was simplemma that made them.

    Args:
        folder: the corpus.
        name: ``lemma`` without a function: by simplemma, in the language of each document. ``spacy:MODEL``: what a pipeline of
            spaCy says of documents in its language: lemma, pos, tag, dep, ent. ``conllu:PATH`` or ``vert:PATH``: from a file.
        function: the words of a sentence → a value for each.
        columns: ``vert``: what the columns of the file are called, with ``word`` among them; ``conllu``: keys of its column
            MISC that are layers too.
        replace: makes values anew where there are some.
        progress: shows a bar.

    Raises:
        ConfigurationError: there is no such name and no function, or the function, model or file is wrong.
        MissingExtraError: simplemma, spaCy or what finds sentences is not installed.
    """
    annotator = _annotator(folder, name, function, columns)
    with changed_parts(folder) as parts:
        run = _Run(folder, annotator, parts, replace=replace)
        run.go(progress=progress)
    if isinstance(annotator, Lemmas):
        _tell_without_lemmas(part.documents.take(np.flatnonzero(alive)) for _, part, alive in parts)
    return run.count


class _Run:
    """Annotates the parts of an index, and saves what it has again and again.

    Attributes:
        count: tokens that were given a value.
    """

    def __init__(
        self,
        folder: CorpusFolder,
        annotator: Annotator,
        parts: Sequence[tuple[SafeFolder, Part, Bools]],
        *,
        replace: bool,
    ) -> None:
        self._folder, self._annotator, self._replace = folder, annotator, replace
        self._made = made_by(folder)
        own = [layer for layer, makers in self._made.items() if annotator.name in makers]
        self._todo = []
        self._documents = self._apart = self._done = self.count = 0
        for at, part, alive in parts:
            able = annotator.documents(part) & alive
            wanted = able if replace else able & _lacking(part, own)
            self._todo.append((at, part, wanted))
            self._documents += int(alive.sum())
            self._apart += int((alive & ~able).sum())
            self._done += int((able & ~wanted).sum())
        self._drafts: dict[str, dict[str, _Draft]] = {}
        self._layers: dict[str, None] = {}
        self._unsaved: set[str] = set()

    def go(self, *, progress: bool) -> None:
        """Asks for values, of one part after the other."""
        from tqdm.auto import tqdm

        name = self._annotator.name
        total = sum(len(places_of(part, documents)) for _, part, documents in self._todo)
        with tqdm(desc=name, total=total, unit=" tokens", unit_scale=True, disable=not progress) as bar:
            try:
                self._ask(bar)
            except BaseException as error:
                self._save()
                bar.set_description(f"{name}: stopped, {self.told()}")
                error.add_note(f"{name}: {self.told()}, what was found is kept; call annotate again to go on")
                raise
            self._save()
            bar.set_description(f"{name}: {self.told()}")

    def told(self) -> str:
        """How far it is, in words."""
        apart = f", of {self._apart:,} it says nothing" if self._apart else ""
        return f"{self._done:,} of {pluralize(self._documents, 'document')} done{apart}"

    def _ask(self, bar: Any) -> None:
        saved = time.monotonic()
        for at, part, documents in self._todo:
            left = np.where(documents, np.diff(part.document_bounds()), -1)
            self._done += int((left == 0).sum())
            for places, values in self._annotator.pieces(part, documents) if documents.any() else ():
                self._put(at, part, places, values)
                of, sizes = np.unique(
                    np.searchsorted(part.document_bounds(), places, side="right") - 1, return_counts=True
                )
                left[of] -= sizes
                self._done += int((left[of] == 0).sum())
                bar.update(len(places))
                self.count += len(places)
                if time.monotonic() - saved > _SECONDS:
                    begun = time.monotonic()
                    self._save()
                    saved = begun + _SHARE * (time.monotonic() - begun)  # to write a large part takes a while

    def _put(self, at: SafeFolder, part: Part, places: Numbers, values: Mapping[str, Encoded]) -> None:
        of_part = self._drafts.setdefault(at.parts[-1], {})
        for layer, said in values.items():
            if layer not in of_part:
                of_part[layer] = _Draft(part, layer)
            of_part[layer].put(places, said, replace=self._replace)
            self._layers[layer] = None
        self._unsaved.add(at.parts[-1])

    def _save(self) -> None:
        for at, part, _ in self._todo:
            of_part = self._drafts.get(at.parts[-1], {})
            for layer in self._layers:
                # A layer that a part lacks is one that no query can ask for.
                if (layer in of_part and at.parts[-1] in self._unsaved) or not (part.has(layer) or layer in of_part):
                    draft = of_part.setdefault(layer, _Draft(part, layer))
                    add_layer(at, layer, *draft.columns())
        self._unsaved.clear()
        if self._layers:
            _note(self._folder, self._made, self._layers, self._annotator.name, replace=self._replace)


def _tell_without_lemmas(documents: Iterable[pa.Table]) -> None:
    """Says which documents got no lemmas, since no dictionary is for their language."""
    langs: Counter[str] = Counter()
    for table in documents:
        langs.update(without_lemmas(table))
    if langs:
        told = ", ".join(f"{lang}: {count:,}" for lang, count in langs.most_common())
        logger.warning(
            "lemma: %s got their words in lower case, for there are no lemmas of their language (%s; ? is unknown); "
            "documents().query(\"lang in %s\") has them",
            pluralize(langs.total(), "document"), told, sorted(langs),
        )  # fmt: skip


def _note(
    folder: CorpusFolder, made: dict[str, list[str]], layers: Iterable[str], maker: str, *, replace: bool
) -> None:
    for layer in layers:
        makers = [] if replace else made.get(layer, [])
        made[layer] = [*(one for one in makers if one != maker), maker]
    # The state tells an export that stands from one that is old.
    folder.catalog.set_meta(LAYERS_MADE, json.dumps({"layers": made, "state": secrets.token_hex(8)}))


def _annotator(folder: CorpusFolder, name: str, function: Values | None, columns: Sequence[str] | None) -> Annotator:
    kind, colon, what = name.partition(":")
    if columns is not None and kind not in _FILES:
        raise ConfigurationError(f"columns= says what stands in a file; {name!r} is none")
    if colon and function is None:
        if kind == "spacy":
            return Spacy(what)
        if kind in _FILES:
            rows = folder.catalog.tuples("SELECT doc_id, uri FROM current")
            of_id: dict[str, str] = dict(rows)

            def judge(doc_id: str, error: Exception | None) -> None:
                if error is not None:
                    folder.catalog.add_failure(of_id[doc_id], STAGE, error)
                else:
                    folder.catalog.clear_failure(of_id[doc_id], [STAGE])

            known = {uri: doc_id for doc_id, uri in rows} | {doc_id: doc_id for doc_id in of_id}
            return FileLayers(kind, check_input_file(what, "name"), columns, known, judge)
        raise ConfigurationError(f"layers from {kind!r}: expected spacy:MODEL, conllu:PATH or vert:PATH")
    check_name(name)
    if function is not None:
        return Function(name, function)
    if name != "lemma":
        raise ConfigurationError(
            f"layer {name!r}: expected a function (words of a sentence → values); lemma needs none"
        )
    return Lemmas()


def _lacking(part: Part, layers: Sequence[str]) -> Bools:
    """Which documents have a token without a value in one of the layers; all, where it is not known which layers there are."""
    if not layers or not all(part.has(layer) for layer in layers):
        return np.ones(len(part.documents), np.bool_)
    bounds = part.document_bounds()
    found = np.zeros(len(part.documents), np.bool_)
    for layer in layers:
        strings = part.lexicon(layer)
        if len(strings) and not strings[0].as_py():
            places = part.places(layer, np.array([0]))
            found[np.searchsorted(bounds, places, side="right") - 1] = True
    return found


class _Draft:
    """A layer of a part that is being made, begun with what is there."""

    def __init__(self, part: Part, layer: str) -> None:
        self._part, self._layer = part, layer
        there = part.has(layer)
        self._strings = {string: i for i, string in enumerate(part.lexicon(layer).to_pylist())} if there else {}
        self._empty = self._strings.setdefault("", len(self._strings))
        self._numbers = np.array(part.column(layer)) if there else np.full(len(part), self._empty, np.uint32)

    def put(self, places: Numbers, said: Encoded, *, replace: bool) -> None:
        """Sets values; those that are there stay, unless they are to be replaced."""
        numbers, strings = said
        own = np.array([self._strings.setdefault(one, len(self._strings)) for one in strings], np.uint32)
        if not replace:
            free = self._numbers[places] == self._empty
            places, numbers = places[free], numbers[free]
        self._numbers[places] = own[numbers]

    def columns(self) -> tuple[dict[str, Numbers], Any]:
        """What stands on disk."""
        import pyarrow as pa

        return layer_of(self._part, self._layer, self._numbers, pa.array(list(self._strings), pa.large_string()))
