"""Parquet: a table of documents and a table of elements."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from corpuskit.document import NLPTextDocument
from corpuskit.document.dataframes import CELL_COLUMNS, arrow_schema, from_arrow, to_arrow
from corpuskit.document.elements import FORMATTING, OPTIONAL_COLUMNS
from corpuskit.errors import DocumentFormatError, SourceError
from corpuskit.export.formats.element_rows import DocumentReader, document_head, element_objects
from corpuskit.export.item import ROW_TYPES, Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format
from corpuskit.validation import check_path

if TYPE_CHECKING:
    import pyarrow as pa

_BYTES: Final = 16 * 1024 * 1024  # of text held in memory
_ELEMENTS: Final = 100_000
_NEEDED: Final = ("doc_id", "type", "parent_id", "subtree_end", "nesting_level", "text", *CELL_COLUMNS, "main",
                  *OPTIONAL_COLUMNS)  # fmt: skip


@export_format("parquet", files="documents.parquet, elements.parquet", about="Parquet: two tables")
class ParquetWriter:
    """``documents.parquet`` (one row per document) and ``elements.parquet`` (one row per element, with its doc_id).

    Columns of documents: those of ``documents()``, license, metadata (JSON), text. Row groups of ``elements`` end
    with documents, and the ids in them are sorted as in ``documents``.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema([pa.field("doc_id", pa.string()), *arrow_schema(), pa.field(FORMATTING, pa.large_string())])
        self._elements = pq.ParquetWriter(folder / "elements.parquet", schema, compression="zstd")
        self._documents = RowBatches(
            pq.ParquetWriter(folder / "documents.parquet", document_schema(), compression="zstd").write_table
        )
        self._waiting: list[Any] = []
        self._size = self._bytes = 0

    def write(self, item: Item) -> None:
        """Add the document's row and elements."""
        import pyarrow as pa

        table = to_arrow(item.document.table)
        ids = pa.array([item.row["doc_id"]] * len(table), pa.string())
        spans = item.document.table.marks.get(FORMATTING, {})
        formatting = pa.array(
            [spans.get(i) for i in range(len(table))] if spans else [None] * len(table), pa.large_string()
        )
        table = table.append_column(FORMATTING, formatting)
        self._waiting.append(table.add_column(0, pa.field("doc_id", pa.string()), ids))
        self._size += len(table)
        self._bytes += table.nbytes
        if self._size >= _ELEMENTS or self._bytes >= _BYTES:
            self._flush()
        self._documents.add(document_row(item), len(item.text))

    def _flush(self) -> None:
        import pyarrow as pa

        if self._waiting:
            self._elements.write_table(pa.concat_tables(self._waiting).unify_dictionaries())
        self._waiting, self._size, self._bytes = [], 0, 0

    def close(self) -> None:
        """Ends both files."""
        self._flush()
        self._elements.close()
        self._documents.close()
        self._documents.write.__self__.close()


class RowBatches:
    """Rows of :func:`document_row`, given to ``write`` as Arrow tables of a bounded size."""

    def __init__(self, write: Any) -> None:
        self.write = write
        self._rows: list[dict[str, Any]] = []
        self._size = 0

    def add(self, row: dict[str, Any], size: int) -> None:
        """Add a row with the number of characters of its text."""
        self._rows.append(row)
        self._size += size + 500
        if self._size >= _BYTES:
            self.close()

    def close(self) -> None:
        """Write the buffered rows."""
        import pyarrow as pa

        if self._rows:
            self.write(pa.Table.from_pylist(self._rows, schema=document_schema()))
        self._rows, self._size = [], 0


def document_schema() -> pa.Schema:
    """Return the schema of the table of documents."""
    import pyarrow as pa

    types = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    columns = [(name, types[kind]) for name, kind in ROW_TYPES.items()]
    return pa.schema([*columns, ("metadata", pa.string()), ("text", pa.large_string())])


def document_row(item: Item) -> dict[str, Any]:
    """Return the row of a document in the columns of :func:`document_schema`."""
    head = document_head(item.document)
    metadata = json.dumps(head.pop("metadata"), ensure_ascii=False)
    return {**item.row, **head, "metadata": metadata, "text": item.text}


def read_parquet(folder: str | os.PathLike[str]) -> Iterator[NLPTextDocument]:
    """Yield the documents of ``documents.parquet`` and ``elements.parquet`` in a folder, read one at a time.

    Args:
        folder: The folder.

    Raises:
        DocumentFormatError: the files are no such tables, or do not fit each other; ``.line`` is the document's number.
        SourceError: The folder has no such files.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    root = check_path(folder, "folder")
    for name in ("documents.parquet", "elements.parquet"):
        if not (root / name).is_file():
            raise SourceError(
                f"there is no {name} in {os.fspath(folder)!r}; expected the folder of an export as parquet"
            )
    where = os.fspath(root)
    try:
        with (
            pq.ParquetFile(root / "documents.parquet") as documents,
            pq.ParquetFile(root / "elements.parquet") as parts,
        ):
            runs = _runs(parts)
            run = next(runs, None)
            number = 0
            for batch in documents.iter_batches(1000, columns=["doc_id", "title", "uri", "timestamp", "metadata"]):
                for row in batch.to_pylist():
                    number += 1
                    reader = DocumentReader(where, number)
                    pieces = []
                    while run is not None and run[0] == row["doc_id"]:
                        pieces.append(run[1])
                        run = next(runs, None)
                    row["metadata"] = _metadata(row["metadata"], reader)
                    yield reader.read(row, _objects(pieces))
            if run is not None:
                raise DocumentReader(where, number + 1).fault(f"elements of {run[0]}", "those of a document")
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, KeyError, IndexError) as error:
        if isinstance(error, DocumentFormatError):
            raise
        raise DocumentFormatError(1, str(error), "tables of documents and elements", where=where) from None


def _runs(parts: Any) -> Iterator[tuple[str, Any]]:
    """Runs of rows of one document: (doc_id, Arrow table)."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    for group in range(parts.num_row_groups):
        table = parts.read_row_group(group, columns=[*_NEEDED, FORMATTING])  # a column that is not there is left out
        if not len(table):
            continue
        ids = pc.dictionary_encode(table.column("doc_id")).combine_chunks()
        ids = ids.chunk(0) if isinstance(ids, pa.ChunkedArray) else ids
        codes = np.asarray(ids.indices)
        starts = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(table)]
        for start, end in itertools.pairwise(starts):
            yield ids.dictionary[int(codes[start])].as_py(), table.slice(start, end - start)


def _objects(pieces: list[Any]) -> list[dict[str, Any]]:
    objects: list[dict[str, Any]] = []
    for piece in pieces:
        table = from_arrow(piece)
        if FORMATTING in piece.column_names:
            spans = enumerate(piece.column(FORMATTING).to_pylist())
            table.marks[FORMATTING] = {i: value for i, value in spans if value is not None}
        objects.extend(element_objects(table))
    return objects


def _metadata(text: Any, reader: DocumentReader) -> Any:
    try:
        return json.loads(text or "{}")
    except (ValueError, TypeError, RecursionError) as error:
        raise reader.fault(error, "metadata as a JSON object") from None
