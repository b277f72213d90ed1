"""What people said of topics: names, merges, splits; a small file that is only ever appended to.

A topic is told by some documents of it, not by its number: so what was said holds when the clusters are made anew.
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

__all__ = ["FILE", "Edit", "append", "held_by", "read"]

FILE: Final = "edits.jsonl"
_MOST_BYTES: Final = 64 << 20
_ACTS: Final = ("rename", "merge", "split")


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing that a person said.

    Attributes:
        act: rename, merge or split.
        level: of the topics: 0 groups of topics, 1 topics.
        told_by: of each topic meant, the largest first, some documents of it; of a split those of each part.
        name: the new name.
    """

    act: Literal["rename", "merge", "split"]
    level: int
    told_by: tuple[tuple[str, ...], ...] = field(default=())
    name: str = ""


def append(room: SafeFolder, edit: Edit) -> None:
    """Keep an edit; it is on the disk when this comes back.

    Raises:
        CorpusError: the disk cannot be written.
    """
    with writing(room), room.open(FILE, "a+b") as file:
        size = file.seek(0, os.SEEK_END)
        torn = False
        if size:
            file.seek(size - 1)
            torn = file.read(1) != b"\n"  # a process died while it wrote
        file.write((b"\n" if torn else b"") + json.dumps(asdict(edit)).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read(room: SafeFolder) -> tuple[tuple[Edit, ...], bytes]:
    """Return the edits in their order, and what tells these from others; lines that are none are passed over.

    Raises:
        CorpusError: a link or something else stands there, or it is too large.
    """
    try:
        content = room.read(FILE, _MOST_BYTES)
    except FileNotFoundError:
        content = b""
    except OSError as error:
        raise CorpusError(f"{'/'.join((*room.parts, FILE))} cannot be read: {error}") from error
    found = [edit for line in content.splitlines() if (edit := _read(line)) is not None]
    return tuple(found), hashlib.sha256(content).digest()[:16]


def unread(room: SafeFolder) -> int:
    """Return how many lines are no edits: damage."""
    content = room.read(FILE, _MOST_BYTES) if room.exists(FILE) else b""
    return sum(bool(line.strip()) and _read(line) is None for line in content.splitlines())


def _read(line: bytes) -> Edit | None:
    try:
        said = json.loads(line)
        act, level, told_by, name = said["act"], said["level"], said["told_by"], said["name"]
        if act not in _ACTS or level not in (0, 1) or not isinstance(name, str) or not isinstance(told_by, list):
            return None
        if not all(isinstance(ids, list) and all(isinstance(one, str) for one in ids) for ids in told_by):
            return None
        return Edit(act, int(level), tuple(map(tuple, told_by)), name)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def held_by(documents: Sequence[str], topic_of: Mapping[str, int]) -> int | None:
    """Return the topic that most of some documents are in, of several the first; None where none of them is left."""
    found = Counter(topic_of[doc_id] for doc_id in documents if topic_of.get(doc_id, -1) >= 0)
    return min(found, key=lambda topic: (-found[topic], topic)) if found else None
