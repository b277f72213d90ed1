"""The relevance loop of a corpus: its texts, what to label next, training, scores in the catalogue."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpuskit.errors import RelevanceError
from corpuskit.labels import (
    OVERLAP,
    Copies,
    Questions,
    corpus_labels,
    example_weights,
    judged_documents,
    judged_urls,
    machine_labels,
    questions,
    sample,
)
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.relevance.machines import MachineWeight, train_with_machines
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.sampling import Reason, exploration, first_questions, suggest
from corpuskit.relevance.scoring_text import MAX_TEXT, scoring_text
from corpuskit.relevance.space import Kind
from corpuskit.relevance.student import Student, to_fasttext
from corpuskit.relevance.training import train
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import now
from corpuskit.store.element_cache import main_texts
from corpuskit.store.telling import writing

if TYPE_CHECKING:
    import pandas as pd

_POOL: Final = 5000  # unlabelled texts that teach the model which words there are
_URL_POOL: Final = 20_000
_LABELS_A_SOURCE: Final = 2
_MIXED: Final = 3  # documents of any source beside those of a crawl; from so many on one of them is drawn at random
MACHINE_AT_ODDS: Final = "machine and model disagree"
_VERDICT: Final = 0.5  # of a label: what a verdict of the model of documents counts where that is certain
_LEAST_SURE: Final = 0.2  # distance of its score from one half, doubled
_COLD, _COLD_POSITIVES = 10, 3  # labels; with fewer, of these relevant, seed words know more than a model


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
    with writing("the model", "the one before stays the last"):
        return _train_corpus(folder, positive, seed)


def _train_corpus(folder: CorpusFolder, positive: str, seed: int) -> CorpusModel:
    _check_positive(folder, positive)
    texts = scoring_texts(folder)
    judged = {target: label for target, label in judged_documents(folder, positive=positive).items() if target in texts}
    if not judged:
        raise RelevanceError(f"no documents are labelled {positive} or other yet: label some of each first")
    document, machines = train_documents(folder, judged, texts, positive=positive, seed=seed)
    with_copies = judged_documents(folder, positive=positive, copies=True)
    url = _train_urls(
        folder, judged_urls(folder, with_copies, positive=positive), example_weights(folder, with_copies), seed
    )
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
    row = folder.catalog.rows("SELECT labels, summary FROM models ORDER BY created DESC LIMIT 1")[0]
    positive = _positive(row["summary"])
    score_documents(folder, last)
    scored = dict(
        folder.catalog.tuples(
            "SELECT c.uri, s.relevance FROM current c JOIN scores s ON s.doc_id = c.doc_id "
            "WHERE c.host <> '' AND s.model = ?",
            (last.version,),
        )
    )
    by_people = judged_urls(folder, judged_documents(folder, positive=positive, copies=True), positive=positive)
    said = {url: float(score) for url, score in {**verdicts, **scored}.items() if url not in by_people}
    doubt = {url: abs(2.0 * score - 1.0) for url, score in said.items()}
    taught = sample([url for url in said if doubt[url] >= _LEAST_SURE], _URL_POOL)
    urls = [*by_people, *taught]
    labels = [*by_people.values(), *("relevant" if said[url] >= 0.5 else "other" for url in taught)]
    weights = [*(1.0 for _ in by_people), *(_VERDICT * doubt[url] for url in taught)]
    url = train(urls, labels, pool=sample(pool, _URL_POOL) or urls, kind="url", seed=seed, weights=weights)
    model = _keep(
        folder, replace(last, url=url), row["labels"], {"seed": seed, "positive": positive, "verdicts": len(taught)}
    )
    with folder.catalog.transaction() as connection:  # the model of documents is the same: so are its scores
        connection.execute("UPDATE scores SET model = ? WHERE model = ?", (model.version, last.version))
    return model


def _positive(summary: str) -> str:
    """The label that the last model was trained to find.

    Raises:
        RelevanceError: what is kept of it cannot be read.
    """
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
) -> tuple[RelevanceModel, tuple[MachineWeight, ...]]:
    """Return a model of documents from what people judged and machines labelled, and what each machine counts.

    Raises:
        RelevanceError: people's labels do not suffice.
    """
    copies = Copies(folder)
    known = copies.groups(judged)
    machines = {}
    for by, said in machine_labels(folder, positive=positive).items():
        once = copies.once((doc_id for doc_id in said if doc_id in texts and doc_id not in judged), known)
        machines[by] = {doc_id: said[doc_id] for doc_id in [*once, *(d for d in judged if d in said)]}
    hosts = dict(folder.catalog.tuples("SELECT doc_id, host FROM current")) if machines else {}
    return train_with_machines(
        judged, machines, texts, sources=hosts, groups={doc_id: copies.of(doc_id) for doc_id in judged},
        weights=example_weights(folder, judged),
        pool=[texts[doc_id] for doc_id in sample(texts, _POOL)], seed=seed,
    )  # fmt: skip


def last_model(folder: CorpusFolder) -> CorpusModel | None:
    """The model trained last; None before the first.

    Raises:
        RelevanceError: its folder is damaged.
    """
    name = folder.catalog.value("SELECT folder FROM models ORDER BY created DESC LIMIT 1")
    return None if name is None else CorpusModel.load(folder.models.within(name))


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
    summary = folder.catalog.value("SELECT summary FROM models ORDER BY created DESC LIMIT 1")
    positive = _positive(summary)
    if kind == "document":
        model, judged = models.document, judged_documents(folder, positive=positive, groups=False)
        contents = scoring_texts(folder)
        groups = Copies(folder)
        known = [doc_id for doc_id in judged if doc_id in contents]
        others = groups.once([d for d in contents if d not in judged], groups.groups(known))
        texts, labels = [contents[doc_id] for doc_id in [*known, *others]], [judged.get(d) for d in [*known, *others]]
    else:
        if models.url is None:
            raise RelevanceError(
                "there is no model of URLs to teach fastText; label documents of more hosts and train again"
            )
        model = models.url
        by_people = judged_urls(
            folder, judged_documents(folder, positive=positive, copies=True, groups=False), positive=positive
        )
        known = [*by_people, *(url for (url,) in folder.catalog.tuples("SELECT url FROM frontier"))]
        texts = list(dict.fromkeys(known))
        labels = [by_people.get(url) for url in texts]
    return to_fasttext(model, texts, path, labels=labels, seed=seed)


def next_to_label(
    folder: CorpusFolder,
    n: int,
    *,
    by: str | None = None,
    overlap: float | None = None,
    model: CorpusModel | None = None,
    seed: int = 0,
    stakes: Mapping[str, int] | None = None,
) -> pd.DataFrame:
    """Documents to label next, each with the reason it is asked for.

    Those on which annotators are tied come first, then a few that others have labelled and everyone is asked, then some on
    which a machine (:meth:`Corpus.prelabel`) and the model disagree: one of them is wrong. Of what nobody
    has labelled, three in four come from the sources of which a crawl would fetch most next, those with few labels before
    others: first any page of the source, then the one that the model is least certain of. Of the rest most are those that
    the model is least certain of anywhere, unlike each other, and one is drawn at random. Without a crawl one in ten is drawn
    at random, and until ten relevant ones are known a quarter are those that the model is most certain of. Before there is a
    model, documents from regions of the corpus without labels are asked for; with seed words (:meth:`Corpus.describe`) two
    of three are the ones nearest to them, until ten are labelled and three of these are relevant, see :func:`first_questions`.

    Args:
        folder: the corpus.
        n: how many.
        by: who is to be asked; None: anybody.
        overlap: the share of the documents that every annotator is asked, and of these ``n``; default 0.1.
        model: chooses; None: the last one.
        seed: of the random ones.
        stakes: host → how many of the pages that a crawl would fetch next are its own; see
            :func:`corpuskit.crawl.steering.stakes`.

    Returns:
        Columns doc_id, uri, reason (disagreement, for everyone, machine and model disagree, new source, uncertain, certain,
        random, seed words, new region), title, host (str), relevance (float64).
    """
    import pandas as pd

    if n < 1:
        raise RelevanceError(f"n={n}: expected at least 1")
    model = model or last_model(folder)
    seeds = seeds_to_ask_by(folder)
    texts = scoring_texts(folder) if model or seeds else {}
    share = OVERLAP if overlap is None else overlap
    open_to = questions(folder, by, overlap=share)
    labelled = {label.target for label in corpus_labels(folder, "document") if not label.is_guess}
    rows = folder.catalog.rows("SELECT doc_id, uri, title, host FROM current ORDER BY host, uri")
    known = {row["doc_id"]: row for row in rows}
    free = open_to.free
    chosen = dict.fromkeys(open_to.disputed[:n], "disagreement")
    chosen |= dict.fromkeys(for_everyone(open_to, n - len(chosen), share), "for everyone")
    wanted = n - len(chosen)
    if model is not None:
        scored = _scores_of(folder)
        chosen |= dict.fromkeys(at_odds(folder, free, scored)[: share_at_odds(wanted)], MACHINE_AT_ODDS)
        wanted = n - len(chosen)
        free = [doc_id for doc_id in free if doc_id not in chosen]
    if model is None or seeds:
        chosen |= _first_ones(folder, seeds, texts, free, labelled, wanted, seed)
        model = None
    elif stakes:
        given = Counter(known[doc_id]["host"] for doc_id in known if doc_id in labelled)
        hosts = {doc_id: known[doc_id]["host"] for doc_id in free}
        chosen |= of_sources(hosts, given, _doubt(folder), stakes, wanted - wanted // 4)
    rest = [doc_id for doc_id in free if doc_id not in chosen]
    left = min(n - len(chosen), len(rest))
    if model is None:
        chosen |= dict.fromkeys(sample(rest, left), "random")
    elif left:
        certain, drawn = (0, int(left >= _MIXED)) if stakes else exploration(model.document, left)
        found = suggest(model.document, [texts[i] for i in rest], left, certain=certain, random=drawn, seed=seed)
        chosen |= {rest[item.index]: item.reason for item in found}
    scores = model.score([texts[doc_id] for doc_id in chosen]) if model and chosen else [float("nan")] * len(chosen)
    asked = [
        (doc_id, known[doc_id]["uri"], reason, known[doc_id]["title"] or "", known[doc_id]["host"], float(score))
        for (doc_id, reason), score in zip(chosen.items(), scores, strict=True)
    ]
    columns = {"doc_id": "str", "uri": "str", "reason": "str", "title": "str", "host": "str", "relevance": "float64"}
    return pd.DataFrame(asked, columns=list(columns)).astype(columns)


def for_everyone(open_to: Questions, n: int, share: float) -> list[str]:
    """As many of the documents that everyone is asked as ``n`` questions have room for: the share of them, one at least.

    All of them where nothing else is left.
    """
    room = n if not open_to.free else min(n, max(1, round(n * share)))
    return sample(open_to.shared, room)


def share_at_odds(n: int) -> int:
    """How many of ``n`` questions are about documents on which a machine and the model disagree at most."""
    return n // 5


def at_odds(folder: CorpusFolder, free: Sequence[str], scores: Mapping[str, float]) -> list[str]:
    """Documents that a machine has labelled otherwise than the model does, the most certain of the model first.

    Args:
        folder: the corpus.
        free: documents that can be asked.
        scores: document → P(relevant).
    """
    allowed = set(free)
    found: dict[str, float] = {}
    for said in machine_labels(folder).values():
        for doc_id, label in said.items():
            score = scores.get(doc_id)
            if doc_id in allowed and score is not None and (score >= 0.5) != (label == "relevant"):
                found[doc_id] = abs(score - 0.5)
    return sorted(found, key=lambda doc_id: (-found[doc_id], doc_id))


def seeds_in_no_text(folder: CorpusFolder, seeds: Sequence[str]) -> list[str]:
    """Return the seed words that stand in no document, not even as part of a word: slips of the pen, or another language."""
    left = {seed: seed.casefold() for seed in seeds}
    for text in scoring_texts(folder).values():
        folded = text.casefold()
        left = {seed: word for seed, word in left.items() if word not in folded}
        if not left:
            break
    return list(left)


def seeds_to_ask_by(folder: CorpusFolder) -> Sequence[str]:
    """The seed words of the corpus while there are few labels."""
    judged = judged_documents(folder)
    weights = example_weights(folder, judged)
    relevant = sum(weights.get(doc_id, 1.0) for doc_id, label in judged.items() if label == "relevant")
    known = len(judged) - len(weights) + sum(weights.values()) >= _COLD and relevant >= _COLD_POSITIVES
    return () if known else folder.settings.seeds


def _first_ones(
    folder: CorpusFolder,
    seeds: Sequence[str],
    texts: Mapping[str, str],
    free: Sequence[str],
    labelled: Set[str],
    n: int,
    seed: int,
) -> dict[str, Reason]:
    """What is asked without a model, or with one that knows less than the seed words; of a sample where there are none."""
    known = [*free, *sorted(labelled)] if seeds else [*sample(free, max(n, _POOL)), *sample(labelled, _POOL)]
    texts = texts or scoring_texts(folder, known)
    known = [doc_id for doc_id in known if doc_id in texts]
    said = [position for position, doc_id in enumerate(known) if doc_id in labelled]
    if n < 1 or len(said) == len(known):
        return {}
    found = first_questions([texts[doc_id] for doc_id in known], n, seeds=seeds, labelled=said, seed=seed)
    return {known[item.index]: item.reason for item in found}


def of_sources(
    free: Mapping[str, str], given: Counter[str], doubt: Mapping[str, float], stakes: Mapping[str, int], n: int
) -> dict[str, str]:
    """Return up to ``n`` documents of the sources where a label counts most, each with its reason.

    Args:
        free: document without a label → its host.
        given: host → labels so far.
        doubt: document → the distance of its score from one half.
        stakes: host → how many of the next pages would be its own.
        n: how many.
    """
    documents: dict[str, list[str]] = {}
    for doc_id, host in free.items():
        if stakes.get(host):
            documents.setdefault(host, []).append(doc_id)
    labels, chosen = Counter(given), dict[str, str]()
    while documents and len(chosen) < n:
        host = max(documents, key=lambda host: (stakes[host] / (1 + labels[host]) ** 2, host))
        candidates = documents[host]
        if labels[host]:
            doc_id = min(candidates, key=lambda doc_id: (doubt.get(doc_id, 0.0), doc_id))
        else:
            [doc_id] = sample(candidates, 1)
        chosen[doc_id] = "uncertain" if labels[host] >= _LABELS_A_SOURCE else "new source"
        labels[host] += 1
        candidates.remove(doc_id)
        if not candidates:
            del documents[host]
    return chosen


def _doubt(folder: CorpusFolder) -> dict[str, float]:
    return {doc_id: abs(score - 0.5) for doc_id, score in _scores_of(folder).items()}


def _scores_of(folder: CorpusFolder) -> dict[str, float]:
    return dict(folder.catalog.tuples("SELECT doc_id, relevance FROM scores"))


def _train_urls(
    folder: CorpusFolder, examples: dict[str, str], weights: Mapping[str, float], seed: int
) -> RelevanceModel | None:
    """A model of URLs; None where the examples do not suffice. Weights are those of documents."""
    rows = folder.catalog.tuples("SELECT uri, doc_id FROM current") if weights else []
    weight_of = {uri: weights[doc_id] for uri, doc_id in rows if doc_id in weights}
    pool = [row["url"] for row in folder.catalog.rows("SELECT url FROM frontier ORDER BY id LIMIT ?", (_URL_POOL,))]
    urls = sorted(examples)
    try:
        return train(
            urls,
            [examples[url] for url in urls],
            pool=pool or urls,
            kind="url",
            seed=seed,
            weights=[weight_of.get(url, 1.0) for url in urls],
        )
    except RelevanceError:
        return None


def _new_version(folder: CorpusFolder) -> str:
    """A name that no training has or gets; whoever makes its folder has it."""
    number = folder.catalog.value("SELECT count(*) FROM models") + 1
    while not folder.models.make_new(name := f"model-{number:04d}"):
        number += 1
    return name
