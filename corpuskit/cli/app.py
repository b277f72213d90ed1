"""The program, to which each module of commands adds its own."""

from __future__ import annotations

from typing import Annotated

import typer

from corpuskit.cli.common import trusted
from corpuskit.cli.usage import Commands

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="From web sites, PDF and Word files and a few labels to a clean domain corpus.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from corpuskit._version import __version__

        typer.echo(f"corpuskit {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="The corpus is your own, on several disks or damaged: links in it are followed."),
    ] = False,
) -> None:
    """Take the options that stand before a command."""
    trusted.set(trust)
