"""A document of a corpus as a tree: with its original, and keys that label it."""

from __future__ import annotations

from collections.abc import Callable

from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.widgets.labeler import user_name
from corpuskit.widgets.tree import DocumentTree


def document_tree(folder: CorpusFolder, doc_id: str, *, reveal: int | None = None) -> DocumentTree:
    """Return the tree of a document.

    Raises:
        UnknownDocumentError: there is none.
        ConfigurationError: it has no such element.
    """
    document = folder.document(doc_id)
    if reveal is not None and not 0 <= reveal < len(document):
        raise ConfigurationError(
            f"reveal={reveal}: the document has {pluralize(len(document), 'element')}, the first is 0"
        )
    tree = DocumentTree(document, original=lambda: folder.original(doc_id), label=labels_of(folder, doc_id))
    if reveal is not None:
        tree.reveal(reveal)
    return tree


def show_document(tree: DocumentTree, folder: CorpusFolder, doc_id: str, *, reveal: int | None = None) -> None:
    """Show another document of the corpus in an existing tree."""
    tree.show(
        folder.document(doc_id),
        original=lambda: folder.original(doc_id),
        label=labels_of(folder, doc_id),
        reveal=reveal,
    )


def labels_of(folder: CorpusFolder, doc_id: str) -> Callable[[str], None]:
    """Return a function that labels one document."""

    def add(label: str) -> None:
        version = folder.catalog.value("SELECT version FROM current WHERE doc_id = ?", (doc_id,))
        folder.labels.add([(doc_id, "document", label)], by=user_name(), versions={doc_id: version})

    return add
