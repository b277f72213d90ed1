"""Documents with a part of their elements."""

from __future__ import annotations

from corpuskit.document import ElementTable, NLPTextDocument


def main_only(document: NLPTextDocument) -> NLPTextDocument:
    """Return the document with its main content only, and the enclosing groups without titles outside the main content."""
    return _with_rows(document, document.table.main)


def without_comments(document: NLPTextDocument) -> NLPTextDocument:
    """Return the document without readers' comments."""
    roles = document.table.marks.get("role", {})
    return _with_rows(document, [roles.get(row) != "comment" for row in range(len(document.table))])


def _with_rows(document: NLPTextDocument, selected: list[bool]) -> NLPTextDocument:
    if all(selected):
        return document
    table = document.table
    keep = [is_selected and (bool(table.text[row]) or row in table.cells) for row, is_selected in enumerate(selected)]
    for row in range(len(keep) - 1, -1, -1):
        if keep[row] and table.parent_id[row] >= 0:
            keep[table.parent_id[row]] = True
    texts = [text if is_selected else None for text, is_selected in zip(table.text, selected, strict=True)]
    links = {row: spans for row, spans in table.marks.get("links", {}).items() if texts[row]}
    shown = ElementTable(
        table.type, table.parent_id, table.subtree_end, table.nesting_level, texts, table.main, table.cells,
        {**table.marks, "links": links} if "links" in table.marks else table.marks,
    )  # fmt: skip
    return NLPTextDocument(
        document.title, document.uri, document.timestamp, document.metadata, shown.select(keep), list(document.warnings)
    )
