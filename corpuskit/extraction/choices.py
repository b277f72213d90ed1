"""Application of options to an extracted document: limits of the main content, and the author blocklist."""

from __future__ import annotations

from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.document.elements import TABLE, ElementTable
from corpuskit.document.spans import load
from corpuskit.extraction.options import ExtractOptions
from corpuskit.text import detect_language

NOTHING_MAIN: Final = "nothing is main: "
"""Prefix of the warning that the options exclude a document."""
_MIN_REPEATED_CHARACTERS: Final = 100  # characters; shorter texts may repeat legitimately


def apply_choices(document: NLPTextDocument, options: ExtractOptions) -> None:
    """Apply the options that narrow the main content and filter the authors.

    With ``main="trafilatura"`` the main content is left unchanged, because Trafilatura received the same options.
    """
    _remove_authors(document, options.refused_authors)
    table = document.table
    if options.main == "all":
        table.main[:] = [True] * len(table)
    elif options.main == "trafilatura":
        return
    if not options.tables:
        _exclude_tables(table)
    if options.link_density is not None:
        _exclude_link_blocks(table, options.link_density)
    if options.deduplicate:
        _exclude_repetitions(table)
    if reason := _exclusion_reason(document, options):
        document.warnings.append(f"{NOTHING_MAIN}{reason}")
        table.main[:] = [False] * len(table)
    mark_groups(table)


def mark_groups(table: ElementTable) -> None:
    """Mark each group without a title as main if one of its elements is main."""
    for row in range(len(table) - 1, -1, -1):
        if not table.text[row] and table.subtree_end[row] > row + 1:
            table.main[row] = any(table.main[row + 1 : table.subtree_end[row]])


def why_nothing_is_main(document: NLPTextDocument, options: ExtractOptions) -> str:
    """Return the reason why the options exclude a document; an empty string if they do not."""
    reasons = [warning.removeprefix(NOTHING_MAIN) for warning in document.warnings if warning.startswith(NOTHING_MAIN)]
    if reasons:
        return reasons[0]
    is_choosy = options.target_language or options.only_with_metadata or options.refused_urls
    if options.main == "trafilatura" and is_choosy and not any(document.table.main):
        return "Trafilatura found no main content with these options"
    return ""


def _remove_authors(document: NLPTextDocument, refused: tuple[str, ...]) -> None:
    names = [name.strip() for name in document.metadata.get("author", "").split(";")]
    unwanted = {name.strip().casefold() for name in refused}
    remaining = [name for name in names if name and name.casefold() not in unwanted]
    if len(remaining) < len(names) and "author" in document.metadata:
        document.metadata["author"] = "; ".join(remaining)
        if not remaining:
            del document.metadata["author"]


def _exclude_tables(table: ElementTable) -> None:
    for row, kind in enumerate(table.type):
        if kind == TABLE:
            end = table.subtree_end[row]
            table.main[row:end] = [False] * (end - row)


def _exclude_link_blocks(table: ElementTable, limit: float) -> None:
    for row, spans in table.marks.get("links", {}).items():
        length = len(table.text[row] or "")
        if length and sum(end - start for start, end, _ in load(spans)) > limit * length:
            table.main[row] = False


def _exclude_repetitions(table: ElementTable) -> None:
    seen: set[str] = set()
    for row, text in enumerate(table.text):
        if text and table.main[row] and len(text) >= _MIN_REPEATED_CHARACTERS:
            if text in seen:
                table.main[row] = False
            seen.add(text)


def _exclusion_reason(document: NLPTextDocument, options: ExtractOptions) -> str:
    """Return the reason to exclude a document by URL, metadata or language; an empty string if there is none."""
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
