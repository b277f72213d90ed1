"""One export: the chosen documents through the writers of the chosen formats, then the manifest."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from corpuskit._version import __version__
from corpuskit.errors import ExportError
from corpuskit.export.item import Item, Writer
from corpuskit.export.tables import CsvWriter, JsonLinesWriter, ParquetWriter
from corpuskit.export.text import FastTextWriter, NlpTextWriter, PlainTextWriter
from corpuskit.store import CorpusFolder

_WRITERS: Final[dict[str, type[Writer]]] = {
    "nlp.txt": NlpTextWriter,
    "jsonl": JsonLinesWriter,
    "parquet": ParquetWriter,
    "csv": CsvWriter,
    "fasttext": FastTextWriter,
    "txt": PlainTextWriter,
}
_MANIFEST: Final = "manifest.json"


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote.

    Attributes:
        folder: where.
        documents: how many.
        files: path below the folder → (bytes, SHA-256).
    """

    folder: Path
    documents: int
    files: dict[str, tuple[int, str]]

    def __repr__(self) -> str:
        size = sum(size for size, _ in self.files.values())
        return f"{self.documents:,} documents, {len(self.files):,} files, {size / 1e6:.1f} MB in {self.folder}"


def format_names() -> list[str]:
    """The formats that can be exported."""
    return list(_WRITERS)


def export(
    folder: CorpusFolder,
    out: str | Path,
    *,
    doc_ids: Sequence[str] | None = None,
    formats: Sequence[str] = ("nlp.txt",),
) -> ExportReport:
    """Exports the last versions of documents, by host and URI; same corpus, same bytes.

    Args:
        folder: the corpus.
        out: a new or empty folder, or that of an earlier export, which is replaced.
        doc_ids: only these; None for all.
        formats: names of :func:`format_names`.

    Raises:
        ExportError: an unknown format, or a folder that holds other things.
    """
    unknown = [name for name in formats if name not in _WRITERS]
    if unknown or not formats:
        raise ExportError(f"format {unknown[0] if unknown else ''!r} is unknown; there are: {', '.join(_WRITERS)}")
    target = Path(out)
    work = _prepare(target)
    try:
        count = _write(folder, work, doc_ids, list(dict.fromkeys(formats)))
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    if target.exists():
        shutil.rmtree(target)
    work.replace(target)
    files = {path: (entry["bytes"], entry["sha256"]) for path, entry in _files(target).items()}
    return ExportReport(target, count, files)


def _prepare(target: Path) -> Path:
    """A folder to write into; it takes the target's place when all is well."""
    if target.exists() and (not target.is_dir() or (any(target.iterdir()) and not (target / _MANIFEST).exists())):
        raise ExportError(f"{target} is not empty and no export of corpuskit; name a new folder")
    work = target.with_name(target.name + ".partial")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return work


def _write(folder: CorpusFolder, work: Path, doc_ids: Sequence[str] | None, formats: list[str]) -> int:
    writers = [_WRITERS[name](work) for name in formats]
    counts: Counter[str] = Counter()
    by_label: Counter[str] = Counter()
    by_language: Counter[str] = Counter()
    try:
        for item in _items(folder, doc_ids):
            for writer in writers:
                writer.write(item)
            counts["documents"] += 1
            counts["words"] += item.row["words"] or 0
            counts["main_words"] += item.row["main_words"] or 0
            by_label[item.row["label"] or "none"] += 1
            by_language[item.row["lang"] or "?"] += 1
    finally:
        for writer in writers:
            writer.close()
    manifest: dict[str, Any] = {
        "made_by": f"corpuskit {__version__}",
        "corpus": folder.settings.name,
        "description": folder.settings.description,
        "formats": formats,
        "counts": dict(counts),
        "labels": dict(sorted(by_label.items())),
        "languages": dict(sorted(by_language.items())),
        "files": _files(work),
    }
    (work / _MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", "utf-8", newline="\n")
    return counts["documents"]


def _items(folder: CorpusFolder, doc_ids: Sequence[str] | None) -> Iterator[Item]:
    wanted = None if doc_ids is None else set(doc_ids)
    label_of = {label.target: label.label for label in folder.labels.current() if label.kind == "document"}
    for found in folder.catalog.rows(
        "SELECT c.doc_id, c.version, c.uri, c.host, c.title, c.media_type, c.lang, c.words, c.main_words, c.elements, "
        "c.timestamp, c.fetched, s.relevance, s.decision, c.path "
        "FROM current c LEFT JOIN scores s ON s.doc_id = c.doc_id ORDER BY c.host, c.uri"
    ):
        row = dict(found)
        path = row.pop("path")
        if wanted is None or row["doc_id"] in wanted:
            row["label"] = label_of.get(row["doc_id"])
            yield Item(row, path, folder.document(row["doc_id"]))


def _files(folder: Path) -> dict[str, dict[str, Any]]:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != _MANIFEST)
    return {
        file.relative_to(folder).as_posix(): {"bytes": file.stat().st_size, "sha256": _sha256(file)} for file in files
    }


def _sha256(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
