"""Topics as they are kept: clusters, what people said of them, and what both make; the first and the last can be made again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
from collections.abc import Iterator, Sequence, Set
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.errors import CorpusError
from corpuskit.relevance.corpus_training import scoring_texts
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.document_rows import duplicate_ids
from corpuskit.vectors import edits, records
from corpuskit.vectors.clustering import centres_of, found_again, grouped, usual_number
from corpuskit.vectors.edits import Edit, held_by
from corpuskit.vectors.making import Vectors, corpus_space, room_of, unit, writing
from corpuskit.vectors.naming import name_of, stop_words_of, together, words_of
from corpuskit.vectors.neighbours import cosines_of
from corpuskit.vectors.newcomers import far_from_topics

__all__ = [
    "CLUSTERS",
    "COARSE",
    "FINE",
    "TOLD",
    "Topic",
    "are_whole",
    "forget_topics",
    "make",
    "read",
    "told",
    "topics_of",
]

CLUSTERS: Final = "topics.rec"
TOLD: Final = "topics.json"
_RECORD: Final = np.dtype([("doc_id", "S16"), ("cluster", "<i4"), ("topic", "<i4")])
_MOST_BYTES: Final = 64 << 20
_READ: Final = 300  # documents of a topic whose texts say what its words are
_AT_ONCE: Final = 5_000  # documents whose texts are in memory
FINE, COARSE = 1, 0


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic, or a group of topics.

    Attributes:
        number: its id; it stays while the clusters stay.
        name: a person's, else its first words.
        level: 0 a group, 1 a topic.
        parent: the group of a topic; None of a group.
        words: the words that say most about it, at most ten.
        stability: how far other seeds find it, 0 to 1; None where a person made it.
        documents: how many.
    """

    number: int
    name: str
    level: int
    parent: int | None
    words: tuple[str, ...] = ()
    stability: float | None = None
    documents: int = 0


@dataclass(slots=True)
class _State:
    """What clusters became by what people said.

    Attributes:
        topic: of each document.
        parent: topic → group.
        names: topic or group → a person's name.
        changed: topics that a person made.
        parts: topic that was merged → the documents of each of its parts.
    """

    topic: npt.NDArray[np.int64]
    parent: dict[int, int]
    names: dict[int, str] = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)
    parts: dict[int, list[npt.NDArray[np.int64]]] = field(default_factory=dict)
    next: int = 0


@dataclass(frozen=True, slots=True)
class _Clusters:
    """The clusters as they were made, before what people said of them.

    Attributes:
        doc_ids: the documents.
        cluster: of each.
        parent: of each cluster.
        stability: of each cluster.
        asked: how many topics were asked for; None: the usual number.
    """

    doc_ids: tuple[str, ...]
    cluster: npt.NDArray[np.int64]
    parent: tuple[int, ...]
    stability: tuple[float, ...]
    asked: int | None


def are_whole(room: SafeFolder) -> bool:
    """Return whether the clusters and what is told of them can be read."""
    return read(room) is not None


def topics_of(room: SafeFolder) -> dict[str, int]:
    """Return the topic of each document as it is kept, and nothing where it is not."""
    about = _read_about(room)
    rows = None if about is None else records.read(room, CLUSTERS, _RECORD, maker=about["made"])
    if rows is None:
        return {}
    return dict(zip(records.doc_ids_of(rows), rows["topic"].tolist(), strict=True))


def forget_topics(room: SafeFolder, gone: Set[str]) -> None:
    """Take documents out of the clusters; words are told anew, those of removed documents may be among them."""
    about = _read_about(room)
    rows = None if about is None else records.read(room, CLUSTERS, _RECORD, maker=about["made"])
    if rows is None or about is None:
        room.remove(CLUSTERS)
        room.remove(TOLD)
        return
    stay = np.array([doc_id not in gone for doc_id in records.doc_ids_of(rows)], np.bool_)
    if not stay.all():
        _write(room, rows[stay], {**about, "edits": None, "topics": []})


# -- clusters ----------------------------------------------------------------------------------------------------------------


def different(folder: CorpusFolder, vectors: Vectors) -> int:
    """Return how many documents have a vector that says something; of exact copies of a text one counts."""
    copies = duplicate_ids(folder)
    said = np.any(vectors.matrix, axis=1)
    return sum(doc_id not in copies for doc_id, says in zip(vectors.doc_ids, said.tolist(), strict=True) if says)


def make(folder: CorpusFolder, vectors: Vectors, n: int | None, seed: int) -> None:
    """Make clusters of the documents, each exact copy of a text with the others, and keep them."""
    copies = duplicate_ids(folder)
    once = np.array([doc_id not in copies for doc_id in vectors.doc_ids], np.bool_)
    labels = np.zeros(len(vectors), np.int64)
    parent, stable = np.zeros(0, np.int64), np.zeros(0)
    if once.any():
        matrix = np.asarray(vectors.matrix[once])
        found, stable = found_again(matrix, n or usual_number(len(matrix)), seed=seed)
        centres = centres_of(matrix, found, int(found.max()) + 1)
        labels = cosines_of(vectors.matrix, centres).argmax(axis=1)
        labels[once] = found
        parent = grouped(centres)
    rows = np.zeros(len(vectors), _RECORD)
    rows["doc_id"] = [doc_id.encode() for doc_id in vectors.doc_ids]
    rows["cluster"] = rows["topic"] = labels
    about = {
        "format": 1,
        "made": secrets.token_bytes(records.MAKER),
        "asked": n,
        "parent": parent.tolist(),
        "stability": stable.tolist(),
        "edits": None,
        "topics": [],
    }
    _write(room_of(folder, vectors.name), rows, about)


def _write(room: SafeFolder, rows: npt.NDArray[Any], about: dict[str, Any]) -> None:
    """Write both files; each names the making that it is of, so that a process that dies in between leaves none to be read."""
    with writing(room):
        records.write(room, CLUSTERS, rows, maker=about["made"])
        content = json.dumps({**about, "made": about["made"].hex()}).encode()
        room.write(TOLD, hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def _read_about(room: SafeFolder) -> dict[str, Any] | None:
    try:
        digest, _, content = room.read(TOLD, _MOST_BYTES).partition(b"\n")
        if hashlib.sha256(content).hexdigest().encode() != digest:
            return None
        about: dict[str, Any] = json.loads(content)
        asked, parent, stable = about["asked"], about["parent"], about["stability"]
        if not (asked is None or isinstance(asked, int)) or len(parent) != len(stable) or about["format"] != 1:
            return None
        if not all(isinstance(one, int) and 0 <= one < len(parent) for one in parent):
            return None
        about["stability"] = [float(one) for one in stable]
        about["topics"] = [
            {**topic, "words": tuple(map(str, topic["words"]))}
            for topic in map(asdict, (Topic(**t) for t in about["topics"]))
        ]
        about["edits"]
        about["later"] = dict(about.get("later", {}))
        about["made"] = bytes.fromhex(about["made"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return about


def read(room: SafeFolder) -> _Clusters | None:
    """Return the clusters that are kept; None where they are absent or damaged."""
    about = _read_about(room)
    rows = None if about is None else records.read(room, CLUSTERS, _RECORD, maker=about["made"])
    if rows is None or about is None:
        return None
    labels = rows["cluster"].astype(np.int64)
    if len(labels) and not (labels.min() >= 0 and labels.max() < len(about["parent"])):
        return None
    return _Clusters(
        tuple(records.doc_ids_of(rows)), labels, tuple(about["parent"]), tuple(about["stability"]), about["asked"]
    )


# -- what clusters became ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """Topics with what people said of them.

    Attributes:
        topics: groups and topics.
        topic: of each document.
        later: how many documents came after the topics were made.
        far: those of them that are like no topic.
    """

    topics: tuple[Topic, ...]
    topic: npt.NDArray[np.int64]
    later: int
    far: tuple[str, ...]


def told(folder: CorpusFolder, vectors: Vectors, seed: int) -> Told:
    """Return the topics with what people said of them, and the topic of each document; kept until something changes."""
    room = room_of(folder, vectors.name)
    kept = read(room)
    if kept is None or (len(vectors) and not kept.doc_ids):
        make(folder, vectors, None, seed)
        kept = read(room)
    if kept is None:
        raise CorpusError(
            f"{'/'.join(room.parts)}: topics cannot be kept there: look whether the folder can be written"
        )
    labels = _assigned(vectors, kept)
    said, mark = edits.read(room)
    state = _replayed(vectors, labels, kept, said)
    about = _read_about(room) or {}
    known = {one["number"]: Topic(**one) for one in about.get("topics", [])} if about.get("edits") == mark.hex() else {}
    found = _described(folder, vectors, state, kept, known)
    later = _later(folder, vectors, labels, kept, about)
    if kept.doc_ids != vectors.doc_ids or known.keys() != {topic.number for topic in found}:
        with contextlib.suppress(CorpusError):  # a disk that cannot be written: it is told anew next time
            rows = np.zeros(len(vectors), _RECORD)
            rows["doc_id"] = [doc_id.encode() for doc_id in vectors.doc_ids]
            rows["cluster"], rows["topic"] = labels, state.topic
            told_of = {"edits": mark.hex(), "topics": [asdict(topic) for topic in found], "later": later}
            _write(room, rows, {**about, **told_of})
    return Told(found, state.topic, len(later), tuple(doc_id for doc_id, is_far in later.items() if is_far))


def _later(
    folder: CorpusFolder, vectors: Vectors, labels: npt.NDArray[np.int64], kept: _Clusters, about: dict[str, Any]
) -> dict[str, bool]:
    """The documents that came after the clusters were made, and whether they are like none; each is looked at once."""
    there, old = about.get("later", {}), set(kept.doc_ids)
    known = {doc_id: bool(there[doc_id]) for doc_id in vectors.doc_ids if doc_id in there}
    new = np.array([doc_id not in old for doc_id in vectors.doc_ids], np.bool_)
    if new.any():
        made = ~new & np.array([doc_id not in known for doc_id in vectors.doc_ids], np.bool_)
        far = far_from_topics(folder, vectors, labels, new, made)
        known |= {vectors.doc_ids[row]: bool(far[row]) for row in np.flatnonzero(new).tolist()}
    return known


def _assigned(vectors: Vectors, kept: _Clusters) -> npt.NDArray[np.int64]:
    """The cluster of each document: of one that came later that whose middle is nearest."""
    of = dict(zip(kept.doc_ids, kept.cluster.tolist(), strict=True))
    labels = np.array([of.get(doc_id, -1) for doc_id in vectors.doc_ids], np.int64)
    new = labels < 0
    if new.any() and kept.parent:
        centres = centres_of(vectors.matrix[~new], labels[~new], len(kept.parent))
        labels[new] = cosines_of(vectors.matrix[new], centres).argmax(axis=1)
    return labels


def _replayed(vectors: Vectors, labels: npt.NDArray[np.int64], kept: _Clusters, said: Sequence[Edit]) -> _State:
    """What people said, one after the other; what none of its documents is left of is passed over."""
    n = len(kept.parent)
    state = _State(labels.copy(), {topic: n + group for topic, group in enumerate(kept.parent)})
    state.next = n + (max(kept.parent) + 1 if kept.parent else 0)
    place = {doc_id: number for number, doc_id in enumerate(vectors.doc_ids)}
    for edit in said:
        topic_of = {d: int(state.topic[place[d]]) for told in edit.told_by for d in told if d in place}
        if edit.act == "rename" and edit.told_by:
            of = topic_of if edit.level == FINE else {d: state.parent[topic] for d, topic in topic_of.items()}
            if (found := held_by(edit.told_by[0], of)) is not None:
                state.names[found] = edit.name
        elif edit.act == "merge":
            meant = list(dict.fromkeys(t for told in edit.told_by if (t := held_by(told, topic_of)) is not None))
            if len(meant) > 1:
                state.parts[meant[0]] = [
                    part for topic in meant for part in state.parts.get(topic, [np.flatnonzero(state.topic == topic)])
                ]
            for other in meant[1:]:
                state.topic[state.topic == other] = meant[0]
                state.names.pop(other, None)
                state.parts.pop(other, None)
            state.changed.update(meant[:1] if len(meant) > 1 else ())
        elif edit.act == "split":
            _split(vectors, state, edit, topic_of, place)
    return state


def _split(vectors: Vectors, state: _State, edit: Edit, topic_of: dict[str, int], place: dict[str, int]) -> None:
    """Each document goes to the part whose telling documents it is most like."""
    whole = held_by([doc_id for told in edit.told_by for doc_id in told], topic_of)
    if whole is None:
        return
    parts = [[place[d] for d in told if topic_of.get(d) == whole] for told in edit.told_by]
    parts = [rows for rows in parts if rows]
    if len(parts) < 2:
        return
    middles = unit(np.stack([vectors.matrix[rows].mean(axis=0) for rows in parts]))
    members = np.flatnonzero(state.topic == whole)
    nearest = cosines_of(vectors.matrix[members], middles).argmax(axis=1)
    state.changed.add(whole)
    state.parts.pop(whole, None)
    for part in range(1, len(parts)):
        state.topic[members[nearest == part]] = state.next
        state.parent[state.next] = state.parent[whole]
        state.changed.add(state.next)
        state.next += 1


def _described(
    folder: CorpusFolder, vectors: Vectors, state: _State, kept: _Clusters, known: dict[int, Topic]
) -> tuple[Topic, ...]:
    """The topics and groups with names, words and numbers of documents; of those known only the numbers are new."""
    sizes = np.bincount(state.topic, minlength=state.next) if len(vectors) else np.zeros(state.next, np.int64)
    fine = [topic for topic in sorted(state.parent) if sizes[topic]]
    groups = sorted({state.parent[topic] for topic in fine})
    members = {topic: np.flatnonzero(state.topic == topic) for topic in fine}
    for group in groups:
        members[group] = np.flatnonzero(np.isin(state.topic, [t for t in fine if state.parent[t] == group]))
    words = {number: known[number].words for number in members if number in known}
    words |= _words(folder, vectors, {number: rows for number, rows in members.items() if number not in words})
    for number in (number for number in state.parts if number in members and number not in known):
        parts = _words(folder, vectors, dict(enumerate(state.parts[number])))
        words[number] = together([*parts.values(), words[number]])
    found = []
    for number in (*groups, *fine):
        stable = None if number in groups or number in state.changed else kept.stability[number]
        found.append(
            Topic(
                number,
                state.names.get(number) or _usual_name(number, words, state),
                COARSE if number in groups else FINE,
                None if number in groups else state.parent[number],
                words[number],
                stable,
                len(members[number]),
            )
        )
    return tuple(sorted(found, key=lambda topic: (topic.level, -topic.documents, topic.number)))


def _usual_name(number: int, words: dict[int, tuple[str, ...]], state: _State) -> str:
    """The first words; of a group of all, which has no words of its own, the first of each of its topics."""
    inside = [words[topic][0] for topic in sorted(words) if state.parent.get(topic) == number and words[topic]]
    return name_of(words[number] or inside)


def _words(
    folder: CorpusFolder, vectors: Vectors, members: dict[int, npt.NDArray[np.int64]]
) -> dict[int, tuple[str, ...]]:
    """The words of topics, from the main texts of some of their documents; of equal texts one."""
    if not members:
        return {}
    space, copies = corpus_space(folder), duplicate_ids(folder)
    languages = dict(folder.catalog.tuples("SELECT doc_id, lang FROM current"))
    some: dict[int, list[str]] = {}
    for number, rows in members.items():
        once = [doc_id for doc_id in (vectors.doc_ids[row] for row in rows) if doc_id not in copies]
        some[number] = once[:: max(1, -(-len(once) // _READ))]
    found: dict[int, tuple[str, ...]] = {}
    for numbers in _batches(some):
        texts = scoring_texts(folder, list({doc_id: None for number in numbers for doc_id in some[number]}))
        for number in numbers:
            stop = stop_words_of(languages.get(doc_id) for doc_id in some[number])
            read = [texts[doc_id] for doc_id in some[number] if doc_id in texts]
            found[number] = () if space is None else words_of(space.tables[0], read, stop=stop)
    return found


def _batches(some: dict[int, list[str]]) -> Iterator[list[int]]:
    """Topics whose texts are read together: to read those of one costs nearly as much as to read those of many."""
    batch: list[int] = []
    size = 0
    for number, doc_ids in some.items():
        if batch and size + len(doc_ids) > _AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(number)
        size += len(doc_ids)
    if batch:
        yield batch
