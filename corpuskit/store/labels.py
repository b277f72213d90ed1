"""labels/*.jsonl: what the analyst said, append-only, durable before it is acknowledged; indexed in the catalogue."""

from __future__ import annotations

import getpass
import json
import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.store.catalog import Catalog, clean, now

Kind = Literal["document", "url", "host"]
KINDS: Final[tuple[Kind, ...]] = ("document", "url", "host")
_MAX_LABEL: Final = 64
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
    """

    target: str
    kind: Kind
    label: str
    by: str
    when: str
    note: str | None = None
    version: int | None = None


class LabelLog:
    """The labels of a corpus. A label is on the disk when ``add`` comes back."""

    def __init__(self, folder: Path, catalog: Catalog) -> None:
        self._folder = folder
        self._catalog = catalog
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._index()

    def add(self, labels: Iterable[tuple[str, Kind, str]], *, by: str, note: str | Mapping[str, str] | None = None,
            versions: dict[str, int] | None = None) -> int:  # fmt: skip
        """Appends labels (target, kind, label); gives how many.

        Args:
            labels: what is said of what.
            by: who or which rule says so; machines begin with ``machine:``.
            note: of all of them, or target → note.
            versions: doc_id → the version that was judged.

        Raises:
            ConfigurationError: an unknown kind, or a label that is empty or longer than 64 characters.
        """
        when = now()
        rows = []
        for target, kind, label in labels:
            if kind not in KINDS:
                raise ConfigurationError(f"kind {kind!r}: expected document, url or host")
            if not isinstance(label, str) or not label.strip() or len(label) > _MAX_LABEL:
                raise ConfigurationError(f"label {label!r}: expected 'relevant', 'other', 'unsure' or a short name")
            version = (versions or {}).get(target)
            told = note.get(target) if isinstance(note, Mapping) else note
            rows.append(Label(clean(target), kind, clean(label.strip()), clean(by), when, told, version))
        if not rows:
            return 0
        lines = "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows).encode()
        with self._lock:
            self._append(lines)
            self._index()
        return len(rows)

    def _append(self, lines: bytes) -> None:
        # One file a writer: two processes never write into one, and a shared folder merges by copying.
        file = self._folder / f"{_file_name()}.jsonl"
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            if os.fstat(handle).st_size and not _ends_line(file):
                lines = b"\n" + lines  # a crash cut the last line; it stays what it is, a line that cannot be read
            view = memoryview(lines)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        except OSError as error:
            raise CorpusError(f"the labels could not be saved to {file.name}: {error}") from error
        finally:
            os.close(handle)

    def _index(self) -> None:
        """Reads into the catalogue what the files hold beyond what it knows."""
        known = json.loads(self._catalog.meta("label files") or "{}")
        sizes = {file.name: file.stat().st_size for file in sorted(self._folder.glob("*.jsonl"))}
        if sizes == known:
            return
        with self._catalog.transaction() as connection:
            known = json.loads(self._catalog.meta("label files") or "{}")
            if any(sizes.get(name, 0) < size for name, size in known.items()):
                # A file was shortened or removed by hand: index anew.
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
                    'INSERT INTO labels (target, kind, label, by, note, "when", version) VALUES (?, ?, ?, ?, ?, ?, ?)',
                    (row.target, row.kind, row.label, row.by, row.note, row.when, row.version),
                )
            self._catalog.set_meta("label files", json.dumps(known))

    def _read_from(self, name: str, start: int) -> tuple[list[Label], int]:
        """The labels behind a position, and the position behind the last whole line."""
        with (self._folder / name).open("rb") as handle:
            handle.seek(start)
            content = handle.read()
        end = content.rfind(b"\n") + 1
        rows = []
        for number, line in enumerate(content[:end].split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                row = Label(**json.loads(line))
                if row.kind not in KINDS or not all(
                    isinstance(x, str) for x in (row.target, row.label, row.by, row.when)
                ):
                    raise ValueError("a wrong field")
                json.dumps(asdict(row), ensure_ascii=False).encode()  # lone surrogates: SQLite does not take them
                rows.append(row)
            except (ValueError, TypeError, RecursionError) as error:
                self._catalog.add_failure(
                    f"labels/{name}",
                    "labels",
                    CorpusError(f"line {number} behind byte {start} cannot be read: {error}"),
                )
        return rows, start + end

    def current(self, kind: Kind | None = None) -> list[Label]:
        """Return what each annotator says of each target now, in order; what was withdrawn is left out.

        Args:
            kind: only labels of this kind; None: of all.
        """
        self._index_if_changed()
        rows = self._catalog.rows(
            'SELECT target, kind, label, by, "when", note, version FROM labels '
            "WHERE NOT superseded AND label <> ? AND (? IS NULL OR kind = ?) ORDER BY id",
            (WITHDRAWN, kind, kind),
        )
        return [Label(**dict(row)) for row in rows]

    def refresh(self) -> None:
        """Takes in what other processes have written."""
        self._index_if_changed()

    def _index_if_changed(self) -> None:
        with self._lock:
            self._index()


def is_machine(by: str) -> bool:
    """Whether labels of this annotator are a machine's."""
    return by.startswith(MACHINE)


def _ends_line(file: Path) -> bool:
    with file.open("rb") as handle:
        handle.seek(-1, os.SEEK_END)
        return handle.read(1) == b"\n"


def _file_name() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "user"
    return "".join(c if c.isalnum() else "_" for c in user)[:40] or "user"
