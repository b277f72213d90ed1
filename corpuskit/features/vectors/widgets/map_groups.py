"""Bulk labels for groups of documents: one action and one undo per group, saved before confirmation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from corpuskit.store import CorpusFolder
from corpuskit.store.labels import WITHDRAWN, Origin

_MAX_UNDO: Final = 1_000  # actions that can be undone


@dataclass(frozen=True, slots=True)
class GroupResult:
    """Result of labelling a group.

    Attributes:
        label: The label.
        saved: Number of documents labelled.
        unchanged: Number of documents with an individual label of this annotator.
    """

    label: str
    saved: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class _Act:
    """A bulk label with the previous bulk label of each document, or None."""

    label: str
    before: dict[str, str | None]


class GroupLabels:
    """Bulk labels of one annotator.

    Individual labels of this annotator are not replaced: they are more reliable than bulk labels.

    Args:
        folder: The corpus.
        by: Name of the annotator.
    """

    def __init__(self, folder: CorpusFolder, by: str) -> None:
        self._folder = folder
        self._by = by
        self._acts: dict[object, _Act] = {}

    def give(self, key: object, doc_ids: Sequence[str], label: str) -> GroupResult:
        """Label documents as one group. The key identifies the action for ``take_back``."""
        own = self._own()
        known = self._versions()
        asked = [doc_id for doc_id in dict.fromkeys(doc_ids) if doc_id in known]
        group = [doc_id for doc_id in asked if own.get(doc_id, ("", True))[1]]
        before = {doc_id: own[doc_id][0] if doc_id in own else None for doc_id in group}
        self._save(dict.fromkeys(group, label), known, dict.fromkeys(group, "group"))
        self._acts[key] = _Act(label, before)
        while len(self._acts) > _MAX_UNDO:
            del self._acts[next(iter(self._acts))]
        return GroupResult(label, len(group), len(asked) - len(group))

    def last(self) -> object | None:
        """Return the key of the last action that can be undone, or None."""
        return next(reversed(self._acts), None)

    def take_back(self, key: object) -> int:
        """Restore the previous labels of a group and return their number. Documents with a newer label are skipped."""
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
        """Return the present labels of this annotator: document → label, and whether it is a bulk label."""
        self._folder.labels.refresh()
        rows = self._folder.catalog.tuples(
            "SELECT target, label, origin = 'group' FROM labels WHERE NOT superseded AND kind = 'document' AND label <> ? AND by = ?",
            (WITHDRAWN, self._by),
        )
        return {target: (label, bool(is_guess)) for target, label, is_guess in rows}
