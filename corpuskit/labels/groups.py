"""Labels that a group of documents got at once: how much less than labels of documents that somebody looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import sqrt

from corpuskit.labels.snapshot import snapshot_of
from corpuskit.store import CorpusFolder


def example_weights(folder: CorpusFolder, doc_ids: Iterable[str]) -> dict[str, float]:
    """Return what documents count in a training that were labelled with a group: below 1; all others count 1 each.

    A group of n counts as the root of n in all. Who labels a group has judged once, or n times: what it is worth lies
    between 1 and n examples, by how alike the errors in it are, which nobody knows. The root is the middle of the two by
    ratio, as far above the least as below the most. In terms of surveys (Kish 1965, Survey Sampling, 5.4) a cluster of n
    is worth n / (1 + (n - 1) r); the root is r = 1 / (1 + sqrt(n)), a third in a group of 4, a tenth in one of 81.

    Args:
        folder: the corpus.
        doc_ids: the examples; a group counts by those of its documents that are among them.

    Returns:
        Document → weight, of the documents that were labelled with a group alone.
    """
    groups = snapshot_of(folder).groups
    members = {doc_id: groups[doc_id] for doc_id in doc_ids if doc_id in groups}
    size = Counter(group for some in members.values() for group in some)
    return {doc_id: 1.0 / sqrt(min(size[group] for group in some)) for doc_id, some in members.items()}
