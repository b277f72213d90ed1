"""Conversion of the element table to Arrow and pandas, and back."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from corpuskit.document.elements import FORMATTING, OPTIONAL_COLUMNS, TYPE_CODES, TYPE_NAMES, ElementTable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

CELL_COLUMNS: Final = ("row", "row_span", "col", "col_span")
_NULLABLE: Final = frozenset((*CELL_COLUMNS, "page", "version"))
_MAX_CACHED_NAMES: Final = 100  # larger categories are not cached
_CATEGORIES: Final = frozenset(("type", "role", "zone"))
COLUMNS: Final = (
    "element_id",
    "parent_id",
    "subtree_end",
    "type",
    "nesting_level",
    "text",
    *CELL_COLUMNS,
    "main",
    *OPTIONAL_COLUMNS,
)


def to_arrow_dtypes(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with columns of ArrowDtype. Strings and categories take a third of the memory; nulls are unchanged."""
    import pandas as pd
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    result: pd.DataFrame = table.to_pandas(types_mapper=pd.ArrowDtype).set_axis(frame.index)
    result.attrs = frame.attrs
    return result


def convert_dtypes(frame: pd.DataFrame, arrow: bool) -> pd.DataFrame:
    """Return a frame unchanged, or with columns of ArrowDtype."""
    return to_arrow_dtypes(frame) if arrow else frame


@cache
def arrow_schema() -> pa.Schema:
    """Return the names and types of the element columns. Categories are dictionaries."""
    import pyarrow as pa

    category = pa.dictionary(pa.int8(), pa.string())
    types = {
        **dict.fromkeys(COLUMNS, pa.int32()),
        **dict.fromkeys(("text", "locator", "links", "tex"), pa.large_string()),
        **dict.fromkeys(_CATEGORIES, category),
        "main": pa.bool_(),
        "main_probability": pa.float32(),
    }
    return pa.schema([(name, types[name]) for name in COLUMNS])


def to_arrow(table: ElementTable) -> pa.Table:
    """Return the table as an Arrow table with the columns of :func:`arrow_schema`."""
    import numpy as np
    import pyarrow as pa

    schema = arrow_schema()
    size = len(table)
    columns: dict[str, Any] = {
        "element_id": np.arange(size, dtype=np.int32),
        "parent_id": np.array(table.parent_id, dtype=np.int32),
        "subtree_end": np.array(table.subtree_end, dtype=np.int32),
        "type": pa.DictionaryArray.from_arrays(np.array(table.type, dtype=np.int8), pa.array(TYPE_NAMES)),
        "nesting_level": np.array(table.nesting_level, dtype=np.int32),
        "text": table.text,
        "main": np.array(table.main, dtype=bool),
    }
    known = np.fromiter(table.cells, dtype=np.int64, count=len(table.cells))
    values = np.array(list(table.cells.values()), dtype=np.int32).reshape(len(known), 4)
    mask = np.ones(size, dtype=bool)
    mask[known] = False
    for index, name in enumerate(CELL_COLUMNS):
        column = np.zeros(size, dtype=np.int32)
        column[known] = values[:, index]
        columns[name] = pa.array(column, mask=mask)
    for name in OPTIONAL_COLUMNS:
        field_type = schema.field(name).type
        mark = table.marks.get(name)
        if not mark:
            columns[name] = pa.nulls(size, field_type)
            continue
        array = pa.array([mark.get(i) for i in range(size)], getattr(field_type, "value_type", field_type))
        columns[name] = array.dictionary_encode().cast(field_type) if pa.types.is_dictionary(field_type) else array
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, schema.field(name).type)
        for name, column in ((name, columns[name]) for name in COLUMNS)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def arrow_to_pandas(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table as a DataFrame with str, category, nullable Int32 and plain numeric columns.

    Cell coordinates and pages are always nullable, so that the dtype of a column does not depend on its values.
    """
    import pandas as pd

    columns = {
        name: _to_pandas_array(name, column) for name, column in zip(table.column_names, table.columns, strict=True)
    }
    # One constructor call: inserting single columns took half of the time for a small document (2026-11-20).
    return pd.DataFrame(columns, copy=False)


def _to_pandas_array(name: str, column: pa.ChunkedArray) -> Any:
    """Return the values of a column as an array for pandas."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    if name in _NULLABLE:
        return _nullable_integers(column)
    kind = column.type
    if pa.types.is_dictionary(kind):
        chunk = column.chunk(0) if column.num_chunks == 1 else column.unify_dictionaries().combine_chunks()
        indices = chunk.indices.fill_null(-1) if chunk.null_count else chunk.indices
        dtype = _category(tuple(chunk.dictionary.to_pylist()))
        return pd.Categorical.from_codes(np.asarray(indices), dtype=dtype, validate=False)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        string_dtype: Any = pd.StringDtype(na_value=float("nan"))
        strings = string_dtype.__from_arrow__(column)
        return pd.Categorical(strings) if name in _CATEGORIES else strings
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return np.asarray(column)
    return column.to_pandas()


def _category(names: tuple[str, ...]) -> pd.CategoricalDtype:
    return (_cached_category if len(names) <= _MAX_CACHED_NAMES else _cached_category.__wrapped__)(names)


@lru_cache(maxsize=256)
def _cached_category(names: tuple[str, ...]) -> pd.CategoricalDtype:
    import pandas as pd

    return pd.CategoricalDtype(list(names))


def _nullable_integers(column: pa.ChunkedArray) -> pd.api.extensions.ExtensionArray:
    import numpy as np
    import pandas as pd
    import pyarrow.compute as pc

    size, nulls = len(column), column.null_count
    if nulls == size:
        return pd.arrays.IntegerArray(np.zeros(size, dtype=np.int32), np.ones(size, dtype=bool), copy=False)
    mask = np.asarray(pc.is_null(column)) if nulls else np.zeros(size, dtype=bool)
    values = np.asarray(column.fill_null(0) if nulls else column, dtype=np.int32)
    return pd.arrays.IntegerArray(values, mask, copy=False)


def to_frame(table: ElementTable) -> pd.DataFrame:
    """Return the table as a DataFrame, see :meth:`NLPTextDocument.to_frame`.

    Equal to :func:`arrow_to_pandas` of :func:`to_arrow`, but built directly: the detour took half of the time for a
    small file (2026-11-20).
    """
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    size = len(table)
    strings: Any = pd.StringDtype(na_value=float("nan"))

    def integers(values: list[int]) -> Any:
        return np.array(values, dtype=np.int32)

    def nullable(values: dict[int, int]) -> Any:
        column, mask = np.zeros(size, dtype=np.int32), np.ones(size, dtype=bool)
        if values:
            known = list(values)
            column[known], mask[known] = list(values.values()), False
        return pd.arrays.IntegerArray(column, mask, copy=False)

    def category(values: dict[int, str]) -> Any:
        codes = np.full(size, -1, dtype=np.int8)
        names: dict[str, int] = {}
        for i in sorted(values):
            codes[i] = names.setdefault(values[i], len(names))
        return pd.Categorical.from_codes(codes, dtype=_category(tuple(names)), validate=False)

    def texts(values: list[str | None] | dict[int, str]) -> Any:
        if isinstance(values, dict):
            values = [values.get(i) for i in range(size)] if values else [None] * size
        return strings.__from_arrow__(pa.array(values, pa.large_string()))

    marks = table.marks
    probability = np.full(size, np.nan, dtype=np.float32)
    for i, value in marks.get("main_probability", {}).items():
        probability[i] = np.nan if value is None else value
    kinds = pd.Categorical.from_codes(np.array(table.type, dtype=np.int8), dtype=_category(TYPE_NAMES), validate=False)
    columns = {
        "element_id": np.arange(size, dtype=np.int32),
        "parent_id": integers(table.parent_id),
        "subtree_end": integers(table.subtree_end),
        "type": kinds,
        "nesting_level": integers(table.nesting_level),
        "text": texts(table.text),
        **{name: nullable({i: c[k] for i, c in table.cells.items()}) for k, name in enumerate(CELL_COLUMNS)},
        "main": np.array(table.main, dtype=bool),
        "main_probability": probability,
        "role": category(_without_nulls(marks, "role")),
        "zone": category(_without_nulls(marks, "zone")),
        "page": nullable(_without_nulls(marks, "page")),
        **{name: texts(_without_nulls(marks, name)) for name in ("locator", "links", "tex")},
    }
    if marks.get(FORMATTING):
        columns[FORMATTING] = texts(_without_nulls(marks, FORMATTING))
    return pd.DataFrame(columns, copy=False)


def _without_nulls(marks: dict[str, dict[int, Any]], name: str) -> dict[int, Any]:
    """Return the marks of a column without None values."""
    values = marks.get(name, {})
    return {i: value for i, value in values.items() if value is not None} if None in values.values() else values


def from_arrow(arrow: pa.Table) -> ElementTable:
    """Return the element table of one document from its Arrow columns."""
    types = arrow.column("type").cast("string").to_pylist()
    table = ElementTable(
        type=[TYPE_CODES[name] for name in types],
        parent_id=arrow.column("parent_id").to_pylist(),
        subtree_end=arrow.column("subtree_end").to_pylist(),
        nesting_level=arrow.column("nesting_level").to_pylist(),
        text=arrow.column("text").to_pylist(),
        main=arrow.column("main").to_pylist(),
    )
    for element_id, cell in enumerate(zip(*(arrow.column(name).to_pylist() for name in CELL_COLUMNS), strict=True)):
        if cell[0] is not None:
            table.cells[element_id] = cell
    for name in OPTIONAL_COLUMNS:
        column = arrow.column(name)
        if column.null_count < len(column):
            values = column.cast("string") if name in {"role", "zone"} else column
            table.marks[name] = {i: value for i, value in enumerate(values.to_pylist()) if value is not None}
    return table
