"""What documents say of themselves, in the catalogue: author, dates, site and the like."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from corpuskit.document import from_nlptext
from corpuskit.errors import CorpusKitError
from corpuskit.store.catalog import clean
from corpuskit.store.documents import read_document_files
from corpuskit.store.folder import CorpusFolder

# Column of documents() → keys of a document's metadata, the best first.
METADATA_COLUMNS: Final = {
    "author": ("author", "Author"), "published": ("published",), "updated": ("modified",),
    "site_name": ("site_name", "publisher"), "description": ("description", "subject", "Subject"),
    "categories": ("categories", "category"), "tags": ("keywords", "tags", "Keywords"), "license": ("license",),
    "canonical": ("canonical",), "image": ("image",),
}  # fmt: skip
DATE_COLUMNS: Final = ("published", "updated")
_LONGEST: Final = 2000  # characters of a value in the catalogue; the document has all of it


def select_metadata(metadata: Mapping[str, str]) -> str:
    """What is kept of a document's metadata, as JSON."""
    found = {}
    for column, keys in METADATA_COLUMNS.items():
        value = next((metadata[key] for key in keys if metadata.get(key)), None)
        if value:
            found[column] = clean(value[:_LONGEST])
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def save_metadata(folder: CorpusFolder, found: Sequence[tuple[str, int, str]]) -> None:
    """Keep what was read of (doc_id, version), as :func:`select_metadata` gives it."""
    try:
        with folder.catalog.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO said (doc_id, version, said) VALUES (?, ?, ?)", found)
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error):
            raise


def read_metadata(folder: CorpusFolder, path: str) -> str:
    """What a document says, from the head of its file; nothing where that cannot be read."""
    try:
        content, _ = read_document_files(folder.documents, path)
        head = content.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
        return select_metadata(from_nlptext(head, strict=False).metadata)
    except (CorpusKitError, OSError):
        return "{}"
