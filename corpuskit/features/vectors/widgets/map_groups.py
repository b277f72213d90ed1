"""Labels for groups of documents: one act for all of them, one undo, on the disk before they are acknowledged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from corpuskit.store import CorpusFolder
from corpuskit.store.labels import WITHDRAWN, Origin

_MOST_ACTS: Final = 1_000  # that can be taken back


@dataclass(frozen=True, slots=True)
class Given:
    """What came of labelling a group.

    Attributes:
        label: the label.
        saved: how many documents got it.
        kept: how many have a label of this annotator that they got by themselves, and keep it.
    """

    label: str
    saved: int
    kept: int


@dataclass(frozen=True, slots=True)
class _Act:
    """A label and what each document of its group was labelled with before: by its group, or not at all."""

    label: str
    before: dict[str, str | None]


class GroupLabels:
    """The groups that one annotator labels.

    A document that this annotator has looked at, in the labeller, in an audit or by code, keeps its label: a look at one
    says more than a circle around many.

    Args:
        folder: the corpus.
        by: whose labels these are.
    """

    def __init__(self, folder: CorpusFolder, by: str) -> None:
        self._folder = folder
        self._by = by
        self._acts: dict[object, _Act] = {}

    def give(self, key: object, doc_ids: Sequence[str], label: str) -> Given:
        """Labels documents as one group, under a key by which that can be taken back."""
        own = self._own()
        known = self._versions()
        asked = [doc_id for doc_id in dict.fromkeys(doc_ids) if doc_id in known]
        group = [doc_id for doc_id in asked if own.get(doc_id, ("", True))[1]]
        before = {doc_id: own[doc_id][0] if doc_id in own else None for doc_id in group}
        self._save(dict.fromkeys(group, label), known, dict.fromkeys(group, "group"))
        self._acts[key] = _Act(label, before)
        while len(self._acts) > _MOST_ACTS:
            del self._acts[next(iter(self._acts))]
        return Given(label, len(group), len(asked) - len(group))

    def last(self) -> object | None:
        """The key of the last act that can be taken back; None where there is none."""
        return next(reversed(self._acts), None)

    def take_back(self, key: object) -> int:
        """Gives all documents of a group what they had before, but those labelled otherwise since; returns how many."""
        act = self._acts.get(key)
        if act is None:
            return 0
        own, known = self._own(), self._versions()
        back = {doc_id: before for doc_id, before in act.before.items() if own.get(doc_id) == (act.label, True)}
        labels = {doc_id: before or WITHDRAWN for doc_id, before in back.items() if doc_id in known}
        self._save(labels, known, {doc_id: "group" for doc_id in labels if back[doc_id]})
        del self._acts[key]
        return len(labels)

    def _save(self, labels: dict[str, str], versions: dict[str, int], origin: Mapping[str, Origin]) -> None:
        rows = [(doc_id, "document", label) for doc_id, label in labels.items()]
        self._folder.labels.add(rows, by=self._by, note="map", versions=versions, origin=origin)  # type: ignore[arg-type]

    def _versions(self) -> dict[str, int]:
        return dict(self._folder.catalog.tuples("SELECT doc_id, version FROM current"))

    def _own(self) -> dict[str, tuple[str, bool]]:
        """What this annotator says now: document → label, and whether it came with a group."""
        self._folder.labels.refresh()
        rows = self._folder.catalog.tuples(
            "SELECT target, label, origin = 'group' FROM labels WHERE NOT superseded AND kind = 'document' AND label <> ? AND by = ?",
            (WITHDRAWN, self._by),
        )
        return {target: (label, bool(is_guess)) for target, label, is_guess in rows}
