"""Topic storage: clusters, and the topics derived from clusters and user edits. Both are caches; the edits are not."""

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
from corpuskit.vectors.clustering import centres_of, cluster_with_stability, default_number, group_centres
from corpuskit.vectors.edits import Edit, topic_with_most
from corpuskit.vectors.making import Vectors, corpus_space, unit, vectors_folder, writing
from corpuskit.vectors.naming import interleave_words, name_of, stop_words_of, words_of
from corpuskit.vectors.neighbours import cosines_of
from corpuskit.vectors.newcomers import outliers

__all__ = [
    "CLUSTERS",
    "COARSE",
    "FINE",
    "STATE",
    "Topic",
    "current_topics",
    "fit_topics",
    "is_readable",
    "read",
    "remove_documents",
    "stored_topics",
]

CLUSTERS: Final = "topics.rec"
STATE: Final = "topics.json"
_RECORD: Final = np.dtype([("doc_id", "S16"), ("cluster", "<i4"), ("topic", "<i4")])
_MAX_BYTES: Final = 64 << 20
_SAMPLE: Final = 300  # documents per topic that its words are computed from
_DOCUMENTS_PER_BATCH: Final = 5_000  # documents per batch of texts in memory
FINE, COARSE = 1, 0


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic, or a group of topics.

    Attributes:
        number: Id of the topic, unchanged until topics are fitted again.
        name: Name given by a user, else the first words.
        level: 0 for a group, 1 for a topic.
        parent: Group of a topic. None for a group.
        words: Up to ten characteristic words.
        stability: Agreement with clusters of other seeds, 0 to 1. None for groups and for topics merged or split by a user.
        documents: Number of documents.
    """

    number: int
    name: str
    level: int
    parent: int | None
    words: tuple[str, ...] = ()
    stability: float | None = None
    documents: int = 0


@dataclass(slots=True)
class _EditedTopics:
    """Topics after user edits.

    Attributes:
        topic: Topic of each document.
        parent: Topic → group.
        names: Topic or group → name given by a user.
        changed: Topics merged or split by a user.
        parts: Merged topic → documents of each of its parts.
        next: Next free topic number.
    """

    topic: npt.NDArray[np.int64]
    parent: dict[int, int]
    names: dict[int, str] = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)
    parts: dict[int, list[npt.NDArray[np.int64]]] = field(default_factory=dict)
    next: int = 0


@dataclass(frozen=True, slots=True)
class _Clusters:
    """Fitted clusters without user edits.

    Attributes:
        doc_ids: Documents.
        cluster: Cluster of each document.
        parent: Group of each cluster.
        stability: Stability of each cluster.
        asked: Requested number of topics. None: the default number.
    """

    doc_ids: tuple[str, ...]
    cluster: npt.NDArray[np.int64]
    parent: tuple[int, ...]
    stability: tuple[float, ...]
    asked: int | None


def is_readable(folder: SafeFolder) -> bool:
    """Return whether the stored clusters and topics are readable."""
    return read(folder) is not None


def stored_topics(folder: SafeFolder) -> dict[str, int]:
    """Return the stored topic of each document, empty without stored topics."""
    about = _read_about(folder)
    rows = None if about is None else records.read(folder, CLUSTERS, _RECORD, maker=about["made"])
    if rows is None:
        return {}
    return dict(zip(records.doc_ids_of(rows), rows["topic"].tolist(), strict=True))


def remove_documents(folder: SafeFolder, removed: Set[str]) -> None:
    """Remove documents from the clusters. Topic words are deleted, since they may come from removed documents."""
    about = _read_about(folder)
    rows = None if about is None else records.read(folder, CLUSTERS, _RECORD, maker=about["made"])
    if rows is None or about is None:
        folder.remove(CLUSTERS)
        folder.remove(STATE)
        return
    stay = np.array([doc_id not in removed for doc_id in records.doc_ids_of(rows)], np.bool_)
    if not stay.all():
        _write(folder, rows[stay], {**about, "edits": None, "topics": []})


# -- clusters ----------------------------------------------------------------------------------------------------------------


def count_distinct(folder: CorpusFolder, vectors: Vectors) -> int:
    """Return the number of documents with a nonzero vector, exact copies counted once."""
    copies = duplicate_ids(folder)
    has_vector = np.any(vectors.matrix, axis=1)
    return sum(
        doc_id not in copies for doc_id, is_known in zip(vectors.doc_ids, has_vector.tolist(), strict=True) if is_known
    )


def fit_topics(folder: CorpusFolder, vectors: Vectors, n: int | None, seed: int) -> None:
    """Fit and store clusters of the documents. Exact copies are assigned to the same cluster."""
    copies = duplicate_ids(folder)
    is_unique = np.array([doc_id not in copies for doc_id in vectors.doc_ids], np.bool_)
    labels = np.zeros(len(vectors), np.int64)
    parent, stable = np.zeros(0, np.int64), np.zeros(0)
    if is_unique.any():
        matrix = np.asarray(vectors.matrix[is_unique])
        unique_labels, stable = cluster_with_stability(matrix, n or default_number(len(matrix)), seed=seed)
        centres = centres_of(matrix, unique_labels, int(unique_labels.max()) + 1)
        labels = cosines_of(vectors.matrix, centres).argmax(axis=1)
        labels[is_unique] = unique_labels
        parent = group_centres(centres)
    rows = np.zeros(len(vectors), _RECORD)
    rows["doc_id"] = [doc_id.encode() for doc_id in vectors.doc_ids]
    rows["cluster"] = rows["topic"] = labels
    about = {
        "format": 1,
        "made": secrets.token_bytes(records.FINGERPRINT_SIZE),
        "asked": n,
        "parent": parent.tolist(),
        "stability": stable.tolist(),
        "edits": None,
        "topics": [],
    }
    _write(vectors_folder(folder, vectors.name), rows, about)


def _write(folder: SafeFolder, rows: npt.NDArray[Any], about: dict[str, Any]) -> None:
    """Write both files with a common random id. If the process is terminated in between, the ids differ and neither is read."""
    with writing(folder):
        records.write(folder, CLUSTERS, rows, maker=about["made"])
        content = json.dumps({**about, "made": about["made"].hex()}).encode()
        folder.write(STATE, hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def _read_about(folder: SafeFolder) -> dict[str, Any] | None:
    try:
        digest, _, content = folder.read(STATE, _MAX_BYTES).partition(b"\n")
        if hashlib.sha256(content).hexdigest().encode() != digest:
            return None
        about: dict[str, Any] = json.loads(content)
        asked, parent, stable = about["asked"], about["parent"], about["stability"]
        if not (asked is None or isinstance(asked, int)) or len(parent) != len(stable) or about["format"] != 1:
            return None
        if not all(isinstance(value, int) and 0 <= value < len(parent) for value in parent):
            return None
        about["stability"] = [float(value) for value in stable]
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


def read(folder: SafeFolder) -> _Clusters | None:
    """Return the stored clusters, or None if they are missing or damaged."""
    about = _read_about(folder)
    rows = None if about is None else records.read(folder, CLUSTERS, _RECORD, maker=about["made"])
    if rows is None or about is None:
        return None
    labels = rows["cluster"].astype(np.int64)
    if len(labels) and not (labels.min() >= 0 and labels.max() < len(about["parent"])):
        return None
    return _Clusters(
        tuple(records.doc_ids_of(rows)), labels, tuple(about["parent"]), tuple(about["stability"]), about["asked"]
    )


# -- topics after user edits -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TopicState:
    """Topics after user edits.

    Attributes:
        topics: Groups and topics.
        topic: Topic of each document.
        later: Number of documents added after topics were fitted.
        far: Outliers among these documents.
    """

    topics: tuple[Topic, ...]
    topic: npt.NDArray[np.int64]
    later: int
    far: tuple[str, ...]


def current_topics(folder: CorpusFolder, vectors: Vectors, seed: int) -> TopicState:
    """Return the topics after user edits and the topic of each document, and store them if they changed."""
    subfolder = vectors_folder(folder, vectors.name)
    clusters = read(subfolder)
    if clusters is None or (len(vectors) and not clusters.doc_ids):
        fit_topics(folder, vectors, None, seed)
        clusters = read(subfolder)
    if clusters is None:
        raise CorpusError(f"{'/'.join(subfolder.parts)}: topics cannot be stored: check that the directory is writable")
    labels = _assign(vectors, clusters)
    changes, mark = edits.read(subfolder)
    state = _apply_edits(vectors, labels, clusters, changes)
    about = _read_about(subfolder) or {}
    known = (
        {stored["number"]: Topic(**stored) for stored in about.get("topics", [])}
        if about.get("edits") == mark.hex()
        else {}
    )
    topics = _describe(folder, vectors, state, clusters, known)
    later = _later_documents(folder, vectors, labels, clusters, about)
    if clusters.doc_ids != vectors.doc_ids or known.keys() != {topic.number for topic in topics}:
        with contextlib.suppress(CorpusError):  # a read-only disk: topics are derived again next time
            rows = np.zeros(len(vectors), _RECORD)
            rows["doc_id"] = [doc_id.encode() for doc_id in vectors.doc_ids]
            rows["cluster"], rows["topic"] = labels, state.topic
            updates = {"edits": mark.hex(), "topics": [asdict(topic) for topic in topics], "later": later}
            _write(subfolder, rows, {**about, **updates})
    return TopicState(topics, state.topic, len(later), tuple(doc_id for doc_id, is_far in later.items() if is_far))


def _later_documents(
    folder: CorpusFolder, vectors: Vectors, labels: npt.NDArray[np.int64], clusters: _Clusters, about: dict[str, Any]
) -> dict[str, bool]:
    """Return the documents added after clusters were fitted: doc_id → is an outlier. Each is examined once."""
    stored, old = about.get("later", {}), set(clusters.doc_ids)
    known = {doc_id: bool(stored[doc_id]) for doc_id in vectors.doc_ids if doc_id in stored}
    new = np.array([doc_id not in old for doc_id in vectors.doc_ids], np.bool_)
    if new.any():
        is_fitted = ~new & np.array([doc_id not in known for doc_id in vectors.doc_ids], np.bool_)
        is_outlier = outliers(folder, vectors, labels, new, is_fitted)
        known |= {vectors.doc_ids[row]: bool(is_outlier[row]) for row in np.flatnonzero(new).tolist()}
    return known


def _assign(vectors: Vectors, clusters: _Clusters) -> npt.NDArray[np.int64]:
    """Return the cluster of each document. Later documents are assigned to the nearest centre."""
    of = dict(zip(clusters.doc_ids, clusters.cluster.tolist(), strict=True))
    labels = np.array([of.get(doc_id, -1) for doc_id in vectors.doc_ids], np.int64)
    new = labels < 0
    if new.any() and clusters.parent:
        centres = centres_of(vectors.matrix[~new], labels[~new], len(clusters.parent))
        labels[new] = cosines_of(vectors.matrix[new], centres).argmax(axis=1)
    return labels


def _apply_edits(
    vectors: Vectors, labels: npt.NDArray[np.int64], clusters: _Clusters, changes: Sequence[Edit]
) -> _EditedTopics:
    """Apply user edits in order. Edits without remaining anchors are ignored."""
    n = len(clusters.parent)
    state = _EditedTopics(labels.copy(), {topic: n + group for topic, group in enumerate(clusters.parent)})
    state.next = n + (max(clusters.parent) + 1 if clusters.parent else 0)
    row_of = {doc_id: number for number, doc_id in enumerate(vectors.doc_ids)}
    for edit in changes:
        topic_of = {d: int(state.topic[row_of[d]]) for anchors in edit.told_by for d in anchors if d in row_of}
        if edit.act == "rename" and edit.told_by:
            of = topic_of if edit.level == FINE else {d: state.parent[topic] for d, topic in topic_of.items()}
            if (renamed := topic_with_most(edit.told_by[0], of)) is not None:
                state.names[renamed] = edit.name
        elif edit.act == "merge":
            merged = list(
                dict.fromkeys(t for anchors in edit.told_by if (t := topic_with_most(anchors, topic_of)) is not None)
            )
            if len(merged) > 1:
                state.parts[merged[0]] = [
                    part for topic in merged for part in state.parts.get(topic, [np.flatnonzero(state.topic == topic)])
                ]
            for other in merged[1:]:
                state.topic[state.topic == other] = merged[0]
                state.names.pop(other, None)
                state.parts.pop(other, None)
            state.changed.update(merged[:1] if len(merged) > 1 else ())
        elif edit.act == "split":
            _split(vectors, state, edit, topic_of, row_of)
    return state


def _split(
    vectors: Vectors, state: _EditedTopics, edit: Edit, topic_of: dict[str, int], row_of: dict[str, int]
) -> None:
    """Assign each document of a topic to the part with the most similar anchors."""
    topic = topic_with_most([doc_id for anchors in edit.told_by for doc_id in anchors], topic_of)
    if topic is None:
        return
    parts = [[row_of[d] for d in anchors if topic_of.get(d) == topic] for anchors in edit.told_by]
    parts = [rows for rows in parts if rows]
    if len(parts) < 2:
        return
    middles = unit(np.stack([vectors.matrix[rows].mean(axis=0) for rows in parts]))
    members = np.flatnonzero(state.topic == topic)
    closest = cosines_of(vectors.matrix[members], middles).argmax(axis=1)
    state.changed.add(topic)
    state.parts.pop(topic, None)
    for part in range(1, len(parts)):
        state.topic[members[closest == part]] = state.next
        state.parent[state.next] = state.parent[topic]
        state.changed.add(state.next)
        state.next += 1


def _describe(
    folder: CorpusFolder, vectors: Vectors, state: _EditedTopics, clusters: _Clusters, known: dict[int, Topic]
) -> tuple[Topic, ...]:
    """Return topics and groups with names, words and sizes. Words of known topics are reused."""
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
        words[number] = interleave_words([*parts.values(), words[number]])
    topics = []
    for number in (*groups, *fine):
        stable = None if number in groups or number in state.changed else clusters.stability[number]
        topics.append(
            Topic(
                number,
                state.names.get(number) or _default_name(number, words, state),
                COARSE if number in groups else FINE,
                None if number in groups else state.parent[number],
                words[number],
                stable,
                len(members[number]),
            )
        )
    return tuple(sorted(topics, key=lambda topic: (topic.level, -topic.documents, topic.number)))


def _default_name(number: int, words: dict[int, tuple[str, ...]], state: _EditedTopics) -> str:
    """Return the first words. A group of all topics does not have characteristic words and uses the first word of each topic."""
    first_words = [words[topic][0] for topic in sorted(words) if state.parent.get(topic) == number and words[topic]]
    return name_of(words[number] or first_words)


def _words(
    folder: CorpusFolder, vectors: Vectors, members: dict[int, npt.NDArray[np.int64]]
) -> dict[int, tuple[str, ...]]:
    """Return the words of topics, computed from a sample of their documents without exact copies."""
    if not members:
        return {}
    space, copies = corpus_space(folder), duplicate_ids(folder)
    languages = dict(folder.catalog.tuples("SELECT doc_id, lang FROM current"))
    sampled: dict[int, list[str]] = {}
    for number, rows in members.items():
        unique = [doc_id for doc_id in (vectors.doc_ids[row] for row in rows) if doc_id not in copies]
        sampled[number] = unique[:: max(1, -(-len(unique) // _SAMPLE))]
    words: dict[int, tuple[str, ...]] = {}
    for numbers in _batches(sampled):
        texts = scoring_texts(folder, list({doc_id: None for number in numbers for doc_id in sampled[number]}))
        for number in numbers:
            stop = stop_words_of(languages.get(doc_id) for doc_id in sampled[number])
            read = [texts[doc_id] for doc_id in sampled[number] if doc_id in texts]
            words[number] = () if space is None else words_of(space.tables[0], read, stop=stop)
    return words


def _batches(doc_ids_by_topic: dict[int, list[str]]) -> Iterator[list[int]]:
    """Yield batches of topics to read together: reading one topic takes nearly as long as reading many."""
    batch: list[int] = []
    size = 0
    for number, doc_ids in doc_ids_by_topic.items():
        if batch and size + len(doc_ids) > _DOCUMENTS_PER_BATCH:
            yield batch
            batch, size = [], 0
        batch.append(number)
        size += len(doc_ids)
    if batch:
        yield batch
