"""Training examples from the labels of a corpus: documents and URLs, labels of annotators and rules for whole hosts."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import sqrt
from typing import Final

from corpuskit.labels.copies import Copies
from corpuskit.labels.snapshot import UNSURE, CorpusLabel, corpus_labels, snapshot_of
from corpuskit.store import CorpusFolder
from corpuskit.store.labels import is_machine

_OF_A_HOST: Final = 20  # examples that a rule for a host stands for: a large site must not outvote the analyst


def judged_documents(
    folder: CorpusFolder,
    *,
    positive: str = "relevant",
    copies: bool = False,
    groups: bool = True,
    known: Copies | None = None,
) -> dict[str, str]:
    """Return doc_id → ``relevant`` or ``other``: the examples of a training.

    A document's own label comes before its host's; audit labels, ties and ``unsure`` teach nothing. A host's label
    stands for at most twenty of its documents that nobody labelled. Copies, documents with the same main text, are one
    example; where their labels contradict each other, none.

    Args:
        folder: the corpus.
        positive: the class to find; with one of your own all other classes are ``other``.
        copies: give all copies that were labelled.
        groups: give also those that were labelled with a group, see :func:`corpuskit.labels.example_weights`.
        known: the documents with their copies, where they have been read already.
    """
    snapshot = snapshot_of(folder)
    labels = snapshot.labels()
    own = {label.target: label for label in labels if label.kind == "document"}
    apart = snapshot.audited
    same = known or Copies(folder)
    judged = {
        target: side
        for target, label in own.items()
        if target in same.hosts
        and target not in apart
        and (groups or not label.is_guess)
        and (side := _side(label, positive))
    }
    if not copies:
        looked_at = same.groups(target for target in judged if not own[target].is_guess)
        judged = {d: side for d, side in judged.items() if not own[d].is_guess or same.of(d) not in looked_at}
        judged = _once(same, judged)
    for host, taught in _hosts(labels, positive).items():
        unlabelled = sample((d for d, at in same.hosts.items() if at == host and d not in own), len(same.hosts))
        judged |= dict.fromkeys(same.once(unlabelled, same.groups([*own, *judged]))[:_OF_A_HOST], taught)
    return judged


def _once(groups: Copies, judged: dict[str, str]) -> dict[str, str]:
    """One document of each group whose labels agree."""
    sides: dict[Hashable, set[str]] = {}
    for doc_id, side in judged.items():
        sides.setdefault(groups.of(doc_id), set()).add(side)
    return {doc_id: judged[doc_id] for doc_id in groups.once(sorted(judged)) if len(sides[groups.of(doc_id)]) == 1}


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


def judged_urls(
    folder: CorpusFolder, documents: Mapping[str, str], *, positive: str = "relevant", known: Copies | None = None
) -> dict[str, str]:
    """Return URL → ``relevant`` or ``other``: those of judged documents, those labelled, and some of labelled hosts.

    Args:
        folder: The corpus folder.
        documents: Judged documents with their label.
        positive: The label that counts as relevant.
        known: The documents with their copies, where they have been read already.
    """
    same = known or Copies(folder)
    judged = {uri: documents[doc_id] for doc_id, uri in same.uris.items() if doc_id in documents and same.hosts[doc_id]}
    labels = corpus_labels(folder)
    for host, taught in _hosts(labels, positive).items():
        urls = [row["url"] for row in folder.catalog.rows("SELECT url FROM frontier WHERE host = ?", (host,))]
        judged |= dict.fromkeys(sample((url for url in urls if url not in judged), _OF_A_HOST), taught)
    return judged | {label.target: side for label in labels if label.kind == "url" and (side := _side(label, positive))}


def sample(names: Iterable[str], n: int) -> list[str]:
    """Return ``n`` names, the same ones each time and not by place: by their checksums.

    Args:
        names: The names.
        n: Number of names, at most.
    """
    return sorted(sorted(names, key=lambda name: (zlib.crc32(name.encode()), name))[: max(0, n)])


def by_annotator(folder: CorpusFolder, *, machines: bool = False, groups: bool = False) -> dict[str, dict[str, str]]:
    """Return annotator or rule → document → the label that one gave last.

    With ``machines`` those of machines too; with ``groups`` also those that documents got with their group, which nobody
    has looked at by themselves.

    Args:
        folder: The corpus folder.
        machines: Those of machines too.
        groups: Also those that documents got with their group, which nobody has looked at by themselves.
    """
    found: dict[str, dict[str, str]] = {}
    for row in snapshot_of(folder).given:
        if row.kind == "document" and (groups or row.origin != "group") and (machines or not is_machine(row.by)):
            found.setdefault(row.by, {})[row.target] = row.label
    return found


def _hosts(labels: Sequence[CorpusLabel], positive: str) -> dict[str, str]:
    return {label.target: side for label in labels if label.kind == "host" and (side := _side(label, positive))}


def _side(label: CorpusLabel, positive: str) -> str | None:
    if label.label == positive:
        return "relevant"
    others = label.label == "other" if positive == "relevant" else label.label not in {None, UNSURE}
    return "other" if others else None
