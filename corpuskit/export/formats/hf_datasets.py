"""Hugging Face datasets on disk, written with pyarrow."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from corpuskit.export.formats.parquet import RowBatches, document_row, document_schema
from corpuskit.export.item import ROW_TYPES, Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format

_SHARD: Final = 500 * 1024 * 1024  # bytes, the default of datasets
_TYPES: Final = {str: "string", int: "int64", float: "float64"}


@export_format("datasets", files="datasets/", about="Hugging Face: datasets.load_from_disk reads it")
class DatasetsWriter:
    """``datasets/``: what ``datasets.load_from_disk`` reads: Arrow streams, their features and state.

    Columns as in ``documents.parquet``.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._folder = folder / "datasets"
        self._folder.mkdir()
        self._shards: list[Path] = []
        self._stream: Any = None
        self._digest = hashlib.sha256()
        self._batches = RowBatches(self._write)

    def write(self, item: Item) -> None:
        """Add the document's row."""
        self._batches.add(document_row(item), len(item.text))

    def _write(self, table: Any) -> None:
        import pyarrow as pa

        if self._stream is None or self._shards[-1].stat().st_size >= _SHARD:
            self._end_shard()
            shard = self._folder / f"{len(self._shards):05}.arrow"
            self._stream = pa.ipc.new_stream(shard, document_schema())
            self._shards.append(shard)
        self._stream.write_table(table)

    def _end_shard(self) -> None:
        if self._stream is not None:
            self._stream.close()
            with self._shards[-1].open("rb") as file:
                self._digest.update(hashlib.file_digest(file, "sha256").digest())
        self._stream = None

    def close(self) -> None:
        """Close the shards and write the description that loaders read."""
        import pyarrow as pa

        self._batches.close()
        if not self._shards:
            self._write(pa.Table.from_pylist([], schema=document_schema()))
        self._end_shard()
        names = [f"data-{i:05}-of-{len(self._shards):05}.arrow" for i in range(len(self._shards))]
        for shard, name in zip(self._shards, names, strict=True):
            shard.replace(self._folder / name)
        kinds = {
            **{name: _TYPES[kind] for name, kind in ROW_TYPES.items()},
            "metadata": "string",
            "text": "large_string",
        }
        features = {name: {"dtype": kind, "_type": "Value"} for name, kind in kinds.items()}
        info = {"citation": "", "description": "", "features": features, "homepage": "", "license": ""}
        state: dict[str, Any] = {
            "_data_files": [{"filename": name} for name in names],
            "_fingerprint": self._digest.hexdigest()[:16],
            "_format_columns": None,
            "_format_kwargs": {},
            "_format_type": None,
            "_output_all_columns": False,
            "_split": None,
        }
        for name, content in (("dataset_info.json", info), ("state.json", state)):
            (self._folder / name).write_text(json.dumps(content, indent=2) + "\n", "utf-8", newline="\n")
