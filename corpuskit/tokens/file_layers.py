"""Layers from the output files of taggers: CoNLL-U and vertical text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.text import WORD
from corpuskit.tokens.index_part import IndexPart, spans
from corpuskit.tokens.layer_sources import LayerValues, check_layer_name, encoded

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

CONLLU: Final = {"lemma": 2, "pos": 3, "tag": 4, "feats": 5, "dep": 7}
"""Layer → 0-based column of CoNLL-U: LEMMA, UPOS, XPOS, FEATS, DEPREL (universaldependencies.org/format.html)."""

_MAX_LINE_LENGTH: Final = 1 << 20  # characters
_MAX_TOKENS: Final = 20_000_000  # of a document
_TAG: Final = re.compile(r"</?([A-Za-z][\w.-]*)([^>]*)>")
_ATTRIBUTE: Final = re.compile(r"""([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}

Token = tuple[str, Sequence[Sequence[str]]]
"""A form, and the values of its one or more syntactic words."""


@dataclass(slots=True)
class _Document:
    """A document of a file. Its names are in the order in which they are looked up."""

    names: tuple[str, ...] = ()
    tokens: list[Token] = field(default_factory=list)


class FileLayerSource:
    """Layers of the documents in a file.

    Args:
        kind: conllu or vert.
        path: The file.
        columns: vert: names of the columns, including ``word``. conllu: keys of MISC that become layers.
        known: Name of a document → doc_id.
        report: Called for each document with its doc_id, and with an error if its words differ from those of the corpus.

    Raises:
        ConfigurationError: The file has no document of the corpus, or another format.
    """

    def __init__(
        self,
        kind: str,
        path: Path,
        columns: Sequence[str] | None,
        known: Mapping[str, str],
        report: Callable[[str, Exception | None], None],
    ) -> None:
        self.name = f"{kind}:{path.name}"
        self._kind, self._path, self._known, self._report = kind, path, known, report
        self._columns = list(columns or ())
        if kind == "vert" and "word" not in self._columns:
            raise ConfigurationError(
                f"{path.name}: expected the names of its columns, with 'word' among them: columns=['word', 'tag', 'lemma']"
            )
        more = [name for name in self._columns if name != "word"]
        self._layers = more if kind == "vert" else [*CONLLU, *more]
        for layer in self._layers:
            check_layer_name(layer)
        self._doc_ids: set[str] = set()
        layers_with_values: set[str] = set()
        names: list[str] = []
        for document in self._documents():
            names += document.names[:1] if len(names) < 3 else ()
            if (doc_id := self._doc_id(document)) is not None:
                self._doc_ids.add(doc_id)
                for _, words in document.tokens:
                    for values in words:
                        pairs = zip(self._layers, values, strict=True)
                        layers_with_values.update(layer for layer, value in pairs if value not in ("_", ""))
        if not self._doc_ids:
            expected = "# newdoc id = DOC_ID" if kind == "conllu" else '<doc doc_id="DOC_ID">'
            raise ConfigurationError(
                f"{path.name} has no document of this corpus (found {', '.join(names) or 'no names'}); expected lines "
                f"{expected}, with an id or URI of documents()"
            )
        self._used = [layer for layer in self._layers if layer in layers_with_values]

    def documents(self, part: IndexPart) -> Bools:
        """Return which documents of a part are in the file."""
        ids = part.documents.column("doc_id").to_pylist()
        return np.array([doc_id in self._doc_ids for doc_id in ids], np.bool_)

    def layer_values(self, part: IndexPart, documents: Bools) -> Iterator[LayerValues]:
        """Yield the values of each document. Documents with other words are reported and skipped."""
        ids = part.documents.column("doc_id").to_pylist()
        rows = {ids[row]: row for row in np.flatnonzero(documents).tolist()}
        for document in self._documents():
            row = rows.get(self._doc_id(document) or "")
            if row is None:
                continue
            aligned = _aligned(part, row, document.tokens)
            if aligned is None:
                error = ConfigurationError(f"{self._path.name}: its words differ from the words of the document")
                self._report(ids[row], error)
                continue
            self._report(ids[row], None)
            positions, words_of = aligned
            values = [words for _, token_words in document.tokens for words in token_words]
            yield (
                positions,
                {
                    layer: encoded([values[i][column] for i in words_of.tolist()])
                    for column, layer in enumerate(self._layers)
                    if layer in self._used
                },
            )

    def _doc_id(self, document: _Document) -> str | None:
        return next((self._known[name] for name in document.names if name in self._known), None)

    def _documents(self) -> Iterator[_Document]:
        read = self._read_conllu if self._kind == "conllu" else self._read_vertical
        document = _Document()
        for item in chain(read(), [_Document()]):
            if isinstance(item, _Document):
                if document.tokens:
                    yield document
                document = item
            else:
                document.tokens.append(item)
                if len(document.tokens) > _MAX_TOKENS:
                    raise ConfigurationError(f"{self._path.name}: a document has more than {_MAX_TOKENS:,} tokens")

    def _lines(self) -> Iterator[tuple[int, str]]:
        with self._path.open(encoding="utf-8", errors="replace") as file:
            number = 0
            while line := file.readline(_MAX_LINE_LENGTH):
                number += 1
                if len(line) == _MAX_LINE_LENGTH:
                    raise ConfigurationError(
                        f"{self._path.name}, line {number}: expected at most {_MAX_LINE_LENGTH:,} characters"
                    )
                yield number, line.rstrip("\r\n")

    def _read_conllu(self) -> Iterator[_Document | Token]:
        form, last = "", -1  # of a multiword token
        words: list[list[str]] = []
        for number, line in self._lines():
            if line.startswith("#"):
                key, _, value = line[1:].partition("=")
                if key.strip() == "newdoc id":
                    yield _Document((value.strip(),))
                continue
            if not line.strip():
                last = -1
                continue
            cells = line.split("\t")
            if len(cells) != 10:
                raise ConfigurationError(
                    f"{self._path.name}, line {number}: found {len(cells)} columns, expected 10, separated by tabs"
                )
            first, _, end = cells[0].partition("-")
            if end.isdecimal():
                form, last, words = cells[1], int(end), []
            elif first.isdecimal():
                values = self._conllu_values(cells)
                if int(first) > last:
                    yield cells[1], [values]
                    continue
                words.append(values)
                if int(first) == last:
                    yield form, words
                    last = -1

    def _conllu_values(self, cells: Sequence[str]) -> list[str]:
        misc = dict(pair.partition("=")[::2] for pair in cells[9].split("|"))
        return [cells[CONLLU[name]] if name in CONLLU else _plain(misc.get(name, "_")) for name in self._layers]

    def _read_vertical(self) -> Iterator[_Document | Token]:
        word = self._columns.index("word")
        for number, line in self._lines():
            tag = _TAG.fullmatch(line.strip()) if line.startswith("<") else None
            if tag is not None:
                if tag[1] in {"doc", "text"} and not line.startswith("</"):
                    attributes = {name: html.unescape(a or b) for name, a, b in _ATTRIBUTE.findall(tag[2])}
                    yield _Document(tuple(attributes[name] for name in ("doc_id", "id", "uri") if name in attributes))
                continue
            if not line.strip():
                continue
            cells = [html.unescape(cell) for cell in line.split("\t")]
            if len(cells) != len(self._columns):
                raise ConfigurationError(
                    f"{self._path.name}, line {number}: found {len(cells)} columns, expected {len(self._columns)} as in columns="
                )
            yield cells[word], [[cell for i, cell in enumerate(cells) if i != word]]


def _plain(value: str) -> str:
    """Return a value of MISC without the escapes of UDPipe."""
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), value) if "\\" in value else value


def _aligned(part: IndexPart, row: int, tokens: Sequence[Token]) -> tuple[Numbers, Numbers] | None:
    """Align a document with its tokens in a file. Return token positions and the number of the file's word for each.

    Both are compared character by character, so that tokenization and gaps may differ. The file may contain the whole
    document or only its main content. Return None if the characters differ.
    """
    layer_values: list[str] = []
    owners: list[int] = []
    before = 0
    for form, words in tokens:
        for i, piece in enumerate(WORD.findall(form)):
            layer_values.append(piece)
            owners.append(before + min(i, len(words) - 1))
        before += len(words)
    letters = "".join(layer_values)
    starts = np.cumsum([0, *(len(piece) for piece in layer_values)])[:-1]
    for positions in _candidates(part, row):
        strings = part.lexicon("word").take(_array(part.column("word")[positions])).to_pylist()
        if "".join(strings) == letters:
            begins = np.cumsum([0, *(len(string) for string in strings)])[:-1]
            words_of = np.array(owners, np.int64)[np.searchsorted(starts, begins, side="right") - 1]
            return positions, words_of
    return None


def _candidates(part: IndexPart, row: int) -> Iterator[Numbers]:
    """Yield the token positions of a document: all, then those of its main content."""
    first, last = (int(element) for element in part.column("document_start")[row : row + 2])
    bounds = part.column("element_start").astype(np.int64)
    yield np.arange(bounds[first], bounds[last])
    main = np.flatnonzero(part.column("element_main")[first:last]) + first
    yield spans(bounds[main], bounds[main + 1])


def _array(numbers: Numbers) -> Any:
    import pyarrow as pa

    return pa.array(numbers)
