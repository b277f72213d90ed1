"""``corpuskit crawl``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from corpuskit.cli.folders import Folder, made_if_absent
from corpuskit.cli.hints import to_type, trusted
from corpuskit.cli.printing import print_frame, tell
from corpuskit.cli.usage import WrongUsageError, as_usage

if TYPE_CHECKING:
    from corpuskit.corpus import Corpus
    from corpuskit.crawl import CrawlJob
    from corpuskit.crawl.wording import Ways

_ROWS: Final = 40  # of a plan that are shown
_SITES: Final = 20
_COLUMNS: Final = [
    "host", "requests", "ok", "not_found", "forbidden", "no_answer", "queued", "refused", "refused_why"
]  # fmt: skip
_SPARE: Final = ["forbidden", "not_found", "queued", "no_answer", "refused_why", "refused"]

_which = partial(typer.Option, rich_help_panel="Which pages")
_order = partial(typer.Option, rich_help_panel="How they are found, and in which order")
_asking = partial(typer.Option, rich_help_panel="How sites are asked")
_ending = partial(typer.Option, rich_help_panel="When to stop")
_going_on = partial(typer.Option, rich_help_panel="Going on with an earlier crawl")


def crawl(
    folder: Folder,
    seeds: Annotated[list[str] | None, typer.Argument(help="URLs to begin with.", show_default=False)] = None,
    seed_file: Annotated[
        list[Path] | None, typer.Option("--seeds", help="A text file with one URL a line; repeatable.")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Fetch no page; show what would be fetched, and why not.")
    ] = False,
    links: Annotated[
        bool,
        typer.Option("--list", help="Print the URLs that the seeds lead to, one a line; the seeds are read, not kept."),
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="--plan: rows shown.")] = _ROWS,
    resume: Annotated[bool, _going_on("--resume", help="Go on with what is left, as that crawl was told to.")] = False,
    restart: Annotated[
        bool, _going_on("--restart", help="As --resume, and ask again for all that was fetched or failed.")
    ] = False,
    config: Annotated[
        Path | None, _going_on(help="A config.txt of the Language Resource Extractor: its root and options.")
    ] = None,
    forget: Annotated[
        list[str] | None,
        _going_on(help="With --resume: an option of that crawl to take back, as exclude or max-depth; repeatable."),
    ] = None,
    refresh: Annotated[
        bool | None, _going_on("--refresh/--no-refresh", help="Ask again for what was fetched; keep what changed.")
    ] = None,
    retry_failed: Annotated[
        bool, _going_on("--retry-failed", help="Ask again for what failed, and what robots.txt forbade.")
    ] = False,
    scope: Annotated[
        Literal["domain", "host", "path", "web"] | None, _which(help="How far from the seeds; default: domain.")
    ] = None,
    exclude: Annotated[
        list[str] | None, _which(help="Path never fetched, with * and a final $ as in robots.txt; repeatable.")
    ] = None,
    include: Annotated[
        list[str] | None, _which(help="Of links only paths like this, as '/news/*'; repeatable. Seeds are always read.")
    ] = None,
    language: Annotated[list[str] | None, _which(help="Only pages in this language, as en; repeatable.")] = None,
    max_depth: Annotated[int | None, _which(help="At most so many links from a seed.")] = None,
    traps: Annotated[
        bool | None, _which("--traps/--no-traps", help="Leave kinds of page that bring nothing new, as by default.")
    ] = None,
    allow_private: Annotated[
        bool | None, _which("--allow-private/--no-allow-private", help="Private addresses too.")
    ] = None,
    steer: Annotated[
        bool | None, _order("--steer/--no-steer", help="Fetch first what the last model expects relevant.")
    ] = None,
    sitemaps: Annotated[
        bool | None, _order("--sitemaps/--no-sitemaps", help="Read the sitemaps robots.txt names, as by default.")
    ] = None,
    guess_sitemaps: Annotated[bool, _order("--guess-sitemaps", help="Look for sitemaps elsewhere too.")] = False,
    feeds: Annotated[
        bool | None, _order("--feeds/--no-feeds", help="Read the feeds that pages name, as by default.")
    ] = None,
    render: Annotated[
        bool | None,
        _order("--render/--no-render", help="Show pages without text to a browser; needs the extra render."),
    ] = None,
    archived: Annotated[
        bool | None,
        _order("--archived/--no-archived", help="Take the Internet Archive's last copy of a page that failed."),
    ] = None,
    extract: Annotated[
        bool | None, _order("--extract/--no-extract", help="Extract now, as by default, or with the next crawl.")
    ] = None,
    pages: Annotated[int | None, _ending(help="After so many more pages.")] = None,
    minutes: Annotated[float | None, _ending(help="After so long.")] = None,
    host_pages: Annotated[int | None, _ending(help="Asking a host after so many of its pages.")] = None,
    max_errors: Annotated[int | None, _ending(help="After so many failed pages.")] = None,
    missing_counts: Annotated[
        bool | None,
        _ending("--missing-counts/--no-missing-counts", help="Pages that are not there count for --max-errors."),
    ] = None,
    max_megabytes: Annotated[float | None, _ending(help="After so much.")] = None,
    preset: Annotated[
        Literal["nlptextdoc"] | None, _ending(help="nlptextdoc: --max-errors 10 --no-missing-counts --min-unique 0.1.")
    ] = None,
    min_unique: Annotated[
        float | None,
        _ending(min=0, max=1, help="When less than this share of the last 1,000 pages' text was new, 0 to 1."),
    ] = None,
    min_harvest: Annotated[
        float | None,
        _ending(
            min=0,
            max=1,
            help="Steered: when the model calls less than this share of the last 200 pages relevant, 0 to 1.",
        ),
    ] = None,
    delay: Annotated[float | None, _asking(help="Seconds between two requests to one host; default 1.")] = None,
    connections: Annotated[int | None, _asking(help="Requests at the same time; default 16.")] = None,
    contact: Annotated[str | None, _asking(help="Your e-mail or page, sent with each request.")] = None,
    header: Annotated[
        list[str] | None,
        _asking(
            help="'Name: value', or @FILE with one a line; Cookie and Authorization go to the seeds' hosts only; "
            "repeatable."
        ),
    ] = None,
    netrc: Annotated[bool, _asking("--netrc", help="User and password of a host from ~/.netrc.")] = False,
    netrc_file: Annotated[Path | None, _asking(help="The same from this file.")] = None,
    proxy: Annotated[str | None, _asking(help="URL of an HTTP proxy.")] = None,
) -> None:
    """Crawls web sites into a corpus; Ctrl-C stops cleanly, --resume goes on.

    robots.txt, Crawl-delay and Retry-After are always obeyed. At the end, or with corpuskit status, you are told what
    became of each site.

    --resume keeps what the last crawl was told, but --pages, --minutes, --retry-failed and what is secret (--header,
    --netrc, --proxy); what you name now comes first. It begins with telling what it keeps. Defaults stand in corpus.toml.

    What may have been a moment's trouble (5xx, time-outs) is tried again by later crawls; a 404 and the like with
    --retry-failed, --refresh, or where it is named. The exit code is 3 where a seed could not be fetched; broken links that
    the crawl met are told and change no exit code.
    """
    from corpuskit.crawl import read_seeds

    chosen: dict[str, Any] = {
        "pages": pages, "scope": scope, "refresh": refresh, "delay": delay, "proxy": proxy, "exclude": exclude, "include": include,
        "languages": language, "contact": contact, "allow_private": allow_private, "connections": connections,
        "max_depth": max_depth, "host_pages": host_pages, "minutes": minutes, "max_errors": max_errors,
        "missing_counts": missing_counts, "preset": preset,
        "max_megabytes": max_megabytes, "min_unique": min_unique, "min_harvest": min_harvest,
        "sitemaps": "guess" if guess_sitemaps else sitemaps,
        "feeds": feeds, "traps": traps, "extract": extract, "render": render, "archived": archived, "netrc": netrc_file or netrc or None,
        "headers": _headers(header) if header else None, "retry_failed": retry_failed or None,
    }  # fmt: skip
    forgotten = [_forgotten(name) for name in forget or []]
    named = {name: value for name, value in chosen.items() if value is not None}
    _check(named)
    options: dict[str, Any] = dict.fromkeys(forgotten) | named
    roots: list[str] = []
    if config is not None:
        from corpuskit.hooks import hook

        roots, written = hook("read crawl configuration")(config)
        options = written | options
        typer.echo("\n".join(_taken(config, roots, written)), err=links)
    going_on = {"resume": resume, "restart": restart}
    with made_if_absent(folder) as corpus:
        with as_usage():
            read_seeds(seeds or [])
        if steer is not None:
            options["steer"] = _model(corpus, folder) if steer else None
        urls: list[str | Path] = [*roots, *(seeds or []), *(seed_file or [])]
        if links:
            _list(corpus, urls, {**going_on, **options})
        elif plan:
            _plan(corpus, urls, limit, {**going_on, **options})
        else:
            _crawl(corpus, folder, urls, {**going_on, **options})


def _check(named: dict[str, Any]) -> None:
    """Refuse values that cannot be, in the words of the command line, before a corpus is made."""
    import dataclasses

    from corpuskit.crawl import CrawlOptions
    from corpuskit.crawl.wording import option_name
    from corpuskit.errors import ConfigurationError

    if "://" not in (proxy := named.get("proxy", "://")):
        raise WrongUsageError(f"--proxy {proxy}: expected a URL such as http://127.0.0.1:8080")
    fields = {item.name for item in dataclasses.fields(CrawlOptions)}
    try:
        CrawlOptions(**{name: value for name, value in named.items() if name in fields})
    except ConfigurationError as error:
        name, _, what = str(error).partition(" ")
        raise WrongUsageError(f"{option_name(name)} {what}") from error


def _taken(config: Path, roots: list[str], written: dict[str, Any]) -> Iterator[str]:
    """What a config.txt gave."""
    from corpuskit.crawl.wording import on_command_line

    option = on_command_line("").option
    yield f"{config}: {' '.join([*roots, *(option(name, value) for name, value in written.items())])}"
    if re.search(r"(?im)^\s*storageDir\s*=", config.read_text("utf-8-sig", "replace")):
        yield f"{config}: storageDir is not taken: documents go to the corpus folder"


def _list(corpus: Corpus, seeds: list[str | Path], options: dict[str, Any]) -> None:
    """Only URLs go to the output, for the next program."""
    from corpuskit.store.formatting import pluralize

    frame = corpus.crawl(seeds, plan="links", **options)
    found = frame[frame["verdict"].eq("fetch") & frame["found"].ne("seed")]
    for url in found["url"]:
        typer.echo(url)
    for seed, why in frame.attrs["failed"].items():
        typer.echo(f"{seed}: {why}", err=True)
    reasons = frame.loc[frame["verdict"].eq("refused"), "why"].value_counts()
    refused = "; refused: " + ", ".join(f"{why} ({count:,})" for why, count in reasons.items()) if len(reasons) else ""
    named = frame["found"].ne("seed")
    known, later = (int((frame["verdict"].eq(verdict) & named).sum()) for verdict in ("known", "later"))
    left_out = f"; known already: {known:,}, --refresh lists them too" if known else ""
    left_out += f"; {later:,} more behind the first that --pages allows" if later else ""
    typer.echo(f"{pluralize(len(found), 'URL')}{left_out}{refused}", err=True)
    if frame.attrs["failed"]:
        raise typer.Exit(3)


def _plan(corpus: Corpus, seeds: list[str | Path], limit: int, options: dict[str, Any]) -> None:
    from corpuskit.crawl.planning import MAX_ROWS
    from corpuskit.store.formatting import pluralize

    frame = corpus.crawl(seeds, plan=True, **options)
    tell(frame.attrs["resumed_as_typed"])
    print_frame("Plan", frame.head(limit), spare=["host", "crawl_delay", "found", "why"])
    if len(frame) > limit:
        typer.echo(f"... {pluralize(len(frame) - limit, 'more row')}; --limit {len(frame)} shows them")
    if len(frame) >= MAX_ROWS:
        typer.echo(f"what comes behind the first {MAX_ROWS:,} URLs is not in the plan")
    typer.echo(", ".join(f"{count:,} {verdict}" for verdict, count in frame["verdict"].value_counts().items()))


def _crawl(corpus: Corpus, folder: Path, seeds: list[str | Path], options: dict[str, Any]) -> None:
    from corpuskit.crawl.wording import on_command_line

    ways, job = on_command_line(str(folder), trust=trusted.get()), None
    try:
        job = corpus.crawl(seeds, **options)
        tell("\n".join(job.told(ways)))
        job.wait(progress=sys.stderr.isatty())
    except KeyboardInterrupt:
        if job is None:
            typer.echo("Crawl stopped before it began: the same command begins again")
        else:
            _tell_end(job, ways)
        raise typer.Exit(130) from None
    _tell_end(job, ways)
    print_frame("Sites", job.report()[_COLUMNS].head(_SITES), spare=_SPARE)
    if job.failed_seeds or (job.closing.private and not job.progress.pages):
        raise typer.Exit(3)


def _tell_end(job: CrawlJob, ways: Ways) -> None:
    """How a crawl ended and how to go on."""
    tell("\n".join([job.summary, *job.closing.lines(ways)]))


def _model(corpus: Corpus, folder: Path) -> Any:
    from corpuskit.errors import RelevanceError

    model = corpus.model()
    if model is None:
        raise RelevanceError(f"there is no model to steer with: {to_type('train', folder)} makes one")
    return model


def option_of(name: str) -> str:
    """Return the name in Python of what is typed."""
    plain = name.lstrip("-").replace("-", "_")
    return {"language": "languages", "header": "headers", "netrc_file": "netrc", "guess_sitemaps": "sitemaps"}.get(
        plain, plain
    )


def _forgotten(name: str) -> str:
    """The name in Python of an option that an earlier crawl kept."""
    import dataclasses

    from corpuskit.crawl import DOORS, ONE_CALL, SECRET, CrawlOptions
    from corpuskit.crawl.wording import option_name

    kept = [item.name for item in dataclasses.fields(CrawlOptions) if item.name not in {*DOORS, *ONE_CALL, *SECRET}]
    if (plain := option_of(name)) not in {*kept, "steer"}:
        names = ", ".join(sorted(option_name(item).removeprefix("--") for item in [*kept, "steer"]))
        raise WrongUsageError(f"--forget {name}: no option that a crawl keeps; there are: {names}")
    return plain


def _headers(given: list[str]) -> dict[str, str]:
    """Headers of a request, as curl takes them."""
    lines: list[str] = []
    for text in given:
        lines += Path(text[1:]).read_text("utf-8").splitlines() if text.startswith("@") else [text]
    headers = {}
    for line in filter(str.strip, lines):
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise WrongUsageError("--header: expected 'Name: value'")  # the line may be a secret
        headers[name.strip()] = value.strip()
    return headers
