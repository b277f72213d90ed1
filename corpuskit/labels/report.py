"""What is known about the labels of a corpus: who gave them, how far they agree, what is to be settled."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpuskit.labels.agreement import agreement_frame
from corpuskit.labels.judgements import by_annotator
from corpuskit.labels.machines import Trust, trust
from corpuskit.labels.snapshot import holding_labels
from corpuskit.store import CorpusFolder, LabelSettings
from corpuskit.store.formatting import pluralize

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class LabelsReport:
    """The labels of documents and their annotators.

    Attributes:
        rule: by which the labels of several annotators become one.
        labels: label of the corpus → how many documents; ties are not in it, nor what only machines labelled.
        annotators: by (str), labels (int64): who labelled how many documents, those with most first.
        machines: each machine against people; ``pandas.DataFrame(report.machines)`` is a table of them.
        agreement: first, second (str), documents, agreed (int64), kappa, low, high (float64): each two annotators with
            documents in common, and the interval of 95 % of Cohen's kappa; NaN where only one label was given.
        disagreements: see :func:`disagreements`.
    """

    rule: LabelSettings
    labels: Mapping[str, int]
    annotators: pd.DataFrame
    machines: tuple[Trust, ...]
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
            told = f"the same {agreed:,} times" if math.isnan(kappa) else f"kappa {kappa:.2f} ({low:.2f} to {high:.2f})"
            lines.append(f"  {first} and {second}: {told} on {pluralize(documents, 'document')}")
        lines += [f"  {one!r}" for one in self.machines]
        if len(self.disagreements):
            ties = int(self.disagreements["label"].isna().sum())
            lines.append(
                f"  {len(self.disagreements):,} disagreements, {ties:,} of them ties without a label: "
                ".label(corpus.labelling.disagreements())"
            )
        return "\n".join(lines)


def labels_report(folder: CorpusFolder) -> LabelsReport:
    """Return who labelled documents, how far annotators agree, and on what they do not.

    Args:
        folder: The corpus folder.
    """
    import pandas as pd

    with holding_labels(folder) as snapshot:
        given = sorted(
            ((by, len(labels)) for by, labels in by_annotator(folder, machines=True, groups=True).items()),
            key=lambda row: (-row[1], row[0]),
        )
        annotators = pd.DataFrame(given, columns=["by", "labels"]).astype({"by": "str", "labels": "int64"})
        labels = Counter(label.label for label in snapshot.labels("document") if label.label is not None)
        return LabelsReport(
            folder.settings.labels,
            labels,
            annotators,
            tuple(trust(folder)),
            agreement_frame(folder),
            disagreements(folder),
        )


def disagreements(folder: CorpusFolder) -> pd.DataFrame:
    """Return the documents on which people differ and no adjudicator has spoken, ties first, then by host and URI.

    Columns: doc_id, uri, title, label (that of the corpus, NaN in a tie), said (who said what) (str); annotators
    (Int32); agreement (float64).

    Args:
        folder: The corpus folder.
    """
    import pandas as pd

    with holding_labels(folder) as snapshot:
        differ = {label.target: label for label in snapshot.labels("document") if label.agreement < 1.0}
        said: dict[str, dict[str, str]] = {}
        for row in snapshot.by_people["document"]:
            if row.target in differ:
                said.setdefault(row.target, {})[row.by] = row.label
    settled = folder.settings.labels.adjudicator
    rows = [
        (doc_id, uri, title or "", label.label, "; ".join(f"{by}: {of}" for by, of in sorted(said[doc_id].items())),
         label.annotators, label.agreement)
        for doc_id, uri, title in folder.catalog.tuples("SELECT doc_id, uri, title FROM current ORDER BY host, uri")
        if (label := differ.get(doc_id)) is not None and settled not in said[doc_id]
    ]  # fmt: skip
    rows.sort(key=lambda row: row[3] is not None)
    types = dict.fromkeys(("doc_id", "uri", "title", "label", "said"), "str")
    types |= {"annotators": "Int32", "agreement": "float64"}
    return pd.DataFrame(rows, columns=list(types)).astype(types)
