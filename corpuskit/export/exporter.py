"""One export: the chosen documents through the writers of the chosen formats, then the dataset card."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from corpuskit._version import __version__
from corpuskit.errors import CorpusError, ExportError, UnknownDocumentError
from corpuskit.export.card import MANIFEST, write_card
from corpuskit.export.checksums import FileEntry, write_sums
from corpuskit.export.formats import formats as known_formats
from corpuskit.export.item import Item, Writer
from corpuskit.export.options import ExportOptions
from corpuskit.export.selection import STAGE, Selection
from corpuskit.export.statistics import Statistics
from corpuskit.export.writers import Format
from corpuskit.hooks import hook
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.document_lookup import find_doc_id
from corpuskit.store.formatting import pluralize

_SHOWN: Final = 3  # names in a message
_KEY: Final = "export "  # + a hash of where it stands: what was written there last


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Result of an export.

    Attributes:
        folder: Its location.
        documents: Number of exported documents.
        files: Path below the folder → (bytes, SHA-256). A directory with one file per document is one entry that ends in
            ``/``; its hash is that of its lines in ``SHA256SUMS``.
        number_of_files: Number of all files.
        failed: Number of documents that could not be written, rows of ``failures()`` with stage ``export``.
        dropped: Reason → number of skipped documents.
        is_unchanged: The folder already holds the same export; nothing was written.
        not_found: Entries of a kill list that match no document.
    """

    folder: Path
    documents: int
    files: dict[str, tuple[int, str]]
    failed: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    is_unchanged: bool = False
    not_found: tuple[str, ...] = ()
    number_of_files: int = 0

    def __repr__(self) -> str:
        size = sum(size for size, _ in self.files.values())
        text = f"{pluralize(self.documents, 'document')}, {pluralize(self.number_of_files, 'file')}, {size / 1e6:.1f} MB in {self.folder}"
        if self.is_unchanged:
            text += " (as it was: nothing had changed)"
        if self.dropped:
            text += "; left out: " + ", ".join(f"{count:,} {why}" for why, count in self.dropped.items())
        if self.not_found:
            named = ", ".join(self.not_found[:3]) + (", ..." if len(self.not_found) > 3 else "")
            text += f"; of the kill list {len(self.not_found):,} in no document: {named}"
        return f"{text}; {self.failed:,} failed, see failures() (corpuskit failures)" if self.failed else text


ALIASES: Final = {"markdown": "md"}  # as doc.to() calls it


def format_names() -> list[str]:
    """Return the formats that can be exported."""
    return list(known_formats())


def export(
    folder: CorpusFolder,
    out: str | Path,
    *,
    doc_ids: Sequence[str] | None = None,
    formats: Sequence[str] = ("nlp.txt",),
    options: ExportOptions | None = None,
    record: str | None = None,
    progress: bool = False,
) -> ExportReport:
    """Export the last versions of documents, by host and URI, with a dataset card; same corpus, same bytes.

    The folder appears when everything is written. It replaces an export of other content; an identical export is left
    unchanged. A document that cannot be read or written is a row of ``failures()``; the others are exported.

    Args:
        folder: The corpus.
        out: A new or empty folder, or that of an earlier export, which is replaced.
        doc_ids: Documents to export. None: all.
        formats: Names of :func:`format_names`.
        options: See :class:`ExportOptions`.
        record: Record of ``preprocess`` that selected ``doc_ids``: JSON with ``steps``, for the card. None: no preprocessing.
        progress: Show a progress bar.

    Raises:
        ExportError: An unknown format, or a folder with other content.
        UnknownDocumentError: A doc_id is not in the corpus.
    """
    formats = [ALIASES.get(name, name) for name in formats]
    known = known_formats()
    unknown = [name for name in formats if name not in known]
    if unknown or not formats:
        raise ExportError(f"format {unknown[0] if unknown else ''!r} is unknown; there are: {', '.join(known)}")
    options = options or ExportOptions()
    if options.preset == "pdf_trio":
        formats = ["pdf_trio" if name == "fasttext" else name for name in formats]
    formats = list(dict.fromkeys(formats))
    target = Path(out)
    _refuse_other_things(target)
    killed, not_found = _killed(folder, options.kill)
    with _small_cache(folder):
        report = _export(folder, target, doc_ids, formats, replace(options, kill=killed), record, progress)
    return replace(report, not_found=not_found)


def _killed(folder: CorpusFolder, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of the documents of a kill list, and its entries without a document: a list may serve several corpora."""
    known, unknown = [], []
    for name in names:
        try:
            known.append(find_doc_id(folder, name))
        except UnknownDocumentError:
            unknown.append(name)
    return tuple(dict.fromkeys(known)), tuple(unknown)


@contextlib.contextmanager
def _small_cache(folder: CorpusFolder) -> Iterator[None]:
    """Counting over a large catalogue shall not keep it in memory."""
    connection = folder.catalog.connection
    (before,) = connection.execute("PRAGMA cache_size").fetchone()
    connection.execute("PRAGMA cache_size = -4096")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {int(before)}")


def _export(
    folder: CorpusFolder, target: Path, doc_ids: Sequence[str] | None, formats: list[str], options: ExportOptions,
    record: str | None, progress: bool,
) -> ExportReport:  # fmt: skip
    has_layers = any(known_formats()[name].layers for name in formats)
    annotation = hook("token layers")(folder) if has_layers else None
    selection = Selection(folder, doc_ids, options, annotation)
    key = _key(folder, selection, formats, options, record)
    if (known := _unchanged(folder, target, key)) is not None:
        return known
    work = target.with_name(target.name + ".partial")
    shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir(parents=True)
    except FileExistsError as error:  # no folder that an export has left
        raise ExportError(
            f"{target} cannot be written, since {work} already exists and is not an export: remove it"
        ) from error
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {error.strerror or error}") from error
    try:
        tally, failed = _write(folder, work, selection, formats, options, progress)
        entries = write_sums(work)
        entries = write_card(folder, work, tally, formats, options, entries, selection, record)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    _publish(work, target)
    report = ExportReport(
        target, tally.documents, {name: (e.bytes, e.sha256) for name, e in entries.items()}, failed,
        dict(selection.dropped), number_of_files=_number(entries),
    )  # fmt: skip
    if not failed:
        folder.catalog.set_meta(_meta_key(target), json.dumps({"key": key, "manifest": _sha256(target / MANIFEST)}))
    return report


def _refuse_other_things(target: Path) -> None:
    if target.is_symlink() and not target.exists():
        raise ExportError(f"{target} is a broken link: remove it, or name a new folder")
    if target.exists() and (not target.is_dir() or (any(target.iterdir()) and not (target / MANIFEST).exists())):
        raise ExportError(f"{target} is not empty and no export of corpuskit; name a new folder")
    if foreign := _not_ours(target):
        more = f" and {pluralize(len(foreign) - _SHOWN, 'more name')}" if len(foreign) > _SHOWN else ""
        raise ExportError(
            f"{target} holds what no export wrote: {', '.join(foreign[:_SHOWN])}{more}; a new export replaces the folder: "
            "move that elsewhere, or name another folder"
        )


def _not_ours(target: Path) -> list[str]:
    """Return the files in the folder of an earlier export that its manifest does not name."""
    if not target.exists() or not (target / MANIFEST).exists():
        return []
    try:
        named = set(json.loads(SafeFolder(target).read(MANIFEST))["files"])
    except (CorpusError, OSError, ValueError, KeyError, TypeError) as error:
        raise ExportError(f"{target / MANIFEST} cannot be read ({error}); name a new folder") from error
    trees = tuple(name for name in named if name.endswith("/"))
    unknown = []
    for path in sorted(target.rglob("*")):
        name = path.relative_to(target).as_posix()
        is_folder = path.is_dir() and not path.is_symlink()  # an empty one is nobody's loss
        if not is_folder and name != MANIFEST and name not in named and not name.startswith(trees):
            unknown.append(name)
    return unknown


def _publish(work: Path, target: Path) -> None:
    """Replace the old folder by the new one. A crash in between leaves one of them complete."""
    old = target.with_name(target.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.replace(old)
    work.replace(target)
    shutil.rmtree(old, ignore_errors=True)


def _write(
    folder: CorpusFolder, work: Path, selection: Selection, formats: list[str], options: ExportOptions, progress: bool
) -> tuple[Statistics, int]:
    from tqdm.auto import tqdm

    mended = {row["uri"] for row in folder.catalog.rows("SELECT uri FROM failures WHERE stage = ?", (STAGE,))}
    failed: set[str] = set()

    def on_failure(uri: str, error: Exception) -> None:
        failed.add(uri)
        folder.catalog.add_failure(uri, STAGE, error)

    tally = Statistics(work)
    known = known_formats()
    with contextlib.closing(tally), _writers(work, formats, options) as writers:
        items = selection.items(on_failure)
        for item in tqdm(items, desc="export", total=len(selection), unit="doc", disable=not progress):
            _write_one(item, writers, known, on_failure)
            uri = item.row["uri"]
            if uri in mended and uri not in failed:
                folder.catalog.clear_failure(uri, [STAGE])
            tally.add(item)
        for writer in writers.values():
            selection.dropped.update(getattr(writer, "left_out", {}))
    return tally, len(failed)


def _write_one(item: Item, writers: dict[str, Writer], known: Mapping[str, Format], on_failure: Any) -> None:
    for name, writer in writers.items():
        try:
            writer.write(item.shown if known[name].tree else item)
        except OSError:
            raise  # the disk, not the document
        except Exception as error:
            on_failure(item.row["uri"], ExportError(f"{name}: {type(error).__name__}: {error}"))


@contextlib.contextmanager
def _writers(work: Path, formats: list[str], options: ExportOptions) -> Iterator[dict[str, Writer]]:
    """Yield the writers, and close all of them in the end."""
    with contextlib.ExitStack() as stack:
        writers = {}
        for name in formats:
            writer = known_formats()[name].writer(work, options)
            stack.callback(writer.close)
            writers[name] = writer
        yield writers


def _key(
    folder: CorpusFolder, selection: Selection, formats: list[str], options: ExportOptions, record: str | None
) -> str:
    model = folder.catalog.value("SELECT max(version) FROM models")
    parts = [
        __version__,
        formats,
        options.as_record(),
        folder.settings.name,
        folder.settings.description,
        model,
        record,
    ]
    return hashlib.sha256((json.dumps(parts) + selection.key()).encode()).hexdigest()


def _meta_key(target: Path) -> str:
    return _KEY + hashlib.sha256(str(target.resolve()).encode("utf-8", "replace")).hexdigest()[:32]


def _unchanged(folder: CorpusFolder, target: Path, key: str) -> ExportReport | None:
    """Return the report of an existing export if its content is the same."""
    try:
        known = json.loads(folder.catalog.meta(_meta_key(target)) or "{}")
        if known["key"] != key or not isinstance(known["manifest"], str) or not target.is_dir():
            return None
    except (ValueError, KeyError, TypeError, RecursionError):  # none, or nothing that an export leaves
        return None
    existing = SafeFolder(target)
    try:
        content = existing.read(MANIFEST)
        if known["manifest"] != hashlib.sha256(content).hexdigest():
            return None
        content = json.loads(content)
        files = {name: FileEntry(**entry) for name, entry in content["files"].items()}
        for name, entry in files.items():
            status = existing.stat(name.rstrip("/"))
            if status is None or (stat.S_ISREG(status.st_mode) and status.st_size != entry.bytes):
                return None
    except (CorpusError, OSError):  # no export as it was left
        return None
    entries = {name: (entry.bytes, entry.sha256) for name, entry in files.items()}
    return ExportReport(
        target, content["counts"]["documents"], entries, 0, content["dropped"], is_unchanged=True, number_of_files=_number(files)
    )  # fmt: skip


def _number(entries: Mapping[str, FileEntry]) -> int:
    """Return the number of files, including the manifest, which the manifest does not name."""
    return sum(1 if entry.count is None else entry.count for entry in entries.values()) + (MANIFEST not in entries)


def _sha256(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
