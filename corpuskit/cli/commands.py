"""The command line: thin, calls Corpus. The order of commands here is that of the help; other modules add theirs behind."""

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

_CODE_OF_A_WIKI = re.compile(r"[a-z][a-z0-9-]{1,30}")
_UNKNOWN = 20  # targets of labels that are told

# What a narrow window leaves out of each table, the first first.
_SPARE: Final = {
    "Failures": ["when", "tries", "error", "stage"],
    "Requests": ["unique_share", "download_ms", "retries", "retry_after_s", "response_ms", "bytes", "depth", "parent",
                 "redirected_from", "clock", "error"],
    "Sources": ["labels", "harvest", "relevant", "why"],
}  # fmt: skip

Limit = Annotated[int, typer.Option(min=1, help="Rows shown.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write the whole table as CSV, and show nothing.")]
Files = Annotated[list[str], typer.Argument(help="Files, folders or patterns.", show_default=False)]


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where the demo's corpus goes.")] = Path("demo-corpus"),
) -> None:
    """Shows the whole way on a small web of the project's own, without network, in under a minute."""
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
        bool, typer.Option("--textworks", help="Also segmentation.json and textgrid.json beside each PDF.")
    ] = False,
) -> None:
    """Adds files to a corpus; what is known and unchanged is left as it is."""
    with open_or_create(folder) as corpus:
        with report_ctrl_c("what was added is kept"):
            report = corpus.add(*paths, textworks=textworks or None, progress=sys.stderr.isatty())
        _tell_added(report, folder)


@app.command()
def wikipedia(
    folder: Folder,
    articles: Annotated[list[str], typer.Argument(help="Titles, URLs or Category:NAME.", show_default=False)],
    lang: Annotated[str, typer.Option(help="Language of the Wikipedia.")] = "en",
    depth: Annotated[int, typer.Option(min=0, help="Steps further: linked pages, sub-categories.")] = 0,
    pages: Annotated[int, typer.Option(min=1, help="At most so many articles.")] = 200,
    host: Annotated[str | None, typer.Option(help="Another wiki of MediaWiki.")] = None,
) -> None:
    """Adds articles of Wikipedia to a corpus."""
    usage_error_if(
        not _CODE_OF_A_WIKI.fullmatch(lang), f"--lang {lang}: expected the code of a Wikipedia, such as en or de"
    )
    with open_or_create(folder) as corpus:
        with report_ctrl_c("what was added is kept"):
            report = corpus.add_wikipedia(
                *articles, lang=lang, depth=depth, pages=pages, host=host, progress=sys.stderr.isatty()
            )
        _tell_added(report, folder)


def _tell_added(report: IngestReport, folder: Path) -> None:
    typer.echo(report.summary)
    if report.failed:
        typer.echo(f"{command_line('failures', folder)} lists what failed")
        raise typer.Exit(3)


app.command()(crawl)
app.command()(urls)


@app.command()
def status(folder: ExistingFolder) -> None:
    """Tells what is in a corpus, host by host."""
    from corpuskit.views.summary import TYPED, summary

    corpus = open_existing(folder)
    typer.echo(summary(corpus._folder, TYPED.of(command_line)) + "\n")
    print_frame("Sources", _with_files_named(corpus.web.sources()).head(30), spare=_SPARE["Sources"])
    print_frame("Failures", corpus.failures()[["uri", "stage", "message"]].tail(10), spare=_SPARE["Failures"])


@app.command()
def failures(folder: ExistingFolder, limit: Limit = 40, out: Out = None) -> None:
    """Show what failed: address, stage, cause, when, and how often it was tried."""
    _show("Failures", open_existing(folder).failures(), limit, out, "nothing has failed")


@app.command()
def requests(folder: ExistingFolder, limit: Limit = 40, out: Out = None) -> None:
    """Show the requests of crawls, the newest first."""
    _show(
        "Requests", open_existing(folder).requests().iloc[::-1], limit, out, "nothing was requested: no crawl has run"
    )


@app.command()
def sources(folder: ExistingFolder, limit: Limit = 40, out: Out = None) -> None:
    """Show the hosts with their pages, labels, share of relevant pages and verdict."""
    _show("Sources", _with_files_named(open_existing(folder).sources()), limit, out, "no document has a host yet")


def _with_files_named(sources: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a name for the files, which have no host."""
    return sources.assign(host=sources["host"].replace("", "(files)"))


def _show(title: str, frame: pd.DataFrame, limit: int, out: Path | None, nothing: str) -> None:
    from corpuskit.store.telling import counted

    if out is not None:
        frame.to_csv(out, index=False)
        typer.echo(f"{out}: {counted(len(frame), 'row')}")
        return
    if frame.empty:
        typer.echo(nothing)
        return
    print_frame(title, frame.head(limit), spare=_SPARE[title])
    if len(frame) > limit:
        typer.echo(f"... {counted(len(frame) - limit, 'more row')}; --limit shows them, --out writes all")


@app.command()
def label(
    folder: ExistingFolder,
    file: Annotated[Path, typer.Argument(help="CSV with columns target and label: doc_id, URL or file name.")],
    all_are: Annotated[
        str | None, typer.Option("--all-are", help="The label of all URLs of a list: one a line, or id, URL, time.")
    ] = None,
    by: Annotated[str, typer.Option(help="Who says so.")] = "file",
    new_class: Annotated[bool, typer.Option("--new-class", help="Labels that are not in use yet are meant.")] = False,
) -> None:
    """Takes labels from a CSV file."""
    from corpuskit.store.telling import counted

    report = open_existing(folder).import_labels(file, by=by, new_class=new_class, label=all_are)
    typer.echo(f"{counted(report.taken, 'label')} taken")
    if report.unknown:
        names = "".join(f"\n  {printable(target)}" for target in report.unknown[:_UNKNOWN])
        more = (
            f"\n  ... and {counted(len(report.unknown) - _UNKNOWN, 'more target')}"
            if len(report.unknown) > _UNKNOWN
            else ""
        )
        count = counted(len(report.unknown), "target")
        typer.echo(f"corpuskit: {count} of {file} not in the corpus:{names}{more}", err=True)
        raise typer.Exit(3)


@app.command()
def prelabel(
    folder: ExistingFolder,
    base_url: Annotated[str, typer.Option(help="Where the model is served, as http://localhost:11434/v1.")],
    model: Annotated[str, typer.Option(help="Its name there.")],
    question: Annotated[str, typer.Option(help="What is asked of each document.")] = "Is this document relevant?",
    name: Annotated[str, typer.Option(help="The labels are by machine:NAME; default: the model's name.")] = "",
    requests: Annotated[int, typer.Option(min=0, help="At most so many requests.")] = 1_000,
    tokens: Annotated[int | None, typer.Option(min=0, help="At most so many tokens.")] = None,
    money: Annotated[float | None, typer.Option(min=0.0, help="At most so much money, by --price.")] = None,
    price: Annotated[tuple[float, float], typer.Option(help="What a million tokens of prompt and of answer cost.")] = (
        0.0,
        0.0,
    ),
    key_variable: Annotated[str, typer.Option(help="The environment variable that holds the key.")] = "OPENAI_API_KEY",
    concurrency: Annotated[int, typer.Option(min=1, help="Requests under way at once.")] = 4,
    no_schema: Annotated[bool, typer.Option("--no-schema", help="The server does not know JSON schemas.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Ask also what it has labelled already.")] = False,
) -> None:
    """Has a language model label documents, apart from people; it is trusted only as far as measured.

    Any server that speaks the OpenAI chat protocol will do: llama.cpp, vLLM, Ollama. Nothing is paid twice: stopped or
    killed, the same command goes on.
    """
    from corpuskit.annotators import Budget, ChatAnnotator, Price

    usage_error_if(min(price) < 0, f"--price {price[0]:g} {price[1]:g}: expected prices from 0 on")
    annotator = ChatAnnotator(
        base_url, model, question, name=name, key_variable=key_variable, concurrency=concurrency, price=Price(*price),
        structured=not no_schema,
    )  # fmt: skip
    budget = Budget(requests, tokens, money)
    corpus = open_existing(folder)
    try:
        report = corpus.labelling.prelabel(annotator, budget=budget, again=again, progress=sys.stderr.isatty())
    except KeyboardInterrupt as stopped:
        typer.echo(_lines(str(stopped)))
        raise typer.Exit(130) from None
    typer.echo(_lines(repr(report)))
    if report.failed or (report.trouble and not report.labels):
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
        Path | None, typer.Option(help="FILE: a RELAX NG (.rng), XML Schema (.xsd) or DTD (.dtd) to check by.")
    ] = None,
) -> None:
    """Reads a whole corpus and tells what is damaged or missing; or checks an XML file by its schema.

    TEI files are checked by the TEI's schema, corpus.xml by its own, others by --schema.
    """
    from corpuskit.errors import SourceError
    from corpuskit.store.check import waiting
    from corpuskit.store.telling import counted

    if not target.exists():
        raise SourceError(f"there is no file or folder {str(target)!r}")
    if target.is_file():
        from corpuskit.export.xml_check import check_xml

        faults = [["" if fault.line is None else str(fault.line), fault.message] for fault in check_xml(target, schema)]
        if faults:
            print_table(
                f"{target}: {counted(len(faults), 'fault')}", ["line", "what is wrong"], faults[:200], wrap=True
            )
            raise typer.Exit(3)
        typer.echo(f"{target}: valid")
        return
    usage_error_if(schema is not None, f"--schema is for an XML file, and {target} is a folder: leave it out")
    corpus = open_existing(target)
    problems = corpus.maintenance.check(progress=sys.stderr.isatty())
    if waits := waiting(corpus._folder):
        typer.echo(
            f"{counted(waits, 'document')} not read yet, since a run was stopped or is at work, which is no damage: the "
            "command that was stopped reads them when it runs again"
        )
    if problems:
        causes: dict[tuple[str, str], list[str]] = {}
        for problem in problems:
            causes.setdefault((problem.part, problem.message), []).append(problem.where)
        rows = [[part, where[0], f"{len(where):,}", message] for (part, message), where in causes.items()]
        print_table(
            counted(len(problems), "problem"), ["part", "where (the first)", "times", "what is wrong"], rows, wrap=True
        )
        raise typer.Exit(3)
    typer.echo("all is well")


@app.command()
def pack(
    folder: ExistingFolder,
    undo: Annotated[bool, typer.Option("--undo", help="Write packed documents as files again.")] = False,
) -> None:
    """Puts a corpus' documents into few files (zstd, one frame a document); all works as before."""
    from corpuskit.store.telling import counted

    corpus = open_existing(folder)
    number = corpus.maintenance.unpack() if undo else corpus.maintenance.pack()
    typer.echo(f"{counted(number, 'document')} {'unpacked' if undo else 'packed'}")


@app.command()
def repair(folder: ExistingFolder) -> None:
    """Makes the catalogue and the cache of a damaged corpus again, from its files; the old catalogue is kept."""
    from corpuskit.corpus import Corpus
    from corpuskit.store.telling import counted

    report = Corpus.repair(folder)
    typer.echo(repr(report))
    if report.pending:
        typer.echo(f"{counted(open_existing(folder).extract_pending(), 'document')} extracted that waited for it")
    if report.lost:
        raise typer.Exit(3)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Where the notebooks go; your changes to them stay.")] = Path(
        "notebooks"
    ),
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Opens the notebooks in JupyterLab.

    Options that are not listed here are JupyterLab's own, as in corpuskit lab --allow-root --port=9000.
    """
    import importlib.util
    import subprocess

    usage_error_if(
        folder.name.startswith("-"), f"{folder}: expected a folder; {context.command_path} --help lists the options"
    )
    from corpuskit.demo.notebooks import copy_notebooks
    from corpuskit.errors import MissingExtraError
    from corpuskit.store.telling import counted

    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingExtraError("jupyterlab", "notebook")
    new = copy_notebooks(folder)
    typer.echo(f"{folder}: {counted(len(new), 'new notebook')}; Ctrl-C ends JupyterLab")
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}"]
    command += context.args if browser else ["--no-browser", *context.args]
    raise typer.Exit(subprocess.run(command, check=False).returncode)


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.splitlines()))


import_all("corpuskit.cli")
