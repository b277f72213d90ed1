"""Which documents are exported, read one at a time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.errors import CorpusError, CorpusKitError, UnknownDocumentError
from corpuskit.export.item import Item, TokenLayers
from corpuskit.export.licenses import is_licensed
from corpuskit.export.options import ExportOptions
from corpuskit.labels import corpus_labels
from corpuskit.store import CorpusFolder
from corpuskit.store.database import CATALOG, connect
from corpuskit.store.documents import MARKS_SUFFIX, TEXT_SUFFIX, read_document
from corpuskit.text import mask, personal_data

STAGE: Final = "export"
_QUERY: Final = (
    "SELECT c.doc_id, c.version, c.uri, c.host, c.title, c.media_type, c.lang, c.words, c.main_words, c.elements, "
    "c.timestamp, c.fetched, s.relevance, s.decision, c.path, label_of(c.doc_id) AS label "
    "FROM current c LEFT JOIN scores s ON s.doc_id = c.doc_id ORDER BY c.host, c.uri"
)


class Selection:
    """Last versions of the selected documents, by host and URI.

    Args:
        folder: The corpus.
        doc_ids: Documents to export. None: all.
        options: Licences to export, and whether personal data is masked.
        annotation: Token layers for the items.

    Raises:
        UnknownDocumentError: A doc_id is not in the corpus.
    """

    def __init__(
        self,
        folder: CorpusFolder,
        doc_ids: Sequence[str] | None,
        options: ExportOptions,
        annotation: TokenLayers | None = None,
    ) -> None:
        self._folder = folder
        self.annotation = annotation
        self._options = options
        self._wanted = None if doc_ids is None else set(doc_ids)
        self._labels = {label.target: label.label for label in corpus_labels(folder, "document")}
        self.dropped: Counter[str] = Counter()
        self.masked: Counter[str] = Counter()
        for doc_id in self._wanted or ():
            if (
                folder.catalog.value("SELECT 1 FROM documents WHERE doc_id = ? AND status = 'extracted'", (doc_id,))
                is None
            ):
                raise UnknownDocumentError(f"no document {doc_id!r} that could be exported")

    def __len__(self) -> int:
        """Return the number of selected documents before licences are checked."""
        if self._wanted is not None:
            return len(self._wanted)
        return int(self._folder.catalog.value("SELECT count(*) FROM current"))

    def key(self) -> str:
        """Return a hash of everything that determines the content of the export."""
        digest = hashlib.sha256((self.annotation.state if self.annotation is not None else "").encode())
        root = self._folder.documents
        for row in self._rows():
            files = []
            for suffix in (TEXT_SUFFIX, MARKS_SUFFIX):
                try:
                    known = root.stat(row["path"] + suffix)
                except (CorpusError, OSError):  # told when it is to be read
                    known = None
                files.append((-1, -1) if known is None else (known.st_size, known.st_mtime_ns))
            digest.update(repr((tuple(row), files)).encode("utf-8", "replace"))
        return digest.hexdigest()

    def items(self, on_failure: Callable[[str, Exception], None]) -> Iterator[Item]:
        """Yield the documents. Those that cannot be read are passed to ``on_failure`` with their URI."""
        for record in self._rows():
            row = dict(record)
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
            if self._options.mask_personal_data:
                self.masked.update(_mask(document))
                row["title"] = document.title
            row["elements"] = len(document.table)
            row["license"] = licence
            original = partial(self._folder.original, row["doc_id"])
            yield Item(row, path, document, self._options.main, original, self.annotation)

    def _rows(self) -> Iterator[sqlite3.Row]:
        # A separate connection: with a small cache SQLite sorts on disk, whatever the number of documents, and the rows are
        # those at the start of the export.
        with contextlib.closing(connect(self._folder.root, CATALOG, read_only=True, timeout=60)) as connection:
            connection.row_factory = sqlite3.Row
            connection.create_function("label_of", 1, self._labels.get, deterministic=True)
            connection.execute("PRAGMA cache_size = -4096")
            connection.execute("PRAGMA temp_store = FILE")
            for row in connection.execute(_QUERY):
                if self._wanted is None or row["doc_id"] in self._wanted:
                    yield row


def _mask(document: NLPTextDocument) -> Counter[str]:
    """Masks personal data in the texts and titles of a document; returns how much of each kind."""
    counts: Counter[str] = Counter()

    def clean(text: str) -> str:
        matches = personal_data(text)
        if not matches:
            return text
        counts.update(match.kind for match in matches)
        return mask(text)

    table = document.table
    links, tex = table.marks.get("links", {}), table.marks.get("tex", {})
    for i, text in enumerate(table.text):
        masked = clean(text) if text else text
        if masked != text:
            table.text[i] = masked
            links.pop(i, None)  # their offsets are those of the other text
            tex.pop(i, None)
    for i, target in list(links.items()):
        if "mailto:" in target or "tel:" in target:
            links[i] = json.dumps(
                [link for link in json.loads(target) if not str(link[2]).startswith(("mailto:", "tel:"))]
            )
    document.title = clean(document.title)
    for key, value in document.metadata.items():
        if key not in {"original_sha256", "fetched", "last_modified"}:
            document.metadata[key] = clean(value)
    return counts
