"""Layers from files that taggers wrote: CoNLL-U and vertical text."""

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
from corpuskit.tokens.layers import Piece, check_name, encoded
from corpuskit.tokens.part import Part, spans

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

CONLLU: Final = {"lemma": 2, "pos": 3, "tag": 4, "feats": 5, "dep": 7}
"""Layer → column of CoNLL-U, from 0 (universaldependencies.org/format.html): LEMMA, UPOS, XPOS, FEATS, DEPREL."""

_LONGEST: Final = 1 << 20  # characters of a line
_MOST_TOKENS: Final = 20_000_000  # of a document
_TAG: Final = re.compile(r"</?([A-Za-z][\w.-]*)([^>]*)>")
_ATTRIBUTE: Final = re.compile(r"""([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}

Token = tuple[str, Sequence[Sequence[str]]]
"""A form, and the values of the word or words that it is of."""


@dataclass(slots=True)
class _Document:
    """A document of a file: what it is called there, in the order in which it is to be looked for."""

    names: tuple[str, ...] = ()
    tokens: list[Token] = field(default_factory=list)


class FileLayers:
    """What a file says of the documents that it has.

    Args:
        kind: conllu or vert.
        path: the file.
        columns: vert: what its columns are called, ``word`` among them; conllu: keys of MISC that are layers too.
        known: other names of documents → doc_id.
        judge: is told the doc_id of each document, and why it was not taken: its words are not those of the corpus.

    Raises:
        ConfigurationError: no document of the corpus is in it, or it is no such file.
    """

    def __init__(
        self,
        kind: str,
        path: Path,
        columns: Sequence[str] | None,
        known: Mapping[str, str],
        judge: Callable[[str, Exception | None], None],
    ) -> None:
        self.name = f"{kind}:{path.name}"
        self._kind, self._path, self._known, self._judge = kind, path, known, judge
        self._columns = list(columns or ())
        if kind == "vert" and "word" not in self._columns:
            raise ConfigurationError(
                f"{path.name}: what are its columns? columns=['word', 'tag', 'lemma'] names them, with 'word' among them"
            )
        more = [name for name in self._columns if name != "word"]
        self._layers = more if kind == "vert" else [*CONLLU, *more]
        for layer in self._layers:
            check_name(layer)
        self._there: set[str] = set()
        said: set[str] = set()
        names: list[str] = []
        for document in self._documents():
            names += document.names[:1] if len(names) < 3 else ()
            if (doc_id := self._doc_id(document)) is not None:
                self._there.add(doc_id)
                for _, words in document.tokens:
                    for values in words:
                        said.update(layer for layer, v in zip(self._layers, values, strict=True) if v not in ("_", ""))
        if not self._there:
            expected = "# newdoc id = DOC_ID" if kind == "conllu" else '<doc doc_id="DOC_ID">'
            raise ConfigurationError(
                f"{path.name} has no document of this corpus ({', '.join(names) or 'no names'}); expected lines "
                f"{expected}, with an id or URI of documents()"
            )
        self._used = [layer for layer in self._layers if layer in said]

    def documents(self, part: Part) -> Bools:
        """Those that are in the file."""
        return np.array([doc_id in self._there for doc_id in part.documents.column("doc_id").to_pylist()], np.bool_)

    def pieces(self, part: Part, documents: Bools) -> Iterator[Piece]:
        """What it says, a document at a time; one that has other words is refused."""
        ids = part.documents.column("doc_id").to_pylist()
        rows = {ids[row]: row for row in np.flatnonzero(documents).tolist()}
        for document in self._documents():
            row = rows.get(self._doc_id(document) or "")
            if row is None:
                continue
            aligned = _aligned(part, row, document.tokens)
            if aligned is None:
                error = ConfigurationError(f"{self._path.name}: its words are not those of the document")
                self._judge(ids[row], error)
                continue
            self._judge(ids[row], None)
            places, of = aligned
            values = [words for _, some in document.tokens for words in some]
            yield (
                places,
                {
                    layer: encoded([values[i][column] for i in of.tolist()])
                    for column, layer in enumerate(self._layers)
                    if layer in self._used
                },
            )

    def _doc_id(self, document: _Document) -> str | None:
        return next((self._known[name] for name in document.names if name in self._known), None)

    def _documents(self) -> Iterator[_Document]:
        read = self._read_conllu if self._kind == "conllu" else self._read_vertical
        document = _Document()
        for found in chain(read(), [_Document()]):
            if isinstance(found, _Document):
                if document.tokens:
                    yield document
                document = found
            else:
                document.tokens.append(found)
                if len(document.tokens) > _MOST_TOKENS:
                    raise ConfigurationError(f"{self._path.name}: a document of more than {_MOST_TOKENS:,} tokens")

    def _lines(self) -> Iterator[tuple[int, str]]:
        with self._path.open(encoding="utf-8", errors="replace") as file:
            number = 0
            while line := file.readline(_LONGEST):
                number += 1
                if len(line) == _LONGEST:
                    raise ConfigurationError(f"{self._path.name}, line {number}: more than {_LONGEST:,} characters")
                yield number, line.rstrip("\r\n")

    def _read_conllu(self) -> Iterator[_Document | Token]:
        form, last = "", -1  # of a token of several words
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
                    f"{self._path.name}, line {number}: {len(cells)} columns; CoNLL-U has ten, parted by tabs"
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
        misc = dict(one.partition("=")[::2] for one in cells[9].split("|"))
        return [cells[CONLLU[name]] if name in CONLLU else _plain(misc.get(name, "_")) for name in self._layers]

    def _read_vertical(self) -> Iterator[_Document | Token]:
        word = self._columns.index("word")
        for number, line in self._lines():
            tag = _TAG.fullmatch(line.strip()) if line.startswith("<") else None
            if tag is not None:
                if tag[1] in {"doc", "text"} and not line.startswith("</"):
                    found = {name: html.unescape(a or b) for name, a, b in _ATTRIBUTE.findall(tag[2])}
                    yield _Document(tuple(found[name] for name in ("doc_id", "id", "uri") if name in found))
                continue
            if not line.strip():
                continue
            cells = [html.unescape(cell) for cell in line.split("\t")]
            if len(cells) != len(self._columns):
                raise ConfigurationError(
                    f"{self._path.name}, line {number}: {len(cells)} columns, not the {len(self._columns)} of columns="
                )
            yield cells[word], [[cell for i, cell in enumerate(cells) if i != word]]


def _plain(value: str) -> str:
    """A value of MISC without the escapes of UDPipe."""
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), value) if "\\" in value else value


def _aligned(part: Part, row: int, tokens: Sequence[Token]) -> tuple[Numbers, Numbers] | None:
    """The places of a document's tokens that a file has, and the number of the file's word that each is of.

    Both are compared letter by letter: what stands between words, and where they are cut, may differ. The file may have the
    whole document or its main content.
    """
    pieces: list[str] = []
    owners: list[int] = []
    before = 0
    for form, words in tokens:
        for i, piece in enumerate(WORD.findall(form)):
            pieces.append(piece)
            owners.append(before + min(i, len(words) - 1))
        before += len(words)
    letters = "".join(pieces)
    starts = np.cumsum([0, *(len(piece) for piece in pieces)])[:-1]
    for places in _readings(part, row):
        strings = part.lexicon("word").take(_array(part.column("word")[places])).to_pylist()
        if "".join(strings) == letters:
            begins = np.cumsum([0, *(len(string) for string in strings)])[:-1]
            of = np.array(owners, np.int64)[np.searchsorted(starts, begins, side="right") - 1]
            return places, of
    return None


def _readings(part: Part, row: int) -> Iterator[Numbers]:
    """The places of a document's tokens: all, and those of its main content."""
    first, last = (int(place) for place in part.column("document_start")[row : row + 2])
    bounds = part.column("element_start").astype(np.int64)
    yield np.arange(bounds[first], bounds[last])
    main = np.flatnonzero(part.column("element_main")[first:last]) + first
    yield spans(bounds[main], bounds[main + 1])


def _array(numbers: Numbers) -> Any:
    import pyarrow as pa

    return pa.array(numbers)
