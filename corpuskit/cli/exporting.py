"""Command ``export``."""

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
    """Decision of a model on a document."""

    RELEVANT = "relevant"
    UNKNOWN = "unknown"
    OTHER = "other"


def _export_help() -> str:
    from corpuskit.export.formats import formats

    # \b disables rewrapping of the paragraph.
    lines = [f"{name:12} {info.about} ({info.files})" for name, info in formats().items()]
    return (
        "Export the corpus in standard formats, with a dataset card: README.md, croissant.json, manifest.json, "
        "sources.csv and SHA256SUMS.\n\nThe folder appears when all files are complete. Repeating an export without changes has no effect.\n\n"
        "Formats:\n\n\b\n" + "\n".join(lines)
    )


class ExportCommand(TyperCommand):
    """Command that loads the list of formats only for the help, since the import is slow."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help with the list of formats."""
        self.help = _export_help()
        super().format_help(ctx, formatter)


def export(
    folder: ExistingFolder,
    out: Annotated[Path, typer.Argument(help="A new folder, or the folder of an earlier export.", show_default=False)],
    format: Annotated[
        list[str] | None, typer.Option("--format", "-f", help="A format of the list above; repeatable.")
    ] = None,
    min_relevance: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only documents with at least this relevance, 0 to 1.")
    ] = None,
    decision: Annotated[
        list[Decision] | None,
        typer.Option(help="Only documents with this decision of the model; repeatable. relevant needs an audit."),
    ] = None,
    keep_duplicates: Annotated[
        bool, typer.Option("--keep-duplicates", help="Include documents with equal texts.")
    ] = False,
    only_licensed: Annotated[
        list[str] | None,
        typer.Option(
            help="Only documents with a matching licence, such as 'CC-BY*' or '*creativecommons*'; repeatable."
        ),
    ] = None,
    all_text: Annotated[
        bool, typer.Option("--all-text", help="Complete texts with navigation and footers instead of the main content.")
    ] = False,
    no_elements: Annotated[bool, typer.Option("--no-elements", help="jsonl: omit the tree of elements.")] = False,
    mask_personal_data: Annotated[
        bool, typer.Option("--mask-personal-data", help="Mask e-mail addresses, phone numbers and other personal data.")
    ] = False,
    chunk_tokens: Annotated[int, typer.Option(help="chunks: maximum number of words each.", min=8)] = 512,
    shuffle: Annotated[
        int, typer.Option(help="frenchtext: random seed of the order; -1 keeps the order of the documents.")
    ] = 0,
    page_size_tokens: Annotated[
        bool,
        typer.Option("--page-size-tokens", help="pdf_trio: WIDTH and HEIGHT of the first page at the end of a line."),
    ] = False,
    kill: Annotated[
        Path | None, typer.Option("--kill", help="pdf_trio: a file with doc_ids and URLs to leave out, one a line.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an earlier export in other formats.")] = False,
) -> None:
    """Export the corpus in standard formats, with a dataset card."""
    from corpuskit.errors import ConfigurationError
    from corpuskit.store.formatting import pluralize

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
                f"{pluralize(against, 'document')} called relevant by the model and labelled other: --decision uses the decisions of the model",
                err=True,
            )
    if not keep_duplicates:
        copies = int(documents["duplicate_of"].notna().sum())
        documents = documents[documents["duplicate_of"].isna()]
        if copies:
            what = "copy of another document is" if copies == 1 else "copies of other documents are"
            typer.echo(f"{copies:,} {what} left out: --keep-duplicates includes them", err=True)
    if min_relevance is not None:
        unscored = int(documents["relevance"].isna().sum())
        if unscored:
            are = "document has no relevance and is" if unscored == 1 else "documents have no relevance and are"
            typer.echo(f"{unscored:,} {are} left out: {command_line('train', folder)} scores all documents", err=True)
        documents = documents[documents["relevance"] >= min_relevance]
    if (
        documents.empty
        and Decision.RELEVANT in (decision or ())
        and not corpus.documents()["decision"].eq("relevant").any()
    ):
        raise ConfigurationError(
            f"nothing to export: without an audit the model calls no document relevant; run {command_line('audit', folder)}, or "
            "use --min-relevance"
        )
    report = corpus.export(out, docs=documents, format=formats, progress=sys.stderr.isatty(), **options)
    replaced = (
        "" if report.is_unchanged or before is None else f", in place of an earlier export of {before:,} documents"
    )
    typer.echo(repr(report) + replaced)
    if report.failed:
        raise typer.Exit(3)


def _check(formats: list[str], options: dict[str, Any]) -> None:
    """Check the formats, and that each option applies to one of them."""
    from corpuskit.export import ExportOptions, format_names
    from corpuskit.export.exporter import ALIASES

    for name in formats:
        known_names = ", ".join(format_names())
        usage_error_if(name not in {*format_names(), *ALIASES}, f"--format {name}: expected one of {known_names}")
    for option, name in ExportOptions(**options).unused(formats):
        raise WrongUsageError(f"--{option.replace('_', '-')} is for -f {name}: pass that format, or omit the option")


def _earlier_export(out: Path, formats: list[str], replace: bool) -> int | None:
    """Return the number of documents of an earlier export to replace, or None.

    Raises:
        ExportError: It has other formats and --replace is not set.
    """
    import json

    from corpuskit.errors import ExportError

    try:
        manifest = json.loads((out / "manifest.json").read_bytes())
        stored, documents = list(manifest["formats"]), int(manifest["counts"]["documents"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not replace and not set(stored) <= set(formats):
        both = " ".join(f"-f {name}" for name in dict.fromkeys([*stored, *formats]))
        raise ExportError(
            f"{out} contains an export of {', '.join(stored)}: pass another folder, --replace, or all formats with {both}"
        )
    return documents
