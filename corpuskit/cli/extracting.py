"""corpuskit extract: pages and files as documents, in any format."""

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

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)  # of any scheme: fetch() says which it takes
_DELAY: Final = 1.0  # seconds between two requests to one host
_CHOICES: Final = "What is main content"
_KEPT: Final = "What is kept"
_WHICH: Final = "Which documents"
_choice = partial(typer.Option, rich_help_panel=_CHOICES)
_kept = partial(typer.Option, rich_help_panel=_KEPT)
_which = partial(typer.Option, rich_help_panel=_WHICH)
_STDIN: Final = "-"


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
            help="Files, folders, patterns, URLs, or - for what is piped in; with --on: web archives, folders, patterns, "
            "then the output.",
            show_default=False,
        ),
    ] = None,
    input_list: Annotated[
        Path | None, typer.Option("--input-list", "-i", help="A file with a file or URL a line.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="PATH",
            help="A file; for several documents, or with a / at its end, a folder. Default: the screen.",
        ),
    ] = None,
    keep_dirs: Annotated[bool, typer.Option("--keep-dirs", help="Folders below --out as those of the input.")] = False,
    format: Annotated[
        str | None,
        typer.Option("--format", "-f", help="nlp.txt (the default), txt, markdown, json, csv, html, xml or tei."),
    ] = None,
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
        Literal["model", "rules", "trafilatura", "all"],
        _choice(help="Who chooses the main content."),
    ] = "model",
    favor: Annotated[Literal["precision", "recall"] | None, _choice(help="Where it is uncertain.")] = None,
    precision: Annotated[bool, _choice("--precision", help="--favor precision")] = False,
    recall: Annotated[bool, _choice("--recall", help="--favor recall")] = False,
    comments: Annotated[bool, _choice("--comments/--no-comments", help="Comments of readers.")] = False,
    tables: Annotated[bool, _choice("--tables/--no-tables", help="Tables.")] = True,
    deduplicate: Annotated[bool, _choice("--deduplicate", help="A block that stood before is not main.")] = False,
    link_density: Annotated[
        float | None, _choice(help="A greater share of links is not main, 0 to 1.", min=0, max=1)
    ] = None,
    drop: Annotated[
        list[str] | None,
        _kept(help="XPath or CSS selector of parts to leave out; repeatable."),
    ] = None,
    links: Annotated[bool, _kept("--links", help="Trafilatura's output with links; ours has them.")] = False,
    images: Annotated[bool, _kept("--images", help="Images with their addresses.")] = False,
    formatting: Annotated[bool, _kept("--formatting", help="Bold, italic, code.")] = False,
    hidden: Annotated[bool, _kept("--hidden", help="What nobody can see.")] = False,
    target_language: Annotated[str | None, _which(help="Only texts in this language, as en.")] = None,
    only_with_metadata: Annotated[
        bool, _which("--only-with-metadata", help="Only with title, date and address.")
    ] = False,
    url_filter: Annotated[list[str] | None, _which(help="Only inputs that hold this text; repeatable.")] = None,
    blacklist: Annotated[
        list[Path] | None,
        _which("--blacklist", "-b", help="A file with inputs to pass over; repeatable."),
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
    from corpuskit.extraction import ExtractOptions
    from corpuskit.store.telling import counted

    favors = {name for name, is_named in (("precision", precision), ("recall", recall), (favor, favor)) if is_named}
    usage_error_if(len(favors) > 1, "--favor, --precision and --recall: name one")
    usage_error_if(main and format not in {None, "txt"}, f"--main is --format txt: leave it or --format {format} out")
    usage_error_if(keep_dirs and out is None, "--keep-dirs: name the folder to write to with --out")
    usage_error_if(probe and out is not None, "--probe writes nothing: leave --out out")
    output = _Output("txt" if main else _known(format), everything, with_metadata, probe)
    chosen: Any = next(iter(favors), None)
    options = ExtractOptions(
        favor=chosen, main=main_by, comments=comments, tables=tables, deduplicate=deduplicate, link_density=link_density,
        drop=tuple(drop or ()), links=links, image_addresses=images, formatting=formatting, hidden=hidden,
        target_language=target_language, only_with_metadata=only_with_metadata,
    )  # fmt: skip
    if on is not None:
        _extract_shards(sources or [], on, workers, base, options)
        return
    listed = read_lines(input_list) if input_list else []
    given = [*(sources or []), *listed]
    if not given and input_list is not None:
        raise SourceError(f"nothing to extract: the list {input_list} is empty")
    if not given:
        raise typer.BadParameter("nothing to extract: name files, folders or URLs, or a list with -i")
    passed_over = {line for file in blacklist or () for line in read_lines(file)}
    found = list(_inputs(given, keep_dirs))
    inputs = [one for one in found if one.source not in passed_over]
    lacking = [one.source for one in inputs
               if one.source != _STDIN and not _URL.match(one.source) and not Path(one.source).exists()]  # fmt: skip
    # Else a second word behind --url-filter would be filtered away unsaid.
    told = f"{lacking[0] if lacking else ''}: no such file or folder; --url-filter is given once for each part"
    usage_error_if(bool(url_filter and lacking), told)
    if url_filter:
        inputs = [one for one in inputs if any(part in one.source for part in url_filter)]
    if not inputs:
        why = "--url-filter and --blacklist leave none of" if found else "there is no file in"
        what = counted(len(found), "input") if found else ", ".join(given)
        typer.echo(f"corpuskit: nothing to extract: {why} {what}", err=True)
        return
    target = None if out is None else Path(out)
    is_folder = target is not None and (target.is_dir() or str(out).endswith(("/", os.sep)))
    many = len(inputs) != 1 or input_list is not None or Path(given[0]).is_dir() or is_folder
    usage_error_if(
        many and target is not None and target.is_file(), f"--out {out} is a file: several documents need a folder"
    )
    failed = _run(inputs, target, output, options, parallel, many=many)
    if failed:
        raise typer.Exit(3 if many else 1)


def _known(format: str | None) -> str:
    """The format as it is named in messages."""
    from corpuskit.export.one import ALIASES, FORMATS

    usage_error_if(
        format is not None and format not in {*FORMATS, *ALIASES},
        f"--format {format}: expected one of {', '.join(FORMATS)}; Trafilatura's -f, --fast, is here "
        "[extraction.trafilatura] fast = true of corpus.toml",
    )
    return ALIASES.get(format or "", format or "nlp.txt")


def _inputs(given: list[str], keep_dirs: bool) -> Iterator[_Input]:
    """Files of folders and patterns, and URLs; names of outputs are unique."""
    import glob

    from corpuskit.sources.files import find_files
    from corpuskit.store.paths import document_path, safe_segment

    taken: set[str] = set()
    singles = {source for source in given
               if _URL.match(source) or not (Path(source).is_dir() or glob.has_magic(source))}  # fmt: skip
    root = _common_folder([source for source in singles if not _URL.match(source)])
    for source in given:
        found: list[Any] = (
            [source] if source in singles else [(str(file.path), file.uri) for file in find_files([source])]
        )
        for one in found:
            path, uri = (one, one) if isinstance(one, str) else one
            # Of a folder that was named the output takes the place; those below it are kept where asked.
            inside = _below(root, path, keep_dirs) if path is uri else uri.split("/")[1:]
            parts = document_path(uri).split("/") if _URL.match(path) else [safe_segment(part) for part in inside]
            name = "/".join(parts) if keep_dirs else "_".join(parts)
            number, plain = 1, name
            while name.casefold() in taken:
                number += 1
                name = f"{plain}-{number}"
            taken.add(name.casefold())
            yield _Input(path, name)


def _common_folder(paths: list[str]) -> str:
    """The folder that holds all of these files."""
    try:
        return os.path.commonpath([Path(path).absolute().parent for path in paths])
    except ValueError:  # there is none, or they lie on several drives
        return ""


def _below(root: str, path: str, keep_dirs: bool) -> list[str]:
    """A file's name, where asked with the folders by which it differs from the others that were named."""
    if path == _STDIN:
        return ["stdin"]
    whole = Path(os.path.normpath(Path(path).absolute()))
    if keep_dirs and root and whole.is_relative_to(root):
        return list(whole.relative_to(root).parts)
    return [whole.name]


def _run(inputs: list[_Input], out: Path | None, output: _Output, options: Any, parallel: int, *, many: bool) -> int:
    """Extract all, one after the other or in processes; return how many failed."""
    from corpuskit import engine
    from corpuskit.errors import UnsupportedMediaTypeError
    from corpuskit.export.one import SUFFIXES
    from corpuskit.extraction import media_types
    from corpuskit.store.telling import counted

    has_no_extractor = False
    work = partial(_extract_one, options=options, output=output)
    fetched = ((one, _content(one.source, options.max_bytes)) for one in inputs)
    limits = engine.Limits(seconds=120, memory=6 * 1024**3)
    failed = left_out = 0
    # One alone is extracted here; a PDF goes into a process of its own anyway.
    where: Any = "processes" if len(inputs) > 1 else "serial"
    for number, outcome in enumerate(engine.run(work, fetched, on=where, workers=parallel, limits=limits)):
        one, _ = outcome.item
        text, words = outcome.value if isinstance(outcome.value, tuple) else ("", 0)
        if outcome.error is not None:
            failed += 1
            has_no_extractor = has_no_extractor or isinstance(outcome.error, UnsupportedMediaTypeError)
            typer.echo(f"corpuskit: {printable(_told(one.source, outcome.error))}", err=True)
        elif isinstance(outcome.value, _LeftOut):
            left_out += 1
            typer.echo(f"corpuskit: {printable(one.source)} left out: {printable(outcome.value.why)}", err=True)
        elif out is None:
            has_head = output.format == "csv" and number > failed + left_out
            text = text.partition("\n")[2] if has_head else text
            # The next document, or the prompt, begins a line of its own.
            sys.stdout.write(text + "\n" if text and not text.endswith("\n") else text)
        else:
            suffix = SUFFIXES.get(output.format, f".{output.format}")
            file = out / f"{one.name}{suffix}" if many else out
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", newline="\n")
            if not many:
                typer.echo(f"{file}: {counted(words, 'word')}")
    if has_no_extractor:
        typer.echo(f"corpuskit: there are extractors for {', '.join(media_types())}", err=True)
    if many and out is not None:
        told = f", {left_out:,} left out" * bool(left_out) + f", {failed:,} failed" * bool(failed)
        typer.echo(f"{counted(len(inputs) - failed - left_out, 'document')} in {out}{told}")
    return failed


def _told(source: str, error: Exception) -> str:
    """What went wrong, with the name of the input."""
    message = str(error)
    return message if source in message else f"{source}: {message}"


_next: dict[str, float] = {}


def _content(source: str, most: int) -> Any:
    """What is to be extracted: a path, or what is piped in; of a URL the answer, fetched here, for processes would not wait for each other."""
    from corpuskit.errors import CorpusKitError, SourceError

    if source == _STDIN:
        return sys.stdin.buffer.read(most + 1)  # more is refused by the extraction
    if not _URL.match(source):
        if not Path(source).exists():
            return SourceError(f"{source} cannot be read: No such file or directory")
        return str(Path(source).absolute())  # workers may stand in another folder
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


def _extract_one(item: tuple[_Input, Any], *, options: Any, output: _Output) -> tuple[str, int] | _LeftOut:
    """A page or file in a format, and how many words of text that is. Runs in a worker process."""
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
    if why := why_nothing_is_main(document, options):
        return ("", 0) if output.probe else _LeftOut(why)
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
