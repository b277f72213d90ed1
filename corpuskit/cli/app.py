"""The Typer application, to which each module of commands adds its own."""

from __future__ import annotations

from typing import Annotated

import typer

from corpuskit.cli.common import trusted
from corpuskit.cli.usage import CommandGroup

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Build a clean domain corpus from web sites, PDF and Word files and a few labels.",
)


def _version(is_set: bool) -> None:
    if is_set:
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
        typer.Option(
            "--trust",
            help="Trust the corpus: follow links in it, for your own corpus on several disks or a damaged one.",
        ),
    ] = False,
) -> None:
    """Handle the options before a command."""
    trusted.set(trust)
