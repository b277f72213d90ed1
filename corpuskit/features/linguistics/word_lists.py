"""Word lists, n-grams, clusters, occurrences and dispersion, as DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.association import deviation_of_proportions
from corpuskit.features.linguistics.scope import document_table, select_tokens, with_provenance
from corpuskit.store import CorpusFolder
from corpuskit.tokens import Matches, TokenSelection, find, parse_query
from corpuskit.tokens.index import missing_attribute_message
from corpuskit.validation import check_count

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

_MAX_N: Final = 10
_POSITIONS: Final = ("any", "left", "right")
_TOKENS_PER_GROUP: Final = 8_000_000  # tokens at which n-grams of one group begin: limits memory


def wordlist(selection: TokenSelection, *, min_count: int = 1, attribute: str = "lower") -> pd.DataFrame:
    """Return the words, the most frequent first; see ``corpus.text.wordlist()``."""
    minimum = check_count(min_count, "min_count")
    counts = selection.counts(attribute)
    selected = np.flatnonzero(counts >= max(1, minimum))
    selected = selected[np.argsort(-counts[selected], kind="stable")]  # a lexicon is sorted
    words = strings_column(selection.index.lexicon(attribute), selected)
    return _counts_frame(selection, "word", words, counts[selected], selection.document_counts(attribute)[selected])


def ngrams(
    selection: TokenSelection,
    n: int = 2,
    *,
    min_count: int = 2,
    query: str | None = None,
    attribute: str = "lower",
    syntax: str | None = None,
) -> pd.DataFrame:
    """Return the n-grams within elements, the most frequent first; see ``corpus.text.ngrams()``."""
    if not 1 <= n <= _MAX_N:
        raise ConfigurationError(f"n={n}: expected 1 to {_MAX_N}")
    minimum = max(1, check_count(min_count, "min_count"))
    if query is None:
        counted = [
            _count_runs(selection, starts, n, attribute, minimum) for starts in _all_starts(selection, n, attribute)
        ]
    else:
        matches = find(selection, parse_query(query, syntax))
        counted = [_count_runs(selection, _starts_around(matches, n), n, attribute, minimum)]
    return _runs_frame(selection, counted, n, attribute, "ngram")


def _runs_frame(
    selection: TokenSelection, counted: list[tuple[Numbers, Numbers, Numbers]], n: int, attribute: str, name: str
) -> pd.DataFrame:
    """Return counted n-grams as a frame, the most frequent first."""
    runs = np.concatenate([np.empty((0, n), np.int64), *(runs for runs, _, _ in counted)])
    counts = np.concatenate([np.empty(0, np.int64), *(counts for _, counts, _ in counted)])
    documents = np.concatenate([np.empty(0, np.int64), *(documents for _, _, documents in counted)])
    order = np.argsort(-counts, kind="stable")  # n-grams are sorted within groups, and groups are sorted
    texts = _join_words(selection.index.lexicon(attribute), runs[order])
    return _counts_frame(selection, name, texts, counts[order], documents[order])


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
    """Return n-grams of several lengths that contain a match, the most frequent first; see ``corpus.text.clusters()``."""
    import pandas as pd

    minimum = max(1, check_count(min_count, "min_count"))
    try:
        min_n, max_n = map(int, sizes)
    except (TypeError, ValueError):
        raise ConfigurationError(f"sizes={sizes!r}: expected two numbers, such as (2, 4)") from None
    if not 1 <= min_n <= max_n <= _MAX_N:
        raise ConfigurationError(f"sizes={sizes}: expected two numbers from 1 to {_MAX_N}, such as (2, 4)")
    if position not in _POSITIONS:
        raise ConfigurationError(f"position {position!r}: expected one of {', '.join(_POSITIONS)}")
    if not all(part.has(attribute) for part in selection.index.parts):
        raise ConfigurationError(missing_attribute_message(selection.index, attribute))
    matches = find(selection, parse_query(query, syntax))
    frames = []
    for n in range(min_n, max_n + 1):
        counted = _count_runs(selection, _starts_around(matches, n, position), n, attribute, minimum)
        frame = _runs_frame(selection, [counted], n, attribute, "cluster")
        frame.insert(1, "words", pd.Series([n] * len(frame), dtype="Int64"))
        frames.append(frame)
    frame = pd.concat(frames, ignore_index=True)
    order = ["count", "words", "cluster"]
    return with_provenance(frame.sort_values(order, ascending=[False, True, True], ignore_index=True), selection)


Starts = list[tuple[int, "Numbers"]]
"""Index parts and the positions of first words of n-grams in them."""


def _all_starts(selection: TokenSelection, n: int, attribute: str) -> list[Starts]:
    """Return the positions of all n-grams in groups. N-grams with the same first word are in the same group."""
    index = selection.index
    counts = np.cumsum(selection.counts(attribute))
    groups = int(counts[-1] // _TOKENS_PER_GROUP) + 1 if len(counts) else 1
    group_of = counts // (int(counts[-1]) // groups + 1) if len(counts) else counts
    groups_of_starts = []
    for group in range(groups):
        starts: Starts = []
        for number, part in enumerate(index.parts):
            if groups == 1:
                positions: Any = selection.positions(number)
                positions = np.arange(len(part)) if isinstance(positions, slice) else positions
            else:
                local = np.flatnonzero(group_of[index.numbers_of(attribute)[number]] == group)
                positions = part.positions(attribute, local)
                holds = selection.holds(number, positions)
                positions = positions if holds is None else positions[holds]
            starts.append((number, _runs_within_elements(selection, number, positions, n)))
        groups_of_starts.append(starts)
    return groups_of_starts


def _starts_around(matches: Matches, n: int, position: str = "any") -> Starts:
    selection, starts_per_part = matches.selection, []
    for number in range(len(selection.index.parts)):
        first, last = matches.of_part(number)
        sizes = last - first
        if position == "left":
            starts = [first[sizes <= n]]
        elif position == "right":
            starts = [(last - n)[sizes <= n]]
        else:
            starts = [
                (last - n + i)[sizes <= n - i] for i in range(n)
            ]  # the first of these n-grams ends with the match
        positions = np.sort(
            np.concatenate([np.empty(0, np.int64), *starts]), kind="stable"
        )  # a stable sort merges sorted runs
        positions = positions[_starts_of_groups(positions)]
        starts_per_part.append((number, _runs_within_elements(selection, number, positions[positions >= 0], n)))
    return starts_per_part


def _runs_within_elements(selection: TokenSelection, number: int, positions: Numbers, n: int) -> Numbers:
    """Return the positions with ``n`` words from there on in the same element of the selection."""
    part = selection.index.parts[number]
    if n == 1 or not len(positions):
        return positions
    if len(positions) * 4 > len(part):  # marking each token is faster than finding the element of each position
        is_start = np.ones(len(part), np.bool_)
        ends = part.column("element_start")[1:].astype(np.int64)
        for distance in range(1, n):
            close_to_end = ends - distance
            is_start[close_to_end[close_to_end >= 0]] = False
        selected: Numbers = positions[is_start[positions]]
        return selected
    ends = part.column("element_start").astype(np.int64)[part.element_of(positions) + 1]
    selected = positions[positions + n <= ends]
    holds = selection.holds(number, selected)
    return selected if holds is None else selected[holds]


def _count_runs(
    selection: TokenSelection, starts: Starts, n: int, attribute: str, minimum: int
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the distinct n-grams as rows of word numbers, their counts and their document counts."""
    if not any(len(positions) for _, positions in starts):
        return np.empty((0, n), np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
    import pandas as pd

    index = selection.index

    def words(distance: int, positions_per_part: list[Numbers]) -> Numbers:
        return np.concatenate(
            [
                index.numbered(number, attribute, index.parts[number].numbers(attribute, positions + distance))
                for (number, _), positions in zip(starts, positions_per_part, strict=True)
            ]
        )

    positions = [part_positions for _, part_positions in starts]
    codes = words(0, positions).astype(np.int64)
    bits = max(1, int(len(index.lexicon(attribute)) - 1).bit_length())
    used = bits
    for distance in range(1, n):
        if used + bits > 63:  # renumber, so the code of an n-gram fits into 64 bits
            codes, used = _renumber(codes)
        codes = codes << bits | words(distance, positions)
        used += bits
        if minimum > 1:
            # A frequent n-gram begins with a frequent shorter one: drop most rare ones early.
            keep = _candidates(codes, minimum)
            codes, positions = codes[keep], _filter_parts(positions, keep)
    run, kinds = pd.factorize(codes)  # hashing takes half the time of sorting
    counts = np.bincount(run)
    pairs = np.sort(run.astype(np.int64) << 32 | _documents(selection, starts, positions))
    documents = np.bincount(pairs[_starts_of_groups(pairs)] >> 32)
    heads = np.empty(len(kinds), np.int64)
    heads[run[::-1]] = np.arange(len(run))[::-1]
    order = np.argsort(kinds)
    order = order[counts[order] >= minimum]
    rows = np.stack([words(distance, positions)[heads[order]] for distance in range(n)], axis=1)
    return rows, counts[order], documents[order]


def _starts_of_groups(numbers: Numbers) -> npt.NDArray[np.bool_]:
    """Return a mask of the numbers that differ from the preceding one."""
    first = np.ones(len(numbers), np.bool_)
    first[1:] = numbers[1:] != numbers[:-1]
    return first


def _renumber(codes: Numbers) -> tuple[Numbers, int]:
    kinds, of = np.unique(codes, return_inverse=True)
    return of.astype(np.int64), max(1, len(kinds).bit_length())


def _candidates(codes: Numbers, minimum: int) -> npt.NDArray[np.bool_]:
    """Return a mask of codes that may be frequent enough. It counts hash values, so it has false positives but no false negatives."""
    bits = max(10, len(codes).bit_length() + 1)
    hashed = codes.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(
        64 - bits
    )  # Knuth's multiplicative hash
    is_frequent: npt.NDArray[np.bool_] = np.bincount(hashed.view(np.int64))[hashed] >= minimum
    return is_frequent


def _filter_parts(positions: list[Numbers], keep: npt.NDArray[np.bool_]) -> list[Numbers]:
    cuts = np.cumsum([len(part_positions) for part_positions in positions])[:-1]
    return [part_positions[mask] for part_positions, mask in zip(positions, np.split(keep, cuts), strict=True)]


def _documents(selection: TokenSelection, starts: Starts, positions_per_part: list[Numbers]) -> Numbers:
    """Return a document number for each position, unique across parts."""
    documents, before = [], 0
    for (number, _), positions in zip(starts, positions_per_part, strict=True):
        part = selection.index.parts[number]
        documents.append(np.searchsorted(part.document_bounds(), positions, side="right") - 1 + before)
        before += len(part.documents)
    return np.concatenate(documents)


def _join_words(lexicon: pa.Array, runs: Numbers) -> pd.Series[Any]:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [lexicon.take(pa.array(runs[:, i])) for i in range(runs.shape[1])]
    strings: Any = pd.StringDtype(na_value=float("nan"))
    joined = pc.binary_join_element_wise(*columns, pa.scalar(" ", pa.large_string()))
    return pd.Series(strings.__from_arrow__(joined))


def strings_column(lexicon: pa.Array, numbers: Numbers) -> pd.Series[Any]:
    """Return the strings of lexicon numbers as a column."""
    import pandas as pd
    import pyarrow as pa

    strings: Any = pd.StringDtype(na_value=float("nan"))
    return pd.Series(strings.__from_arrow__(lexicon.take(pa.array(numbers))))


def _counts_frame(
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
    return with_provenance(frame, selection)


def dispersion(selection: TokenSelection, queries: Sequence[str], *, syntax: str | None = None) -> pd.DataFrame:
    """Return the dispersion of matches over the documents; see ``corpus.text.dispersion()``."""
    import pandas as pd

    parts = selection.index.parts
    sizes = np.concatenate([np.empty(0), *(selection.document_sizes(number) for number in range(len(parts)))])
    has_tokens = sizes > 0
    rows = []
    for query in queries:
        matches = find(selection, parse_query(query, syntax))
        counts = np.zeros(0)
        for number, part in enumerate(parts):
            starts, _ = matches.of_part(number)
            of = np.searchsorted(part.document_bounds(), starts, side="right") - 1
            counts = np.concatenate([counts, np.bincount(of, minlength=len(part.documents))])
        dp, norm = deviation_of_proportions(counts[has_tokens], sizes[has_tokens])
        rows.append((query, int(counts.sum()), int((counts > 0).sum()), int(has_tokens.sum()), dp, norm))
    types = {
        "pattern": "str",
        "count": "Int64",
        "documents": "Int64",
        "parts": "Int64",
        "dp": "float64",
        "dp_norm": "float64",
    }
    return with_provenance(pd.DataFrame(rows, columns=list(types)).astype(types), selection)


def occurrences(
    folder: CorpusFolder | None, selection: TokenSelection, queries: Sequence[str], *, syntax: str | None = None
) -> pd.DataFrame:
    """Return the positions of matches; see ``corpus.text.occurrences()``. Without a folder, title and uri are missing."""
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
            about = document_table(selection.index, folder, number) if folder is not None else None
            for name in ("title", "uri"):
                column = about[name].to_pylist() if about is not None else [None] * len(ids)
                frame[name] = pd.Series([column[i] for i in of.tolist()], dtype="str")
            frames.append(frame)
    frames = [frame for frame in frames if len(frame)] or frames[:1]
    return with_provenance(pd.concat(frames, ignore_index=True), selection)


def matching_documents(folder: CorpusFolder, query: str) -> list[str]:
    """Return the ids of documents with a match in their main content. Exact copies are included.

    Raises:
        ConfigurationError: The query is invalid.
    """
    selection = select_tokens(folder, copies=True)
    return positions_per_document(folder, selection, query)["doc_id"].tolist()


def positions_per_document(
    folder: CorpusFolder, selection: TokenSelection, query: str, *, syntax: str | None = None
) -> pd.DataFrame:
    """Return the relative positions of matches per document, for a plot with one row per document.

    Returns:
        Columns doc_id, title, uri (str), count (Int64), per_million (float64, of the document's words), places (arrays of
        float64, the share of the document's tokens that precede each match). Documents with the most matches come first.
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
        about = document_table(selection.index, folder, number).take(rows)
        counts = np.diff(np.append(firsts, len(of)))
        frame = about.select(["doc_id", "title", "uri"]).to_pandas()
        frame["count"], frame["per_million"] = counts, counts * 1e6 / sizes[rows]
        frame["places"] = np.split((before - bounds[of]) / sizes[of], firsts[1:])
        tables.append(frame)
    names = ["doc_id", "title", "uri", "count", "per_million", "places"]
    result = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=names)
    result = result.astype({"doc_id": "str", "title": "str", "uri": "str", "count": "Int64", "per_million": "float64"})
    return with_provenance(
        result.sort_values(["count", "doc_id"], ascending=[False, True], ignore_index=True), selection
    )


def _match_words(numbers: Any, lexicon: pa.Array, starts: Numbers, ends: Numbers) -> list[str]:
    known: dict[tuple[int, ...], str] = {}
    texts = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        key = tuple(numbers("lower", slice(start, end)).tolist())
        if key not in known:
            known[key] = " ".join(lexicon[number].as_py() for number in key)
        texts.append(known[key])
    return texts


def _tokens_before(selection: TokenSelection, number: int, positions: Numbers) -> Numbers:
    """Return the number of selected tokens before each position of a part."""
    selected = selection.elements(number)
    if selected is None:
        return positions
    part = selection.index.parts[number]
    starts = part.column("element_start").astype(np.int64)
    sizes = np.where(selected, np.diff(starts), 0)
    before = np.cumsum(sizes) - sizes
    elements = part.element_of(positions)
    counts: Numbers = before[elements] + positions - starts[elements]
    return counts


def _empty_occurrences() -> pd.DataFrame:
    import pandas as pd

    types = {"pattern": "str", "doc_id": "str", "word": "str", "element_id": "int32", "place": "float64"}
    types |= {"title": "str", "uri": "str"}
    return pd.DataFrame(columns=list(types)).astype(types)
