"""Scores an index, partition by partition, on any engine; what is done is not done again."""

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
from corpuskit.discovery.choosing import Choice, check_number, choose, scored_schema
from corpuskit.discovery.discovery import BINS, PLACES, SUMMARY, Discovery, Tally
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
_FORMAT: Final = 1  # a new number: what was scored before is scored again
_POOL: Final = 20_000  # URLs of the whole index that show what it is like
_AHEAD: Final = 50_000  # chosen rows that are held before they are thinned out
ROOM: Final = "discoveries"


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker needs to score a partition."""

    partition: Partition
    name: str
    index: Index
    model: RelevanceModel
    fingerprint: str
    choice: Choice
    out: str
    pool: int


def discover(  # noqa: PLR0913 - the public signature
    folder: CorpusFolder,
    index: Index,
    *,
    choice: Choice | None = None,
    sample: float | None = None,
    name: str | None = None,
    out: str | None = None,
    on: Literal["serial", "processes", "dask"] | Client = "processes",
    workers: int | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Discovery:
    """Score the pages of an index with the corpus' last model of URLs, and choose the best.

    Each partition gives a file of the pages it may contribute; the same call goes on where an earlier one stopped, and does
    nothing but read where that was done. The result is the same on every engine. Memory depends on the budget, not on the
    index.

    Args:
        folder: the corpus.
        index: what :func:`corpuskit.commoncrawl` gave.
        choice: threshold, pages a host, budgets.
        sample: scores this share of the partitions only, drawn at random; :meth:`Discovery.estimate` tells of the whole.
        name: of the discovery in the corpus; default: made of the index, the model and the choice.
        out: where the files go; default: the corpus' folder. Workers on other machines need a place that all can reach.
        on: where; see :func:`corpuskit.engine.run`.
        workers: how many processes.
        seed: of the drawing.
        progress: shows a bar, outside a terminal or notebook a line a minute.

    Raises:
        RelevanceError: there is no model of URLs.
        ConfigurationError: a number or an engine that cannot be, or ``name`` is taken by another discovery.
        SourceError: the index has no files.
    """
    engine.check_engine(on, workers)
    choice = choice or Choice()
    if sample is not None:
        check_number("sample", sample, lambda value: 0.0 < value <= 1.0, "a share above 0 and up to 1")
    models = last_model(folder)
    if models is None or models.url is None:
        raise RelevanceError("there is no model of URLs yet: label documents of several hosts and train")
    model, fingerprint = models.url, models.url.fingerprint
    drawn = _drawn(index.partitions, sample, seed)
    said = _said(index, drawn, fingerprint, choice)
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
    name = name or f"{index.partitions[0].crawl or 'index'}-{digest[:10]}"
    own = str(folder.root.subfolder(ROOM).subfolder(name).mkdir())
    elsewhere = out is not None and Output(out).url != Output(own).url
    output = Output(out or own)
    _settle(output, {**said, "digest": digest}, name)
    pool = max(1, math.ceil(_POOL / len(drawn)))
    done = set(output.names(_SUFFIX))
    jobs = [
        _Job(part, label, replace(index, partitions=()), model, fingerprint, choice, output.url, pool)
        for part in drawn
        if (label := _label(part)) not in done
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
        number = len(set(output.names(_SUFFIX)) & {_label(part) for part in drawn})
        raise KeyboardInterrupt(
            f"{number:,} of {pluralize(len(drawn), 'file')} of the index scored and kept; the same call or command goes on"
        ) from None
    if jobs or not output.has(SUMMARY):
        _gather(output, [_label(part) for part in drawn], index, choice, models.version, len(index.partitions), damaged)
    if elsewhere:
        _take_home(output, own)
    found = Discovery(folder, name, output.url, archives=index.archives)
    hosts = found.sources[["host", "why"]].itertuples(index=False, name=None)
    folder.catalog.set_meta(DISCOVERED_HOSTS, json.dumps(list(hosts)))
    return found


def _drawn(partitions: tuple[Partition, ...], share: float | None, seed: int) -> tuple[Partition, ...]:
    if share is None or share == 1.0:
        return partitions
    number = max(1, math.ceil(share * len(partitions)))
    chosen = stable_sample([part.url for part in partitions], number, seed)
    return tuple(sorted((partitions[at] for at in chosen), key=lambda part: part.url))


def _said(index: Index, drawn: tuple[Partition, ...], fingerprint: str, choice: Choice) -> dict[str, Any]:
    """All that decides on the result."""
    filters = {key: str(value) for key, value in asdict(index.filters).items()}
    return {
        "format": _FORMAT,
        "partitions": [part.url for part in drawn],
        "archives": index.archives,
        "filters": filters,
        "model": fingerprint,
        "choice": asdict(choice),
    }


def _settle(output: Output, said: dict[str, Any], name: str) -> None:
    """Writes down what the files are made with; refuses to mix them with others."""
    with tempfile.TemporaryDirectory() as folder:
        if output.publish_json(said, "discovery.json", Path(folder), create=True):
            return
    try:
        found = json.loads(output.read("discovery.json", 64 << 20))
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("digest") != said["digest"]:
        raise ConfigurationError(
            f"the discovery {name!r} was made of another index, model or choice: give another name"
        )


def _take_home(output: Output, own: str) -> None:
    """Copy the result of a discovery into the corpus, where :meth:`Discovery.named` finds it."""
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        for file in (PLACES, SUMMARY):  # the summary last: it says that all is there
            Output(own).publish(output.fetch(file, Path(temporary)), file)


def _label(part: Partition) -> str:
    stem = part.url.rstrip("/").rpartition("/")[2][:60]
    kept = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in stem)
    return f"{hashlib.sha256(part.url.encode('utf-8', 'replace')).hexdigest()[:12]}-{kept}"


_scorers: dict[str, UrlScorer] = {}  # of this process: the last model's


def _scorer(job: _Job) -> UrlScorer:
    if job.fingerprint not in _scorers:
        _scorers.clear()
        _scorers[job.fingerprint] = UrlScorer(job.model)
    return _scorers[job.fingerprint]


def _score_partition(job: _Job) -> int:
    """Scores one partition and publishes what may be chosen of it; gives how many rows it has. Runs on a worker."""
    import pyarrow.parquet as pq

    tally = Tally()
    chosen = _Best(job.choice, tally.left_out)
    pool = _Pool(job.pool)
    for rows in _scored(job, tally):
        pool.add(rows)
        chosen.add(rows)
    table = chosen.take()
    metadata = {"corpuskit": json.dumps(tally.as_json()), "pool": json.dumps(pool.urls)}
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        file = Path(temporary) / "part"
        pq.write_table(table.replace_schema_metadata(metadata), file, compression="zstd")
        Output(job.out).publish(file, job.name + _SUFFIX, create=True)
    return tally.seen


def _scored(job: _Job, tally: Tally) -> Iterator[pa.Table]:
    """The wanted rows of a partition with their scores; counts them."""
    import pyarrow as pa

    scorer, schema = _scorer(job), scored_schema()
    for found in read_partition(job.partition, job.index.filters, anonymous=job.index.anonymous):
        tally.seen += found.seen
        tally.wrong += found.wrong
        tally.left_out.update(found.left_out)
        rows = found.rows
        if not len(rows):
            continue
        scores = np.round(scorer.score(rows.column("url")), 6).astype(np.float32)
        tally.left_out["threshold"] += int((scores < np.float32(job.choice.threshold)).sum())
        tally.add(scores, rows.column("warc_record_length").to_numpy())
        crawl = pa.array([job.partition.crawl or None], pa.string()).take(pa.array(np.zeros(len(rows), np.int32)))
        yield pa.Table.from_arrays([*rows.columns, crawl, pa.array(scores)], schema=schema)


class _Best:
    """The rows that may be chosen, of all that came."""

    def __init__(self, choice: Choice, cut: Counter[str] | None = None) -> None:
        self._choice, self._cut = choice, cut
        self._parts: list[Any] = []
        self._size = 0
        self._limit = max(_AHEAD, 2 * (choice.budget_pages or 0))

    def add(self, rows: pa.Table) -> None:
        import pyarrow.compute as pc

        rows = rows.filter(pc.greater_equal(rows.column("score"), np.float32(self._choice.threshold)))
        if len(rows):
            self._parts.append(rows)
            self._size += len(rows)
        if self._size > self._limit:
            self._parts = [self.take()]
            self._size = len(self._parts[0])
            self._limit = max(self._limit, 2 * self._size if self._choice.budget_pages is None else 0)

    def take(self) -> pa.Table:
        import pyarrow as pa

        places = pa.concat_tables([scored_schema().empty_table(), *self._parts])
        return choose(places, self._choice, cut=self._cut)


class _Pool:
    """Sample of URLs: those with the lowest hashes of their locations, whatever order they arrive in."""

    def __init__(self, size: int) -> None:
        self._size, self._kept = size, list[tuple[int, str]]()

    def add(self, rows: pa.Table) -> None:
        # SplitMix64's last steps, over numbers: hashing the URLs took a tenth of the time of scoring them.
        mixed = rows["warc_record_offset"].to_numpy().astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= rows["warc_record_length"].to_numpy().astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(27)
        low = np.argsort(mixed, kind="stable")[: self._size]
        urls = rows["url"].take(low).to_pylist()
        self._kept = sorted({*self._kept, *zip(mixed[low].tolist(), urls, strict=True)})[: self._size]

    @property
    def urls(self) -> list[str]:
        return sorted({url for _, url in self._kept})


def _gather(
    output: Output,
    labels: list[str],
    index: Index,
    choice: Choice,
    version: str,
    partitions: int,
    damaged: dict[str, str],
) -> None:
    """Chooses among what the partitions gave, one after the other, and publishes the places and what they are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tally, pool = Tally(), list[str]()
    chosen = scored_schema().empty_table()
    present = set(output.names(_SUFFIX))
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        for label in labels:
            if label not in present:
                continue
            file = output.fetch(label + _SUFFIX, Path(temporary))
            table = pq.read_table(file)
            metadata = table.schema.metadata or {}
            tally.take(json.loads(metadata[b"corpuskit"]))
            pool += json.loads(metadata[b"pool"])
            chosen = choose(pa.concat_tables([chosen, table.cast(scored_schema())]), choice, cut=tally.left_out)
            if not file.is_relative_to(output.url):
                file.unlink(missing_ok=True)
        chosen = choose(chosen, choice, final=True, cut=tally.left_out)
        summary = {
            "index": index.name,
            "archives": index.archives,
            "anonymous": index.anonymous,
            "model": version,
            "choice": asdict(choice),
            "partitions": partitions,
            "scored": len(labels),
            "damaged": damaged,
            "bins": BINS,
            **tally.as_json(),
            "pool": pool,
        }
        file = Path(temporary) / "places"
        pq.write_table(chosen, file, compression="zstd", row_group_size=1 << 16)
        output.publish(file, PLACES)
        output.publish_json(summary, SUMMARY, Path(temporary))
