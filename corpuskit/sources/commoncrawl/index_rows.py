"""Schema and validation of index rows: a page and the location of its record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS: Final = (
    "url", "url_host_name", "fetch_time", "fetch_status", "content_digest", "content_mime_detected", "content_languages",
    "content_charset", "content_truncated", "warc_filename", "warc_record_offset", "warc_record_length",
)  # fmt: skip
"""Columns read from the index, with the names of Common Crawl's columnar index."""
NEEDED: Final = ("url", "warc_filename", "warc_record_offset", "warc_record_length")
MAX_URL_CHARACTERS: Final = 2_000  # characters; longer URLs are crawler traps, and models truncate them
MAX_NAME_CHARACTERS: Final = 1_000
MAX_RECORD_BYTES: Final = 1 << 31  # bytes of a compressed record


def place_schema() -> pa.Schema:
    """Return the schema of index rows: times in UTC with seconds, offsets and lengths in bytes."""
    import pyarrow as pa

    types: dict[str, Any] = {
        "fetch_time": pa.timestamp("s", "UTC"),
        "fetch_status": pa.int16(),
        "warc_record_offset": pa.int64(),
        "warc_record_length": pa.int64(),
    }
    return pa.schema([pa.field(name, types.get(name, pa.string())) for name in COLUMNS])


def in_schema(batch: pa.RecordBatch | pa.Table) -> pa.RecordBatch:
    """Return the batch converted to the schema; missing columns and values that cannot be converted become null."""
    import pyarrow as pa

    schema = place_schema()
    names = batch.schema.names
    columns = [
        _cast(batch.column(names.index(field.name)), field.type)
        if field.name in names
        else pa.nulls(len(batch), field.type)
        for field in schema
    ]
    return pa.record_batch(columns, schema=schema)


def _cast(column: Any, kind: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.type.equals(kind):
        return column
    try:
        if pa.types.is_timestamp(kind):
            return _as_time(column, kind)
        if pa.types.is_string(kind) and pa.types.is_binary(column.type):
            return pa.array([_text(value) for value in column.to_pylist()], kind)
        if pa.types.is_integer(kind) and pa.types.is_string(column.type):
            column = pc.if_else(pc.match_substring_regex(column, r"^[0-9]{1,18}$"), column, None)
            column = column.cast(pa.int64())
        if pa.types.is_integer(kind) and pa.types.is_integer(column.type):
            bits = kind.bit_width - 1
            minimum = (
                0 if pa.types.is_unsigned_integer(column.type) else max(-(2**bits), -(2 ** (column.type.bit_width - 1)))
            )
            maximum = min(2**bits, 2 ** (column.type.bit_width - 1)) - 1
            is_in_range = pc.and_(
                pc.greater_equal(column, pa.scalar(minimum, column.type)),
                pc.less_equal(column, pa.scalar(maximum, column.type)),
            )
            column = pc.if_else(is_in_range, column, None)
        return column.cast(kind)
    except pa.ArrowException:
        return pa.nulls(len(column), kind)


def _as_time(column: Any, kind: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type):  # 2024-05-18T01:58:10Z, 20240518015810
        digits = pc.replace_substring_regex(column, "[^0-9]", "")
        digits = pc.if_else(pc.equal(pc.utf8_length(digits), 14), digits, None)
        column = pc.strptime(digits, format="%Y%m%d%H%M%S", unit="s", error_is_null=True)
    if column.type.tz is None:
        column = pc.assume_timezone(column.cast(pa.timestamp("s"), safe=False), "UTC")
    return column.cast(kind, safe=False)


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "replace")


def wrong_places(batch: pa.RecordBatch) -> Any:
    """Return a boolean mask of invalid rows: non-HTTP URL, unsafe archive name, or invalid offset or length.

    Unsafe names have a scheme, a drive or ``..``, or are absolute.

    Args:
        batch: Rows of an index.
    """
    import pyarrow.compute as pc

    url, name = batch.column("url"), batch.column("warc_filename")
    start, length = batch.column("warc_record_offset"), batch.column("warc_record_length")
    checks = [
        pc.match_substring_regex(url, r"^https?://[^/?#\s]"),
        pc.less_equal(pc.binary_length(url), MAX_URL_CHARACTERS),
        pc.match_substring_regex(name, r"^[^/\\:\x00-\x1f][^\\:\x00-\x1f]*$"),
        pc.invert(pc.match_substring_regex(name, r"(^|/)\.\.?(/|$)")),
        pc.less_equal(pc.binary_length(name), MAX_NAME_CHARACTERS),
        pc.greater_equal(start, 0),
        pc.greater(length, 0),
        pc.less_equal(length, MAX_RECORD_BYTES),
    ]
    is_valid = checks[0]
    for part in checks[1:]:
        is_valid = pc.and_kleene(is_valid, part)
    return pc.invert(pc.fill_null(is_valid, False))
