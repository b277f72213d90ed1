"""Gives the tokens of a corpus layers, each token once."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.tokens.file_layers import FileLayers
from corpuskit.tokens.index import changed_parts
from corpuskit.tokens.layers import Annotator, Encoded, Function, Lemmas, Values, check_name, places_of
from corpuskit.tokens.making import LAYERS_MADE, made_by
from corpuskit.tokens.part import Part, layer_of
from corpuskit.tokens.spacy_layers import Spacy
from corpuskit.tokens.storage import add_layer

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

STAGE: Final = "annotate"
_FILES: Final = ("conllu", "vert")


def annotate(
    folder: CorpusFolder,
    name: str,
    function: Values | None = None,
    *,
    columns: Sequence[str] | None = None,
    replace: bool = False,
    progress: bool = True,
) -> int:
    """Gives tokens a value in layers; gives how many tokens got one now.

    What has a value is left as it is; stopped, it keeps what it has, and goes on from there. New documents get lemmas by
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
    from tqdm.auto import tqdm

    annotator = _annotator(folder, name, function, columns)
    count = 0
    with changed_parts(folder) as parts:
        made = made_by(folder)
        own = [layer for layer, makers in made.items() if annotator.name in makers]
        todo = []
        for at, part, alive in parts:
            documents = annotator.documents(part) & alive
            todo.append((at, part, documents if replace else documents & _lacking(part, own)))
        total = sum(len(places_of(part, documents)) for _, part, documents in todo)
        with tqdm(desc=name, total=total, unit=" tokens", unit_scale=True, disable=not progress) as bar:
            drafts: dict[str, dict[str, _Draft]] = {}
            try:
                for at, part, documents in todo:
                    of_part = drafts.setdefault(at.parts[-1], {})
                    for places, values in annotator.pieces(part, documents) if documents.any() else ():
                        for layer, said in values.items():
                            draft = of_part.setdefault(layer, _Draft(part, layer))
                            draft.put(places, said, replace=replace)
                        bar.update(len(places))
                        count += len(places)
            finally:
                layers = dict.fromkeys(layer for of_part in drafts.values() for layer in of_part)
                for at, part, _ in todo:
                    of_part = drafts.get(at.parts[-1], {})
                    for layer in layers:
                        # A layer that a part lacks is one that no query can ask for.
                        if layer in of_part or not part.has(layer):
                            add_layer(at, layer, *of_part.get(layer, _Draft(part, layer)).columns())
                if layers:
                    _note(folder, made, layers, annotator.name, replace=replace)
    return count


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
            return FileLayers(kind, Path(what), columns, known, judge)
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
