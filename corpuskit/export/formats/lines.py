"""Plain text and fastText lines."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

from corpuskit.export.formats.sentence_spans import sentence_texts
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format

# What some program takes for a line end, and what has no place in a line.
_LINE_ENDS: Final = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
_IDS: Final = 5_000  # rows a row group; 50,000 took 50 MB (2026-11-22)


@export_format("txt", files="corpus.txt", about="plain text, a block a line")
class PlainTextWriter:
    """``corpus.txt``: one block a line, a blank line between documents."""

    file = "corpus.txt"

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._file = (folder / self.file).open("w", encoding="utf-8", newline="\n", errors="replace")
        self._written = False

    def lines(self, item: Item) -> list[str]:
        """Return the lines of the document; one without text has none."""
        table = item.document.table
        return [one_line(table.text[i] or "") for i in item.exported_rows]

    def write(self, item: Item) -> None:
        """Write the lines of the document."""
        if lines := self.lines(item):
            self._file.write("\n" * self._written + "\n".join(lines) + "\n")
            self._written = True

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


@export_format("sentences", files="sentences.txt", about="plain text, a sentence a line")
class SentencesWriter(PlainTextWriter):
    """``sentences.txt``: one sentence a line, a blank line between documents; titles are sentences."""

    file = "sentences.txt"

    def lines(self, item: Item) -> list[str]:
        """Return the sentences of the document."""
        table, lang = item.document.table, item.row["lang"] or "?"
        lines = [
            one_line(sentence) for i in item.exported_rows for sentence in sentence_texts(table.text[i] or "", lang)
        ]
        return [line for line in lines if line]


@export_format("fasttext", files="fasttext.txt, fasttext.ids.parquet", about="labelled lines for fastText")
class FastTextWriter:
    """``fasttext.txt``: ``__label__LABEL tokens`` of each labelled document, and a table of the documents of the lines.

    Tokens are those of :func:`corpuskit.relevance.fasttext_line`, which the project's own models and their fastText
    students read too, so that training and serving agree. ``fasttext.ids.parquet``
    has one row per line: line (int64, 1-based), doc_id, label, uri (str).

    Attributes:
        left_out: Reason → number of documents without a line, for the report of the export.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._lines = (folder / "fasttext.txt").open("w", encoding="utf-8", newline="\n", errors="replace")
        texts = [pa.field(name, pa.string()) for name in ("doc_id", "label", "uri")]
        self._schema = pa.schema([pa.field("line", pa.int64()), *texts])
        self._ids = pq.ParquetWriter(folder / "fasttext.ids.parquet", self._schema, compression="zstd")
        self._waiting: list[dict[str, Any]] = []
        self._count = 0
        self.left_out: Counter[str] = Counter()

    def write(self, item: Item) -> None:
        """Write a line if the document is labelled and has tokens."""
        from corpuskit.relevance import fasttext_line
        from corpuskit.relevance.scoring_text import scoring_text

        label = item.row["label"]
        line = fasttext_line(scoring_text(item.document.title, item.document.to_text(main=True))) if label else ""
        if not line:
            self.left_out["without a word (fasttext)" if label else "without a label (fasttext)"] += 1
            return
        self._count += 1
        name = re.sub(r"\s+", "_", label)
        self._lines.write(f"__label__{name} {line}\n")
        self._waiting.append({"line": self._count, "doc_id": item.row["doc_id"], "label": name, "uri": item.row["uri"]})
        if len(self._waiting) >= _IDS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        self._ids.write_table(pa.Table.from_pylist(self._waiting, schema=self._schema))
        self._waiting = []

    def close(self) -> None:
        """Ends both files."""
        self._lines.close()
        self._flush()
        self._ids.close()


def one_line(text: str) -> str:
    """Return the text with spaces instead of line ends (also Unicode's) and control characters."""
    return _LINE_ENDS.sub(" ", text).strip()
