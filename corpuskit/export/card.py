"""The dataset card of an export: manifest.json, README.md, croissant.json."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from corpuskit._version import __version__
from corpuskit.export.checksums import SUMS, FileEntry
from corpuskit.export.croissant import croissant
from corpuskit.export.formats import formats as known_formats
from corpuskit.export.licenses import spdx
from corpuskit.export.options import ExportOptions
from corpuskit.export.readme import readme
from corpuskit.export.selection import Selection
from corpuskit.export.statistics import SOURCES, Statistics
from corpuskit.labels import agreements
from corpuskit.store import CorpusFolder

MANIFEST: Final = "manifest.json"
_MAX_LISTED: Final = 200  # licences and labels


def write_card(
    folder: CorpusFolder,
    work: Path,
    tally: Statistics,
    formats: list[str],
    options: ExportOptions,
    entries: dict[str, FileEntry],
    selection: Selection,
    preprocessing: str | None,
) -> dict[str, FileEntry]:
    """Write manifest.json, README.md and croissant.json, and return the entries of all files except the manifest."""
    record = _record(folder, tally, formats, options, selection)
    record["steps"] = _steps(folder, tally, selection, preprocessing)
    texts = {
        "README.md": readme(record, entries),
        "croissant.json": json.dumps(croissant(record, entries), ensure_ascii=False, indent=2) + "\n",
    }
    for name, text in texts.items():
        (work / name).write_text(text, "utf-8", newline="\n", errors="replace")
    entries = dict(entries)
    for name in (*texts, SUMS):
        content = work / name
        with content.open("rb") as file:
            entries[name] = FileEntry(content.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())
    record["files"] = {name: entry.as_record() for name, entry in sorted(entries.items())}
    text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    (work / MANIFEST).write_text(text, "utf-8", newline="\n", errors="replace")
    return dict(sorted(entries.items()))


def _record(
    folder: CorpusFolder, tally: Statistics, formats: list[str], options: ExportOptions, selection: Selection
) -> dict[str, Any]:
    catalog, annotation = folder.catalog, selection.annotation
    return {
        "made_by": f"corpuskit {__version__}",
        "corpus": folder.settings.name,
        "description": folder.settings.description,
        "date": _date(tally),
        "formats": {name: known_formats()[name].files for name in formats},
        **({"layers": list(annotation.names)} if annotation is not None else {}),
        "options": options.as_record(),
        "counts": {
            "documents": tally.documents, "words": tally.words, "main_words": tally.main_words,
            "elements": tally.elements, "hosts": tally.hosts,
        },
        "dropped": dict(sorted(selection.dropped.items())),
        "masked": dict(sorted(selection.masked.items())),
        "steps": [],
        "languages": _ranked(tally.languages),
        "media_types": _ranked(tally.media_types),
        "labels": dict(sorted(tally.labels.items())[:_MAX_LISTED]),
        "decisions": _ranked(tally.decisions),
        "agreement": _agreement(folder),
        "licenses": {
            name: {"documents": count, "spdx": spdx(name)} for name, count in _ranked(tally.licenses).items()
        },
        "sources": {
            "table": SOURCES, "first_fetched": tally.first_fetched or None, "last_fetched": tally.last_fetched or None,
        },
        "robots": {
            "hosts": {
                str(row["status"]): row["n"]
                for row in catalog.rows(
                    "SELECT coalesce(robots_status, 'not asked') AS status, count(*) AS n FROM hosts "
                    "WHERE host IN (SELECT host FROM current) GROUP BY 1 ORDER BY 1"
                )
            },
            "refused_urls": catalog.value("SELECT count(*) FROM frontier WHERE reason_code = 'robots'"),
        },
        "model": _model(folder),
    }  # fmt: skip


def _ranked(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MAX_LISTED])


def _date(tally: Statistics) -> str | None:
    """Return the date of SOURCE_DATE_EPOCH (reproducible-builds.org) or of the last fetched page, never the current date."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isascii() and epoch.isdigit():
        return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    return tally.last_fetched[:10] or None


def _steps(
    folder: CorpusFolder, tally: Statistics, selection: Selection, preprocessing: str | None
) -> list[dict[str, Any]]:
    """Return the processing steps with the number of documents before and after each."""
    total = int(folder.catalog.value("SELECT count(*) FROM current"))
    asked = len(selection)
    steps: list[dict[str, Any]] = json.loads(preprocessing)["steps"] if preprocessing else []
    steps.append({"step": "chosen documents", "in": total, "out": asked})
    left = asked
    for why, count in sorted(selection.dropped.items()):
        steps.append({"step": f"left out: {why}", "in": left, "out": left - count})
        left -= count
    steps.append({"step": "export", "in": left, "out": tally.documents})
    return steps


def _agreement(folder: CorpusFolder) -> list[dict[str, Any]]:
    return [
        {"by": list(a.by), "documents": a.documents, "agreed": a.agreed,
         "kappa": None if a.kappa is None else round(a.kappa, 4)}
        for a in agreements(folder)
    ]  # fmt: skip


def _model(folder: CorpusFolder) -> dict[str, Any] | None:
    """Return the training data of the last model and the claim of its audit."""
    if folder.catalog.value("SELECT count(*) FROM models") == 0:
        return None
    from corpuskit.relevance.corpus_training import last_model

    model = last_model(folder)
    if model is None:
        return None
    card, audit = model.document.card, model.document.audit
    description: dict[str, Any] = {
        "version": model.version, "fingerprint": model.document.fingerprint, "relevant_labels": card.relevant,
        "other_labels": card.other, "seed": card.seed, "threshold": model.threshold, "audit": None,
    }  # fmt: skip
    if audit is not None:
        description["audit"] = {
            "claim": f"precision at least {audit.precision:g} with confidence {audit.confidence:g}",
            "threshold": audit.threshold, "other_threshold": audit.other_threshold, "labels": audit.labels,
            "documents": audit.documents,
        }  # fmt: skip
    return description
