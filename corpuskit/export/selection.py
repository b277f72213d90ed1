"""Which documents are exported, read one at a time."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

from corpuskit.document import NLPTextDocument
from corpuskit.errors import CorpusKitError, ExportError, UnknownDocumentError
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.rights import is_licensed
from corpuskit.store import CorpusFolder
from corpuskit.store.documents import MARKS_SUFFIX, TEXT_SUFFIX, read_document

STAGE: Final = "export"
WITHDRAWN: Final = "withdrawn"
_QUERY: Final = (
    "SELECT c.doc_id, c.version, c.uri, c.host, c.title, c.media_type, c.lang, c.words, c.main_words, c.elements, "
    "c.timestamp, c.fetched, s.relevance, s.decision, c.path, "
    "(SELECT l.label FROM labels l WHERE l.target = c.doc_id AND l.kind = 'document' AND NOT l.superseded "
    "ORDER BY l.id DESC LIMIT 1) AS label "
    "FROM current c LEFT JOIN scores s ON s.doc_id = c.doc_id ORDER BY c.host, c.uri"
)


class Selection:
    """The last versions of the chosen documents, by host and URI.

    Args:
        folder: the corpus.
        doc_ids: only these; None for all.
        options: which licences, and whether personal data is masked.

    Raises:
        UnknownDocumentError: a doc_id is not in the corpus.
        ExportError: masking is asked for and cannot be done.
    """

    def __init__(self, folder: CorpusFolder, doc_ids: Sequence[str] | None, options: ExportOptions) -> None:
        self._folder = folder
        self._options = options
        self._wanted = None if doc_ids is None else set(doc_ids)
        folder.labels.refresh()
        self._mask = _masker() if options.mask_personal_data else None
        self.dropped: Counter[str] = Counter()
        self.masked: Counter[str] = Counter()
        for doc_id in self._wanted or ():
            if (
                folder.catalog.value("SELECT 1 FROM documents WHERE doc_id = ? AND status = 'extracted'", (doc_id,))
                is None
            ):
                raise UnknownDocumentError(f"no document {doc_id!r} that could be exported")

    def __len__(self) -> int:
        """How many documents are asked for, before licences are looked at."""
        if self._wanted is not None:
            return len(self._wanted)
        return int(self._folder.catalog.value("SELECT count(*) FROM current"))

    def key(self) -> str:
        """A hash of all that decides what is exported: the same key means the same content."""
        digest = hashlib.sha256()
        root = self._folder.documents
        for row in self._rows():
            files = []
            for suffix in (TEXT_SUFFIX, MARKS_SUFFIX):
                try:
                    known = (root / (row["path"] + suffix)).stat()
                    files.append((known.st_size, known.st_mtime_ns))
                except OSError:
                    files.append((-1, -1))
            digest.update(repr((tuple(row), files)).encode("utf-8", "replace"))
        return digest.hexdigest()

    def items(self, on_failure: Callable[[str, Exception], None]) -> Iterator[Item]:
        """The documents; those that cannot be read are told to ``on_failure`` with their URI and left out."""
        for found in self._rows():
            row = dict(found)
            path = row.pop("path")
            try:
                document = read_document(self._folder.documents, path, strict=False).normalize()
            except (CorpusKitError, OSError) as error:
                self.dropped["unreadable"] += 1
                on_failure(row["uri"], error)
                continue
            licence = document.metadata.get("license") or None
            if self._options.only_licensed is not None and not is_licensed(licence, self._options.only_licensed):
                self.dropped["not licensed so"] += 1
                continue
            if self._mask is not None:
                self.masked.update(self._mask(document))
            row["elements"] = len(document.table)
            if row["label"] == WITHDRAWN:
                row["label"] = None
            row["license"] = licence
            original = partial(self._folder.original, row["doc_id"])
            yield Item(row, path, document, self._options.main, original)

    def _rows(self) -> Iterator[sqlite3.Row]:
        # A connection of its own: with a small cache, sorting is done on disk however many documents there are, and
        # what is read stays as it was when the export began.
        place = f"{(self._folder.path / 'catalog.sqlite').as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(place, uri=True, timeout=60)) as connection:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA cache_size = -4096")
            connection.execute("PRAGMA temp_store = FILE")
            for row in connection.execute(_QUERY):
                if self._wanted is None or row["doc_id"] in self._wanted:
                    yield row


def _masker() -> Callable[[NLPTextDocument], Counter[str]]:
    """A function that masks personal data in a document and counts it by kind."""
    mask_personal_data = getattr(import_module("corpuskit.text"), "mask_personal_data", None)
    if mask_personal_data is None:
        raise ExportError("mask_personal_data: this corpuskit has no masking of personal data")

    def mask(document: NLPTextDocument) -> Counter[str]:
        counts: Counter[str] = Counter()
        table = document.table
        links = table.marks.get("links", {})
        for i, text in enumerate(table.text):
            if not text:
                continue
            clean, found = _masked(mask_personal_data, text)
            if clean != text:
                counts.update(found)
                table.text[i] = clean
                links.pop(i, None)  # their offsets are those of the other text
        for i, tex in table.marks.get("tex", {}).items():
            table.marks["tex"][i] = _masked(mask_personal_data, tex)[0]
        document.title, found = _masked(mask_personal_data, document.title)
        counts.update(found)
        return counts

    return mask


def _masked(mask: Any, text: str) -> tuple[str, Counter[str]]:
    result = mask(text)
    clean, found = result if isinstance(result, tuple) else (result, None)
    return clean, Counter(found or {"personal data": int(clean != text)})
