"""Formats of corpus tools, a token a line: vertical text and CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from corpuskit.document.elements import TEXT_BLOCK
from corpuskit.export.formats.lines import one_line
from corpuskit.export.formats.sentence_spans import sentence_texts
from corpuskit.export.formats.xml_text import attribute
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions

_TOKEN: Final = re.compile(r"\w+(?:[-.'’]\w+)*|[^\w\s]")
_BLANKS: Final = re.compile(r"\s+")
_VERTICAL: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ATTRIBUTES: Final = ("doc_id", "uri", "title", "lang", "timestamp", "label", "license")


def tokens(text: str) -> Iterator[tuple[str, bool]]:
    """The tokens of a text, and whether a blank or the end follows each.

    A token is a run of letters, digits and underscores of any script, with hyphens, points and apostrophes inside, or
    one other character that is no blank. No language's contractions are split; taggers do that by their own rules.
    """
    for match in _TOKEN.finditer(text):
        end = match.end()
        yield match[0], end == len(text) or text[end].isspace()


class VerticalWriter:
    """``corpus.vert``: a token a line in ``<doc>``, ``<p>`` or ``<head>``, ``<s>``; ``<g/>`` where no blank stands.

    The form that Sketch Engine, NoSketch Engine and the IMS Open Corpus Workbench index.
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
            for sentence in sentences:
                lines.append("<s>")
                glue = False
                for token, spaced in tokens(sentence):
                    if glue:
                        lines.append("<g/>")
                    lines.append(token.translate(_VERTICAL))
                    glue = not spaced
                lines.append("</s>")
            lines.append(f"</{kind}>")
        lines.append("</doc>\n")
        self._file.write("\n".join(lines))

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


class ConlluWriter:
    """``corpus.conllu``: sentences and tokens in CoNLL-U (universaldependencies.org/format.html), no analysis.

    Documents begin with ``# newdoc id``, blocks with ``# newpar id`` (doc_id-element_id). Where no blank follows a
    token its last column says ``SpaceAfter=No``.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._file = (folder / "corpus.conllu").open("w", encoding="utf-8", newline="\n", errors="replace")

    def write(self, item: Item) -> None:
        """Writes the document; one without text is not in the file."""
        doc_id = item.row["doc_id"]
        lines: list[str] = []
        number = 0
        for element_id, (_, sentences) in zip(item.kept, _blocks(item), strict=True):
            for position, sentence in enumerate(sentences):
                if not number:
                    lines.append(f"# newdoc id = {doc_id}")
                    lines.append(f"# uri = {one_line(item.row['uri'])}")
                if not position:
                    lines.append(f"# newpar id = {doc_id}-{element_id}")
                number += 1
                lines += [f"# sent_id = {doc_id}-{number}", f"# text = {sentence}"]
                for i, (token, spaced) in enumerate(tokens(sentence), 1):
                    lines.append(f"{i}\t{token}" + "\t_" * 7 + ("\t_" if spaced else "\tSpaceAfter=No"))
                lines.append("")
        if lines:
            self._file.write("\n".join(lines) + "\n")

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


def _blocks(item: Item) -> Iterator[tuple[str, list[str]]]:
    """The blocks of a document: ``p`` or ``head``, and their sentences, each with single blanks."""
    table, lang = item.document.table, item.row["lang"] or "?"
    for i in item.kept:
        text = table.text[i] or ""
        is_block = table.type[i] == TEXT_BLOCK
        found = sentence_texts(text, lang) if is_block else [text]
        clean = [_BLANKS.sub(" ", one_line(sentence)).strip() for sentence in found]
        yield "p" if is_block else "head", [sentence for sentence in clean if sentence]
