"""Topics: clusters of the documents on two levels, kept with the corpus, with what people said of them."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Sequence, Set
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.relevance.learning import scoring_texts
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import clean
from corpuskit.store.document_rows import duplicates
from corpuskit.vectors import edits, records
from corpuskit.vectors.clustering import centres_of, cluster, grouped, stability, usual_number
from corpuskit.vectors.edits import Edit, held_by
from corpuskit.vectors.making import OWN, Vectors, corpus_space, room_of, unit, vectors_of
from corpuskit.vectors.naming import name_of, stop_words_of, words_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Topic", "Topics", "forget_topics", "topic_column", "topics"]

_CLUSTERS: Final = "topics.rec"
_TOLD: Final = "topics.json"
_RECORD: Final = np.dtype([("doc_id", "S16"), ("cluster", "<i4"), ("topic", "<i4")])
_MOST_BYTES: Final = 64 << 20
_READ: Final = 300  # documents of a topic whose texts say what its words are
_TELLING: Final = 20  # documents that tell a topic in an edit
_LONGEST: Final = 200  # characters of a name
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
    """

    topic: npt.NDArray[np.int64]
    parent: dict[int, int]
    names: dict[int, str] = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)
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


class Topics:
    """The topics of a corpus; ``corpus.topics()`` gives them.

    Attributes:
        frame: columns topic (Int32), name (str), level (Int32: 0 a group of topics, 1 a topic), parent (Int32: its group),
            documents (Int64), words (str: the first ten, with commas between), stability (float64: how far other seeds find
            it, 0 to 1; NaN for groups and for what a person made); groups first, then topics, the largest first.
    """

    def __init__(
        self, folder: CorpusFolder, name: str, *, seed: int = 0, chart: Callable[[pd.DataFrame], Any] | None = None
    ) -> None:
        self._folder, self._name, self._seed, self._chart = folder, name, seed, chart
        self._load()

    def _load(self) -> None:
        self._vectors = vectors_of(self._folder, self._name)
        self._topics, self._topic = _told(self._folder, self._vectors, self._seed)
        self._of = {topic.number: topic for topic in self._topics}

    @property
    def frame(self) -> pd.DataFrame:
        """One row a topic or group."""
        import pandas as pd

        rows = [
            (
                topic.number,
                topic.name,
                topic.level,
                topic.parent,
                topic.documents,
                ", ".join(topic.words),
                topic.stability,
            )
            for topic in self._topics
        ]
        types = {"topic": "Int32", "name": "str", "level": "Int32", "parent": "Int32", "documents": "Int64",
                 "words": "str", "stability": "float64"}  # fmt: skip
        return pd.DataFrame(rows, columns=list(types)).astype(types)

    def of(self, docs: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the topics of documents.

        Args:
            docs: a DataFrame or Series with doc_id, or ids; None for all.

        Returns:
            Columns doc_id (str), topic (Int32; missing for a document without a vector), name (str).
        """
        import pandas as pd

        wanted = list(self._vectors.doc_ids) if docs is None else _ids(docs)
        place = {doc_id: int(topic) for doc_id, topic in zip(self._vectors.doc_ids, self._topic, strict=True)}
        found = [place.get(doc_id) for doc_id in wanted]
        names = [None if number is None else self._of[number].name for number in found]
        return pd.DataFrame({"doc_id": wanted, "topic": found, "name": names}).astype(
            {"doc_id": "str", "topic": "Int32", "name": "str"}
        )

    def representatives(self, topic: int, n: int = 5) -> pd.DataFrame:
        """Return the documents that are most like a topic as a whole.

        Returns:
            Columns doc_id, title, uri (str), score (float64: the cosine with the middle of the topic), the best first.

        Raises:
            ConfigurationError: there is no such topic.
        """
        import pandas as pd

        chosen = self._chosen(topic)
        ids, scores = _central(self._vectors, self._rows(chosen), n)
        known = {row[0]: row for row in self._folder.catalog.tuples("SELECT doc_id, title, uri FROM current")}
        rows = [(*known[doc_id], score) for doc_id, score in zip(ids, scores, strict=True)]
        types = {"doc_id": "str", "title": "str", "uri": "str", "score": "float64"}
        return pd.DataFrame(rows, columns=list(types)).astype(types)

    def rename(self, topic: int, name: str) -> Topics:
        """Give a topic or group a name of your own; it is kept with the corpus.

        Raises:
            ConfigurationError: there is no such topic, or the name is empty or longer than 200 characters.
        """
        chosen = self._chosen(topic)
        name = " ".join(clean(name).split())
        if not name or len(name) > _LONGEST:
            raise ConfigurationError(f"a topic called {name[:40]!r}: expected 1 to {_LONGEST} characters")
        return self._said(Edit("rename", chosen.level, (self._telling(self._rows(chosen)),), name))

    def merge(self, topics: Sequence[int]) -> Topics:
        """Make one topic of several; it takes the number of the largest, and its name if a person gave it.

        Raises:
            ConfigurationError: fewer than two, no such topics, or groups.
        """
        chosen = [self._chosen(topic, FINE) for topic in dict.fromkeys(topics)]
        if len(chosen) < 2:
            raise ConfigurationError(f"merge({list(topics)}): expected two topics or more")
        chosen.sort(key=lambda topic: (-topic.documents, topic.number))
        return self._said(Edit("merge", FINE, tuple(self._telling(self._rows(topic)) for topic in chosen)))

    def split(self, topic: int, n: int = 2) -> Topics:
        """Make several topics of one; the largest part keeps its number.

        Raises:
            ConfigurationError: there is no such topic, or its documents cannot be told apart.
        """
        chosen = self._chosen(topic, FINE)
        rows = self._rows(chosen)
        if n < 2:
            raise ConfigurationError(f"split into {n}: expected 2 or more")
        parts = cluster(self._vectors.matrix[rows], n, seed=self._seed)
        if parts.max() + 1 < n:
            raise ConfigurationError(
                f"topic {topic} cannot be split into {n}: {parts.max() + 1} of its documents differ"
            )
        told_by = tuple(self._telling(rows[parts == part]) for part in range(n))
        return self._said(Edit("split", FINE, told_by))

    def export(self, path: str) -> None:
        """Write the topics of the documents: CSV or Parquet with a row a document, JSON with the topics and theirs."""
        raise NotImplementedError(path)

    def chart(self) -> Any:
        """Return a picture of the groups and their topics with their numbers of documents."""
        return None if self._chart is None else self._chart(self.frame)

    def __len__(self) -> int:
        return sum(topic.level == FINE for topic in self._topics)

    def __repr__(self) -> str:
        groups = len(self._topics) - len(self)
        head = f"{len(self)} topics in {groups} group{'s' * (groups != 1)}, {len(self._vectors):,} documents"
        lines = []
        for group in (topic for topic in self._topics if topic.level == COARSE):
            lines.append(f"  {group.name}")
            lines += [
                f"    {t.number:>3}  {t.documents:>7,}  {t.name}" for t in self._topics if t.parent == group.number
            ]
        return "\n".join([head, *lines])

    # -- what the methods share ----------------------------------------------------------------------------------------------

    def _chosen(self, topic: int, level: int | None = None) -> Topic:
        found = self._of.get(int(topic))
        if found is None:
            raise ConfigurationError(f"no topic {topic}; there are {', '.join(map(str, sorted(self._of)[:200]))}")
        if level is not None and found.level != level:
            raise ConfigurationError(f"topic {topic} is a group of topics: name topics in it")
        return found

    def _rows(self, topic: Topic) -> npt.NDArray[np.int64]:
        inside = {one.number for one in self._topics if topic.number in (one.number, one.parent)}
        return np.flatnonzero(np.isin(self._topic, list(inside)))

    def _telling(self, rows: npt.NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(_central(self._vectors, rows, _TELLING)[0])

    def _said(self, edit: Edit) -> Topics:
        edits.append(room_of(self._folder, self._name), edit)
        self._load()
        return self


def topics(
    folder: CorpusFolder,
    n: int | None = None,
    name: str = OWN,
    *,
    seed: int = 0,
    renew: bool = False,
    chart: Callable[[pd.DataFrame], Any] | None = None,
) -> Topics:
    """Return the topics of a corpus; they are made once and kept, and new documents are assigned without moving the old.

    Args:
        folder: the corpus.
        n: how many topics; another number than before makes them anew. None: those there are, else the usual number.
        name: of the vectors.
        seed: of the clusters: same documents and seed, same topics.
        renew: makes them anew. What people said of topics is kept: it holds for those with the same documents.
        chart: draws the frame.

    Raises:
        ConfigurationError: ``n`` is below 2, or there are no vectors of this name.
    """
    if n is not None and n < 2:
        raise ConfigurationError(f"{n} topics: expected 2 or more")
    room = room_of(folder, name)
    kept = _read(room)
    if kept is None or renew or (n is not None and n != kept.asked):
        _make(folder, vectors_of(folder, name), n, seed)
    return Topics(folder, name, seed=seed, chart=chart)


def topic_column(folder: CorpusFolder, doc_ids: Sequence[str]) -> Any:
    """Return the topics of documents as they are kept, an Int32 array: nothing is made or assigned."""
    import pandas as pd

    with contextlib.suppress(CorpusError):
        room = room_of(folder)
        rows = records.read(room, _CLUSTERS, _RECORD)
        if rows is not None:
            of = dict(zip(records.doc_ids_of(rows), rows["topic"].tolist(), strict=True))
            return pd.array([of.get(doc_id) for doc_id in doc_ids], dtype="Int32")
    return pd.array([None] * len(doc_ids), dtype="Int32")


def forget_topics(room: SafeFolder, gone: Set[str]) -> None:
    """Take documents out of the clusters; words are told anew, those of removed documents may be among them."""
    rows = records.read(room, _CLUSTERS, _RECORD)
    if rows is None:
        room.remove(_CLUSTERS)
        room.remove(_TOLD)
        return
    stay = np.array([doc_id not in gone for doc_id in records.doc_ids_of(rows)], np.bool_)
    if not stay.all():
        records.write(room, _CLUSTERS, rows[stay])
        about = _read_about(room)
        if about is None:
            room.remove(_TOLD)
        else:
            _write_about(room, {**about, "edits": None, "topics": []})


# -- clusters ----------------------------------------------------------------------------------------------------------------


def _make(folder: CorpusFolder, vectors: Vectors, n: int | None, seed: int) -> None:
    """Make clusters, of each exact copy of a text one, and keep them."""
    copies = duplicates(folder)
    once = np.array([doc_id not in copies for doc_id in vectors.doc_ids], np.bool_)
    labels = np.zeros(len(vectors), np.int64)
    parent, stable = np.zeros(0, np.int64), np.zeros(0)
    if once.any():
        matrix = np.asarray(vectors.matrix[once])
        found = cluster(matrix, n or usual_number(len(matrix)), seed=seed)
        centres = centres_of(matrix, found, int(found.max()) + 1)
        labels = (vectors.matrix @ centres.T).argmax(axis=1)
        labels[once] = found
        parent, stable = grouped(centres), stability(matrix, found, seed=seed)
    rows = np.zeros(len(vectors), _RECORD)
    rows["doc_id"] = [doc_id.encode() for doc_id in vectors.doc_ids]
    rows["cluster"] = rows["topic"] = labels
    room = room_of(folder, vectors.name)
    records.write(room, _CLUSTERS, rows)
    about = {
        "format": 1,
        "asked": n,
        "parent": parent.tolist(),
        "stability": stable.tolist(),
        "edits": None,
        "topics": [],
    }
    _write_about(room, about)


def _write_about(room: SafeFolder, about: dict[str, Any]) -> None:
    content = json.dumps(about).encode()
    room.write(_TOLD, hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def _read_about(room: SafeFolder) -> dict[str, Any] | None:
    try:
        digest, _, content = room.read(_TOLD, _MOST_BYTES).partition(b"\n")
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
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return about


def _read(room: SafeFolder) -> _Clusters | None:
    rows, about = records.read(room, _CLUSTERS, _RECORD), _read_about(room)
    if rows is None or about is None:
        return None
    labels = rows["cluster"].astype(np.int64)
    if len(labels) and not (labels.min() >= 0 and labels.max() < len(about["parent"])):
        return None
    return _Clusters(
        tuple(records.doc_ids_of(rows)), labels, tuple(about["parent"]), tuple(about["stability"]), about["asked"]
    )


# -- what clusters became ----------------------------------------------------------------------------------------------------


def _told(folder: CorpusFolder, vectors: Vectors, seed: int) -> tuple[tuple[Topic, ...], npt.NDArray[np.int64]]:
    """The topics with what people said of them, and the topic of each document; kept until something changes."""
    room = room_of(folder, vectors.name)
    kept = _read(room)
    if kept is None or (len(vectors) and not kept.doc_ids):
        _make(folder, vectors, None, seed)
        kept = _read(room)
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
    if kept.doc_ids != vectors.doc_ids or known.keys() != {topic.number for topic in found}:
        with contextlib.suppress(OSError):
            rows = np.zeros(len(vectors), _RECORD)
            rows["doc_id"] = [doc_id.encode() for doc_id in vectors.doc_ids]
            rows["cluster"], rows["topic"] = labels, state.topic
            records.write(room, _CLUSTERS, rows)
            _write_about(room, {**about, "edits": mark.hex(), "topics": [asdict(topic) for topic in found]})
    return found, state.topic


def _assigned(vectors: Vectors, kept: _Clusters) -> npt.NDArray[np.int64]:
    """The cluster of each document: of one that came later that whose middle is nearest."""
    of = dict(zip(kept.doc_ids, kept.cluster.tolist(), strict=True))
    labels = np.array([of.get(doc_id, -1) for doc_id in vectors.doc_ids], np.int64)
    new = labels < 0
    if new.any() and kept.parent:
        centres = centres_of(vectors.matrix[~new], labels[~new], len(kept.parent))
        labels[new] = (vectors.matrix[new] @ centres.T).argmax(axis=1)
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
            for other in meant[1:]:
                state.topic[state.topic == other] = meant[0]
                state.names.pop(other, None)
            state.changed.update(meant[:1] if len(meant) > 1 else ())
        elif edit.act == "split":
            _split(vectors, state, edit, topic_of, place)
    return state


def _split(vectors: Vectors, state: _State, edit: Edit, topic_of: dict[str, int], place: dict[str, int]) -> None:
    """Each document goes to the part whose telling documents it is most like."""
    whole = held_by([doc_id for told in edit.told_by for doc_id in told], topic_of)
    parts = [[place[d] for d in told if topic_of.get(d) == whole] for told in edit.told_by]
    parts = [rows for rows in parts if rows]
    if whole is None or len(parts) < 2:
        return
    middles = unit(np.stack([vectors.matrix[rows].mean(axis=0) for rows in parts]))
    members = np.flatnonzero(state.topic == whole)
    nearest = (vectors.matrix[members] @ middles.T).argmax(axis=1)
    state.changed.add(whole)
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
    space, copies = corpus_space(folder), duplicates(folder)
    languages = dict(folder.catalog.tuples("SELECT doc_id, lang FROM current"))
    found: dict[int, tuple[str, ...]] = {}
    for number, rows in members.items():
        once = [doc_id for doc_id in (vectors.doc_ids[row] for row in rows) if doc_id not in copies]
        some = once[:: max(1, -(-len(once) // _READ))]
        texts = list(scoring_texts(folder, some).values())
        stop = stop_words_of(languages.get(doc_id) for doc_id in some)
        found[number] = () if space is None else words_of(space.tables[0], texts, stop=stop)
    return found


def _central(vectors: Vectors, rows: npt.NDArray[np.int64], n: int) -> tuple[list[str], list[float]]:
    """The documents nearest to the middle of some, and their cosines with it."""
    if not len(rows):
        return [], []
    some = vectors.matrix[rows]
    [middle] = unit(some.mean(axis=0, keepdims=True))
    near = some @ middle
    best = np.argsort(-near, kind="stable")[:n]
    return [vectors.doc_ids[row] for row in rows[best]], [float(one) for one in near[best]]


def _ids(docs: Any) -> list[str]:
    if isinstance(docs, str):
        return [docs]
    if hasattr(docs, "columns"):
        docs = docs["doc_id"]
    return [str(doc_id) for doc_id in docs]
