"""The commands, which delegate to Corpus. Their order here is that of the help; other modules add further commands."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from corpuskit.cli.app import app
from corpuskit.cli.common import command_line
from corpuskit.cli.corpus_folders import ExistingFolder, Folder, open_existing, open_or_create, report_ctrl_c
from corpuskit.cli.crawling import crawl
from corpuskit.cli.exporting import ExportCommand, export
from corpuskit.cli.extracting import extract
from corpuskit.cli.printing import print_frame, print_table, printable
from corpuskit.cli.training import audit, fasttext, train
from corpuskit.cli.urls import urls
from corpuskit.cli.usage import ExtractCommand, usage_error_if
from corpuskit.plugins import import_all

__all__ = ["app"]

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.ingest import IngestReport

_WIKI_CODE = re.compile(r"[a-z][a-z0-9-]{1,30}")
_MAX_UNKNOWN = 20  # shown targets of labels that are not in the corpus

# Columns of each table that a narrow window hides, in this order.
_OPTIONAL_COLUMNS: Final = {
    "Failures": ["when", "tries", "error", "stage"],
    "Requests": ["unique_share", "download_ms", "retries", "retry_after_s", "response_ms", "bytes", "depth", "parent",
                 "redirected_from", "clock", "error"],
    "Sources": ["labels", "harvest", "relevant", "why"],
}  # fmt: skip

Limit = Annotated[int, typer.Option(min=1, help="Number of rows.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write the complete table as CSV instead of showing it.")]
Files = Annotated[list[str], typer.Argument(help="Files, folders or patterns.", show_default=False)]


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Folder of the demo corpus.")] = Path("demo-corpus"),
) -> None:
    """Run the complete workflow on a small demo web, without network access, in under a minute."""
    from corpuskit.demo import run_demo

    result = run_demo(folder, tell=lambda line: typer.echo(f"· {line}"))
    typer.echo(f"\n{result.corpus!r}\n")
    print_table(
        "Harvest rate (relevant among the pages fetched)",
        ["crawl", "harvest rate"],
        [
            ["breadth-first", f"{result.harvest_before:.0%}"],
            ["steered by the model", f"{result.harvest_after:.0%}"],
        ],
    )
    for title, frame in (("Most relevant documents", result.top), ("Least relevant documents", result.bottom)):
        rows = [[f"{row.relevance:.2f}", str(row.truth), str(row.title), str(row.uri)] for row in frame.itertuples()]
        print_table(title, ["P(relevant)", "truth", "title", "from"], rows)
    typer.echo(f"Corpus: {result.corpus.path}\nExport: {result.exported}")


app.command(cls=ExtractCommand)(extract)


@app.command()
def add(
    folder: Folder,
    paths: Files,
    textworks: Annotated[
        bool, typer.Option("--textworks", help="Also write segmentation.json and textgrid.json next to each PDF.")
    ] = False,
) -> None:
    """Add files to a corpus. Known and unchanged files are skipped."""
    with open_or_create(folder) as corpus:
        with report_ctrl_c("added documents are stored"):
            report = corpus.add(*paths, textworks=textworks or None, progress=sys.stderr.isatty())
        _print_added(report, folder)


@app.command()
def wikipedia(
    folder: Folder,
    articles: Annotated[list[str], typer.Argument(help="Titles, URLs or Category:NAME.", show_default=False)],
    lang: Annotated[str, typer.Option(help="Language of the Wikipedia.")] = "en",
    depth: Annotated[int, typer.Option(min=0, help="Depth: linked pages, subcategories.")] = 0,
    pages: Annotated[int, typer.Option(min=1, help="Maximum number of articles.")] = 200,
    host: Annotated[str | None, typer.Option(help="Host of another MediaWiki.")] = None,
) -> None:
    """Add Wikipedia articles to a corpus."""
    usage_error_if(
        not _WIKI_CODE.fullmatch(lang), f"--lang {lang}: expected the language code of a Wikipedia, such as en or de"
    )
    with open_or_create(folder) as corpus:
        with report_ctrl_c("added documents are stored"):
            report = corpus.add_wikipedia(
                *articles, lang=lang, depth=depth, pages=pages, host=host, progress=sys.stderr.isatty()
            )
        _print_added(report, folder)


def _print_added(report: IngestReport, folder: Path) -> None:
    typer.echo(report.summary)
    if report.failed:
        typer.echo(f"{command_line('failures', folder)} lists the failures")
        raise typer.Exit(3)


app.command()(crawl)
app.command()(urls)


@app.command()
def status(folder: ExistingFolder) -> None:
    """Show the content of a corpus and its hosts."""
    from corpuskit.views.summary import TYPED, summary

    corpus = open_existing(folder)
    typer.echo(summary(corpus._folder, TYPED.of(command_line)) + "\n")
    print_frame("Sources", _with_name_for_files(corpus.web.sources()).head(30), spare=_OPTIONAL_COLUMNS["Sources"])
    print_frame(
        "Failures", corpus.failures()[["uri", "stage", "message"]].tail(10), spare=_OPTIONAL_COLUMNS["Failures"]
    )


@app.command()
def failures(folder: ExistingFolder, limit: Limit = 40, out: Out = None) -> None:
    """Show failures: address, stage, error, time and number of tries."""
    _show_table("Failures", open_existing(folder).failures(), limit, out, "no failures")


@app.command()
def requests(folder: ExistingFolder, limit: Limit = 40, out: Out = None) -> None:
    """Show the requests of crawls, the newest first."""
    _show_table("Requests", open_existing(folder).requests().iloc[::-1], limit, out, "no requests: run a crawl first")


@app.command()
def sources(folder: ExistingFolder, limit: Limit = 40, out: Out = None) -> None:
    """Show the hosts with their pages, labels, share of relevant pages and verdict."""
    _show_table(
        "Sources", _with_name_for_files(open_existing(folder).sources()), limit, out, "no document has a host yet"
    )


def _with_name_for_files(sources: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a name for files, which have no host."""
    return sources.assign(host=sources["host"].replace("", "(files)"))


def _show_table(title: str, frame: pd.DataFrame, limit: int, out: Path | None, empty_message: str) -> None:
    from corpuskit.store.formatting import pluralize

    if out is not None:
        frame.to_csv(out, index=False)
        typer.echo(f"{out}: {pluralize(len(frame), 'row')}")
        return
    if frame.empty:
        typer.echo(empty_message)
        return
    print_frame(title, frame.head(limit), spare=_OPTIONAL_COLUMNS[title])
    if len(frame) > limit:
        typer.echo(f"... {pluralize(len(frame) - limit, 'more row')}; --limit shows them, --out writes all")


@app.command()
def label(
    folder: ExistingFolder,
    file: Annotated[Path, typer.Argument(help="CSV with columns target and label: doc_id, URL or file name.")],
    all_are: Annotated[
        str | None,
        typer.Option("--all-are", help="Label for all URLs of a list, with one URL per line or id, URL and time."),
    ] = None,
    by: Annotated[str, typer.Option(help="Name of the annotator.")] = "file",
    new_class: Annotated[
        bool, typer.Option("--new-class", help="Allow labels that the corpus does not use yet.")
    ] = False,
) -> None:
    """Import labels from a CSV file."""
    from corpuskit.store.formatting import pluralize

    report = open_existing(folder).import_labels(file, by=by, new_class=new_class, label=all_are)
    typer.echo(f"{pluralize(report.taken, 'label')} imported")
    if report.unknown:
        names = "".join(f"\n  {printable(target)}" for target in report.unknown[:_MAX_UNKNOWN])
        more = (
            f"\n  ... and {pluralize(len(report.unknown) - _MAX_UNKNOWN, 'more target')}"
            if len(report.unknown) > _MAX_UNKNOWN
            else ""
        )
        count = pluralize(len(report.unknown), "target")
        typer.echo(f"corpuskit: {count} of {file} not in the corpus:{names}{more}", err=True)
        raise typer.Exit(3)


@app.command()
def prelabel(
    folder: ExistingFolder,
    base_url: Annotated[str, typer.Option(help="URL of the model server, such as http://localhost:11434/v1.")],
    model: Annotated[str, typer.Option(help="Name of the model on the server.")],
    question: Annotated[str, typer.Option(help="Question about each document.")] = "Is this document relevant?",
    name: Annotated[
        str, typer.Option(help="Annotator of the labels, machine:NAME; default: the name of the model.")
    ] = "",
    requests: Annotated[int, typer.Option(min=0, help="Maximum number of requests.")] = 1_000,
    tokens: Annotated[int | None, typer.Option(min=0, help="Maximum number of tokens.")] = None,
    money: Annotated[float | None, typer.Option(min=0.0, help="Maximum cost, with --price.")] = None,
    price: Annotated[
        tuple[float, float], typer.Option(help="Price of a million tokens, of prompts and of answers.")
    ] = (
        0.0,
        0.0,
    ),
    key_variable: Annotated[str, typer.Option(help="Environment variable with the API key.")] = "OPENAI_API_KEY",
    concurrency: Annotated[int, typer.Option(min=1, help="Number of parallel requests.")] = 4,
    no_schema: Annotated[bool, typer.Option("--no-schema", help="The server does not support JSON schemas.")] = False,
    relabel: Annotated[
        bool, typer.Option("--again", help="Label documents again that this model has labelled.")
    ] = False,
) -> None:
    """Label documents with a language model. Its labels are stored separately from those of people and weighted by
    their measured accuracy.

    Any server with the OpenAI chat protocol is supported: llama.cpp, vLLM, Ollama. Answers are cached, so repeating the
    command after an interruption continues without paying twice.
    """
    from corpuskit.annotators import Budget, ChatAnnotator, Price

    usage_error_if(min(price) < 0, f"--price {price[0]:g} {price[1]:g}: expected two prices of 0 or more")
    annotator = ChatAnnotator(
        base_url, model, question, name=name, key_variable=key_variable, concurrency=concurrency, price=Price(*price),
        structured=not no_schema,
    )  # fmt: skip
    budget = Budget(requests, tokens, money)
    corpus = open_existing(folder)
    try:
        report = corpus.labelling.prelabel(annotator, budget=budget, again=relabel, progress=sys.stderr.isatty())
    except KeyboardInterrupt as interrupt:
        typer.echo(_lines(str(interrupt)))
        raise typer.Exit(130) from None
    typer.echo(_lines(repr(report)))
    if report.failed or (report.last_error and not report.labels):
        raise typer.Exit(3)


for command in (train, audit, fasttext):
    app.command()(command)
app.command(cls=ExportCommand)(export)


@app.command()
def check(
    target: Annotated[
        Path, typer.Argument(metavar="FOLDER|FILE", help="A corpus folder, or an XML file.", show_default=False)
    ],
    schema: Annotated[
        Path | None,
        typer.Option(help="FILE: the schema to validate against: RELAX NG (.rng), XML Schema (.xsd) or DTD (.dtd)."),
    ] = None,
) -> None:
    """Check the integrity of a corpus, or validate an XML file.

    TEI files are validated against the TEI schema, corpus.xml against its own schema, others with --schema.
    """
    from corpuskit.errors import SourceError
    from corpuskit.store.check import count_pending
    from corpuskit.store.formatting import pluralize

    if not target.exists():
        raise SourceError(f"expected a corpus folder or an XML file, found nothing at {str(target)!r}")
    if target.is_file():
        from corpuskit.export.xml_check import check_xml

        faults = [["" if fault.line is None else str(fault.line), fault.message] for fault in check_xml(target, schema)]
        if faults:
            print_table(f"{target}: {pluralize(len(faults), 'fault')}", ["line", "error"], faults[:200], wrap=True)
            raise typer.Exit(3)
        typer.echo(f"{target}: valid")
        return
    usage_error_if(schema is not None, f"--schema: expected an XML file, {target} is a folder: omit --schema")
    corpus = open_existing(target)
    problems = corpus.maintenance.check(progress=sys.stderr.isatty())
    if waits := count_pending(corpus._folder):
        typer.echo(
            f"{pluralize(waits, 'document')} not extracted yet, because a run was stopped or is in progress. This is not an "
            "error: repeat the stopped command to extract them"
        )
    if problems:
        causes: dict[tuple[str, str], list[str]] = {}
        for problem in problems:
            causes.setdefault((problem.part, problem.message), []).append(problem.where)
        rows = [[part, where[0], f"{len(where):,}", message] for (part, message), where in causes.items()]
        print_table(
            pluralize(len(problems), "problem"), ["part", "first location", "count", "problem"], rows, wrap=True
        )
        raise typer.Exit(3)
    typer.echo("no problems found")


@app.command()
def pack(
    folder: ExistingFolder,
    undo: Annotated[bool, typer.Option("--undo", help="Unpack the documents into files.")] = False,
) -> None:
    """Pack the documents of a corpus into few files (zstd, one frame per document). All functions work as before."""
    from corpuskit.store.formatting import pluralize

    corpus = open_existing(folder)
    number = corpus.maintenance.unpack() if undo else corpus.maintenance.pack()
    typer.echo(f"{pluralize(number, 'document')} {'unpacked' if undo else 'packed'}")


@app.command()
def repair(folder: ExistingFolder) -> None:
    """Rebuild the catalog and the cache of a damaged corpus from its files. The old catalog is kept."""
    from corpuskit.corpus import Corpus
    from corpuskit.store.formatting import pluralize

    report = Corpus.repair(folder)
    typer.echo(repr(report))
    if report.pending:
        typer.echo(f"{pluralize(open_existing(folder).extract_pending(), 'document')} extracted")
    if report.lost:
        raise typer.Exit(3)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(help="Directory of the notebooks; existing files are not overwritten.")
    ] = Path("notebooks"),
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Open the notebooks in JupyterLab.

    Other options are passed to JupyterLab, as in corpuskit lab --allow-root --port=9000.
    """
    import importlib.util
    import subprocess

    usage_error_if(
        folder.name.startswith("-"), f"{folder}: expected a directory; {context.command_path} --help lists the options"
    )
    from corpuskit.demo.notebooks import copy_notebooks
    from corpuskit.errors import MissingExtraError
    from corpuskit.store.formatting import pluralize

    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingExtraError("jupyterlab", "notebook")
    new = copy_notebooks(folder)
    typer.echo(f"{folder}: {pluralize(len(new), 'new notebook')}; Ctrl-C ends JupyterLab")
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}"]
    command += context.args if browser else ["--no-browser", *context.args]
    raise typer.Exit(subprocess.run(command, check=False).returncode)


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.splitlines()))


import_all("corpuskit.cli")
