"""Fetches selected pages from their archives: shards of locations, extracted on any engine, then merged into the
corpus.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from corpuskit import engine
from corpuskit.discovery.archive_check import check_archives
from corpuskit.discovery.selection import check_number, scored_schema
from corpuskit.errors import CorpusError, RelevanceError
from corpuskit.ingest import document_id
from corpuskit.relevance.corpus_training import last_model, score_documents
from corpuskit.relevance.scoring_text import scoring_text
from corpuskit.shards import Shard, merge, run_shards
from corpuskit.shards.output import ELEMENTS_SUFFIX, RECORDS_SUFFIX, Output
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.store.packs import PACK_SUFFIX

if TYPE_CHECKING:
    import pyarrow as pa
    from distributed import Client

    from corpuskit.discovery.discovery import Discovery
    from corpuskit.relevance import CorpusModel
    from corpuskit.shards.merge import DocumentFilter

REQUESTS_PER_SECOND: Final = 5.0
_SHARD_RECORDS: Final = 500  # maximum per shard
_SHARD_BYTES: Final = 64 << 20  # maximum per shard
_PLAN: Final = "plan.json"
_LOCATIONS_SUFFIX: Final = ".places.parquet"
_SCORES_SUFFIX: Final = ".verdicts.json"


@dataclass(slots=True)
class FetchReport:
    """Report of a call of :func:`fetch`.

    Attributes:
        pages: Number of pages to fetch.
        known: Number of selected pages that were in the corpus before.
        documents: Number of documents extracted in this call.
        failures: Number of pages without a document in this call; they are rows of ``failures()``.
        counts: Number of documents by state: new, changed, unchanged, removed (before, and still removed), not
            wanted.
        set_aside: Failed shards with the reason. The same call retries them.
    """

    pages: int = 0
    known: int = 0
    documents: int = 0
    failures: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    set_aside: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        parts = [f"{number:,} {name}" for name, number in self.counts.items() if number and name != "failed"]
        text = f"{pluralize(self.pages, 'page')}: {', '.join(parts) or 'nothing new'}"
        text += f", {self.failures:,} failed" if self.failures else ""
        text += f"; {self.known:,} were in the corpus before" if self.known else ""
        if self.set_aside:
            name, why = next(iter(self.set_aside.items()))
            text += f"; {pluralize(len(self.set_aside), 'shard')} set aside, such as {name}: {why}; repeat the call or command to retry"
        return text


def fetch(  # noqa: PLR0913 - the public signature
    folder: CorpusFolder,
    discovery: Discovery,
    *,
    threshold: float | None = None,
    on: Literal["serial", "processes", "dask"] | Client = "processes",
    workers: int | None = None,
    out: str | None = None,
    requests_per_second: float = REQUESTS_PER_SECOND,
    progress: bool = True,
    locations: pa.Table | None = None,
    part: str = "fetched",
) -> FetchReport:
    """Fetch the selected pages by byte ranges, extract them and import them into the corpus.

    Pages in the corpus are not fetched again. The same call continues a fetch that was killed, and retries shards that
    were set aside; no page is lost or imported twice. If a record is missing, damaged, of another page or has another
    digest than in the index, a failure is recorded. A busy store is retried later; if it stays busy, the shard is set
    aside. The metadata of documents contains crawl, archive, offset and digest, and their records are among the
    originals.

    Args:
        folder: The corpus folder.
        discovery: The discovery.
        threshold: Import only documents with at least this score by the document model.
        on: Engine; see :func:`corpuskit.engine.run`.
        workers: Number of processes.
        out: Directory for the shards; default: in the corpus folder. Workers on other machines need a location that all
            can access.
        requests_per_second: Requests to the store per second, from all workers.
        progress: Show progress bars; without a terminal or notebook, one line per minute.
        locations: Fetch only these locations of the discovery.
        part: Name of these locations.

    Raises:
        ConfigurationError: A number is out of range.
        SourceError: None of the archives can be read.
        RelevanceError: A threshold is set and the corpus does not have a model.
        CorpusBusyError: Another process packs or merges.
    """
    engine.check_engine(on, workers)
    check_number("requests_per_second", requests_per_second, lambda value: value > 0, "more than 0")
    if threshold is not None:
        check_number("threshold", threshold, lambda value: 0.0 <= value <= 1.0, "a score from 0 to 1")
    model = last_model(folder)
    if threshold is not None and model is None:
        raise RelevanceError(
            "the threshold needs a model, and the corpus does not have one: train one, or fetch without a threshold"
        )
    name = part if threshold is None else f"{part}-{threshold:g}"
    if out is None:
        out = str(folder.root.subfolder("discoveries").subfolder(discovery.name).subfolder(name).mkdir())
    output = Output(out)
    locations = discovery.locations if locations is None else locations
    plan = _plan(folder, output, locations)
    if set(plan["shards"]) - set(output.names()):
        check_archives(discovery, locations, on=on, pause=1 / requests_per_second)
    pause = _worker_count(on, workers) / requests_per_second
    shards = [_shard(output, discovery, label, pause) for label in plan["shards"]]
    report = FetchReport(pages=plan["pages"], known=plan["known"])
    if not shards:
        return report
    try:
        run = run_shards(
            shards,
            output.url,
            on=on,
            workers=workers,
            options=folder.settings.extraction,
            progress="shards fetched" if progress else None,
        )
    except KeyboardInterrupt:
        done = set(output.names()) & set(plan["shards"])
        raise KeyboardInterrupt(
            f"{len(done):,} of {pluralize(len(shards), 'shard')} with {pluralize(plan['pages'], 'page')} fetched and stored; repeat the "
            "call or command to continue, which imports them into the corpus at its end"
        ) from None
    report.documents, report.failures, report.set_aside = run.documents, run.failures, run.quarantined
    if output.names():
        judge = None if threshold is None or model is None else _score_filter(model, threshold, output)
        merged = merge(folder, output.url, progress=progress, judge=judge)
        report.counts = merged.counts
        report.set_aside |= merged.damaged
        _remove_merged(output, set(merged.damaged))
    if model is not None:
        score_documents(folder, model)
    return report


def _shard(output: Output, discovery: Discovery, label: str, pause: float) -> Shard:
    """Return a shard for a file of locations, which must be a regular file and not a link.

    Raises:
        SourceError: The file does not exist.
        CorpusError: It is a link.
    """
    file = label + _LOCATIONS_SUFFIX
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        output.fetch(file, Path(temporary))
    return Shard(
        label, "parquet", (f"{output.url}/{file}",), discovery.archives, is_listed=discovery.has_untrusted_location, pause=pause,
        is_anonymous=discovery.is_anonymous,
    )  # fmt: skip


def _worker_count(on: Any, workers: int | None) -> int:
    """Return the number of workers that send requests in parallel."""
    if on == "serial":
        return 1
    if isinstance(on, str):
        return workers or engine.default_workers()
    return max(1, int(sum(on.nthreads().values())))


def _plan(folder: CorpusFolder, output: Output, locations: pa.Table) -> dict[str, Any]:
    """Return the plan of the shards. It is stored, so that it stays the same when the fetch is continued."""
    if output.has(_PLAN):
        try:
            stored = json.loads(output.read(_PLAN))
            if all(isinstance(stored[key], int) for key in ("pages", "known")) and all(
                map(_is_label, stored["shards"])
            ):
                return dict(stored)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        raise CorpusError(f"{output.url}/{_PLAN} is damaged: remove the directory and fetch again")
    import pyarrow.parquet as pq

    table, known = _new_locations(folder, locations)
    table = table.sort_by([("warc_filename", "ascending"), ("warc_record_offset", "ascending"), ("url", "ascending")])
    labels = []
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        for number, (start, end) in enumerate(_slices(table.column("warc_record_length").to_pylist())):
            label = f"places-{number:06d}"
            file = Path(temporary) / "places"
            pq.write_table(table.slice(start, end - start), file, compression="zstd")
            output.publish(file, label + _LOCATIONS_SUFFIX)
            labels.append(label)
        plan = {"pages": len(table), "known": known, "shards": labels}
        output.publish_json(plan, _PLAN, Path(temporary))
    return plan


def _is_label(name: Any) -> bool:
    return isinstance(name, str) and name.startswith("places-") and name[7:].isdigit()


def _new_locations(folder: CorpusFolder, locations: pa.Table) -> tuple[pa.Table, int]:
    """Return the locations of pages that are not in the corpus, each URL and digest once, and the number of known
    pages.
    """
    import numpy as np
    import pyarrow as pa

    from corpuskit.errors import RefusedError
    from corpuskit.sources.web import canonical_url

    in_corpus = {doc_id for (doc_id,) in folder.catalog.tuples("SELECT doc_id FROM current")}
    seen: set[str] = set()
    mask = np.ones(len(locations), bool)
    known = 0
    digests = locations.column("content_digest").to_pylist()
    for index, (url, digest) in enumerate(zip(locations.column("url").to_pylist(), digests, strict=True)):
        try:
            canonical = canonical_url(url)
        except RefusedError:
            canonical = url
        if document_id(url) in in_corpus or document_id(canonical) in in_corpus:
            mask[index] = False
            known += 1
        elif canonical in seen or (digest and f"sha1:{digest}" in seen):
            mask[index] = False
        else:
            seen |= {canonical, f"sha1:{digest}"}
    return locations.cast(scored_schema()).filter(pa.array(mask)), known


def _slices(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return the start and end of each shard."""
    slices, start, size = [], 0, 0
    for index, length in enumerate(lengths):
        if index > start and (index - start >= _SHARD_RECORDS or size + length > _SHARD_BYTES):
            slices.append((start, index))
            start, size = index, 0
        size += length
    if len(lengths) > start:
        slices.append((start, len(lengths)))
    return slices


def _score_filter(model: CorpusModel, threshold: float, output: Output) -> DocumentFilter:
    """Return a filter by score. It stores the scores of rejected documents, from which the URL model learns."""

    def judge(documents: Sequence[tuple[str, str, str]]) -> list[bool]:
        scores = model.document.score([scoring_text(title, text) for _, title, text in documents]).tolist()
        is_accepted = [score >= threshold for score in scores]
        verdicts = {
            uri: score
            for (uri, _, _), score, accepted in zip(documents, scores, is_accepted, strict=True)
            if not accepted
        }
        name = hashlib.sha256("\n".join(uri for uri, _, _ in documents).encode("utf-8", "replace")).hexdigest()[:16]
        with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
            output.publish_json(verdicts, name + _SCORES_SUFFIX, Path(temporary))
        return is_accepted

    return judge


def _remove_merged(output: Output, damaged: set[str]) -> None:
    """Remove files of shards that are in the corpus. The catalog parts stay, since they mark shards as done."""
    done = set(output.names()) - damaged
    for suffix in (PACK_SUFFIX, ELEMENTS_SUFFIX, RECORDS_SUFFIX):
        for name in output.names(suffix):
            if name in done:
                output.remove(name + suffix)


def rejected_scores(folder: CorpusFolder, discovery: Discovery) -> dict[str, float]:
    """Return URL → P(relevant) of fetched pages that the document model rejected."""
    directory = folder.root.subfolder("discoveries").subfolder(discovery.name)
    scores: dict[str, float] = {}
    for name in directory.walk(_SCORES_SUFFIX):
        try:
            stored = json.loads(directory.read(name, 64 << 20))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(stored, dict):
            scores |= {url: float(score) for url, score in stored.items() if isinstance(score, (int, float))}
    return scores
