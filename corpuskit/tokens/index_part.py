"""Part of the token index: tokens of documents as columns of numbers, with postings lists."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.text import sentences
from corpuskit.tokens.token_table import TokenTable

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

BUILT_IN_COLUMNS: Final = ("word", "lower", "gap")


class IndexPart:
    """Tokens as columns of numbers, with a lexicon per attribute.

    The attribute ``word`` is the word as written, ``lower`` is the word after case folding. All other attributes are layers.
    Lexica are sorted by code point, so that numbers and strings have the same order.

    Args:
        read: Function that returns a column by name.
        lexicon: Function that returns a lexicon by name.
        documents: Table with one row per document.
        layers: Attributes other than word and lower.
        save: Function that stores a computed column.
    """

    def __init__(
        self,
        read: Callable[[str], Numbers],
        lexicon: Callable[[str], pa.Array],
        documents: pa.Table,
        layers: tuple[str, ...],
        save: Callable[[str, Numbers], None] = lambda name, column: None,
    ) -> None:
        self._read, self._lexicon, self._save = read, lexicon, save
        self._columns: dict[str, Numbers] = {}
        self._lexica: dict[str, pa.Array] = {}
        self.documents = documents
        self.layers = layers

    def __len__(self) -> int:
        return len(self.column("word"))

    def column(self, name: str) -> Numbers:
        """Return a column. It is read on first use."""
        if name not in self._columns:
            self._columns[name] = self._read(name)
        return self._columns[name]

    def lexicon(self, attribute: str) -> pa.Array:
        """Return the strings of an attribute. The index of a string is its number."""
        if attribute not in self._lexica:
            self._lexica[attribute] = self._lexicon(attribute)
        return self._lexica[attribute]

    def has(self, attribute: str) -> bool:
        """Return whether the tokens have an attribute."""
        return attribute in ("word", "lower") or attribute in self.layers

    def numbers(self, attribute: str, positions: Any = slice(None)) -> Numbers:
        """Return the numbers of an attribute at token positions."""
        if attribute == "lower":
            numbers: Numbers = self.column("lower_of_word")[self.column("word")[positions]]
            return numbers
        numbers = self.column(attribute)[positions]
        return numbers

    def positions(self, attribute: str, numbers: Numbers) -> Numbers:
        """Return the sorted positions of tokens with one of the numbers."""
        if attribute == "word":
            lowers = np.unique(self.column("lower_of_word")[numbers])
            positions = self.positions("lower", lowers)
            mask = np.zeros(len(self.lexicon("word")), np.bool_)
            mask[numbers] = True
            return positions[mask[self.column("word")[positions]]]
        starts, posting = self.column(f"{attribute}.start"), self.column(f"{attribute}.posting")
        if len(numbers) == 1:
            return posting[starts[numbers[0]] : starts[numbers[0] + 1]].astype(np.int64)
        return np.sort(posting[spans(starts[numbers], starts[numbers + 1])].astype(np.int64))

    def frequency(self, attribute: str, numbers: Numbers) -> int:
        """Return an upper bound of the number of tokens with one of the numbers. It is exact except for ``word``."""
        if attribute == "word":
            return self.frequency("lower", np.unique(self.column("lower_of_word")[numbers]))
        starts = self.column(f"{attribute}.start")
        return int((starts[numbers + 1].astype(np.int64) - starts[numbers]).sum())

    def element_of(self, positions: Numbers) -> Numbers:
        """Return the element of each token position."""
        return np.searchsorted(self.column("element_start"), positions, side="right") - 1

    def document_of(self, elements: Numbers) -> Numbers:
        """Return the document of each element."""
        return np.searchsorted(self.column("document_start"), elements, side="right") - 1

    def document_bounds(self) -> Numbers:
        """Return the first token of each document, followed by the end of the last document."""
        bounds: Numbers = self.column("element_start")[self.column("document_start")]
        return bounds.astype(np.int64)

    def sentence_bounds(self) -> Numbers:
        """Return the first token of each sentence, followed by the end of the last sentence. Computed on first use.

        Raises:
            MissingExtraError: The extra ``text`` is not installed.
        """
        try:
            return self.column("sentence").astype(np.int64)
        except (KeyError, FileNotFoundError):
            pass
        self._columns["sentence"] = starts = sentence_starts(self)
        self._save("sentence", starts)
        return starts.astype(np.int64)

    def words_and_gaps(self) -> pa.Array:
        """Return words and gaps in one array. Numbers of gaps are shifted by the number of words."""
        if "pieces" not in self._lexica:
            import pyarrow as pa

            self._lexica["pieces"] = pa.concat_arrays([self.lexicon("word"), self.lexicon("gap")])
        return self._lexica["pieces"]

    def text(self, element: int) -> str:
        """Return the original text of an element."""
        import pyarrow as pa

        first, last = (int(bound) for bound in self.column("element_start")[element : element + 2])
        numbers = np.empty(2 * (last - first) + 1, np.int64)
        numbers[:-1:2] = self.column("gap")[first:last]
        numbers[-1] = self.column("tail")[element]
        numbers[::2] += len(self.lexicon("word"))
        numbers[1::2] = self.column("word")[first:last]
        return "".join(self.words_and_gaps().take(pa.array(numbers)).to_pylist())

    def table(self, documents: Bools) -> TokenTable:
        """Return the tokens of documents as a table."""
        import pyarrow as pa

        starts: Numbers = self.column("document_start").astype(np.int64)
        sizes_of = starts[1:] - starts[:-1]
        elements = np.repeat(documents, sizes_of)
        bounds: Numbers = self.column("element_start").astype(np.int64)
        sizes = bounds[1:] - bounds[:-1]
        tokens = np.repeat(elements, sizes)
        columns = {name: self.column(name)[tokens] for name in ("word", "gap", *self.layers)}
        columns |= {name: self.column(name)[elements] for name in ("tail", "element_id", "element_main")}
        columns["element_size"] = sizes[elements]
        columns["document_size"] = sizes_of[documents]
        lexica = {name: self.lexicon(name) for name in ("word", "gap", *self.layers)}
        return TokenTable(columns, lexica, self.documents.filter(pa.array(documents)))


def sentence_starts(part: IndexPart) -> Numbers:
    """Return the first token of each sentence and the end of the last one. Sentences do not cross element boundaries."""
    langs = part.documents.column("lang").to_pylist() if "lang" in part.documents.column_names else None
    starts = part.column("element_start").astype(np.int64)
    document_of = part.document_of(np.arange(len(starts) - 1))
    gaps = np.array([len(gap) for gap in part.lexicon("gap").to_pylist()], np.int64)
    words = np.array([len(word) for word in part.lexicon("word").to_pylist()], np.int64)
    all_starts = [starts]
    for element, (first, last) in enumerate(pairwise(starts.tolist())):
        sentence_spans = sentences(part.text(element), langs[document_of[element]] if langs else None)
        if len(sentence_spans) > 1:
            before = gaps[part.column("gap")[first:last]]
            ends = np.cumsum(before + words[part.column("word")[first:last]])
            positions = first + np.searchsorted(ends, [begin for begin, _ in sentence_spans[1:]], side="right")
            all_starts.append(positions[positions < last])
    return np.unique(np.concatenate(all_starts)).astype(np.uint32)


def spans(starts: Numbers, ends: Numbers) -> Numbers:
    """Return the concatenated integer ranges from each start to its end (exclusive)."""
    sizes = ends.astype(np.int64) - starts.astype(np.int64)
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts.astype(np.int64) - before, sizes) + np.arange(int(sizes.sum()))


def in_memory_part(table: TokenTable) -> IndexPart:
    """Return an in-memory part."""
    columns, lexica = columns_of(table)
    layers = tuple(name for name in table.lexica if name not in BUILT_IN_COLUMNS)
    return IndexPart(columns.__getitem__, lexica.__getitem__, table.documents, layers)


def columns_of(tokens: TokenTable) -> tuple[dict[str, Numbers], dict[str, pa.Array]]:
    """Return the columns and lexica of a part, without strings that no token has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    source = tokens.columns
    size = len(source["word"])
    word, words = _sorted(source["word"], tokens.lexica["word"])
    between, gaps = _sorted(np.concatenate([source["gap"], source["tail"]]), tokens.lexica["gap"])
    small = np.uint16 if len(gaps) <= 1 << 16 else np.uint32
    texts = words.to_pylist()
    folded = [text.casefold() for text in texts]
    special = [i for i, text in enumerate(texts) if len(folded[i]) != len(text) or folded[i] != text.lower()]
    encoded = pc.dictionary_encode(pa.array(folded, pa.large_string()))
    lower_of_word, lowers = _sorted(encoded.indices.to_numpy(), encoded.dictionary)
    element_start = _starts(source["element_size"])
    document_start = _starts(source["document_size"])
    columns: dict[str, Numbers] = {
        "word": word,
        "gap": between[:size].astype(small),
        "tail": between[size:].astype(small),
        "element_start": element_start,
        "element_id": source["element_id"],
        "element_main": source["element_main"],
        "document_start": document_start,
        "lower_of_word": lower_of_word,
        "odd": np.array(special, np.uint32),  # words with a case folding other than lower case: Straße, İstanbul
    }
    lexica = {"word": words, "gap": gaps, "lower": lowers}
    main = np.repeat(source["element_main"], source["element_size"])
    bounds = element_start[document_start].astype(np.int64)
    sizes = bounds[1:] - bounds[:-1]
    document = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    columns |= attribute_columns("lower", lower_of_word[word], len(lowers), document, main)
    for name in (name for name in tokens.lexica if name not in BUILT_IN_COLUMNS):
        columns[name], lexica[name] = _sorted(source[name], tokens.lexica[name])
        columns |= attribute_columns(name, columns[name], len(lexica[name]), document, main)
    return columns, lexica


def layer_columns(
    part: IndexPart, name: str, numbers: Numbers, strings: pa.Array
) -> tuple[dict[str, Numbers], pa.Array]:
    """Return the columns and the lexicon of a new layer of a part."""
    numbers, strings = _sorted(numbers, strings)
    sizes = np.diff(part.document_bounds())
    document = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    bounds: Numbers = part.column("element_start").astype(np.int64)
    main = np.repeat(part.column("element_main"), bounds[1:] - bounds[:-1])
    return {name: numbers} | attribute_columns(name, numbers, len(strings), document, main), strings


def attribute_columns(name: str, numbers: Numbers, size: int, document: Numbers, main: Bools) -> dict[str, Numbers]:
    """Return the postings list of an attribute, and its frequencies in all text, main content and documents."""
    keys = numbers.astype(np.uint64) << np.uint64(32)
    keys |= np.arange(len(numbers), dtype=np.uint64)
    keys.sort()
    posting = keys.astype(np.uint32)  # the lower half
    string_of = (keys >> np.uint64(32)).astype(np.uint32)
    del keys
    in_main = main[posting]
    documents = document[posting]
    return {
        f"{name}.posting": posting,
        f"{name}.start": _starts(np.bincount(string_of, minlength=size)),
        f"{name}.main": np.bincount(string_of[in_main], minlength=size).astype(np.uint32),
        f"{name}.documents": _document_frequencies(string_of, documents, size),
        f"{name}.main_documents": _document_frequencies(string_of[in_main], documents[in_main], size),
    }


def _document_frequencies(numbers: Numbers, documents: Numbers, size: int) -> Numbers:
    """Return the number of documents of each string, from sorted pairs of string and document."""
    if not len(numbers):
        return np.zeros(size, np.uint32)
    first = np.ones(len(numbers), np.bool_)
    first[1:] = (numbers[1:] != numbers[:-1]) | (documents[1:] != documents[:-1])
    return np.bincount(numbers[first], minlength=size).astype(np.uint32)


def _starts(sizes: Numbers) -> Numbers:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.uint64)]).astype(np.uint32)


def _sorted(numbers: Numbers, lexicon: pa.Array) -> tuple[Numbers, pa.Array]:
    """Return numbers for a sorted lexicon without unused strings, and that lexicon."""
    import pyarrow as pa
    import pyarrow.compute as pc

    order = pc.array_sort_indices(lexicon).to_numpy()
    order = order[np.bincount(numbers, minlength=len(lexicon))[order] > 0]
    renumbered = np.zeros(len(lexicon), np.uint32)
    renumbered[order] = np.arange(len(order), dtype=np.uint32)
    return renumbered[numbers], lexicon.take(pa.array(order))
