"""Collocates of a word, key words of a part of the corpus, dispersion, n-grams, word list: plain frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.views.association import (
    deviation_of_proportions,
    keyness,
    log_dice,
    log_likelihood,
    log_ratio,
    mutual_information,
    simple_maths,
    t_score,
)
from corpuskit.views.token_stream import TokenStream, token_stream

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

_MEASURES: Final = ("log_dice", "mi", "log_likelihood", "t", "count")


def collocates(
    folder: CorpusFolder,
    pattern: str,
    *,
    window: int = 5,
    min_count: int = 3,
    sort: str = "log_dice",
    doc_ids: Sequence[str] | None = None,
    main: bool = True,
) -> pd.DataFrame:
    """Words that stand near a word more often than chance would have it.

    Surface co-occurrence as in Evert 2008: a token counts once if it is at most ``window`` words from a match in the same
    element, however many matches are near; expected are R1 C1 / N with R1 the tokens in windows, C1 the word's count and N
    all tokens, the matches themselves left out.

    Args:
        folder: the corpus.
        pattern: a regular expression for a whole word, case-insensitive.
        window: words on each side.
        min_count: words that are near less often are left out.
        sort: log_dice, mi, log_likelihood, t or count.
        doc_ids: only in these documents.
        main: only in the main content.

    Returns:
        Columns word (str), count (near a match), left, right (on that side), total (in all), Int64; expected, log_dice, mi,
        log_likelihood (G2, negative for fewer than expected), t (float64).

    Raises:
        ConfigurationError: the pattern, the window or ``sort`` is wrong.
    """
    if sort not in _MEASURES:
        raise ConfigurationError(f"sort {sort!r}: expected one of {', '.join(_MEASURES)}")
    if window < 1:
        raise ConfigurationError(f"window {window}: expected at least 1")
    return collocates_of(token_stream(folder, doc_ids, main=main), pattern, window, min_count, sort)


def collocates_of(stream: TokenStream, pattern: str, window: int, min_count: int, sort: str) -> pd.DataFrame:
    """The collocates in a stream."""
    import pandas as pd

    size = len(stream.words)
    is_node = stream.matching(pattern)[stream.ids] if len(stream) else np.zeros(0, bool)
    places = np.flatnonzero(is_node)
    left, right = np.zeros(len(stream), bool), np.zeros(len(stream), bool)
    for distance in range(1, window + 1):
        for side, step in ((left, -distance), (right, distance)):
            near = places + step
            inside = (near >= 0) & (near < len(stream))
            near, origin = near[inside], places[inside]
            side[near[stream.element[near] == stream.element[origin]]] = True
    left &= ~is_node
    right &= ~is_node
    ids = stream.ids

    def count(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        return np.bincount(ids[mask], minlength=size).astype(float)

    together, total = count(left | right), count(~is_node)
    row, everything = float((left | right).sum()), float(len(stream) - len(places))
    expected = row * total / everything if everything else total
    keep = (together >= max(1, min_count)).nonzero()[0]
    o, e = together[keep], expected[keep]
    frame = pd.DataFrame(
        {
            "word": pd.Series([stream.words[i] for i in keep], dtype="str"),
            "count": o, "left": count(left)[keep], "right": count(right)[keep], "total": total[keep],
            "expected": e,
            "log_dice": log_dice(o, float(len(places)), total[keep]),
            "mi": mutual_information(o, e),
            "log_likelihood": log_likelihood(o, row, total[keep], everything),
            "t": t_score(o, e),
        }
    ).astype(dict.fromkeys(("count", "left", "right", "total"), "Int64"))  # fmt: skip
    return frame.sort_values([sort, "word"], ascending=[False, True], ignore_index=True)


def keywords(
    target: TokenStream,
    reference: TokenStream | Mapping[str, int],
    *,
    min_count: int = 3,
    add: float = 100.0,
    sort: str = "log_likelihood",
) -> pd.DataFrame:
    """Words that a part of a corpus has more of than a reference.

    Args:
        target: the words of the part.
        reference: the words of the reference, or its counts.
        min_count: words that are rarer in the part are left out.
        add: the constant of simple maths.
        sort: log_likelihood, log_ratio or simple_maths.

    Returns:
        Columns word (str), count, reference_count (Int64), per_million, reference_per_million, log_likelihood (negative where
        the reference has more), log_ratio (1: twice as frequent, 2: four times), simple_maths (float64).

    Raises:
        ConfigurationError: one of the two is empty, or ``sort`` is wrong.
    """
    import pandas as pd

    if sort not in {"log_likelihood", "log_ratio", "simple_maths"}:
        raise ConfigurationError(f"sort {sort!r}: expected log_likelihood, log_ratio or simple_maths")
    if isinstance(reference, TokenStream):
        reference = dict(zip(reference.words, reference.counts.tolist(), strict=True))
    size, other_size = float(len(target)), float(sum(reference.values()))
    if not size or not other_size:
        which = "part" if not size else "reference"
        raise ConfigurationError(f"key words: the {which} has no words; name documents for it")
    counts = target.counts
    keep = (counts >= max(1, min_count)).nonzero()[0]
    words = [target.words[i] for i in keep]
    a, b = counts[keep].astype(float), np.array([reference.get(word, 0) for word in words], float)
    per_million, other_per_million = a * 1e6 / size, b * 1e6 / other_size
    frame = pd.DataFrame(
        {
            "word": pd.Series(words, dtype="str"),
            "count": a, "reference_count": b, "per_million": per_million, "reference_per_million": other_per_million,
            "log_likelihood": keyness(a, size, b, other_size),
            "log_ratio": log_ratio(a, size, b, other_size),
            "simple_maths": simple_maths(per_million, other_per_million, add),
        }
    ).astype({"count": "Int64", "reference_count": "Int64"})  # fmt: skip
    return frame.sort_values([sort, "word"], ascending=[False, True], ignore_index=True)


def dispersion(stream: TokenStream, patterns: Sequence[str]) -> pd.DataFrame:
    """How evenly words are spread over the documents.

    Args:
        stream: the words of the corpus.
        patterns: regular expressions for whole words.

    Returns:
        Columns pattern (str), count, documents (with a match), parts (documents in all), Int64; dp (Gries 2008), dp_norm
        (Lijffijt and Gries 2012), float64: 0 for as even as the documents' sizes, towards 1 for in one small document.
    """
    import pandas as pd

    sizes = np.bincount(stream.document, minlength=len(stream.doc_ids)).astype(float)
    rows = []
    for pattern in patterns:
        places = stream.matching(pattern)[stream.ids] if len(stream) else np.zeros(0, bool)
        counts = np.bincount(stream.document[places], minlength=len(sizes)).astype(float)
        dp, norm = deviation_of_proportions(counts, sizes)
        rows.append((pattern, int(counts.sum()), int((counts > 0).sum()), len(sizes), dp, norm))
    types = {
        "pattern": "str",
        "count": "Int64",
        "documents": "Int64",
        "parts": "Int64",
        "dp": "float64",
        "dp_norm": "float64",
    }
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def occurrences(stream: TokenStream, patterns: Sequence[str]) -> pd.DataFrame:
    """Where words stand, for a dispersion plot.

    Returns:
        Columns pattern, doc_id, word (str), element_id (int32), place (float64: the share of all tokens that stand before).
    """
    import pandas as pd

    frames = []
    for pattern in patterns:
        places = np.flatnonzero(stream.matching(pattern)[stream.ids]) if len(stream) else np.zeros(0, np.int64)
        frames.append(
            pd.DataFrame(
                {
                    "pattern": pd.Series([pattern] * len(places), dtype="str"),
                    "doc_id": pd.Series([stream.doc_ids[i] for i in stream.document[places]], dtype="str"),
                    "word": pd.Series([stream.words[i] for i in stream.ids[places]], dtype="str"),
                    "element_id": np.array([stream.element_ids[i] for i in stream.element[places]], np.int32),
                    "place": places / max(1, len(stream)),
                }
            )
        )
    return pd.concat(frames, ignore_index=True) if frames else occurrences(stream, ["."]).head(0)


def wordlist(stream: TokenStream, *, min_count: int = 1) -> pd.DataFrame:
    """The words, most frequent first.

    Returns:
        Columns word (str), count, documents (Int64), per_million (float64).
    """
    return _listed(stream, stream.words, stream.counts, stream.document_counts, min_count, "word")


def ngrams(stream: TokenStream, n: int = 2, *, min_count: int = 2, pattern: str | None = None) -> pd.DataFrame:
    """Runs of ``n`` words of one element, most frequent first; with a pattern those in which a word matches it.

    Returns:
        Columns ngram (str), count, documents (Int64), per_million (float64: of all words).

    Raises:
        ConfigurationError: ``n`` is not between 1 and 10, or the pattern cannot be read.
    """
    if not 1 <= n <= 10:
        raise ConfigurationError(f"n={n}: expected 1 to 10")
    starts = np.arange(max(0, len(stream) - n + 1))
    starts = starts[stream.element[starts] == stream.element[starts + n - 1]]
    if pattern is not None and len(starts):
        matches = stream.matching(pattern)[stream.ids]
        starts = starts[np.logical_or.reduce([matches[starts + i] for i in range(n)])]
    # A run's number: pairs are numbered anew at each step, so that it never outgrows 64 bits.
    codes = stream.ids[starts]
    for i in range(1, n):
        codes = np.unique(codes * max(1, len(stream.words)) + stream.ids[starts + i], return_inverse=True)[1]
    _, first, code, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    texts = [" ".join(stream.words[i] for i in stream.ids[starts[at] : starts[at] + n]) for at in first]
    pairs = np.unique(stream.document[starts] * max(1, len(first)) + code)
    documents = np.bincount(pairs % max(1, len(first)), minlength=len(first))
    return _listed(stream, texts, counts, documents, min_count, "ngram")


def _listed(
    stream: TokenStream,
    texts: Sequence[str],
    counts: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int64],
    min_count: int,
    name: str,
) -> pd.DataFrame:
    import pandas as pd

    keep = (counts >= max(1, min_count)).nonzero()[0]
    frame = pd.DataFrame(
        {
            name: pd.Series([texts[i] for i in keep.tolist()], dtype="str"),
            "count": pd.array(counts[keep], dtype="Int64"),
            "documents": pd.array(documents[keep], dtype="Int64"),
            "per_million": counts[keep] * 1e6 / max(1, len(stream)),
        }
    )
    return frame.sort_values(["count", name], ascending=[False, True], ignore_index=True)
