"""Word sketches: what stands in which relation to a word, by patterns of parts of speech."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.association import log_dice
from corpuskit.features.linguistics.scope import noted
from corpuskit.features.linguistics.word_lists import strings_column
from corpuskit.tokens import TokenSelection, find, parse_query
from corpuskit.validation import check_count

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Relation:
    """Where the words of a relation stand; tags are regular expressions for parts of speech (universaldependencies.org/u/pos).

    Attributes:
        name: what it is called.
        of: tags of the word that the sketch is of.
        side: where the other word stands: left or right.
        tags: of the other word.
        between: of words that may stand between the two.
        most: how many of these.
    """

    name: str
    of: str
    side: str
    tags: str
    between: str = ""
    most: int = 0


_NOUN: Final = "NOUN|PROPN"
_HELP: Final = "AUX|ADV|PART"
_IN_PHRASE: Final = "DET|ADJ|NUM|ADV|PRON"
RELATIONS: Final = (
    Relation("adjective", _NOUN, "left", "ADJ", "ADJ|NOUN|PROPN|ADV", 2),
    Relation("noun before", _NOUN, "left", _NOUN),
    Relation("noun behind", _NOUN, "right", _NOUN),
    Relation("verb before", _NOUN, "left", "VERB", f"{_IN_PHRASE}|NOUN", 3),
    Relation("verb behind", _NOUN, "right", "VERB", _HELP, 3),
    Relation("preposition behind", _NOUN, "right", "ADP"),
    Relation("and, or", _NOUN, "right", _NOUN, "CCONJ|DET|ADJ", 3),
    Relation("noun behind", "VERB", "right", _NOUN, f"{_IN_PHRASE}|NOUN", 3),
    Relation("noun before", "VERB", "left", f"{_NOUN}|PRON", _HELP, 3),
    Relation("adverb before", "VERB", "left", "ADV"),
    Relation("adverb behind", "VERB", "right", "ADV"),
    Relation("preposition behind", "VERB", "right", "ADP|PART"),
    Relation("noun behind", "ADJ", "right", _NOUN, "ADJ|NOUN|PROPN", 2),
    Relation("adverb before", "ADJ", "left", "ADV"),
)
"""In Universal Dependencies' tags. Words are told apart by where they stand only: no parser is asked."""


def sketch(
    selection: TokenSelection,
    word: str,
    *,
    min_count: int = 2,
    attribute: str = "lemma",
    pos: str = "pos",
    relations: Sequence[Relation] = RELATIONS,
) -> pd.DataFrame:
    """What stands in which relation to a word, the most typical first.

    Args:
        selection: where to look.
        word: the word, or the value of another attribute.
        min_count: words that stand so less often are left out.
        attribute: what ``word`` is, and what is counted: lemma, lower, word.
        pos: the layer of parts of speech.
        relations: what is looked for.

    Returns:
        Columns relation, word (str), count, total (of the word in all), Int64; log_dice (float64: Rychlý 2008, of the word with
        this relation); query (str: finds the lines).

    Raises:
        ConfigurationError: there is no layer of parts of speech, or no such attribute.
        MissingExtraError: the extra ``text``, which finds sentences, is not installed.
    """
    import pandas as pd

    least = check_count(min_count, "min_count")
    index = selection.index
    if pos not in index.layers:
        raise ConfigurationError(
            f"a word sketch needs a layer of parts of speech, {pos!r}: annotate('spacy:MODEL') makes it"
        )
    total, lexicon = selection.counts(attribute), index.lexicon(attribute)
    head = f"{attribute}=={_quoted(word)}"
    found = []
    for relation in relations:
        counts = np.zeros(len(total), np.int64)
        for number, places in _others(selection, relation, head, pos):
            numbers = index.numbered(number, attribute, index.parts[number].numbers(attribute, places))
            counts += np.bincount(numbers, minlength=len(counts))
        keep = np.flatnonzero(counts >= max(1, least))
        words = strings_column(lexicon, keep)
        o, c = counts[keep].astype(float), total[keep].astype(float)
        frame = pd.DataFrame({"relation": [relation.name] * len(keep), "word": words, "count": o, "total": c})
        frame["log_dice"] = log_dice(o, float(counts.sum()), c)
        frame["query"] = [_query(relation, head, pos, f"{attribute}=={_quoted(one)}") for one in words]
        found.append(frame.sort_values(["log_dice", "word"], ascending=[False, True]))
    types = {
        "relation": "str",
        "word": "str",
        "count": "Int64",
        "total": "Int64",
        "log_dice": "float64",
        "query": "str",
    }
    some = [frame for frame in found if len(frame)]
    whole = pd.concat(some, ignore_index=True) if some else pd.DataFrame(columns=list(types))
    return noted(whole.astype(types), selection)


def _others(selection: TokenSelection, relation: Relation, head: str, pos: str) -> Iterator[tuple[int, Numbers]]:
    """Places of the other words, each once: parts, and where they stand in them."""
    # One distance at a time: of matches that end together only the longest would count.
    found = [
        find(selection, parse_query(_query(relation, head, pos, distance=distance), "cql"))
        for distance in range(relation.most + 1)
    ]
    for number in range(len(selection.index.parts)):
        spans = [matches.of_part(number) for matches in found]
        places = [starts if relation.side == "left" else ends - 1 for starts, ends in spans]
        yield number, np.unique(np.concatenate(places))


def _query(relation: Relation, head: str, pos: str, other: str = "", *, distance: int | None = None) -> str:
    """The query for a relation: of one word, or of all; at one distance, or at all."""
    of = f'[{head} & {pos}="{relation.of}"]'
    second = f'[{other}{" & " if other else ""}{pos}="{relation.tags}"]'
    times = f"{{{distance}}}" if distance is not None else f"{{0,{relation.most}}}"
    between = f'[{pos}="{relation.between}"]{times}' if relation.most and distance != 0 else ""
    parts = (second, between, of) if relation.side == "left" else (of, between, second)
    return " ".join(filter(None, (*parts, "within s")))


def _quoted(string: str) -> str:
    return '"' + string.replace('"', '\\"') + '"'
