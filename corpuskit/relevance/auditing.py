"""Certifies a corpus' model: asks for labels by document, keeps them apart from training, and saves the claim."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpuskit.errors import RelevanceError
from corpuskit.labels import AUDIT_NOTE, corpus_labels, judged_documents
from corpuskit.relevance.audit import Audit
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.relevance.learning import score_documents, scoring_texts
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd

_LABELS: Final = frozenset({"relevant", "other"})


class CorpusAudit:
    """An audit of a corpus' last model on the documents that nobody has labelled.

    Ask for documents with :meth:`next`, give their labels to :meth:`add`, until ``next`` gives none; the claim is then
    saved with the model, and the documents are decided by it. The labels are kept in the corpus, marked as the audit's,
    and never trained on; a new training needs a new audit. An audit that was broken off goes on where it stood when it is
    started again with the same arguments, as long as no documents came in between.

    Example:
        >>> audit = corpus.audit(precision=0.95)                                   # doctest: +SKIP
        >>> while len(batch := audit.next()):                                      # doctest: +SKIP
        ...     audit.add(ask(batch), by="me")
        >>> audit                                                                  # doctest: +SKIP
    """

    def __init__(
        self,
        folder: CorpusFolder,
        model: CorpusModel,
        *,
        precision: float = 0.95,
        confidence: float = 0.9,
        seed: int = 0,
    ) -> None:
        self._folder = folder
        self._model = model
        self._note = f"{AUDIT_NOTE} of {model.version}"
        asked = {label.target for label in folder.labels.current("document") if label.note == self._note}
        labels = {label.target: label.label for label in corpus_labels(folder, "document")}
        # A tie of two who answered is asked again.
        self._given = {target: labels[target] or "" for target in asked if labels[target] in _LABELS}
        labelled = labels.keys() - asked
        labelled |= judged_documents(folder).keys()  # what a rule for a host has taught the model
        texts = {doc_id: text for doc_id, text in scoring_texts(folder).items() if doc_id not in labelled}
        if not texts:
            raise RelevanceError("all documents are labelled already: there is nothing left to audit on")
        self._doc_ids = list(texts)
        self._audit = Audit(model.document, list(texts.values()), precision=precision, confidence=confidence, seed=seed)
        self._is_saved = False

    @property
    def threshold(self) -> float | None:
        """Scores from here on are relevant; None before the end, and where nothing can be claimed."""
        return self._audit.threshold

    @property
    def is_done(self) -> bool:
        """No more labels are wanted."""
        return self._audit.is_done

    def next(self) -> pd.DataFrame:
        """The documents to label now; empty when the audit is over.

        Columns doc_id, uri, title (str). They come without scores, so that these do not sway the judge.
        """
        import pandas as pd

        while known_already := [i for i in self._audit.next() if self._doc_ids[i] in self._given]:
            self._audit.add(known_already, [self._given[self._doc_ids[i]] for i in known_already])
        wanted = [self._doc_ids[i] for i in self._audit.next()]
        if not wanted:
            self._save()
        known = {row["doc_id"]: row for row in self._folder.catalog.rows("SELECT doc_id, uri, title FROM current")}
        rows = [(doc_id, known[doc_id]["uri"], known[doc_id]["title"] or "") for doc_id in wanted]
        return pd.DataFrame(rows, columns=["doc_id", "uri", "title"]).astype("str")

    def add(self, labels: Mapping[str, str], *, by: str) -> None:
        """Gives labels, ``relevant`` or ``other``, to documents that were asked for.

        Raises:
            RelevanceError: another label, or a document that was not asked for; then none is kept.
        """
        asked = {self._doc_ids[i]: i for i in self._audit.next()}
        wrong = [doc_id for doc_id, label in labels.items() if doc_id not in asked or label not in _LABELS]
        if wrong:
            raise RelevanceError(
                f"document {wrong[0]!r}: found label {labels[wrong[0]]!r}, expected relevant or other for a document that "
                "next() gave"
            )
        self._folder.labels.add(
            ((doc_id, "document", label) for doc_id, label in labels.items()), by=by, note=self._note
        )
        self._audit.add([asked[doc_id] for doc_id in labels], list(labels.values()))
        if self._audit.is_done:
            self._save()

    def _save(self) -> None:
        """Writes the claim into the model's folder and decides the documents by it."""
        if self._is_saved:
            return
        self._is_saved = True
        document = self._model.document.certified(self._audit.record())
        self._model = dataclasses.replace(self._model, document=document)
        name = self._folder.catalog.value("SELECT folder FROM models WHERE version = ?", (self._model.version,))
        if name is not None:
            self._model.save(self._folder.models / Path(name).name)
        score_documents(self._folder, self._model, scoring_texts(self._folder))

    def __repr__(self) -> str:
        given = len(self._audit.labels)
        if not self._audit.is_done:
            return f"Audit of {self._model.version}: {given} labels given, {len(self._audit.next())} wanted now"
        return f"Audit of {self._model.version} with {given} labels: {self._model.document.summary}"
