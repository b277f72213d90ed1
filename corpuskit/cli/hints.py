"""What to type next: hints of the library, which speaks of Python, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Final

# Whether --trust was typed before the command: links in the corpus are followed.
trusted: ContextVar[bool] = ContextVar("trusted", default=False)

# The corpus that the command is about, for hints of what to type next.
named: ContextVar[Path | None] = ContextVar("named", default=None)


def to_type(name: str, folder: Path | None = None) -> str:
    """Return a command on a corpus as it is typed: on a folder, else on that of the command that runs."""
    from corpuskit.crawl.wording import command

    found = folder or named.get()
    return command(name, "FOLDER" if found is None else str(found), trust=trusted.get())


_IN_PYTHON: Final[dict[str, str | Callable[[re.Match[str]], str]]] = {
    r"\b(\w+)=None takes it back": lambda found: f"--forget {found[1].replace('_', '-')} takes it back",
    r"\bwith trust=True": "with corpuskit --trust COMMAND ...",
    r"\bnew_class=True": "--new-class",
    r"(?<=; )positive is one of": "--positive is one of",
    r"\binclude_duplicates=True": "--copies",
    r"\b(syntax|favor|kind|label)=[\"'](\w+)[\"']": r"--\1 \2",
    r"^(sort|syntax) (?=')": r"--\1 ",
    r"^window=(?=\d)": "--window ",
    r"\bstructured=False": "--no-schema",
    r"\bresume: (?=\d)": "--resume: ",
    r"\bsee (?:corpus)?\.?failures\(\)": lambda _: f"see {to_type('failures')}",
    r"\bare rows of failures\(\)": lambda _: f"are listed by {to_type('failures')}",
    r"(?<!\w)(?:corpus)?\.train\(\)": lambda _: to_type("train"),
    r"\btrain one first$": lambda _: f"{to_type('train')} trains one",
    r"\.label\(\) or \.next_below\(\) asks": lambda _: f"{to_type('audit')} asks",
    r" \(extract_pending\(\) extracts them\)": "",
    r"corpus\[doc_id\] is the whole document": lambda _: f"{to_type('export')} writes whole documents",
    r"\bthe same call\b": "the same command",
}


def typed(message: str) -> str:
    """Return a message with the options of Python in it as they are typed."""
    for pattern, words in _IN_PYTHON.items():
        message = re.sub(pattern, words, message)
    return message
