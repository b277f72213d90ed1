"""Tables and lines on the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    import pandas as pd

_SHORT_CELL: Final = 14  # characters; a column up to this width is never cut
_LONG_CELL: Final = 80  # characters; a longer one takes no more room from the others


def print_table(title: str, columns: list[str], rows: list[list[str]], *, whole: bool = False) -> None:
    """Print a table.

    Args:
        title: stands above it.
        columns: their names.
        rows: cells, a list a row.
        whole: long cells go on in the next line, so that nothing of an address or a reason is missing; else they are cut.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", show_edge=False, expand=True)
    for position, column in enumerate(columns):
        widest = max([len(column), *(len(row[position]) for row in rows)])
        is_short = widest <= _SHORT_CELL  # long titles and addresses share what short figures leave
        table.add_column(
            column,
            overflow="fold" if whole else "ellipsis",
            no_wrap=is_short or not whole,
            width=widest if is_short else None,
            ratio=None if is_short else min(widest, _LONG_CELL) if whole else 1,
        )
    for row in rows:
        # Text, not markup: what was crawled must not colour the terminal.
        table.add_row(*(Text(printable(cell)) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    console.print()


def print_frame(title: str, frame: pd.DataFrame) -> None:
    """Print a DataFrame, each cell as a whole; nothing where it has no rows. A figure that is not known is a dash."""
    from pandas import isna
    from pandas.api.types import is_numeric_dtype

    if len(frame):
        missing = ["–" if is_numeric_dtype(kind) else "" for kind in frame.dtypes]
        rows = [
            [
                none if isna(value) else f"{value:.2f}" if isinstance(value, float) else str(value)
                for value, none in zip(row, missing, strict=True)
            ]
            for row in frame.astype(object).itertuples(index=False)
        ]
        print_table(title, list(frame.columns), rows, whole=True)


def tell(text: str) -> None:
    """Print lines."""
    if text:
        typer.echo("\n".join(map(printable, text.splitlines())))


def printable(text: object) -> str:
    """Return the text without control characters: crawled titles must not steer the terminal."""
    return "".join(c if c.isprintable() else " " for c in str(text))
