"""Wrong usage: options that say what cannot be, told in a line and in the words of the command line."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from typer.core import TyperCommand

from corpuskit.cli.folders import to_type
from corpuskit.errors import ConfigurationError, CorpusKitError

_IN_PYTHON: Final[dict[str, str | Callable[[re.Match[str]], str]]] = {
    r"\b(\w+)=None takes it back": lambda found: f"--forget {found[1].replace('_', '-')} takes it back",
    r"\bopens with trust=True": "opens with corpuskit --trust COMMAND ...",
    r"\bnew_class=True": "--new-class",
    r"\bcopies=True": "--copies",
    r"\b(syntax|favor|kind|label)=[\"'](\w+)[\"']": r"--\1 \2",
    r"\bstructured=False": "--no-schema",
    r"\bresume: (?=\d)": "--resume: ",
    r"\bsee (?:corpus)?\.?failures\(\)": lambda _: f"see {to_type('failures')}",
    r"\bare rows of failures\(\)": lambda _: f"are listed by {to_type('failures')}",
    r"(?<!\w)(?:corpus)?\.train\(\)": lambda _: to_type("train"),
    r"\btrain one first$": lambda _: f"{to_type('train')} trains one",
    r"\.label\(\) or \.next_below\(\) asks": lambda _: f"{to_type('audit')} asks",
    r" \(extract_pending\(\) extracts them\)": "",
    r"\bthe same call\b": "the same command",
}
# Switches of Trafilatura that are named otherwise here; docs/changing-over.md has them all.
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
        raise WrongUsageError(typed(str(error))) from error


def typed(message: str) -> str:
    """Return a message with the options of Python in it as they are typed."""
    for pattern, words in _IN_PYTHON.items():
        message = re.sub(pattern, words, message)
    return message


def refuse(wrong: bool, message: str) -> None:
    """Refuse what was typed.

    Raises:
        WrongUsageError: Something is wrong.
    """
    if wrong:
        raise WrongUsageError(message)
