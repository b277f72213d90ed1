"""Topics: two-level clusters of documents, stored with the corpus, with user edits."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import clean
from corpuskit.store.document_lookup import add_titles, document_names, find_doc_ids
from corpuskit.store.formatting import pluralize
from corpuskit.vectors import edits, kept_topics
from corpuskit.vectors.clustering import cluster
from corpuskit.vectors.edits import Edit
from corpuskit.vectors.kept_topics import COARSE, FINE, Topic
from corpuskit.vectors.making import OWN, Vectors, unit, vectors_folder, vectors_of
from corpuskit.vectors.neighbours import cosines_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Topic", "Topics", "later_note", "topic_column", "topics"]

_ANCHORS: Final = 20  # documents that identify a topic in an edit
_MAX_NAME: Final = 200  # characters of a name
MAX_TOPICS: Final = 1_000


class Topics:
    """Topics of a corpus; see ``corpus.vectors.topics()``.

    Args:
        folder: The corpus.
        name: Name of the vectors.
        seed: Seed of the clusters.
        chart: Function that draws the topics.

    Attributes:
        frame: Columns topic (Int32), name (str), level (Int32: 0 a group of topics, 1 a topic), parent (Int32: its group),
            documents (Int64), words (str: up to ten, separated by commas), stability (float64: agreement with clusters of
            other seeds, 0 to 1, NaN for groups and edited topics). Groups come first, then topics, the largest first.
            ``attrs["later"]`` is the number of documents added after the topics were fitted, ``attrs["far"]`` the number of
            outliers among them. Outliers are dissimilar to every topic and are assigned to the nearest one.
        far: The doc_ids of the outliers.
    """

    def __init__(
        self, folder: CorpusFolder, name: str, *, seed: int = 0, chart: Callable[[pd.DataFrame], Any] | None = None
    ) -> None:
        self._folder, self._name, self._seed, self._chart = folder, name, seed, chart
        self._load()

    def _load(self) -> None:
        self._vectors = vectors_of(self._folder, self._name)
        state = kept_topics.current_topics(self._folder, self._vectors, self._seed)
        self._topics, self._topic, self._later, self.far = state.topics, state.topic, state.later, list(state.far)
        self._of = {topic.number: topic for topic in self._topics}

    @property
    def frame(self) -> pd.DataFrame:
        """Return one row per topic or group."""
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
        frame = pd.DataFrame(rows, columns=list(types)).astype(types)
        frame.attrs |= {"later": self._later, "far": len(self.far)}
        return frame

    def of(self, docs: Any = None) -> pd.DataFrame:
        """Return the topics of documents.

        Args:
            docs: A DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names. None: all.

        Returns:
            Columns doc_id, title, uri (str), topic (Int32, missing for a document without a vector), name (str).

        Raises:
            UnknownDocumentError: a document is not in the corpus.
        """
        import pandas as pd

        doc_ids = list(self._vectors.doc_ids)
        if docs is not None:
            doc_ids = list(find_doc_ids(self._folder, document_names(self._folder, docs)).values())
        topic_of = {doc_id: int(topic) for doc_id, topic in zip(self._vectors.doc_ids, self._topic, strict=True)}
        topics = [topic_of.get(doc_id) for doc_id in doc_ids]
        names = [None if number is None else self._of[number].name for number in topics]
        types = {"doc_id": "str", "topic": "Int32", "name": "str"}
        return add_titles(self._folder, pd.DataFrame({"doc_id": doc_ids, "topic": topics, "name": names}).astype(types))

    def representatives(self, topic: int, n: int = 5) -> pd.DataFrame:
        """Return the documents most similar to the centre of a topic.

        Args:
            topic: Number of the topic.
            n: Number of documents, at most.

        Returns:
            Columns doc_id, title, uri (str), score (float64, the cosine with the centre), the highest first.

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
        """Rename a topic or group. The name is stored with the corpus.

        Args:
            topic: Number of the topic or group.
            name: Its new name.

        Raises:
            ConfigurationError: there is no such topic, or the name is empty or longer than 200 characters.
        """
        chosen = self._chosen(topic)
        name = " ".join(clean(name).split())
        if not name or len(name) > _MAX_NAME:
            raise ConfigurationError(f"topic name {name[:40]!r}: expected 1 to {_MAX_NAME} characters")
        return self._append_edit(Edit("rename", chosen.level, (self._anchors(self._rows(chosen)),), name))

    def merge(self, topics: Sequence[int]) -> Topics:
        """Merge topics. The result has the number of the largest topic, and its name if a user renamed it.

        Args:
            topics: Numbers of topics.

        Raises:
            ConfigurationError: Fewer than two topics, an unknown number, or the number of a group.
        """
        chosen = [self._chosen(topic, FINE) for topic in dict.fromkeys(topics)]
        if len(chosen) < 2:
            raise ConfigurationError(f"merge({list(topics)}): expected two topics or more")
        chosen.sort(key=lambda topic: (-topic.documents, topic.number))
        return self._append_edit(Edit("merge", FINE, tuple(self._anchors(self._rows(topic)) for topic in chosen)))

    def split(self, topic: int, n: int = 2) -> Topics:
        """Split a topic. The largest part has the number of the topic.

        Args:
            topic: Number of the topic.
            n: Number of parts.

        Raises:
            ConfigurationError: There is no such topic, or too few of its documents differ.
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
        anchors = tuple(self._anchors(rows[parts == part]) for part in range(n))
        return self._append_edit(Edit("split", FINE, anchors))

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write the topic of each document and return the number of documents.

        Args:
            path: Output file, replaced if it exists. ``.csv`` or ``.parquet``: one row per document with doc_id, title, uri, topic,
                name, group, group_name. ``.json``: the topics as in :attr:`frame`, each with the doc_ids of its documents.

        Raises:
            ExportError: The suffix is unknown, or the file cannot be written.
        """
        from corpuskit.vectors.exporting import export

        return export(self.frame, self.of(), Path(path))

    def chart(self) -> Any:
        """Return a chart of groups and topics with their numbers of documents."""
        return None if self._chart is None else self._chart(self.frame)

    def __len__(self) -> int:
        return sum(topic.level == FINE for topic in self._topics)

    def __repr__(self) -> str:
        groups = len(self._topics) - len(self)
        head = f"{pluralize(len(self), 'topic')} in {pluralize(groups, 'group')}, {pluralize(len(self._vectors), 'document')}"
        lines = []
        for group in (topic for topic in self._topics if topic.level == COARSE):
            lines.append(f"  {group.name}")
            lines += [
                f"    {t.number:>3}  {t.documents:>7,}  {t.name}" for t in self._topics if t.parent == group.number
            ]
        return "\n".join([head, *lines, *([f"  {later_note(self._later, len(self.far))}"] if self._later else [])])

    # -- shared by the methods ----------------------------------------------------------------------------------------------

    def _chosen(self, topic: int, level: int | None = None) -> Topic:
        selected = self._of.get(int(topic))
        if selected is None:
            raise ConfigurationError(f"no topic {topic}; there are {', '.join(map(str, sorted(self._of)[:200]))}")
        if level is not None and selected.level != level:
            raise ConfigurationError(f"topic {topic} is a group of topics: name topics in it")
        return selected

    def _rows(self, topic: Topic) -> npt.NDArray[np.int64]:
        numbers = {
            candidate.number for candidate in self._topics if topic.number in (candidate.number, candidate.parent)
        }
        return np.flatnonzero(np.isin(self._topic, list(numbers)))

    def _anchors(self, rows: npt.NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(_central(self._vectors, rows, _ANCHORS)[0])

    def _append_edit(self, edit: Edit) -> Topics:
        edits.append(vectors_folder(self._folder, self._name), edit)
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
    """Return the topics of a corpus, fitted on the first call; see ``corpus.vectors.topics()``.

    Args:
        folder: The corpus.
        n: Number of topics. None: the stored topics, else the default number.
        name: Name of the vectors.
        seed: Seed of the clusters.
        renew: Fit topics again.
        chart: Function that draws the frame.

    Raises:
        ConfigurationError: ``n`` is below 2 or above half the number of distinct documents, or there are no vectors of this
            name.
    """
    if n is not None and (not hasattr(n, "__index__") or n < 2):
        raise ConfigurationError(f"topics({n!r}): expected a whole number, 2 or more")
    subfolder = vectors_folder(folder, name)
    stored = kept_topics.read(subfolder)
    if stored is None or renew or (n is not None and n != stored.asked):
        vectors = vectors_of(folder, name)
        different = kept_topics.count_distinct(folder, vectors)
        maximum = max(2, min(MAX_TOPICS, different // 2))
        if n is not None and n > maximum:
            raise ConfigurationError(
                f"topics({n:,}): of {pluralize(different, 'document')} with different texts at most {maximum:,} topics can be "
                "fitted; topics() uses the default number"
            )
        kept_topics.fit_topics(folder, vectors, n, seed)
    return Topics(folder, name, seed=seed, chart=chart)


def later_note(later: int, n_outliers: int) -> str:
    """Return a note on documents added after topics were fitted, empty without such documents."""
    if not later:
        return ""
    note = f"{pluralize(later, 'document')} came later and were assigned to the nearest topic"
    if n_outliers:
        note += f"; {n_outliers:,} of them {'is' if n_outliers == 1 else 'are'} far from every topic (.far): topics(renew=True) fits the topics again"
    return note


def topic_column(folder: CorpusFolder, doc_ids: Sequence[str]) -> dict[str, Any]:
    """Return the column ``topic`` (Int32) of a frame of documents, as stored: no topics are computed or assigned.

    Args:
        folder: The corpus folder.
        doc_ids: The documents.
    """
    import pandas as pd

    of: dict[str, int] = {}
    with contextlib.suppress(CorpusError):
        of = kept_topics.stored_topics(vectors_folder(folder))
    return {"topic": pd.array([of.get(doc_id) for doc_id in doc_ids], dtype="Int32")}


def _central(vectors: Vectors, rows: npt.NDArray[np.int64], n: int) -> tuple[list[str], list[float]]:
    """Return the documents nearest to the centre of some rows, and their cosines with it."""
    if not len(rows):
        return [], []
    matrix = vectors.matrix[rows]
    cosines = cosines_of(matrix, unit(matrix.mean(axis=0, keepdims=True)))[:, 0]
    best = np.argsort(-cosines, kind="stable")[:n]
    return [vectors.doc_ids[row] for row in rows[best]], [float(cosine) for cosine in cosines[best]]
