"""The commands that show a table of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from corpuskit.cli.folders import Existing, existing
from corpuskit.cli.printing import print_frame

if TYPE_CHECKING:
    import pandas as pd

# What a narrow window leaves out of each table, the first first.
SPARE: Final = {
    "Failures": ["when", "tries", "error", "stage"],
    "Requests": ["unique_share", "download_ms", "retries", "retry_after_s", "response_ms", "bytes", "depth", "parent",
                 "redirected_from", "clock", "error"],
    "Sources": ["labels", "harvest", "relevant", "why"],
}  # fmt: skip

Limit = Annotated[int, typer.Option(min=1, help="Rows shown.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write the whole table as CSV, and show nothing.")]


def failures(folder: Existing, limit: Limit = 40, out: Out = None) -> None:
    """Show what failed: address, stage, cause, when, and how often it was tried."""
    _show("Failures", existing(folder).failures(), limit, out, "nothing has failed")


def requests(folder: Existing, limit: Limit = 40, out: Out = None) -> None:
    """Show the requests of crawls, the newest first."""
    _show("Requests", existing(folder).requests().iloc[::-1], limit, out, "nothing was requested: no crawl has run")


def sources(folder: Existing, limit: Limit = 40, out: Out = None) -> None:
    """Show the hosts with their pages, labels, share of relevant pages and verdict."""
    _show("Sources", with_files_named(existing(folder).sources()), limit, out, "no document has a host yet")


def with_files_named(sources: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a name for the files, which have no host."""
    return sources.assign(host=sources["host"].replace("", "(files)"))


def _show(title: str, frame: pd.DataFrame, limit: int, out: Path | None, nothing: str) -> None:
    from corpuskit.store.formatting import pluralize

    if out is not None:
        frame.to_csv(out, index=False)
        typer.echo(f"{out}: {pluralize(len(frame), 'row')}")
        return
    if frame.empty:
        typer.echo(nothing)
        return
    print_frame(title, frame.head(limit), spare=SPARE[title])
    if len(frame) > limit:
        typer.echo(f"... {pluralize(len(frame) - limit, 'more row')}; --limit shows them, --out writes all")
