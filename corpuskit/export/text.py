"""Text formats: .nlp.txt files, plain text, fastText lines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from corpuskit.document import to_nlptext
from corpuskit.export.item import Item
from corpuskit.store.documents import TEXT_SUFFIX

_LINE_ENDS: Final = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


class NlpTextWriter:
    """``nlp.txt/HOST/PATH.nlp.txt``, one file a document."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "nlp.txt"

    def write(self, item: Item) -> None:
        """Writes the document's file."""
        file = self._folder / (item.path + TEXT_SUFFIX)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(to_nlptext(item.document).encode())

    def close(self) -> None:
        """Nothing is open."""


class PlainTextWriter:
    """``corpus.txt``: the main content, one block a line, a blank line between documents."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "corpus.txt").open("w", encoding="utf-8", newline="\n")
        self._written = 0

    def write(self, item: Item) -> None:
        """Writes the lines of the document; one without main content has none."""
        lines = main_lines(item)
        if lines:
            self._file.write("\n" * bool(self._written) + "\n".join(lines) + "\n")
            self._written += 1

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


class FastTextWriter:
    """``fasttext.txt``: ``__label__LABEL tokens`` of each labelled document; ``fasttext.ids.tsv`` says whose line it is.

    Tokens are those that the project's own models read, so that training and serving agree.
    """

    def __init__(self, folder: Path) -> None:
        self._lines = (folder / "fasttext.txt").open("w", encoding="utf-8", newline="\n")
        self._ids = (folder / "fasttext.ids.tsv").open("w", encoding="utf-8", newline="\n")
        self._ids.write("line\tdoc_id\tlabel\turi\n")
        self._count = 0

    def write(self, item: Item) -> None:
        """Writes a line if the document is labelled and has tokens."""
        from corpuskit.relevance import document_tokens
        from corpuskit.relevance.reading import scoring_text

        label = item.row["label"]
        text = scoring_text(item.document.title, item.document.to_text(main=True))
        tokens = document_tokens(text) if label else []
        if not tokens:
            return
        self._count += 1
        name = re.sub(r"\s+", "_", label)
        self._lines.write(f"__label__{name} {' '.join(tokens)}\n")
        self._ids.write(f"{self._count}\t{item.row['doc_id']}\t{name}\t{one_line(item.row['uri'])}\n")

    def close(self) -> None:
        """Ends both files."""
        self._lines.close()
        self._ids.close()


def main_lines(item: Item) -> list[str]:
    """The main content, each text and title on one line."""
    table = item.document.table
    return [one_line(text) for text, main in zip(table.text, table.main, strict=True) if text and main]


def one_line(text: str) -> str:
    """The text with blanks for its line ends, those of Unicode too."""
    return _LINE_ENDS.sub(" ", text).replace("\t", " ")
