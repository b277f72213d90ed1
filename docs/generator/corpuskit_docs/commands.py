"""The command line as Markdown, from what ``--help`` shows."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any


def command_pages() -> Iterator[str]:
    """Yield the lines of a section for the program and for each of its commands."""
    from typer.main import get_command

    from corpuskit.cli.commands import app

    program = get_command(app)
    context = program.make_context("corpuskit", [], resilient_parsing=True)
    yield "## corpuskit"
    yield ""
    yield from _section(program, context)
    yield from _sections(program, context, "##")


def _sections(group: Any, context: Any, level: str) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        below = command.make_context(name, [], parent=context, resilient_parsing=True)
        yield f"{level} {below.command_path}"
        yield ""
        yield from _section(command, below)
        if hasattr(command, "list_commands"):
            yield from _sections(command, below, level + "#")


def _section(command: Any, context: Any) -> Iterator[str]:
    yield from ("```text", *command.get_usage(context).removeprefix("Usage: ").split("\n"), "```", "")
    for line in inspect.cleandoc(command.help or "").replace("\b", "").split("\n"):
        yield plain(line)
    yield ""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None:
            continue
        names, text = record
        yield f"`{names.strip()}`"
        yield f": {plain(' '.join(text.split())) or '(no more to say)'}"
        yield ""


def plain(text: str) -> str:
    """Return text with escaped Markdown characters."""
    return re.sub(r"([\\`*_{}\[\]<>#|$~^])", r"\\\1", text)
