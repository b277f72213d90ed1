"""Selection of tokens by documents, main content and duplicates, and word frequencies in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from corpuskit.tokens.index import TokenIndex
from corpuskit.tokens.index_part import IndexPart, spans
from corpuskit.tokens.result_cache import cached_by_owner

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TokenSelection:
    """Tokens of an index: all or the main content of selected documents.

    Attributes:
        index: The index.
        documents: Mask of selected documents per part.
        main: Only main content.
        copies: Number of documents left out as duplicates (same main text) of another selected document.
        results: Results of cached functions.
    """

    index: TokenIndex
    documents: tuple[Bools, ...]
    main: bool = True
    copies: int = 0
    results: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_by_owner
    def elements(self, number: int) -> Bools | None:
        """Return a mask of the selected elements of a part. None: all.

        Args:
            number: Number of the part.
        """
        part, chosen = self.index.parts[number], self.documents[number]
        mask: Bools | None = None
        if not chosen.all():
            mask = np.repeat(chosen, np.diff(part.column("document_start")))
        if self.main and not part.column("element_main").all():
            main = part.column("element_main")
            mask = np.array(main) if mask is None else mask & main
        return mask

    def holds(self, number: int, positions: Numbers) -> Bools | None:
        """Return a mask of the selected ones among token positions of a part. None: all.

        Args:
            number: Number of the part.
            positions: Token positions.
        """
        elements = self.elements(number)
        return None if elements is None else elements[self.index.parts[number].element_of(positions)]

    def positions(self, number: int) -> Numbers | slice:
        """Return all selected token positions of a part.

        Args:
            number: Number of the part.
        """
        elements = self.elements(number)
        if elements is None:
            return slice(None)
        starts = self.index.parts[number].column("element_start")
        return spans(starts[:-1][elements], starts[1:][elements])

    def document_sizes(self, number: int) -> Numbers:
        """Return the number of selected tokens of each document of a part.

        Args:
            number: Number of the part.
        """
        part = self.index.parts[number]
        sizes = np.diff(part.column("element_start").astype(np.int64))
        elements = self.elements(number)
        if elements is not None:
            sizes = np.where(elements, sizes, 0)
        before = np.concatenate([[0], np.cumsum(sizes)])
        document_sizes: Numbers = np.diff(before[part.column("document_start")])
        return document_sizes

    @property
    def size(self) -> int:
        """Number of tokens."""
        return int(sum(self.document_sizes(number).sum() for number in range(len(self.index.parts))))

    def counts(self, attribute: str) -> Numbers:
        """Return the frequency of each string of the attribute's lexicon.

        Args:
            attribute: Such as ``lower``.
        """
        return self._count(attribute)[0]

    def document_counts(self, attribute: str) -> Numbers:
        """Return the number of documents of each string of the attribute's lexicon.

        Args:
            attribute: Such as ``lower``.
        """
        return self._count(attribute)[1]

    @cached_by_owner
    def _count(self, attribute: str) -> tuple[Numbers, Numbers]:
        size = len(self.index.lexicon(attribute))
        counts, documents = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for number, numbers in enumerate(self.index.numbers_of(attribute)):
            part_counts, part_documents = self._count_part(number, attribute)
            counts[numbers] += part_counts
            documents[numbers] += part_documents
        return counts, documents

    def _count_part(self, number: int, attribute: str) -> tuple[Numbers, Numbers]:
        """Count in a part. If most documents are selected, subtract the others from the stored totals."""
        part, chosen = self.index.parts[number], self.documents[number]
        unrestricted = TokenSelection(self.index, self.documents, main=self.main)
        sizes = np.diff(part.document_bounds())
        if attribute != "word" and sizes[chosen].sum() * 2 > sizes.sum():
            counts = (
                part.column(f"{attribute}.main").astype(np.int64)
                if self.main
                else np.diff(part.column(f"{attribute}.start").astype(np.int64))
            )
            documents = part.column(f"{attribute}.{'main_documents' if self.main else 'documents'}").astype(np.int64)
            if chosen.all():
                return counts, documents
            excluded = _count_documents(unrestricted, number, attribute, ~chosen)
            return counts - excluded[0], documents - excluded[1]
        return _count_documents(unrestricted, number, attribute, chosen)


def _count_documents(selection: TokenSelection, number: int, attribute: str, chosen: Bools) -> tuple[Numbers, Numbers]:
    """Count each token of the chosen documents of a part. Return frequencies and document frequencies."""
    part = selection.index.parts[number]
    elements = np.repeat(chosen, np.diff(part.column("document_start")))
    if selection.main:
        elements &= part.column("element_main")
    starts = part.column("element_start").astype(np.int64)
    document_of = part.document_of(np.flatnonzero(elements))
    size = len(part.lexicon(attribute))
    counts, documents = np.zeros(size, np.int64), np.zeros(size, np.int64)
    # In batches of documents, so that the tokens fit into memory.
    sizes = np.diff(starts)[elements]
    firsts, ends = starts[:-1][elements], starts[1:][elements]
    cuts = _cuts(document_of, sizes)
    for first, last in pairwise(cuts):
        numbers = part.numbers(attribute, spans(firsts[first:last], ends[first:last])).astype(np.int64)
        counts += np.bincount(numbers, minlength=size)
        pairs = np.repeat(document_of[first:last].astype(np.int64), sizes[first:last]) << 32 | numbers
        documents += np.bincount(_unique(pairs) & 0xFFFFFFFF, minlength=size)
    return counts, documents


def _cuts(documents: Numbers, sizes: Numbers, batch_size: int = 4_000_000) -> list[int]:
    """Return batch boundaries of elements. A batch has whole documents and about ``batch_size`` tokens."""
    if not len(documents):
        return [0]
    ends = np.flatnonzero(np.diff(documents, append=-1)) + 1
    piece = np.cumsum(sizes)[ends - 1] // batch_size
    return [0, *ends[np.flatnonzero(np.diff(piece, append=-1))].tolist()]


def _unique(numbers: Numbers) -> Numbers:
    """Return the sorted distinct numbers. For large integers np.unique takes ten times as long."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def select(
    index: TokenIndex,
    doc_ids: Sequence[str] | None = None,
    *,
    main: bool = True,
    duplicate_of: Mapping[str, str] | None = None,
) -> TokenSelection:
    """Select the tokens of documents.

    Args:
        index: The index.
        doc_ids: The documents. None: all.
        main: Only main content.
        duplicate_of: Document → original, for exact duplicates. One document of each group is selected, preferably the
            original.
    """
    key = "selection", None if doc_ids is None else tuple(doc_ids), main, duplicate_of is None
    if doc_ids is None and key in index.results and index.results[key][0] is duplicate_of:
        cached: TokenSelection = index.results[key][1]
        return cached
    masks = [np.array(alive) for alive in index.alive]
    if doc_ids is not None:
        masks = [mask & _are_in(part, doc_ids) for part, mask in zip(index.parts, masks, strict=True)]
    copies = 0
    if duplicate_of:
        of_parts = [_are_in(part, list(duplicate_of)) for part in index.parts]
        if doc_ids is None:
            copies = sum(int((mask & copy).sum()) for mask, copy in zip(masks, of_parts, strict=True))
            masks = [mask & ~copy for mask, copy in zip(masks, of_parts, strict=True)]
        else:
            copies = _drop_duplicates(index, masks, of_parts, duplicate_of)
    selection = TokenSelection(index, tuple(masks), main, copies)
    if doc_ids is None:
        index.results[key] = duplicate_of, selection
    return selection


def _drop_duplicates(index: TokenIndex, masks: list[Bools], copy: list[Bools], duplicate_of: Mapping[str, str]) -> int:
    """Unselect duplicates in place, except the first of a group without its original. Return their number."""
    seen: set[str] = set()
    for part, mask, is_copy in zip(index.parts, masks, copy, strict=True):
        ids = part.documents.column("doc_id")
        seen.update(ids[i].as_py() for i in np.flatnonzero(mask & ~is_copy).tolist())
    dropped = 0
    for part, mask, is_copy in zip(index.parts, masks, copy, strict=True):
        ids = part.documents.column("doc_id")
        for i in np.flatnonzero(mask & is_copy).tolist():
            original = duplicate_of[ids[i].as_py()]
            if original in seen:
                mask[i] = False
                dropped += 1
            seen.add(original)
    return dropped


def _are_in(part: IndexPart, doc_ids: Sequence[str]) -> Bools:
    import pyarrow as pa
    import pyarrow.compute as pc

    mask = pc.is_in(part.documents.column("doc_id"), value_set=pa.array(list(doc_ids), pa.string()))
    chosen: Bools = mask.to_numpy(zero_copy_only=False) if len(mask) else np.zeros(0, np.bool_)
    return chosen.astype(np.bool_)
