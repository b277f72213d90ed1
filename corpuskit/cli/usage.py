"""Errors of wrong usage, reported in one line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from corpuskit.cli.printing import printable
from corpuskit.errors import ConfigurationError, CorpusKitError
from corpuskit.validation import expected_value

# Options of Trafilatura that have other names here; docs/changing-over.md lists all of them.
_CRAWLS: Final = "corpuskit crawl CORPUS URL"
_TRAFILATURA_OPTIONS: Final = {
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
    "--backup-dir": "corpuskit add CORPUS FILES, which stores all originals",
    "--config-file": "[extraction.trafilatura] of corpus.toml",
    "--validate-tei": "corpuskit check FILE",
}


class WrongUsageError(CorpusKitError):
    """Wrong usage of a command. The exit code is 2."""


class CommandGroup(TyperGroup):
    """Group of commands that reports an invalid value of an option in one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command.

        Raises:
            WrongUsageError: An option has an invalid value.
        """
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            errors = getattr(error.__cause__, "errors", None)  # of Pydantic, which Typer uses to parse values
            if errors is None:
                raise
            first_error = errors(include_url=False)[0]
            name = max(error.param.opts, key=len) if error.param is not None else "options"
            raise WrongUsageError(
                f"{name} {printable(first_error['input'])}: expected {expected_value(first_error)}"
            ) from error


class ExtractCommand(TyperCommand):
    """Command that suggests the equivalent of an option of Trafilatura."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        options = args[: args.index("--")] if "--" in args else args
        for switch in (option.partition("=")[0] for option in options):
            if switch in _TRAFILATURA_OPTIONS:
                raise WrongUsageError(f"{switch} is an option of Trafilatura; use {_TRAFILATURA_OPTIONS[switch]}")
        return super().parse_args(ctx, args)


@contextlib.contextmanager
def config_errors_as_usage() -> Iterator[None]:
    """Convert errors in options into wrong usage.

    Raises:
        WrongUsageError: For a ConfigurationError.
    """
    try:
        yield
    except ConfigurationError as error:
        raise WrongUsageError(str(error)) from error


def usage_error_if(is_wrong: bool, message: str) -> None:
    """Raise an error of wrong usage if a condition is true.

    Raises:
        WrongUsageError: ``is_wrong`` is true.
    """
    if is_wrong:
        raise WrongUsageError(message)
