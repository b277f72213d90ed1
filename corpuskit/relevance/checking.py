"""Looks whether the models of a corpus are whole."""

from __future__ import annotations

from corpuskit.errors import CorpusKitError
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.store import CorpusFolder
from corpuskit.store.check import Problem

__all__ = ["check_models"]


def check_models(folder: CorpusFolder) -> list[Problem]:
    """Return what is wrong with the models of the catalogue; nothing is changed.

    The one trained last is read, since it is the one that is used; of the others, whether their folders are there.

    Args:
        folder: The corpus folder.
    """
    problems = []
    try:
        names = [row["folder"] for row in folder.catalog.rows("SELECT folder FROM models ORDER BY created DESC")]
    except CorpusKitError:
        return []  # of the catalogue, which is told there
    for name in dict.fromkeys(names):
        try:
            model = folder.models.within(name)
            if not model.has():
                what = "the folder of a model is gone: train again; corpuskit repair forgets the model"
                problems.append(Problem("models", f"models/{name}", what))
            elif name == names[0]:
                CorpusModel.load(model)
        except (CorpusKitError, OSError) as error:
            problems.append(Problem("models", f"models/{name}", str(error)))
    return problems
