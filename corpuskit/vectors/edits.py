"""Log of user edits of topics (rename, merge, split) in an append-only file.

An edit identifies a topic by some of its documents (anchors) instead of its number, so edits apply to recomputed clusters.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.vectors.making import writing

__all__ = ["FILE", "Edit", "append", "read", "topic_with_most"]

FILE: Final = "edits.jsonl"
_MAX_BYTES: Final = 64 << 20
_ACTS: Final = ("rename", "merge", "split")


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit by a user.

    Attributes:
        act: rename, merge or split.
        level: Level of the topics: 0 groups of topics, 1 topics.
        told_by: Anchors: some documents of each topic, the largest topic first. Of a split: some documents of each part.
        name: The new name.
    """

    act: Literal["rename", "merge", "split"]
    level: int
    told_by: tuple[tuple[str, ...], ...] = field(default=())
    name: str = ""


def append(folder: SafeFolder, edit: Edit) -> None:
    """Append an edit to the log and flush it to disk.

    Raises:
        CorpusError: The file cannot be written.
    """
    with writing(folder), folder.open(FILE, "a+b") as file:
        size = file.seek(0, os.SEEK_END)
        torn = False
        if size:
            file.seek(size - 1)
            torn = file.read(1) != b"\n"  # a process was terminated during a write
        file.write((b"\n" if torn else b"") + json.dumps(asdict(edit)).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read(folder: SafeFolder) -> tuple[tuple[Edit, ...], bytes]:
    """Return the edits in order and a digest of the file. Invalid lines are ignored.

    Raises:
        CorpusError: The path is not a regular file, or the file is too large.
    """
    try:
        content = folder.read(FILE, _MAX_BYTES)
    except FileNotFoundError:
        content = b""
    except OSError as error:
        raise CorpusError(f"{'/'.join((*folder.parts, FILE))} cannot be read: {error}") from error
    edits = [edit for line in content.splitlines() if (edit := _read(line)) is not None]
    return tuple(edits), hashlib.sha256(content).digest()[:16]


def unread(folder: SafeFolder) -> int:
    """Return the number of invalid lines."""
    content = folder.read(FILE, _MAX_BYTES) if folder.exists(FILE) else b""
    return sum(bool(line.strip()) and _read(line) is None for line in content.splitlines())


def _read(line: bytes) -> Edit | None:
    try:
        record = json.loads(line)
        act, level, told_by, name = record["act"], record["level"], record["told_by"], record["name"]
        if act not in _ACTS or level not in (0, 1) or not isinstance(name, str) or not isinstance(told_by, list):
            return None
        if not all(isinstance(ids, list) and all(isinstance(doc_id, str) for doc_id in ids) for ids in told_by):
            return None
        return Edit(act, int(level), tuple(map(tuple, told_by)), name)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def topic_with_most(documents: Sequence[str], topic_of: Mapping[str, int]) -> int | None:
    """Return the most frequent topic of documents, the lowest number of several, or None if no document is left."""
    counts = Counter(topic_of[doc_id] for doc_id in documents if topic_of.get(doc_id, -1) >= 0)
    return min(counts, key=lambda topic: (-counts[topic], topic)) if counts else None
