"""The relevance loop of a corpus: its texts, what to label next, training, scores in the catalogue."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpuskit.errors import RelevanceError
from corpuskit.labels import OVERLAP, Questions, corpus_labels, judged_documents, judged_urls, questions, sample
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.reading import MAX_TEXT, scoring_text
from corpuskit.relevance.sampling import rank_by_seeds, suggest
from corpuskit.relevance.space import Space
from corpuskit.relevance.training import train
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import now
from corpuskit.store.element_cache import main_texts

if TYPE_CHECKING:
    import pandas as pd

_POOL: Final = 5000  # unlabelled texts that teach the model which words there are
_URL_POOL: Final = 20_000
_LABELS_A_SOURCE: Final = 2
_CANDIDATES = 10  # uncertain documents for each that is asked for, to choose different sources from
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

    Args:
        folder: the corpus.
        positive: the label to find; of classes of your own, one against the rest.
        seed: same labels and seed, same model.

    Raises:
        RelevanceError: the labels do not suffice; the message says what lacks.
    """
    texts = scoring_texts(folder)
    judged = {target: label for target, label in judged_documents(folder, positive=positive).items() if target in texts}
    if not judged:
        raise RelevanceError(f"no documents are labelled {positive} or other yet: use .label() or .set_labels()")
    targets = sorted(judged)
    labels = [judged[target] for target in targets]
    pool = [texts[doc_id] for doc_id in sample(texts, _POOL)]
    document = train([texts[target] for target in targets], labels, pool=pool, seed=seed)
    with_copies = judged_documents(folder, positive=positive, copies=True)
    url = _train_urls(folder, judged_urls(folder, with_copies, positive=positive), seed)
    version = _next_version(folder)
    model = CorpusModel(document, url, version)
    model.save(folder.models / version)
    with folder.catalog.transaction() as connection:
        connection.execute(
            "INSERT INTO models (version, created, folder, labels, summary) VALUES (?, ?, ?, ?, ?)",
            (
                version,
                now(),
                version,
                len(judged),
                json.dumps({"seed": seed, "positive": positive, "fingerprint": document.fingerprint}),
            ),
        )
    score_documents(folder, model, texts)
    return model


def last_model(folder: CorpusFolder) -> CorpusModel | None:
    """The model trained last; None before the first.

    Raises:
        RelevanceError: its folder is damaged.
    """
    name = folder.catalog.value("SELECT folder FROM models ORDER BY created DESC LIMIT 1")
    return None if name is None else CorpusModel.load(folder.models / Path(name).name)


def score_documents(folder: CorpusFolder, model: CorpusModel, texts: dict[str, str] | None = None) -> int:
    """Writes the relevance and decision of documents into the catalogue; gives how many.

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
    contents = list(texts.values())
    scores = model.score(contents)
    decisions = model.document.decide(contents)
    with folder.catalog.transaction() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO scores (doc_id, model, relevance, decision) VALUES (?, ?, ?, ?)",
            [
                (doc_id, model.version, float(score), decision)
                for doc_id, score, decision in zip(texts, scores, decisions, strict=True)
            ],
        )
    return len(texts)


def next_to_label(
    folder: CorpusFolder,
    n: int,
    *,
    by: str | None = None,
    overlap: float | None = None,
    model: CorpusModel | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Documents to label next, each with the reason it is asked for.

    Those on which annotators are tied come first, then a few that others have labelled and everyone is asked. Of what
    nobody has labelled, up to half of them check sources without two labels yet, those with most waiting URLs first; of the rest most are
    among those the model is least certain of, from one source after another, those with most waiting URLs first; some it
    is most certain of, and one is drawn at random. Before there is a model
    all others are drawn at random. A corpus with seed words (:meth:`Corpus.describe`) asks for the documents nearest to
    them, and one at random, until ten are labelled and three of these are relevant.

    Args:
        folder: the corpus.
        n: how many.
        by: who is to be asked; None: anybody.
        overlap: the share of the documents that every annotator is asked, and of these ``n``; default 0.1.
        model: chooses; None: the last one.
        seed: of the random ones.

    Returns:
        Columns doc_id, uri, reason (disagreement, for everyone, new source, uncertain, certain, random, seed words), title, host (str), relevance (float64).
    """
    import pandas as pd

    if n < 1:
        raise RelevanceError(f"n={n}: expected at least 1")
    model = model or last_model(folder)
    seeds = _seeds_to_ask_by(folder)
    texts = scoring_texts(folder) if model or seeds else {}
    share = OVERLAP if overlap is None else overlap
    open_to = questions(folder, by, overlap=share)
    labelled = {label.target for label in corpus_labels(folder, "document")}
    rows = folder.catalog.rows("SELECT doc_id, uri, title, host FROM current ORDER BY host, uri")
    known = {row["doc_id"]: row for row in rows}
    free = open_to.free
    chosen = dict.fromkeys(open_to.disputed[:n], "disagreement")
    chosen |= dict.fromkeys(for_everyone(open_to, n - len(chosen), share), "for everyone")
    wanted = n - len(chosen)
    if near := _near_seeds(seeds, texts, free):
        chosen |= dict.fromkeys(near[: max(wanted - 1, min(wanted, 1))], "seed words")
        model = None
    else:
        new = _new_sources(folder, set(free), labelled, wanted // 2 if model else 0)
        chosen |= dict.fromkeys(new, "new source")
    rest = [doc_id for doc_id in free if doc_id not in chosen]
    left = min(n - len(chosen), len(rest))
    if model is None:
        chosen |= dict.fromkeys(sample(rest, left), "random")
    elif left:
        certain, random = (left // 4, 1) if left >= 4 else (0, 0)
        most = min(left + _CANDIDATES * n, len(rest))
        found = suggest(model.document, [texts[i] for i in rest], most, certain=certain, random=random, seed=seed)
        uncertain = [rest[item.index] for item in found if item.reason == "uncertain"]
        spread = _spread(folder, uncertain, left - (len(found) - len(uncertain)))
        chosen |= dict.fromkeys(spread, "uncertain")
        chosen |= {rest[item.index]: item.reason for item in found if item.reason != "uncertain"}
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


def _seeds_to_ask_by(folder: CorpusFolder) -> Sequence[str]:
    """The seed words of the corpus while there are few labels."""
    judged = judged_documents(folder)
    known = len(judged) >= _COLD and sum(label == "relevant" for label in judged.values()) >= _COLD_POSITIVES
    return () if known else folder.settings.seeds


def _near_seeds(seeds: Sequence[str], texts: dict[str, str], free: Sequence[str]) -> list[str]:
    """The free documents by falling nearness to the seed words; none where these say nothing."""
    if not seeds or not free:
        return []
    try:
        space = Space.fit([texts[doc_id] for doc_id in sample(texts, _POOL)])
        nearness = rank_by_seeds([texts[doc_id] for doc_id in free], seeds, space=space)
    except RelevanceError:
        return []
    return [doc_id for near, doc_id in sorted(zip((-nearness).tolist(), free, strict=True)) if near < 0]


def _new_sources(folder: CorpusFolder, free: set[str], labelled: set[str], most: int) -> list[str]:
    """Documents of web hosts that have fewer than two labels, at most two a host."""
    if most < 1:
        return []
    rows = folder.catalog.rows(
        "SELECT c.host, c.doc_id FROM current c WHERE c.host <> '' ORDER BY c.host, c.uri",
    )
    documents: dict[str, list[str]] = {}
    given: dict[str, int] = {}
    for host, doc_id in rows:
        documents.setdefault(host, []).append(doc_id)
        given[host] = given.get(host, 0) + (doc_id in labelled)
    waiting = _waiting(folder)
    unsure = [host for host in documents if given[host] < _LABELS_A_SOURCE]
    unsure.sort(key=lambda host: (-waiting.get(host, 0), -len(documents[host]), host))
    found: list[str] = []
    for host in unsure:
        candidates = sample([doc_id for doc_id in documents[host] if doc_id in free], _LABELS_A_SOURCE - given[host])
        found += candidates
        if len(found) >= most:
            break
    return found[:most]


def _spread(folder: CorpusFolder, doc_ids: Sequence[str], n: int) -> list[str]:
    """``n`` of the documents, from one source after another: a label says most where most URLs wait for it."""
    host_of = {row["doc_id"]: row["host"] for row in folder.catalog.rows("SELECT doc_id, host FROM current")}
    waiting = _waiting(folder)
    sources: dict[str, list[str]] = {}
    for doc_id in doc_ids:
        sources.setdefault(host_of[doc_id], []).append(doc_id)
    queues = sorted(sources.items(), key=lambda item: -waiting.get(item[0], 0))
    rounds = zip_longest(*(queue for _, queue in queues))
    return [doc_id for one_each in rounds for doc_id in one_each if doc_id is not None][:n]


def _waiting(folder: CorpusFolder) -> dict[str, int]:
    """Host → queued URLs."""
    rows = folder.catalog.rows("SELECT host, count(*) FROM frontier WHERE state = 'queued' GROUP BY host")
    return dict(tuple(row) for row in rows)


def _train_urls(folder: CorpusFolder, examples: dict[str, str], seed: int) -> RelevanceModel | None:
    """A model of URLs; None where the examples do not suffice."""
    pool = [row["url"] for row in folder.catalog.rows("SELECT url FROM frontier ORDER BY id LIMIT ?", (_URL_POOL,))]
    urls = sorted(examples)
    try:
        return train(urls, [examples[url] for url in urls], pool=pool or urls, kind="url", seed=seed)
    except RelevanceError:
        return None


def _next_version(folder: CorpusFolder) -> str:
    return f"model-{folder.catalog.value('SELECT count(*) FROM models') + 1:04d}"
