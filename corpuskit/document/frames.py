"""The element table as Arrow and pandas, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from corpuskit.document.elements import OPTIONAL_COLUMNS, TYPE_CODES, TYPE_NAMES, ElementTable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

CELL_COLUMNS: Final = ("row", "row_span", "col", "col_span")
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


def arrow_schema() -> pa.Schema:
    """Names and types of the element columns; categories are dictionaries."""
    import pyarrow as pa

    category = pa.dictionary(pa.int8(), pa.string())
    types = {
        "element_id": pa.int32(),
        "parent_id": pa.int32(),
        "subtree_end": pa.int32(),
        "type": category,
        "nesting_level": pa.int32(),
        "text": pa.large_string(),
        **dict.fromkeys(CELL_COLUMNS, pa.int32()),
        "main": pa.bool_(),
        "main_probability": pa.float32(),
        "role": category,
        "zone": category,
        "page": pa.int32(),
        "locator": pa.large_string(),
        "links": pa.large_string(),
        "tex": pa.large_string(),
    }
    return pa.schema([(name, types[name]) for name in COLUMNS])


def to_arrow(table: ElementTable) -> pa.Table:
    """The table in the columns of :func:`arrow_schema`."""
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
    """An Arrow table as an ordinary DataFrame: str, category, nullable Int32 and Int64, plain numbers elsewhere.

    Integers are nullable where the column's type says ``Int32`` in :data:`corpuskit` frames, that is for the
    coordinates of cells and pages, so that a column's dtype never depends on its values.
    """
    import pandas as pd
    import pyarrow as pa

    nullable = {*CELL_COLUMNS, "page", "version"}
    arrow_strings = pd.StringDtype(na_value=float("nan"))

    def dtype_of(arrow_type: pa.DataType) -> Any:
        return arrow_strings if pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type) else None

    plain = [name for name in table.column_names if name not in nullable]
    frame = table.select(plain).to_pandas(types_mapper=dtype_of, self_destruct=False, split_blocks=True)
    for name in ("type", "role", "zone"):
        if name in frame and not isinstance(frame[name].dtype, pd.CategoricalDtype):
            frame[name] = frame[name].astype("category")
    for position, name in enumerate(table.column_names):
        if name in nullable:
            frame.insert(position, name, _nullable_integers(table.column(name)))
    result: pd.DataFrame = frame
    return result


def _nullable_integers(column: pa.ChunkedArray) -> pd.api.extensions.ExtensionArray:
    import numpy as np
    import pandas as pd
    import pyarrow.compute as pc

    mask = np.asarray(pc.is_null(column)) if column.null_count else np.zeros(len(column), dtype=bool)
    values = np.asarray(column.fill_null(0) if column.null_count else column, dtype=np.int32)
    return pd.arrays.IntegerArray(values, mask, copy=False)


def to_frame(table: ElementTable) -> pd.DataFrame:
    """The table as a DataFrame; see :meth:`NLPTextDocument.to_frame`."""
    return arrow_to_pandas(to_arrow(table))


def from_arrow(arrow: pa.Table) -> ElementTable:
    """The element table of one document from its Arrow columns."""
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
