"""Output of tables and lines on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    import pandas as pd

_SHORT_CELL: Final = 30  # characters; a column up to this width is never truncated or wrapped
_MIN_WIDTH: Final = 8  # characters of a wider column, in a narrow window
_DEFAULT_WIDTH: Final = 120  # characters per line without a terminal and without COLUMNS
_GAP: Final = 3  # characters between two columns
_FILE_FRACTION: Final = 4  # a fourth of a concordance line is for the file name


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[list[str]], *, wrap: bool = False, spare: Sequence[str] = ()
) -> None:
    """Print a table.

    Args:
        title: Title above the table.
        columns: Column names.
        rows: Cells, one list per row.
        wrap: Wrap long cells, so that addresses and messages are complete; otherwise truncate them.
        spare: Columns to hide if the window is too narrow, in this order.
    """
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    console = _console()
    widest = {
        column: max([cell_len(column), *(cell_len(row[at]) for row in rows)]) for at, column in enumerate(columns)
    }
    shown = _fitting_columns(widest, spare, console.width)
    table = Table(title=title, title_justify="left", show_edge=False)
    for column in shown:
        is_short = widest[column] <= _SHORT_CELL
        table.add_column(
            column,
            overflow="fold" if wrap else "ellipsis",
            no_wrap=is_short or not wrap,
            min_width=widest[column] if is_short else _MIN_WIDTH,
        )
    for row in rows:
        # Text, not markup: crawled text must not style the terminal.
        table.add_row(*(Text(printable(row[columns.index(column)])) for column in shown))
    console.print(table)
    if missing := [column for column in columns if column not in shown]:
        console.print(f"hidden, since the window is too narrow: {', '.join(missing)}", highlight=False)
    console.print()


def print_frame(title: str, frame: pd.DataFrame, *, spare: Sequence[str] = ()) -> None:
    """Print a DataFrame with complete cells. Columns without values are hidden; a missing number is shown as a dash."""
    from pandas.api.types import is_numeric_dtype

    if len(frame):
        used = frame.dropna(axis="columns", how="all")
        missing = ["–" if is_numeric_dtype(kind) else "" for kind in used.dtypes]
        rows = [
            [_cell(value) or placeholder for value, placeholder in zip(row, missing, strict=True)]
            for row in used.astype(object).itertuples(index=False)
        ]
        print_table(title, list(used.columns), rows, wrap=True, spare=spare)


def print_concordance(frame: pd.DataFrame) -> None:
    """Print concordance lines with aligned matches and the name of the file or page."""
    from rich.cells import cell_len

    width = _console().width
    matches = [middle_cut(printable(match), width // 2) for match in frame["match"]]
    files = [middle_cut(printable(uri.rstrip("/").rpartition("/")[2]), width // _FILE_FRACTION) for uri in frame["uri"]]
    widths = max(map(cell_len, matches), default=0), max(map(cell_len, files), default=0)
    side = (width - sum(widths) - 6) // 2  # three gaps of two spaces
    for left, match, right, file in zip(frame["left"], matches, frame["right"], files, strict=True):
        before, after = _end(printable(left), side), _start(printable(right), side)
        blanks_before, blanks_after = side - cell_len(before), side - cell_len(after) + widths[0] - cell_len(match)
        typer.echo(f"{' ' * blanks_before}{before}  {match}  {after}{' ' * blanks_after}  {file}")


def middle_cut(text: str, width: int) -> str:
    """Return a text with at most ``width`` terminal columns, with … in place of its middle."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    end = _end(text, (width - 1) // 2)
    return f"{_start(text, width - 1 - cell_len(end))}…{end}"


def print_lines(text: str) -> None:
    """Print text without control characters."""
    if text:
        typer.echo("\n".join(map(printable, text.splitlines())))


def printable(text: object) -> str:
    """Return text without control characters, so that crawled titles cannot control the terminal."""
    return "".join(c if c.isprintable() else " " for c in str(text))


def _console() -> Any:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit() else _DEFAULT_WIDTH)


def _fitting_columns(widest: dict[str, int], spare: Sequence[str], width: int) -> list[str]:
    """Return the columns that fit into the window; wide columns are wrapped."""
    shown = list(widest)
    for column in (column for column in spare if column in widest):
        if sum(min(widest[name], _SHORT_CELL) + _GAP for name in shown) - 1 <= width:
            break
        shown.remove(column)
    return shown


def _cell(value: Any) -> str:
    import pandas as pd

    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _start(text: str, width: int) -> str:
    """Return the beginning of a text that fits into ``width`` terminal columns."""
    from rich.cells import cell_len

    while cell_len(text) > width:
        text = text[:width] if len(text) > width else text[:-1]
    return text


def _end(text: str, width: int) -> str:
    return _start(text[::-1], width)[::-1]
