"""Training on a corpus: texts, labels, saved models, and scores in the catalog."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from corpuskit.errors import RelevanceError
from corpuskit.labels import (
    DuplicateGroups,
    corpus_labels,
    example_weights,
    hold_labels,
    machine_labels,
    sample,
    training_labels,
    training_url_labels,
)
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.relevance.distillation import DistilledModel, to_fasttext
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.scoring_text import MAX_TEXT, scoring_text
from corpuskit.relevance.training import train
from corpuskit.relevance.vector_space import Kind
from corpuskit.relevance.weak_labels import MachineWeight, train_with_machines
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import now
from corpuskit.store.element_cache import main_texts
from corpuskit.store.file_errors import convert_write_errors

POOL: Final = 5000  # unlabelled texts that the vector space is fitted on
_URL_POOL: Final = 20_000
_PSEUDO_LABEL_WEIGHT: Final = 0.5  # maximum weight of a label by the model of documents; labels by people weigh 1
_MIN_CERTAINTY: Final = 0.2  # minimum distance of a score from one half, doubled, for such a label


def scoring_texts(folder: CorpusFolder, doc_ids: Sequence[str] | None = None) -> dict[str, str]:
    """Return doc_id → text that a model scores, of the current versions, by host and URI."""
    texts = {doc_id: text[:MAX_TEXT] for doc_id, text in main_texts(folder, doc_ids)}
    selected = None if doc_ids is None else set(doc_ids)
    rows = folder.catalog.tuples("SELECT doc_id, title FROM current ORDER BY host, uri")
    return {
        doc_id: scoring_text(title or "", texts.get(doc_id, ""))
        for doc_id, title in rows
        if selected is None or doc_id in selected
    }


def train_corpus(folder: CorpusFolder, *, positive: str = "relevant", seed: int = 0) -> CorpusModel:
    """Train models on the labels of a corpus, save them, and score all documents.

    Labels by machines count as far as labels by people show that they help, see :mod:`corpuskit.relevance.weak_labels`.

    Args:
        folder: The corpus folder.
        positive: The positive class. All other classes are ``other``.
        seed: Same labels and seed, same model.

    Raises:
        RelevanceError: The labels are not sufficient. The message names the missing labels.
        CorpusError: The model cannot be saved.
    """
    if seed < 0:
        raise RelevanceError(f"seed={seed}: expected 0 or more")
    with convert_write_errors("the model", "the one before stays the last"), hold_labels(folder):
        return _train_corpus(folder, positive, seed)


def _train_corpus(folder: CorpusFolder, positive: str, seed: int) -> CorpusModel:
    _check_positive(folder, positive)
    texts = scoring_texts(folder)
    known = DuplicateGroups(folder)
    labelled = training_labels(folder, positive=positive, known=known)
    labels = {target: label for target, label in labelled.items() if target in texts}
    if not labels:
        raise RelevanceError(f"no documents are labelled {positive} or other: label some of each first")
    document, machines = train_documents(folder, labels, texts, positive=positive, seed=seed, known=known)
    with_copies = training_labels(folder, positive=positive, copies=True, known=known)
    urls = training_url_labels(folder, with_copies, positive=positive, known=known)
    weights = example_weights(folder, with_copies)
    url = _train_urls(folder, urls, {known.uris[doc_id]: weight for doc_id, weight in weights.items()}, seed)
    model = _store(
        folder, CorpusModel(document, url, machines=machines), len(labels), {"seed": seed, "positive": positive}
    )
    score_documents(folder, model, texts)
    return model


def _check_positive(folder: CorpusFolder, positive: str) -> None:
    """Raise if no target has this label. For ``relevant`` a later check asks for more labels instead."""
    in_use = Counter(label.label for label in corpus_labels(folder) if label.label is not None)
    if positive in in_use or not in_use or (positive == "relevant" and "other" in in_use):
        return
    named = ", ".join(f"{label!r} ({number:,})" for label, number in in_use.most_common())
    raise RelevanceError(f"positive={positive!r}: no document has this label; expected a label in use: {named}")


def _store(folder: CorpusFolder, model: CorpusModel, labels: int, summary: Mapping[str, object]) -> CorpusModel:
    """Save a model as the latest one of the corpus. Return it with its version."""
    version = _new_version(folder)
    model = replace(model, version=version)
    try:
        model.save(folder.models.subfolder(version))
    except OSError:
        folder.models.subfolder(version).remove_folder()
        raise
    summary_json = json.dumps({**summary, "fingerprint": model.document.fingerprint})
    with folder.catalog.transaction() as connection:
        connection.execute(
            "INSERT INTO models (version, created, folder, labels, summary) VALUES (?, ?, ?, ?, ?)",
            (version, now(), version, labels, summary_json),
        )
    return model


def retrain_urls(
    folder: CorpusFolder, verdicts: Mapping[str, float], pool: Sequence[str], *, seed: int = 0
) -> CorpusModel:
    """Retrain the model of URLs on labels by people and on scores of pages by the model of documents.

    The model of documents and its audit are unchanged. A score counts less than a label: half of it if the model of documents
    is certain, nothing if its score is near one half.

    Args:
        folder: The corpus folder.
        verdicts: URL → P(relevant) of its page, for pages that are not in the corpus.
        pool: URLs similar to those that will be scored, labelled or not.
        seed: Same labels, verdicts and seed, same model.

    Raises:
        RelevanceError: The corpus has no model yet, or labels and verdicts are not sufficient.
    """
    last = last_model(folder)
    if last is None:
        raise RelevanceError("the corpus has no model yet: label documents and train one first")
    labelled = folder.catalog.value("SELECT labels FROM models ORDER BY created DESC LIMIT 1")
    positive = last_positive(folder)
    score_documents(folder, last)
    scored = dict(
        folder.catalog.tuples(
            "SELECT c.uri, s.relevance FROM current c JOIN scores s ON s.doc_id = c.doc_id "
            "WHERE c.host <> '' AND s.model = ?",
            (last.version,),
        )
    )
    by_people = training_url_labels(folder, training_labels(folder, positive=positive, copies=True), positive=positive)
    pseudo = {url: float(score) for url, score in {**verdicts, **scored}.items() if url not in by_people}
    certainty = {url: abs(2.0 * score - 1.0) for url, score in pseudo.items()}
    chosen = sample([url for url in pseudo if certainty[url] >= _MIN_CERTAINTY], _URL_POOL)
    urls = [*by_people, *chosen]
    labels = [*by_people.values(), *("relevant" if pseudo[url] >= 0.5 else "other" for url in chosen)]
    weights = [*(1.0 for _ in by_people), *(_PSEUDO_LABEL_WEIGHT * certainty[url] for url in chosen)]
    url = train(urls, labels, pool=sample(pool, _URL_POOL) or urls, kind="url", seed=seed, weights=weights)
    model = _store(
        folder, replace(last, url=url), labelled, {"seed": seed, "positive": positive, "verdicts": len(chosen)}
    )
    with folder.catalog.transaction() as connection:  # the scores are unchanged, like the model of documents
        connection.execute("UPDATE scores SET model = ? WHERE model = ?", (model.version, last.version))
    return model


def last_positive(folder: CorpusFolder) -> str:
    """Return the positive class of the latest model.

    Raises:
        RelevanceError: Its entry in the catalog is invalid.
    """
    summary = folder.catalog.value("SELECT summary FROM models ORDER BY created DESC LIMIT 1")
    try:
        return str(json.loads(summary).get("positive", "relevant"))
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise RelevanceError("the entry of the last model in the catalog is invalid: train again") from error


def train_documents(
    folder: CorpusFolder,
    labels: Mapping[str, str],
    texts: Mapping[str, str],
    *,
    positive: str = "relevant",
    seed: int = 0,
    known: DuplicateGroups | None = None,
) -> tuple[RelevanceModel, tuple[MachineWeight, ...]]:
    """Train a model of documents on labels by people and machines. Return it with the weight of each machine.

    Raises:
        RelevanceError: The labels by people are not sufficient.
    """
    duplicates = known or DuplicateGroups(folder)
    groups = duplicates.keys(labels)
    machines = {}
    for by, of_machine in machine_labels(folder, positive=positive).items():
        unlabelled = (doc_id for doc_id in of_machine if doc_id in texts and doc_id not in labels)
        chosen = [*duplicates.deduplicate(unlabelled, groups), *(doc_id for doc_id in labels if doc_id in of_machine)]
        machines[by] = {doc_id: of_machine[doc_id] for doc_id in chosen}
    return train_with_machines(
        labels, machines, texts, sources=duplicates.hosts if machines else {},
        groups={doc_id: duplicates.key(doc_id) for doc_id in labels}, weights=example_weights(folder, labels),
        pool=[texts[doc_id] for doc_id in sample(texts, POOL)], seed=seed,
    )  # fmt: skip


def last_model(folder: CorpusFolder) -> CorpusModel | None:
    """Return the latest model, or None before the first training.

    Raises:
        RelevanceError: Its directory is damaged.
    """
    name = folder.catalog.value("SELECT folder FROM models ORDER BY created DESC LIMIT 1")
    return None if name is None else CorpusModel.load(folder.models.subfolder(name))


def stored_scores(folder: CorpusFolder, model: CorpusModel | None) -> dict[str, float]:
    """Return document → P(relevant) as stored for a model. Empty without a model."""
    query = "SELECT doc_id, relevance FROM scores WHERE model = ?"
    return {} if model is None else dict(folder.catalog.tuples(query, (model.version,)))


def score_documents(folder: CorpusFolder, model: CorpusModel, texts: dict[str, str] | None = None) -> int:
    """Store the scores and decisions of documents in the catalog. Return the number of documents.

    Without ``texts``: of all documents that this model has not scored yet.
    """
    if texts is None:
        missing = folder.catalog.rows(
            "SELECT doc_id FROM current c WHERE NOT EXISTS "
            "(SELECT 1 FROM scores s WHERE s.doc_id = c.doc_id AND s.model = ?)",
            (model.version,),
        )
        texts = scoring_texts(folder, [row["doc_id"] for row in missing]) if missing else {}
    if not texts:
        return 0
    scores, decisions = model.document.score_and_decide(list(texts.values()))
    with folder.catalog.transaction() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO scores (doc_id, model, relevance, decision) VALUES (?, ?, ?, ?)",
            [
                (doc_id, model.version, float(score), decision)
                for doc_id, score, decision in zip(texts, scores, decisions, strict=True)
            ],
        )
    return len(texts)


def decide_documents(folder: CorpusFolder, model: CorpusModel) -> int:
    """Decide the documents by the claim of the model's audit. Return the number of documents read.

    A claim does not change scores. Only documents beyond its bounds, and those decided by an earlier claim, are read.

    Args:
        folder: The corpus folder.
        model: The model with its audit.
    """
    audit = model.document.audit
    upper = 2.0 if audit is None or audit.threshold is None else audit.threshold
    lower = -1.0 if audit is None or audit.other_threshold is None else audit.other_threshold
    score_documents(folder, model)
    rows = folder.catalog.tuples(
        "SELECT s.doc_id FROM scores s JOIN current c ON c.doc_id = s.doc_id WHERE s.model = ? "
        "AND (s.decision <> 'unknown' OR s.relevance >= ? OR s.relevance <= ?)",
        (model.version, upper, lower),
    )
    return score_documents(folder, model, scoring_texts(folder, [doc_id for (doc_id,) in rows])) if rows else 0


def corpus_to_fasttext(folder: CorpusFolder, path: Path, *, kind: Kind = "document", seed: int = 0) -> DistilledModel:
    """Distil the latest model of a corpus into fastText, by its documents (one per group of duplicates) or its URLs.

    Raises:
        RelevanceError: The corpus has no model of this kind, or a class is missing.
    """
    if kind not in {"document", "url"}:
        raise RelevanceError(f"kind={kind!r}: expected document or url")
    models = last_model(folder)
    if models is None:
        raise RelevanceError("the corpus has no model to distil: train one first")
    positive = last_positive(folder)
    if kind == "document":
        model, by_people = models.document, training_labels(folder, positive=positive, groups=False)
        contents = scoring_texts(folder)
        duplicates = DuplicateGroups(folder)
        known = [doc_id for doc_id in by_people if doc_id in contents]
        unlabelled = duplicates.deduplicate([d for d in contents if d not in by_people], duplicates.keys(known))
        doc_ids = [*known, *unlabelled]
        texts, labels = [contents[doc_id] for doc_id in doc_ids], [by_people.get(doc_id) for doc_id in doc_ids]
    else:
        if models.url is None:
            raise RelevanceError(
                "the corpus has no model of URLs to distil: label documents of more hosts and train again"
            )
        model = models.url
        by_people = training_url_labels(
            folder, training_labels(folder, positive=positive, copies=True, groups=False), positive=positive
        )
        known = [*by_people, *(url for (url,) in folder.catalog.tuples("SELECT url FROM frontier"))]
        texts = list(dict.fromkeys(known))
        labels = [by_people.get(url) for url in texts]
    return to_fasttext(model, texts, path, labels=labels, seed=seed)


def _train_urls(
    folder: CorpusFolder, examples: dict[str, str], weights: Mapping[str, float], seed: int
) -> RelevanceModel | None:
    """Train a model of URLs. Return None if the examples are not sufficient."""
    pool = [row["url"] for row in folder.catalog.rows("SELECT url FROM frontier ORDER BY id LIMIT ?", (_URL_POOL,))]
    urls = sorted(examples)
    try:
        return train(
            urls,
            [examples[url] for url in urls],
            pool=pool or urls,
            kind="url",
            seed=seed,
            weights=[weights.get(url, 1.0) for url in urls],
        )
    except RelevanceError:
        return None


def _new_version(folder: CorpusFolder) -> str:
    """Return a new version name. Creating its directory reserves it."""
    number = folder.catalog.value("SELECT count(*) FROM models") + 1
    while not folder.models.try_mkdir(name := f"model-{number:04d}"):
        number += 1
    return name
