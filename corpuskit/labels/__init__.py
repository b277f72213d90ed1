"""Labels of several annotators: label of the corpus, agreement, annotation pool, training labels.

The store keeps ``labels/*.jsonl`` and their index (:class:`corpuskit.store.LabelLog`). This package applies the rule of
corpus.toml to them and derives training examples.
"""

from __future__ import annotations

from corpuskit.labels.agreement import Agreement, agreement_frame, agreement_with_others, agreements
from corpuskit.labels.assignment import OVERLAP, AnnotationPool, annotation_pool, labels_by
from corpuskit.labels.duplicates import DuplicateGroups
from corpuskit.labels.label_files import LabelImport, import_labels, read_label_file
from corpuskit.labels.label_names import check_label_names, label_names_in_use, resolve_documents
from corpuskit.labels.label_report import LabelsReport, disagreements, labels_report
from corpuskit.labels.machine_agreement import (
    MachineAgreement,
    agreement_with_people,
    informedness,
    machine_agreements,
    machine_labels,
    machine_name,
)
from corpuskit.labels.snapshot import (
    CorpusLabel,
    LabelSnapshot,
    aggregate_votes,
    audited,
    corpus_labels,
    current_snapshot,
    hold_labels,
)
from corpuskit.labels.training_examples import (
    example_weights,
    labels_by_annotator,
    sample,
    training_labels,
    training_url_labels,
)
from corpuskit.store.labels import is_machine

__all__ = [
    "OVERLAP",
    "Agreement",
    "AnnotationPool",
    "CorpusLabel",
    "DuplicateGroups",
    "LabelImport",
    "LabelSnapshot",
    "LabelsReport",
    "MachineAgreement",
    "aggregate_votes",
    "agreement_frame",
    "agreement_with_others",
    "agreement_with_people",
    "agreements",
    "annotation_pool",
    "audited",
    "check_label_names",
    "corpus_labels",
    "current_snapshot",
    "disagreements",
    "example_weights",
    "hold_labels",
    "import_labels",
    "informedness",
    "is_machine",
    "label_names_in_use",
    "labels_by",
    "labels_by_annotator",
    "labels_report",
    "machine_agreements",
    "machine_labels",
    "machine_name",
    "read_label_file",
    "resolve_documents",
    "sample",
    "training_labels",
    "training_url_labels",
]

# Earlier names.
Copies = DuplicateGroups
Questions = AnnotationPool
Trust = MachineAgreement
by_annotator = labels_by_annotator
check_names = check_label_names
decide = aggregate_votes
holding_labels = hold_labels
judged_documents = training_labels
judged_urls = training_url_labels
labels_of = labels_by
names_in_use = label_names_in_use
of_documents = resolve_documents
questions = annotation_pool
snapshot_of = current_snapshot
trust = machine_agreements
trust_of = agreement_with_people
