"""Labels that several annotators give: the one that counts, how far they agree, what to ask whom.

``labels/*.jsonl`` and their index are kept by the store (:class:`corpuskit.store.LabelLog`); here they become the label
of the corpus, by the rule that corpus.toml names, and the examples of a training.
"""

from __future__ import annotations

from corpuskit.labels.agreement import Agreement, agreements
from corpuskit.labels.current import AUDIT_NOTE, CorpusLabel, audited, corpus_labels
from corpuskit.labels.files import LabelImport, import_labels, read_label_file
from corpuskit.labels.judgements import by_annotator, judged_documents, judged_urls, sample
from corpuskit.labels.names import check_names, names_in_use
from corpuskit.labels.rule import decide

__all__ = [
    "AUDIT_NOTE",
    "Agreement",
    "CorpusLabel",
    "LabelImport",
    "agreements",
    "audited",
    "by_annotator",
    "check_names",
    "corpus_labels",
    "decide",
    "import_labels",
    "judged_documents",
    "judged_urls",
    "names_in_use",
    "read_label_file",
    "sample",
]
