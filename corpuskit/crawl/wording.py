"""What a crawl tells, in the words of where a person is: Python or the command line."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Ways:
    """How a person goes on.

    Attributes:
        resume, retry, show: go on; ask again for what failed; list it.
        resuming: the name of what resumes a crawl.
        name: the name of an option as it is written there.
        option: an option with a value as it is written there.
    """

    resume: str
    retry: str
    show: str
    resuming: str
    name: Callable[[str], str]
    option: Callable[[str, Any], str]

    def resume_with(self, *names: str) -> str:
        """Return how to go on with options that must be named again."""
        more = [self.option(name, True) for name in names]
        if self.resume.endswith(")"):
            return f"{', '.join([self.resume[:-1], *more])})"
        return " ".join([self.resume, *more])


IN_PYTHON: Final = Ways(
    "crawl(resume=True)",
    "crawl(resume=True, retry_failed=True)",
    "corpus.failures()",
    "resume",
    lambda name: name,
    lambda name, value: f"{name}={value!r}",
)
_TYPED: Final = {"languages": "language", "headers": "header", "cookies": "header"}


def command(name: str, folder: str, *, trust: bool = False) -> str:
    """Return a command on a corpus folder as it is typed.

    Args:
        name: The command.
        folder: The corpus folder.
        trust: It was opened with ``--trust``.
    """
    return " ".join(["corpuskit", *(["--trust"] if trust else []), name, quoted(folder)])


def quoted(text: str) -> str:
    """Return a path or name as it is typed: in quotes where a shell asks for them."""
    return text if text and not set(text) & set(" \t'\"$&;|*?()<>\\") else f'"{text}"'


def on_command_line(folder: str, *, trust: bool = False) -> Ways:
    """Return the words for ``corpuskit`` and a corpus folder; with ``trust``, one opened with ``--trust``."""
    resume = f"{command('crawl', folder, trust=trust)} --resume"
    show = command("failures", folder, trust=trust)
    return Ways(resume, f"{resume} --retry-failed", show, "--resume", option_name, _typed)


def option_name(name: str) -> str:
    """Return how an option of a crawl is typed."""
    return "--" + _TYPED.get(name, name).replace("_", "-")


def _typed(name: str, value: Any) -> str:
    typed = option_name(name)
    if value == "guess":
        return "--guess-sitemaps"
    if isinstance(value, bool):
        return typed if value else typed.replace("--", "--no-", 1)
    if value is None or value in ((), ""):
        return f"no {typed}"
    if isinstance(value, float):
        return f"{typed} {value:g}"
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(f"{typed} {shlex.quote(str(item))}" for item in values)
