"""Commands ``corpuskit discover``, ``fetch`` and ``merge``: from web archives and shards to documents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corpuskit.cli.app import app
from corpuskit.cli.common import command_line, open_engine
from corpuskit.cli.corpus_folders import ExistingFolder, Folder, open_existing, open_or_create, report_ctrl_c
from corpuskit.cli.printing import print_frame
from corpuskit.cli.usage import config_errors_as_usage, usage_error_if

if TYPE_CHECKING:
    from corpuskit.corpus import Corpus
    from corpuskit.discovery import Discovery

_FILTERS = "Filters of pages"
_CHOICE = "Number of pages"
_WHERE = "Execution"
On = Annotated[
    str,
    typer.Option(
        "--on", help="serial, processes, dask, or the address of a scheduler of Dask.", rich_help_panel=_WHERE
    ),
]
Workers = Annotated[int | None, typer.Option(help="Processes; default: one a CPU.", min=1, rich_help_panel=_WHERE)]
Out = Annotated[
    str | None,
    typer.Option(help="A folder or URL that all workers reach; default: in the corpus.", rich_help_panel=_WHERE),
]


@app.command()
def discover(
    folder: ExistingFolder,
    index: Annotated[
        list[str],
        typer.Argument(
            help="A crawl of Common Crawl, such as CC-MAIN-2024-22, or files, folders and patterns of an index.",
            show_default=False,
        ),
    ],
    domains: Annotated[
        list[str] | None,
        typer.Option("--domain", help="Hosts with all below them; may be repeated.", rich_help_panel=_FILTERS),
    ] = None,
    tld: Annotated[
        list[str] | None, typer.Option(help="Last labels of hosts, such as fr.", rich_help_panel=_FILTERS)
    ] = None,
    languages: Annotated[
        list[str] | None, typer.Option("--language", help="Codes such as en.", rich_help_panel=_FILTERS)
    ] = None,
    mime: Annotated[
        list[str] | None, typer.Option(help="Media types, such as text/html.", rich_help_panel=_FILTERS)
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Fetched then or later: 2024-05-18.", rich_help_panel=_FILTERS)
    ] = None,
    threshold: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Pages scored lower are left out.", rich_help_panel=_CHOICE)
    ] = 0.5,
    per_host: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of pages per host.", rich_help_panel=_CHOICE)
    ] = None,
    pages: Annotated[int, typer.Option(min=1, help="Maximum number of pages.", rich_help_panel=_CHOICE)] = 100_000,
    megabytes: Annotated[
        float | None, typer.Option(min=0.001, help="Maximum size of the records in megabytes.", rich_help_panel=_CHOICE)
    ] = None,
    sample: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Score this share of the index's files only, for an estimate.",
            rich_help_panel=_CHOICE,
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of the discovery; default: made up.")] = None,
    base: Annotated[str | None, typer.Option(help="What the names of archives are relative to.")] = None,
    write: Annotated[Path | None, typer.Option("--write", "-o", help="Write the places as a Parquet file too.")] = None,
    credentials: Annotated[
        bool, typer.Option("--credentials", help="Read buckets with the credentials of the environment.")
    ] = False,
    on: On = "processes",
    workers: Workers = None,
    out: Out = None,
) -> None:
    """Score the pages of an index of web archives with the model and select the best, without fetching them.

    The same command continues an interrupted run. corpuskit fetch FOLDER NAME fetches the selected pages.
    """
    import corpuskit

    usage_error_if(sample == 0, "--sample 0: expected a share above 0 and up to 1")
    corpus = open_existing(folder)
    with config_errors_as_usage(), report_ctrl_c("what was scored is kept"), open_engine(on) as engine:
        discovery = corpus.archives.discover(
            corpuskit.commoncrawl(
                index, domains=domains or (), tld=tld or (), languages=languages or (), mime=mime or (), since=since,
                base=base, anonymous=not credentials,
            ),
            threshold=threshold, per_host=per_host, budget_pages=pages,
            budget_bytes=None if megabytes is None else round(megabytes * 1e6), sample=sample, on=engine,
            workers=workers, out=out, name=name,
        )  # fmt: skip
    if write is not None:
        discovery.write(write)
    if len(discovery):
        print_frame("Hosts", discovery.frame.head(20).drop(columns=["sampled", "relevant"]), spare=["bytes"])
    summary, _, following = repr(discovery).rpartition("\n")
    typer.echo(summary)
    typer.echo(_fetch_of(folder, discovery, base) if len(discovery) else following)
    if discovery.damaged:
        raise typer.Exit(3)


def _fetch_of(folder: Path, discovery: Discovery, base: str | None) -> str:
    """Return the command that fetches a discovery. A location on this machine must be passed to it, see ``Discovery.archives``."""
    from corpuskit.cli.common import quoted
    from corpuskit.discovery.discovery import is_public

    where = base or (None if is_public(discovery.archives) else discovery.archives.removeprefix("file://"))
    named = "" if where is None else f" --base {quoted(where)}"
    return f"next: {command_line('fetch', folder)} {quoted(discovery.name)}{named}"


@app.command()
def fetch(
    folder: ExistingFolder,
    name: Annotated[str, typer.Argument(help="Of the discovery.", show_default=False)],
    threshold: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Take only documents in that the model of documents scores so high."),
    ] = None,
    requests_per_second: Annotated[float, typer.Option(min=0.01, help="Of the store, of all workers together.")] = 5.0,
    base: Annotated[
        str | None, typer.Option(help="Location of the archives; required if they are on this machine.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Fetch only a random sample of this size, and print its share of relevant pages."),
    ] = None,
    on: On = "processes",
    workers: Workers = None,
    out: Out = None,
) -> None:
    """Fetch the pages selected by corpuskit discover from their archives into the corpus, by byte ranges.

    The same command continues an interrupted run. With --sample it estimates the quality of the selection before all pages
    are fetched, by the model and by labels of sampled pages.
    """
    usage_error_if(
        sample is not None and threshold is not None, "--threshold is for the whole: leave it out with --sample"
    )
    corpus = open_existing(folder)
    if sample is not None:
        how = {"requests_per_second": requests_per_second, "workers": workers, "out": out}
        _sample(corpus, name, base, sample, on, how)
        return
    with report_ctrl_c("the fetched pages are stored"), open_engine(on) as engine:
        report = corpus.archives.fetch(
            name, threshold=threshold, requests_per_second=requests_per_second, base=base, on=engine, workers=workers,
            out=out,
        )  # fmt: skip
    typer.echo(repr(report))
    if report.failures or report.set_aside:
        typer.echo(f"{command_line('failures', folder)} lists what failed")
        raise typer.Exit(3)


def _sample(corpus: Corpus, name: str, base: str | None, number: int, on: str, how: dict[str, Any]) -> None:
    """Fetch a sample of a discovery and print its quality."""
    from corpuskit.discovery import Discovery

    discovery = Discovery.resolve(corpus._folder, name, archives=base)
    with report_ctrl_c("the fetched pages are stored"), open_engine(on) as engine:
        sample = discovery.sample(number, on=engine, **how)
    print_frame("Sample", sample.frame[["url", "title", "url_score", "relevance", "label"]].fillna(""))
    typer.echo(repr(sample).partition("\n")[0])
    typer.echo(
        f"next: {command_line('label')} FILE, a CSV with columns target (the URL) and label, then this command again"
    )
    if sample.fetched.failures or sample.fetched.set_aside:
        typer.echo(f"{command_line('failures')} lists what failed")
        raise typer.Exit(3)


@app.command()
def merge(
    folder: Folder, shards: Annotated[str, typer.Argument(help="A folder of shards, or its URL.", show_default=False)]
) -> None:
    """Merge shards written by corpuskit extract --on into a corpus."""
    with open_or_create(folder) as corpus, report_ctrl_c("merged shards are kept"):
        report = corpus.archives.merge(shards, progress=sys.stderr.isatty())
    typer.echo(repr(report))
    if report.damaged:
        raise typer.Exit(3)
