"""What to ask whom: ties, a share of the documents for everyone, and what nobody has labelled."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.labels.copies import Copies
from corpuskit.labels.judgements import by_annotator
from corpuskit.labels.snapshot import CorpusLabel, holding_labels
from corpuskit.store import CorpusFolder

OVERLAP: Final = 0.1
"""The share of the documents that every annotator is asked, unless another is named."""


@dataclass(frozen=True, slots=True)
class Questions:
    """The documents that one annotator can be asked, each in one of three lists, by host and URI.

    Of copies, documents with the same main text, one is asked: the one with the shortest URI; none once one has a label.

    Attributes:
        disputed: annotators are tied on them; an adjudicator is asked all on which any two differ.
        shared: others labelled them, and they are of the share that everyone is asked.
        free: nobody has labelled them or a copy of them, or only with a group.
        left_to_others: how many others labelled that this one is not asked.
    """

    disputed: Sequence[str]
    shared: Sequence[str]
    free: Sequence[str]
    left_to_others: int

    def without(self, taken: Set[str]) -> Questions:
        """Return the questions that are not taken.

        Args:
            taken: Documents that are taken.
        """
        disputed, shared, free = (
            [doc_id for doc_id in part if doc_id not in taken] for part in (self.disputed, self.shared, self.free)
        )
        return Questions(disputed, shared, free, self.left_to_others)


def questions(folder: CorpusFolder, by: str | None = None, *, overlap: float = OVERLAP) -> Questions:
    """Return what an annotator can be asked.

    Args:
        folder: the corpus.
        by: who is asked; None: anybody, then nothing is shared, and ties are disputed whoever made them.
        overlap: the share of the documents that everyone is asked, 0 to 1.

    Raises:
        ConfigurationError: the overlap is no share.
    """
    if not 0.0 <= overlap <= 1.0:
        raise ConfigurationError(f"found overlap={overlap}, expected a share from 0 to 1")
    with holding_labels(folder) as snapshot:
        labels = {label.target: label for label in snapshot.labels("document") if not label.is_guess}
        own = labels_of(folder, by) if by is not None else {}
    copies = Copies(folder)
    labelled, answered = copies.groups(labels), copies.groups(own)
    disputed, shared, free, left = [], [], [], 0
    for doc_id in copies.doc_ids:
        label = labels.get(doc_id)
        if label is None:
            if copies.of(doc_id) not in labelled and copies.is_first(doc_id):
                free.append(doc_id)
        elif copies.of(doc_id) in answered:
            continue
        elif _is_disputed(folder, label, by):
            disputed.append(doc_id)
        elif by is not None and _is_for_everyone(doc_id, overlap):
            shared.append(doc_id)
        else:
            left += 1
    return Questions(disputed, shared, free, left)


def labels_of(folder: CorpusFolder, by: str) -> dict[str, str]:
    """Return document → label of one annotator; of those that were labelled with a group none, they can be asked.

    Args:
        folder: The corpus folder.
        by: The annotator.
    """
    return by_annotator(folder, machines=True).get(by, {})


def _is_disputed(folder: CorpusFolder, label: CorpusLabel, by: str | None) -> bool:
    settings = folder.settings.labels
    if by is not None and settings.rule == "adjudicator":
        return by == settings.adjudicator and label.agreement < 1.0
    return label.label is None


def _is_for_everyone(doc_id: str, share: float) -> bool:
    # Not by the checksum that random draws go by: the first of these would all be in the share.
    return int.from_bytes(hashlib.blake2b(doc_id.encode(), digest_size=8).digest()) < share * 2**64
