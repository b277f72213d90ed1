"""Command ``extract``: convert pages and files into documents of any format."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

import typer

from corpuskit.cli.common import open_engine
from corpuskit.cli.corpus_folders import read_lines, report_ctrl_c
from corpuskit.cli.printing import printable
from corpuskit.cli.usage import usage_error_if
from corpuskit.errors import SourceError

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)  # any scheme: fetch() rejects unsupported ones
_DELAY: Final = 1.0  # seconds between two requests to one host
_MAIN_CONTENT: Final = "Main content"
_CONTENT: Final = "Content"
_FILTERS: Final = "Filters"
_main_option = partial(typer.Option, rich_help_panel=_MAIN_CONTENT)
_content_option = partial(typer.Option, rich_help_panel=_CONTENT)
_filter_option = partial(typer.Option, rich_help_panel=_FILTERS)
_STDIN: Final = "-"


@dataclass(frozen=True, slots=True)
class _Input:
    """Input page or file, and the name of its output without suffix."""

    source: str
    name: str


@dataclass(frozen=True, slots=True)
class _Output:
    """Form of the output."""

    format: str
    everything: bool
    metadata: bool | None
    probe: bool


@dataclass(frozen=True, slots=True)
class _Excluded:
    """A document excluded by a filter, and the reason."""

    reason: str


def extract(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders, patterns, URLs, or - for stdin; with --on: web archives, folders, patterns, "
            "then the output.",
            show_default=False,
        ),
    ] = None,
    input_list: Annotated[
        Path | None, typer.Option("--input-list", "-i", help="A file with one file or URL per line.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="PATH",
            help="A file, or a folder for several documents or if it ends with /. Default: stdout.",
        ),
    ] = None,
    keep_dirs: Annotated[
        bool, typer.Option("--keep-dirs", help="Keep the directories of the input below --out.")
    ] = False,
    format: Annotated[
        str | None,
        typer.Option("--format", "-f", help="nlp.txt (the default), txt, markdown, json, csv, html, xml or tei."),
    ] = None,
    main: Annotated[bool, typer.Option("--main", help="The same as --format txt.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="The complete page instead of its main content.")] = False,
    with_metadata: Annotated[
        bool | None,
        typer.Option("--with-metadata/--no-metadata", help="Include title, author, date and other metadata."),
    ] = None,
    probe: Annotated[
        bool, typer.Option("--probe", help="Only print which inputs have main text, in --target-language.")
    ] = False,
    parallel: Annotated[int, typer.Option("--parallel", help="Number of processes.", min=1)] = 1,
    main_by: Annotated[
        Literal["model", "rules", "trafilatura", "all"],
        _main_option(help="Method that selects the main content."),
    ] = "model",
    favor: Annotated[Literal["precision", "recall"] | None, _main_option(help="Preference in uncertain cases.")] = None,
    precision: Annotated[bool, _main_option("--precision", help="--favor precision")] = False,
    recall: Annotated[bool, _main_option("--recall", help="--favor recall")] = False,
    comments: Annotated[bool, _main_option("--comments/--no-comments", help="Comments of readers.")] = False,
    tables: Annotated[bool, _main_option("--tables/--no-tables", help="Tables.")] = True,
    deduplicate: Annotated[
        bool, _main_option("--deduplicate", help="Exclude repeated blocks from the main content.")
    ] = False,
    link_density: Annotated[
        float | None, _main_option(help="Maximum share of links in main content, 0 to 1.", min=0, max=1)
    ] = None,
    drop: Annotated[
        list[str] | None,
        _content_option(help="XPath or CSS selector of parts to leave out; repeatable."),
    ] = None,
    links: Annotated[
        bool,
        _content_option("--links", help="Links in the output of Trafilatura; the other methods always include them."),
    ] = False,
    images: Annotated[bool, _content_option("--images", help="Images with their addresses.")] = False,
    formatting: Annotated[bool, _content_option("--formatting", help="Bold, italic, code.")] = False,
    hidden: Annotated[bool, _content_option("--hidden", help="Hidden content.")] = False,
    target_language: Annotated[str | None, _filter_option(help="Only texts in this language, such as en.")] = None,
    only_with_metadata: Annotated[
        bool, _filter_option("--only-with-metadata", help="Only with title, date and address.")
    ] = False,
    url_filter: Annotated[
        list[str] | None, _filter_option(help="Only inputs that contain this text; repeatable.")
    ] = None,
    blacklist: Annotated[
        list[Path] | None,
        _filter_option("--blacklist", "-b", help="A file with inputs to skip; repeatable."),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(help="Extract shards: serial, processes, dask, or tcp://HOST:PORT of a Dask scheduler."),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="With --on: number of processes; default: one per CPU.")] = None,
    base: Annotated[str | None, typer.Option(help="With --on: base of the paths in a list of archives.")] = None,
) -> None:
    """Convert pages and files into documents on stdout or in files; with --on, extract archives on disk or in a store.

    corpuskit extract page.html -f markdown prints the main content of a page. corpuskit extract -i urls.txt -o texts -f
    json writes one file per URL. Each host receives one request per second. Failures are reported, and the other inputs
    are extracted.

    corpuskit extract --on dask "s3://bucket/crawl/*.warc.gz" s3://bucket/out/ creates shards for corpuskit merge. After
    an interruption, repeat the command to continue.
    """
    from corpuskit.extraction import ExtractOptions
    from corpuskit.store.formatting import pluralize

    favors = {name for name, is_named in (("precision", precision), ("recall", recall), (favor, favor)) if is_named}
    usage_error_if(len(favors) > 1, "--favor, --precision and --recall: expected only one of them")
    usage_error_if(main and format not in {None, "txt"}, f"--main means --format txt: omit --main or --format {format}")
    usage_error_if(keep_dirs and out is None, "--keep-dirs: expected --out with the folder to write to")
    usage_error_if(probe and out is not None, "--probe does not write files: omit --out")
    output = _Output("txt" if main else _format_name(format), everything, with_metadata, probe)
    favored: Any = next(iter(favors), None)
    options = ExtractOptions(
        favor=favored, main=main_by, comments=comments, tables=tables, deduplicate=deduplicate, link_density=link_density,
        drop=tuple(drop or ()), links=links, image_addresses=images, formatting=formatting, hidden=hidden,
        target_language=target_language, only_with_metadata=only_with_metadata,
    )  # fmt: skip
    if on is not None:
        _extract_shards(sources or [], on, workers, base, options)
        return
    listed = read_lines(input_list) if input_list else []
    arguments = [*(sources or []), *listed]
    if not arguments and input_list is not None:
        raise SourceError(f"nothing to extract: the list {input_list} is empty")
    if not arguments:
        raise typer.BadParameter("nothing to extract: pass files, folders or URLs, or a list with -i")
    excluded = {line for file in blacklist or () for line in read_lines(file)}
    candidates = list(_inputs(arguments, keep_dirs))
    inputs = [item for item in candidates if item.source not in excluded]
    lacking = [item.source for item in inputs
               if item.source != _STDIN and not _URL.match(item.source) and not Path(item.source).exists()]  # fmt: skip
    # Otherwise a second value after --url-filter would be treated as an input and filtered out silently.
    message = f"{lacking[0] if lacking else ''}: no such file or folder; repeat --url-filter for each text"
    usage_error_if(bool(url_filter and lacking), message)
    if url_filter:
        inputs = [item for item in inputs if any(part in item.source for part in url_filter)]
    if not inputs:
        reason = "--url-filter and --blacklist exclude all of" if candidates else "no files found in"
        subject = pluralize(len(candidates), "input") if candidates else ", ".join(arguments)
        typer.echo(f"corpuskit: nothing to extract: {reason} {subject}", err=True)
        return
    target = None if out is None else Path(out)
    is_folder = target is not None and (target.is_dir() or str(out).endswith(("/", os.sep)))
    many = len(inputs) != 1 or input_list is not None or Path(arguments[0]).is_dir() or is_folder
    usage_error_if(
        many and target is not None and target.is_file(),
        f"--out {out}: expected a folder for several documents, got a file",
    )
    failed = _run(inputs, target, output, options, parallel, many=many)
    if failed:
        raise typer.Exit(3 if many else 1)


def _format_name(format: str | None) -> str:
    """Return the full name of the format."""
    from corpuskit.export.render import ALIASES, FORMATS

    usage_error_if(
        format is not None and format not in {*FORMATS, *ALIASES},
        f"--format {format}: expected one of {', '.join(FORMATS)}; Trafilatura's -f, --fast, is here "
        "[extraction.trafilatura] fast = true of corpus.toml",
    )
    return ALIASES.get(format or "", format or "nlp.txt")


def _inputs(arguments: list[str], keep_dirs: bool) -> Iterator[_Input]:
    """Yield the files of folders and patterns, and URLs, with unique names of outputs."""
    import glob

    from corpuskit.sources.files import find_files
    from corpuskit.store.paths import document_path, safe_segment

    used_names: set[str] = set()
    singles = {source for source in arguments
               if _URL.match(source) or not (Path(source).is_dir() or glob.has_magic(source))}  # fmt: skip
    root = _common_directory([source for source in singles if not _URL.match(source)])
    for source in arguments:
        matches: list[Any] = (
            [source] if source in singles else [(str(file.path), file.uri) for file in find_files([source])]
        )
        for match in matches:
            path, uri = (match, match) if isinstance(match, str) else match
            # The output replaces the directory in the argument; --keep-dirs keeps those below it.
            parts_of_path = _relative_parts(root, path, keep_dirs) if path is uri else uri.split("/")[1:]
            parts = (
                document_path(uri).split("/") if _URL.match(path) else [safe_segment(part) for part in parts_of_path]
            )
            name = "/".join(parts) if keep_dirs else "_".join(parts)
            number, base_name = 1, name
            while name.casefold() in used_names:
                number += 1
                name = f"{base_name}-{number}"
            used_names.add(name.casefold())
            yield _Input(path, name)


def _common_directory(paths: list[str]) -> str:
    """Return the directory that contains all of these files."""
    try:
        return os.path.commonpath([Path(path).absolute().parent for path in paths])
    except ValueError:  # the paths have nothing in common, or are on several drives
        return ""


def _relative_parts(root: str, path: str, keep_dirs: bool) -> list[str]:
    """Return the name of a file; with --keep-dirs, its path relative to the common directory."""
    if path == _STDIN:
        return ["stdin"]
    absolute = Path(os.path.normpath(Path(path).absolute()))
    if keep_dirs and root and absolute.is_relative_to(root):
        return list(absolute.relative_to(root).parts)
    return [absolute.name]


def _run(inputs: list[_Input], out: Path | None, output: _Output, options: Any, parallel: int, *, many: bool) -> int:
    """Extract all inputs, in this process or in parallel, and return the number of failures."""
    from corpuskit import engine
    from corpuskit.errors import UnsupportedMediaTypeError
    from corpuskit.export.render import SUFFIXES
    from corpuskit.extraction import media_types
    from corpuskit.store.formatting import pluralize

    has_no_extractor = False
    work = partial(_extract_one, options=options, output=output)
    fetched = ((item, _content(item.source, options.max_bytes)) for item in inputs)
    limits = engine.Limits(seconds=120, memory=6 * 1024**3)
    failed = left_out = 0
    # A single input is extracted in this process; a PDF gets a separate process in any case.
    engine_name: Any = "processes" if len(inputs) > 1 else "serial"
    for number, outcome in enumerate(engine.run(work, fetched, on=engine_name, workers=parallel, limits=limits)):
        item, _ = outcome.item
        text, words = outcome.value if isinstance(outcome.value, tuple) else ("", 0)
        if outcome.error is not None:
            failed += 1
            has_no_extractor = has_no_extractor or isinstance(outcome.error, UnsupportedMediaTypeError)
            typer.echo(f"corpuskit: {printable(_error_message(item.source, outcome.error))}", err=True)
        elif isinstance(outcome.value, _Excluded):
            left_out += 1
            typer.echo(f"corpuskit: {printable(item.source)} left out: {printable(outcome.value.reason)}", err=True)
        elif out is None:
            has_repeated_header = output.format == "csv" and number > failed + left_out
            text = text.partition("\n")[2] if has_repeated_header else text
            # The next document, or the prompt, starts on a new line.
            sys.stdout.write(text + "\n" if text and not text.endswith("\n") else text)
        else:
            suffix = SUFFIXES.get(output.format, f".{output.format}")
            file = out / f"{item.name}{suffix}" if many else out
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", newline="\n")
            if not many:
                typer.echo(f"{file}: {pluralize(words, 'word')}")
    if has_no_extractor:
        typer.echo(f"corpuskit: supported media types: {', '.join(media_types())}", err=True)
    if many and out is not None:
        counts = f", {left_out:,} left out" * bool(left_out) + f", {failed:,} failed" * bool(failed)
        typer.echo(f"{pluralize(len(inputs) - failed - left_out, 'document')} in {out}{counts}")
    return failed


def _error_message(source: str, error: Exception) -> str:
    """Return the error message with the name of the input."""
    message = str(error)
    return message if source in message else f"{source}: {message}"


_next: dict[str, float] = {}


def _content(source: str, max_bytes: int) -> Any:
    """Return the content to extract: a path, the bytes of stdin, or the response of a URL.

    URLs are fetched in this process, since worker processes would not wait for each other.
    """
    from corpuskit.errors import CorpusKitError, SourceError

    if source == _STDIN:
        return sys.stdin.buffer.read(max_bytes + 1)  # the extraction rejects a longer input
    if not _URL.match(source):
        if not Path(source).exists():
            return SourceError(f"{source} cannot be read: No such file or directory")
        return str(Path(source).absolute())  # workers may have another working directory
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


def _extract_one(item: tuple[_Input, Any], *, options: Any, output: _Output) -> tuple[str, int] | _Excluded:
    """Return a page or file in the output format, and its number of words. Runs in a worker process."""
    import corpuskit
    from corpuskit.extraction.choices import why_nothing_is_main
    from corpuskit.sources.single import Opened

    source, content = item
    if isinstance(content, Exception):
        raise content
    if isinstance(content, Opened):
        document = corpuskit._extract_opened(content, options)
    else:
        document = corpuskit.extract(content, options=options)
    if reason := why_nothing_is_main(document, options):
        return ("", 0) if output.probe else _Excluded(reason)
    text = document.to_text(main=output.probe or not output.everything)
    if output.probe:
        return (f"{source.source}\n" if any(map(str.isalpha, text)) else ""), 0
    return document.to(output.format, main=not output.everything, metadata=output.metadata), len(text.split())


def _extract_shards(sources: list[str], on: str, workers: int | None, base: str | None, options: Any) -> None:
    from corpuskit.hooks import hook

    usage_error_if(len(sources) < 2, "extract --on: expected what to extract, then the folder or URL for the output")
    with report_ctrl_c("finished shards are kept"), open_engine(on) as engine:
        report = hook("extract shards")(
            sources[:-1],
            sources[-1],
            on=engine,
            workers=workers,
            base=base,
            options=options,
            progress=sys.stderr.isatty(),
        )
    typer.echo(repr(report))
    if report.quarantined:
        raise typer.Exit(3)
