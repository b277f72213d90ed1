"""Tabular formats: JSON Lines, Parquet, CSV."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Final

from corpuskit.document.frames import arrow_schema, to_arrow
from corpuskit.export.item import Item

_ROW_GROUP: Final = 200_000  # elements held in memory
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


class JsonLinesWriter:
    """``corpus.jsonl``: one object a document, with its metadata, its main text and its elements."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "corpus.jsonl").open("w", encoding="utf-8", newline="\n")

    def write(self, item: Item) -> None:
        """Writes the document's line."""
        content = {
            **{name: value for name, value in item.row.items() if value is not None},
            "metadata": item.document.metadata,
            "text": item.document.to_text(main=True),
            "elements": _elements(item),
        }
        self._file.write(json.dumps(content, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


class CsvWriter:
    """``documents.csv``: one row a document with its main text (RFC 4180); no cell begins a spreadsheet formula."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "documents.csv").open("w", encoding="utf-8", newline="")
        self._writer: Any = None

    def write(self, item: Item) -> None:
        """Writes the document's row."""
        row = {**item.row, "text": item.document.to_text(main=True)}
        if self._writer is None:
            self._writer = csv.DictWriter(self._file, list(row), lineterminator="\n")
            self._writer.writeheader()
        self._writer.writerow({name: _harmless(value) for name, value in row.items()})

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


class ParquetWriter:
    """``documents.parquet`` (a row a document) and ``elements.parquet`` (a row an element, with its doc_id)."""

    def __init__(self, folder: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._schema = pa.schema([pa.field("doc_id", pa.string()), *arrow_schema()])
        self._elements = pq.ParquetWriter(folder / "elements.parquet", self._schema, compression="zstd")
        self._waiting: list[Any] = []
        self._size = 0
        self._folder = folder
        self._rows: list[dict[str, Any]] = []

    def write(self, item: Item) -> None:
        """Adds the document's row and elements."""
        import pyarrow as pa

        table = to_arrow(item.document.table)
        ids = pa.array([item.row["doc_id"]] * len(table), pa.string())
        self._waiting.append(table.add_column(0, "doc_id", ids))
        self._size += len(table)
        self._rows.append({**item.row, "text": item.document.to_text(main=True)})
        if self._size >= _ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._waiting:
            self._elements.write_table(pa.concat_tables(self._waiting).unify_dictionaries())
        self._waiting, self._size = [], 0

    def close(self) -> None:
        """Ends both files."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._flush()
        self._elements.close()
        pq.write_table(pa.Table.from_pylist(self._rows), self._folder / "documents.parquet", compression="zstd")


def _elements(item: Item) -> list[dict[str, Any]]:
    """The elements as objects; what is null or follows from the rest is left out."""
    from corpuskit.document.elements import TYPE_NAMES

    table = item.document.table
    found = []
    for i, code in enumerate(table.type):
        element: dict[str, Any] = {"type": TYPE_NAMES[code], "level": table.nesting_level[i], "main": table.main[i]}
        if table.text[i] is not None:
            element["text"] = table.text[i]
        if i in table.cells:
            element.update(zip(("row", "row_span", "col", "col_span"), table.cells[i], strict=True))
        element.update({name: column[i] for name, column in table.marks.items() if i in column})
        found.append(element)
    return found


def _harmless(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV injection)."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
