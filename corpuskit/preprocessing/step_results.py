"""Results of steps as Parquet files in the corpus folder: preprocessing/STEP-KEY/part-*.parquet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.parquet_tables import read_table

if TYPE_CHECKING:
    import pandas as pd

FOLDER: Final = "preprocessing"
DUPLICATES: Final = "duplicates.parquet"
"""The last verdicts on duplicates, which ``documents()`` shows."""
_TYPES: Final[dict[str, tuple[type, ...]]] = {"str": (str,), "int64": (int,), "float64": (float, int), "bool": (bool,)}
_COMPACT_AT: Final = 64
_PARTS: Final = "part-[0-9]*.parquet"


class StepResults:
    """What a step gave for documents, by version.

    Args:
        above: the folder of all results.
        key: the step's folder below it, ``STEP-KEY``; created by the first write.
        columns: column → dtype.
    """

    def __init__(self, above: SafeFolder, key: str, columns: Mapping[str, str]) -> None:
        self._above = above
        self._folder = above.subfolder(key)
        self._columns = dict(columns)
        self.name = key.rpartition("-")[0]

    def _parts(self) -> list[str]:
        return self._folder.file_names(_PARTS)

    def checked(self, name: str, value: Any) -> Any:
        """Return the value if it has the column's type or is missing.

        Raises:
            ConfigurationError: It has another type.
        """
        dtype = self._columns[name]
        if value is None or (isinstance(value, _TYPES[dtype]) and not (dtype == "int64" and isinstance(value, bool))):
            return value
        raise ConfigurationError(f"step {self.name}: column {name} got a {type(value).__name__}, expected {dtype}")

    def known(self) -> set[tuple[str, int]]:
        """Return the (doc_id, version) pairs with results."""
        keys: set[tuple[str, int]] = set()
        for part in self._parts():
            table = read_table(self._folder, part, ["doc_id", "version"])
            keys.update(zip(table["doc_id"].to_pylist(), table["version"].to_pylist(), strict=True))
        return keys

    def frame(self, versions: pd.Series) -> pd.DataFrame:
        """Return the results of these versions (doc_id → version) by doc_id, without documents that have none."""
        import pandas as pd
        import pyarrow as pa

        tables = [read_table(self._folder, part) for part in self._parts()]
        if not tables:
            return pd.DataFrame({name: pd.Series(dtype="object") for name in self._columns})
        frame = pa.concat_tables(tables).to_pandas(integer_object_nulls=True).drop_duplicates(["doc_id", "version"])
        frame = frame.set_index("doc_id")
        requested = versions.reindex(frame.index)
        current: pd.DataFrame = frame[frame["version"] == requested].drop(columns="version")
        return current

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store rows with doc_id, version and the columns atomically."""
        import pyarrow as pa

        kinds = {"str": pa.string(), "int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}
        schema = pa.schema(
            [("doc_id", pa.string()), ("version", pa.int64()), *((n, kinds[d]) for n, d in self._columns.items())]
        )
        parts = self._parts()
        table = pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
        if len(parts) < _COMPACT_AT:
            _save(table, self._folder, _next(parts))
            return
        # The new part holds all; the old ones are removed after it is there, so that nothing can be lost.
        merged = pa.concat_tables([*(read_table(self._folder, part, schema=schema) for part in parts), table])
        _save(merged, self._folder, _next(parts))
        for part in parts:
            self._folder.remove(part)

    def publish(self, duplicates: pd.DataFrame) -> None:
        """Store the duplicates for ``documents()``."""
        import pyarrow as pa

        matches = duplicates[~duplicates["unique"]]
        table = pa.table(
            {name: pa.array(matches[name].tolist(), pa.string()) for name in ("doc_id", "duplicate_of")}
        )  # fmt: skip
        _save(table, self._above, DUPLICATES)


def remove_documents(above: SafeFolder, doc_ids: Iterable[str]) -> None:
    """Remove documents from the results of all steps, which may contain text.

    A damaged table is deleted, since its content is unknown; its step recomputes it.

    Args:
        above: The directory of all results.
        doc_ids: The documents.
    """
    removed = list(doc_ids)
    for key in above.folder_names():
        subfolder = above.subfolder(key)
        for part in subfolder.file_names(_PARTS):
            _take_out(subfolder, part, ["doc_id"], removed)
    if above.exists(DUPLICATES):
        _take_out(above, DUPLICATES, ["doc_id", "duplicate_of"], removed)


def _take_out(folder: SafeFolder, name: str, columns: Sequence[str], removed: Sequence[str]) -> None:
    """Rewrite a table without the rows that name one of the documents in one of the columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        table = read_table(folder, name)
        stays = table
        for column in columns:
            stays = stays.filter(pc.invert(pc.is_in(stays[column], value_set=pa.array(removed, pa.string()))))
    except (CorpusError, KeyError, pa.ArrowException):
        folder.remove(name)
        return
    if len(stays) < len(table):
        _save(stays, folder, name)


def _next(parts: list[str]) -> str:
    number = int(parts[-1].removesuffix(".parquet").partition("-")[2]) + 1 if parts else 0
    return f"part-{number:08d}.parquet"


def _save(table: Any, folder: SafeFolder, name: str) -> None:
    import pyarrow.parquet as pq

    with folder.atomic_write(name) as file:
        pq.write_table(table, file, compression="zstd")
