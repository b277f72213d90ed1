"""Word sketches: words in grammatical relations, found by patterns of part-of-speech tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.association import log_dice
from corpuskit.features.linguistics.scope import with_provenance
from corpuskit.features.linguistics.word_lists import strings_column
from corpuskit.tokens import TokenSelection, find, parse_query
from corpuskit.validation import check_count

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Relation:
    """Pattern of a grammatical relation. Tags are regular expressions for parts of speech (universaldependencies.org/u/pos).

    Attributes:
        name: Name of the relation.
        of: Tags of the headword.
        side: Side of the related word: left or right.
        tags: Tags of the related word.
        between: Tags of words allowed between the two.
        max_between: Maximum number of words between the two.
    """

    name: str
    of: str
    side: str
    tags: str
    between: str = ""
    max_between: int = 0


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
"""Relations by tags of Universal Dependencies. Only word order is used, since no parser is required."""


def sketch(
    selection: TokenSelection,
    word: str,
    *,
    min_count: int = 2,
    attribute: str = "lemma",
    pos: str = "pos",
    relations: Sequence[Relation] = RELATIONS,
) -> pd.DataFrame:
    """Return a word sketch; see ``corpus.text.sketch()``. ``relations`` are the patterns to search for."""
    import pandas as pd

    minimum = check_count(min_count, "min_count")
    index = selection.index
    if pos not in index.layers:
        raise ConfigurationError(
            f"a word sketch needs a layer of parts of speech, {pos!r}: annotate('spacy:MODEL') creates it"
        )
    total, lexicon = selection.counts(attribute), index.lexicon(attribute)
    head = f"{attribute}=={_quoted(word)}"
    frames = []
    for relation in relations:
        counts = np.zeros(len(total), np.int64)
        for number, positions in _related_words(selection, relation, head, pos):
            numbers = index.numbered(number, attribute, index.parts[number].numbers(attribute, positions))
            counts += np.bincount(numbers, minlength=len(counts))
        selected = np.flatnonzero(counts >= max(1, minimum))
        words = strings_column(lexicon, selected)
        o, c = counts[selected].astype(float), total[selected].astype(float)
        frame = pd.DataFrame({"relation": [relation.name] * len(selected), "word": words, "count": o, "total": c})
        frame["log_dice"] = log_dice(o, float(counts.sum()), c)
        frame["query"] = [_query(relation, head, pos, f"{attribute}=={_quoted(other)}") for other in words]
        frames.append(frame.sort_values(["log_dice", "word"], ascending=[False, True]))
    types = {
        "relation": "str",
        "word": "str",
        "count": "Int64",
        "total": "Int64",
        "log_dice": "float64",
        "query": "str",
    }
    non_empty = [frame for frame in frames if len(frame)]
    result = pd.concat(non_empty, ignore_index=True) if non_empty else pd.DataFrame(columns=list(types))
    return with_provenance(result.astype(types), selection)


def _related_words(selection: TokenSelection, relation: Relation, head: str, pos: str) -> Iterator[tuple[int, Numbers]]:
    """Yield each index part with the distinct positions of related words."""
    # Search each distance separately: of matches with the same end only the longest is returned.
    matches_per_distance = [
        find(selection, parse_query(_query(relation, head, pos, distance=distance), "cql"))
        for distance in range(relation.max_between + 1)
    ]
    for number in range(len(selection.index.parts)):
        spans = [matches.of_part(number) for matches in matches_per_distance]
        positions = [starts if relation.side == "left" else ends - 1 for starts, ends in spans]
        yield number, np.unique(np.concatenate(positions))


def _query(relation: Relation, head: str, pos: str, other: str = "", *, distance: int | None = None) -> str:
    """Return the query of a relation for one related word or all, at one distance or any."""
    of = f'[{head} & {pos}="{relation.of}"]'
    second = f'[{other}{" & " if other else ""}{pos}="{relation.tags}"]'
    times = f"{{{distance}}}" if distance is not None else f"{{0,{relation.max_between}}}"
    between = f'[{pos}="{relation.between}"]{times}' if relation.max_between and distance != 0 else ""
    parts = (second, between, of) if relation.side == "left" else (of, between, second)
    return " ".join(filter(None, (*parts, "within s")))


def _quoted(string: str) -> str:
    return '"' + string.replace('"', '\\"') + '"'
