"""What the map tells of a document, and which documents a search finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from corpuskit.errors import CorpusKitError
from corpuskit.hooks import hook
from corpuskit.labels import corpus_labels
from corpuskit.store import CorpusFolder

_IN_QUERY: Final = 500  # documents asked for at once
_LONGEST: Final = 300  # characters of a title or an address
_SNIPPET: Final = 400  # characters


def title_of(folder: CorpusFolder, doc_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return document → title and source of some; those that are gone are left out."""
    found: dict[str, tuple[str, str]] = {}
    for start in range(0, len(doc_ids), _IN_QUERY):
        part = list(doc_ids[start : start + _IN_QUERY])
        marks = ", ".join("?" * len(part))
        rows = folder.catalog.tuples(f"SELECT doc_id, title, uri, host FROM current WHERE doc_id IN ({marks})", part)
        found |= {doc_id: ((title or uri)[:_LONGEST], (host or "file")[:_LONGEST]) for doc_id, title, uri, host in rows}
    return found


def about(folder: CorpusFolder, doc_id: str, region: str) -> dict[str, Any]:
    """Return title, address, facts and how the main text begins."""
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
    told = [fact[:_LONGEST] for fact in facts if fact]
    return {"title": (title or uri)[:_LONGEST], "uri": uri[:_LONGEST], "facts": told, "text": cut}


def found_by(folder: CorpusFolder, text: str, *, in_texts: bool) -> list[str]:
    """Return the documents whose title or address has a text, and with ``in_texts`` those that a query of words finds.

    Raises:
        ConfigurationError: the query cannot be read.
    """
    wanted = text.strip().casefold()
    if not wanted:
        return []
    rows = folder.catalog.tuples("SELECT doc_id, title, uri FROM current")
    found = {
        doc_id: None for doc_id, title, uri in rows if wanted in (title or "").casefold() or wanted in uri.casefold()
    }
    if in_texts:
        found |= dict.fromkeys(hook("documents that match")(folder, text))
    return list(found)
