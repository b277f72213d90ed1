"""Current labels of a corpus at one moment, and the label of the corpus for each target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Final, NamedTuple

from corpuskit.store import CorpusFolder, LabelSettings
from corpuskit.store.labels import KINDS, WITHDRAWN, Kind, Origin, is_machine

UNSURE: Final = "unsure"


class GivenLabel(NamedTuple):
    """The current label of a target by one annotator; see :class:`corpuskit.store.labels.Label`."""

    target: str
    kind: Kind
    by: str
    label: str
    when: str
    origin: Origin
    note: str | None


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


def decide(votes: Sequence[tuple[str, str]], settings: LabelSettings) -> tuple[str | None, int, float]:
    """Return the label that counts, how many annotators there are, and the share of them who gave the most frequent one.

    The label is None in a tie.

    ``majority``: the most frequent label. ``unsure`` gives way to another label that is as frequent; two other labels
    that are as frequent are a tie. ``latest``: the last label. ``adjudicator``: the label of the adjudicator, and the
    majority as long as there is none.

    Args:
        votes: (annotator, label), one of each annotator, the latest last; at least one.
        settings: the rule.

    Example:
        >>> decide([("ann", "relevant"), ("bob", "other"), ("eve", "other")], LabelSettings())
        ('other', 3, 0.6666666666666666)
    """
    annotators = len(votes)
    if len({label for _, label in votes}) == 1:
        return votes[0][1], annotators, 1.0
    counts = Counter(label for _, label in votes)
    most = max(counts.values())
    agreement = most / annotators
    if settings.rule == "latest":
        return votes[-1][1], annotators, agreement
    if settings.rule == "adjudicator":
        for by, label in votes:
            if by == settings.adjudicator:
                return label, annotators, agreement
    first = [label for label, count in counts.items() if count == most]
    if len(first) > 1:
        first = [label for label in first if label != UNSURE]
    return (first[0] if len(first) == 1 else None), annotators, agreement


class LabelSnapshot:
    """The current labels of a corpus, read by one query.

    Args:
        folder: The corpus folder.
    """

    def __init__(self, folder: CorpusFolder) -> None:
        folder.labels.refresh()
        self._folder = folder
        rows = folder.catalog.tuples(
            'SELECT target, kind, by, label, "when", origin, note FROM labels WHERE NOT superseded AND label <> ? ORDER BY id',
            (WITHDRAWN,),
        )
        self.given: list[GivenLabel] = list(map(GivenLabel._make, rows))
        """Labels of people and machines, in the order in which they were given."""
        self.by_people: dict[Kind, list[GivenLabel]] = {kind: [] for kind in KINDS}
        """Labels of people for each kind of target."""
        for row in self.given:
            if row.kind in KINDS and not is_machine(row.by):  # a catalog written by others may hold anything
                self.by_people[row.kind].append(row)
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
        return {row.target for row in self.by_people["document"] if row.origin == "audit"}

    @cached_property
    def groups(self) -> dict[str, list[tuple[str, str]]]:
        """Document → the groups (by, when) with which it was labelled; none of those that somebody looked at by themselves."""
        rows = self.by_people["document"]
        looked_at = {row.target for row in rows if row.origin != "group"}
        found: dict[str, list[tuple[str, str]]] = {}
        for row in rows:
            if row.target not in looked_at:
                found.setdefault(row.target, []).append((row.by, row.when))
        return found

    def _decide(self, kind: Kind, settings: LabelSettings) -> Iterator[CorpusLabel]:
        rows = self.by_people[kind]
        guessed = self.groups.keys() if kind == "document" else set()
        if guessed:
            rows = [row for row in rows if row.origin != "group" or row.target in guessed]
        # Most targets have one annotator: a list for each of 100,000 took twice the time.
        first: dict[str, GivenLabel] = {}
        several: dict[str, list[tuple[str, str]]] = {}
        for row in rows:
            known = first.setdefault(row.target, row)
            if known is not row:
                several.setdefault(row.target, [(known.by, known.label)]).append((row.by, row.label))
        for target, row in first.items():
            if votes := several.get(target):
                yield CorpusLabel(target, kind, *decide(votes, settings), target in guessed)
            else:
                yield CorpusLabel(target, kind, row.label, 1, 1.0, target in guessed)


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
