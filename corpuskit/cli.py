"""The command line: thin, calls Corpus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    import pandas as pd

_SHORT_CELL = 14  # characters; a column up to this width is never cut

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="From web sites, PDF and Word files and a few labels to a clean domain corpus.",
)

Folder = Annotated[Path, typer.Argument(help="The corpus folder; made if absent.", show_default=False)]
Files = Annotated[list[str], typer.Argument(help="Files, folders or patterns.", show_default=False)]


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where the demo's corpus goes.")] = Path("demo-corpus"),
) -> None:
    """Shows the whole way on a small web of the project's own, without network, in under a minute."""
    from corpuskit.demo import run_demo

    result = run_demo(folder, tell=lambda line: typer.echo(f"· {line}"))
    typer.echo(f"\n{result.corpus!r}\n")
    _print(
        "Harvest rate (relevant among the pages fetched)",
        ["crawl", "harvest rate"],
        [
            ["breadth-first", f"{result.harvest_before:.0%}"],
            ["steered by the model", f"{result.harvest_after:.0%}"],
        ],
    )
    for title, frame in (("Most relevant documents", result.top), ("Least relevant documents", result.bottom)):
        rows = [[f"{row.relevance:.2f}", str(row.truth), str(row.title), str(row.uri)] for row in frame.itertuples()]
        _print(title, ["P(relevant)", "truth", "title", "from"], rows)
    typer.echo(f"Corpus: {result.corpus.path}\nExport: {result.exported}")


@app.command()
def extract(
    source: Annotated[str, typer.Argument(help="A file or URL.", show_default=False)],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write .nlp.txt here, not to the screen.")] = None,
    main: Annotated[bool, typer.Option("--main", help="Only the main content, as plain text.")] = False,
    favor: Annotated[str | None, typer.Option(help="precision or recall, for the main content.")] = None,
) -> None:
    """Prints one page or file as a document."""
    import corpuskit
    from corpuskit.document import to_nlptext
    from corpuskit.errors import ConfigurationError
    from corpuskit.extraction import ExtractOptions

    if favor not in {None, "precision", "recall"}:
        raise ConfigurationError(f"--favor {favor}: expected precision or recall")
    document = corpuskit.extract(source, options=ExtractOptions(favor=favor))  # type: ignore[arg-type]
    text = document.to_text(main=True) + "\n" if main else to_nlptext(document)
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, "utf-8", newline="\n")
        typer.echo(f"{out}: {len(document)} elements")


@app.command()
def add(folder: Folder, paths: Files) -> None:
    """Adds files to a corpus; what is known and unchanged is left as it is."""
    report = _open(folder).add(*paths)
    typer.echo(repr(report))
    if report.failed:
        raise typer.Exit(3)


@app.command()
def wikipedia(
    folder: Folder,
    articles: Annotated[list[str], typer.Argument(help="Titles, URLs or Category:NAME.", show_default=False)],
    lang: Annotated[str, typer.Option(help="Language of the Wikipedia.")] = "en",
    depth: Annotated[int, typer.Option(help="Steps further: linked pages, sub-categories.")] = 0,
    pages: Annotated[int, typer.Option(help="At most so many articles.")] = 200,
    host: Annotated[str | None, typer.Option(help="Another wiki of MediaWiki.")] = None,
) -> None:
    """Adds articles of Wikipedia to a corpus."""
    report = _open(folder).add_wikipedia(*articles, lang=lang, depth=depth, pages=pages, host=host)
    typer.echo(repr(report))
    if report.failed:
        raise typer.Exit(3)


@app.command()
def crawl(
    folder: Folder,
    seeds: Annotated[list[str] | None, typer.Argument(help="URLs to begin with.", show_default=False)] = None,
    pages: Annotated[int | None, typer.Option(help="At most so many more fetches.")] = None,
    scope: Annotated[str | None, typer.Option(help="domain, host, path or web.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the frontier of earlier crawls.")] = False,
    steer: Annotated[bool, typer.Option("--steer", help="Fetch first what the last model expects relevant.")] = False,
    delay: Annotated[float | None, typer.Option(help="Seconds between two requests to one host.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Path pattern never fetched; repeatable.")] = None,
    connections: Annotated[int, typer.Option(help="Requests at the same time.")] = 16,
    proxy: Annotated[str | None, typer.Option(help="URL of an HTTP proxy.")] = None,
    contact: Annotated[str | None, typer.Option(help="Your e-mail or page, sent with each request.")] = None,
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Private addresses too.")] = False,
) -> None:
    """Crawls web sites into a corpus; Ctrl-C stops cleanly, --resume goes on."""
    corpus = _open(folder)
    more: dict[str, Any] = {"connections": connections}
    if exclude:
        more["exclude"] = exclude
    if contact is not None:
        more["contact"] = contact
    job = corpus.crawl(
        seeds, pages=pages, scope=scope, resume=resume, delay=delay, proxy=proxy, allow_private=allow_private,
        steer=_model(corpus) if steer else None, **more,
    )  # fmt: skip
    job.wait()
    typer.echo(repr(job))


@app.command()
def status(folder: Folder) -> None:
    """Tells what is in a corpus, host by host."""
    corpus = _open(folder, must_exist=True)
    typer.echo(f"{corpus!r}\n")
    _print_frame("Sources", corpus.sources().head(30))
    _print_frame("Failures", corpus.failures()[["uri", "stage", "message"]].tail(10))


@app.command()
def label(
    folder: Folder,
    file: Annotated[Path, typer.Argument(help="CSV with columns target and label: doc_id, URL or file name.")],
    by: Annotated[str, typer.Option(help="Who says so.")] = "file",
) -> None:
    """Takes labels from a CSV file."""
    typer.echo(repr(_open(folder, must_exist=True).import_labels(file, by=by)))


@app.command()
def train(folder: Folder, seed: Annotated[int, typer.Option(help="Same labels and seed, same model.")] = 0) -> None:
    """Trains on the labels and scores all documents."""
    typer.echo(repr(_open(folder, must_exist=True).train(seed=seed)))


@app.command()
def kwic(
    folder: Folder,
    pattern: Annotated[str, typer.Argument(help="A regular expression.")],
    window: Annotated[int, typer.Option(help="Words on each side.")] = 8,
    sort: Annotated[str | None, typer.Option(help="1R, 2L ...: by the nth word right or left.")] = None,
    limit: Annotated[int, typer.Option(help="Lines shown.")] = 40,
) -> None:
    """Shows key words in context."""
    frame = _open(folder, must_exist=True).kwic(pattern, window=window, sort=sort)
    for row in frame.head(limit).itertuples():
        typer.echo(f"{row.left[-50:]:>50}  {row.match}  {row.right[:50]}")
    if len(frame) > limit:
        typer.echo(f"... {len(frame) - limit:,} more; --limit shows them")


def _export_help() -> str:
    from corpuskit.export.formats import FORMATS

    # \b keeps the lines of a paragraph as they are.
    lines = [f"{name:12} {about.about} ({about.files})" for name, about in FORMATS.items()]
    return (
        "Writes the corpus in formats of the field, with a dataset card: README.md, croissant.json, manifest.json, "
        "sources.csv and SHA256SUMS.\n\nThe folder appears when all is written. The same export again does nothing.\n\n"
        "Formats:\n\n\b\n" + "\n".join(lines)
    )


class _ExportCommand(TyperCommand):
    """Reads the list of formats when help is asked for: its import would slow every command."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.help = _export_help()
        super().format_help(ctx, formatter)


@app.command(cls=_ExportCommand)
def export(
    folder: Annotated[Path, typer.Argument(help="The corpus folder.", show_default=False)],
    out: Annotated[Path, typer.Argument(help="A new folder, or that of an earlier export.", show_default=False)],
    format: Annotated[
        list[str] | None, typer.Option("--format", "-f", help="A format of the list above; repeatable.")
    ] = None,
    min_relevance: Annotated[float | None, typer.Option(help="Only documents with at least this relevance.")] = None,
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
    chunk_tokens: Annotated[int, typer.Option(help="chunks: at most so many words each.")] = 512,
    shuffle: Annotated[
        int, typer.Option(help="frenchtext: the seed of the order; -1 keeps that of the documents.")
    ] = 0,
) -> None:
    """Writes the corpus in formats of the field, with a dataset card."""
    corpus = _open(folder, must_exist=True)
    documents = corpus.documents()
    if not keep_duplicates:
        documents = documents[documents["duplicate_of"].isna()]
    if min_relevance is not None:
        documents = documents[documents["relevance"] >= min_relevance]
    report = corpus.export(
        out, docs=documents, format=format or ["nlp.txt"], progress=sys.stderr.isatty(), main=not all_text,
        elements=not no_elements, only_licensed=only_licensed, mask_personal_data=mask_personal_data,
        chunk_tokens=chunk_tokens, shuffle=None if shuffle < 0 else shuffle,
    )  # fmt: skip
    typer.echo(repr(report))
    if report.failed:
        raise typer.Exit(3)


textworks = typer.Typer(
    no_args_is_help=True, help="Writes TextWorks' segmentation.json and textgrid.json for PDF files."
)
app.add_typer(textworks, name="textworks")


@textworks.command("init")
def textworks_init(
    corpus: Annotated[Path, typer.Option("--corpus", help="A folder with PDF files.")] = Path(),
) -> None:
    """Makes a folder of PDF files an artifact corpus: each file moves into a directory of its own."""
    from corpuskit.extraction.pdf.textworks import init_corpus

    typer.echo(f"{len(init_corpus(corpus))} new entries in {corpus}")


@textworks.command("run")
def textworks_run(
    corpus: Annotated[Path | None, typer.Option("--corpus", help="A folder that init has made a corpus.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="One PDF file instead.")] = None,
    output: Annotated[Path | None, typer.Option("--output", help="Where its textgrid goes.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Make what is there again.")] = False,
    filter: Annotated[str | None, typer.Option("--filter", help="Only entries whose whole name matches.")] = None,
) -> None:
    """Writes the artifacts of a corpus, or the textgrid of one file."""
    from corpuskit.errors import ConfigurationError
    from corpuskit.extraction.pdf.textworks import run_corpus, run_file

    if (corpus is None) == (file is None):
        raise ConfigurationError("name either --corpus or --file")
    if file is not None:
        typer.echo(str(run_file(file, output)))
        return
    failed = 0
    for outcome in run_corpus(corpus, overwrite=overwrite, filter=filter):  # type: ignore[arg-type]
        failed += outcome.error is not None
        typer.echo(f"{outcome.state:8} {outcome.name}" + (f": {outcome.error}" if outcome.error else ""))
    if failed:
        raise typer.Exit(3)


@app.command()
def check(
    target: Annotated[
        Path, typer.Argument(metavar="FOLDER|FILE", help="A corpus folder, or an XML file.", show_default=False)
    ],
    schema: Annotated[
        Path | None, typer.Option(help="FILE: a RELAX NG (.rng), XML Schema (.xsd) or DTD (.dtd) to check by.")
    ] = None,
) -> None:
    """Reads a whole corpus and tells what is damaged or missing; or checks an XML file by its schema.

    TEI files are checked by the TEI's schema, corpus.xml by its own, others by --schema.
    """
    if target.is_file():
        from corpuskit.export.xml_check import check_xml

        faults = [["" if fault.line is None else str(fault.line), fault.message] for fault in check_xml(target, schema)]
        if faults:
            _print(f"{target}: {len(faults)} faults", ["line", "what is wrong"], faults[:200])
            raise typer.Exit(3)
        typer.echo(f"{target}: valid")
        return
    problems = _open(target, must_exist=True).check(progress=True)
    if problems:
        rows = [[problem.part, problem.where, problem.message] for problem in problems]
        _print(f"{len(problems)} problems", ["part", "where", "what is wrong"], rows)
        raise typer.Exit(3)
    typer.echo("all is well")


@app.command()
def pack(
    folder: Folder,
    undo: Annotated[bool, typer.Option("--undo", help="Write packed documents as files again.")] = False,
) -> None:
    """Puts a corpus' documents into few files (zstd, one frame a document); all works as before."""
    corpus = _open(folder, must_exist=True)
    typer.echo(f"{corpus.unpack() if undo else corpus.pack():,} documents {'unpacked' if undo else 'packed'}")


@app.command()
def lab(
    folder: Annotated[Path, typer.Argument(help="Where the notebooks go; your changes to them stay.")] = Path(
        "notebooks"
    ),
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Opens the notebooks in JupyterLab."""
    import importlib.util
    import subprocess

    from corpuskit.demo.notebooks import copy_notebooks
    from corpuskit.errors import MissingExtraError

    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingExtraError("jupyterlab", "notebook")
    new = copy_notebooks(folder)
    typer.echo(f"{folder}: {len(new)} new notebooks; Ctrl-C ends JupyterLab")
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}"]
    raise typer.Exit(subprocess.run([*command, *([] if browser else ["--no-browser"])], check=False).returncode)


def main() -> None:
    """Runs the command line. Exit codes: 0 done; 1 an error, told in one line; 2 wrong usage; 3 some inputs failed;
    130 stopped with Ctrl-C."""
    from corpuskit.errors import CorpusKitError

    try:
        app(standalone_mode=True)
    except CorpusKitError as error:
        typer.echo(f"corpuskit: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("corpuskit: stopped", err=True)
        sys.exit(130)
    except OSError as error:
        typer.echo(f"corpuskit: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", err=True)
        sys.exit(1)


def _open(folder: Path, *, must_exist: bool = False) -> Any:
    import corpuskit
    from corpuskit.errors import CorpusError

    if must_exist and not (folder / "catalog.sqlite").exists():
        raise CorpusError(f"{folder} is no corpus; corpuskit add or crawl makes one")
    return corpuskit.open(folder)


def _model(corpus: Any) -> Any:
    from corpuskit.errors import RelevanceError

    model = corpus.model()
    if model is None:
        raise RelevanceError("there is no model to steer with: corpuskit train makes one")
    return model


def _print(title: str, columns: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", show_edge=False, expand=True)
    for position, column in enumerate(columns):
        widest = max([len(column), *(len(row[position]) for row in rows)])
        is_short = widest <= _SHORT_CELL  # long titles and addresses share what short figures leave
        table.add_column(
            column, overflow="ellipsis", no_wrap=True, width=widest if is_short else None, ratio=None if is_short else 1
        )
    for row in rows:
        # Text, not markup: what was crawled must not colour the terminal.
        table.add_row(*(Text(_printable(cell)) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    console.print()


def _print_frame(title: str, frame: pd.DataFrame) -> None:
    if len(frame):
        rows = [["" if value != value else f"{value:.2f}" if isinstance(value, float) else str(value) for value in row]
                for row in frame.astype(object).itertuples(index=False)]  # fmt: skip
        _print(title, list(frame.columns), rows)


def _printable(text: object) -> str:
    """No control characters: crawled titles must not steer the terminal."""
    return "".join(c if c.isprintable() else " " for c in str(text))
