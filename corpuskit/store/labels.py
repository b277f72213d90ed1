"""Labels of a corpus: append-only files labels/*.jsonl, synced before a label is confirmed, with an index in the catalog."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import platform
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.safe_folder import MAX_BYTES, Folder, as_safe_folder
from corpuskit.store.catalog import Catalog, clean, now

Kind = Literal["document", "url", "host"]
KINDS: Final[tuple[Kind, ...]] = ("document", "url", "host")
Origin = Literal["single", "group", "audit"]
ORIGINS: Final[tuple[Origin, ...]] = ("single", "group", "audit")
_REQUIRED: Final = ("target", "kind", "label", "by", "when")
_OPTIONAL: Final = ("note", "version", "origin")
_MAX_LABEL: Final = 64
_MAX_LINE_BYTES: Final = 1_000_000
_POSITIONS_KEY: Final = "label files"  # key in meta: position in each file up to which it is indexed
WITHDRAWN: Final = "withdrawn"
MACHINE: Final = "machine:"
"""Prefix of the names of automatic annotators. Their labels are evaluated separately."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label.

    Attributes:
        target: A doc_id, a URL or a host.
        kind: Type of the target.
        label: ``relevant``, ``other``, ``unsure`` or a class of the user; ``withdrawn`` withdraws the previous label.
        by: Annotator or rule.
        when: UTC, ISO 8601.
        note: Free text.
        version: Version of the document that was labelled.
        origin: ``single``: this target was judged. ``group``: it was labelled together with others that were not read
            one by one. ``audit``: the label certifies a model, which is not trained on it.
    """

    target: str
    kind: Kind
    label: str
    by: str
    when: str
    note: str | None = None
    version: int | None = None
    origin: Origin = "single"


class LabelLog:
    """The labels of a corpus. ``add`` returns after the labels are synced to disk.

    Args:
        folder: The directory of the label files.
        catalog: The catalog of the corpus.
    """

    def __init__(self, folder: Folder, catalog: Catalog) -> None:
        self._folder = as_safe_folder(folder)
        self._catalog = catalog
        self._lock = threading.Lock()
        self._folder.mkdir()
        self._index()

    def add(self, labels: Iterable[tuple[str, Kind, str]], *, by: str, note: str | Mapping[str, str] | None = None,
            versions: dict[str, int] | None = None, origin: Origin | Mapping[str, Origin] = "single") -> int:  # fmt: skip
        """Append labels (target, kind, label) and return their number.

        Args:
            labels: The labels.
            by: Annotator or rule; names of automatic annotators begin with ``machine:``.
            note: Note of all labels, or notes by target.
            versions: Version that was labelled, by doc_id.
            origin: Origin of all labels, or origins by target with the default ``single``.

        Raises:
            ConfigurationError: An unknown kind, or a label that is empty or longer than 64 characters.
        """
        if not clean(by).strip():
            raise ConfigurationError(f"by={by!r}: expected the name of the annotator")
        when = now()
        rows = []
        for target, kind, label in labels:
            if kind not in KINDS:
                raise ConfigurationError(f"kind {kind!r}: expected document, url or host")
            if not isinstance(label, str) or not label.strip() or len(label) > _MAX_LABEL:
                raise ConfigurationError(f"label {label!r}: expected 'relevant', 'other', 'unsure' or a short name")
            version = (versions or {}).get(target)
            note_of_target = note.get(target) if isinstance(note, Mapping) else note
            origin_of_target = origin.get(target, "single") if isinstance(origin, Mapping) else origin
            rows.append(
                Label(
                    clean(target),
                    kind,
                    clean(label.strip()),
                    clean(by),
                    when,
                    note_of_target,
                    version,
                    origin_of_target,
                )
            )
        if not rows:
            return 0
        lines = "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows).encode()
        with self._lock:
            self._append(lines)
            self._index()
        return len(rows)

    def _append(self, lines: bytes) -> None:
        # One file per writer: processes never write to the same file, and shared folders merge by copying files.
        name = f"{_file_name()}.jsonl"
        try:
            with self._folder.open(name, "a+b", buffering=0) as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":
                        # A crash has truncated the last line. It remains an unreadable line.
                        lines = b"\n" + lines
                view = memoryview(lines)
                while view:
                    view = view[file.write(view) :]
                os.fsync(file.fileno())
        except OSError as error:
            raise CorpusError(f"the labels could not be saved to {name}: {error}") from error

    def _index(self) -> None:
        """Add new lines of the label files to the index in the catalog."""
        sizes = self._file_sizes()
        if sizes == self._indexed_positions():
            return
        with self._catalog.transaction() as connection:
            positions = self._indexed_positions()
            if positions is None or any(sizes.get(name, 0) < size for name, size in positions.items()):
                # A file was truncated or removed, or the positions are unknown: rebuild the index.
                connection.execute("DELETE FROM labels")
                positions = {}
            rows: list[Label] = []
            for name in sizes:
                new, positions[name] = self._read_from(name, positions.get(name, 0))
                rows += new
            rows.sort(key=lambda row: row.when)
            for row in rows:
                connection.execute(
                    "UPDATE labels SET superseded = 1 WHERE target = ? AND by = ? AND kind = ? AND NOT superseded",
                    (row.target, row.by, row.kind),
                )
                connection.execute(
                    'INSERT INTO labels (target, kind, label, by, note, "when", version, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
                    (row.target, row.kind, row.label, row.by, row.note, row.when, row.version, row.origin),
                )
            self._catalog.set_meta(_POSITIONS_KEY, json.dumps(positions))

    def _indexed_positions(self) -> dict[str, int] | None:
        """Return the position in each file up to which it is indexed, or None if the record is invalid."""
        stored = self._catalog.meta(_POSITIONS_KEY)
        if stored is None:
            return {}
        try:
            positions = json.loads(stored)
        except (ValueError, RecursionError):
            return None
        is_valid = isinstance(positions, dict) and all(type(end) is int and end >= 0 for end in positions.values())
        return positions if is_valid else None

    def _file_sizes(self) -> dict[str, int]:
        """Return the label files and their sizes.

        Raises:
            CorpusError: A file is irregular or too large.
        """
        sizes = {}
        for name in self._folder.file_names("*.jsonl", strict=True):
            status = self._folder.stat(name)
            if status is not None and status.st_size > MAX_BYTES:
                raise CorpusError(
                    f"labels/{name}: {status.st_size:,} bytes, the limit is {MAX_BYTES:,}: split the file"
                )
            sizes[name] = 0 if status is None else status.st_size
        return sizes

    def _read_from(self, name: str, start: int) -> tuple[list[Label], int]:
        """Return the labels after a position, and the position after the last complete line."""
        rows: list[Label] = []
        with self._folder.open(name) as file:
            file.seek(start)
            number, end = 0, start
            while line := file.readline(_MAX_LINE_BYTES):
                number += 1
                is_long = len(line) == _MAX_LINE_BYTES
                while line[-1:] != b"\n" and (rest := file.readline(_MAX_LINE_BYTES)):
                    line = rest
                if line[-1:] != b"\n":
                    break  # the line may still be incomplete
                end = file.tell()
                try:
                    if is_long:
                        raise ValueError(f"it has {_MAX_LINE_BYTES:,} bytes or more")
                    if line.strip():
                        rows.append(_parse_label(line))
                except (ValueError, TypeError, RecursionError) as error:
                    failure = CorpusError(f"line {number} after byte {start} cannot be read: {error}")
                    self._catalog.add_failure(f"labels/{name}", "labels", failure)
        return rows, end

    def current(self, kind: Kind | None = None) -> list[Label]:
        """Return the current label of each annotator and target, in order. Withdrawn labels are excluded.

        Args:
            kind: Kind of the labels; all by default.
        """
        self._index_if_changed()
        rows = self._catalog.rows(
            'SELECT target, kind, label, by, "when", note, version, origin FROM labels '
            "WHERE NOT superseded AND label <> ? AND (? IS NULL OR kind = ?) ORDER BY id",
            (WITHDRAWN, kind, kind),
        )
        return [Label(**dict(row)) for row in rows]

    def targets_before(self, note: str) -> set[str]:
        """Return the documents and hosts with a label, withdrawn or not, older than the first label of an audit.

        Args:
            note: Note of the labels of the audit.
        """
        self._index_if_changed()
        rows = self._catalog.tuples(
            "SELECT DISTINCT target FROM labels WHERE id < (SELECT min(id) FROM labels WHERE origin = 'audit' AND note = ?)",
            (note,),
        )
        return {target for (target,) in rows}

    def refresh(self) -> None:
        """Index the labels that other processes have written."""
        self._index_if_changed()

    def _index_if_changed(self) -> None:
        with self._lock:
            self._index()


def is_machine(by: str) -> bool:
    """Return whether an annotator is automatic.

    Args:
        by: The annotator.
    """
    return by.startswith(MACHINE)


def _parse_label(line: bytes) -> Label:
    values = json.loads(line)
    if not isinstance(values, dict):
        raise TypeError(f"expected an object with {_join_names(_REQUIRED)}")
    if missing := [name for name in _REQUIRED if name not in values]:
        raise ValueError(f"missing: {_join_names(missing)}")
    if unknown := sorted(values.keys() - {*_REQUIRED, *_OPTIONAL}):
        raise ValueError(f"unknown names: {', '.join(unknown)[:200]}")
    row = Label(**values) if "origin" in values else Label(**values, origin=_origin_by_note(values))
    texts = (row.target, row.label, row.by, row.when, row.note or "")
    if row.kind not in KINDS or row.origin not in ORIGINS or not all(isinstance(text, str) for text in texts):
        raise ValueError("a wrong field")
    if row.version is not None and (type(row.version) is not int or not 0 <= row.version < 2**31):
        raise ValueError("a wrong version")
    "".join(texts).encode()  # raises for lone surrogates, which SQLite does not accept
    return row


def _origin_by_note(values: Mapping[str, Any]) -> Origin:
    """Return the origin of a label of an earlier version, which is known only from its note."""
    note = values.get("note")
    if values["kind"] != "document" or not isinstance(note, str):
        return "single"
    if note in {"map", "labelled as a selection"}:
        return "group"
    is_audit = note == "audit" or note.startswith("audit of ")
    return "audit" if is_audit and not str(values["by"]).startswith(MACHINE) else "single"


def _join_names(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _file_name() -> str:
    """Return a file name per user and machine, so that two machines never write to the same file of a synchronised folder.

    The machine is represented by a checksum, which does not reveal its name.
    """
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "user"
    machine = hashlib.sha256(platform.node().encode("utf-8", "replace")).hexdigest()[:8]
    return f"{''.join(c if c.isalnum() else '_' for c in user)[:40] or 'user'}-{machine}"
