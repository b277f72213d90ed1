"""Scores of labelled texts by models that have not seen them: what may be said about a model without an audit."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.counts import Floats
from corpuskit.relevance.model import probability
from corpuskit.relevance.space import Space
from corpuskit.relevance.training import train


def held_out_scores(
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    space: Space,
    groups: Sequence[Hashable] | None = None,
    parts: int = 4,
    seed: int = 0,
) -> tuple[Floats, list[bool]]:
    """Each text's score by a model trained on the other parts, and whether that model had seen its host (URLs).

    See :func:`held_out_logits`, of which these are the probabilities.
    """
    logits, seen = held_out_logits(texts, labels, space=space, groups=groups, parts=parts, seed=seed)
    return probability(logits), seen


def held_out_logits(
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    space: Space,
    groups: Sequence[Hashable] | None = None,
    parts: int = 4,
    seed: int = 0,
) -> tuple[Floats, list[bool]]:
    """Each text's logit by a model trained on the other parts, and whether that model had seen its host (URLs).

    Args:
        texts: what is labelled.
        labels: ``relevant`` or ``other``.
        space: fitted on the corpus.
        groups: texts of one group are never on both sides, as those of one host.
        parts: how many models.
        seed: of the parts.

    Returns:
        Logits, NaN where there are fewer labels of a class than parts, or a part could not be trained; and for each text whether its host was seen, False of documents.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    logits, seen = np.full(len(texts), np.nan), np.zeros(len(texts), np.bool_)
    members = list(groups) if groups is not None else list(range(len(texts)))
    parts = min(parts, len(set(members)))
    relevant = [label == "relevant" for label in labels]
    if parts < 2 or min(sum(relevant), len(relevant) - sum(relevant)) < parts:
        return logits, seen.tolist()
    folds = StratifiedGroupKFold(parts, shuffle=True, random_state=seed)
    number = {group: i for i, group in enumerate(dict.fromkeys(members))}
    for rest, held in folds.split(np.zeros(len(texts)), relevant, [number[m] for m in members]):
        try:
            model = train(
                [texts[i] for i in rest],
                [labels[i] for i in rest],
                kind=space.kind,
                space=space,
                groups=[members[i] for i in rest],
            )
        except RelevanceError:
            continue
        chosen = [texts[i] for i in held.tolist()]
        logits[held] = model.logits(chosen)
        if space.kind == "url":
            seen[held] = model.is_seen(chosen)
    return logits, seen.tolist()
