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


class AnnotatorLabel(NamedTuple):
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
        target: A doc_id, a URL or a host.
        kind: Kind of the target: document, url or host.
        label: Label by the rule of the corpus. None in a tie.
        annotators: Number of annotators who labelled the target.
        agreement: Share of the annotators who chose the most frequent label.
        is_group_label: True if the target was labelled only as a member of a group, never individually.
    """

    target: str
    kind: Kind
    label: str | None
    annotators: int
    agreement: float
    is_group_label: bool = False


def aggregate_votes(votes: Sequence[tuple[str, str]], settings: LabelSettings) -> tuple[str | None, int, float]:
    """Return the label of a target, the number of annotators, and the share of the most frequent label.

    The label is None in a tie.

    ``majority`` picks the most frequent label. If ``unsure`` ties with one other label, the other label wins. Any other
    tie has no label. ``latest`` picks the last label. ``adjudicator`` picks the label of the adjudicator, and the majority
    if the adjudicator has not labelled the target.

    Args:
        votes: (annotator, label) pairs, one per annotator, latest last. At least one.
        settings: The rule.

    Example:
        >>> aggregate_votes([("ann", "relevant"), ("bob", "other"), ("eve", "other")], LabelSettings())
        ('other', 3, 0.6666666666666666)
    """
    annotators = len(votes)
    if len({label for _, label in votes}) == 1:
        return votes[0][1], annotators, 1.0
    counts = Counter(label for _, label in votes)
    max_count = max(counts.values())
    agreement = max_count / annotators
    if settings.rule == "latest":
        return votes[-1][1], annotators, agreement
    if settings.rule == "adjudicator":
        for by, label in votes:
            if by == settings.adjudicator:
                return label, annotators, agreement
    top = [label for label, count in counts.items() if count == max_count]
    if len(top) > 1:
        top = [label for label in top if label != UNSURE]
    return (top[0] if len(top) == 1 else None), annotators, agreement


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
        self.annotator_labels: list[AnnotatorLabel] = list(map(AnnotatorLabel._make, rows))
        """Labels by people and machines, oldest first."""
        self.by_people: dict[Kind, list[AnnotatorLabel]] = {kind: [] for kind in KINDS}
        """Labels by people, by kind of target."""
        for row in self.annotator_labels:
            if row.kind in KINDS and not is_machine(row.by):  # other programs can write any kind into a catalog
                self.by_people[row.kind].append(row)
        self._decided: dict[Kind, list[CorpusLabel]] = {}

    def labels(self, kind: Kind | None = None) -> list[CorpusLabel]:
        """Return the label of each labelled target, by the rule of corpus.toml. Machines have no vote.

        A label of a group counts for a document only if nobody labelled the document individually.

        Args:
            kind: Kind of the targets. None: all kinds.
        """
        kinds = (kind,) if kind else KINDS
        for each_kind in kinds:
            if each_kind not in self._decided:
                self._decided[each_kind] = list(self._decide(each_kind, self._folder.settings.labels))
        return [label for each_kind in kinds for label in self._decided[each_kind]]

    @cached_property
    def audited(self) -> set[str]:
        """Documents that people labelled in an audit. Labels of machines do not count in audits."""
        return {row.target for row in self.by_people["document"] if row.origin == "audit"}

    @cached_property
    def groups(self) -> dict[str, list[tuple[str, str]]]:
        """Document → groups (by, when) that it was labelled with. Documents with an individual label are left out."""
        rows = self.by_people["document"]
        individually_labelled = {row.target for row in rows if row.origin != "group"}
        groups: dict[str, list[tuple[str, str]]] = {}
        for row in rows:
            if row.target not in individually_labelled:
                groups.setdefault(row.target, []).append((row.by, row.when))
        return groups

    def _decide(self, kind: Kind, settings: LabelSettings) -> Iterator[CorpusLabel]:
        rows = self.by_people[kind]
        group_labelled = self.groups.keys() if kind == "document" else set()
        if group_labelled:
            rows = [row for row in rows if row.origin != "group" or row.target in group_labelled]
        # Most targets have one annotator. A list for each of 100,000 targets doubled the time.
        first: dict[str, AnnotatorLabel] = {}
        several: dict[str, list[tuple[str, str]]] = {}
        for row in rows:
            known = first.setdefault(row.target, row)
            if known is not row:
                several.setdefault(row.target, [(known.by, known.label)]).append((row.by, row.label))
        for target, row in first.items():
            if votes := several.get(target):
                yield CorpusLabel(target, kind, *aggregate_votes(votes, settings), target in group_labelled)
            else:
                yield CorpusLabel(target, kind, row.label, 1, 1.0, target in group_labelled)


_held: ContextVar[tuple[CorpusFolder, LabelSnapshot] | None] = ContextVar("held", default=None)


@contextmanager
def hold_labels(folder: CorpusFolder) -> Iterator[LabelSnapshot]:
    """Read the labels once and use that snapshot inside ``with``. Labels added meanwhile are not seen.

    Args:
        folder: The corpus folder.
    """
    snapshot = current_snapshot(folder)
    token = _held.set((folder, snapshot))
    try:
        yield snapshot
    finally:
        _held.reset(token)


def current_snapshot(folder: CorpusFolder) -> LabelSnapshot:
    """Return the snapshot held by :func:`hold_labels`, or a new one.

    Args:
        folder: The corpus folder.
    """
    held = _held.get()
    return held[1] if held is not None and held[0] is folder else LabelSnapshot(folder)


def corpus_labels(folder: CorpusFolder, kind: Kind | None = None) -> list[CorpusLabel]:
    """Return the label of each labelled target, see :meth:`LabelSnapshot.labels`.

    Args:
        folder: The corpus folder.
        kind: Kind of the targets. None: all kinds.
    """
    return current_snapshot(folder).labels(kind)


def audited(folder: CorpusFolder) -> set[str]:
    """Return the documents that people labelled in an audit, see :attr:`LabelSnapshot.audited`.

    Args:
        folder: The corpus folder.
    """
    return current_snapshot(folder).audited
