"""Corpus folders as commands open them."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from corpuskit.cli.common import named, trusted
from corpuskit.cli.interrupt import ignore_ctrl_c
from corpuskit.cli.usage import WrongUsageError

if TYPE_CHECKING:
    from corpuskit.corpus import Corpus

Folder = Annotated[Path, typer.Argument(help="The corpus folder; made if absent.", show_default=False)]
Existing = Annotated[Path, typer.Argument(help="The corpus folder.", show_default=False)]

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)  # a path has one slash of the two

_HOLDING = ("documents", "failures", "frontier", "jobs", "labels")  # tables that say that something came of a command


def existing(folder: Path) -> Corpus:
    """Open a corpus that is there.

    Raises:
        CorpusError: The folder is no corpus.
    """
    import corpuskit
    from corpuskit.errors import CorpusError

    named.set(folder)
    if not (folder / "catalog.sqlite").exists():
        raise CorpusError(f"{folder} is no corpus; corpuskit add or crawl makes one")
    return corpuskit.open(folder, trust=trusted.get())


@contextlib.contextmanager
def made_if_absent(folder: Path) -> Iterator[Corpus]:
    """Open a corpus, made if absent; one that was made for a command of which nothing came is removed again."""
    import corpuskit

    if _URL.match(str(folder)) and not folder.exists():
        raise WrongUsageError(f"{folder} is a URL: the corpus folder comes first, and then what goes into it")
    named.set(folder)
    was_there = folder.exists()
    is_new = not was_there or (folder.is_dir() and not any(folder.iterdir()))
    parents = [parent for parent in folder.absolute().parents if not parent.exists()]
    corpus = corpuskit.open(folder, trust=trusted.get())
    try:
        yield corpus
    finally:
        if is_new and not any(corpus._folder.catalog.value(f"SELECT 1 FROM {table} LIMIT 1") for table in _HOLDING):
            corpus.close()
            shutil.rmtree(folder)
            if was_there:
                folder.mkdir()
            for parent in parents:
                parent.rmdir()


@contextlib.contextmanager
def stopped_by_ctrl_c(kept: str) -> Iterator[None]:
    """Say what is kept where Ctrl-C ends a command that goes on when it is typed again.

    Args:
        kept: What is kept, where what was stopped does not say how far it came.
    """
    try:
        yield
    except KeyboardInterrupt as stopped:
        ignore_ctrl_c()
        typer.echo(f"corpuskit: stopped; {str(stopped) or f'{kept}, the same command goes on'}", err=True)
        raise typer.Exit(130) from None


def lines_of(file: Path) -> list[str]:
    """Return the lines of a list, none twice, without empty ones and comments after ``#``.

    Raises:
        SourceError: It cannot be read.
    """
    from corpuskit.errors import SourceError

    try:
        lines = file.read_text("utf-8-sig", "replace").splitlines()
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror or error}") from error
    return list(dict.fromkeys(line.strip() for line in lines if line.strip() and not line.startswith("#")))
