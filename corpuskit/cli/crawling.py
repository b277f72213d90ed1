"""``corpuskit crawl``."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from corpuskit.cli.common import to_type
from corpuskit.cli.corpus_folders import Folder, made_if_absent
from corpuskit.cli.printing import print_frame, tell
from corpuskit.cli.usage import WrongUsageError, as_usage
from corpuskit.crawl.options import (
    END,
    OPTIONS,
    ORDER,
    REQUESTS,
    RESUMING,
    TYPES,
    CrawlOptions,
    OptionInfo,
    flag_of,
    options_with_lifetime,
)

if TYPE_CHECKING:
    from corpuskit.corpus import Corpus
    from corpuskit.crawl import CrawlJob

_ROWS: Final = 40  # of a plan that are shown
_SITES: Final = 20
_COLUMNS: Final = [
    "host", "requests", "ok", "not_found", "forbidden", "no_answer", "queued", "refused", "refused_why"
]  # fmt: skip
_SPARE: Final = ["forbidden", "not_found", "queued", "no_answer", "refused_why", "refused"]
_resuming = functools.partial(typer.Option, rich_help_panel=RESUMING)
_order = functools.partial(typer.Option, rich_help_panel=ORDER)


def _parameter(name: str, option: OptionInfo) -> inspect.Parameter:
    """Return an option of a crawl as a parameter of a command; it is None if it is not typed."""
    flag, types = flag_of(name), TYPES[name]
    kind: Any = types[0] | None
    if bool in types:
        # What counts for one call or is a secret is no choice to be taken back.
        flag, kind = (f"{flag}/--no-{flag[2:]}" if option.lifetime in {"crawl", "permission"} else flag), bool | None
    elif option.choices:
        kind = Literal[option.choices] | None
    elif tuple in types or Mapping in types:
        kind = list[str] | None
    least, most = (option.minimum, option.maximum) if option.maximum is not None else (None, None)
    typed = typer.Option(flag, help=option.help, rich_help_panel=option.panel, show_default=False, min=least, max=most)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, typed])


def _with_crawl_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a crawl to a command, which gets those that are typed as the dictionary ``named``."""
    own = [item for name, item in inspect.signature(command, eval_str=True).parameters.items() if name != "named"]
    options = {name: _parameter(name, option) for name, option in OPTIONS.items() if option.help}

    @functools.wraps(command)
    def run(**values: Any) -> None:
        typed = {name: values.pop(name) for name in options}
        command(**values, named={name: value for name, value in typed.items() if value is not None})

    parameters = [*own, *options.values()]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    return run


@_with_crawl_options
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
    resume: Annotated[bool, _resuming("--resume", help="Go on with what is left, as that crawl was told to.")] = False,
    restart: Annotated[
        bool, _resuming("--restart", help="As --resume, and ask again for all that was fetched or failed.")
    ] = False,
    config: Annotated[
        Path | None, _resuming(help="A config.txt of the Language Resource Extractor: its root and options.")
    ] = None,
    forget: Annotated[
        list[str] | None,
        _resuming(help="With --resume: an option of that crawl to take back, as exclude or max-depth; repeatable."),
    ] = None,
    steer: Annotated[
        bool | None, _order("--steer/--no-steer", help="Fetch first what the last model expects relevant.")
    ] = None,
    guess_sitemaps: Annotated[bool, _order("--guess-sitemaps", help="Look for sitemaps elsewhere too.")] = False,
    preset: Annotated[
        Literal["nlptextdoc"] | None,
        typer.Option(help="nlptextdoc: --max-errors 10 --no-missing-counts --min-unique 0.1.", rich_help_panel=END),
    ] = None,
    netrc_file: Annotated[
        Path | None, typer.Option(help="As --netrc, from this file.", rich_help_panel=REQUESTS)
    ] = None,
    *,
    named: dict[str, Any],
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

    extra = {"sitemaps": "guess" if guess_sitemaps else None, "netrc": netrc_file, "preset": preset}
    named |= {name: value for name, value in extra.items() if value is not None}
    if "headers" in named:
        named["headers"] = _headers(named["headers"])
    forgotten = [_forgotten(name) for name in forget or []]
    if "://" not in (proxy := named.get("proxy", "://")):
        raise WrongUsageError(f"--proxy {proxy}: expected a URL such as http://127.0.0.1:8080")
    with as_usage():  # before a corpus is made
        CrawlOptions(**{name: value for name, value in named.items() if name != "preset"})
    options: dict[str, Any] = dict.fromkeys(forgotten) | named
    roots: list[str] = []
    if config is not None:
        from corpuskit.hooks import hook

        roots, written = hook("read crawl configuration")(config)
        options = written | options
        typer.echo("\n".join(_taken(config, roots, written)), err=links)
    options |= {"resume": resume, "restart": restart}
    with made_if_absent(folder) as corpus:
        with as_usage():
            read_seeds(seeds or [])
        if steer is not None:
            options["steer"] = _model(corpus, folder) if steer else None
        urls: list[str | Path] = [*roots, *(seeds or []), *(seed_file or [])]
        if links:
            _list(corpus, urls, options)
        elif plan:
            _plan(corpus, urls, limit, options)
        else:
            _crawl(corpus, urls, options)


def _taken(config: Path, roots: list[str], written: dict[str, Any]) -> Iterator[str]:
    """Describe what a config.txt set."""
    yield f"{config}: {' '.join([*roots, *(f'{name}={value!r}' for name, value in written.items())])}"
    if re.search(r"(?im)^\s*storageDir\s*=", config.read_text("utf-8-sig", "replace")):
        yield f"{config}: storageDir is not taken: documents go to the corpus folder"


def _list(corpus: Corpus, seeds: list[str | Path], options: dict[str, Any]) -> None:
    """Only URLs go to the output, for the next program."""
    from corpuskit.store.telling import counted

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
    typer.echo(f"{counted(len(found), 'URL')}{left_out}{refused}", err=True)
    if frame.attrs["failed"]:
        raise typer.Exit(3)


def _plan(corpus: Corpus, seeds: list[str | Path], limit: int, options: dict[str, Any]) -> None:
    from corpuskit.crawl.planning import MAX_ROWS
    from corpuskit.store.telling import counted

    frame = corpus.crawl(seeds, plan=True, **options)
    tell(frame.attrs["resumed"])
    print_frame("Plan", frame.head(limit), spare=["host", "crawl_delay", "found", "why"])
    if len(frame) > limit:
        typer.echo(f"... {counted(len(frame) - limit, 'more row')}; --limit {len(frame)} shows them")
    if len(frame) >= MAX_ROWS:
        typer.echo(f"what comes behind the first {MAX_ROWS:,} URLs is not in the plan")
    typer.echo(", ".join(f"{count:,} {verdict}" for verdict, count in frame["verdict"].value_counts().items()))


def _crawl(corpus: Corpus, seeds: list[str | Path], options: dict[str, Any]) -> None:
    job = None
    try:
        job = corpus.crawl(seeds, **options)
        tell(job.resumed)
        job.wait(progress=sys.stderr.isatty())
    except KeyboardInterrupt:
        if job is None:
            typer.echo("Crawl stopped before it began: the same command begins again")
        else:
            _tell_end(job)
        raise typer.Exit(130) from None
    _tell_end(job)
    print_frame("Sites", job.report()[_COLUMNS].head(_SITES), spare=_SPARE)
    if job.failed_seeds or (job.outcome.private and not job.progress.pages):
        raise typer.Exit(3)


def _tell_end(job: CrawlJob) -> None:
    """Print how a crawl ended and how to go on."""
    tell("\n".join([job.summary, *job.outcome.lines()]))


def _model(corpus: Corpus, folder: Path) -> Any:
    from corpuskit.errors import RelevanceError

    model = corpus.model()
    if model is None:
        raise RelevanceError(f"there is no model to steer with: {to_type('train', folder)} makes one")
    return model


def _forgotten(name: str) -> str:
    """Return the name of an option that an earlier crawl kept.

    Raises:
        WrongUsageError: There is none of this name.
    """
    kept = {flag_of(item).removeprefix("--"): item for item in (*options_with_lifetime("crawl"), "steer")}
    kept["guess-sitemaps"] = "sitemaps"
    plain = name.lstrip("-").replace("_", "-")
    if plain not in kept:
        raise WrongUsageError(f"--forget {name}: no option that a crawl keeps; there are: {', '.join(sorted(kept))}")
    return kept[plain]


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
