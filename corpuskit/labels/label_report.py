"""Report on the labels of a corpus: annotators, agreement, disagreements."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpuskit.labels.agreement import agreement_frame
from corpuskit.labels.machine_agreement import MachineAgreement, machine_agreements
from corpuskit.labels.snapshot import hold_labels
from corpuskit.labels.training_examples import labels_by_annotator
from corpuskit.store import CorpusFolder, LabelSettings
from corpuskit.store.formatting import pluralize

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class LabelsReport:
    """Labels of documents and their annotators.

    Attributes:
        rule: Rule that combines the labels of several annotators.
        labels: Label of the corpus → number of documents. Ties and documents labelled only by machines are left out.
        annotators: Columns by (str), labels (int64): number of labelled documents per annotator, largest first.
        machines: Agreement of each machine with people. ``pandas.DataFrame(report.machines)`` is a table of them.
        agreement: Columns first, second (str), documents, agreed (int64), kappa, low, high (float64): each pair of
            annotators with documents in common, and the 95 % confidence interval of Cohen's kappa. NaN if only one label
            was used.
        disagreements: See :func:`disagreements`.
    """

    rule: LabelSettings
    labels: Mapping[str, int]
    annotators: pd.DataFrame
    machines: tuple[MachineAgreement, ...]
    agreement: pd.DataFrame
    disagreements: pd.DataFrame

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.labels.items()))
        named = f" {self.rule.adjudicator!r}" if self.rule.adjudicator else ""
        lines = [f"Labels of documents: {counts or 'no labels yet'}; rule: {self.rule.rule}{named}"]
        lines += [
            f"  {by}: {pluralize(number, 'document')}"
            for by, number in zip(self.annotators["by"], self.annotators["labels"].tolist(), strict=True)
        ]
        for first, second, documents, agreed, kappa, low, high in self.agreement.itertuples(index=False, name=None):
            value = (
                f"the same {agreed:,} times" if math.isnan(kappa) else f"kappa {kappa:.2f} ({low:.2f} to {high:.2f})"
            )
            lines.append(f"  {first} and {second}: {value} on {pluralize(documents, 'document')}")
        lines += [f"  {machine!r}" for machine in self.machines]
        if len(self.disagreements):
            ties = int(self.disagreements["label"].isna().sum())
            lines.append(
                f"  {len(self.disagreements):,} disagreements, {ties:,} of them ties without a label: "
                ".label(corpus.labelling.disagreements())"
            )
        return "\n".join(lines)


def labels_report(folder: CorpusFolder) -> LabelsReport:
    """Return the annotators of the documents, their agreement, and their disagreements.

    Args:
        folder: The corpus folder.
    """
    import pandas as pd

    with hold_labels(folder) as snapshot:
        label_counts = sorted(
            ((by, len(labels)) for by, labels in labels_by_annotator(folder, machines=True, groups=True).items()),
            key=lambda row: (-row[1], row[0]),
        )
        annotators = pd.DataFrame(label_counts, columns=["by", "labels"]).astype({"by": "str", "labels": "int64"})
        labels = Counter(label.label for label in snapshot.labels("document") if label.label is not None)
        return LabelsReport(
            folder.settings.labels,
            labels,
            annotators,
            tuple(machine_agreements(folder)),
            agreement_frame(folder),
            disagreements(folder),
        )


def disagreements(folder: CorpusFolder) -> pd.DataFrame:
    """Return the documents with different labels and no label by an adjudicator, ties first, then by host and URI.

    Columns: doc_id, uri, title, label (of the corpus, NaN in a tie), said (label of each annotator) (str); annotators
    (Int32); agreement (float64).

    Args:
        folder: The corpus folder.
    """
    import pandas as pd

    with hold_labels(folder) as snapshot:
        differ = {label.target: label for label in snapshot.labels("document") if label.agreement < 1.0}
        votes: dict[str, dict[str, str]] = {}
        for row in snapshot.by_people["document"]:
            if row.target in differ:
                votes.setdefault(row.target, {})[row.by] = row.label
    adjudicator = folder.settings.labels.adjudicator
    rows = [
        (doc_id, uri, title or "", label.label, "; ".join(f"{by}: {of}" for by, of in sorted(votes[doc_id].items())),
         label.annotators, label.agreement)
        for doc_id, uri, title in folder.catalog.tuples("SELECT doc_id, uri, title FROM current ORDER BY host, uri")
        if (label := differ.get(doc_id)) is not None and adjudicator not in votes[doc_id]
    ]  # fmt: skip
    rows.sort(key=lambda row: row[3] is not None)
    types = dict.fromkeys(("doc_id", "uri", "title", "label", "said"), "str")
    types |= {"annotators": "Int32", "agreement": "float64"}
    return pd.DataFrame(rows, columns=list(types)).astype(types)
