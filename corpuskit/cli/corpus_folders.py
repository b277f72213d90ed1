"""Corpus folders as arguments of commands, and messages after Ctrl-C."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from corpuskit.cli.common import current_corpus, trusted
from corpuskit.cli.interrupt import ignore_ctrl_c
from corpuskit.cli.usage import WrongUsageError

if TYPE_CHECKING:
    from corpuskit.corpus import Corpus

Folder = Annotated[Path, typer.Argument(help="The corpus folder; created if it does not exist.", show_default=False)]
ExistingFolder = Annotated[Path, typer.Argument(help="The corpus folder.", show_default=False)]

Existing = ExistingFolder  # the earlier name

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)  # Path() removes one of the two slashes

_CONTENT_TABLES = ("documents", "failures", "frontier", "jobs", "labels")  # if all are empty, the command had no result


def open_existing(folder: Path) -> Corpus:
    """Open an existing corpus.

    Raises:
        CorpusError: The folder is not a corpus.
    """
    import corpuskit
    from corpuskit.errors import CorpusError

    current_corpus.set(folder)
    if not (folder / "catalog.sqlite").exists():
        raise CorpusError(f"{folder}: expected a corpus folder; create one with corpuskit add or crawl")
    return corpuskit.open(folder, trust=trusted.get())


existing = open_existing  # the earlier name


@contextlib.contextmanager
def open_or_create(folder: Path) -> Iterator[Corpus]:
    """Open a corpus and create it if it does not exist. A new corpus without content is removed afterwards."""
    import corpuskit

    if _URL.match(str(folder)) and not folder.exists():
        raise WrongUsageError(f"{folder}: expected a corpus folder, got a URL; the folder is the first argument")
    current_corpus.set(folder)
    existed = folder.exists()
    is_new = not existed or (folder.is_dir() and not any(folder.iterdir()))
    parents = [parent for parent in folder.absolute().parents if not parent.exists()]
    corpus = corpuskit.open(folder, trust=trusted.get())
    try:
        yield corpus
    finally:
        if is_new and not any(
            corpus._folder.catalog.value(f"SELECT 1 FROM {table} LIMIT 1") for table in _CONTENT_TABLES
        ):
            corpus.close()
            shutil.rmtree(folder)
            if existed:
                folder.mkdir()
            for parent in parents:
                parent.rmdir()


@contextlib.contextmanager
def report_ctrl_c(stored: str) -> Iterator[None]:
    """Report what is stored when Ctrl-C ends a command that can be continued.

    Args:
        stored: What is stored, if the interrupted operation does not report it.
    """
    try:
        yield
    except KeyboardInterrupt as stopped:
        ignore_ctrl_c()
        typer.echo(f"corpuskit: stopped; {str(stopped) or f'{stored}; repeat the command to continue'}", err=True)
        raise typer.Exit(130) from None


def read_lines(file: Path) -> list[str]:
    """Return the lines of a list without duplicates, empty lines and comments that start with ``#``.

    Raises:
        SourceError: The file cannot be read.
    """
    from corpuskit.errors import SourceError

    try:
        lines = file.read_text("utf-8-sig", "replace").splitlines()
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror or error}") from error
    return list(dict.fromkeys(line.strip() for line in lines if line.strip() and not line.startswith("#")))
