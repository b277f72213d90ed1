"""Collocates of a query and keywords of a part of the corpus, as DataFrames."""

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
from corpuskit.features.linguistics.lines import MAX_WINDOW
from corpuskit.features.linguistics.scope import with_provenance
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
_BLOCK: Final = 1 << 13  # matches; the temporary arrays of one block fit into the processor cache
# Codes per call of bincount: below 32 MB, the size from which glibc maps new pages for each array.
_BUFFER_SIZE: Final = 1 << 21


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
    """Return the collocates of a query; see ``corpus.text.collocates()``. ``attrs["matches"]`` is the number of matches."""
    import pandas as pd

    if sort not in _MEASURES:
        raise ConfigurationError(f"sort={sort!r}: expected one of {', '.join(_MEASURES)}")
    minimum = check_count(min_count, "min_count")
    if not 1 <= window <= MAX_WINDOW:
        raise ConfigurationError(f"window {window}: expected 1 to {MAX_WINDOW:,} words on each side")
    index = selection.index
    total = selection.counts(attribute).astype(float)
    left, right, together = (np.zeros(len(total)) for _ in range(3))
    nodes, size, matches = 0.0, float(selection.size), 0
    for number, starts, ends in find_by_part(selection, parse_query(query, syntax)):
        counts = _counts_by_side(index.parts[number], attribute, _sides(index.parts[number], starts, ends, window))
        to = index.numbers_of(attribute)[number]
        matches += len(starts)
        nodes += float(counts[_NODE].sum())
        total[to] -= counts[_NODE]
        left[to] += counts[_LEFT] + counts[_LEFT | _RIGHT]
        right[to] += counts[_RIGHT] + counts[_LEFT | _RIGHT]
        together[to] += counts[_LEFT] + counts[_RIGHT] + counts[_LEFT | _RIGHT]
    row, everything = float(together.sum()), size - nodes
    selected = np.flatnonzero(together >= max(1, minimum))
    o, c = together[selected], total[selected]
    e = row * c / everything if everything else c
    frame = pd.DataFrame(
        {
            "word": strings_column(index.lexicon(attribute), selected),
            "count": o, "left": left[selected], "right": right[selected], "total": c,
            "expected": e,
            "log_dice": log_dice(o, nodes, c),
            "mi": mutual_information(o, e),
            "log_likelihood": log_likelihood(o, row, c, everything),
            "t": t_score(o, e),
        }
    ).astype(dict.fromkeys(("count", "left", "right", "total"), "Int64"))  # fmt: skip
    # A lexicon is sorted, so a stable sort orders equal scores by word.
    frame = with_provenance(frame.sort_values(sort, ascending=False, kind="stable", ignore_index=True), selection)
    frame.attrs["matches"] = matches
    return frame


def _counts_by_side(part: IndexPart, attribute: str, sides: Numbers) -> Numbers:
    """Return one row of counts per side code: for each string of the part's lexicon the number of tokens with that code."""
    # Count the spellings first and merge them by lower case later: there are fewer words than tokens.
    column = "word" if attribute == "lower" else attribute
    size, kinds, strings, known = len(part.lexicon(column)), _NODE + 1, part.column(column), 0
    counts = np.zeros(size * kinds, np.int64)
    # Fill one preallocated buffer piece by piece: allocating new memory pages takes longer than counting.
    buffer = np.empty(_BUFFER_SIZE, np.int64)
    for start in range(0, len(part), _PIECE):
        piece = sides[start : start + _PIECE]
        marked = np.flatnonzero(piece != 0)  # flatnonzero is twice as fast on booleans as on numbers
        if known + len(marked) > _BUFFER_SIZE:
            counts += np.bincount(buffer[:known], minlength=len(counts))
            known = 0
        codes = buffer[known : known + len(marked)]
        np.multiply(strings[start : start + _PIECE][marked], kinds, out=codes, dtype=codes.dtype, casting="unsafe")
        np.add(codes, piece[marked], out=codes)
        known += len(marked)
    counts += np.bincount(buffer[:known], minlength=len(counts))
    by_side = counts.reshape(size, kinds).T
    if attribute != "lower":
        return by_side
    lowers, to = len(part.lexicon("lower")), part.column("lower_of_word")
    return np.stack([np.bincount(to, weights=piece, minlength=lowers) for piece in by_side])


def _sides(part: IndexPart, starts: Numbers, ends: Numbers, window: int) -> Numbers:
    """Return one code per token of a part: a combination of _LEFT and _RIGHT, _NODE inside a match, else 0."""
    bounds = part.column("element_start").astype(np.int64)
    sides = np.zeros(len(part), np.uint8)
    left, right = np.arange(1, window + 1)[:, None], np.arange(window)[:, None]
    # Matches are sorted. Locating the bounds of elements in them is faster than locating each match.
    first = np.repeat(np.arange(len(bounds) - 1), np.diff(np.searchsorted(starts, bounds)))
    last = first if (ends - starts == 1).all() else part.element_of(ends - 1)
    for block in range(0, len(starts), _BLOCK):
        rows = slice(block, block + _BLOCK)
        # A window that would leave its element is clipped: its last token, or the match itself, is marked again.
        sides[np.maximum(starts[rows] - left, bounds[first[rows]])] |= _LEFT
        sides[np.minimum(ends[rows] + right, bounds[last[rows] + 1] - 1)] |= _RIGHT
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
    """Return the keywords of a target compared with a reference; see ``corpus.text.keywords()``.

    Args:
        target: Tokens of the documents.
        reference: Tokens of the reference, or its counts (word → count).
        min_count: Leave out words that are rarer in the target.
        add: Constant of the measure simple maths.
        sort: ``log_likelihood``, ``log_ratio`` or ``simple_maths``.
        attribute: Attribute to count, such as ``lower``, ``word`` or ``lemma``.
        stop_words: Words to leave out. They are part of the total counts.
    """
    import pandas as pd

    if sort not in {"log_likelihood", "log_ratio", "simple_maths"}:
        raise ConfigurationError(f"sort={sort!r}: expected log_likelihood, log_ratio or simple_maths")
    minimum = check_count(min_count, "min_count")
    if isinstance(reference, Mapping):
        _check_counts(reference)
    counts, lexicon = target.counts(attribute), target.index.lexicon(attribute)
    reference_counts = _reference_counts(target, reference, attribute)
    size = float(target.size)
    other_size = float(sum(reference.values()) if isinstance(reference, Mapping) else reference.size)
    if not size or not other_size:
        which = "part" if not size else "reference"
        raise ConfigurationError(f"keywords: the {which} has no words; choose documents with text for it")
    selected = np.flatnonzero(counts >= max(1, minimum))
    a, b = counts[selected].astype(float), reference_counts[selected].astype(float)
    per_million, other_per_million = a * 1e6 / size, b * 1e6 / other_size
    frame = pd.DataFrame(
        {
            "word": strings_column(lexicon, selected),
            "count": a, "reference_count": b, "documents": target.document_counts(attribute)[selected],
            "per_million": per_million, "reference_per_million": other_per_million,
            "log_likelihood": keyness(a, size, b, other_size),
            "log_ratio": log_ratio(a, size, b, other_size),
            "simple_maths": simple_maths(per_million, other_per_million, add),
        }
    ).astype(dict.fromkeys(("count", "reference_count", "documents"), "Int64"))  # fmt: skip
    if stop_words:
        frame = frame[~frame["word"].str.casefold().isin({word.casefold() for word in stop_words})]
    return with_provenance(frame.sort_values(sort, ascending=False, kind="stable", ignore_index=True), target)


def _check_counts(reference: Mapping[str, Any]) -> None:
    """Raise if a count is negative or fractional. Integral floats are valid, since pandas returns them."""
    for word, count in reference.items():
        is_number = isinstance(count, Real) and not isinstance(count, bool)
        if not is_number or not count >= 0 or not float(count).is_integer():
            raise ConfigurationError(f"reference: found {count!r:.40} for {word!r:.40}, expected a count, 0 or more")


def _reference_counts(target: TokenSelection, reference: TokenSelection | Mapping[str, int], attribute: str) -> Numbers:
    """Return the reference count of each string of the target's lexicon."""
    lexicon = target.index.lexicon(attribute)
    if isinstance(reference, TokenSelection):
        counts = reference.counts(attribute)
        if reference.index is target.index:
            return counts
        import pyarrow.compute as pc

        rows = pc.index_in(lexicon, value_set=reference.index.lexicon(attribute))
        known = rows.fill_null(-1).to_numpy()
        return np.where(known >= 0, np.append(counts, 0)[known], 0)
    return np.array([reference.get(word, 0) for word in lexicon.to_pylist()], np.int64)
