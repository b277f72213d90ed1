"""Reports on the words and characters of a corpus."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from corpuskit import text as texts
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import main_texts

if TYPE_CHECKING:
    import pandas as pd


def vocabulary(
    folder: CorpusFolder,
    *,
    known: Container[str] | None = None,
    min_count: int = 1,
    tags: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
    doc_ids: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the words of the main content; see :func:`corpuskit.text.vocabulary`."""
    main = (text for _, text in main_texts(folder, doc_ids))
    return texts.vocabulary(main, known=known, min_count=min_count, tags=tags)


def charset(folder: CorpusFolder, *, by_site: bool = False, doc_ids: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the characters of the main content; see :func:`corpuskit.text.charset`.

    Args:
        folder: The corpus.
        by_site: Add the columns ``count HOST`` and ``per_million HOST`` for each host.
        doc_ids: Documents to count. None: all.
    """
    if not by_site:
        return texts.charset(text for _, text in main_texts(folder, doc_ids))
    selected = None if doc_ids is None else set(doc_ids)
    hosts: dict[str, list[str]] = {}
    for row in folder.catalog.rows("SELECT doc_id, host FROM current ORDER BY host, uri"):
        if selected is None or row["doc_id"] in selected:
            hosts.setdefault(row["host"], []).append(row["doc_id"])
    return texts.charset({host: (text for _, text in main_texts(folder, ids)) for host, ids in hosts.items()})
