"""corpuskit extract: pages and files as documents, in any format."""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import typer

from corpuskit.cli.folders import lines_of
from corpuskit.cli.printing import printable

_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_DELAY: Final = 1.0  # seconds between two requests to one host
_CHOICES: Final = "What is main content"
_KEPT: Final = "What is kept"
_WHICH: Final = "Which documents"


@dataclass(frozen=True, slots=True)
class _Input:
    """A page or file, and where its output goes below the folder, without suffix."""

    source: str
    name: str


@dataclass(frozen=True, slots=True)
class _Output:
    """How documents are written."""

    format: str
    everything: bool
    metadata: bool | None
    probe: bool


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """A document that is not wanted, and why."""

    why: str


def extract(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders, patterns or URLs; with --on: web archives, folders, patterns, then the output.",
            show_default=False,
        ),
    ] = None,
    input_list: Annotated[
        Path | None, typer.Option("--input-list", "-i", help="A file with a file or URL a line.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A file; for several documents a folder. Default: the screen.")
    ] = None,
    keep_dirs: Annotated[bool, typer.Option("--keep-dirs", help="Folders below --out as those of the input.")] = False,
    format: Annotated[
        str, typer.Option("--format", "-f", help="nlp.txt, txt, markdown, json, csv, html, xml or tei.")
    ] = "nlp.txt",
    main: Annotated[bool, typer.Option("--main", help="The same as --format txt.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All of the page, not its main content only.")] = False,
    with_metadata: Annotated[
        bool | None, typer.Option("--with-metadata/--no-metadata", help="Title, author, date and the like too.")
    ] = None,
    probe: Annotated[
        bool, typer.Option("--probe", help="Only print which of them have main text, in --target-language.")
    ] = False,
    parallel: Annotated[int, typer.Option("--parallel", help="So many processes.", min=1)] = 1,
    main_by: Annotated[
        str,
        typer.Option(help="Who chooses the main content: model, rules, trafilatura or all.", rich_help_panel=_CHOICES),
    ] = "model",
    favor: Annotated[str | None, typer.Option(help="precision or recall.", rich_help_panel=_CHOICES)] = None,
    precision: Annotated[bool, typer.Option("--precision", help="--favor precision", rich_help_panel=_CHOICES)] = False,
    recall: Annotated[bool, typer.Option("--recall", help="--favor recall", rich_help_panel=_CHOICES)] = False,
    comments: Annotated[
        bool, typer.Option("--comments/--no-comments", help="Comments of readers.", rich_help_panel=_CHOICES)
    ] = False,
    tables: Annotated[bool, typer.Option("--tables/--no-tables", help="Tables.", rich_help_panel=_CHOICES)] = True,
    deduplicate: Annotated[
        bool, typer.Option("--deduplicate", help="A block that stood before is not main.", rich_help_panel=_CHOICES)
    ] = False,
    link_density: Annotated[
        float | None, typer.Option(help="A greater share of links is not main, 0 to 1.", rich_help_panel=_CHOICES)
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(help="XPath or CSS selector of parts to leave out; repeatable.", rich_help_panel=_KEPT),
    ] = None,
    links: Annotated[
        bool, typer.Option("--links", help="Trafilatura's output with links; ours has them.", rich_help_panel=_KEPT)
    ] = False,
    images: Annotated[
        bool, typer.Option("--images", help="Images with their addresses.", rich_help_panel=_KEPT)
    ] = False,
    formatting: Annotated[
        bool, typer.Option("--formatting", help="Bold, italic, code.", rich_help_panel=_KEPT)
    ] = False,
    hidden: Annotated[bool, typer.Option("--hidden", help="What nobody can see.", rich_help_panel=_KEPT)] = False,
    target_language: Annotated[
        str | None, typer.Option(help="Only texts in this language, as en.", rich_help_panel=_WHICH)
    ] = None,
    only_with_metadata: Annotated[
        bool, typer.Option("--only-with-metadata", help="Only with title, date and address.", rich_help_panel=_WHICH)
    ] = False,
    url_filter: Annotated[
        list[str] | None, typer.Option(help="Only inputs that hold this text; repeatable.", rich_help_panel=_WHICH)
    ] = None,
    blacklist: Annotated[
        Path | None, typer.Option("--blacklist", "-b", help="A file with inputs to pass over.", rich_help_panel=_WHICH)
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(help="Extract shards: serial, processes, dask, or tcp://HOST:PORT of a Dask scheduler."),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="With --on: processes; default: one a CPU.")] = None,
    base: Annotated[
        str | None, typer.Option(help="With --on: what paths of a list of archives are relative to.")
    ] = None,
) -> None:
    """Prints pages and files as documents, or writes them; with --on extracts whole archives, on disk or in a store.

    corpuskit extract page.html -f markdown prints a page's main content; corpuskit extract -i urls.txt -o texts -f json
    writes a file each. One request a second goes to a host. What failed is told, and the rest goes on.

    corpuskit extract --on dask "s3://bucket/crawl/*.warc.gz" s3://bucket/out/ makes shards that corpuskit merge takes
    into a corpus. Stopped or killed, the same command goes on.
    """
    from corpuskit.errors import ConfigurationError
    from corpuskit.extraction import ExtractOptions

    if favor not in {None, "precision", "recall"}:
        raise ConfigurationError(f"--favor {favor}: expected precision or recall")
    chosen: Any = favor or ("precision" if precision else "recall" if recall else None)
    by: Any = main_by
    options = ExtractOptions(
        favor=chosen, main=by, comments=comments, tables=tables, deduplicate=deduplicate, link_density=link_density,
        drop=tuple(drop or ()), links=links, image_addresses=images, formatting=formatting, hidden=hidden,
        target_language=target_language, only_with_metadata=only_with_metadata,
    )  # fmt: skip
    if on is not None:
        _extract_shards(sources or [], on, workers, base, options)
        return
    given = [*(sources or []), *(lines_of(input_list) if input_list else [])]
    if not given:
        raise typer.BadParameter("nothing to extract: name files, folders or URLs, or a list with -i")
    passed_over = set(lines_of(blacklist)) if blacklist else set()
    inputs = [one for one in _inputs(given, keep_dirs) if one.source not in passed_over]
    lacking = [one.source for one in inputs if not _URL.match(one.source) and not Path(one.source).exists()]
    if url_filter and lacking:  # else a second word behind --url-filter would be filtered away unsaid
        raise ConfigurationError(f"{lacking[0]}: no such file or folder; --url-filter is given once for each part")
    if url_filter:
        inputs = [one for one in inputs if any(part in one.source for part in url_filter)]
    output = _Output("txt" if main else format, everything, with_metadata, probe)
    many = len(inputs) != 1 or input_list is not None or Path(given[0]).is_dir() or (out is not None and out.is_dir())
    failed = _run(inputs, out, output, options, parallel, many=many)
    if failed:
        raise typer.Exit(3 if many else 1)


def _inputs(given: list[str], keep_dirs: bool) -> Iterator[_Input]:
    """Files of folders and patterns, and URLs; names of outputs are unique."""
    import glob

    from corpuskit.sources.files import find_files
    from corpuskit.store.paths import document_path, safe_segment

    taken: set[str] = set()
    for source in given:
        is_one = _URL.match(source) or not (Path(source).is_dir() or glob.has_magic(source))
        found: list[Any] = [source] if is_one else [(str(file.path), file.uri) for file in find_files([source])]
        for one in found:
            path, uri = (one, one) if isinstance(one, str) else one
            # Of a folder that was named the output takes the place; those below it are kept where asked.
            inside = [Path(path).name] if path is uri else uri.split("/")[1:]
            parts = document_path(uri).split("/") if _URL.match(path) else [safe_segment(part) for part in inside]
            name = "/".join(parts) if keep_dirs else "_".join(parts)
            number, plain = 1, name
            while name.casefold() in taken:
                number += 1
                name = f"{plain}-{number}"
            taken.add(name.casefold())
            yield _Input(path, name)


def _run(inputs: list[_Input], out: Path | None, output: _Output, options: Any, parallel: int, *, many: bool) -> int:
    """Extract all, one after the other or in processes; return how many failed."""
    from functools import partial

    from corpuskit import engine
    from corpuskit.export.one import SUFFIXES

    work = partial(_extract_one, options=options, output=output)
    fetched = ((one, _content(one.source)) for one in inputs)
    limits = engine.Limits(seconds=120, memory=6 * 1024**3)
    failed = left_out = 0
    # One alone is extracted here; a PDF goes into a process of its own anyway.
    where: Any = "processes" if len(inputs) > 1 else "serial"
    for number, outcome in enumerate(engine.run(work, fetched, on=where, workers=parallel, limits=limits)):
        one, _ = outcome.item
        if outcome.error is not None:
            failed += 1
            typer.echo(f"corpuskit: {printable(outcome.error)}", err=True)
        elif isinstance(outcome.value, _LeftOut):
            left_out += 1
            typer.echo(f"corpuskit: {printable(one.source)} left out: {printable(outcome.value.why)}", err=True)
        elif out is None:
            text = outcome.value or ""
            has_head = output.format == "csv" and number > failed + left_out
            text = text.partition("\n")[2] if has_head else text
            # The next document, or the prompt, begins a line of its own.
            sys.stdout.write(text + "\n" if text and not text.endswith("\n") else text)
        else:
            suffix = SUFFIXES.get(output.format, f".{output.format}")
            file = out / f"{one.name}{suffix}" if many else out
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(outcome.value or "", "utf-8", newline="\n")
            if not many:
                typer.echo(f"{file}: {len((outcome.value or '').split()):,} words")
    if many and out is not None:
        told = f", {left_out:,} left out" * bool(left_out) + f", {failed:,} failed" * bool(failed)
        typer.echo(f"{len(inputs) - failed - left_out:,} documents in {out}{told}")
    return failed


_next: dict[str, float] = {}


def _content(source: str) -> Any:
    """What is to be extracted: a path; of a URL the answer, fetched here, for processes would not wait for each other."""
    from corpuskit.errors import CorpusKitError

    if not _URL.match(source):
        return source
    from corpuskit.sources.web import fetch

    host = urlsplit(source).netloc.lower()
    time.sleep(max(0.0, _next.get(host, 0.0) - time.monotonic()))
    try:
        answer = fetch(source)
    except CorpusKitError as error:
        return error
    finally:
        _next[host] = time.monotonic() + _DELAY
    from corpuskit.sources.single import Opened

    return Opened(answer.content, answer.media_type, answer.uri, answer.charset, answer.modified, answer.fetched)


def _extract_one(item: tuple[_Input, Any], *, options: Any, output: _Output) -> str | _LeftOut:
    """A page or file in a format. Runs in a worker process."""
    import corpuskit
    from corpuskit.extraction.choices import why_nothing_is_main
    from corpuskit.sources.single import Opened

    source, content = item
    if isinstance(content, Exception):
        raise content
    if isinstance(content, Opened):
        document = corpuskit._extract_opened(content, options)
    else:
        document = corpuskit.extract(source.source, options=options)
    if why := why_nothing_is_main(document, options):
        return "" if output.probe else _LeftOut(why)
    if output.probe:
        return f"{source.source}\n" if any(map(str.isalpha, document.to_text(main=True))) else ""
    return document.to(output.format, main=not output.everything, metadata=output.metadata)


def _extract_shards(sources: list[str], on: str, workers: int | None, base: str | None, options: Any) -> None:
    from corpuskit.errors import ConfigurationError, MissingExtraError
    from corpuskit.shards import extract_shards

    if len(sources) < 2:
        raise ConfigurationError("extract --on: expected what to extract, then the folder or URL for the output")
    with contextlib.ExitStack() as stack:
        engine: Any = on
        if "://" in on:
            try:
                from distributed import Client
            except ImportError:
                raise MissingExtraError("distributed", "dask") from None
            engine = stack.enter_context(Client(on))  # type: ignore[no-untyped-call]
        report = extract_shards(sources[:-1], sources[-1], on=engine, workers=workers, base=base, options=options)
    typer.echo(repr(report))
    if report.quarantined:
        raise typer.Exit(3)
