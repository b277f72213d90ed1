"""Reader of one index file in batches of rows."""

from __future__ import annotations

import contextlib
import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import SourceError
from corpuskit.sources.commoncrawl.cdxj import read_cdxj, read_wacz_index
from corpuskit.sources.commoncrawl.filters import PRUNED_BY, Filters
from corpuskit.sources.commoncrawl.index import Partition
from corpuskit.sources.commoncrawl.index_rows import COLUMNS, NEEDED, in_schema, wrong_places
from corpuskit.sources.stores import open_retrying, open_store, private_address_errors

if TYPE_CHECKING:
    import pyarrow as pa

BATCH: Final = 1 << 16  # rows per batch
_HOST: Final = r"^https?://(?:[^/?#@]*@)?(?P<host>[^/?#:@]+)"


@dataclass(frozen=True, slots=True)
class Read:
    """A batch of index rows after filtering.

    Attributes:
        rows: Matching rows, with the columns of :func:`corpuskit.sources.commoncrawl.place_schema`. ``url_host_name`` is
            computed from the URL, not read from the index.
        seen: Number of rows read, or skipped by their statistics.
        wrong: Number of matching rows with an invalid location; they are not in ``rows``.
        left_out: Number of rejected rows by the first filter that rejects them.
    """

    rows: pa.RecordBatch
    seen: int
    wrong: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_partition(partition: Partition, filters: Filters, *, anonymous: bool = True) -> Iterator[Read]:
    """Yield the matching rows of one index file in batches, in file order.

    Of Parquet files only the needed columns are read. Row groups without a match are skipped by their statistics, or after
    reading the columns that the filters use.

    Args:
        partition: The file.
        filters: Conditions on the rows.
        anonymous: Read buckets without credentials.

    Raises:
        SourceError: The file is damaged, or lacks the columns with the location of a record.
        OSError: The store does not respond.
    """
    fs, path = open_store(partition.url, listed=partition.is_listed, anonymous=anonymous)
    try:
        with private_address_errors(partition.url), open_retrying(fs, path) as handle:
            if partition.kind == "parquet":
                batches = _parquet(handle, partition.url, filters)
            elif partition.kind == "wacz":
                batches = (
                    _matching(rows, filters, seen)
                    for rows, seen in read_wacz_index(handle, posixpath.basename(path), rows=BATCH)
                )
            else:
                batches = (
                    _matching(rows, filters, seen) for rows, seen in read_cdxj(handle, partition.url, rows=BATCH)
                )
            yield from batches
    except FileNotFoundError as error:
        raise SourceError(f"{partition.url}: there is no such file") from error


def _matching(rows: pa.RecordBatch, filters: Filters, seen: int) -> Read:
    """Return the matching rows with valid locations."""
    import pyarrow.compute as pc

    host = pc.struct_field(pc.extract_regex(pc.utf8_lower(rows.column("url")), _HOST), "host")
    rows = rows.set_column(COLUMNS.index("url_host_name"), "url_host_name", pc.utf8_rtrim(host, "."))
    left_out: Counter[str] = Counter()
    rows = rows.filter(filters.keep(rows, left_out))
    wrong = wrong_places(rows)
    good = rows.filter(pc.invert(wrong))
    return Read(good, seen, len(rows) - len(good), left_out)


def _parquet(handle: Any, url: str, filters: Filters) -> Iterator[Read]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _parquet_errors(url):
        file = pq.ParquetFile(handle)
        names = set(file.schema_arrow.names)
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise SourceError(f"{url}: not an index of archives: missing columns: {', '.join(missing)}")
    columns = [name for name in COLUMNS if name in names]
    filter_columns = [name for name in filters.columns if name in names]
    with _parquet_errors(url):
        for group in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            left_out = _rejected_counts(file, group, filter_columns, filters)
            if left_out is not None:
                empty = pa.RecordBatch.from_pylist([], schema=in_schema(pa.table({})).schema)
                yield Read(empty, size, left_out=left_out)
                continue
            for batch in file.iter_batches(BATCH, [group], columns):
                yield _matching(in_schema(batch), filters, len(batch))


def _rejected_counts(file: Any, group: int, filter_columns: list[str], filters: Filters) -> Mapping[str, int] | None:
    """Return the rejected rows by filter if no row of a row group matches, or None if some rows may match.

    The statistics are checked first, then the columns that the filters use.
    """
    import pyarrow.compute as pc

    row_group = file.metadata.row_group(group)
    if name := filters.ruled_out_by(*_limits(row_group)):
        return {name: row_group.num_rows}
    if not filter_columns or ("url_host_name" in filters.columns and "url_host_name" not in filter_columns):
        return None  # the host must be computed from the URL
    left_out: Counter[str] = Counter()
    for batch in file.iter_batches(BATCH, [group], filter_columns):
        if pc.any(filters.keep(in_schema(batch), left_out)).as_py():
            return None
    return left_out


def _limits(group: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return minimum and maximum of the columns of a row group, from its statistics."""
    minimums: dict[str, Any] = {}
    maximums: dict[str, Any] = {}
    for number in range(group.num_columns):
        column = group.column(number)
        if column.path_in_schema in PRUNED_BY and column.is_stats_set and column.statistics.has_min_max:
            with contextlib.suppress(ValueError, OverflowError, UnicodeDecodeError):  # dates out of range
                minimums[column.path_in_schema] = column.statistics.min
                maximums[column.path_in_schema] = column.statistics.max
    return minimums, maximums


@contextlib.contextmanager
def _parquet_errors(url: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # an error of the store, not of the file
        raise SourceError(f"{url}: damaged, or not a Parquet file: {error}") from error
