"""Parquet files in a corpus folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder

if TYPE_CHECKING:
    import pyarrow as pa


def read_table(
    folder: SafeFolder, name: str, columns: Sequence[str] | None = None, *, schema: pa.Schema | None = None
) -> pa.Table:
    """Return the rows of a Parquet file with derived data.

    The file is opened here, since Arrow would read a directory as one table and follow links.

    Args:
        folder: The directory.
        name: Name of the file.
        columns: Columns to read; an error if one is missing.
        schema: Expected schema.

    Raises:
        CorpusError: The file is damaged, irregular, or has another schema.
        FileNotFoundError: The file does not exist.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with folder.open(name) as file:
        try:
            table = pq.read_table(file, columns=columns, schema=schema)
            return table if columns is None else table.select(columns)
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            path = "/".join((*folder.parts, name))
            raise CorpusError(
                f"{path} is damaged ({str(error).strip()[:200]}): remove it, it can be rebuilt"
            ) from error
