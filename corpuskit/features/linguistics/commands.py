"""Command ``corpuskit kwic``."""

from __future__ import annotations

from typing import Annotated

import typer

from corpuskit.cli.app import app
from corpuskit.cli.corpus_folders import ExistingFolder, open_existing
from corpuskit.cli.printing import print_concordance
from corpuskit.cli.usage import config_errors_as_usage


@app.command()
def kwic(
    folder: ExistingFolder,
    query: Annotated[str, typer.Argument(help='Regular expressions for words, such as "access controls?", or CQL.')],
    window: Annotated[int, typer.Option(min=0, help="Words on each side.")] = 8,
    sort: Annotated[
        str | None, typer.Option(help="Words to sort by: 1R, 2L ... (first to the right, second to the left).")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Lines shown.")] = 40,
    syntax: Annotated[
        str | None, typer.Option(help="cql, simple, wildcards (insur*), or text: the running text.")
    ] = None,
    all_text: Annotated[bool, typer.Option("--all-text", help="Navigation, headers and footers too.")] = False,
    copies: Annotated[bool, typer.Option("--copies", help="Exact copies of documents too.")] = False,
) -> None:
    """Print key words in context (KWIC) of the main content."""
    from corpuskit.store.formatting import pluralize

    corpus = open_existing(folder)
    with config_errors_as_usage():
        text = corpus.text(main_only=not all_text, include_duplicates=copies)
        lines = text.concordance(query, window=window, sort=sort, syntax=syntax)
    frame = lines.frame
    print_concordance(frame.head(limit))
    if len(frame) > limit:
        typer.echo(f"... {pluralize(len(frame) - limit, 'more line')}; --limit shows them")
    if frame.empty:
        typer.echo(f"corpuskit: nothing matches {query!r}", err=True)
    if lines.note:
        typer.echo(lines.note, err=True)
