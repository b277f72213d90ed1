"""Extraction of many shards on an engine: finished shards are skipped, failed ones are recorded and retried later."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from corpuskit import engine
from corpuskit.errors import ConfigurationError
from corpuskit.extraction import ExtractOptions
from corpuskit.ingest import EXTRACTOR
from corpuskit.shards.inputs import Shard, find_shards
from corpuskit.shards.output import FAILED_SUFFIX, SETTINGS, Output
from corpuskit.shards.shard_extraction import ShardResult, ShardTask, extract_shard
from corpuskit.store.formatting import pluralize

if TYPE_CHECKING:
    from distributed import Client

# A shard takes minutes. Limits apply to each of its documents instead.
_LIMITS: Final = engine.Limits(seconds=None, memory=None)


@dataclass(slots=True)
class ShardReport:
    """Report of a run.

    Attributes:
        done: Number of shards extracted in this run.
        skipped: Number of shards extracted before.
        documents: Number of documents extracted in this run.
        failures: Number of documents that failed; they are rows of the catalog parts.
        quarantined: Name of a failed shard → reason. The next run retries it.
    """

    done: int = 0
    skipped: int = 0
    documents: int = 0
    failures: int = 0
    quarantined: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        text = f"{pluralize(self.done, 'shard')} extracted ({pluralize(self.documents, 'document')}, {self.failures:,} failed)"
        text += f", {self.skipped} done before" if self.skipped else ""
        if self.quarantined:
            name, why = next(iter(self.quarantined.items()))
            text += f", {len(self.quarantined)} set aside, such as {name}: {why}"
        return text


def extract_shards(
    sources: Iterable[str] | str,
    out: str,
    *,
    on: Literal["serial", "processes", "dask"] | Client = "processes",
    workers: int | None = None,
    base: str | None = None,
    options: ExtractOptions | None = None,
    progress: bool = True,
) -> ShardReport:
    """Extract web archives, directories and Parquet files into ``out``, shard by shard; see :func:`find_shards`.

    A shard has three output files: ``NAME.nlp.txt.zst`` (the documents, see ``corpuskit.store.packs``),
    ``NAME.elements.parquet`` (their elements) and ``NAME.catalog.parquet`` (one row per document or failure), which is
    written last. They have the same bytes on every engine. Finished shards are skipped, so the same call continues a
    run that was stopped or killed. A shard that failed three times has a file ``NAME.failed.json``.

    Args:
        sources: Paths, patterns or URLs of any store that fsspec supports.
        out: A directory, or a URL of one. Pass it to :func:`merge` to import the outputs into a corpus.
        on: Engine; see :func:`corpuskit.engine.run`.
        workers: Number of processes.
        base: Base of the paths in lists.
        options: Options of the extraction.
        progress: Show a progress bar with the remaining time.

    Raises:
        SourceError: A source does not exist.
        ConfigurationError: ``out`` contains outputs made with other options or by another version.
        MissingExtraError: The extra ``dask`` is not installed.
    """
    shards = find_shards([sources] if isinstance(sources, str) else sources, base=base)
    return run_shards(shards, out, on=on, workers=workers, options=options, progress="extract" if progress else None)


def run_shards(
    shards: Sequence[Shard],
    out: str,
    *,
    on: Literal["serial", "processes", "dask"] | Client = "processes",
    workers: int | None = None,
    options: ExtractOptions | None = None,
    progress: str | None = None,
) -> ShardReport:
    """Extract given shards; see :func:`extract_shards`.

    Args:
        shards: The shards.
        out: Output directory, or URL of one in a store.
        on: Engine.
        workers: Number of processes; None: one per core.
        options: Options of the extraction.
        progress: Label of a progress bar; None: no bar.
    """
    options = options or ExtractOptions()
    output = Output(out)
    _check_settings(output, options)
    done, failed = set(output.names()), set(output.names(FAILED_SUFFIX))
    tasks = [ShardTask(shard, output.url, options) for shard in shards if shard.name not in done]
    report = ShardReport(skipped=len(shards) - len(tasks))
    for outcome in engine.run(
        extract_shard, tasks, on=on, workers=workers, limits=_LIMITS, retry=(OSError,),
        progress=progress, total=len(tasks),
    ):  # fmt: skip
        _record_outcome(report, output, outcome, failed)
    output.remove_leftovers()
    return report


def _record_outcome(
    report: ShardReport, output: Output, outcome: engine.Outcome[ShardTask, ShardResult], failed: set[str]
) -> None:
    name = outcome.item.shard.name
    if outcome.error is not None:
        report.quarantined[name] = str(outcome.error)
        with tempfile.TemporaryDirectory() as directory:
            output.publish_json(_failure_details(outcome.item.shard, outcome), name + FAILED_SUFFIX, Path(directory))
        return
    assert outcome.value is not None
    if outcome.value.skipped:
        report.skipped += 1
    else:
        report.done += 1
        report.documents += outcome.value.documents
        report.failures += outcome.value.failures
    if name in failed:
        output.remove(name + FAILED_SUFFIX)


def _failure_details(shard: Shard, outcome: engine.Outcome[Any, Any]) -> dict[str, Any]:
    error = outcome.error
    return {
        "shard": shard.name,
        "inputs": list(shard.urls),
        "error": type(error).__name__,
        "message": str(error),
        "tries": outcome.tries,
    }


def _check_settings(output: Output, options: ExtractOptions) -> None:
    """Store the settings of the outputs; raise if the directory contains outputs with other settings."""
    settings = {"made_by": EXTRACTOR, "options": _as_json(options)}
    with tempfile.TemporaryDirectory() as directory:
        if output.publish_json(settings, SETTINGS, Path(directory), create=True):
            return
    try:
        stored = json.loads(output.read(SETTINGS))
    except ValueError:
        stored = None
    if isinstance(stored, dict) and isinstance(stored.get("options"), dict):
        # Options that did not exist when the outputs were made had their default values.
        stored["options"] = {**_as_json(ExtractOptions()), **stored["options"]}
    if stored != settings:
        raise ConfigurationError(
            f"{output.url} contains outputs of {(stored or {}).get('made_by', 'another program')} with other options or of "
            "another version: pass a new directory"
        )


def _as_json(options: ExtractOptions) -> dict[str, Any]:
    """Return the options as read back from JSON, without the password."""
    values = {key: value for key, value in dataclasses.asdict(options).items() if key != "password"}
    read: dict[str, Any] = json.loads(json.dumps(values, default=sorted))
    return read
