"""Labels as they are at one moment, and the label of the corpus for each target."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import NamedTuple

from corpuskit.labels.rule import decide
from corpuskit.store import CorpusFolder
from corpuskit.store.labels import KINDS, MACHINE, WITHDRAWN, Kind, Origin
from corpuskit.store.settings import LabelSettings

_Row = tuple[str, Kind, str, str, str, Origin]  # target, kind, by, label, when, origin


class CorpusLabel(NamedTuple):
    """The label of the corpus for a target.

    Attributes:
        target: a doc_id, a URL or a host.
        kind: which of them.
        label: by the corpus' rule; None where the annotators' labels are tied.
        annotators: how many have labelled it.
        agreement: the share of them who gave the most frequent label.
        is_guess: all of them gave it to a group of documents, without a look at each.
    """

    target: str
    kind: Kind
    label: str | None
    annotators: int
    agreement: float
    is_guess: bool = False


class LabelSnapshot:
    """The current labels of a corpus, read by one query.

    Args:
        folder: The corpus folder.
    """

    def __init__(self, folder: CorpusFolder) -> None:
        folder.labels.refresh()
        self._folder = folder
        rows: list[_Row] = folder.catalog.tuples(
            'SELECT target, kind, by, label, "when", origin FROM labels WHERE NOT superseded AND label <> ? ORDER BY id',
            (WITHDRAWN,),
        )
        self._by_people: dict[Kind, list[_Row]] = {kind: [] for kind in KINDS}
        self.by_machines: list[_Row] = []
        """Labels of machines: target, kind, by, label, when, origin."""
        for row in rows:
            if row[2].startswith(MACHINE):
                self.by_machines.append(row)
            elif row[1] in self._by_people:  # a catalog written by others may hold anything
                self._by_people[row[1]].append(row)
        self._decided: dict[Kind, list[CorpusLabel]] = {}

    def labels(self, kind: Kind | None = None) -> list[CorpusLabel]:
        """Return the label of each target that somebody has labelled, by the rule of corpus.toml; machines have no vote.

        A label that a document got with its group counts only where nobody has looked at the document by itself.

        Args:
            kind: only targets of this kind; None: of all.
        """
        for one in (kind,) if kind else KINDS:
            if one not in self._decided:
                self._decided[one] = list(self._decide(one, self._folder.settings.labels))
        return [label for one in ((kind,) if kind else KINDS) for label in self._decided[one]]

    @cached_property
    def audited(self) -> set[str]:
        """The documents that somebody labelled to certify a model; labels of machines certify none."""
        return {target for target, _, _, _, _, origin in self._by_people["document"] if origin == "audit"}

    @cached_property
    def groups(self) -> dict[str, list[tuple[str, str]]]:
        """Document → the groups (by, when) with which it was labelled; none of those that somebody looked at by themselves."""
        rows = self._by_people["document"]
        looked_at = {target for target, _, _, _, _, origin in rows if origin != "group"}
        found: dict[str, list[tuple[str, str]]] = {}
        for target, _, by, _, when, _ in rows:
            if target not in looked_at:
                found.setdefault(target, []).append((by, when))
        return found

    def _decide(self, kind: Kind, settings: LabelSettings) -> Iterator[CorpusLabel]:
        rows = self._by_people[kind]
        guessed = self.groups.keys() if kind == "document" else set()
        if guessed:
            rows = [row for row in rows if row[5] != "group" or row[0] in guessed]
        # Most targets have one annotator: a list for each of 100,000 took twice the time.
        first: dict[str, _Row] = {}
        several: dict[str, list[tuple[str, str]]] = {}
        for row in rows:
            known = first.setdefault(row[0], row)
            if known is not row:
                several.setdefault(row[0], [known[2:4]]).append(row[2:4])
        for target, _, _, label, _, _ in first.values():
            votes = several.get(target)
            if votes is None:
                yield CorpusLabel(target, kind, label, 1, 1.0, target in guessed)
            else:
                yield CorpusLabel(target, kind, *decide(votes, settings), target in guessed)


_held: ContextVar[tuple[CorpusFolder, LabelSnapshot] | None] = ContextVar("held", default=None)


@contextmanager
def holding_labels(folder: CorpusFolder) -> Iterator[LabelSnapshot]:
    """Use one snapshot of the labels inside ``with``: they are read once, and labels given meanwhile do not count.

    Args:
        folder: The corpus folder.
    """
    snapshot = snapshot_of(folder)
    token = _held.set((folder, snapshot))
    try:
        yield snapshot
    finally:
        _held.reset(token)


def snapshot_of(folder: CorpusFolder) -> LabelSnapshot:
    """Return the snapshot held by :func:`holding_labels`, or a new one.

    Args:
        folder: The corpus folder.
    """
    held = _held.get()
    return held[1] if held is not None and held[0] is folder else LabelSnapshot(folder)


def corpus_labels(folder: CorpusFolder, kind: Kind | None = None) -> list[CorpusLabel]:
    """Return the label of each target that somebody has labelled, see :meth:`LabelSnapshot.labels`.

    Args:
        folder: the corpus.
        kind: only targets of this kind; None: of all.
    """
    return snapshot_of(folder).labels(kind)


def audited(folder: CorpusFolder) -> set[str]:
    """Return the documents that somebody labelled to certify a model, see :attr:`LabelSnapshot.audited`.

    Args:
        folder: The corpus folder.
    """
    return snapshot_of(folder).audited
