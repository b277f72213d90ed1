"""What options say about a whole document: which of it may be main content, and which authors it has."""

from __future__ import annotations

from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.document.elements import TABLE, ElementTable
from corpuskit.document.spans import load
from corpuskit.extraction.options import ExtractOptions
from corpuskit.text import detect_language

NOTHING_MAIN: Final = "nothing is main: "
"""Begins the warning that a document is not wanted."""
_LEAST_REPEATED: Final = 100  # characters; shorter texts repeat by right


def apply_choices(document: NLPTextDocument, options: ExtractOptions) -> None:
    """Take rows out of the main content, and names out of the authors, as the options say.

    What Trafilatura has decided stays: it is given the same options.
    """
    _refuse_authors(document, options.refused_authors)
    table = document.table
    if options.main == "all":
        table.main[:] = [True] * len(table)
    elif options.main == "trafilatura":
        return
    if not options.tables:
        _without_tables(table)
    if options.link_density is not None:
        _without_links(table, options.link_density)
    if options.deduplicate:
        _without_repetition(table)
    if reason := _refusal(document, options):
        document.warnings.append(f"{NOTHING_MAIN}{reason}")
        table.main[:] = [False] * len(table)
    mark_groups(table)


def mark_groups(table: ElementTable) -> None:
    """Groups without a title are main where something in them is."""
    for row in range(len(table) - 1, -1, -1):
        if not table.text[row] and table.subtree_end[row] > row + 1:
            table.main[row] = any(table.main[row + 1 : table.subtree_end[row]])


def why_nothing_is_main(document: NLPTextDocument, options: ExtractOptions) -> str:
    """Why a document is not wanted by what the options ask for; empty where it is."""
    said = [warning.removeprefix(NOTHING_MAIN) for warning in document.warnings if warning.startswith(NOTHING_MAIN)]
    if said:
        return said[0]
    is_choosy = options.target_language or options.only_with_metadata or options.refused_urls
    if options.main == "trafilatura" and is_choosy and not any(document.table.main):
        return "Trafilatura finds nothing that was asked for"
    return ""


def _refuse_authors(document: NLPTextDocument, refused: tuple[str, ...]) -> None:
    names = [name.strip() for name in document.metadata.get("author", "").split(";")]
    unwanted = {name.strip().casefold() for name in refused}
    kept = [name for name in names if name and name.casefold() not in unwanted]
    if len(kept) < len(names) and "author" in document.metadata:
        document.metadata["author"] = "; ".join(kept)
        if not kept:
            del document.metadata["author"]


def _without_tables(table: ElementTable) -> None:
    for row, kind in enumerate(table.type):
        if kind == TABLE:
            end = table.subtree_end[row]
            table.main[row:end] = [False] * (end - row)


def _without_links(table: ElementTable, limit: float) -> None:
    for row, spans in table.marks.get("links", {}).items():
        length = len(table.text[row] or "")
        if length and sum(end - start for start, end, _ in load(spans)) > limit * length:
            table.main[row] = False


def _without_repetition(table: ElementTable) -> None:
    seen: set[str] = set()
    for row, text in enumerate(table.text):
        if text and table.main[row] and len(text) >= _LEAST_REPEATED:
            if text in seen:
                table.main[row] = False
            seen.add(text)


def _refusal(document: NLPTextDocument, options: ExtractOptions) -> str:
    """Why a document is not wanted; empty where it is."""
    addresses = {document.uri, document.metadata.get("canonical", "")}
    if refused := addresses.intersection(options.refused_urls):
        return f"the address {min(refused)} is refused"
    if options.only_with_metadata:
        known = {"title": document.title, "date": document.timestamp, "address": document.uri.strip("?")}
        if missing := [name for name, value in known.items() if not value]:
            return f"only_with_metadata, and it has no {' and no '.join(missing)}"
    if options.target_language:
        language = detect_language(document.to_text(main=True), document.metadata.get("language"))
        if language not in {options.target_language, "?"}:
            return f"target_language is {options.target_language!r}, and its text is in {language!r}"
    return ""
