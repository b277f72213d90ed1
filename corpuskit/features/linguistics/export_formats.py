"""Export formats of corpus tools with one token per line: vertical text and CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from corpuskit.document.elements import TEXT_BLOCK
from corpuskit.export.formats.lines import one_line
from corpuskit.export.formats.sentence_spans import sentence_texts
from corpuskit.export.formats.xml_text import attribute
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format
from corpuskit.text import WORD
from corpuskit.tokens.layer_reader import Words

_TOKEN: Final = re.compile(r"\w+(?:[-.'’]\w+)*|[^\w\s]")
_INDEXED: Final = re.compile(rf"{WORD.pattern}|[^\w\s]")
_BLANKS: Final = re.compile(r"\s+")
_VERTICAL: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_NONE: Final = "_"
_COLUMNS: Final = ("lemma", "pos", "tag", "feats", None, "dep")  # LEMMA UPOS XPOS FEATS HEAD DEPREL
_MISC: Final = str.maketrans(
    {"\\": "\\\\", "|": "\\p", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
)  # as UDPipe writes them
_ATTRIBUTES: Final = ("doc_id", "uri", "title", "lang", "timestamp", "label", "license")


Token = tuple[str, bool, Sequence[str]]
"""A token, whether whitespace or the end follows it, and its values in annotation layers."""


def tokens(text: str, pattern: re.Pattern[str] = _TOKEN) -> Iterator[tuple[str, bool]]:
    """Yield the tokens of a text, each with a flag: is it followed by whitespace or the end of the text?

    A token is a run of letters, digits and underscores of any script, which may contain hyphens, points and apostrophes, or
    one other character that is not whitespace. Contractions are not split, since taggers have their own rules for them.
    """
    for match in pattern.finditer(text):
        end = match.end()
        yield match[0], end == len(text) or text[end].isspace()


@export_format("vert", files="corpus.vert", about="vertical text for Sketch Engine and CWB", layers=True)
class VerticalWriter:
    """``corpus.vert``: one token per line in ``<doc>``, ``<p>`` or ``<head>``, ``<s>``. ``<g/>`` marks missing whitespace.

    Input format of Sketch Engine, NoSketch Engine and the IMS Open Corpus Workbench. Annotation layers are further columns, in
    the order of ``layers`` in manifest.json. With layers, the tokens are those of the token index.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._file = (folder / "corpus.vert").open("w", encoding="utf-8", newline="\n", errors="replace")

    def write(self, item: Item) -> None:
        """Write the document."""
        row = {**item.row, "title": item.document.title}
        named = "".join(f' {name}="{attribute(row[name])}"' for name in _ATTRIBUTES if row[name] is not None)
        lines = [f"<doc{named}>"]
        for kind, sentences in _blocks(item):
            lines.append(f"<{kind}>")
            for _, sentence in sentences:
                lines.append("<s>")
                glue = False
                for token, spaced, values in sentence:
                    if glue:
                        lines.append("<g/>")
                    cells = (token, *(_BLANKS.sub(" ", value).strip() or _NONE for value in values))
                    lines.append("\t".join(cells).translate(_VERTICAL))
                    glue = not spaced
                lines.append("</s>")
            lines.append(f"</{kind}>")
        lines.append("</doc>\n")
        self._file.write("\n".join(lines))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@export_format("conllu", files="corpus.conllu", about="CoNLL-U: sentences and tokens, for taggers", layers=True)
class ConlluWriter:
    """``corpus.conllu``: sentences and tokens in CoNLL-U (universaldependencies.org/format.html).

    Documents begin with ``# newdoc id``, blocks with ``# newpar id`` (doc_id-element_id). The last column is
    ``SpaceAfter=No`` for a token without whitespace after it. The layers lemma, pos, tag, feats and dep are the columns LEMMA,
    UPOS, XPOS, FEATS and DEPREL; other layers are in MISC. With layers, the tokens are those of the token index.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._file = (folder / "corpus.conllu").open("w", encoding="utf-8", newline="\n", errors="replace")

    def write(self, item: Item) -> None:
        """Write the document. A document without text is omitted."""
        doc_id = item.row["doc_id"]
        names = item.annotation.names if item.annotation is not None else ()
        lines: list[str] = []
        number = 0
        for element_id, (_, sentences) in zip(item.exported_rows, _blocks(item), strict=True):
            for position, (text, sentence) in enumerate(sentences):
                if not number:
                    lines.append(f"# newdoc id = {doc_id}")
                    lines.append(f"# uri = {one_line(item.row['uri'])}")
                if not position:
                    lines.append(f"# newpar id = {doc_id}-{element_id}")
                number += 1
                lines += [f"# sent_id = {doc_id}-{number}", f"# text = {text}"]
                lines += [_conllu_row(i, token, names) for i, token in enumerate(sentence, 1)]
                lines.append("")
        if lines:
            self._file.write("\n".join(lines) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _conllu_row(number: int, token: Token, names: Sequence[str]) -> str:
    form, spaced, values = token
    by_layer = dict(zip(names, values, strict=False))
    columns = [
        _BLANKS.sub(" " if name == "lemma" else "_", by_layer.get(name or "", "")).strip() or _NONE for name in _COLUMNS
    ]
    misc = [f"{name}={value.translate(_MISC)}" for name, value in by_layer.items() if name not in _COLUMNS and value]
    misc += [] if spaced else ["SpaceAfter=No"]
    return "\t".join([str(number), form, *columns, _NONE, "|".join(misc) or _NONE])


def _blocks(item: Item) -> Iterator[tuple[str, list[tuple[str, list[Token]]]]]:
    """Yield the blocks of a document: ``p`` or ``head``, and the sentences with normalized whitespace and their tokens."""
    table, lang = item.document.table, item.row["lang"] or "?"
    annotated = item.annotation.of(item.row["doc_id"]) if item.annotation is not None else {}
    for i in item.exported_rows:
        text = table.text[i] or ""
        is_block = table.type[i] == TEXT_BLOCK
        texts = sentence_texts(text, lang) if is_block else [text]
        clean = [_BLANKS.sub(" ", one_line(sentence)).strip() for sentence in texts]
        sentences = [sentence for sentence in clean if sentence]
        yield (
            "p" if is_block else "head",
            list(zip(sentences, _tokens_of(item, sentences, annotated.get(i)), strict=True)),
        )


def _tokens_of(item: Item, sentences: Sequence[str], annotated: Words | None) -> list[list[Token]]:
    """Return the tokens per sentence of a block, with the values of layers if layers are exported."""
    if item.annotation is None:
        return [[(token, spaced, ()) for token, spaced in tokens(sentence)] for sentence in sentences]
    tokenized = [list(tokens(sentence, _INDEXED)) for sentence in sentences]
    empty_values = (_NONE,) * len(item.annotation.names)
    words = [token for sentence in tokenized for token, _ in sentence if WORD.fullmatch(token)]
    # Masking personal data changes the words. Such a block has no values.
    values = iter(annotated[1] if annotated is not None and annotated[0] == words else [empty_values] * len(words))
    return [
        [(token, spaced, next(values) if WORD.fullmatch(token) else empty_values) for token, spaced in sentence]
        for sentence in tokenized
    ]
