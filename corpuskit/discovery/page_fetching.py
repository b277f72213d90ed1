"""Fetches chosen pages from their archives into the corpus: shards of places, extracted anywhere, then merged."""

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
from corpuskit.relevance.learning import last_model, score_documents
from corpuskit.relevance.scoring_text import scoring_text
from corpuskit.shards import Shard, merge, run_shards
from corpuskit.shards.output import ELEMENTS_SUFFIX, RECORDS_SUFFIX, Output
from corpuskit.store import CorpusFolder
from corpuskit.store.packs import PACK_SUFFIX
from corpuskit.store.telling import counted

if TYPE_CHECKING:
    import pyarrow as pa
    from distributed import Client

    from corpuskit.discovery.discovery import Discovery
    from corpuskit.relevance import CorpusModel
    from corpuskit.shards.merge import DocumentFilter

REQUESTS_PER_SECOND: Final = 5.0
_RECORDS: Final = 500  # a shard
_BYTES: Final = 64 << 20
_PLAN: Final = "plan.json"
_PLACES_SUFFIX: Final = ".places.parquet"
_VERDICTS_SUFFIX: Final = ".verdicts.json"


@dataclass(slots=True)
class Fetched:
    """What became of a call of fetch.

    Attributes:
        pages: that were to be fetched.
        known: of the chosen pages, those that the corpus had already.
        documents: extracted now.
        failures: pages that gave no document now; they are rows of ``failures()``.
        counts: what became of the documents: new, changed, unchanged, removed (before, and stay so), not wanted.
        set_aside: shards that could not be done, with the reason; the same call tries them again.
    """

    pages: int = 0
    known: int = 0
    documents: int = 0
    failures: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    set_aside: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        parts = [f"{number:,} {name}" for name, number in self.counts.items() if number and name != "failed"]
        text = f"{counted(self.pages, 'page')}: {', '.join(parts) or 'nothing new'}"
        text += f", {self.failures:,} failed" if self.failures else ""
        text += f"; {self.known:,} were in the corpus before" if self.known else ""
        if self.set_aside:
            name, why = next(iter(self.set_aside.items()))
            text += f"; {counted(len(self.set_aside), 'shard')} set aside, such as {name}: {why}; the same call or command goes on"
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
    places: pa.Table | None = None,
    part: str = "fetched",
) -> Fetched:
    """Fetch the chosen pages by byte ranges, extract them and take them into the corpus.

    A page that the corpus has is not fetched. What was killed or set aside is gone on with by the same call: pages are
    neither lost nor taken twice. A record that is missing, damaged, of another page or with another digest than the index
    says is a row of the failures; a store that is busy is asked again later, and sets its shard aside where it stays so.
    Documents have crawl, archive, offset and digest in their metadata, and their records among the originals.

    Args:
        folder: the corpus.
        discovery: what to fetch.
        threshold: takes only documents in that the model of documents scores so high.
        on: where; see :func:`corpuskit.engine.run`.
        workers: how many processes.
        out: where shards go meanwhile; default: the corpus' folder. Workers on other machines need a place that all can
            reach.
        requests_per_second: of the store, of all workers together.
        progress: shows bars, outside a terminal or notebook a line a minute.
        places: fetches these of its places only.
        part: a name for what these are.

    Raises:
        ConfigurationError: a number that cannot be.
        SourceError: none of the archives can be read.
        RelevanceError: a threshold is given and there is no model.
        CorpusBusyError: another process packs or merges.
    """
    engine.check_engine(on, workers)
    check_number("requests_per_second", requests_per_second, lambda value: value > 0, "more than 0")
    if threshold is not None:
        check_number("threshold", threshold, lambda value: 0.0 <= value <= 1.0, "a score from 0 to 1")
    model = last_model(folder)
    if threshold is not None and model is None:
        raise RelevanceError("there is no model to judge documents by: train one, or fetch without a threshold")
    name = part if threshold is None else f"{part}-{threshold:g}"
    if out is None:
        out = str(folder.inside.within("discoveries").within(discovery.name).within(name).make())
    output = Output(out)
    places = discovery.places if places is None else places
    plan = _plan(folder, output, places)
    if set(plan["shards"]) - set(output.names()):
        check_archives(discovery, places, on=on, pause=1 / requests_per_second)
    pause = _width(on, workers) / requests_per_second
    shards = [_shard(output, discovery, label, pause) for label in plan["shards"]]
    report = Fetched(pages=plan["pages"], known=plan["known"])
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
            f"{len(done):,} of {counted(len(shards), 'shard')} with {counted(plan['pages'], 'page')} fetched and kept; the same "
            "call or command goes on, and takes them into the corpus at its end"
        ) from None
    report.documents, report.failures, report.set_aside = run.documents, run.failures, run.quarantined
    if output.names():
        judge = None if threshold is None or model is None else _judge(model, threshold, output)
        taken = merge(folder, output.url, progress=progress, judge=judge)
        report.counts = taken.counts
        report.set_aside |= taken.damaged
        _clear(output, set(taken.damaged))
    if model is not None:
        score_documents(folder, model)
    return report


def _shard(output: Output, discovery: Discovery, label: str, pause: float) -> Shard:
    """A file of places as a shard; what it is called is a file here, and no link.

    Raises:
        SourceError: it is missing.
        CorpusError: it leads elsewhere.
    """
    file = label + _PLACES_SUFFIX
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        output.fetch(file, Path(temporary))
    return Shard(
        label, "parquet", (f"{output.url}/{file}",), discovery.archives, is_listed=discovery.is_said_by_files, pause=pause,
        is_anonymous=discovery.is_anonymous,
    )  # fmt: skip


def _width(on: Any, workers: int | None) -> int:
    """How many workers ask the store at once."""
    if on == "serial":
        return 1
    if isinstance(on, str):
        return workers or engine.default_workers()
    return max(1, int(sum(on.nthreads().values())))


def _plan(folder: CorpusFolder, output: Output, places: pa.Table) -> dict[str, Any]:
    """Which shards there are; the same ones after a restart, whatever the corpus has got meanwhile."""
    if output.has(_PLAN):
        try:
            found = json.loads(output.read(_PLAN))
            if all(isinstance(found[key], int) for key in ("pages", "known")) and all(map(_is_label, found["shards"])):
                return dict(found)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        raise CorpusError(f"{output.url}/{_PLAN} is damaged: remove the folder and fetch again")
    import pyarrow.parquet as pq

    table, known = _unknown(folder, places)
    table = table.sort_by([("warc_filename", "ascending"), ("warc_record_offset", "ascending"), ("url", "ascending")])
    labels = []
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
        for number, (first, last) in enumerate(_cuts(table.column("warc_record_length").to_pylist())):
            label = f"places-{number:06d}"
            file = Path(temporary) / "places"
            pq.write_table(table.slice(first, last - first), file, compression="zstd")
            output.publish(file, label + _PLACES_SUFFIX)
            labels.append(label)
        plan = {"pages": len(table), "known": known, "shards": labels}
        output.publish_json(plan, _PLAN, Path(temporary))
    return plan


def _is_label(name: Any) -> bool:
    return isinstance(name, str) and name.startswith("places-") and name[7:].isdigit()


def _unknown(folder: CorpusFolder, places: pa.Table) -> tuple[pa.Table, int]:
    """The places of pages that the corpus has not got, each URL and digest once; and how many it has."""
    import numpy as np
    import pyarrow as pa

    from corpuskit.errors import RefusedError
    from corpuskit.sources.web import canonical_url

    have = {doc_id for (doc_id,) in folder.catalog.tuples("SELECT doc_id FROM current")}
    seen: set[str] = set()
    keep = np.ones(len(places), bool)
    known = 0
    digests = places.column("content_digest").to_pylist()
    for at, (url, digest) in enumerate(zip(places.column("url").to_pylist(), digests, strict=True)):
        try:
            canonical = canonical_url(url)
        except RefusedError:
            canonical = url
        if document_id(url) in have or document_id(canonical) in have:
            keep[at] = False
            known += 1
        elif canonical in seen or (digest and f"sha1:{digest}" in seen):
            keep[at] = False
        else:
            seen |= {canonical, f"sha1:{digest}"}
    return places.cast(scored_schema()).filter(pa.array(keep)), known


def _cuts(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Where shards begin and end."""
    found, first, size = [], 0, 0
    for at, length in enumerate(lengths):
        if at > first and (at - first >= _RECORDS or size + length > _BYTES):
            found.append((first, at))
            first, size = at, 0
        size += length
    if len(lengths) > first:
        found.append((first, len(lengths)))
    return found


def _judge(model: CorpusModel, threshold: float, output: Output) -> DocumentFilter:
    """Says which documents are wanted, and writes down what it said of the others: they teach the model of URLs."""

    def judge(documents: Sequence[tuple[str, str, str]]) -> list[bool]:
        scores = model.document.score([scoring_text(title, text) for _, title, text in documents]).tolist()
        wanted = [score >= threshold for score in scores]
        verdicts = {
            uri: score for (uri, _, _), score, is_in in zip(documents, scores, wanted, strict=True) if not is_in
        }
        name = hashlib.sha256("\n".join(uri for uri, _, _ in documents).encode("utf-8", "replace")).hexdigest()[:16]
        with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
            output.publish_json(verdicts, name + _VERDICTS_SUFFIX, Path(temporary))
        return wanted

    return judge


def _clear(output: Output, damaged: set[str]) -> None:
    """Removes what is in the corpus now; the catalogue parts stay, they tell what is done."""
    done = set(output.names()) - damaged
    for suffix in (PACK_SUFFIX, ELEMENTS_SUFFIX, RECORDS_SUFFIX):
        for name in output.names(suffix):
            if name in done:
                output.remove(name + suffix)


def verdicts_of(folder: CorpusFolder, discovery: Discovery) -> dict[str, float]:
    """What the model of documents said of fetched pages that were not taken in: URL → P(relevant)."""
    room = folder.inside.within("discoveries").within(discovery.name)
    found: dict[str, float] = {}
    for name in room.walk(_VERDICTS_SUFFIX):
        try:
            said = json.loads(room.read(name, 64 << 20))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(said, dict):
            found |= {url: float(score) for url, score in said.items() if isinstance(score, (int, float))}
    return found
