"""Documents that an annotator can be asked to label: ties, the overlap of all annotators, and unlabelled documents."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.labels.duplicates import DuplicateGroups
from corpuskit.labels.snapshot import CorpusLabel, hold_labels
from corpuskit.labels.training_examples import labels_by_annotator
from corpuskit.store import CorpusFolder

OVERLAP: Final = 0.1
"""Default share of the documents that every annotator is asked to label."""


@dataclass(frozen=True, slots=True)
class AnnotationPool:
    """Documents that an annotator can be asked to label, each in one of three lists, by host and URI.

    Of duplicates (documents with the same main text) only the one with the shortest URI is asked, and none if any of them
    has a label.

    Attributes:
        disputed: Documents with tied labels. For an adjudicator: all documents with different labels.
        shared: Documents that others labelled and that belong to the overlap of all annotators.
        free: Documents without an individual label, for themselves and for their duplicates.
        left_to_others: Number of documents that others labelled and this annotator is not asked.
    """

    disputed: Sequence[str]
    shared: Sequence[str]
    free: Sequence[str]
    left_to_others: int

    def without(self, exclude: Set[str]) -> AnnotationPool:
        """Return the pool without some documents.

        Args:
            exclude: Documents to leave out.
        """
        disputed, shared, free = (
            [doc_id for doc_id in part if doc_id not in exclude] for part in (self.disputed, self.shared, self.free)
        )
        return AnnotationPool(disputed, shared, free, self.left_to_others)


def annotation_pool(folder: CorpusFolder, by: str | None = None, *, overlap: float = OVERLAP) -> AnnotationPool:
    """Return the documents that an annotator can be asked to label.

    Args:
        folder: The corpus folder.
        by: The annotator. None: any annotator. Then no documents are shared, and all ties are disputed.
        overlap: Share of the documents that every annotator is asked to label, 0 to 1.

    Raises:
        ConfigurationError: The overlap is not between 0 and 1.
    """
    if not 0.0 <= overlap <= 1.0:
        raise ConfigurationError(f"found overlap={overlap}, expected a share from 0 to 1")
    with hold_labels(folder) as snapshot:
        labels = {label.target: label for label in snapshot.labels("document") if not label.is_group_label}
        own_labels = labels_by(folder, by) if by is not None else {}
    duplicates = DuplicateGroups(folder)
    labelled_groups, own_groups = duplicates.keys(labels), duplicates.keys(own_labels)
    disputed, shared, free, left_to_others = [], [], [], 0
    for doc_id in duplicates.doc_ids:
        label = labels.get(doc_id)
        if label is None:
            if duplicates.key(doc_id) not in labelled_groups and duplicates.is_representative(doc_id):
                free.append(doc_id)
        elif duplicates.key(doc_id) in own_groups:
            continue
        elif _is_disputed(folder, label, by):
            disputed.append(doc_id)
        elif by is not None and _is_for_everyone(doc_id, overlap):
            shared.append(doc_id)
        else:
            left_to_others += 1
    return AnnotationPool(disputed, shared, free, left_to_others)


def labels_by(folder: CorpusFolder, by: str) -> dict[str, str]:
    """Return document → label by one annotator. Labels of groups are left out: these documents can be asked again.

    Args:
        folder: The corpus folder.
        by: The annotator.
    """
    return labels_by_annotator(folder, machines=True).get(by, {})


def _is_disputed(folder: CorpusFolder, label: CorpusLabel, by: str | None) -> bool:
    settings = folder.settings.labels
    if by is not None and settings.rule == "adjudicator":
        return by == settings.adjudicator and label.agreement < 1.0
    return label.label is None


def _is_for_everyone(doc_id: str, share: float) -> bool:
    # Not the checksum of sample(): the first documents drawn by it would all belong to the overlap.
    return int.from_bytes(hashlib.blake2b(doc_id.encode(), digest_size=8).digest()) < share * 2**64
