"""Command ``crawl``."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from corpuskit.cli.common import command_line
from corpuskit.cli.corpus_folders import Folder, open_or_create
from corpuskit.cli.printing import print_frame, print_lines
from corpuskit.cli.usage import WrongUsageError, config_errors_as_usage
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

_ROWS: Final = 40  # shown rows of a plan
_SITES: Final = 20
_COLUMNS: Final = [
    "host", "requests", "ok", "not_found", "forbidden", "no_answer", "queued", "refused", "refused_why"
]  # fmt: skip
_OPTIONAL_COLUMNS: Final = ["forbidden", "not_found", "queued", "no_answer", "refused_why", "refused"]
_resuming = functools.partial(typer.Option, rich_help_panel=RESUMING)
_order = functools.partial(typer.Option, rich_help_panel=ORDER)


def _parameter(name: str, option: OptionInfo) -> inspect.Parameter:
    """Return an option of a crawl as a parameter of a command. Its value is None if it is not on the command line."""
    flag, types = flag_of(name), TYPES[name]
    value_type: Any = types[0] | None
    if bool in types:
        # Options of one call and secrets have no --no-... form, since a resumed crawl does not inherit them.
        flag, value_type = (
            (f"{flag}/--no-{flag[2:]}" if option.lifetime in {"crawl", "permission"} else flag),
            bool | None,
        )
    elif option.choices:
        value_type = Literal[option.choices] | None
    elif tuple in types or Mapping in types:
        value_type = list[str] | None
    minimum, maximum = (option.minimum, option.maximum) if option.maximum is not None else (None, None)
    typed = typer.Option(
        flag, help=option.help, rich_help_panel=option.panel, show_default=False, min=minimum, max=maximum
    )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[value_type, typed]
    )


def _with_crawl_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a crawl to a command, which receives those on the command line as the dictionary ``named``."""
    own_parameters = [
        item for name, item in inspect.signature(command, eval_str=True).parameters.items() if name != "named"
    ]
    options = {name: _parameter(name, option) for name, option in OPTIONS.items() if option.help}

    @functools.wraps(command)
    def run(**values: Any) -> None:
        from_command_line = {name: values.pop(name) for name in options}
        command(**values, named={name: value for name, value in from_command_line.items() if value is not None})

    parameters = [*own_parameters, *options.values()]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    return run


@_with_crawl_options
def crawl(
    folder: Folder,
    seeds: Annotated[list[str] | None, typer.Argument(help="URLs to begin with.", show_default=False)] = None,
    seed_file: Annotated[
        list[Path] | None, typer.Option("--seeds", help="A text file with one URL per line; repeatable.")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Fetch no page; show which URLs would be fetched, and why not.")
    ] = False,
    links: Annotated[
        bool,
        typer.Option("--list", help="Print the URLs that the seeds link to, one per line; the seeds are not stored."),
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="--plan: number of rows.")] = _ROWS,
    resume: Annotated[bool, _resuming("--resume", help="Continue the last crawl with its options.")] = False,
    restart: Annotated[
        bool, _resuming("--restart", help="Like --resume, and request all fetched and failed pages again.")
    ] = False,
    config: Annotated[
        Path | None, _resuming(help="A config.txt of the Language Resource Extractor, with root and options.")
    ] = None,
    reset: Annotated[
        list[str] | None,
        _resuming(
            "--forget", help="With --resume: reset an option of that crawl, such as exclude or max-depth; repeatable."
        ),
    ] = None,
    steer: Annotated[
        bool | None, _order("--steer/--no-steer", help="Fetch pages first that the last model expects to be relevant.")
    ] = None,
    guess_sitemaps: Annotated[bool, _order("--guess-sitemaps", help="Also try usual locations of sitemaps.")] = False,
    preset: Annotated[
        Literal["nlptextdoc"] | None,
        typer.Option(help="nlptextdoc: --max-errors 10 --no-missing-counts --min-unique 0.1.", rich_help_panel=END),
    ] = None,
    netrc_file: Annotated[
        Path | None, typer.Option(help="Like --netrc, from this file.", rich_help_panel=REQUESTS)
    ] = None,
    *,
    named: dict[str, Any],
) -> None:
    """Crawl web sites into a corpus. Ctrl-C stops the crawl, --resume continues it.

    robots.txt, Crawl-delay and Retry-After are always obeyed. The end of the crawl and corpuskit status show the
    results per site.

    --resume inherits the options of the last crawl, except --pages, --minutes, --retry-failed and secrets (--header,
    --netrc, --proxy). Options on the command line override them. Inherited options are shown at the start. Defaults are
    in corpus.toml.

    Temporary failures (5xx, time-outs) are retried by later crawls; errors such as 404 with --retry-failed, --refresh,
    or as a seed. The exit code is 3 if a seed could not be fetched. Broken links are reported and do not change the
    exit code.
    """
    from corpuskit.crawl import read_seeds

    extra = {"sitemaps": "guess" if guess_sitemaps else None, "netrc": netrc_file, "preset": preset}
    named |= {name: value for name, value in extra.items() if value is not None}
    if "headers" in named:
        named["headers"] = _headers(named["headers"])
    reset_options = [_inherited_option(name) for name in reset or []]
    if "://" not in (proxy := named.get("proxy", "://")):
        raise WrongUsageError(f"--proxy {proxy}: expected a URL such as http://127.0.0.1:8080")
    with config_errors_as_usage():  # before a corpus is created
        CrawlOptions(**{name: value for name, value in named.items() if name != "preset"})
    options: dict[str, Any] = dict.fromkeys(reset_options) | named
    roots: list[str] = []
    if config is not None:
        from corpuskit.hooks import hook

        roots, settings = hook("read crawl configuration")(config)
        options = settings | options
        typer.echo("\n".join(_describe_config(config, roots, settings)), err=links)
    options |= {"resume": resume, "restart": restart}
    with open_or_create(folder) as corpus:
        with config_errors_as_usage():
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


def _describe_config(config: Path, roots: list[str], settings: dict[str, Any]) -> Iterator[str]:
    """Describe the settings of a config.txt."""
    yield f"{config}: {' '.join([*roots, *(f'{name}={value!r}' for name, value in settings.items())])}"
    if re.search(r"(?im)^\s*storageDir\s*=", config.read_text("utf-8-sig", "replace")):
        yield f"{config}: storageDir is ignored, since documents are stored in the corpus folder"


def _list(corpus: Corpus, seeds: list[str | Path], options: dict[str, Any]) -> None:
    """Print the URLs only, as input for other programs; messages go to stderr."""
    from corpuskit.store.formatting import pluralize

    frame = corpus.crawl(seeds, plan="links", **options)
    urls = frame[frame["verdict"].eq("fetch") & frame["found"].ne("seed")]
    for url in urls["url"]:
        typer.echo(url)
    for seed, why in frame.attrs["failed"].items():
        typer.echo(f"{seed}: {why}", err=True)
    reasons = frame.loc[frame["verdict"].eq("refused"), "why"].value_counts()
    refused = "; refused: " + ", ".join(f"{why} ({count:,})" for why, count in reasons.items()) if len(reasons) else ""
    is_linked = frame["found"].ne("seed")
    known, later = (int((frame["verdict"].eq(verdict) & is_linked).sum()) for verdict in ("known", "later"))
    left_out = f"; already fetched: {known:,}, --refresh lists them too" if known else ""
    left_out += f"; {later:,} more than --pages allows" if later else ""
    typer.echo(f"{pluralize(len(urls), 'URL')}{left_out}{refused}", err=True)
    if frame.attrs["failed"]:
        raise typer.Exit(3)


def _plan(corpus: Corpus, seeds: list[str | Path], limit: int, options: dict[str, Any]) -> None:
    from corpuskit.crawl.planning import MAX_ROWS
    from corpuskit.store.formatting import pluralize

    frame = corpus.crawl(seeds, plan=True, **options)
    print_lines(frame.attrs["resumed"])
    print_frame("Plan", frame.head(limit), spare=["host", "crawl_delay", "found", "why"])
    if len(frame) > limit:
        typer.echo(f"... {pluralize(len(frame) - limit, 'more row')}; --limit {len(frame)} shows them")
    if len(frame) >= MAX_ROWS:
        typer.echo(f"the plan contains only the first {MAX_ROWS:,} URLs")
    typer.echo(", ".join(f"{count:,} {verdict}" for verdict, count in frame["verdict"].value_counts().items()))


def _crawl(corpus: Corpus, seeds: list[str | Path], options: dict[str, Any]) -> None:
    job = None
    try:
        job = corpus.crawl(seeds, **options)
        print_lines(job.resumed)
        job.wait(progress=sys.stderr.isatty())
    except KeyboardInterrupt:
        if job is None:
            typer.echo("Crawl stopped before it started: repeat the command")
        else:
            _print_outcome(job)
        raise typer.Exit(130) from None
    _print_outcome(job)
    print_frame("Sites", job.report()[_COLUMNS].head(_SITES), spare=_OPTIONAL_COLUMNS)
    if job.failed_seeds or (job.outcome.private and not job.progress.pages):
        raise typer.Exit(3)


def _print_outcome(job: CrawlJob) -> None:
    """Print how a crawl ended and how to continue."""
    print_lines("\n".join([job.summary, *job.outcome.lines()]))


def _model(corpus: Corpus, folder: Path) -> Any:
    from corpuskit.errors import RelevanceError

    model = corpus.model()
    if model is None:
        raise RelevanceError(
            f"--steer needs a model, and the corpus does not have one: train it with {command_line('train', folder)}"
        )
    return model


def _inherited_option(name: str) -> str:
    """Return the name of an inherited option.

    Raises:
        WrongUsageError: The option is unknown.
    """
    inherited = {flag_of(item).removeprefix("--"): item for item in (*options_with_lifetime("crawl"), "steer")}
    inherited["guess-sitemaps"] = "sitemaps"
    flag = name.lstrip("-").replace("_", "-")
    if flag not in inherited:
        raise WrongUsageError(f"--forget {name}: expected one of {', '.join(sorted(inherited))}")
    return inherited[flag]


def _headers(arguments: list[str]) -> dict[str, str]:
    """Parse request headers in the syntax of curl."""
    lines: list[str] = []
    for text in arguments:
        lines += Path(text[1:]).read_text("utf-8").splitlines() if text.startswith("@") else [text]
    headers = {}
    for line in filter(str.strip, lines):
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise WrongUsageError("--header: expected 'Name: value'")  # the line may be a secret
        headers[name.strip()] = value.strip()
    return headers
