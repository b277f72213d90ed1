"""``corpuskit export``: files for others."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from corpuskit.cli.common import command_line
from corpuskit.cli.corpus_folders import ExistingFolder, open_existing, read_lines
from corpuskit.cli.usage import WrongUsageError, usage_error_if


class Decision(StrEnum):
    """What a model calls a document."""

    RELEVANT = "relevant"
    UNKNOWN = "unknown"
    OTHER = "other"


def _export_help() -> str:
    from corpuskit.export.formats import formats

    # \b keeps the lines of a paragraph as they are.
    lines = [f"{name:12} {about.about} ({about.files})" for name, about in formats().items()]
    return (
        "Writes the corpus in formats of the field, with a dataset card: README.md, croissant.json, manifest.json, "
        "sources.csv and SHA256SUMS.\n\nThe folder appears when all is written. The same export again does nothing.\n\n"
        "Formats:\n\n\b\n" + "\n".join(lines)
    )


class ExportCommand(TyperCommand):
    """Reads the list of formats when help is asked for: its import would slow every command."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, the list of formats in it."""
        self.help = _export_help()
        super().format_help(ctx, formatter)


def export(
    folder: ExistingFolder,
    out: Annotated[Path, typer.Argument(help="A new folder, or that of an earlier export.", show_default=False)],
    format: Annotated[
        list[str] | None, typer.Option("--format", "-f", help="A format of the list above; repeatable.")
    ] = None,
    min_relevance: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only documents with at least this relevance, 0 to 1.")
    ] = None,
    decision: Annotated[
        list[Decision] | None,
        typer.Option(
            help="Only documents that the model calls so; repeatable. Before an audit none is relevant for certain."
        ),
    ] = None,
    keep_duplicates: Annotated[bool, typer.Option("--keep-duplicates", help="Copies of a text too.")] = False,
    only_licensed: Annotated[
        list[str] | None,
        typer.Option(help="Only documents whose licence matches, such as 'CC-BY*' or '*creativecommons*'; repeatable."),
    ] = None,
    all_text: Annotated[
        bool, typer.Option("--all-text", help="Texts with navigation and footers, not the main content only.")
    ] = False,
    no_elements: Annotated[bool, typer.Option("--no-elements", help="jsonl: without the tree of elements.")] = False,
    mask_personal_data: Annotated[
        bool, typer.Option("--mask-personal-data", help="E-mail addresses, phone numbers and the like masked.")
    ] = False,
    chunk_tokens: Annotated[int, typer.Option(help="chunks: at most so many words each.", min=8)] = 512,
    shuffle: Annotated[
        int, typer.Option(help="frenchtext: the seed of the order; -1 keeps that of the documents.")
    ] = 0,
    page_size_tokens: Annotated[
        bool,
        typer.Option("--page-size-tokens", help="pdf_trio: WIDTH and HEIGHT of the first page at the end of a line."),
    ] = False,
    kill: Annotated[
        Path | None, typer.Option("--kill", help="pdf_trio: a file with doc_ids and URLs to leave out, one a line.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="An earlier export there in other formats is replaced.")
    ] = False,
) -> None:
    """Writes the corpus in formats of the field, with a dataset card."""
    from corpuskit.errors import ConfigurationError
    from corpuskit.store.telling import counted

    formats = format or ["nlp.txt"]
    options = {
        "main": not all_text, "elements": not no_elements, "only_licensed": only_licensed,
        "mask_personal_data": mask_personal_data, "chunk_tokens": chunk_tokens,
        "shuffle": None if shuffle < 0 else shuffle, "page_size_tokens": page_size_tokens,
        "kill": read_lines(kill) if kill is not None else (),
    }  # fmt: skip
    _check(formats, options)
    corpus = open_existing(folder)
    before = _earlier_export(out, formats, replace)
    documents = corpus.documents()
    if decision:
        documents = documents[documents["decision"].isin(decision)]
        against = int((documents["label"].eq("other") & documents["decision"].eq("relevant")).sum())
        if against:
            typer.echo(
                f"{counted(against, 'document')} that the model calls relevant and a label other: a decision is the model's",
                err=True,
            )
    if not keep_duplicates:
        copies = int(documents["duplicate_of"].notna().sum())
        documents = documents[documents["duplicate_of"].isna()]
        if copies:
            what = "copy of another document is" if copies == 1 else "copies of other documents are"
            typer.echo(f"{copies:,} {what} left out: --keep-duplicates has them", err=True)
    if min_relevance is not None:
        unscored = int(documents["relevance"].isna().sum())
        if unscored:
            are = "document has no relevance and is" if unscored == 1 else "documents have no relevance and are"
            typer.echo(f"{unscored:,} {are} left out: {command_line('train', folder)} scores all", err=True)
        documents = documents[documents["relevance"] >= min_relevance]
    if (
        documents.empty
        and Decision.RELEVANT in (decision or ())
        and not corpus.documents()["decision"].eq("relevant").any()
    ):
        raise ConfigurationError(
            f"nothing to export: no document is called relevant for certain; {command_line('audit', folder)} asks for the labels "
            "that this takes, and --min-relevance does without"
        )
    report = corpus.export(out, docs=documents, format=formats, progress=sys.stderr.isatty(), **options)
    told = "" if report.is_unchanged or before is None else f", in place of an earlier export of {before:,} documents"
    typer.echo(repr(report) + told)
    if report.failed:
        raise typer.Exit(3)


def _check(formats: list[str], options: dict[str, Any]) -> None:
    """Refuse formats that there are not, and options that do nothing without one that is not named."""
    from corpuskit.export import ExportOptions, format_names
    from corpuskit.export.run import ALIASES

    for name in formats:
        there = ", ".join(format_names())
        usage_error_if(name not in {*format_names(), *ALIASES}, f"--format {name}: expected one of {there}")
    for option, name in ExportOptions(**options).unused(formats):
        raise WrongUsageError(f"--{option.replace('_', '-')} is for -f {name}: name that format, or leave it out")


def _earlier_export(out: Path, formats: list[str], replace: bool) -> int | None:
    """How many documents an export there has, which is to be replaced; None where there is none.

    Raises:
        ExportError: It has other formats, and nobody said that it may go.
    """
    import json

    from corpuskit.errors import ExportError

    try:
        manifest = json.loads((out / "manifest.json").read_bytes())
        found, documents = list(manifest["formats"]), int(manifest["counts"]["documents"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not replace and not set(found) <= set(formats):
        both = " ".join(f"-f {name}" for name in dict.fromkeys([*found, *formats]))
        raise ExportError(
            f"{out} holds an export of {', '.join(found)}: name another folder, or --replace it, or write both with {both}"
        )
    return documents
