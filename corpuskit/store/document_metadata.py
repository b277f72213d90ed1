"""Document metadata stored in the catalog: author, dates, site and others. The table is named said."""

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

# Column of documents() → metadata keys, in order of preference.
METADATA_COLUMNS: Final = {
    "author": ("author", "Author"), "published": ("published",), "updated": ("modified",),
    "site_name": ("site_name", "publisher"), "description": ("description", "subject", "Subject"),
    "categories": ("categories", "category"), "tags": ("keywords", "tags", "Keywords"), "license": ("license",),
    "canonical": ("canonical",), "image": ("image",),
}  # fmt: skip
DATE_COLUMNS: Final = ("published", "updated")
_MAX_VALUE_CHARACTERS: Final = 2000  # in the catalog; the document has the full value


def select_metadata(metadata: Mapping[str, str]) -> str:
    """Return the metadata columns of a document as JSON."""
    columns = {}
    for column, keys in METADATA_COLUMNS.items():
        value = next((metadata[key] for key in keys if metadata.get(key)), None)
        if value:
            columns[column] = clean(value[:_MAX_VALUE_CHARACTERS])
    return json.dumps(columns, ensure_ascii=False, separators=(",", ":"))


def save_metadata(folder: CorpusFolder, rows: Sequence[tuple[str, int, str]]) -> None:
    """Store rows of doc_id, version and the JSON of :func:`select_metadata`. A read-only catalog is left unchanged."""
    try:
        with folder.catalog.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO said (doc_id, version, said) VALUES (?, ?, ?)", rows)
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error):
            raise


def read_metadata(folder: CorpusFolder, path: str) -> str:
    """Return the metadata columns of a document as JSON, read from its file. An unreadable file results in an empty object."""
    try:
        content, _ = read_document_files(folder.documents, path)
        head = content.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
        return select_metadata(from_nlptext(head, strict=False).metadata)
    except (CorpusKitError, OSError):
        return "{}"
