"""Details of documents on the map, and search by title, address or text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from corpuskit.errors import CorpusKitError
from corpuskit.hooks import hook
from corpuskit.labels import corpus_labels
from corpuskit.store import CorpusFolder

_IDS_PER_QUERY: Final = 500  # parameters per SQL statement
_MAX_LENGTH: Final = 300  # characters of a title or an address
_SNIPPET: Final = 400  # characters


def titles_and_sources(folder: CorpusFolder, doc_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return document → title and source. Removed documents are omitted."""
    titles: dict[str, tuple[str, str]] = {}
    for start in range(0, len(doc_ids), _IDS_PER_QUERY):
        part = list(doc_ids[start : start + _IDS_PER_QUERY])
        marks = ", ".join("?" * len(part))
        rows = folder.catalog.tuples(f"SELECT doc_id, title, uri, host FROM current WHERE doc_id IN ({marks})", part)
        titles |= {
            doc_id: ((title or uri)[:_MAX_LENGTH], (host or "file")[:_MAX_LENGTH]) for doc_id, title, uri, host in rows
        }
    return titles


def about(folder: CorpusFolder, doc_id: str, region: str) -> dict[str, Any]:
    """Return title, address, facts and the beginning of the main text."""
    rows = folder.catalog.tuples(
        "SELECT c.title, c.uri, c.lang, c.words, c.timestamp, s.relevance FROM current c "
        "LEFT JOIN scores s ON s.doc_id = c.doc_id WHERE c.doc_id = ?",
        (doc_id,),
    )
    if not rows:
        return {"title": "(removed)", "uri": "", "facts": [], "text": ""}
    title, uri, lang, words, timestamp, relevance = rows[0]
    label = next((label.label or "tie" for label in corpus_labels(folder, "document") if label.target == doc_id), "")
    facts = [
        lang or "language not known", f"{words or 0:,} words", str(timestamp or "")[:10], region,
        "" if relevance is None else f"P(relevant) {relevance:.2f}", label,
    ]  # fmt: skip
    try:
        text = " ".join(folder.document(doc_id).to_text(main=True)[: 2 * _SNIPPET].split())
    except (CorpusKitError, OSError) as error:
        text = f"(cannot be read: {error})"
    cut = text[:_SNIPPET] + (" …" if len(text) > _SNIPPET else "")
    shown = [fact[:_MAX_LENGTH] for fact in facts if fact]
    return {"title": (title or uri)[:_MAX_LENGTH], "uri": uri[:_MAX_LENGTH], "facts": shown, "text": cut}


def search_documents(folder: CorpusFolder, text: str, *, in_texts: bool) -> list[str]:
    """Return the documents with a text in title or address, and with ``in_texts`` those that match it as a query.

    Raises:
        ConfigurationError: The query is invalid.
    """
    needle = text.strip().casefold()
    if not needle:
        return []
    rows = folder.catalog.tuples("SELECT doc_id, title, uri FROM current")
    matches = {
        doc_id: None for doc_id, title, uri in rows if needle in (title or "").casefold() or needle in uri.casefold()
    }
    if in_texts:
        matches |= dict.fromkeys(hook("documents that match")(folder, text))
    return list(matches)
