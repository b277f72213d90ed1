"""Steps that need all documents."""

from __future__ import annotations

from corpuskit.preprocessing.step_definition import Step, named
from corpuskit.validation import check_count


@named
def duplicates(*, threshold: float = 0.8, size: int = 3) -> Step:
    """Return a step that adds the columns unique (bool), duplicate_of, kind (str), similarity (float64) of :class:`corpuskit.text.DuplicateIndex`.

    Documents dropped by earlier filters are not originals. The index is stored on disk: only new documents are added.

    Args:
        threshold: Minimum similarity of duplicates (Jaccard index, 0 to 1).
        size: Number of words of the compared n-grams.
    """
    size = check_count(size, "size", minimum=1)
    columns = {"unique": "bool", "duplicate_of": "str", "kind": "str", "similarity": "float64"}
    return Step("duplicates", "corpus", {"threshold": threshold, "size": size}, columns)


@named
def blocks(*, min_documents: int = 5) -> Step:
    """Return a step that adds the column repeated_blocks (float64): the share of the main text's words in blocks that pages of the site repeat.

    Args:
        min_documents: documents of the site that must have a block for it to count as repeated.
    """
    return Step("blocks", "corpus", {"min_documents": min_documents}, {"repeated_blocks": "float64"})
