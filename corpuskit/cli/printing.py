"""Tables and lines on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    import pandas as pd

_SHORT_CELL: Final = 30  # characters; a column up to this width is never cut or broken
_SMALLEST: Final = 8  # characters of a longer one, however narrow the window is
_PIPE: Final = 120  # characters a line where no window and no COLUMNS says how many
_BETWEEN: Final = 3  # characters between two columns
_FILE: Final = 4  # of a line of a concordance, the part for the name of the file: a fourth


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[list[str]], *, whole: bool = False, spare: Sequence[str] = ()
) -> None:
    """Print a table.

    Args:
        title: stands above it.
        columns: their names.
        rows: cells, a list a row.
        whole: long cells go on in the next line, so that nothing of an address or a reason is missing; else they are cut.
        spare: columns that are left out where the window is too narrow, the first of them first.
    """
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    console = _console()
    widest = {
        column: max([cell_len(column), *(cell_len(row[at]) for row in rows)]) for at, column in enumerate(columns)
    }
    shown = _that_fit(widest, spare, console.width)
    table = Table(title=title, title_justify="left", show_edge=False)
    for column in shown:
        is_short = widest[column] <= _SHORT_CELL
        table.add_column(
            column,
            overflow="fold" if whole else "ellipsis",
            no_wrap=is_short or not whole,
            min_width=widest[column] if is_short else _SMALLEST,
        )
    for row in rows:
        # Text, not markup: what was crawled must not colour the terminal.
        table.add_row(*(Text(printable(row[columns.index(column)])) for column in shown))
    console.print(table)
    if missing := [column for column in columns if column not in shown]:
        console.print(f"left out, for a wider window: {', '.join(missing)}", highlight=False)
    console.print()


def print_frame(title: str, frame: pd.DataFrame, *, spare: Sequence[str] = ()) -> None:
    """Print a DataFrame, each cell as a whole. Columns without a value are left out; a figure that is not known is a dash."""
    from pandas.api.types import is_numeric_dtype

    if len(frame):
        used = frame.dropna(axis="columns", how="all")
        missing = ["–" if is_numeric_dtype(kind) else "" for kind in used.dtypes]
        rows = [
            [_cell(value) or none for value, none in zip(row, missing, strict=True)]
            for row in used.astype(object).itertuples(index=False)
        ]
        print_table(title, list(used.columns), rows, whole=True, spare=spare)


def print_lines_of_a_concordance(frame: pd.DataFrame) -> None:
    """Print lines of a concordance, the matches below each other, with the name of the file or page."""
    from rich.cells import cell_len

    width = _console().width
    matches = [middle_cut(printable(match), width // 2) for match in frame["match"]]
    files = [middle_cut(printable(uri.rstrip("/").rpartition("/")[2]), width // _FILE) for uri in frame["uri"]]
    taken = max(map(cell_len, matches), default=0), max(map(cell_len, files), default=0)
    side = (width - sum(taken) - 6) // 2  # two blanks thrice
    for left, match, right, file in zip(frame["left"], matches, frame["right"], files, strict=True):
        before, after = _end(printable(left), side), _start(printable(right), side)
        blanks_before, blanks_after = side - cell_len(before), side - cell_len(after) + taken[0] - cell_len(match)
        typer.echo(f"{' ' * blanks_before}{before}  {match}  {after}{' ' * blanks_after}  {file}")


def middle_cut(text: str, width: int) -> str:
    """Return a name in at most so many columns of the terminal, with … for what is missing in the middle."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    end = _end(text, (width - 1) // 2)
    return f"{_start(text, width - 1 - cell_len(end))}…{end}"


def tell(text: str) -> None:
    """Print lines."""
    if text:
        typer.echo("\n".join(map(printable, text.splitlines())))


def printable(text: object) -> str:
    """Return the text without control characters: crawled titles must not steer the terminal."""
    return "".join(c if c.isprintable() else " " for c in str(text))


def _console() -> Any:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit() else _PIPE)


def _that_fit(widest: dict[str, int], spare: Sequence[str], width: int) -> list[str]:
    """Return the columns for which there is room, the longer ones being broken."""
    shown = list(widest)
    for column in (column for column in spare if column in widest):
        if sum(min(widest[one], _SHORT_CELL) + _BETWEEN for one in shown) - 1 <= width:
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
    """Return as much of the beginning as so many columns hold."""
    from rich.cells import cell_len

    while cell_len(text) > width:
        text = text[:width] if len(text) > width else text[:-1]
    return text


def _end(text: str, width: int) -> str:
    return _start(text[::-1], width)[::-1]
