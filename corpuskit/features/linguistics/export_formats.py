"""Formats of corpus tools, a token a line: vertical text and CoNLL-U."""

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
"""A token, whether a blank or the end follows it, and its values in layers."""


def tokens(text: str, pattern: re.Pattern[str] = _TOKEN) -> Iterator[tuple[str, bool]]:
    """The tokens of a text, and whether a blank or the end follows each.

    A token is a run of letters, digits and underscores of any script, with hyphens, points and apostrophes inside, or
    one other character that is no blank. No language's contractions are split; taggers do that by their own rules.
    """
    for match in pattern.finditer(text):
        end = match.end()
        yield match[0], end == len(text) or text[end].isspace()


@export_format("vert", files="corpus.vert", about="vertical text for Sketch Engine and CWB", layers=True)
class VerticalWriter:
    """``corpus.vert``: a token a line in ``<doc>``, ``<p>`` or ``<head>``, ``<s>``; ``<g/>`` where no blank stands.

    The form that Sketch Engine, NoSketch Engine and the IMS Open Corpus Workbench index. Layers of the corpus are further
    columns, in the order of ``layers`` in manifest.json; tokens are those of its index then.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._file = (folder / "corpus.vert").open("w", encoding="utf-8", newline="\n", errors="replace")

    def write(self, item: Item) -> None:
        """Writes the document."""
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
        """Ends the file."""
        self._file.close()


@export_format("conllu", files="corpus.conllu", about="CoNLL-U: sentences and tokens, for taggers", layers=True)
class ConlluWriter:
    """``corpus.conllu``: sentences and tokens in CoNLL-U (universaldependencies.org/format.html).

    Documents begin with ``# newdoc id``, blocks with ``# newpar id`` (doc_id-element_id). Where no blank follows a
    token its last column says ``SpaceAfter=No``. Layers of the corpus called lemma, pos, tag, feats and dep stand in LEMMA,
    UPOS, XPOS, FEATS and DEPREL, others in MISC; tokens are those of its index then.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._file = (folder / "corpus.conllu").open("w", encoding="utf-8", newline="\n", errors="replace")

    def write(self, item: Item) -> None:
        """Writes the document; one without text is not in the file."""
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
        """Ends the file."""
        self._file.close()


def _conllu_row(number: int, token: Token, names: Sequence[str]) -> str:
    form, spaced, values = token
    said = dict(zip(names, values, strict=False))
    columns = [
        _BLANKS.sub(" " if name == "lemma" else "_", said.get(name or "", "")).strip() or _NONE for name in _COLUMNS
    ]
    misc = [f"{name}={value.translate(_MISC)}" for name, value in said.items() if name not in _COLUMNS and value]
    misc += [] if spaced else ["SpaceAfter=No"]
    return "\t".join([str(number), form, *columns, _NONE, "|".join(misc) or _NONE])


def _blocks(item: Item) -> Iterator[tuple[str, list[tuple[str, list[Token]]]]]:
    """The blocks of a document: ``p`` or ``head``, and their sentences, each with single blanks, and their tokens."""
    table, lang = item.document.table, item.row["lang"] or "?"
    annotated = item.annotation.of(item.row["doc_id"]) if item.annotation is not None else {}
    for i in item.exported_rows:
        text = table.text[i] or ""
        is_block = table.type[i] == TEXT_BLOCK
        found = sentence_texts(text, lang) if is_block else [text]
        clean = [_BLANKS.sub(" ", one_line(sentence)).strip() for sentence in found]
        sentences = [sentence for sentence in clean if sentence]
        yield (
            "p" if is_block else "head",
            list(zip(sentences, _tokens_of(item, sentences, annotated.get(i)), strict=True)),
        )


def _tokens_of(item: Item, sentences: Sequence[str], annotated: Words | None) -> list[list[Token]]:
    """The tokens of the sentences of a block; with layers, those of the index with their values."""
    if item.annotation is None:
        return [[(token, spaced, ()) for token, spaced in tokens(sentence)] for sentence in sentences]
    found = [list(tokens(sentence, _INDEXED)) for sentence in sentences]
    nothing = (_NONE,) * len(item.annotation.names)
    words = [token for sentence in found for token, _ in sentence if WORD.fullmatch(token)]
    # Where personal data was masked the words are others, and the block has no values.
    values = iter(annotated[1] if annotated is not None and annotated[0] == words else [nothing] * len(words))
    return [
        [(token, spaced, next(values) if WORD.fullmatch(token) else nothing) for token, spaced in sentence]
        for sentence in found
    ]
