"""Word lists, runs of words, and how words are spread over documents: plain frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.association import deviation_of_proportions
from corpuskit.features.linguistics.scope import chosen, described, noted
from corpuskit.store import CorpusFolder
from corpuskit.tokens import Matches, TokenSelection, find, parse_query
from corpuskit.tokens.index import missing_attribute_message
from corpuskit.validation import check_count

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

_LONGEST_RUN: Final = 10
_POSITIONS: Final = ("any", "left", "right")
_AT_ONCE: Final = 8_000_000  # tokens whose runs are counted together


def wordlist(selection: TokenSelection, *, min_count: int = 1, attribute: str = "lower") -> pd.DataFrame:
    """The words, most frequent first.

    Args:
        selection: the tokens.
        min_count: rarer words are left out.
        attribute: what is counted: lower (words in lower case), word, or a layer such as lemma.

    Returns:
        Columns word (str), count, documents (Int64), per_million (float64).
    """
    least = check_count(min_count, "min_count")
    counts = selection.counts(attribute)
    keep = np.flatnonzero(counts >= max(1, least))
    keep = keep[np.argsort(-counts[keep], kind="stable")]  # a lexicon is in order
    words = strings_column(selection.index.lexicon(attribute), keep)
    return _listed(selection, "word", words, counts[keep], selection.document_counts(attribute)[keep])


def ngrams(
    selection: TokenSelection,
    n: int = 2,
    *,
    min_count: int = 2,
    query: str | None = None,
    attribute: str = "lower",
    syntax: str | None = None,
) -> pd.DataFrame:
    """Runs of ``n`` words of one element, most frequent first; with a query those in which a whole match of it stands.

    Args:
        selection: the tokens.
        n: how many words.
        min_count: rarer runs are left out.
        query: as :func:`corpuskit.tokens.parse_query` reads it.
        attribute: what is counted: lower (words in lower case), word, or a layer such as lemma.
        syntax: cql, simple or wildcards.

    Returns:
        Columns ngram (str), count, documents (Int64), per_million (float64: of all words).

    Raises:
        ConfigurationError: ``n`` is not between 1 and 10, or the query cannot be read.
    """
    if not 1 <= n <= _LONGEST_RUN:
        raise ConfigurationError(f"n={n}: expected 1 to {_LONGEST_RUN}")
    least = max(1, check_count(min_count, "min_count"))
    if query is None:
        found = [_counted(selection, starts, n, attribute, least) for starts in _all_starts(selection, n, attribute)]
    else:
        matches = find(selection, parse_query(query, syntax))
        found = [_counted(selection, _starts_around(matches, n), n, attribute, least)]
    return _runs_listed(selection, found, n, attribute, "ngram")


def _runs_listed(
    selection: TokenSelection, found: list[tuple[Numbers, Numbers, Numbers]], n: int, attribute: str, name: str
) -> pd.DataFrame:
    """Runs, most frequent first."""
    runs = np.concatenate([np.empty((0, n), np.int64), *(runs for runs, _, _ in found)])
    counts = np.concatenate([np.empty(0, np.int64), *(counts for _, counts, _ in found)])
    documents = np.concatenate([np.empty(0, np.int64), *(documents for _, _, documents in found)])
    order = np.argsort(-counts, kind="stable")  # the runs of a group are in order, and so are the groups
    texts = _joined(selection.index.lexicon(attribute), runs[order])
    return _listed(selection, name, texts, counts[order], documents[order])


def clusters(
    selection: TokenSelection,
    query: str,
    *,
    sizes: tuple[int, int] = (2, 4),
    position: str = "any",
    min_count: int = 2,
    attribute: str = "lower",
    syntax: str | None = None,
) -> pd.DataFrame:
    """Runs of words of one element in which a match stands, of several lengths, most frequent first.

    Args:
        selection: the tokens.
        query: as :func:`corpuskit.tokens.parse_query` reads it.
        sizes: the fewest and the most words.
        position: where the match stands: left (the run begins with it), right (it ends with it) or any.
        min_count: rarer runs are left out.
        attribute: what is counted: lower (words in lower case), word, or a layer such as lemma.
        syntax: cql, simple or wildcards.

    Returns:
        Columns cluster (str), words, count, documents (Int64), per_million (float64: of all words).

    Raises:
        ConfigurationError: the query, the sizes or the position is wrong.
    """
    import pandas as pd

    rarest = max(1, check_count(min_count, "min_count"))
    try:
        least, most = map(int, sizes)
    except (TypeError, ValueError):
        raise ConfigurationError(f"sizes={sizes!r}: expected two numbers, such as (2, 4)") from None
    if not 1 <= least <= most <= _LONGEST_RUN:
        raise ConfigurationError(f"sizes={sizes}: expected two numbers from 1 to {_LONGEST_RUN}, such as (2, 4)")
    if position not in _POSITIONS:
        raise ConfigurationError(f"position {position!r}: expected one of {', '.join(_POSITIONS)}")
    if not all(part.has(attribute) for part in selection.index.parts):
        raise ConfigurationError(missing_attribute_message(selection.index, attribute))
    matches = find(selection, parse_query(query, syntax))
    some = []
    for n in range(least, most + 1):
        found = _counted(selection, _starts_around(matches, n, position), n, attribute, rarest)
        frame = _runs_listed(selection, [found], n, attribute, "cluster")
        frame.insert(1, "words", pd.Series([n] * len(frame), dtype="Int64"))
        some.append(frame)
    frame = pd.concat(some, ignore_index=True)
    order = ["count", "words", "cluster"]
    return noted(frame.sort_values(order, ascending=[False, True, True], ignore_index=True), selection)


Starts = list[tuple[int, "Numbers"]]
"""Parts, and where runs begin in them."""


def _all_starts(selection: TokenSelection, n: int, attribute: str) -> list[Starts]:
    """All beginnings, in groups: all runs that begin with the same word are in the same group."""
    index = selection.index
    counts = np.cumsum(selection.counts(attribute))
    groups = int(counts[-1] // _AT_ONCE) + 1 if len(counts) else 1
    group_of = counts // (int(counts[-1]) // groups + 1) if len(counts) else counts
    found = []
    for group in range(groups):
        starts: Starts = []
        for number, part in enumerate(index.parts):
            if groups == 1:
                places: Any = selection.positions(number)
                places = np.arange(len(part)) if isinstance(places, slice) else places
            else:
                local = np.flatnonzero(group_of[index.numbers_of(attribute)[number]] == group)
                places = part.positions(attribute, local)
                holds = selection.holds(number, places)
                places = places if holds is None else places[holds]
            starts.append((number, _inside(selection, number, places, n)))
        found.append(starts)
    return found


def _starts_around(matches: Matches, n: int, position: str = "any") -> Starts:
    selection, found = matches.selection, []
    for number in range(len(selection.index.parts)):
        first, last = matches.of_part(number)
        sizes = last - first
        if position == "left":
            starts = [first[sizes <= n]]
        elif position == "right":
            starts = [(last - n)[sizes <= n]]
        else:
            starts = [(last - n + i)[sizes <= n - i] for i in range(n)]  # from the one that ends with the match on
        places = np.sort(np.concatenate([np.empty(0, np.int64), *starts]), kind="stable")  # merges what is in order
        places = places[_changes(places)]
        found.append((number, _inside(selection, number, places[places >= 0], n)))
    return found


def _inside(selection: TokenSelection, number: int, places: Numbers, n: int) -> Numbers:
    """The places from which ``n`` words stand in one element of the selection."""
    part = selection.index.parts[number]
    if n == 1 or not len(places):
        return places
    if len(places) * 4 > len(part):  # looking at each token is faster than looking for each place's element
        inside = np.ones(len(part), np.bool_)
        ends = part.column("element_start")[1:].astype(np.int64)
        for distance in range(1, n):
            near = ends - distance
            inside[near[near >= 0]] = False
        kept: Numbers = places[inside[places]]
        return kept
    ends = part.column("element_start").astype(np.int64)[part.element_of(places) + 1]
    kept = places[places + n <= ends]
    holds = selection.holds(number, kept)
    return kept if holds is None else kept[holds]


def _counted(
    selection: TokenSelection, starts: Starts, n: int, attribute: str, least: int
) -> tuple[Numbers, Numbers, Numbers]:
    """The different runs as rows of numbers, how often each occurs and in how many documents."""
    if not any(len(places) for _, places in starts):
        return np.empty((0, n), np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
    import pandas as pd

    index = selection.index

    def words(distance: int, chosen: list[Numbers]) -> Numbers:
        return np.concatenate(
            [
                index.numbered(number, attribute, index.parts[number].numbers(attribute, places + distance))
                for (number, _), places in zip(starts, chosen, strict=True)
            ]
        )

    places = [some for _, some in starts]
    codes = words(0, places).astype(np.int64)
    bits = max(1, int(len(index.lexicon(attribute)) - 1).bit_length())
    used = bits
    for distance in range(1, n):
        if used + bits > 63:  # numbered anew, so that a run's number never outgrows 64 bits
            codes, used = _ranked(codes)
        codes = codes << bits | words(distance, places)
        used += bits
        if least > 1:
            # A run that occurs often begins with shorter ones that do: most others are left out early.
            keep = _may_be_often(codes, least)
            codes, places = codes[keep], _kept(places, keep)
    run, kinds = pd.factorize(codes)  # by hashing: half the time of sorting
    counts = np.bincount(run)
    pairs = np.sort(run.astype(np.int64) << 32 | _documents(selection, starts, places))
    documents = np.bincount(pairs[_changes(pairs)] >> 32)
    heads = np.empty(len(kinds), np.int64)
    heads[run[::-1]] = np.arange(len(run))[::-1]
    order = np.argsort(kinds)
    order = order[counts[order] >= least]
    rows = np.stack([words(distance, places)[heads[order]] for distance in range(n)], axis=1)
    return rows, counts[order], documents[order]


def _changes(numbers: Numbers) -> npt.NDArray[np.bool_]:
    """Which numbers are not equal to the one before."""
    first = np.ones(len(numbers), np.bool_)
    first[1:] = numbers[1:] != numbers[:-1]
    return first


def _ranked(codes: Numbers) -> tuple[Numbers, int]:
    kinds, of = np.unique(codes, return_inverse=True)
    return of.astype(np.int64), max(1, len(kinds).bit_length())


def _may_be_often(codes: Numbers, least: int) -> npt.NDArray[np.bool_]:
    """Leaves out most codes that occur less often, and none that occurs so often: counts hash values, as sorting is slow."""
    bits = max(10, len(codes).bit_length() + 1)
    hashed = codes.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(
        64 - bits
    )  # Knuth's multiplicative hash
    found: npt.NDArray[np.bool_] = np.bincount(hashed.view(np.int64))[hashed] >= least
    return found


def _kept(places: list[Numbers], keep: npt.NDArray[np.bool_]) -> list[Numbers]:
    cuts = np.cumsum([len(some) for some in places])[:-1]
    return [some[chosen] for some, chosen in zip(places, np.split(keep, cuts), strict=True)]


def _documents(selection: TokenSelection, starts: Starts, chosen: list[Numbers]) -> Numbers:
    """A number of each place's document, one in all parts."""
    found, before = [], 0
    for (number, _), places in zip(starts, chosen, strict=True):
        part = selection.index.parts[number]
        found.append(np.searchsorted(part.document_bounds(), places, side="right") - 1 + before)
        before += len(part.documents)
    return np.concatenate(found)


def _joined(lexicon: pa.Array, runs: Numbers) -> pd.Series[Any]:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [lexicon.take(pa.array(runs[:, i])) for i in range(runs.shape[1])]
    strings: Any = pd.StringDtype(na_value=float("nan"))
    joined = pc.binary_join_element_wise(*columns, pa.scalar(" ", pa.large_string()))
    return pd.Series(strings.__from_arrow__(joined))


def strings_column(lexicon: pa.Array, numbers: Numbers) -> pd.Series[Any]:
    """The strings of some numbers as a column."""
    import pandas as pd
    import pyarrow as pa

    strings: Any = pd.StringDtype(na_value=float("nan"))
    return pd.Series(strings.__from_arrow__(lexicon.take(pa.array(numbers))))


def _listed(
    selection: TokenSelection, name: str, texts: pd.Series[Any], counts: Numbers, documents: Numbers
) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(
        {
            name: texts,
            "count": pd.array(counts, dtype="Int64"),
            "documents": pd.array(documents, dtype="Int64"),
            "per_million": counts * 1e6 / max(1, selection.size),
        }
    )
    return noted(frame, selection)


def dispersion(selection: TokenSelection, queries: Sequence[str], *, syntax: str | None = None) -> pd.DataFrame:
    """How evenly matches are spread over the documents.

    Args:
        selection: the tokens.
        queries: as :func:`corpuskit.tokens.parse_query` reads them.
        syntax: cql, simple or wildcards.

    Returns:
        Columns pattern (str), count, documents (with a match), parts (documents in all), Int64; dp (Gries 2008), dp_norm
        (Lijffijt and Gries 2012), float64: 0 for as even as the documents' sizes, towards 1 for in one small document.
    """
    import pandas as pd

    parts = selection.index.parts
    sizes = np.concatenate([np.empty(0), *(selection.document_sizes(number) for number in range(len(parts)))])
    some = sizes > 0
    rows = []
    for query in queries:
        matches = find(selection, parse_query(query, syntax))
        counts = np.zeros(0)
        for number, part in enumerate(parts):
            starts, _ = matches.of_part(number)
            of = np.searchsorted(part.document_bounds(), starts, side="right") - 1
            counts = np.concatenate([counts, np.bincount(of, minlength=len(part.documents))])
        dp, norm = deviation_of_proportions(counts[some], sizes[some])
        rows.append((query, int(counts.sum()), int((counts > 0).sum()), int(some.sum()), dp, norm))
    types = {
        "pattern": "str",
        "count": "Int64",
        "documents": "Int64",
        "parts": "Int64",
        "dp": "float64",
        "dp_norm": "float64",
    }
    return noted(pd.DataFrame(rows, columns=list(types)).astype(types), selection)


def occurrences(
    folder: CorpusFolder | None, selection: TokenSelection, queries: Sequence[str], *, syntax: str | None = None
) -> pd.DataFrame:
    """Where matches stand, for a dispersion plot.

    Returns:
        Columns pattern, doc_id, word (str: the match, words in lower case), element_id (int32), place (float64: the share of
        all tokens that stand before), title, uri (str; missing without a folder).
    """
    import pandas as pd

    frames = [_empty_occurrences()]
    size = max(1, selection.size)
    for query in queries:
        matches, before = find(selection, parse_query(query, syntax)), 0
        for number, part in enumerate(selection.index.parts):
            starts, ends = matches.of_part(number)
            bounds = part.document_bounds()
            of = np.searchsorted(bounds, starts, side="right") - 1
            ids = part.documents.column("doc_id").to_pylist()
            lexicon = part.lexicon("lower")
            frame = pd.DataFrame(
                {"pattern": [query] * len(starts), "doc_id": [ids[i] for i in of.tolist()]}, dtype="str"
            )
            frame["word"] = pd.Series(_match_words(part.numbers, lexicon, starts, ends), dtype="str")
            frame["element_id"] = part.column("element_id")[part.element_of(starts)]
            frame["place"] = (before + _tokens_before(selection, number, starts)) / size
            before += int(selection.document_sizes(number).sum())
            about = described(selection.index, folder, number) if folder is not None else None
            for name in ("title", "uri"):
                column = about[name].to_pylist() if about is not None else [None] * len(ids)
                frame[name] = pd.Series([column[i] for i in of.tolist()], dtype="str")
            frames.append(frame)
    frames = [frame for frame in frames if len(frame)] or frames[:1]
    return noted(pd.concat(frames, ignore_index=True), selection)


def matching_documents(folder: CorpusFolder, query: str) -> list[str]:
    """Return the documents in which a query matches, by id, each once; exact copies and text beside the main content not counted.

    Raises:
        ConfigurationError: the query cannot be read.
    """
    selection = chosen(folder, copies=True)
    return places_in_documents(folder, selection, query)["doc_id"].tolist()


def places_in_documents(
    folder: CorpusFolder, selection: TokenSelection, query: str, *, syntax: str | None = None
) -> pd.DataFrame:
    """Where in each document the matches of a query stand, for a plot a document.

    Returns:
        Columns doc_id, title, uri (str), count (Int64), per_million (float64: of the document's words), places (arrays of
        float64: the shares of the document's tokens that stand before each match); most matches first.
    """
    import pandas as pd

    matches = find(selection, parse_query(query, syntax))
    tables = []
    for number in range(len(selection.index.parts)):
        starts, _ = matches.of_part(number)
        if not len(starts):
            continue
        sizes = selection.document_sizes(number)
        before = _tokens_before(selection, number, starts)
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        of = np.searchsorted(bounds, before, side="right") - 1
        rows, firsts = np.unique(of, return_index=True)
        about = described(selection.index, folder, number).take(rows)
        counts = np.diff(np.append(firsts, len(of)))
        frame = about.select(["doc_id", "title", "uri"]).to_pandas()
        frame["count"], frame["per_million"] = counts, counts * 1e6 / sizes[rows]
        frame["places"] = np.split((before - bounds[of]) / sizes[of], firsts[1:])
        tables.append(frame)
    names = ["doc_id", "title", "uri", "count", "per_million", "places"]
    found = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=names)
    found = found.astype({"doc_id": "str", "title": "str", "uri": "str", "count": "Int64", "per_million": "float64"})
    return noted(found.sort_values(["count", "doc_id"], ascending=[False, True], ignore_index=True), selection)


def _match_words(numbers: Any, lexicon: pa.Array, starts: Numbers, ends: Numbers) -> list[str]:
    known: dict[tuple[int, ...], str] = {}
    found = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        key = tuple(numbers("lower", slice(start, end)).tolist())
        if key not in known:
            known[key] = " ".join(lexicon[number].as_py() for number in key)
        found.append(known[key])
    return found


def _tokens_before(selection: TokenSelection, number: int, places: Numbers) -> Numbers:
    """How many tokens of the selection stand before each place in its part."""
    chosen = selection.elements(number)
    if chosen is None:
        return places
    part = selection.index.parts[number]
    starts = part.column("element_start").astype(np.int64)
    sizes = np.where(chosen, np.diff(starts), 0)
    before = np.cumsum(sizes) - sizes
    elements = part.element_of(places)
    found: Numbers = before[elements] + places - starts[elements]
    return found


def _empty_occurrences() -> pd.DataFrame:
    import pandas as pd

    types = {"pattern": "str", "doc_id": "str", "word": "str", "element_id": "int32", "place": "float64"}
    types |= {"title": "str", "uri": "str"}
    return pd.DataFrame(columns=list(types)).astype(types)
