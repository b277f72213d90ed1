"""The label of the corpus for each target, from those of all annotators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from corpuskit.labels.rule import decide
from corpuskit.store import CorpusFolder
from corpuskit.store.labels import KINDS, MACHINE, WITHDRAWN, Kind

AUDIT_NOTE: Final = "audit"
"""How the note of labels begins that certify a model; they are not trained on."""
_AUDIT_OF: Final = f"{AUDIT_NOTE} of "
GROUP_NOTE: Final = "map"
"""The note of labels that many documents got at once, without a look at each."""


class CorpusLabel(NamedTuple):
    """What the corpus says of a target.

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


def corpus_labels(folder: CorpusFolder, kind: Kind | None = None) -> list[CorpusLabel]:
    """Return the label of each target that somebody has labelled, by the rule of corpus.toml; machines have no vote.

    A label that a document got with its group counts only where nobody has looked at the document by itself.

    Args:
        folder: the corpus.
        kind: only targets of this kind; None: of all.
    """
    folder.labels.refresh()
    return [label for one in ((kind,) if kind else KINDS) for label in _of_kind(folder, one)]


def _of_kind(folder: CorpusFolder, kind: Kind) -> Iterator[CorpusLabel]:
    settings = folder.settings.labels
    rows = folder.catalog.tuples(
        "SELECT target, by, label, note IS ? AND kind = 'document' FROM labels "
        "WHERE NOT superseded AND label <> ? AND kind = ? AND substr(by, 1, ?) <> ? ORDER BY id",
        (GROUP_NOTE, WITHDRAWN, kind, len(MACHINE), MACHINE),
    )
    guessed: set[str] = {target for target, _, _, is_guess in rows if is_guess}
    if guessed:
        guessed -= {target for target, _, _, is_guess in rows if not is_guess}
        rows = [row for row in rows if not row[3] or row[0] in guessed]
    # Most targets have one annotator: a list for each of 100,000 took twice the time.
    first: dict[str, tuple[str, str, str, int]] = {}
    several: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        known = first.setdefault(row[0], row)
        if known is not row:
            several.setdefault(row[0], [known[1:3]]).append(row[1:3])
    for target, _, label, _ in first.values():
        votes = several.get(target)
        if votes is None:
            yield CorpusLabel(target, kind, label, 1, 1.0, target in guessed)
        else:
            yield CorpusLabel(target, kind, *decide(votes, settings), target in guessed)


def audited(folder: CorpusFolder) -> set[str]:
    """Return the documents that somebody labelled to certify a model; what a machine notes is no audit.

    Args:
        folder: The corpus folder.
    """
    folder.labels.refresh()
    rows = folder.catalog.tuples(
        "SELECT target FROM labels WHERE NOT superseded AND label <> ? AND kind = 'document' "
        "AND (note = ? OR substr(note, 1, ?) = ?) AND substr(by, 1, ?) <> ?",
        (WITHDRAWN, AUDIT_NOTE, len(_AUDIT_OF), _AUDIT_OF, len(MACHINE), MACHINE),
    )
    return {target for (target,) in rows}
