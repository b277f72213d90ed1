"""Results of steps as Parquet files in the corpus folder: preprocessing/STEP-KEY/part-*.parquet."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd

FOLDER: Final = "preprocessing"
DUPLICATES: Final = "duplicates.parquet"
"""The last verdicts on duplicates, which ``documents()`` shows."""
_TYPES: Final[dict[str, tuple[type, ...]]] = {"str": (str,), "int64": (int,), "float64": (float, int), "bool": (bool,)}
_COMPACT_AT: Final = 64


class StepResults:
    """What a step gave for documents, by version.

    Args:
        folder: made when something is written.
        columns: column → dtype.
    """

    def __init__(self, folder: Path, columns: Mapping[str, str]) -> None:
        self._folder = folder
        self._columns = dict(columns)
        self.name = folder.name.rpartition("-")[0]

    def _parts(self) -> list[Path]:
        return sorted(self._folder.glob("part-*.parquet"))

    def checked(self, name: str, value: Any) -> Any:
        """The value, if it is of the column's type or missing.

        Raises:
            ConfigurationError: it is not.
        """
        dtype = self._columns[name]
        if value is None or (isinstance(value, _TYPES[dtype]) and not (dtype == "int64" and isinstance(value, bool))):
            return value
        raise ConfigurationError(f"step {self.name}: column {name} got a {type(value).__name__}, expected {dtype}")

    def known(self) -> set[tuple[str, int]]:
        """The (doc_id, version) that have results."""
        import pyarrow.parquet as pq

        found: set[tuple[str, int]] = set()
        for part in self._parts():
            table = pq.read_table(part, columns=["doc_id", "version"])
            found.update(zip(table["doc_id"].to_pylist(), table["version"].to_pylist(), strict=True))
        return found

    def frame(self, versions: pd.Series) -> pd.DataFrame:
        """The results of these versions (doc_id → version), by doc_id; documents without are left out."""
        import pandas as pd
        import pyarrow as pa
        import pyarrow.parquet as pq

        tables = [pq.read_table(part) for part in self._parts()]
        if not tables:
            return pd.DataFrame({name: pd.Series(dtype="object") for name in self._columns})
        frame = pa.concat_tables(tables).to_pandas(integer_object_nulls=True).drop_duplicates(["doc_id", "version"])
        frame = frame.set_index("doc_id")
        wanted = versions.reindex(frame.index)
        current: pd.DataFrame = frame[frame["version"] == wanted].drop(columns="version")
        return current

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keeps rows with doc_id, version and the columns: all of them or, when killed, none."""
        import pyarrow as pa

        kinds = {"str": pa.string(), "int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}
        schema = pa.schema(
            [("doc_id", pa.string()), ("version", pa.int64()), *((n, kinds[d]) for n, d in self._columns.items())]
        )
        self._folder.mkdir(parents=True, exist_ok=True)
        parts = self._parts()
        table = pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
        if len(parts) < _COMPACT_AT:
            self._save(table, self._next(parts))
            return
        import pyarrow.parquet as pq

        # The new part holds all; the old ones are removed after it is there, so that nothing can be lost.
        whole = pa.concat_tables([*(pq.read_table(part, schema=schema) for part in parts), table])
        self._save(whole, self._next(parts))
        for part in parts:
            with contextlib.suppress(FileNotFoundError):
                part.unlink()

    def _next(self, parts: list[Path]) -> Path:
        number = int(parts[-1].stem.partition("-")[2]) + 1 if parts else 0
        return self._folder / f"part-{number:08d}.parquet"

    @staticmethod
    def _save(table: Any, file: Path) -> None:
        import pyarrow.parquet as pq

        temporary = file.with_suffix(".tmp")
        pq.write_table(table, temporary, compression="zstd")
        temporary.replace(file)

    def publish(self, duplicates: pd.DataFrame) -> None:
        """Keeps the verdicts on duplicates for ``documents()``."""
        import pyarrow as pa

        found = duplicates[~duplicates["unique"]]
        table = pa.table(
            {name: pa.array(found[name].tolist(), pa.string()) for name in ("doc_id", "duplicate_of")}
        )  # fmt: skip
        self._save(table, self._folder.parent / DUPLICATES)
