"""corpuskit textworks: artifacts of PDF files, with the command lines of TextWorks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from corpuskit.cli.app import app
from corpuskit.cli.common import trusted
from corpuskit.cli.usage import config_errors_as_usage, usage_error_if

_INIT: Final = "--init-corpus"
_DEHYPHENATE: Final = "dehyphenate"
_EXTENSION: Final = "textgrid.json"


class _AsTextWorks(TyperGroup):
    """Options without a command are those of ``run``, and ``--init-corpus DIR`` is ``init --corpus DIR``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first, _, value = args[0].partition("=") if args else ("", "", "")
        if first == _INIT:
            args = ["init", "--corpus", *([value] if value else []), *args[1:]]
        elif first.startswith("--") and first != "--help":
            args = ["run", *args]
        return super().parse_args(ctx, args)


textworks = typer.Typer(
    cls=_AsTextWorks,
    no_args_is_help=True,
    help="Writes TextWorks' segmentation.json and textgrid.json for PDF files. Its own command lines are taken too: "
    "--init-corpus DIR, --corpus DIR, --file X.pdf, --input-list FILE.",
)


@textworks.command("init")
def init(corpus: Annotated[Path, typer.Option("--corpus", help="A folder with PDF files.")] = Path()) -> None:
    """Makes a folder of PDF files an artifact corpus: each file moves into a directory of its own."""
    from corpuskit.compat.textworks import init_corpus

    number = len(init_corpus(corpus))
    typer.echo(f"{number:,} new {'entry' if number == 1 else 'entries'} in {corpus}")


@textworks.command("run")
def run(
    corpus: Annotated[Path | None, typer.Option("--corpus", help="A folder that init has made a corpus.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "--input", help="One PDF file instead.")] = None,
    input_list: Annotated[Path | None, typer.Option("--input-list", help="A file with a PDF file a line.")] = None,
    output: Annotated[Path | None, typer.Option("--output", help="Where the textgrid of --file goes.")] = None,
    output_ext: Annotated[
        str, typer.Option("--output-ext", help="--input-list: the output of x.pdf is x.pdf.EXT beside it.")
    ] = _EXTENSION,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Make what is there again.")] = False,
    filter: Annotated[str | None, typer.Option("--filter", help="Only entries whose whole name matches.")] = None,
    options: Annotated[
        list[str] | None, typer.Option("--options", help="dehyphenate: words parted at line ends stand whole.")
    ] = None,
    annotations: Annotated[
        bool, typer.Option("--annotations", help="--corpus: also annotations.json, the labels as zones.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="--corpus: also tracelogs/: fonts, and what told roles.")
    ] = False,
) -> None:
    """Writes the artifacts of a corpus, or the textgrid of one file or of those of a list."""
    from corpuskit.compat.textworks import Also, run_corpus, run_file

    one = sum(value is not None for value in (corpus, file, input_list))
    usage_error_if(one != 1, "name one of --corpus, --file and --input-list")
    usage_error_if(output is not None and file is None, "--output is for --file: leave it out")
    usage_error_if(output_ext != _EXTENSION and input_list is None, "--output-ext is for --input-list: leave it out")
    for option, is_named in (("filter", filter is not None), ("annotations", annotations), ("trace", trace)):
        usage_error_if(is_named and corpus is None, f"--{option} is for --corpus: leave it out")
    named = {word for option in options or [] for word in option.replace(",", " ").split()}
    unknown = named - {_DEHYPHENATE}
    usage_error_if(bool(unknown), f"--options {min(unknown, default='')}: there is only {_DEHYPHENATE}")
    whole_words = _DEHYPHENATE in named
    if file is not None:
        typer.echo(str(run_file(file, output, overwrite=overwrite, whole_words=whole_words)))
        return
    if input_list is not None:
        _run_list(input_list, output_ext, overwrite=overwrite, whole_words=whole_words)
        return
    assert corpus is not None
    also = Also(trace=trace, annotations=annotations, whole_words=whole_words)
    failed = count = 0
    with config_errors_as_usage():
        outcomes = run_corpus(corpus, overwrite=overwrite, filter=filter, also=also)
    for outcome in outcomes:
        count += 1
        failed += outcome.error is not None
        typer.echo(f"{outcome.state:8} {outcome.name}" + (f": {outcome.error}" if outcome.error else ""))
    if not count:
        why = "" if filter is None else f" whose whole name matches --filter {filter}"
        typer.echo(f"corpuskit: nothing to do: {corpus} has no entry{why}", err=True)
    if failed:
        raise typer.Exit(3)


def _run_list(input_list: Path, output_ext: str, *, overwrite: bool, whole_words: bool) -> None:
    from corpuskit.cli.corpus_folders import read_lines
    from corpuskit.compat.textworks import run_file
    from corpuskit.errors import CorpusKitError

    failed = 0
    for name in read_lines(input_list):
        try:
            target = f"{name}.{output_ext.lstrip('.')}"
            if not overwrite and Path(target).exists():
                typer.echo(f"skipped  {target}")
                continue
            made = run_file(name, target, overwrite=overwrite, whole_words=whole_words)
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
    from corpuskit.compat.textworks import drop_artifacts
    from corpuskit.safe_folder import SafeFolder

    inside = SafeFolder(corpus, follow=trusted.get())
    originals = inside.subfolder("originals")
    typer.echo(f"{drop_artifacts(originals if originals.exists() else inside):,} bytes removed")


app.add_typer(textworks, name="textworks")
