"""Which tokens a question is about: documents, main content or all, exact copies or not; and how often words occur in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from corpuskit.tokens.caching import cached_by_owner
from corpuskit.tokens.index import TokenIndex
from corpuskit.tokens.part import Part, spans

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Some tokens of an index: those of some documents, of their main content only or all.

    Attributes:
        index: the index.
        documents: of each part, which documents.
        main: only main content.
        copies: documents that were left out because another one of the selection has the same main text.
        results: of cached functions.
    """

    index: TokenIndex
    documents: tuple[Bools, ...]
    main: bool = True
    copies: int = 0
    results: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_by_owner
    def elements(self, number: int) -> Bools | None:
        """Return which elements of a part are in it; None: all.

        Args:
            number: Number of the part.
        """
        part, chosen = self.index.parts[number], self.documents[number]
        found: Bools | None = None
        if not chosen.all():
            found = np.repeat(chosen, np.diff(part.column("document_start")))
        if self.main and not part.column("element_main").all():
            main = part.column("element_main")
            found = np.array(main) if found is None else found & main
        return found

    def holds(self, number: int, places: Numbers) -> Bools | None:
        """Return which of some places of a part are in it; None: all.

        Args:
            number: Number of the part.
            places: The places.
        """
        elements = self.elements(number)
        return None if elements is None else elements[self.index.parts[number].element_of(places)]

    def places(self, number: int) -> Numbers | slice:
        """Return all places of a part that are in it.

        Args:
            number: Number of the part.
        """
        elements = self.elements(number)
        if elements is None:
            return slice(None)
        starts = self.index.parts[number].column("element_start")
        return spans(starts[:-1][elements], starts[1:][elements])

    def document_sizes(self, number: int) -> Numbers:
        """Return the number of tokens of each document of a part that are in it.

        Args:
            number: Number of the part.
        """
        part = self.index.parts[number]
        sizes = np.diff(part.column("element_start").astype(np.int64))
        elements = self.elements(number)
        if elements is not None:
            sizes = np.where(elements, sizes, 0)
        before = np.concatenate([[0], np.cumsum(sizes)])
        found: Numbers = np.diff(before[part.column("document_start")])
        return found

    @property
    def size(self) -> int:
        """How many tokens."""
        return int(sum(self.document_sizes(number).sum() for number in range(len(self.index.parts))))

    def counts(self, attribute: str) -> Numbers:
        """Return how often each string of the attribute's lexicon occurs.

        Args:
            attribute: Such as ``lower``.
        """
        return self._count(attribute)[0]

    def document_counts(self, attribute: str) -> Numbers:
        """Return in how many documents each string of the attribute's lexicon occurs.

        Args:
            attribute: Such as ``lower``.
        """
        return self._count(attribute)[1]

    @cached_by_owner
    def _count(self, attribute: str) -> tuple[Numbers, Numbers]:
        size = len(self.index.lexicon(attribute))
        counts, documents = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for number, numbers in enumerate(self.index.numbers_of(attribute)):
            some, within = self._counted_in(number, attribute)
            counts[numbers] += some
            documents[numbers] += within
        return counts, documents

    def _counted_in(self, number: int, attribute: str) -> tuple[Numbers, Numbers]:
        """The counts of a part: those it keeps for all documents, less those of the documents that are not chosen."""
        part, chosen = self.index.parts[number], self.documents[number]
        every = Selection(self.index, self.documents, main=self.main)
        sizes = np.diff(part.document_bounds())
        if attribute != "word" and sizes[chosen].sum() * 2 > sizes.sum():
            kept = ("main", "main_documents") if self.main else ("", "documents")
            counts = (
                np.diff(part.column(f"{attribute}.start").astype(np.int64))
                if not kept[0]
                else part.column(f"{attribute}.main").astype(np.int64)
            )
            documents = part.column(f"{attribute}.{kept[1]}").astype(np.int64)
            if chosen.all():
                return counts, documents
            others = _counted_anew(every, number, attribute, ~chosen)
            return counts - others[0], documents - others[1]
        return _counted_anew(every, number, attribute, chosen)


def _counted_anew(selection: Selection, number: int, attribute: str, chosen: Bools) -> tuple[Numbers, Numbers]:
    """Counts and documents by looking at each token of some documents of a part."""
    part = selection.index.parts[number]
    elements = np.repeat(chosen, np.diff(part.column("document_start")))
    if selection.main:
        elements &= part.column("element_main")
    starts = part.column("element_start").astype(np.int64)
    of = part.document_of(np.flatnonzero(elements))
    size = len(part.lexicon(attribute))
    counts, documents = np.zeros(size, np.int64), np.zeros(size, np.int64)
    # Some documents at a time, so that their tokens fit into memory.
    sizes = np.diff(starts)[elements]
    firsts, ends = starts[:-1][elements], starts[1:][elements]
    cuts = _cuts(of, sizes)
    for first, last in pairwise(cuts):
        numbers = part.numbers(attribute, spans(firsts[first:last], ends[first:last])).astype(np.int64)
        counts += np.bincount(numbers, minlength=size)
        pairs = np.repeat(of[first:last].astype(np.int64), sizes[first:last]) << 32 | numbers
        documents += np.bincount(_unique(pairs) & 0xFFFFFFFF, minlength=size)
    return counts, documents


def _cuts(documents: Numbers, sizes: Numbers, most: int = 4_000_000) -> list[int]:
    """Where to cut elements so that no document is cut, and about so many tokens stand between two cuts."""
    if not len(documents):
        return [0]
    ends = np.flatnonzero(np.diff(documents, append=-1)) + 1
    piece = np.cumsum(sizes)[ends - 1] // most
    return [0, *ends[np.flatnonzero(np.diff(piece, append=-1))].tolist()]


def _unique(numbers: Numbers) -> Numbers:
    """The different numbers; for large integers np.unique takes ten times the time of a sort."""
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
) -> Selection:
    """Return the tokens of documents.

    Args:
        index: the index.
        doc_ids: only these; None for all.
        main: only the main content.
        duplicate_of: documents that are exact copies of others. Of each group of copies one is kept, the original where it is
            among the documents asked for.
    """
    key = "selection", None if doc_ids is None else tuple(doc_ids), main, duplicate_of is None
    if doc_ids is None and key in index.results and index.results[key][0] is duplicate_of:
        kept: Selection = index.results[key][1]
        return kept
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
            copies = _drop_copies(index, masks, of_parts, duplicate_of)
    found = Selection(index, tuple(masks), main, copies)
    if doc_ids is None:
        index.results[key] = duplicate_of, found
    return found


def _drop_copies(index: TokenIndex, masks: list[Bools], copy: list[Bools], duplicate_of: Mapping[str, str]) -> int:
    """Of copies whose original was not asked for, the first stays."""
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


def _are_in(part: Part, doc_ids: Sequence[str]) -> Bools:
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.is_in(part.documents.column("doc_id"), value_set=pa.array(list(doc_ids), pa.string()))
    chosen: Bools = found.to_numpy(zero_copy_only=False) if len(found) else np.zeros(0, np.bool_)
    return chosen.astype(np.bool_)
