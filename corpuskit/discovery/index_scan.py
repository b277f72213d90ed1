"""Scores the partitions of an index on any engine, and selects the best pages. Finished partitions are skipped."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from corpuskit import engine
from corpuskit.discovery.discovery import BINS, LOCATIONS_FILE, SUMMARY_FILE, Discovery, Tally
from corpuskit.discovery.selection import SelectionCriteria, check_number, scored_schema, select_pages
from corpuskit.errors import ConfigurationError, RelevanceError
from corpuskit.relevance.corpus_training import last_model
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.url_scorer import UrlScorer
from corpuskit.shards.output import Output
from corpuskit.sources.commoncrawl import Index, Partition, read_partition
from corpuskit.stable_sample import stable_sample
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.views.frames import DISCOVERED_HOSTS

if TYPE_CHECKING:
    import pyarrow as pa
    from distributed import Client

_LIMITS: Final = engine.Limits(seconds=None, memory=8 * 1024**3)
_SUFFIX: Final = ".scored.parquet"
_FORMAT: Final = 1  # increase it to score all indexes again
_SAMPLE_URLS: Final = 20_000  # random URLs that represent the whole index
_MIN_BUFFER: Final = 50_000  # rows in memory before the selection is applied
DIRECTORY: Final = "discoveries"


@dataclass(frozen=True, slots=True)
class _ScanTask:
    """Input of a worker for one partition."""

    partition: Partition
    name: str
    index: Index
    model: RelevanceModel
    fingerprint: str
    choice: SelectionCriteria
    out: str
    pool: int


def discover(  # noqa: PLR0913 - the public signature
    folder: CorpusFolder,
    index: Index,
    *,
    choice: SelectionCriteria | None = None,
    sample: float | None = None,
    name: str | None = None,
    out: str | None = None,
    on: Literal["serial", "processes", "dask"] | Client = "processes",
    workers: int | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Discovery:
    """Score the pages of an index with the latest URL model of the corpus, and select the best.

    Each partition results in a file of candidate pages. The same call continues an interrupted scan; after a finished
    one it only reads the result. The result is the same on every engine. Memory depends on the budget, not on the size
    of the index.

    Args:
        folder: The corpus folder.
        index: The index, returned by :func:`corpuskit.commoncrawl`.
        choice: Criteria of the selection.
        sample: Score only this share of the partitions, selected at random; :meth:`Discovery.estimate`
            extrapolates.
        name: Name of the discovery in the corpus; default: derived from the index, the model and the criteria.
        out: Directory of the files; default: in the corpus folder. Workers on other machines need a location that
            all can access.
        on: Engine; see :func:`corpuskit.engine.run`.
        workers: Number of processes.
        seed: Seed of the random sample.
        progress: Show a progress bar; without a terminal or notebook, one line per minute.

    Raises:
        RelevanceError: There is no URL model.
        ConfigurationError: A number or engine is invalid, or another discovery has this ``name``.
        SourceError: The index has no files.
    """
    engine.check_engine(on, workers)
    choice = choice or SelectionCriteria()
    if sample is not None:
        check_number("sample", sample, lambda value: 0.0 < value <= 1.0, "a share above 0 and up to 1")
    models = last_model(folder)
    if models is None or models.url is None:
        raise RelevanceError(
            "discovery needs a URL model, and the corpus does not have one: label documents of several hosts and train"
        )
    model, fingerprint = models.url, models.url.fingerprint
    scanned = _sampled_partitions(index.partitions, sample, seed)
    settings = _scan_settings(index, scanned, fingerprint, choice)
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
    name = name or f"{index.partitions[0].crawl or 'index'}-{digest[:10]}"
    corpus_url = str(folder.root.subfolder(DIRECTORY).subfolder(name).mkdir())
    is_external = out is not None and Output(out).url != Output(corpus_url).url
    output = Output(out or corpus_url)
    _check_settings(output, {**settings, "digest": digest}, name)
    pool = max(1, math.ceil(_SAMPLE_URLS / len(scanned)))
    done = set(output.names(_SUFFIX))
    jobs = [
        _ScanTask(part, label, replace(index, partitions=()), model, fingerprint, choice, output.url, pool)
        for part in scanned
        if (label := _partition_label(part)) not in done
    ]
    damaged: dict[str, str] = {}
    try:
        for outcome in engine.run(
            _score_partition, jobs, on=on, workers=workers, limits=_LIMITS, retry=(OSError,),
            progress="index files scored" if progress else None, total=len(jobs),
        ):  # fmt: skip
            if outcome.error is not None:
                damaged[outcome.item.partition.url] = str(outcome.error)
    except KeyboardInterrupt:
        number = len(set(output.names(_SUFFIX)) & {_partition_label(part) for part in scanned})
        raise KeyboardInterrupt(
            f"{number:,} of {pluralize(len(scanned), 'file')} of the index scored and stored; repeat the call or command to continue"
        ) from None
    if jobs or not output.has(SUMMARY_FILE):
        _merge_partitions(
            output,
            [_partition_label(part) for part in scanned],
            index,
            choice,
            models.version,
            len(index.partitions),
            damaged,
        )
    if is_external:
        _copy_result(output, corpus_url)
    discovery = Discovery(folder, name, output.url, archives=index.archives)
    hosts = discovery.sources[["host", "why"]].itertuples(index=False, name=None)
    folder.catalog.set_meta(DISCOVERED_HOSTS, json.dumps(list(hosts)))
    return discovery


def _sampled_partitions(partitions: tuple[Partition, ...], share: float | None, seed: int) -> tuple[Partition, ...]:
    if share is None or share == 1.0:
        return partitions
    number = max(1, math.ceil(share * len(partitions)))
    indices = stable_sample([part.url for part in partitions], number, seed)
    return tuple(sorted((partitions[index] for index in indices), key=lambda part: part.url))


def _scan_settings(
    index: Index, scanned: tuple[Partition, ...], fingerprint: str, choice: SelectionCriteria
) -> dict[str, Any]:
    """Return all settings that determine the result."""
    filters = {key: str(value) for key, value in asdict(index.filters).items()}
    return {
        "format": _FORMAT,
        "partitions": [part.url for part in scanned],
        "archives": index.archives,
        "filters": filters,
        "model": fingerprint,
        "choice": asdict(choice),
    }


def _check_settings(output: Output, settings: dict[str, Any], name: str) -> None:
    """Store the settings of the files; raise if the directory contains files with other settings."""
    with tempfile.TemporaryDirectory() as folder:
        if output.publish_json(settings, "discovery.json", Path(folder), create=True):
            return
    try:
        stored = json.loads(output.read("discovery.json", 64 << 20))
    except ValueError:
        stored = None
    if not isinstance(stored, dict) or stored.get("digest") != settings["digest"]:
        raise ConfigurationError(
            f"the discovery {name!r} exists, for another index, model or criteria: pass another name"
        )


def _copy_result(output: Output, corpus_url: str) -> None:
    """Copy the result of a discovery into the corpus, where :meth:`Discovery.load` finds it."""
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        for file in (LOCATIONS_FILE, SUMMARY_FILE):  # the summary last, since it marks the result as complete
            Output(corpus_url).publish(output.fetch(file, Path(temporary)), file)


def _partition_label(part: Partition) -> str:
    stem = part.url.rstrip("/").rpartition("/")[2][:60]
    name = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in stem)
    return f"{hashlib.sha256(part.url.encode('utf-8', 'replace')).hexdigest()[:12]}-{name}"


_scorers: dict[str, UrlScorer] = {}  # cache of this process, with the scorer of the last model


def _scorer(job: _ScanTask) -> UrlScorer:
    if job.fingerprint not in _scorers:
        _scorers.clear()
        _scorers[job.fingerprint] = UrlScorer(job.model)
    return _scorers[job.fingerprint]


def _score_partition(job: _ScanTask) -> int:
    """Score one partition, publish its candidate pages, and return its number of rows. Runs on a worker."""
    import pyarrow.parquet as pq

    tally = Tally()
    best = _TopRows(job.choice, tally.left_out)
    pool = _UrlSample(job.pool)
    for rows in _scored_rows(job, tally):
        pool.add(rows)
        best.add(rows)
    table = best.take()
    metadata = {"corpuskit": json.dumps(tally.as_json()), "pool": json.dumps(pool.urls)}
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        file = Path(temporary) / "part"
        pq.write_table(table.replace_schema_metadata(metadata), file, compression="zstd")
        Output(job.out).publish(file, job.name + _SUFFIX, create=True)
    return tally.seen


def _scored_rows(job: _ScanTask, tally: Tally) -> Iterator[pa.Table]:
    """Yield the rows of a partition that pass the filters, with scores, and count them."""
    import pyarrow as pa

    scorer, schema = _scorer(job), scored_schema()
    for batch in read_partition(job.partition, job.index.filters, anonymous=job.index.anonymous):
        tally.seen += batch.seen
        tally.wrong += batch.wrong
        tally.left_out.update(batch.left_out)
        rows = batch.rows
        if not len(rows):
            continue
        scores = np.round(scorer.score(rows.column("url")), 6).astype(np.float32)
        tally.left_out["threshold"] += int((scores < np.float32(job.choice.threshold)).sum())
        tally.add(scores, rows.column("warc_record_length").to_numpy())
        crawl = pa.array([job.partition.crawl or None], pa.string()).take(pa.array(np.zeros(len(rows), np.int32)))
        yield pa.Table.from_arrays([*rows.columns, crawl, pa.array(scores)], schema=schema)


class _TopRows:
    """Buffer of the rows that may be selected."""

    def __init__(self, criteria: SelectionCriteria, removed: Counter[str] | None = None) -> None:
        self._criteria, self._removed = criteria, removed
        self._parts: list[Any] = []
        self._size = 0
        self._limit = max(_MIN_BUFFER, 2 * (criteria.budget_pages or 0))

    def add(self, rows: pa.Table) -> None:
        import pyarrow.compute as pc

        rows = rows.filter(pc.greater_equal(rows.column("score"), np.float32(self._criteria.threshold)))
        if len(rows):
            self._parts.append(rows)
            self._size += len(rows)
        if self._size > self._limit:
            self._parts = [self.take()]
            self._size = len(self._parts[0])
            self._limit = max(self._limit, 2 * self._size if self._criteria.budget_pages is None else 0)

    def take(self) -> pa.Table:
        import pyarrow as pa

        rows = pa.concat_tables([scored_schema().empty_table(), *self._parts])
        return select_pages(rows, self._criteria, removed=self._removed)


class _UrlSample:
    """Random sample of URLs: those with the lowest hashes of their locations, in any order of arrival."""

    def __init__(self, size: int) -> None:
        self._size, self._smallest = size, list[tuple[int, str]]()

    def add(self, rows: pa.Table) -> None:
        # Last steps of SplitMix64 on numbers: hashing the URLs would take a tenth of the scoring time.
        mixed = rows["warc_record_offset"].to_numpy().astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= rows["warc_record_length"].to_numpy().astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(27)
        low = np.argsort(mixed, kind="stable")[: self._size]
        urls = rows["url"].take(low).to_pylist()
        self._smallest = sorted({*self._smallest, *zip(mixed[low].tolist(), urls, strict=True)})[: self._size]

    @property
    def urls(self) -> list[str]:
        return sorted({url for _, url in self._smallest})


def _merge_partitions(
    output: Output,
    labels: list[str],
    index: Index,
    criteria: SelectionCriteria,
    version: str,
    partitions: int,
    damaged: dict[str, str],
) -> None:
    """Select from the results of the partitions, one after the other, and publish the locations and the summary."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tally, pool = Tally(), list[str]()
    selected = scored_schema().empty_table()
    present = set(output.names(_SUFFIX))
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        for label in labels:
            if label not in present:
                continue
            file = output.fetch(label + _SUFFIX, Path(temporary))
            table = pq.read_table(file)
            metadata = table.schema.metadata or {}
            tally.merge(json.loads(metadata[b"corpuskit"]))
            pool += json.loads(metadata[b"pool"])
            selected = select_pages(
                pa.concat_tables([selected, table.cast(scored_schema())]), criteria, removed=tally.left_out
            )
            if not file.is_relative_to(output.url):
                file.unlink(missing_ok=True)
        selected = select_pages(selected, criteria, final=True, removed=tally.left_out)
        summary = {
            "index": index.name,
            "archives": index.archives,
            "anonymous": index.anonymous,
            "model": version,
            "choice": asdict(criteria),
            "partitions": partitions,
            "scored": len(labels),
            "damaged": damaged,
            "bins": BINS,
            **tally.as_json(),
            "pool": pool,
        }
        file = Path(temporary) / "places"
        pq.write_table(selected, file, compression="zstd", row_group_size=1 << 16)
        output.publish(file, LOCATIONS_FILE)
        output.publish_json(summary, SUMMARY_FILE, Path(temporary))
