"""labels/*.jsonl: what the analyst said, append-only, durable before it is acknowledged; indexed in the catalogue."""

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
_MOST_LINE: Final = 1_000_000  # bytes
_FILES: Final = "label files"  # key in meta: up to where each was read
WITHDRAWN: Final = "withdrawn"
MACHINE: Final = "machine:"
"""How the name of an annotator begins that is no person: its labels are kept apart."""


@dataclass(frozen=True, slots=True)
class Label:
    """One judgement.

    Attributes:
        target: a doc_id, a URL or a host.
        kind: which of them.
        label: ``relevant``, ``other``, ``unsure`` or a class of the user's own; ``withdrawn`` takes back.
        by: who or which rule said it.
        when: UTC, ISO 8601.
        note: free text.
        version: the document's version that was judged.
        origin: ``single``: somebody judged this target; ``group``: it was labelled with others, without a look at each;
            ``audit``: the label certifies a model, which is not trained on it.
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
    """The labels of a corpus. A label is on the disk when ``add`` comes back.

    Args:
        folder: The corpus folder.
        catalog: Its catalogue.
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
            labels: what is said of what.
            by: who or which rule says so; machines begin with ``machine:``.
            note: of all of them, or target → note.
            versions: doc_id → the version that was judged.
            origin: how all of them came about, or target → origin; those not named are ``single``.

        Raises:
            ConfigurationError: an unknown kind, or a label that is empty or longer than 64 characters.
        """
        if not clean(by).strip():
            raise ConfigurationError(f"by={by!r}: expected the name of who labels")
        when = now()
        rows = []
        for target, kind, label in labels:
            if kind not in KINDS:
                raise ConfigurationError(f"kind {kind!r}: expected document, url or host")
            if not isinstance(label, str) or not label.strip() or len(label) > _MAX_LABEL:
                raise ConfigurationError(f"label {label!r}: expected 'relevant', 'other', 'unsure' or a short name")
            version = (versions or {}).get(target)
            told = note.get(target) if isinstance(note, Mapping) else note
            how = origin.get(target, "single") if isinstance(origin, Mapping) else origin
            rows.append(Label(clean(target), kind, clean(label.strip()), clean(by), when, told, version, how))
        if not rows:
            return 0
        lines = "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows).encode()
        with self._lock:
            self._append(lines)
            self._index()
        return len(rows)

    def _append(self, lines: bytes) -> None:
        # One file a writer: two processes never write into one, and a shared folder merges by copying.
        name = f"{_file_name()}.jsonl"
        try:
            with self._folder.open(name, "a+b", buffering=0) as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":
                        lines = (
                            b"\n" + lines
                        )  # a crash cut the last line; it stays what it is, a line that cannot be read
                view = memoryview(lines)
                while view:
                    view = view[file.write(view) :]
                os.fsync(file.fileno())
        except OSError as error:
            raise CorpusError(f"the labels could not be saved to {name}: {error}") from error

    def _index(self) -> None:
        """Reads into the catalogue what the files hold beyond what it knows."""
        sizes = self._sizes()
        if sizes == self._known():
            return
        with self._catalog.transaction() as connection:
            known = self._known()
            if known is None or any(sizes.get(name, 0) < size for name, size in known.items()):
                # A file was shortened or removed by hand, or nobody knows what was read: index anew.
                connection.execute("DELETE FROM labels")
                known = {}
            rows: list[Label] = []
            for name in sizes:
                new, known[name] = self._read_from(name, known.get(name, 0))
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
            self._catalog.set_meta(_FILES, json.dumps(known))

    def _known(self) -> dict[str, int] | None:
        """Up to where each file was read; None where that cannot be told."""
        said = self._catalog.meta(_FILES)
        if said is None:
            return {}
        try:
            known = json.loads(said)
        except (ValueError, RecursionError):
            return None
        is_known = isinstance(known, dict) and all(type(end) is int and end >= 0 for end in known.values())
        return known if is_known else None

    def _sizes(self) -> dict[str, int]:
        """The files of labels and their sizes.

        Raises:
            CorpusError: one is a link or no regular file, or too large.
        """
        sizes = {}
        for name in self._folder.file_names("*.jsonl", strict=True):
            found = self._folder.stat(name)
            if found is not None and found.st_size > MAX_BYTES:
                raise CorpusError(f"labels/{name}: {found.st_size:,} bytes, the limit is {MAX_BYTES:,}: split the file")
            sizes[name] = 0 if found is None else found.st_size
        return sizes

    def _read_from(self, name: str, start: int) -> tuple[list[Label], int]:
        """The labels behind a position, and the position behind the last whole line."""
        rows: list[Label] = []
        with self._folder.open(name) as file:
            file.seek(start)
            number, end = 0, start
            while line := file.readline(_MOST_LINE):
                number += 1
                is_long = len(line) == _MOST_LINE
                while line[-1:] != b"\n" and (rest := file.readline(_MOST_LINE)):
                    line = rest
                if line[-1:] != b"\n":
                    break  # its end may still come
                end = file.tell()
                try:
                    if is_long:
                        raise ValueError(f"it has {_MOST_LINE:,} bytes or more")
                    if line.strip():
                        rows.append(_label(line))
                except (ValueError, TypeError, RecursionError) as error:
                    told = CorpusError(f"line {number} behind byte {start} cannot be read: {error}")
                    self._catalog.add_failure(f"labels/{name}", "labels", told)
        return rows, end

    def current(self, kind: Kind | None = None) -> list[Label]:
        """Return what each annotator says of each target now, in order; what was withdrawn is left out.

        Args:
            kind: only labels of this kind; None: of all.
        """
        self._index_if_changed()
        rows = self._catalog.rows(
            'SELECT target, kind, label, by, "when", note, version, origin FROM labels '
            "WHERE NOT superseded AND label <> ? AND (? IS NULL OR kind = ?) ORDER BY id",
            (WITHDRAWN, kind, kind),
        )
        return [Label(**dict(row)) for row in rows]

    def targets_before(self, note: str) -> set[str]:
        """Return the documents and hosts that had a label, withdrawn since or not, before the first one of an audit.

        Args:
            note: The note of the labels of this audit.
        """
        self._index_if_changed()
        rows = self._catalog.tuples(
            "SELECT DISTINCT target FROM labels WHERE id < (SELECT min(id) FROM labels WHERE origin = 'audit' AND note = ?)",
            (note,),
        )
        return {target for (target,) in rows}

    def refresh(self) -> None:
        """Take in what other processes have written."""
        self._index_if_changed()

    def _index_if_changed(self) -> None:
        with self._lock:
            self._index()


def is_machine(by: str) -> bool:
    """Return whether labels of an annotator are a machine's.

    Args:
        by: The annotator.
    """
    return by.startswith(MACHINE)


def _label(line: bytes) -> Label:
    said = json.loads(line)
    if not isinstance(said, dict):
        raise TypeError(f"no object with {_listed(_REQUIRED)}")
    if lacking := [name for name in _REQUIRED if name not in said]:
        raise ValueError(f"it lacks {_listed(lacking)}")
    if unknown := sorted(said.keys() - {*_REQUIRED, *_OPTIONAL}):
        raise ValueError(f"unknown names: {', '.join(unknown)[:200]}")
    row = Label(**said) if "origin" in said else Label(**said, origin=_origin_by_note(said))
    texts = (row.target, row.label, row.by, row.when, row.note or "")
    if row.kind not in KINDS or row.origin not in ORIGINS or not all(isinstance(text, str) for text in texts):
        raise ValueError("a wrong field")
    if row.version is not None and (type(row.version) is not int or not 0 <= row.version < 2**31):
        raise ValueError("a wrong version")
    "".join(texts).encode()  # lone surrogates: SQLite does not take them
    return row


def _origin_by_note(said: Mapping[str, Any]) -> Origin:
    """Return the origin of a label of an earlier version, which had only the note to tell it."""
    note = said.get("note")
    if said["kind"] != "document" or not isinstance(note, str):
        return "single"
    if note in {"map", "labelled as a selection"}:
        return "group"
    is_audit = note == "audit" or note.startswith("audit of ")
    return "audit" if is_audit and not str(said["by"]).startswith(MACHINE) else "single"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _file_name() -> str:
    """Of a user on a machine: two machines of one user never write into the same file, where a folder is synchronised.

    The machine is a checksum of its name, which whoever gets the corpus need not know.
    """
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "user"
    machine = hashlib.sha256(platform.node().encode("utf-8", "replace")).hexdigest()[:8]
    return f"{''.join(c if c.isalnum() else '_' for c in user)[:40] or 'user'}-{machine}"
