"""Extracts shards on an engine: what is done is left, what fails three times is set aside with its reason."""

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
from corpuskit.shards.shard_extraction import Done, Job, extract_shard
from corpuskit.store.telling import counted

if TYPE_CHECKING:
    from distributed import Client

# A shard takes minutes: its documents have limits of their own.
_LIMITS: Final = engine.Limits(seconds=None, memory=None)


@dataclass(slots=True)
class ShardReport:
    """What became of a run.

    Attributes:
        done: shards extracted now.
        skipped: shards that were done before.
        documents: documents extracted now.
        failures: documents that failed; they are rows of the catalogue parts.
        quarantined: name of a shard → why it was set aside; the next run tries it again.
    """

    done: int = 0
    skipped: int = 0
    documents: int = 0
    failures: int = 0
    quarantined: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        text = (
            f"{counted(self.done, 'shard')} extracted ({counted(self.documents, 'document')}, {self.failures:,} failed)"
        )
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
    """Extract web archives, folders and Parquet files into ``out``, a shard at a time; see :func:`find_shards`.

    A shard gives three files: ``NAME.nlp.txt.zst`` (the documents, see ``corpuskit.store.packs``),
    ``NAME.elements.parquet`` (their elements) and, last, ``NAME.catalog.parquet`` (a row a document or failure). They
    are the same bytes on every engine. Shards that are done are left as they are, so a run that was stopped or killed is
    gone on with by the same call. A shard that failed three times is told in ``NAME.failed.json``.

    Args:
        sources: paths, patterns or URLs of any store that fsspec knows.
        out: a folder, or a URL of one; :func:`merge` takes it into a corpus.
        on: where; see :func:`corpuskit.engine.run`.
        workers: how many processes.
        base: what the paths of lists are relative to.
        options: for the extraction.
        progress: shows a bar with the time left.

    Raises:
        SourceError: a source does not exist.
        ConfigurationError: ``out`` holds outputs made with other options or by another version.
        MissingExtraError: the extra ``dask`` is not installed.
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
    """Extract shards that are known, as :func:`extract_shards` does.

    Args:
        shards: The shards.
        out: Where the outputs go: a folder or the URL of a store.
        on: Where it runs.
        workers: Number of processes; None: one a core.
        options: Choices for the extraction.
        progress: Name of a progress bar; None: none.
    """
    options = options or ExtractOptions()
    output = Output(out)
    _settle(output, options)
    done, failed = set(output.names()), set(output.names(FAILED_SUFFIX))
    todo = [Job(shard, output.url, options) for shard in shards if shard.name not in done]
    report = ShardReport(skipped=len(shards) - len(todo))
    for outcome in engine.run(
        extract_shard, todo, on=on, workers=workers, limits=_LIMITS, retry=(OSError,),
        progress=progress, total=len(todo),
    ):  # fmt: skip
        _note(report, output, outcome, failed)
    output.remove_leftovers()
    return report


def _note(report: ShardReport, output: Output, outcome: engine.Outcome[Job, Done], failed: set[str]) -> None:
    name = outcome.item.shard.name
    if outcome.error is not None:
        report.quarantined[name] = str(outcome.error)
        with tempfile.TemporaryDirectory() as folder:
            output.publish_json(_reason(outcome.item.shard, outcome), name + FAILED_SUFFIX, Path(folder))
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


def _reason(shard: Shard, outcome: engine.Outcome[Any, Any]) -> dict[str, Any]:
    error = outcome.error
    return {
        "shard": shard.name,
        "inputs": list(shard.urls),
        "error": type(error).__name__,
        "message": str(error),
        "tries": outcome.tries,
    }


def _settle(output: Output, options: ExtractOptions) -> None:
    """Writes down with what the outputs are made; refuses to mix them with others."""
    settings = {"made_by": EXTRACTOR, "options": _as_json(options)}
    with tempfile.TemporaryDirectory() as folder:
        if output.publish_json(settings, SETTINGS, Path(folder), create=True):
            return
    try:
        found = json.loads(output.read(SETTINGS))
    except ValueError:
        found = None
    if isinstance(found, dict) and isinstance(found.get("options"), dict):
        # What could not be chosen when they were made was as it is by default.
        found["options"] = {**_as_json(ExtractOptions()), **found["options"]}
    if found != settings:
        raise ConfigurationError(
            f"{output.url} holds outputs of {(found or {}).get('made_by', 'something else')} with other options or "
            "another version: name a new folder"
        )


def _as_json(options: ExtractOptions) -> dict[str, Any]:
    """The options as they come back from a file; a password is nobody else's business."""
    values = {key: value for key, value in dataclasses.asdict(options).items() if key != "password"}
    read: dict[str, Any] = json.loads(json.dumps(values, default=sorted))
    return read
