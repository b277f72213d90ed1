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

_WANTED = "Which pages are wanted"
_CHOICE = "How many are chosen"
_WHERE = "Where it runs"
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
        typer.Option("--domain", help="Hosts with all below them; may be repeated.", rich_help_panel=_WANTED),
    ] = None,
    tld: Annotated[
        list[str] | None, typer.Option(help="Last labels of hosts, such as fr.", rich_help_panel=_WANTED)
    ] = None,
    languages: Annotated[
        list[str] | None, typer.Option("--language", help="Codes such as en.", rich_help_panel=_WANTED)
    ] = None,
    mime: Annotated[
        list[str] | None, typer.Option(help="Media types, such as text/html.", rich_help_panel=_WANTED)
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Fetched then or later: 2024-05-18.", rich_help_panel=_WANTED)
    ] = None,
    threshold: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Pages scored lower are left out.", rich_help_panel=_CHOICE)
    ] = 0.5,
    per_host: Annotated[
        int | None, typer.Option(min=1, help="At most so many pages of a host.", rich_help_panel=_CHOICE)
    ] = None,
    pages: Annotated[int, typer.Option(min=1, help="At most so many pages.", rich_help_panel=_CHOICE)] = 100_000,
    megabytes: Annotated[
        float | None, typer.Option(min=0.001, help="At most so many megabytes of records.", rich_help_panel=_CHOICE)
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
    """Scores the pages of an index of web archives by the model, and chooses the best; nothing is fetched.

    The same command goes on where it was stopped. corpuskit fetch FOLDER NAME fetches what was chosen.
    """
    import corpuskit

    usage_error_if(sample == 0, "--sample 0: expected a share above 0 and up to 1")
    corpus = open_existing(folder)
    with config_errors_as_usage(), report_ctrl_c("what was scored is kept"), open_engine(on) as engine:
        found = corpus.archives.discover(
            corpuskit.commoncrawl(
                index, domains=domains or (), tld=tld or (), languages=languages or (), mime=mime or (), since=since,
                base=base, anonymous=not credentials,
            ),
            threshold=threshold, per_host=per_host, budget_pages=pages,
            budget_bytes=None if megabytes is None else round(megabytes * 1e6), sample=sample, on=engine,
            workers=workers, out=out, name=name,
        )  # fmt: skip
    if write is not None:
        found.write(write)
    if len(found):
        print_frame("Hosts", found.frame.head(20).drop(columns=["sampled", "relevant"]), spare=["bytes"])
    told, _, following = repr(found).rpartition("\n")
    typer.echo(told)
    typer.echo(_fetch_of(folder, found, base) if len(found) else following)
    if found.damaged:
        raise typer.Exit(3)


def _fetch_of(folder: Path, found: Discovery, base: str | None) -> str:
    """What fetches a discovery, as it is typed; a place on this machine must be named there, see ``Discovery.archives``."""
    from corpuskit.cli.common import quoted
    from corpuskit.discovery.discovery import is_public

    where = base or (None if is_public(found.archives) else found.archives.removeprefix("file://"))
    named = "" if where is None else f" --base {quoted(where)}"
    return f"next: {command_line('fetch', folder)} {quoted(found.name)}{named}"


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
        str | None, typer.Option(help="Where the archives are; must be named where they are on this machine.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Fetch only so many, drawn at random, and tell which share of them is relevant."),
    ] = None,
    on: On = "processes",
    workers: Workers = None,
    out: Out = None,
) -> None:
    """Fetches the pages that corpuskit discover chose from their archives into the corpus, by byte ranges.

    The same command goes on where it was stopped. With --sample it says how good the choice is, before all is fetched: by
    the model, and by labels as soon as pages of the sample have some.
    """
    usage_error_if(
        sample is not None and threshold is not None, "--threshold is for the whole: leave it out with --sample"
    )
    corpus = open_existing(folder)
    if sample is not None:
        how = {"requests_per_second": requests_per_second, "workers": workers, "out": out}
        _sample(corpus, name, base, sample, on, how)
        return
    with report_ctrl_c("what was fetched is kept"), open_engine(on) as engine:
        report = corpus.archives.fetch(
            name, threshold=threshold, requests_per_second=requests_per_second, base=base, on=engine, workers=workers,
            out=out,
        )  # fmt: skip
    typer.echo(repr(report))
    if report.failures or report.set_aside:
        typer.echo(f"{command_line('failures', folder)} lists what failed")
        raise typer.Exit(3)


def _sample(corpus: Corpus, name: str, base: str | None, number: int, on: str, how: dict[str, Any]) -> None:
    """Fetches a sample of a discovery, and tells of it."""
    from corpuskit.discovery import Discovery

    found = Discovery.resolve(corpus._folder, name, archives=base)
    with report_ctrl_c("what was fetched is kept"), open_engine(on) as engine:
        sample = found.sample(number, on=engine, **how)
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
    """Takes shards that corpuskit extract --on has made into a corpus."""
    with open_or_create(folder) as corpus, report_ctrl_c("merged shards are kept"):
        report = corpus.archives.merge(shards, progress=sys.stderr.isatty())
    typer.echo(repr(report))
    if report.damaged:
        raise typer.Exit(3)
