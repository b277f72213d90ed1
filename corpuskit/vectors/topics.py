"""Topics: clusters of the documents on two levels, kept with the corpus, with what people said of them."""

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
from corpuskit.vectors.making import OWN, Vectors, room_of, unit, vectors_of
from corpuskit.vectors.neighbours import cosines_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Topic", "Topics", "told_of_newcomers", "topic_column", "topics"]

_TELLING: Final = 20  # documents that tell a topic in an edit
_LONGEST: Final = 200  # characters of a name
MOST_TOPICS: Final = 1_000


class Topics:
    """The topics of a corpus; ``corpus.vectors.topics()`` gives them.

    Args:
        folder: The corpus folder.
        name: Name of the vectors.
        seed: Of the clusters.
        chart: Draws the topics.

    Attributes:
        frame: columns topic (Int32), name (str), level (Int32: 0 a group of topics, 1 a topic), parent (Int32: its group),
            documents (Int64), words (str: the first ten, with commas between), stability (float64: how far other seeds find
            it, 0 to 1; NaN for groups and for what a person made); groups first, then topics, the largest first.
            ``attrs["later"]`` is how many documents came after the topics were made, ``attrs["far"]`` how many of them are
            like no topic: they are in the nearest one all the same.
        far: the doc_ids of these.
    """

    def __init__(
        self, folder: CorpusFolder, name: str, *, seed: int = 0, chart: Callable[[pd.DataFrame], Any] | None = None
    ) -> None:
        self._folder, self._name, self._seed, self._chart = folder, name, seed, chart
        self._load()

    def _load(self) -> None:
        self._vectors = vectors_of(self._folder, self._name)
        told = kept_topics.told(self._folder, self._vectors, self._seed)
        self._topics, self._topic, self._later, self.far = told.topics, told.topic, told.later, list(told.far)
        self._of = {topic.number: topic for topic in self._topics}

    @property
    def frame(self) -> pd.DataFrame:
        """Return one row a topic or group."""
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
        found = pd.DataFrame(rows, columns=list(types)).astype(types)
        found.attrs |= {"later": self._later, "far": len(self.far)}
        return found

    def of(self, docs: Any = None) -> pd.DataFrame:
        """Return the topics of documents.

        Args:
            docs: a DataFrame or Series with doc_id, a mask, or ids, URIs, file names; None for all.

        Returns:
            Columns doc_id, title, uri (str), topic (Int32; missing for a document without a vector), name (str).

        Raises:
            UnknownDocumentError: a document is not in the corpus.
        """
        import pandas as pd

        wanted = list(self._vectors.doc_ids)
        if docs is not None:
            wanted = list(find_doc_ids(self._folder, document_names(self._folder, docs)).values())
        place = {doc_id: int(topic) for doc_id, topic in zip(self._vectors.doc_ids, self._topic, strict=True)}
        found = [place.get(doc_id) for doc_id in wanted]
        names = [None if number is None else self._of[number].name for number in found]
        types = {"doc_id": "str", "topic": "Int32", "name": "str"}
        return add_titles(self._folder, pd.DataFrame({"doc_id": wanted, "topic": found, "name": names}).astype(types))

    def representatives(self, topic: int, n: int = 5) -> pd.DataFrame:
        """Return the documents that are most like a topic as a whole.

        Args:
            topic: Number of the topic.
            n: Number of documents, at most.

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

        Args:
            topic: Number of the topic or group.
            name: Its new name.

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

        Args:
            topics: Numbers of topics.

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

        Args:
            topic: Number of the topic.
            n: Number of parts.

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

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write which document has which topic; give how many documents.

        Args:
            path: ends in ``.csv`` or ``.parquet``: a row a document with doc_id, title, uri, topic, name, group, group_name;
                or in ``.json``: the topics as in :attr:`frame`, each with the doc_ids of its documents. What is there is replaced.

        Raises:
            ExportError: another ending, or the file cannot be written.
        """
        from corpuskit.vectors.exporting import export

        return export(self.frame, self.of(), Path(path))

    def chart(self) -> Any:
        """Return a picture of the groups and their topics with their numbers of documents."""
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
        return "\n".join(
            [head, *lines, *([f"  {told_of_newcomers(self._later, len(self.far))}"] if self._later else [])]
        )

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
        ConfigurationError: ``n`` is below 2 or more than the documents can be told apart into, or there are no vectors of
            this name.
    """
    if n is not None and (not hasattr(n, "__index__") or n < 2):
        raise ConfigurationError(f"topics({n!r}): expected a whole number, 2 or more")
    room = room_of(folder, name)
    kept = kept_topics.read(room)
    if kept is None or renew or (n is not None and n != kept.asked):
        vectors = vectors_of(folder, name)
        different = kept_topics.different(folder, vectors)
        most = max(2, min(MOST_TOPICS, different // 2))
        if n is not None and n > most:
            raise ConfigurationError(
                f"topics({n:,}): of {pluralize(different, 'document')} with different texts at most {most:,} topics can be "
                "made; topics() takes the usual number"
            )
        kept_topics.make(folder, vectors, n, seed)
    return Topics(folder, name, seed=seed, chart=chart)


def told_of_newcomers(later: int, far: int) -> str:
    """Return what is told of documents that came after the topics were made; empty where there are none."""
    if not later:
        return ""
    told = f"{pluralize(later, 'document')} came later and went to the topic that is nearest"
    if far:
        told += f"; {far:,} of them {'is' if far == 1 else 'are'} far from every topic (.far): topics(renew=True) makes topics anew"
    return told


def topic_column(folder: CorpusFolder, doc_ids: Sequence[str]) -> dict[str, Any]:
    """Return the column ``topic`` (Int32) of a frame of documents, as stored: no topics are computed or assigned.

    Args:
        folder: The corpus folder.
        doc_ids: The documents.
    """
    import pandas as pd

    of: dict[str, int] = {}
    with contextlib.suppress(CorpusError):
        of = kept_topics.topics_of(room_of(folder))
    return {"topic": pd.array([of.get(doc_id) for doc_id in doc_ids], dtype="Int32")}


def _central(vectors: Vectors, rows: npt.NDArray[np.int64], n: int) -> tuple[list[str], list[float]]:
    """The documents nearest to the middle of some, and their cosines with it."""
    if not len(rows):
        return [], []
    some = vectors.matrix[rows]
    near = cosines_of(some, unit(some.mean(axis=0, keepdims=True)))[:, 0]
    best = np.argsort(-near, kind="stable")[:n]
    return [vectors.doc_ids[row] for row in rows[best]], [float(one) for one in near[best]]
