"""The command line: thin, calls Corpus."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.corpus import Corpus
    from corpuskit.relevance.auditing import CorpusAudit

_SHOWN = 800  # characters of a document when a label is asked for
_SHORT_CELL = 14  # characters; a column up to this width is never cut

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="From web sites, PDF and Word files and a few labels to a clean domain corpus.",
)

Folder = Annotated[Path, typer.Argument(help="The corpus folder; made if absent.", show_default=False)]
Files = Annotated[list[str], typer.Argument(help="Files, folders or patterns.", show_default=False)]


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where the demo's corpus goes.")] = Path("demo-corpus"),
) -> None:
    """Shows the whole way on a small web of the project's own, without network, in under a minute."""
    from corpuskit.demo import run_demo

    result = run_demo(folder, tell=lambda line: typer.echo(f"· {line}"))
    typer.echo(f"\n{result.corpus!r}\n")
    _print(
        "Harvest rate (relevant among the pages fetched)",
        ["crawl", "harvest rate"],
        [
            ["breadth-first", f"{result.harvest_before:.0%}"],
            ["steered by the model", f"{result.harvest_after:.0%}"],
        ],
    )
    for title, frame in (("Most relevant documents", result.top), ("Least relevant documents", result.bottom)):
        rows = [[f"{row.relevance:.2f}", str(row.truth), str(row.title), str(row.uri)] for row in frame.itertuples()]
        _print(title, ["P(relevant)", "truth", "title", "from"], rows)
    typer.echo(f"Corpus: {result.corpus.path}\nExport: {result.exported}")


@app.command()
def extract(
    sources: Annotated[
        list[str], typer.Argument(help="A file or URL; with --on: web archives, folders, patterns, then the output.")
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write .nlp.txt here, not to the screen.")] = None,
    main: Annotated[bool, typer.Option("--main", help="Only the main content, as plain text.")] = False,
    favor: Annotated[str | None, typer.Option(help="precision or recall, for the main content.")] = None,
    on: Annotated[
        str | None,
        typer.Option(help="Extract shards: serial, processes, dask, or tcp://HOST:PORT of a Dask scheduler."),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: one a CPU.")] = None,
    base: Annotated[str | None, typer.Option(help="What the paths of a list of archives are relative to.")] = None,
) -> None:
    """Prints one page or file as a document; with --on extracts whole archives, on disk or in a store.

    corpuskit extract --on dask "s3://bucket/crawl/*.warc.gz" s3://bucket/out/ makes shards that corpuskit merge takes
    into a corpus. Stopped or killed, the same command goes on.
    """
    import corpuskit
    from corpuskit.document import to_nlptext
    from corpuskit.errors import ConfigurationError
    from corpuskit.extraction import ExtractOptions

    if favor not in {None, "precision", "recall"}:
        raise ConfigurationError(f"--favor {favor}: expected precision or recall")
    options = ExtractOptions(favor=favor)  # type: ignore[arg-type]
    if on is not None:
        _extract_shards(sources, on, workers, base, options)
        return
    if len(sources) > 1:
        raise ConfigurationError("one file or URL at a time; many are extracted with --on, or added to a corpus")
    document = corpuskit.extract(sources[0], options=options)
    text = document.to_text(main=True) + "\n" if main else to_nlptext(document)
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, "utf-8", newline="\n")
        typer.echo(f"{out}: {len(document)} elements")


@app.command()
def add(folder: Folder, paths: Files) -> None:
    """Adds files to a corpus; what is known and unchanged is left as it is."""
    report = _open(folder).add(*paths)
    typer.echo(repr(report))
    if report.failed:
        raise typer.Exit(3)


@app.command()
def wikipedia(
    folder: Folder,
    articles: Annotated[list[str], typer.Argument(help="Titles, URLs or Category:NAME.", show_default=False)],
    lang: Annotated[str, typer.Option(help="Language of the Wikipedia.")] = "en",
    depth: Annotated[int, typer.Option(help="Steps further: linked pages, sub-categories.")] = 0,
    pages: Annotated[int, typer.Option(help="At most so many articles.")] = 200,
    host: Annotated[str | None, typer.Option(help="Another wiki of MediaWiki.")] = None,
) -> None:
    """Adds articles of Wikipedia to a corpus."""
    report = _open(folder).add_wikipedia(*articles, lang=lang, depth=depth, pages=pages, host=host)
    typer.echo(repr(report))
    if report.failed:
        raise typer.Exit(3)


_which = partial(typer.Option, rich_help_panel="Which pages")
_order = partial(typer.Option, rich_help_panel="How they are found, and in which order")
_asking = partial(typer.Option, rich_help_panel="How sites are asked")
_ending = partial(typer.Option, rich_help_panel="When to stop")
_going_on = partial(typer.Option, rich_help_panel="Going on with an earlier crawl")


@app.command()
def crawl(
    folder: Folder,
    seeds: Annotated[list[str] | None, typer.Argument(help="URLs to begin with.", show_default=False)] = None,
    seed_file: Annotated[
        list[Path] | None, typer.Option("--seeds", help="A text file with one URL a line; repeatable.")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Fetch no page; show what would be fetched, and why not.")
    ] = False,
    resume: Annotated[bool, _going_on("--resume", help="Go on with what is left, as that crawl was told to.")] = False,
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
        str | None, _which(help="domain (the default), host, path or web: how far from the seeds.")
    ] = None,
    exclude: Annotated[
        list[str] | None, _which(help="Path never fetched, with * and a final $ as in robots.txt; repeatable.")
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
    extract: Annotated[
        bool | None, _order("--extract/--no-extract", help="Extract now, as by default, or with the next crawl.")
    ] = None,
    pages: Annotated[int | None, _ending(help="After so many more pages.")] = None,
    minutes: Annotated[float | None, _ending(help="After so long.")] = None,
    host_pages: Annotated[int | None, _ending(help="Asking a host after so many of its pages.")] = None,
    max_errors: Annotated[int | None, _ending(help="After so many failed pages.")] = None,
    max_megabytes: Annotated[float | None, _ending(help="After so much.")] = None,
    min_unique: Annotated[
        float | None, _ending(help="When less than this share of the last 1,000 pages' text was new, 0 to 1.")
    ] = None,
    min_harvest: Annotated[
        float | None,
        _ending(help="Steered: when the model calls less than this share of the last 200 pages relevant, 0 to 1."),
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
    corpus = _open(folder)
    chosen: dict[str, Any] = {
        "pages": pages, "scope": scope, "refresh": refresh, "delay": delay, "proxy": proxy, "exclude": exclude,
        "languages": language, "contact": contact, "allow_private": allow_private, "connections": connections,
        "max_depth": max_depth, "host_pages": host_pages, "minutes": minutes, "max_errors": max_errors,
        "max_megabytes": max_megabytes, "min_unique": min_unique, "min_harvest": min_harvest,
        "sitemaps": "guess" if guess_sitemaps else sitemaps,
        "feeds": feeds, "traps": traps, "extract": extract, "render": render, "netrc": netrc_file or netrc or None,
        "headers": _headers(header) if header else None, "retry_failed": retry_failed or None,
    }  # fmt: skip
    options: dict[str, Any] = {_option_name(name): None for name in forget or []}
    options |= {name: value for name, value in chosen.items() if value is not None}
    if steer is not None:
        options["steer"] = _model(corpus) if steer else None
    named = [*(seeds or []), *(seed_file or [])]
    if plan:
        frame = corpus.crawl(named, plan=True, resume=resume, **options)
        _tell(frame.attrs["resumed"])
        _print_frame("Plan", frame)
        typer.echo(", ".join(f"{count:,} {verdict}" for verdict, count in frame["verdict"].value_counts().items()))
        return
    job = None
    try:
        job = corpus.crawl(named, resume=resume, **options)
        _tell(job.resumed)
        job.wait()
    except KeyboardInterrupt:
        if job is None:
            typer.echo("Crawl stopped before it began: the same command begins again")
        else:
            _tell_end(job, folder)
        raise typer.Exit(130) from None
    _tell_end(job, folder)
    columns = ["host", "requests", "ok", "not_found", "forbidden", "queued", "refused", "refused_why"]
    _print_frame("Sites", job.report()[columns].head(20))
    if job.failed_seeds:
        raise typer.Exit(3)


@app.command()
def status(folder: Folder) -> None:
    """Tells what is in a corpus, host by host."""
    corpus = _open(folder, must_exist=True)
    typer.echo(f"{corpus!r}\n")
    _print_frame("Sources", corpus.sources().head(30))
    _print_frame("Failures", corpus.failures()[["uri", "stage", "message"]].tail(10))


@app.command()
def label(
    folder: Folder,
    file: Annotated[Path, typer.Argument(help="CSV with columns target and label: doc_id, URL or file name.")],
    by: Annotated[str, typer.Option(help="Who says so.")] = "file",
    new_class: Annotated[bool, typer.Option("--new-class", help="Labels that are not in use yet are meant.")] = False,
) -> None:
    """Takes labels from a CSV file."""
    typer.echo(repr(_open(folder, must_exist=True).import_labels(file, by=by, new_class=new_class)))


@app.command()
def prelabel(
    folder: Folder,
    base_url: Annotated[str, typer.Option(help="Where the model is served, as http://localhost:11434/v1.")],
    model: Annotated[str, typer.Option(help="Its name there.")],
    question: Annotated[str, typer.Option(help="What is asked of each document.")] = "Is this document relevant?",
    name: Annotated[str, typer.Option(help="The labels are by machine:NAME; default: the model's name.")] = "",
    requests: Annotated[int, typer.Option(help="At most so many requests.")] = 1_000,
    tokens: Annotated[int | None, typer.Option(help="At most so many tokens.")] = None,
    money: Annotated[float | None, typer.Option(help="At most so much money, by --price.")] = None,
    price: Annotated[tuple[float, float], typer.Option(help="What a million tokens of prompt and of answer cost.")] = (
        0.0,
        0.0,
    ),
    key_variable: Annotated[str, typer.Option(help="The environment variable that holds the key.")] = "OPENAI_API_KEY",
    concurrency: Annotated[int, typer.Option(help="Requests under way at once.")] = 4,
    no_schema: Annotated[bool, typer.Option("--no-schema", help="The server does not know JSON schemas.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Ask also what it has labelled already.")] = False,
) -> None:
    """Has a language model label documents, apart from people; it is trusted only as far as measured.

    Any server that speaks the OpenAI chat protocol will do: llama.cpp, vLLM, Ollama. Nothing is paid twice: stopped or
    killed, the same command goes on.
    """
    from corpuskit.annotators import Budget, ChatAnnotator, Price

    annotator = ChatAnnotator(
        base_url, model, question, name=name, key_variable=key_variable, concurrency=concurrency, price=Price(*price),
        structured=not no_schema,
    )  # fmt: skip
    budget = Budget(requests, tokens, money)
    corpus = _open(folder, must_exist=True)
    try:
        report = corpus.prelabel(annotator, budget=budget, again=again, progress=sys.stderr.isatty())
    except KeyboardInterrupt as stopped:
        _tell(str(stopped))
        raise typer.Exit(130) from None
    _tell(repr(report))
    if report.failed:
        raise typer.Exit(3)


@app.command()
def train(folder: Folder, seed: Annotated[int, typer.Option(help="Same labels and seed, same model.")] = 0) -> None:
    """Trains on the labels and scores all documents."""
    typer.echo(repr(_open(folder, must_exist=True).train(seed=seed)))


@app.command()
def audit(
    folder: Folder,
    labels: Annotated[Path | None, typer.Option(help="CSV with target and label: answers to what was asked.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write what to label now as CSV, and end.")] = None,
    precision: Annotated[float, typer.Option(help="What to claim of the documents called relevant.")] = 0.95,
    confidence: Annotated[float, typer.Option(help="How sure the claim is to be.")] = 0.9,
    by: Annotated[str, typer.Option(help="Who labels.")] = "audit",
) -> None:
    """Certifies the last model: asks for labels until a threshold can be claimed, or none.

    Asks here, document by document; or in a file, with --out and then --labels. Goes on where it was broken off.
    """
    from corpuskit.labels import read_label_file

    corpus = _open(folder, must_exist=True)
    running = corpus.audit(precision=precision, confidence=confidence)
    answers = dict(read_label_file(labels)) if labels is not None else {}
    while len(batch := running.next()):
        found = {doc_id: answers[doc_id] for doc_id in batch["doc_id"] if answers.get(doc_id)}
        if found:
            running.add(found, by=by)
        elif out is not None:
            batch.rename(columns={"doc_id": "target"}).assign(label="")[["target", "label", "title", "uri"]].to_csv(
                out, index=False
            )
            typer.echo(f"{len(batch)} documents to label (relevant or other): {out}")
            break
        elif labels is not None or not sys.stdin.isatty():
            typer.echo(f"{len(batch)} more labels are wanted: write them to a file with --out")
            break
        elif not _ask(corpus, running, batch, by):
            break
    typer.echo(repr(running))


def _ask(corpus: Corpus, running: CorpusAudit, batch: pd.DataFrame, by: str) -> bool:
    """Asks for the labels of a batch, saving each; False where the user wants to stop."""
    for row in batch.itertuples():
        text = corpus[str(row.doc_id)].to_text(main=True)
        lines = [str(row.title), str(row.uri), *text[:_SHOWN].splitlines()]
        typer.echo("\n" + "\n".join(map(_printable, lines)))
        answer = typer.prompt("[r]elevant, [o]ther, [q]uit", type=str).strip().lower()[:1]
        while answer not in {"r", "o", "q"}:
            answer = typer.prompt("r, o or q", type=str).strip().lower()[:1]
        if answer == "q":
            return False
        running.add({str(row.doc_id): "relevant" if answer == "r" else "other"}, by=by)
    return True


@app.command()
def kwic(
    folder: Folder,
    pattern: Annotated[str, typer.Argument(help="A regular expression.")],
    window: Annotated[int, typer.Option(help="Words on each side.")] = 8,
    sort: Annotated[str | None, typer.Option(help="1R, 2L ...: by the nth word right or left.")] = None,
    limit: Annotated[int, typer.Option(help="Lines shown.")] = 40,
) -> None:
    """Shows key words in context."""
    frame = _open(folder, must_exist=True).kwic(pattern, window=window, sort=sort)
    for row in frame.head(limit).itertuples():
        typer.echo(f"{row.left[-50:]:>50}  {row.match}  {row.right[:50]}")
    if len(frame) > limit:
        typer.echo(f"... {len(frame) - limit:,} more; --limit shows them")


def _export_help() -> str:
    from corpuskit.export.formats import FORMATS

    # \b keeps the lines of a paragraph as they are.
    lines = [f"{name:12} {about.about} ({about.files})" for name, about in FORMATS.items()]
    return (
        "Writes the corpus in formats of the field, with a dataset card: README.md, croissant.json, manifest.json, "
        "sources.csv and SHA256SUMS.\n\nThe folder appears when all is written. The same export again does nothing.\n\n"
        "Formats:\n\n\b\n" + "\n".join(lines)
    )


class _ExportCommand(TyperCommand):
    """Reads the list of formats when help is asked for: its import would slow every command."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.help = _export_help()
        super().format_help(ctx, formatter)


@app.command(cls=_ExportCommand)
def export(
    folder: Annotated[Path, typer.Argument(help="The corpus folder.", show_default=False)],
    out: Annotated[Path, typer.Argument(help="A new folder, or that of an earlier export.", show_default=False)],
    format: Annotated[
        list[str] | None, typer.Option("--format", "-f", help="A format of the list above; repeatable.")
    ] = None,
    min_relevance: Annotated[float | None, typer.Option(help="Only documents with at least this relevance.")] = None,
    keep_duplicates: Annotated[bool, typer.Option("--keep-duplicates", help="Copies of a text too.")] = False,
    only_licensed: Annotated[
        list[str] | None,
        typer.Option(help="Only documents whose licence matches, such as 'CC-BY*' or '*creativecommons*'; repeatable."),
    ] = None,
    all_text: Annotated[
        bool, typer.Option("--all-text", help="Texts with navigation and footers, not the main content only.")
    ] = False,
    no_elements: Annotated[bool, typer.Option("--no-elements", help="jsonl: without the tree of elements.")] = False,
    mask_personal_data: Annotated[
        bool, typer.Option("--mask-personal-data", help="E-mail addresses, phone numbers and the like masked.")
    ] = False,
    chunk_tokens: Annotated[int, typer.Option(help="chunks: at most so many words each.")] = 512,
    shuffle: Annotated[
        int, typer.Option(help="frenchtext: the seed of the order; -1 keeps that of the documents.")
    ] = 0,
) -> None:
    """Writes the corpus in formats of the field, with a dataset card."""
    corpus = _open(folder, must_exist=True)
    documents = corpus.documents()
    if not keep_duplicates:
        documents = documents[documents["duplicate_of"].isna()]
    if min_relevance is not None:
        documents = documents[documents["relevance"] >= min_relevance]
    report = corpus.export(
        out, docs=documents, format=format or ["nlp.txt"], progress=sys.stderr.isatty(), main=not all_text,
        elements=not no_elements, only_licensed=only_licensed, mask_personal_data=mask_personal_data,
        chunk_tokens=chunk_tokens, shuffle=None if shuffle < 0 else shuffle,
    )  # fmt: skip
    typer.echo(repr(report))
    if report.failed:
        raise typer.Exit(3)


textworks = typer.Typer(
    no_args_is_help=True, help="Writes TextWorks' segmentation.json and textgrid.json for PDF files."
)
app.add_typer(textworks, name="textworks")


@textworks.command("init")
def textworks_init(
    corpus: Annotated[Path, typer.Option("--corpus", help="A folder with PDF files.")] = Path(),
) -> None:
    """Makes a folder of PDF files an artifact corpus: each file moves into a directory of its own."""
    from corpuskit.extraction.pdf.textworks import init_corpus

    typer.echo(f"{len(init_corpus(corpus))} new entries in {corpus}")


@textworks.command("run")
def textworks_run(
    corpus: Annotated[Path | None, typer.Option("--corpus", help="A folder that init has made a corpus.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="One PDF file instead.")] = None,
    output: Annotated[Path | None, typer.Option("--output", help="Where its textgrid goes.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Make what is there again.")] = False,
    filter: Annotated[str | None, typer.Option("--filter", help="Only entries whose whole name matches.")] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Also tracelogs/: fonts, and what told roles.")] = False,
) -> None:
    """Writes the artifacts of a corpus, or the textgrid of one file."""
    from corpuskit.errors import ConfigurationError
    from corpuskit.extraction.pdf.textworks import run_corpus, run_file

    if (corpus is None) == (file is None):
        raise ConfigurationError("name either --corpus or --file")
    if file is not None:
        typer.echo(str(run_file(file, output)))
        return
    failed = 0
    for outcome in run_corpus(corpus, overwrite=overwrite, filter=filter, trace=trace):  # type: ignore[arg-type]
        failed += outcome.error is not None
        typer.echo(f"{outcome.state:8} {outcome.name}" + (f": {outcome.error}" if outcome.error else ""))
    if failed:
        raise typer.Exit(3)


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
    if target.is_file():
        from corpuskit.export.xml_check import check_xml

        faults = [["" if fault.line is None else str(fault.line), fault.message] for fault in check_xml(target, schema)]
        if faults:
            _print(f"{target}: {len(faults)} faults", ["line", "what is wrong"], faults[:200])
            raise typer.Exit(3)
        typer.echo(f"{target}: valid")
        return
    problems = _open(target, must_exist=True).check(progress=True)
    if problems:
        rows = [[problem.part, problem.where, problem.message] for problem in problems]
        _print(f"{len(problems)} problems", ["part", "where", "what is wrong"], rows)
        raise typer.Exit(3)
    typer.echo("all is well")


@app.command()
def merge(
    folder: Folder, shards: Annotated[str, typer.Argument(help="A folder of shards, or its URL.", show_default=False)]
) -> None:
    """Takes shards that corpuskit extract --on has made into a corpus."""
    report = _open(folder).merge(shards)
    typer.echo(repr(report))
    if report.damaged:
        raise typer.Exit(3)


@app.command()
def pack(
    folder: Folder,
    undo: Annotated[bool, typer.Option("--undo", help="Write packed documents as files again.")] = False,
) -> None:
    """Puts a corpus' documents into few files (zstd, one frame a document); all works as before."""
    corpus = _open(folder, must_exist=True)
    typer.echo(f"{corpus.unpack() if undo else corpus.pack():,} documents {'unpacked' if undo else 'packed'}")


@app.command()
def repair(folder: Annotated[Path, typer.Argument(help="The corpus folder.", show_default=False)]) -> None:
    """Makes the catalogue and the cache of a damaged corpus again, from its files; the old catalogue is kept."""
    from corpuskit.corpus import Corpus

    report = Corpus.repair(folder)
    typer.echo(repr(report))
    if report.pending:
        typer.echo(f"{_open(folder).extract_pending():,} documents extracted that were pending")
    if report.lost:
        raise typer.Exit(3)


@app.command()
def lab(
    folder: Annotated[Path, typer.Argument(help="Where the notebooks go; your changes to them stay.")] = Path(
        "notebooks"
    ),
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Opens the notebooks in JupyterLab."""
    import importlib.util
    import subprocess

    from corpuskit.demo.notebooks import copy_notebooks
    from corpuskit.errors import MissingExtraError

    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingExtraError("jupyterlab", "notebook")
    new = copy_notebooks(folder)
    typer.echo(f"{folder}: {len(new)} new notebooks; Ctrl-C ends JupyterLab")
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}"]
    raise typer.Exit(subprocess.run([*command, *([] if browser else ["--no-browser"])], check=False).returncode)


def main() -> None:
    """Runs the command line. Exit codes: 0 done; 1 an error, told in one line; 2 wrong usage; 3 some inputs failed;
    130 stopped with Ctrl-C."""
    from corpuskit.errors import CorpusKitError

    try:
        app(standalone_mode=True)
    except CorpusKitError as error:
        typer.echo(f"corpuskit: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("corpuskit: stopped", err=True)
        sys.exit(130)
    except OSError as error:
        typer.echo(f"corpuskit: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", err=True)
        sys.exit(1)


def _extract_shards(sources: list[str], on: str, workers: int | None, base: str | None, options: Any) -> None:
    import contextlib

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


def _open(folder: Path, *, must_exist: bool = False) -> Any:
    import corpuskit
    from corpuskit.errors import CorpusError

    if must_exist and not (folder / "catalog.sqlite").exists():
        raise CorpusError(f"{folder} is no corpus; corpuskit add or crawl makes one")
    return corpuskit.open(folder)


def _model(corpus: Any) -> Any:
    from corpuskit.errors import RelevanceError

    model = corpus.model()
    if model is None:
        raise RelevanceError("there is no model to steer with: corpuskit train makes one")
    return model


def _option_name(name: str) -> str:
    """The name in Python of an option of ``corpuskit crawl``."""
    plain = name.lstrip("-").replace("-", "_")
    return {"language": "languages", "header": "headers", "netrc_file": "netrc", "guess_sitemaps": "sitemaps"}.get(
        plain, plain
    )


def _headers(given: list[str]) -> dict[str, str]:
    """Headers of a request, as curl takes them."""
    from corpuskit.errors import ConfigurationError

    lines: list[str] = []
    for text in given:
        lines += Path(text[1:]).read_text("utf-8").splitlines() if text.startswith("@") else [text]
    headers = {}
    for line in filter(str.strip, lines):
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise ConfigurationError("--header: expected 'Name: value'")  # the line may be a secret
        headers[name.strip()] = value.strip()
    return headers


def _tell(text: str) -> None:
    if text:
        typer.echo("\n".join(map(_printable, text.splitlines())))


def _tell_end(job: Any, folder: Path) -> None:
    """How a crawl ended and how to go on."""
    from corpuskit.crawl.closing import on_command_line

    for line in [job.summary, *job.closing.lines(on_command_line(str(folder)))]:
        typer.echo(_printable(line))


def _print(title: str, columns: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", show_edge=False, expand=True)
    for position, column in enumerate(columns):
        widest = max([len(column), *(len(row[position]) for row in rows)])
        is_short = widest <= _SHORT_CELL  # long titles and addresses share what short figures leave
        table.add_column(
            column, overflow="ellipsis", no_wrap=True, width=widest if is_short else None, ratio=None if is_short else 1
        )
    for row in rows:
        # Text, not markup: what was crawled must not colour the terminal.
        table.add_row(*(Text(_printable(cell)) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    console.print()


def _print_frame(title: str, frame: pd.DataFrame) -> None:
    if len(frame):
        rows = [["" if value != value else f"{value:.2f}" if isinstance(value, float) else str(value) for value in row]
                for row in frame.astype(object).itertuples(index=False)]  # fmt: skip
        _print(title, list(frame.columns), rows)


def _printable(text: object) -> str:
    """No control characters: crawled titles must not steer the terminal."""
    return "".join(c if c.isprintable() else " " for c in str(text))
