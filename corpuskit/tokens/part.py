"""A part of the index: the tokens of some documents, with lists of where each word stands."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.text import sentences
from corpuskit.tokens.chunks import Chunk

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

NOT_LAYERS: Final = ("word", "lower", "gap")


class Part:
    """Tokens as columns of numbers, each with a lexicon; a token's place is its position in them.

    The attribute ``word`` is the word as it stands, ``lower`` its case folded; the others are layers. A lexicon is sorted by
    code points, so that numbers stand in the order of the strings.

    Args:
        read: gives a column by its name.
        lexicon: gives a lexicon by its name.
        documents: a row a document.
        layers: the attributes beside word and lower.
        keep: takes a column that was made, to be read the next time.
    """

    def __init__(
        self,
        read: Callable[[str], Numbers],
        lexicon: Callable[[str], pa.Array],
        documents: pa.Table,
        layers: tuple[str, ...],
        keep: Callable[[str, Numbers], None] = lambda name, column: None,
    ) -> None:
        self._read, self._lexicon, self._keep = read, lexicon, keep
        self._columns: dict[str, Numbers] = {}
        self._lexica: dict[str, pa.Array] = {}
        self.documents = documents
        self.layers = layers

    def __len__(self) -> int:
        return len(self.column("word"))

    def column(self, name: str) -> Numbers:
        """A column; read when it is needed first."""
        if name not in self._columns:
            self._columns[name] = self._read(name)
        return self._columns[name]

    def lexicon(self, attribute: str) -> pa.Array:
        """The strings of an attribute, each in the place of its number."""
        if attribute not in self._lexica:
            self._lexica[attribute] = self._lexicon(attribute)
        return self._lexica[attribute]

    def has(self, attribute: str) -> bool:
        """Whether its tokens have an attribute."""
        return attribute in ("word", "lower") or attribute in self.layers

    def numbers(self, attribute: str, places: Any = slice(None)) -> Numbers:
        """The numbers of an attribute at some places."""
        if attribute == "lower":
            found: Numbers = self.column("lower_of_word")[self.column("word")[places]]
            return found
        found = self.column(attribute)[places]
        return found

    def places(self, attribute: str, numbers: Numbers) -> Numbers:
        """Where tokens with one of these numbers stand, in order."""
        if attribute == "word":
            lowers = np.unique(self.column("lower_of_word")[numbers])
            places = self.places("lower", lowers)
            wanted = np.zeros(len(self.lexicon("word")), np.bool_)
            wanted[numbers] = True
            return places[wanted[self.column("word")[places]]]
        starts, posting = self.column(f"{attribute}.start"), self.column(f"{attribute}.posting")
        if len(numbers) == 1:
            return posting[starts[numbers[0]] : starts[numbers[0] + 1]].astype(np.int64)
        return np.sort(posting[spans(starts[numbers], starts[numbers + 1])].astype(np.int64))

    def frequency(self, attribute: str, numbers: Numbers) -> int:
        """How many tokens have one of these numbers, or at most so many."""
        if attribute == "word":
            return self.frequency("lower", np.unique(self.column("lower_of_word")[numbers]))
        starts = self.column(f"{attribute}.start")
        return int((starts[numbers + 1].astype(np.int64) - starts[numbers]).sum())

    def element_of(self, places: Numbers) -> Numbers:
        """The number of the element of each place."""
        return np.searchsorted(self.column("element_start"), places, side="right") - 1

    def document_of(self, elements: Numbers) -> Numbers:
        """The number of the document of each element."""
        return np.searchsorted(self.column("document_start"), elements, side="right") - 1

    def document_bounds(self) -> Numbers:
        """Where each document's tokens begin, and where the last ends."""
        bounds: Numbers = self.column("element_start")[self.column("document_start")]
        return bounds.astype(np.int64)

    def sentence_bounds(self) -> Numbers:
        """Where each sentence's tokens begin, and where the last ends; made when it is asked for first.

        Raises:
            MissingExtraError: the extra ``text`` is not installed.
        """
        try:
            return self.column("sentence").astype(np.int64)
        except (KeyError, FileNotFoundError):
            pass
        self._columns["sentence"] = starts = sentence_starts(self)
        self._keep("sentence", starts)
        return starts.astype(np.int64)

    def pieces(self) -> pa.Array:
        """Words and gaps in one array: a word's number is its place, a gap's the number of words more."""
        if "pieces" not in self._lexica:
            import pyarrow as pa

            self._lexica["pieces"] = pa.concat_arrays([self.lexicon("word"), self.lexicon("gap")])
        return self._lexica["pieces"]

    def text(self, element: int) -> str:
        """The text of an element, as it stands."""
        import pyarrow as pa

        first, last = (int(place) for place in self.column("element_start")[element : element + 2])
        numbers = np.empty(2 * (last - first) + 1, np.int64)
        numbers[:-1:2] = self.column("gap")[first:last]
        numbers[-1] = self.column("tail")[element]
        numbers[::2] += len(self.lexicon("word"))
        numbers[1::2] = self.column("word")[first:last]
        return "".join(self.pieces().take(pa.array(numbers)).to_pylist())

    def chunk(self, documents: Bools) -> Chunk:
        """Some of its documents, to make another part of."""
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
        return Chunk(columns, lexica, self.documents.filter(pa.array(documents)))


def sentence_starts(part: Part) -> Numbers:
    """Where sentences begin, the end of the last behind them; none goes over the border of an element."""
    langs = part.documents.column("lang").to_pylist() if "lang" in part.documents.column_names else None
    starts = part.column("element_start").astype(np.int64)
    of = part.document_of(np.arange(len(starts) - 1))
    gaps = np.array([len(gap) for gap in part.lexicon("gap").to_pylist()], np.int64)
    words = np.array([len(word) for word in part.lexicon("word").to_pylist()], np.int64)
    found = [starts]
    for element, (first, last) in enumerate(pairwise(starts.tolist())):
        spans_of = sentences(part.text(element), langs[of[element]] if langs else None)
        if len(spans_of) > 1:
            before = gaps[part.column("gap")[first:last]]
            ends = np.cumsum(before + words[part.column("word")[first:last]])
            places = first + np.searchsorted(ends, [begin for begin, _ in spans_of[1:]], side="right")
            found.append(places[places < last])
    return np.unique(np.concatenate(found)).astype(np.uint32)


def spans(starts: Numbers, ends: Numbers) -> Numbers:
    """The numbers from each start to its end (exclusive), one behind the other."""
    sizes = ends.astype(np.int64) - starts.astype(np.int64)
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts.astype(np.int64) - before, sizes) + np.arange(int(sizes.sum()))


def part_of(chunk: Chunk) -> Part:
    """A part in memory."""
    columns, lexica = columns_of(chunk)
    layers = tuple(name for name in chunk.lexica if name not in NOT_LAYERS)
    return Part(columns.__getitem__, lexica.__getitem__, chunk.documents, layers)


def columns_of(chunk: Chunk) -> tuple[dict[str, Numbers], dict[str, pa.Array]]:
    """The columns and lexica of a part; strings that no token has are dropped."""
    import pyarrow as pa
    import pyarrow.compute as pc

    given = chunk.columns
    size = len(given["word"])
    word, words = _sorted(given["word"], chunk.lexica["word"])
    between, gaps = _sorted(np.concatenate([given["gap"], given["tail"]]), chunk.lexica["gap"])
    small = np.uint16 if len(gaps) <= 1 << 16 else np.uint32
    texts = words.to_pylist()
    folded = [text.casefold() for text in texts]
    odd = [i for i, text in enumerate(texts) if len(folded[i]) != len(text) or folded[i] != text.lower()]
    encoded = pc.dictionary_encode(pa.array(folded, pa.large_string()))
    lower_of_word, lowers = _sorted(encoded.indices.to_numpy(), encoded.dictionary)
    element_start = _starts(given["element_size"])
    document_start = _starts(given["document_size"])
    columns: dict[str, Numbers] = {
        "word": word,
        "gap": between[:size].astype(small),
        "tail": between[size:].astype(small),
        "element_start": element_start,
        "element_id": given["element_id"],
        "element_main": given["element_main"],
        "document_start": document_start,
        "lower_of_word": lower_of_word,
        "odd": np.array(odd, np.uint32),  # words that case folding changes more than lowering does: Straße, İstanbul
    }
    lexica = {"word": words, "gap": gaps, "lower": lowers}
    main = np.repeat(given["element_main"], given["element_size"])
    bounds = element_start[document_start].astype(np.int64)
    sizes = bounds[1:] - bounds[:-1]
    document = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    columns |= attribute_columns("lower", lower_of_word[word], len(lowers), document, main)
    for name in (name for name in chunk.lexica if name not in NOT_LAYERS):
        columns[name], lexica[name] = _sorted(given[name], chunk.lexica[name])
        columns |= attribute_columns(name, columns[name], len(lexica[name]), document, main)
    return columns, lexica


def layer_of(part: Part, name: str, numbers: Numbers, strings: pa.Array) -> tuple[dict[str, Numbers], pa.Array]:
    """The columns and the lexicon of a layer that a part is to get."""
    numbers, strings = _sorted(numbers, strings)
    sizes = np.diff(part.document_bounds())
    document = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    bounds: Numbers = part.column("element_start").astype(np.int64)
    main = np.repeat(part.column("element_main"), bounds[1:] - bounds[:-1])
    return {name: numbers} | attribute_columns(name, numbers, len(strings), document, main), strings


def attribute_columns(name: str, numbers: Numbers, size: int, document: Numbers, main: Bools) -> dict[str, Numbers]:
    """Where each string of an attribute stands (``posting`` from ``start`` on), and its counts: in main content, and documents."""
    keys = numbers.astype(np.uint64) << np.uint64(32)
    keys |= np.arange(len(numbers), dtype=np.uint64)
    keys.sort()
    posting = keys.astype(np.uint32)  # the lower half
    of = (keys >> np.uint64(32)).astype(np.uint32)
    del keys
    in_main = main[posting]
    documents = document[posting]
    return {
        f"{name}.posting": posting,
        f"{name}.start": _starts(np.bincount(of, minlength=size)),
        f"{name}.main": np.bincount(of[in_main], minlength=size).astype(np.uint32),
        f"{name}.documents": _runs(of, documents, size),
        f"{name}.main_documents": _runs(of[in_main], documents[in_main], size),
    }


def _runs(numbers: Numbers, documents: Numbers, size: int) -> Numbers:
    """In how many documents each number occurs, of pairs in order."""
    if not len(numbers):
        return np.zeros(size, np.uint32)
    first = np.ones(len(numbers), np.bool_)
    first[1:] = (numbers[1:] != numbers[:-1]) | (documents[1:] != documents[:-1])
    return np.bincount(numbers[first], minlength=size).astype(np.uint32)


def _starts(sizes: Numbers) -> Numbers:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.uint64)]).astype(np.uint32)


def _sorted(numbers: Numbers, lexicon: pa.Array) -> tuple[Numbers, pa.Array]:
    """The numbers in a lexicon that is sorted and has no string without a token."""
    import pyarrow as pa
    import pyarrow.compute as pc

    order = pc.array_sort_indices(lexicon).to_numpy()
    order = order[np.bincount(numbers, minlength=len(lexicon))[order] > 0]
    renumbered = np.zeros(len(lexicon), np.uint32)
    renumbered[order] = np.arange(len(order), dtype=np.uint32)
    return renumbered[numbers], lexicon.take(pa.array(order))
