"""Documents with a part of their elements."""

from __future__ import annotations

from corpuskit.document import ElementTable, NLPTextDocument


def main_only(document: NLPTextDocument) -> NLPTextDocument:
    """The document with its main content only; groups around it stay, without a title that is none of it."""
    return _with_rows(document, document.table.main)


def without_comments(document: NLPTextDocument) -> NLPTextDocument:
    """The document without comments of readers."""
    roles = document.table.marks.get("role", {})
    return _with_rows(document, [roles.get(row) != "comment" for row in range(len(document.table))])


def _with_rows(document: NLPTextDocument, wanted: list[bool]) -> NLPTextDocument:
    if all(wanted):
        return document
    table = document.table
    keep = [bool(kept and table.text[row]) or (kept and row in table.cells) for row, kept in enumerate(wanted)]
    for row in range(len(keep) - 1, -1, -1):
        if keep[row] and table.parent_id[row] >= 0:
            keep[table.parent_id[row]] = True
    texts = [text if kept else None for text, kept in zip(table.text, wanted, strict=True)]
    links = {row: spans for row, spans in table.marks.get("links", {}).items() if texts[row]}
    shown = ElementTable(
        table.type, table.parent_id, table.subtree_end, table.nesting_level, texts, table.main, table.cells,
        {**table.marks, "links": links} if "links" in table.marks else table.marks,
    )  # fmt: skip
    return NLPTextDocument(
        document.title, document.uri, document.timestamp, document.metadata, shown.select(keep), list(document.warnings)
    )
