"""What is known about a corpus' last model: how well it ranks, where it errs, what more labels would bring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.labels import agreement_frame, audited, corpus_labels, sample, training_labels, training_url_labels
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.relevance.corpus_training import last_model, last_positive, scoring_texts, train_documents
from corpuskit.relevance.cross_validation import cross_val_scores
from corpuskit.relevance.metrics import (
    Confusion,
    Drift,
    LearningCurve,
    confusion,
    curve,
    drift,
    learning_curve,
    mistakes,
)
from corpuskit.relevance.url_tokenizers import bare_host
from corpuskit.relevance.vector_space import VectorSpace
from corpuskit.relevance.weak_labels import MachineWeight
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_POOL: Final = 5000
_DRIFT: Final = 500  # documents of each crawl
_MIN_PAGES_PER_CRAWL: Final = 20


@dataclass(frozen=True, slots=True, repr=False)
class RelevanceReport:
    """Evaluation of the last model with the labels.

    Attributes:
        version: Version of the model.
        threshold: Threshold certified by an audit, or None.
        labels: Label → number of documents.
        held_out: doc_id, title, uri, host, label (str: relevant, meaning ``positive``, or other), score (float64): the score of
            each labelled document by a model trained without its label.
        average_precision: Average precision on ``held_out``; None with too few labels.
        learning: Average precision over the number of labels, extrapolated by 50 labels; None with few labels.
        audit: Decisions compared with the audit's labels. None: no audit.
        urls: side (seen, unseen: hosts with labels and without), urls, relevant (int64), average_precision (float64).
        mistakes: doc_id, title, uri, label (str), score, wrong_by (float64): disagreements of model and annotator, most certain
            scores first. Review them and correct wrong labels.
        agreement: Each pair of annotators, see :class:`corpuskit.labels.LabelsReport`.
        machines: Effect of each machine's labels: average precision with and without them on held-out labels of people.
        drift: Scores of the last crawl compared with the previous one; None with fewer than two crawls.
        unknown: Mean share of words unknown to the model.
        positive: the label that the model was trained to find, as of ``train(positive=)``.
    """

    version: str
    threshold: float | None
    labels: Mapping[str, int]
    held_out: pd.DataFrame
    average_precision: float | None
    learning: LearningCurve | None
    audit: Confusion | None
    urls: pd.DataFrame
    mistakes: pd.DataFrame
    agreement: pd.DataFrame
    drift: Drift | None
    unknown: float
    machines: tuple[MachineWeight, ...] = ()
    positive: str = "relevant"

    def chart(self) -> Figure:
        """Draw precision over recall on held-out labels, the learning curve, and the scores by label."""
        from corpuskit.views import charts
        from corpuskit.views.drawing import ChartFigure

        figure = ChartFigure(figsize=(12, 3.4), layout="constrained")
        left, middle, right = figure.subplots(1, 3)
        if self.average_precision is not None:
            charts.precision_recall(
                self.held_out["score"].tolist(), (self.held_out["label"] == "relevant").tolist(), ax=left
            )
        if self.learning is not None:
            charts.learning_curve(
                list(zip(self.learning.labels, self.learning.average_precision, strict=True)), ax=middle
            )
        charts.relevance(self.held_out.rename(columns={"score": "relevance"}), ax=right)
        for ax, title in ((left, "held-out labels"), (middle, "more labels"), (right, "scores")):
            ax.set_title(title, fontsize="medium")
        return figure

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.labels.items()))
        lines = [f"Report on {self.version}: {counts or 'no labels'}"]
        if self.average_precision is None:
            lines.append(f"  too few labels to hold any back: label 10 {self.positive} and 10 others")
        else:
            lines.append(f"  average precision {self.average_precision:.3f} on labels held back")
        if self.learning is not None:
            steps = ", ".join(
                f"{ap:.3f} with {n}"
                for n, ap in zip(self.learning.labels, self.learning.average_precision, strict=True)
            )
            lines.append(f"  learning curve: {steps}; 50 more labels would bring about {self.learning.gain:+.3f}")
        lines += [f"  {machine!r}" for machine in self.machines]
        for row in self.urls.itertuples():
            lines.append(f"  URLs on {row.side} hosts: {row.urls}, average precision {row.average_precision:.3f}")
        if self.audit is not None:
            right = self.audit.relevant_relevant + self.audit.other_other
            wrong = self.audit.relevant_other + self.audit.other_relevant
            lines.append(f"  audit labels: {right} decided rightly, {wrong} wrongly, the rest unknown")
        certified = f"certified from score {self.threshold:.3f} on" if self.threshold is not None else "not certified"
        lines.append(f"  threshold: {certified}; {self.unknown:.1%} of the words are unknown to the model")
        if len(self.mistakes):
            lines.append(f"  model and analyst disagree on {len(self.mistakes)} documents: see .mistakes")
        for row in self.agreement.itertuples():
            lines.append(
                f"  {row.first} and {row.second}: kappa {row.kappa:.2f} ({row.low:.2f} to {row.high:.2f}) on {row.documents} documents"
            )
        if self.drift is not None:
            lines.append(
                f"  scores moved by {self.drift.distance:.2f} between the last two crawls (Kolmogorov-Smirnov)"
            )
        return "\n".join(lines)


def relevance_report(folder: CorpusFolder, *, seed: int = 0) -> RelevanceReport:
    """Return the report on the last model. It trains several models on parts of the labels, which takes seconds.

    Raises:
        RelevanceError: There is no model yet.
    """
    model = last_model(folder)
    if model is None:
        raise RelevanceError("there is no model to report on: train one with .train()")
    texts = scoring_texts(folder)
    # Bulk labels are not used for evaluation: nobody has read these documents.
    positive = last_positive(folder)
    judged = {d: label for d, label in training_labels(folder, positive=positive, groups=False).items() if d in texts}
    pool = [texts[doc_id] for doc_id in sample(texts, _POOL)]
    space = VectorSpace.fit(pool) if pool else None
    held_out, average, learning = _held_out(folder, texts, judged, space, seed)
    counts = Counter(label.label for label in corpus_labels(folder, "document") if label.label is not None)
    return RelevanceReport(
        model.version, model.threshold, counts, held_out, average, learning, _audited(folder, model, texts),
        _urls(folder, positive, seed), _mistakes(held_out), agreement_frame(folder), _drift(folder, model, texts),
        float(model.document.unknown_share(pool).mean()) if pool else 0.0, _machines(folder, judged, texts, positive, seed), positive,
    )  # fmt: skip


def _held_out(
    folder: CorpusFolder, texts: Mapping[str, str], judged: Mapping[str, str], space: VectorSpace | None, seed: int
) -> tuple[pd.DataFrame, float | None, LearningCurve | None]:
    import pandas as pd

    known = {
        row["doc_id"]: row for row in folder.catalog.rows("SELECT doc_id, title, uri, host, text_hash FROM current")
    }
    targets = sorted(judged)
    labels = [judged[target] for target in targets]
    scores, learning = np.full(len(targets), np.nan), None
    if space is not None and targets:
        contents = [texts[target] for target in targets]
        # Copies of one text are never on both sides.
        groups = [known[target]["text_hash"] or target for target in targets]
        scores, _ = cross_val_scores(contents, labels, space=space, groups=groups, seed=seed)
        try:
            learning = learning_curve(contents, labels, space=space, seed=seed)
        except RelevanceError:
            learning = None
    rows = [
        (target, known[target]["title"], known[target]["uri"], known[target]["host"], label, score)
        for target, label, score in zip(targets, labels, scores.tolist(), strict=True)
    ]
    types = {**dict.fromkeys(("doc_id", "title", "uri", "host", "label"), "str"), "score": "float64"}
    frame = pd.DataFrame(rows, columns=list(types)).astype(types).dropna(subset=["score"]).reset_index(drop=True)
    relevant = frame["label"] == "relevant"
    average = curve(frame["score"].tolist(), relevant.tolist()).average_precision if relevant.any() else None
    return frame, average, learning


def _machines(
    folder: CorpusFolder, judged: Mapping[str, str], texts: Mapping[str, str], positive: str, seed: int
) -> tuple[MachineWeight, ...]:
    try:
        return train_documents(folder, judged, texts, positive=positive, seed=seed)[1]
    except RelevanceError:
        return ()


def _mistakes(held_out: pd.DataFrame) -> pd.DataFrame:
    rows = mistakes(held_out["score"].tolist(), held_out["label"].tolist())
    frame = held_out.iloc[[position for position, _ in rows]].drop(columns="host")
    return frame.assign(wrong_by=np.array([by for _, by in rows], float)).reset_index(drop=True)


def _audited(folder: CorpusFolder, model: CorpusModel, texts: Mapping[str, str]) -> Confusion | None:
    apart = audited(folder)
    asked = {
        label.target: label.label
        for label in corpus_labels(folder, "document")
        if label.target in apart and label.target in texts and label.label in {"relevant", "other"}
    }
    if not asked or model.document.audit is None:
        return None
    return confusion(model.document.decide([texts[target] for target in asked]), list(asked.values()))


def _urls(folder: CorpusFolder, positive: str, seed: int) -> pd.DataFrame:
    """Seen and unseen hosts apart: URLs are held out one by one for the first, host by host for the second."""
    import pandas as pd

    judged = training_labels(folder, positive=positive, copies=True, groups=False)
    labels = training_url_labels(folder, judged, positive=positive)
    urls = sorted(labels)
    rows: list[tuple[str, int, int, float]] = []
    if urls:
        expected = [labels[url] for url in urls]
        pool = [row["url"] for row in folder.catalog.rows("SELECT url FROM frontier ORDER BY id LIMIT 20000")]
        space = VectorSpace.fit(list(dict.fromkeys([*pool, *urls])), kind="url", seed=seed)
        for side, groups in (("seen", None), ("unseen", [bare_host(url) for url in urls])):
            scores, seen = cross_val_scores(urls, expected, space=space, groups=groups, seed=seed)
            at = [i for i in range(len(urls)) if not np.isnan(scores[i]) and seen[i] == (side == "seen")]
            truth = [expected[i] == "relevant" for i in at]
            if any(truth):
                reached = curve([float(scores[i]) for i in at], truth).average_precision
                rows.append((side, len(at), sum(truth), reached))
    types = {"side": "str", "urls": "int64", "relevant": "int64", "average_precision": "float64"}
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def _drift(folder: CorpusFolder, model: CorpusModel, texts: Mapping[str, str]) -> Drift | None:
    crawls: list[Sequence[str]] = []
    for job in folder.catalog.rows("SELECT DISTINCT job FROM requests WHERE job IS NOT NULL ORDER BY job DESC"):
        rows = folder.catalog.rows(
            "SELECT DISTINCT d.doc_id FROM requests r JOIN current d ON d.uri = r.url WHERE r.job = ? ORDER BY d.doc_id",
            (job["job"],),
        )
        sampled = sample([row["doc_id"] for row in rows if row["doc_id"] in texts], _DRIFT)
        if len(sampled) >= _MIN_PAGES_PER_CRAWL:
            crawls.append([texts[doc_id] for doc_id in sampled])
        if len(crawls) == 2:
            return drift(model.document, crawls[1], crawls[0])
    return None
