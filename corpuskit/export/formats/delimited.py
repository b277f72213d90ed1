"""CSV and TSV with one row per document."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import ClassVar

from corpuskit.export.csv_safety import escape_formula
from corpuskit.export.item import ROW_TYPES, Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format

_COLUMNS = (*ROW_TYPES, "metadata", "text")


@export_format("csv", files="documents.csv", about="one row per document, for spreadsheets and R")
class CsvWriter:
    """``documents.csv``: one row per document (RFC 4180) with its metadata (JSON) and text.

    A cell that a spreadsheet would run as a formula is prefixed with an apostrophe.
    """

    name: ClassVar = "documents.csv"
    delimiter: ClassVar = ","

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._file = (folder / self.name).open("w", encoding="utf-8", newline="", errors="replace")
        self._writer = csv.DictWriter(self._file, _COLUMNS, lineterminator="\n", delimiter=self.delimiter)
        self._writer.writeheader()

    def write(self, item: Item) -> None:
        """Write the document's row."""
        metadata = json.dumps(item.document.metadata, ensure_ascii=False)
        row = {**item.row, "metadata": metadata, "text": item.text}
        # NUL ends a cell for many programs, and a reader of Python refuses it.
        self._writer.writerow(
            {name: escape_formula(value.replace("\0", "\ufffd") if isinstance(value, str) else value)
             for name, value in row.items()}
        )  # fmt: skip

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


@export_format("tsv", files="documents.tsv", about="the same, parted by tabs")
class TsvWriter(CsvWriter):
    """``documents.tsv``: the same, parted by tabs; cells with tabs, quotes or line ends are quoted."""

    name = "documents.tsv"
    delimiter = "\t"
