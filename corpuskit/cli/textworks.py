"""corpuskit textworks: artifacts of PDF files, with the command lines of TextWorks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Corpus = Annotated[Path | None, typer.Option("--corpus", help="A folder that init has made a corpus.")]
File = Annotated[Path | None, typer.Option("--file", "--input", help="One PDF file instead.")]
InputList = Annotated[Path | None, typer.Option("--input-list", help="A file with a PDF file a line.")]
Output = Annotated[Path | None, typer.Option("--output", help="Where the textgrid of --file goes.")]
OutputExt = Annotated[
    str, typer.Option("--output-ext", help="--input-list: the output of x.pdf is x.pdf.EXT beside it.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Make what is there again.")]
Filter = Annotated[str | None, typer.Option("--filter", help="Only entries whose whole name matches.")]
Trace = Annotated[bool, typer.Option("--trace", help="Also tracelogs/: fonts, and what told roles.")]

textworks = typer.Typer(
    invoke_without_command=True, help="Writes TextWorks' segmentation.json and textgrid.json for PDF files."
)


@textworks.callback()
def either(
    context: typer.Context,
    init_corpus: Annotated[Path | None, typer.Option("--init-corpus", help="As: init --corpus.")] = None,
    corpus: Corpus = None,
    file: File = None,
    input_list: InputList = None,
    output: Output = None,
    output_ext: OutputExt = "textgrid.json",
    overwrite: Overwrite = False,
    filter: Filter = None,
    trace: Trace = False,
) -> None:
    """Writes TextWorks' segmentation.json and textgrid.json for PDF files.

    Without a command it takes what TextWorks takes: --init-corpus DIR, --corpus DIR, --file X.pdf, --input-list FILE.
    """
    if context.invoked_subcommand is not None:
        return
    if init_corpus is not None:
        init(init_corpus)
    elif any(value is not None for value in (corpus, file, input_list)):
        run(corpus, file, input_list, output, output_ext, overwrite, filter, trace)
    else:
        typer.echo(context.get_help())
        raise typer.Exit(2)


@textworks.command("init")
def init(corpus: Annotated[Path, typer.Option("--corpus", help="A folder with PDF files.")] = Path()) -> None:
    """Makes a folder of PDF files an artifact corpus: each file moves into a directory of its own."""
    from corpuskit.extraction.pdf.textworks import init_corpus

    typer.echo(f"{len(init_corpus(corpus))} new entries in {corpus}")


@textworks.command("run")
def run(
    corpus: Corpus = None,
    file: File = None,
    input_list: InputList = None,
    output: Output = None,
    output_ext: OutputExt = "textgrid.json",
    overwrite: Overwrite = False,
    filter: Filter = None,
    trace: Trace = False,
) -> None:
    """Writes the artifacts of a corpus, or the textgrid of one file or of those of a list."""
    from corpuskit.errors import ConfigurationError
    from corpuskit.extraction.pdf.textworks import run_corpus, run_file

    if sum(value is not None for value in (corpus, file, input_list)) != 1:
        raise ConfigurationError("name one of --corpus, --file and --input-list")
    if file is not None:
        typer.echo(str(run_file(file, output, overwrite=overwrite)))
        return
    if input_list is not None:
        _run_list(input_list, output_ext, overwrite)
        return
    assert corpus is not None
    failed = 0
    for outcome in run_corpus(corpus, overwrite=overwrite, filter=filter, trace=trace):
        failed += outcome.error is not None
        typer.echo(f"{outcome.state:8} {outcome.name}" + (f": {outcome.error}" if outcome.error else ""))
    if failed:
        raise typer.Exit(3)


def _run_list(input_list: Path, output_ext: str, overwrite: bool) -> None:
    from corpuskit.cli.folders import lines_of
    from corpuskit.errors import CorpusKitError
    from corpuskit.extraction.pdf.textworks import run_file

    failed = 0
    for name in lines_of(input_list):
        try:
            made = run_file(name, f"{name}.{output_ext.lstrip('.')}", overwrite=overwrite)
            typer.echo(f"made     {made}")
        except CorpusKitError as error:
            failed += 1
            typer.echo(f"failed   {name}: {error}")
    if failed:
        raise typer.Exit(3)


@textworks.command("drop")
def drop(
    corpus: Annotated[Path, typer.Option("--corpus", help="A corpus folder, or one that init has made a corpus.")],
) -> None:
    """Removes the artifacts that corpuskit wrote, which run makes again; those of other programs stay."""
    from corpuskit.extraction.pdf.textworks import drop_artifacts
    from corpuskit.safe_folder import SafeFolder

    inside = SafeFolder(corpus)
    originals = inside.within("originals")
    typer.echo(f"{drop_artifacts(originals if originals.has() else inside):,} bytes removed")
