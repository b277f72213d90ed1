"""The rows of one file of an index, some at a time."""

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
from corpuskit.sources.stores import open_patiently, open_store, refusals

if TYPE_CHECKING:
    import pyarrow as pa

BATCH: Final = 1 << 16  # rows in memory
_HOST: Final = r"^https?://(?:[^/?#@]*@)?(?P<host>[^/?#:@]+)"


@dataclass(frozen=True, slots=True)
class Read:
    """Some rows of an index.

    Attributes:
        rows: the wanted ones, in the columns of :func:`corpuskit.sources.commoncrawl.place_schema`; ``url_host_name`` is
            that of the URL, whatever the index says.
        seen: rows that were looked at, or passed over by their statistics.
        wrong: wanted rows that can be no place of a page, and are left out.
        left_out: rows that are not wanted, by the name of the filter that says so first.
    """

    rows: pa.RecordBatch
    seen: int
    wrong: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_partition(partition: Partition, filters: Filters, *, anonymous: bool = True) -> Iterator[Read]:
    """Yield the wanted rows of one file of an index, in its order; its size does not matter.

    Of Parquet only the columns that are needed are read, of row groups without a wanted row nothing, or nothing but the
    columns that decide.

    Args:
        partition: The file.
        filters: Which rows are wanted.
        anonymous: Read buckets without credentials.

    Raises:
        SourceError: the file is damaged, or lacks the columns of a place.
        OSError: the store does not answer.
    """
    fs, path = open_store(partition.url, listed=partition.is_listed, anonymous=anonymous)
    try:
        with refusals(partition.url), open_patiently(fs, path) as handle:
            if partition.kind == "parquet":
                found = _parquet(handle, partition.url, filters)
            elif partition.kind == "wacz":
                found = (
                    _wanted(rows, filters, seen)
                    for rows, seen in read_wacz_index(handle, posixpath.basename(path), rows=BATCH)
                )
            else:
                found = (_wanted(rows, filters, seen) for rows, seen in read_cdxj(handle, partition.url, rows=BATCH))
            yield from found
    except FileNotFoundError as error:
        raise SourceError(f"{partition.url}: there is no such file") from error


def _wanted(rows: pa.RecordBatch, filters: Filters, seen: int) -> Read:
    """The wanted rows that can be places."""
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

    with _damage(url):
        file = pq.ParquetFile(handle)
        names = set(file.schema_arrow.names)
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise SourceError(f"{url} is no index of archives: it lacks the columns {', '.join(missing)}")
    columns = [name for name in COLUMNS if name in names]
    deciding = [name for name in filters.columns if name in names]
    with _damage(url):
        for group in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            left_out = _none_of(file, group, deciding, filters)
            if left_out is not None:
                nothing = pa.RecordBatch.from_pylist([], schema=in_schema(pa.table({})).schema)
                yield Read(nothing, size, left_out=left_out)
                continue
            for batch in file.iter_batches(BATCH, [group], columns):
                yield _wanted(in_schema(batch), filters, len(batch))


def _none_of(file: Any, group: int, deciding: list[str], filters: Filters) -> Mapping[str, int] | None:
    """What leaves out all rows of a row group, by its statistics or the columns that decide; None where some may be wanted."""
    import pyarrow.compute as pc

    whole = file.metadata.row_group(group)
    if name := filters.ruled_out_by(*_limits(whole)):
        return {name: whole.num_rows}
    if not deciding or ("url_host_name" in filters.columns and "url_host_name" not in deciding):
        return None  # told by the URL
    left_out: Counter[str] = Counter()
    for batch in file.iter_batches(BATCH, [group], deciding):
        if pc.any(filters.keep(in_schema(batch), left_out)).as_py():
            return None
    return left_out


def _limits(group: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The least and the greatest values of a row group, by its statistics."""
    least: dict[str, Any] = {}
    most: dict[str, Any] = {}
    for number in range(group.num_columns):
        column = group.column(number)
        if column.path_in_schema in PRUNED_BY and column.is_stats_set and column.statistics.has_min_max:
            with contextlib.suppress(ValueError, OverflowError, UnicodeDecodeError):  # a date beyond all calendars
                least[column.path_in_schema] = column.statistics.min
                most[column.path_in_schema] = column.statistics.max
    return least, most


@contextlib.contextmanager
def _damage(url: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the store
        raise SourceError(f"{url} is damaged, or no Parquet file: {error}") from error
