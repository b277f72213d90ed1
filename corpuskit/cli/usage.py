"""Wrong usage of the command line, reported in one line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from corpuskit.cli.printing import printable
from corpuskit.errors import ConfigurationError, CorpusKitError
from corpuskit.validation import expected_value

# Switches of Trafilatura that are named otherwise here; docs/coming-from/trafilatura.md has them all.
_CRAWLS: Final = "corpuskit crawl CORPUS URL"
_TRAFILATURAS: Final = {
    **{f"--{name}": f"--format {name}" for name in ("csv", "html", "json", "markdown", "xml")},
    "--xmltei": "--format tei",
    "--output-format": "--format",
    "--output-dir": "--out",
    "--input-file": "--input-list",
    "--input-dir": "the folder alone, as corpuskit extract FOLDER",
    "--inputdir": "the folder alone, as corpuskit extract FOLDER",
    "--URL": "the URL alone, as corpuskit extract https://...",
    "-u": "the URL alone, as corpuskit extract https://...",
    "--fast": 'main = "trafilatura" and [extraction.trafilatura] fast = true in corpus.toml',
    "--feed": f"{_CRAWLS} --max-depth 0, with the feed's URL",
    "--sitemap": f"{_CRAWLS} --max-depth 0, with the sitemap's URL",
    "--crawl": f"{_CRAWLS} --pages 30",
    "--explore": f"{_CRAWLS} --guess-sitemaps",
    "--list": f"{_CRAWLS} --list",
    "--backup-dir": "corpuskit add CORPUS FILES, which keeps all originals",
    "--config-file": "[extraction.trafilatura] of corpus.toml",
    "--validate-tei": "corpuskit check FILE",
}


class WrongUsageError(CorpusKitError):
    """What was typed cannot be meant; the exit code is 2."""


class Commands(TyperGroup):
    """Tells of a value that an option cannot have as everything else is told: in a line, with what was typed."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is typed.

        Raises:
            WrongUsageError: An option has a value that it cannot have.
        """
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            errors = getattr(error.__cause__, "errors", None)  # of Pydantic, with which Typer reads values
            if errors is None:
                raise
            found = errors(include_url=False)[0]
            name = max(error.param.opts, key=len) if error.param is not None else "options"
            raise WrongUsageError(f"{name} {printable(found['input'])}: expected {expected_value(found)}") from error


class ExtractCommand(TyperCommand):
    """Tells the counterpart where a switch of Trafilatura is typed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the line."""
        options = args[: args.index("--")] if "--" in args else args
        for switch in (option.partition("=")[0] for option in options):
            if switch in _TRAFILATURAS:
                raise WrongUsageError(f"{switch} is Trafilatura's; here it is {_TRAFILATURAS[switch]}")
        return super().parse_args(ctx, args)


@contextlib.contextmanager
def as_usage() -> Iterator[None]:
    """Tell what is wrong with options as wrong usage.

    Raises:
        WrongUsageError: For a ConfigurationError.
    """
    try:
        yield
    except ConfigurationError as error:
        raise WrongUsageError(str(error)) from error


def refuse(wrong: bool, message: str) -> None:
    """Refuse what was typed.

    Raises:
        WrongUsageError: Something is wrong.
    """
    if wrong:
        raise WrongUsageError(message)
