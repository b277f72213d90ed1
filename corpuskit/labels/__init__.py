"""Labels that several annotators give: the one that counts, how far they agree, what to ask whom.

``labels/*.jsonl`` and their index are kept by the store (:class:`corpuskit.store.LabelLog`); here they become the label
of the corpus, by the rule that corpus.toml names, and the examples of a training.
"""

from __future__ import annotations

from corpuskit.labels.agreement import Agreement, agreement_frame, agreement_with_others, agreements
from corpuskit.labels.copies import Copies
from corpuskit.labels.files import LabelImport, import_labels, read_label_file
from corpuskit.labels.judgements import by_annotator, example_weights, judged_documents, judged_urls, sample
from corpuskit.labels.machines import (
    Trust,
    informedness,
    machine_labels,
    machine_name,
    trust,
    trust_of,
)
from corpuskit.labels.names import check_names, names_in_use, of_documents
from corpuskit.labels.queue import OVERLAP, Questions, labels_of, questions
from corpuskit.labels.report import LabelsReport, disagreements, labels_report
from corpuskit.labels.snapshot import (
    CorpusLabel,
    LabelSnapshot,
    audited,
    corpus_labels,
    decide,
    holding_labels,
    snapshot_of,
)
from corpuskit.store.labels import is_machine

__all__ = [
    "OVERLAP",
    "Agreement",
    "Copies",
    "CorpusLabel",
    "LabelImport",
    "LabelSnapshot",
    "LabelsReport",
    "Questions",
    "Trust",
    "agreement_frame",
    "agreement_with_others",
    "agreements",
    "audited",
    "by_annotator",
    "check_names",
    "corpus_labels",
    "decide",
    "disagreements",
    "example_weights",
    "holding_labels",
    "import_labels",
    "informedness",
    "is_machine",
    "judged_documents",
    "judged_urls",
    "labels_of",
    "labels_report",
    "machine_labels",
    "machine_name",
    "names_in_use",
    "of_documents",
    "questions",
    "read_label_file",
    "sample",
    "snapshot_of",
    "trust",
    "trust_of",
]
