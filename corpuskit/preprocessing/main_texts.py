"""The main texts of documents, from Arrow batches of the element cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import element_tables


def main_texts(folder: CorpusFolder, doc_ids: Sequence[str] | None = None) -> Iterator[tuple[str, str]]:
    """doc_id and main text, a block a line; documents without elements are left out."""
    import pyarrow as pa

    if doc_ids is not None and not doc_ids:
        return
    for table in element_tables(folder, doc_ids, columns=["doc_id", "text", "main"]):
        ids = table["doc_id"].cast(pa.string()).to_pylist()
        rows = zip(ids, table["text"].to_pylist(), table["main"].to_pylist(), strict=True)
        for doc_id, group in groupby(rows, key=lambda row: row[0]):
            yield doc_id, "\n".join(text for _, text, main in group if main and text)
