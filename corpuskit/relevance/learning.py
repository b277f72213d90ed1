"""The relevance loop of a corpus: its texts, training, scores in the catalogue; :mod:`corpuskit.relevance.active_learning` chooses what to label."""

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
from corpuskit.relevance.machines import MachineWeight, train_with_machines
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.scoring_text import MAX_TEXT, scoring_text
from corpuskit.relevance.space import Kind
from corpuskit.relevance.student import Student, to_fasttext
from corpuskit.relevance.training import train
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import now
from corpuskit.store.element_cache import main_texts
from corpuskit.store.telling import writing

POOL: Final = 5000  # unlabelled texts that teach the model which words there are
_URL_POOL: Final = 20_000
_VERDICT: Final = 0.5  # of a label: what a verdict of the model of documents counts where that is certain
_LEAST_SURE: Final = 0.2  # distance of its score from one half, doubled


def scoring_texts(folder: CorpusFolder, doc_ids: Sequence[str] | None = None) -> dict[str, str]:
    """doc_id → what a model reads, of the last versions, by host and URI."""
    found = {doc_id: text[:MAX_TEXT] for doc_id, text in main_texts(folder, doc_ids)}
    wanted = None if doc_ids is None else set(doc_ids)
    rows = folder.catalog.tuples("SELECT doc_id, title FROM current ORDER BY host, uri")
    return {
        doc_id: scoring_text(title or "", found.get(doc_id, ""))
        for doc_id, title in rows
        if wanted is None or doc_id in wanted
    }


def train_corpus(folder: CorpusFolder, *, positive: str = "relevant", seed: int = 0) -> CorpusModel:
    """Trains on the corpus' labels, saves the model, and scores all documents with it.

    Labels of machines count as far as people's labels show that they help, see :mod:`corpuskit.relevance.machines`.

    Args:
        folder: the corpus.
        positive: the label to find; of classes of your own, one against the rest.
        seed: same labels and seed, same model.

    Raises:
        RelevanceError: the labels do not suffice; the message says what lacks.
        CorpusError: the model cannot be saved.
    """
    if seed < 0:
        raise RelevanceError(f"seed={seed}: expected 0 or more")
    with writing("the model", "the one before stays the last"), hold_labels(folder):
        return _train_corpus(folder, positive, seed)


def _train_corpus(folder: CorpusFolder, positive: str, seed: int) -> CorpusModel:
    _check_positive(folder, positive)
    texts = scoring_texts(folder)
    known = DuplicateGroups(folder)
    labelled = training_labels(folder, positive=positive, known=known)
    judged = {target: label for target, label in labelled.items() if target in texts}
    if not judged:
        raise RelevanceError(f"no documents are labelled {positive} or other yet: label some of each first")
    document, machines = train_documents(folder, judged, texts, positive=positive, seed=seed, known=known)
    with_copies = training_labels(folder, positive=positive, copies=True, known=known)
    urls = training_url_labels(folder, with_copies, positive=positive, known=known)
    weights = example_weights(folder, with_copies)
    url = _train_urls(folder, urls, {known.uris[doc_id]: weight for doc_id, weight in weights.items()}, seed)
    model = _keep(
        folder, CorpusModel(document, url, machines=machines), len(judged), {"seed": seed, "positive": positive}
    )
    score_documents(folder, model, texts)
    return model


def _check_positive(folder: CorpusFolder, positive: str) -> None:
    """Raise if nobody has given this label, the usual one apart, of which more are asked for in other words."""
    there = Counter(label.label for label in corpus_labels(folder) if label.label is not None)
    if positive in there or not there or (positive == "relevant" and "other" in there):
        return
    named = ", ".join(f"{label!r} ({number:,})" for label, number in there.most_common())
    raise RelevanceError(f"nobody has labelled anything {positive!r}; positive is one of the labels given: {named}")


def _keep(folder: CorpusFolder, model: CorpusModel, labels: int, summary: Mapping[str, object]) -> CorpusModel:
    """Saves a model as the corpus' last one; returns it with its version."""
    version = _new_version(folder)
    model = replace(model, version=version)
    try:
        model.save(folder.models.within(version))
    except OSError:
        folder.models.within(version).remove_folder()
        raise
    told = json.dumps({**summary, "fingerprint": model.document.fingerprint})
    with folder.catalog.transaction() as connection:
        connection.execute(
            "INSERT INTO models (version, created, folder, labels, summary) VALUES (?, ?, ?, ?, ?)",
            (version, now(), version, labels, told),
        )
    return model


def retrain_urls(
    folder: CorpusFolder, verdicts: Mapping[str, float], pool: Sequence[str], *, seed: int = 0
) -> CorpusModel:
    """Trains the model of URLs again, on what people labelled and on what the model of documents says of pages.

    The model of documents stays, with its audit. A verdict counts less than a label: half of one where the model of
    documents is certain, nothing where it is in doubt.

    Args:
        folder: the corpus.
        verdicts: URL → P(relevant) of its page; for pages that are not in the corpus.
        pool: URLs that show what is to be scored, labelled or not.
        seed: same labels, verdicts and seed, same model.

    Raises:
        RelevanceError: there is no model yet, or labels and verdicts do not suffice.
    """
    last = last_model(folder)
    if last is None:
        raise RelevanceError("there is no model yet: label documents and train one first")
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
    said = {url: float(score) for url, score in {**verdicts, **scored}.items() if url not in by_people}
    doubt = {url: abs(2.0 * score - 1.0) for url, score in said.items()}
    taught = sample([url for url in said if doubt[url] >= _LEAST_SURE], _URL_POOL)
    urls = [*by_people, *taught]
    labels = [*by_people.values(), *("relevant" if said[url] >= 0.5 else "other" for url in taught)]
    weights = [*(1.0 for _ in by_people), *(_VERDICT * doubt[url] for url in taught)]
    url = train(urls, labels, pool=sample(pool, _URL_POOL) or urls, kind="url", seed=seed, weights=weights)
    model = _keep(
        folder, replace(last, url=url), labelled, {"seed": seed, "positive": positive, "verdicts": len(taught)}
    )
    with folder.catalog.transaction() as connection:  # the model of documents is the same: so are its scores
        connection.execute("UPDATE scores SET model = ? WHERE model = ?", (model.version, last.version))
    return model


def last_positive(folder: CorpusFolder) -> str:
    """The label that the last model was trained to find.

    Raises:
        RelevanceError: what is kept of it cannot be read.
    """
    summary = folder.catalog.value("SELECT summary FROM models ORDER BY created DESC LIMIT 1")
    try:
        return str(json.loads(summary).get("positive", "relevant"))
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise RelevanceError("what the last model was trained for cannot be read: train again") from error


def train_documents(
    folder: CorpusFolder,
    judged: Mapping[str, str],
    texts: Mapping[str, str],
    *,
    positive: str = "relevant",
    seed: int = 0,
    known: DuplicateGroups | None = None,
) -> tuple[RelevanceModel, tuple[MachineWeight, ...]]:
    """Return a model of documents from what people judged and machines labelled, and what each machine counts.

    Raises:
        RelevanceError: people's labels do not suffice.
    """
    copies = known or DuplicateGroups(folder)
    groups = copies.keys(judged)
    machines = {}
    for by, said in machine_labels(folder, positive=positive).items():
        once = copies.deduplicate((doc_id for doc_id in said if doc_id in texts and doc_id not in judged), groups)
        machines[by] = {doc_id: said[doc_id] for doc_id in [*once, *(d for d in judged if d in said)]}
    return train_with_machines(
        judged, machines, texts, sources=copies.hosts if machines else {}, groups={doc_id: copies.key(doc_id) for doc_id in judged},
        weights=example_weights(folder, judged),
        pool=[texts[doc_id] for doc_id in sample(texts, POOL)], seed=seed,
    )  # fmt: skip


def last_model(folder: CorpusFolder) -> CorpusModel | None:
    """The model trained last; None before the first.

    Raises:
        RelevanceError: its folder is damaged.
    """
    name = folder.catalog.value("SELECT folder FROM models ORDER BY created DESC LIMIT 1")
    return None if name is None else CorpusModel.load(folder.models.within(name))


def stored_scores(folder: CorpusFolder, model: CorpusModel | None) -> dict[str, float]:
    """Return document → P(relevant) as a saved model has scored it; empty without a model."""
    query = "SELECT doc_id, relevance FROM scores WHERE model = ?"
    return {} if model is None else dict(folder.catalog.tuples(query, (model.version,)))


def score_documents(folder: CorpusFolder, model: CorpusModel, texts: dict[str, str] | None = None) -> int:
    """Writes the relevance and decision of documents into the catalogue; returns how many.

    Without ``texts``: of the documents that this model has not scored yet.
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
    scores, decisions = model.document.verdicts(list(texts.values()))
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
    """Decide the documents by the claim of a model's audit, and return the number of documents read for it.

    Scores do not change with a claim: only documents beyond its bounds, and those decided by an earlier claim, are read.

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


def corpus_to_fasttext(folder: CorpusFolder, path: Path, *, kind: Kind = "document", seed: int = 0) -> Student:
    """Make a student of the corpus' last model, taught with its documents, one of each group of copies, or its URLs.

    Raises:
        RelevanceError: there is no model of this kind, or a class is missing.
    """
    if kind not in {"document", "url"}:
        raise RelevanceError(f"kind={kind!r}: expected document or url")
    models = last_model(folder)
    if models is None:
        raise RelevanceError("there is no model to teach fastText: train one first")
    positive = last_positive(folder)
    if kind == "document":
        model, judged = models.document, training_labels(folder, positive=positive, groups=False)
        contents = scoring_texts(folder)
        groups = DuplicateGroups(folder)
        known = [doc_id for doc_id in judged if doc_id in contents]
        others = groups.deduplicate([d for d in contents if d not in judged], groups.keys(known))
        texts, labels = [contents[doc_id] for doc_id in [*known, *others]], [judged.get(d) for d in [*known, *others]]
    else:
        if models.url is None:
            raise RelevanceError(
                "there is no model of URLs to teach fastText; label documents of more hosts and train again"
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
    """A model of URLs; None where the examples do not suffice."""
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
    """A name that no training has or gets; whoever makes its folder has it."""
    number = folder.catalog.value("SELECT count(*) FROM models") + 1
    while not folder.models.make_new(name := f"model-{number:04d}"):
        number += 1
    return name
