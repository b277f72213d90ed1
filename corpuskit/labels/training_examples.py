"""Training labels of documents and URLs: labels by annotators, plus labels of whole hosts applied to their pages."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import sqrt
from typing import Final

from corpuskit.labels.duplicates import DuplicateGroups
from corpuskit.labels.snapshot import UNSURE, CorpusLabel, corpus_labels, current_snapshot
from corpuskit.store import CorpusFolder
from corpuskit.store.labels import is_machine

_MAX_PER_HOST: Final = 20  # examples from the label of a host: a large site must not outweigh the individual labels


def training_labels(
    folder: CorpusFolder,
    *,
    positive: str = "relevant",
    copies: bool = False,
    groups: bool = True,
    known: DuplicateGroups | None = None,
) -> dict[str, str]:
    """Return the training labels of documents: doc_id → ``relevant`` or ``other``.

    The label of a document takes precedence over the label of its host. Audit labels, ties and ``unsure`` are not used. The
    label of a host is applied to at most twenty of its unlabelled documents. Duplicates (documents with the same main text)
    are one example, and none if their labels contradict each other.

    Args:
        folder: The corpus folder.
        positive: The positive class. If it is not ``relevant``, all other classes are ``other``.
        copies: Return all labelled duplicates.
        groups: Include documents that were labelled only with a group, see :func:`corpuskit.labels.example_weights`.
        known: Duplicate groups of the corpus, if already read.
    """
    snapshot = current_snapshot(folder)
    labels = snapshot.labels()
    document_labels = {label.target: label for label in labels if label.kind == "document"}
    audited = snapshot.audited
    duplicates = known or DuplicateGroups(folder)
    examples = {
        target: side
        for target, label in document_labels.items()
        if target in duplicates.hosts
        and target not in audited
        and (groups or not label.is_group_label)
        and (side := _binary_label(label, positive))
    }
    if not copies:
        individually_labelled = duplicates.keys(
            target for target in examples if not document_labels[target].is_group_label
        )
        examples = {
            d: side
            for d, side in examples.items()
            if not document_labels[d].is_group_label or duplicates.key(d) not in individually_labelled
        }
        examples = _without_contradictions(duplicates, examples)
    for host, host_label in _host_labels(labels, positive).items():
        unlabelled = sample(
            (d for d, at in duplicates.hosts.items() if at == host and d not in document_labels), len(duplicates.hosts)
        )
        examples |= dict.fromkeys(
            duplicates.deduplicate(unlabelled, duplicates.keys([*document_labels, *examples]))[:_MAX_PER_HOST],
            host_label,
        )
    return examples


def _without_contradictions(groups: DuplicateGroups, examples: dict[str, str]) -> dict[str, str]:
    """Return one document per group of duplicates, without groups of contradicting labels."""
    sides: dict[Hashable, set[str]] = {}
    for doc_id, side in examples.items():
        sides.setdefault(groups.key(doc_id), set()).add(side)
    return {
        doc_id: examples[doc_id]
        for doc_id in groups.deduplicate(sorted(examples))
        if len(sides[groups.key(doc_id)]) == 1
    }


def example_weights(folder: CorpusFolder, doc_ids: Iterable[str]) -> dict[str, float]:
    """Return the training weights of documents that were labelled only with a group. Each is below 1.

    A group of n documents has a total weight of sqrt(n). A group label is one decision about n documents, so its worth is
    between 1 and n examples, depending on the unknown correlation of its errors. The square root is the geometric mean of
    both limits. In terms of cluster sampling (Kish 1965, Survey Sampling, 5.4) the effective sample size is
    n / (1 + (n - 1) r). The square root corresponds to r = 1 / (1 + sqrt(n)): a third in a group of 4, a tenth in one of 81.

    Args:
        folder: The corpus folder.
        doc_ids: The examples. Only these documents count towards the size of a group.

    Returns:
        Document → weight. Documents with an individual label are left out and weigh 1.
    """
    groups = current_snapshot(folder).groups
    members = {doc_id: groups[doc_id] for doc_id in doc_ids if doc_id in groups}
    size = Counter(group for of_document in members.values() for group in of_document)
    return {doc_id: 1.0 / sqrt(min(size[group] for group in of_document)) for doc_id, of_document in members.items()}


def training_url_labels(
    folder: CorpusFolder,
    documents: Mapping[str, str],
    *,
    positive: str = "relevant",
    known: DuplicateGroups | None = None,
) -> dict[str, str]:
    """Return the training labels of URLs: URL → ``relevant`` or ``other``.

    These are the URLs of labelled documents, labelled URLs, and up to twenty queued URLs per labelled host.

    Args:
        folder: The corpus folder.
        documents: Training labels of documents.
        positive: The positive class.
        known: Duplicate groups of the corpus, if already read.
    """
    duplicates = known or DuplicateGroups(folder)
    examples = {
        uri: documents[doc_id]
        for doc_id, uri in duplicates.uris.items()
        if doc_id in documents and duplicates.hosts[doc_id]
    }
    labels = corpus_labels(folder)
    for host, host_label in _host_labels(labels, positive).items():
        urls = [row["url"] for row in folder.catalog.rows("SELECT url FROM frontier WHERE host = ?", (host,))]
        examples |= dict.fromkeys(sample((url for url in urls if url not in examples), _MAX_PER_HOST), host_label)
    return examples | {
        label.target: side for label in labels if label.kind == "url" and (side := _binary_label(label, positive))
    }


def sample(names: Iterable[str], n: int) -> list[str]:
    """Return up to ``n`` names drawn by checksum: a reproducible sample that does not depend on the order of the names.

    Args:
        names: The names.
        n: Maximum number of names.
    """
    return sorted(sorted(names, key=lambda name: (zlib.crc32(name.encode()), name))[: max(0, n)])


def labels_by_annotator(
    folder: CorpusFolder, *, machines: bool = False, groups: bool = False
) -> dict[str, dict[str, str]]:
    """Return annotator → document → latest label.

    Args:
        folder: The corpus folder.
        machines: Include labels by machines.
        groups: Include labels that documents got only as members of a group.
    """
    labels: dict[str, dict[str, str]] = {}
    for row in current_snapshot(folder).annotator_labels:
        if row.kind == "document" and (groups or row.origin != "group") and (machines or not is_machine(row.by)):
            labels.setdefault(row.by, {})[row.target] = row.label
    return labels


def _host_labels(labels: Sequence[CorpusLabel], positive: str) -> dict[str, str]:
    return {label.target: side for label in labels if label.kind == "host" and (side := _binary_label(label, positive))}


def _binary_label(label: CorpusLabel, positive: str) -> str | None:
    if label.label == positive:
        return "relevant"
    is_other = label.label == "other" if positive == "relevant" else label.label not in {None, UNSURE}
    return "other" if is_other else None
