"""What a person is asked to label next, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final

from corpuskit.errors import RelevanceError
from corpuskit.labels import (
    OVERLAP,
    Questions,
    corpus_labels,
    example_weights,
    judged_documents,
    machine_labels,
    questions,
    sample,
)
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.relevance.learning import last_model, scoring_texts
from corpuskit.relevance.sampling import Reason, exploration, first_questions, suggest
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd

_POOL: Final = 5000  # unlabelled texts that teach the model which words there are
_LABELS_A_SOURCE: Final = 2
_MIXED: Final = 3  # documents of any source beside those of a crawl; from so many on one of them is drawn at random
MACHINE_AT_ODDS: Final = "machine and model disagree"
_COLD, _COLD_POSITIVES = 10, 3  # labels; with fewer, of these relevant, seed words know more than a model


def next_to_label(
    folder: CorpusFolder,
    n: int,
    *,
    by: str | None = None,
    overlap: float | None = None,
    model: CorpusModel | None = None,
    stakes: Mapping[str, int] | None = None,
    taken: Set[str] = frozenset(),
    texts: Mapping[str, str] | None = None,
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
    What a model chooses comes with the reasons in turn, so that the first few are like all.

    Args:
        folder: the corpus.
        n: how many.
        by: who is to be asked; None: anybody.
        overlap: the share of the documents that every annotator is asked, and of these ``n``; default 0.1.
        model: chooses; None: the last one.
        stakes: host → how many of the pages that a crawl would fetch next are its own; see
            :func:`corpuskit.crawl.steering.stakes`.
        taken: documents that are not to be asked.
        texts: what a model reads of all documents; None: they are read where they are needed.

    Returns:
        Columns doc_id, uri, reason (disagreement, for everyone, machine and model disagree, new source, uncertain, certain,
        random, seed words, new region), title, host (str), relevance (float64).
    """
    import pandas as pd

    if n < 1:
        raise RelevanceError(f"n={n}: expected at least 1")
    model = model or last_model(folder)
    seeds = seeds_to_ask_by(folder)
    if texts is None:
        texts = scoring_texts(folder) if model or seeds else {}
    share = OVERLAP if overlap is None else overlap
    open_to = questions(folder, by, overlap=share).without(taken)
    labelled = {label.target for label in corpus_labels(folder, "document") if not label.is_guess}
    rows = folder.catalog.rows("SELECT doc_id, uri, title, host FROM current ORDER BY host, uri")
    known = {row["doc_id"]: row for row in rows}
    free = open_to.free
    chosen = dict.fromkeys(open_to.disputed[:n], "disagreement")
    chosen |= dict.fromkeys(for_everyone(open_to, n - len(chosen), share), "for everyone")
    first = len(chosen)
    wanted = n - len(chosen)
    scored: Mapping[str, float] = {}
    if model is not None:
        scored = _scores_of(folder, model, free, texts)
        chosen |= dict.fromkeys(at_odds(folder, free, scored)[: share_at_odds(wanted)], MACHINE_AT_ODDS)
        wanted = n - len(chosen)
        free = [doc_id for doc_id in free if doc_id not in chosen]
    if model is None or seeds:
        chosen |= _first_ones(folder, seeds, texts, free, labelled, wanted)
        model = None
    elif stakes:
        given = Counter(known[doc_id]["host"] for doc_id in known if doc_id in labelled)
        hosts = {doc_id: known[doc_id]["host"] for doc_id in free}
        doubt = {doc_id: abs(score - 0.5) for doc_id, score in scored.items()}
        chosen |= of_sources(hosts, given, doubt, stakes, wanted - wanted // 4)
    rest = [doc_id for doc_id in free if doc_id not in chosen]
    left = min(n - len(chosen), len(rest))
    if model is None:
        chosen |= dict.fromkeys(sample(rest, left), "random")
    elif left:
        certain, drawn = (0, int(left >= _MIXED)) if stakes else exploration(model.document, left)
        found = suggest(model.document, [texts[i] for i in rest], left, certain=certain, random=drawn)
        chosen |= {rest[item.index]: item.reason for item in found}
    if model is not None:
        chosen = _alternating(chosen, first)
    scores = model.score([texts[doc_id] for doc_id in chosen]) if model and chosen else [float("nan")] * len(chosen)
    asked = [
        (doc_id, known[doc_id]["uri"], reason, known[doc_id]["title"] or "", known[doc_id]["host"], float(score))
        for (doc_id, reason), score in zip(chosen.items(), scores, strict=True)
    ]
    columns = {"doc_id": "str", "uri": "str", "reason": "str", "title": "str", "host": "str", "relevance": "float64"}
    return pd.DataFrame(asked, columns=list(columns)).astype(columns)


def _alternating(chosen: Mapping[str, str], first: int) -> dict[str, str]:
    """The first ones as they are, then one of each reason in turn, in proportion to how many there are of it."""
    items = list(chosen.items())
    by_reason: dict[str, list[str]] = {}
    for doc_id, reason in items[first:]:
        by_reason.setdefault(reason, []).append(doc_id)
    places = [
        ((position + 0.5) / len(group), order, doc_id)
        for order, group in enumerate(by_reason.values())
        for position, doc_id in enumerate(group)
    ]
    return dict(items[:first]) | {doc_id: chosen[doc_id] for _, _, doc_id in sorted(places)}


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
) -> dict[str, Reason]:
    """What is asked without a model, or with one that knows less than the seed words; of a sample where there are none."""
    known = [*free, *sorted(labelled)] if seeds else [*sample(free, max(n, _POOL)), *sample(labelled, _POOL)]
    texts = texts or scoring_texts(folder, known)
    known = [doc_id for doc_id in known if doc_id in texts]
    said = [position for position, doc_id in enumerate(known) if doc_id in labelled]
    if n < 1 or len(said) == len(known):
        return {}
    found = first_questions([texts[doc_id] for doc_id in known], n, seeds=seeds, labelled=said)
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


def _scores_of(
    folder: CorpusFolder, model: CorpusModel, free: Sequence[str], texts: Mapping[str, str]
) -> dict[str, float]:
    """The scores in six decimals: the last bits depend on the processor, and documents are sorted by them."""
    if model.version:
        return dict(folder.catalog.tuples("SELECT doc_id, round(relevance, 6) FROM scores"))
    known = [doc_id for doc_id in free if doc_id in texts]
    return dict(zip(known, model.score([texts[doc_id] for doc_id in known]).round(6).tolist(), strict=True))
