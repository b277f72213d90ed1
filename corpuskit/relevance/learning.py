"""The relevance loop of a corpus: its texts, what to label next, training, scores in the catalogue."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpuskit.errors import RelevanceError
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.reading import scoring_text
from corpuskit.relevance.sampling import suggest
from corpuskit.relevance.training import train
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import now
from corpuskit.store.element_cache import element_table

if TYPE_CHECKING:
    import pandas as pd

AUDIT_NOTE: Final = "audit"
"""The note of labels that certify a model; they are not trained on."""
_POOL: Final = 5000  # unlabelled texts that teach the model which words there are
_URL_POOL: Final = 20_000
_LABELS_A_SOURCE: Final = 2


def main_texts(folder: CorpusFolder, doc_ids: Sequence[str] | None = None) -> dict[str, str]:
    """doc_id → what a model reads, of the last versions, by host and URI."""
    import pyarrow as pa

    table = element_table(folder, doc_ids, columns=["doc_id", "text", "main"])
    parts: dict[str, list[str]] = {}
    columns = (table.column("doc_id").cast(pa.string()), table.column("text"), table.column("main"))
    for doc_id, text, main in zip(*(column.to_pylist() for column in columns), strict=True):
        if main and text:
            parts.setdefault(doc_id, []).append(text)
    wanted = None if doc_ids is None else set(doc_ids)
    rows = folder.catalog.rows("SELECT doc_id, title FROM current ORDER BY host, uri")
    return {
        doc_id: scoring_text(title or "", "\n".join(parts.get(doc_id, ())))
        for doc_id, title in rows
        if wanted is None or doc_id in wanted
    }


def train_corpus(folder: CorpusFolder, *, seed: int = 0) -> CorpusModel:
    """Trains on the corpus' labels, saves the model, and scores all documents with it.

    Raises:
        RelevanceError: the labels do not suffice; the message says what lacks.
    """
    texts = main_texts(folder)
    judged = {
        label.target: label.label
        for label in folder.labels.current()
        if label.kind == "document"
        and label.label in {"relevant", "other"}
        and label.target in texts
        and label.note != AUDIT_NOTE
    }
    if not judged:
        raise RelevanceError("no documents are labelled relevant or other yet: use .label() or .set_labels()")
    targets = sorted(judged)
    labels = [judged[target] for target in targets]
    pool = [texts[doc_id] for doc_id in _sample(texts, _POOL)]
    document = train([texts[target] for target in targets], labels, pool=pool, seed=seed)
    url = _train_urls(folder, judged, seed)
    version = _next_version(folder)
    model = CorpusModel(document, url, version)
    model.save(folder.models / version)
    with folder.catalog.transaction() as connection:
        connection.execute(
            "INSERT INTO models (version, created, folder, labels, summary) VALUES (?, ?, ?, ?, ?)",
            (version, now(), version, len(judged), json.dumps({"seed": seed, "fingerprint": document.fingerprint})),
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
        texts = main_texts(folder, [row["doc_id"] for row in missing]) if missing else {}
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


def next_to_label(folder: CorpusFolder, n: int, *, model: CorpusModel | None = None, seed: int = 0) -> pd.DataFrame:
    """Documents to label next, each with the reason it is asked for.

    Up to half of them check sources without two labels yet, those with most waiting URLs first; of the rest most are
    those the model is least certain of, some it is most certain of, and one is drawn at random. Before there is a model
    all others are drawn at random.

    Returns:
        Columns doc_id, uri, reason (new source, uncertain, certain, random), title, host (str), relevance (float64).
    """
    import pandas as pd

    if n < 1:
        raise RelevanceError(f"n={n}: expected at least 1")
    model = model or last_model(folder)
    texts = main_texts(folder)
    labelled = {label.target for label in folder.labels.current() if label.kind == "document"}
    free = [doc_id for doc_id in texts if doc_id not in labelled]
    chosen = dict.fromkeys(_new_sources(folder, set(free), labelled, n // 2 if model else 0), "new source")
    rest = [doc_id for doc_id in free if doc_id not in chosen]
    left = min(n - len(chosen), len(rest))
    if model is None:
        chosen |= dict.fromkeys(_sample(rest, left), "random")
    elif left:
        certain, random = (left // 4, 1) if left >= 4 else (0, 0)
        found = suggest(model.document, [texts[i] for i in rest], left, certain=certain, random=random, seed=seed)
        chosen |= {rest[item.index]: item.reason for item in found}
    scores = model.score([texts[doc_id] for doc_id in chosen]) if model and chosen else [float("nan")] * len(chosen)
    known = {row["doc_id"]: row for row in folder.catalog.rows("SELECT doc_id, uri, title, host FROM current")}
    rows = [
        (doc_id, known[doc_id]["uri"], reason, known[doc_id]["title"] or "", known[doc_id]["host"], float(score))
        for (doc_id, reason), score in zip(chosen.items(), scores, strict=True)
    ]
    columns = {"doc_id": "str", "uri": "str", "reason": "str", "title": "str", "host": "str", "relevance": "float64"}
    return pd.DataFrame(rows, columns=list(columns)).astype(columns)


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
    waiting = dict(
        tuple(row)
        for row in folder.catalog.rows("SELECT host, count(*) FROM frontier WHERE state = 'queued' GROUP BY host")
    )
    unsure = [host for host in documents if given[host] < _LABELS_A_SOURCE]
    unsure.sort(key=lambda host: (-waiting.get(host, 0), -len(documents[host]), host))
    found: list[str] = []
    for host in unsure:
        candidates = _sample([doc_id for doc_id in documents[host] if doc_id in free], _LABELS_A_SOURCE - given[host])
        found += candidates
        if len(found) >= most:
            break
    return found[:most]


def _train_urls(folder: CorpusFolder, judged: dict[str, str], seed: int) -> RelevanceModel | None:
    """A model of URLs from the labelled documents' and the labelled URLs; None where they do not suffice."""
    uris = dict(tuple(row) for row in folder.catalog.rows("SELECT doc_id, uri FROM current WHERE host <> ''"))
    examples = {uris[target]: label for target, label in judged.items() if target in uris}
    examples |= {
        label.target: label.label
        for label in folder.labels.current()
        if label.kind == "url" and label.label in {"relevant", "other"}
    }
    pool = [row["url"] for row in folder.catalog.rows("SELECT url FROM frontier ORDER BY id LIMIT ?", (_URL_POOL,))]
    urls = sorted(examples)
    try:
        return train(urls, [examples[url] for url in urls], pool=pool or urls, kind="url", seed=seed)
    except RelevanceError:
        return None


def _sample(doc_ids: Sequence[str] | dict[str, str], n: int) -> list[str]:
    """``n`` of them, the same ones each time and not by place: by the checksum of the id."""
    if n <= 0:
        return []
    return sorted(sorted(doc_ids, key=lambda doc_id: (zlib.crc32(doc_id.encode()), doc_id))[:n])


def _next_version(folder: CorpusFolder) -> str:
    return f"model-{folder.catalog.value('SELECT count(*) FROM models') + 1:04d}"
