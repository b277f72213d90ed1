"""Tables that corpuskit keeps as Parquet files in a corpus folder."""

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
    """Return the rows of a table that can be made again.

    Arrow takes a folder in the place of a file for a table of all that is in it, wherever links lead.

    Args:
        folder: where.
        name: of a regular file below it.
        columns: only these; they must be there.
        schema: the table is to have.

    Raises:
        CorpusError: it is damaged, no regular file, or another table.
        FileNotFoundError: there is none.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with folder.open(name) as file:
        try:
            table = pq.read_table(file, columns=columns, schema=schema)
            return table if columns is None else table.select(columns)
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            place = "/".join((*folder.parts, name))
            raise CorpusError(
                f"{place} is damaged ({str(error).strip()[:200]}): remove it, it can be made again"
            ) from error
