"""Collocates of what a query finds, and key words of a part of the corpus: plain frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.association import (
    keyness,
    log_dice,
    log_likelihood,
    log_ratio,
    mutual_information,
    simple_maths,
    t_score,
)
from corpuskit.features.linguistics.lines import MOST_WORDS
from corpuskit.features.linguistics.scope import noted
from corpuskit.features.linguistics.word_lists import strings_column
from corpuskit.tokens import TokenSelection, find_by_part, parse_query
from corpuskit.tokens.index_part import IndexPart, spans
from corpuskit.validation import check_count

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    Numbers = npt.NDArray[Any]

_MEASURES: Final = ("log_dice", "mi", "log_likelihood", "t", "count")
_LEFT, _RIGHT, _NODE = 1, 2, 4
_PIECE: Final = 1 << 18  # tokens
_BLOCK: Final = 1 << 13  # matches, so that what is in between stays in the processor's cache
_ROOM: Final = 1 << 21  # numbers counted together: below 32 MB, from where on glibc asks for fresh pages each time


def collocates(
    selection: TokenSelection,
    query: str,
    *,
    window: int = 5,
    min_count: int = 3,
    sort: str = "log_dice",
    attribute: str = "lower",
    syntax: str | None = None,
) -> pd.DataFrame:
    """Words that stand near a query's matches more often than chance would have it.

    Surface co-occurrence as in Evert 2008: a token counts once if it is at most ``window`` words from a match in the same
    element, however many matches are near; expected are R1 C1 / N with R1 the tokens in windows, C1 the word's count and N
    all tokens, those of the matches left out.

    Args:
        selection: where to look.
        query: as :func:`corpuskit.tokens.parse_query` reads it.
        window: words on each side.
        min_count: words that are near less often are left out.
        sort: log_dice, mi, log_likelihood, t or count.
        attribute: what is counted: lower (words in lower case), word, or a layer such as lemma.
        syntax: cql, simple or wildcards.

    Returns:
        Columns word (str), count (near a match), left, right (on that side), total (in all), Int64; expected, log_dice, mi,
        log_likelihood (G2, negative for fewer than expected), t (float64). ``attrs["matches"]`` is how many were found.

    Raises:
        ConfigurationError: the query, the window, the attribute or ``sort`` is wrong.
    """
    import pandas as pd

    if sort not in _MEASURES:
        raise ConfigurationError(f"sort={sort!r}: expected one of {', '.join(_MEASURES)}")
    least = check_count(min_count, "min_count")
    if not 1 <= window <= MOST_WORDS:
        raise ConfigurationError(f"window {window}: expected at least 1, and at most {MOST_WORDS:,} words on each side")
    index = selection.index
    total = selection.counts(attribute).astype(float)
    left, right, together = (np.zeros(len(total)) for _ in range(3))
    nodes, size, matches = 0.0, float(selection.size), 0
    for number, starts, ends in find_by_part(selection, parse_query(query, syntax)):
        counts = _counted_by_side(index.parts[number], attribute, _sides(index.parts[number], starts, ends, window))
        to = index.numbers_of(attribute)[number]
        matches += len(starts)
        nodes += float(counts[_NODE].sum())
        total[to] -= counts[_NODE]
        left[to] += counts[_LEFT] + counts[_LEFT | _RIGHT]
        right[to] += counts[_RIGHT] + counts[_LEFT | _RIGHT]
        together[to] += counts[_LEFT] + counts[_RIGHT] + counts[_LEFT | _RIGHT]
    row, everything = float(together.sum()), size - nodes
    keep = np.flatnonzero(together >= max(1, least))
    o, c = together[keep], total[keep]
    e = row * c / everything if everything else c
    frame = pd.DataFrame(
        {
            "word": strings_column(index.lexicon(attribute), keep),
            "count": o, "left": left[keep], "right": right[keep], "total": c,
            "expected": e,
            "log_dice": log_dice(o, nodes, c),
            "mi": mutual_information(o, e),
            "log_likelihood": log_likelihood(o, row, c, everything),
            "t": t_score(o, e),
        }
    ).astype(dict.fromkeys(("count", "left", "right", "total"), "Int64"))  # fmt: skip
    # The words are in order, as a lexicon is.
    frame = noted(frame.sort_values(sort, ascending=False, kind="stable", ignore_index=True), selection)
    frame.attrs["matches"] = matches
    return frame


def _counted_by_side(part: IndexPart, attribute: str, sides: Numbers) -> Numbers:
    """How often each string of a part's lexicon stands nowhere near, left, right, on both sides, or in a match: a row each."""
    # Words are counted as they are written, and put together then: there are fewer words than tokens.
    column = "word" if attribute == "lower" else attribute
    size, kinds, strings, known = len(part.lexicon(column)), _NODE + 1, part.column(column), 0
    counts = np.zeros(size * kinds, np.int64)
    # Piece by piece into room that is there already: fresh pages cost more than counting.
    room = np.empty(_ROOM, np.int64)
    for start in range(0, len(part), _PIECE):
        some = sides[start : start + _PIECE]
        near = np.flatnonzero(some != 0)  # of truth values: twice as fast as of numbers
        if known + len(near) > _ROOM:
            counts += np.bincount(room[:known], minlength=len(counts))
            known = 0
        codes = room[known : known + len(near)]
        np.multiply(strings[start : start + _PIECE][near], kinds, out=codes, dtype=codes.dtype, casting="unsafe")
        np.add(codes, some[near], out=codes)
        known += len(near)
    counts += np.bincount(room[:known], minlength=len(counts))
    by_side = counts.reshape(size, kinds).T
    if attribute != "lower":
        return by_side
    lowers, to = len(part.lexicon("lower")), part.column("lower_of_word")
    return np.stack([np.bincount(to, weights=some, minlength=lowers) for some in by_side])


def _sides(part: IndexPart, starts: Numbers, ends: Numbers, window: int) -> Numbers:
    """Of each token of a part, whether it is left or right of a match, or in one."""
    bounds = part.column("element_start").astype(np.int64)
    sides = np.zeros(len(part), np.uint8)
    left, right = np.arange(1, window + 1)[:, None], np.arange(window)[:, None]
    # Matches are in order, and there are fewer elements to look up than matches.
    first = np.repeat(np.arange(len(bounds) - 1), np.diff(np.searchsorted(starts, bounds)))
    last = first if (ends - starts == 1).all() else part.element_of(ends - 1)
    for block in range(0, len(starts), _BLOCK):
        some = slice(block, block + _BLOCK)
        # Where a window goes over the border of its element, the token at the border is marked again, or that of the match.
        sides[np.maximum(starts[some] - left, bounds[first[some]])] |= _LEFT
        sides[np.minimum(ends[some] + right, bounds[last[some] + 1] - 1)] |= _RIGHT
    sides[spans(starts, ends)] = _NODE
    return sides


def keywords(
    target: TokenSelection,
    reference: TokenSelection | Mapping[str, int],
    *,
    min_count: int = 3,
    add: float = 100.0,
    sort: str = "log_likelihood",
    attribute: str = "lower",
    stop_words: Sequence[str] = (),
) -> pd.DataFrame:
    """Words that a part of a corpus has more of than a reference.

    Args:
        target: the words of the part.
        reference: the words of the reference, or its counts.
        min_count: words that are rarer in the part are left out.
        add: the constant of simple maths.
        sort: log_likelihood, log_ratio or simple_maths.
        attribute: what is counted: lower (words in lower case), word, or a layer such as lemma.
        stop_words: words that are not listed; they count for the sizes.

    Returns:
        Columns word (str), count, reference_count, documents (of the part that have the word), Int64; per_million,
        reference_per_million, log_likelihood (negative where the reference has more), log_ratio (1: twice as frequent, 2:
        four times), simple_maths (float64).

    Raises:
        ConfigurationError: one of the two is empty, or ``sort`` is wrong.
    """
    import pandas as pd

    if sort not in {"log_likelihood", "log_ratio", "simple_maths"}:
        raise ConfigurationError(f"sort={sort!r}: expected log_likelihood, log_ratio or simple_maths")
    least = check_count(min_count, "min_count")
    if isinstance(reference, Mapping):
        _check_counts(reference)
    counts, lexicon = target.counts(attribute), target.index.lexicon(attribute)
    others = _reference_counts(target, reference, attribute)
    size = float(target.size)
    other_size = float(sum(reference.values()) if isinstance(reference, Mapping) else reference.size)
    if not size or not other_size:
        which = "part" if not size else "reference"
        raise ConfigurationError(f"key words: the {which} has no words; name documents for it")
    keep = np.flatnonzero(counts >= max(1, least))
    a, b = counts[keep].astype(float), others[keep].astype(float)
    per_million, other_per_million = a * 1e6 / size, b * 1e6 / other_size
    frame = pd.DataFrame(
        {
            "word": strings_column(lexicon, keep),
            "count": a, "reference_count": b, "documents": target.document_counts(attribute)[keep],
            "per_million": per_million, "reference_per_million": other_per_million,
            "log_likelihood": keyness(a, size, b, other_size),
            "log_ratio": log_ratio(a, size, b, other_size),
            "simple_maths": simple_maths(per_million, other_per_million, add),
        }
    ).astype(dict.fromkeys(("count", "reference_count", "documents"), "Int64"))  # fmt: skip
    if stop_words:
        frame = frame[~frame["word"].str.casefold().isin({word.casefold() for word in stop_words})]
    return noted(frame.sort_values(sort, ascending=False, kind="stable", ignore_index=True), target)


def _check_counts(reference: Mapping[str, Any]) -> None:
    """A count out of pandas may be a float; half a word is none."""
    for word, count in reference.items():
        is_number = isinstance(count, Real) and not isinstance(count, bool)
        if not is_number or not count >= 0 or not float(count).is_integer():
            raise ConfigurationError(f"reference: found {count!r:.40} for {word!r:.40}, expected a count, 0 or more")


def _reference_counts(target: TokenSelection, reference: TokenSelection | Mapping[str, int], attribute: str) -> Numbers:
    """How often the reference has each string of the target's lexicon."""
    lexicon = target.index.lexicon(attribute)
    if isinstance(reference, TokenSelection):
        counts = reference.counts(attribute)
        if reference.index is target.index:
            return counts
        import pyarrow.compute as pc

        places = pc.index_in(lexicon, value_set=reference.index.lexicon(attribute))
        known = places.fill_null(-1).to_numpy()
        return np.where(known >= 0, np.append(counts, 0)[known], 0)
    return np.array([reference.get(word, 0) for word in lexicon.to_pylist()], np.int64)
