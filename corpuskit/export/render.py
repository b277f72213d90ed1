"""One document in any format, as ``NLPTextDocument.to`` gives it."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from corpuskit.document import ElementTable, NLPTextDocument, to_nlptext
from corpuskit.document.elements import LIST_ITEM, LISTS, SECTION, TABLE, TABLE_HEADER, TEXT_BLOCK
from corpuskit.errors import ExportError
from corpuskit.export.csv_safety import escape_formula
from corpuskit.export.formats.html import to_html
from corpuskit.export.formats.markdown import to_markdown
from corpuskit.export.formats.spans import linked, pieces
from corpuskit.export.formats.tei import to_tei
from corpuskit.export.formats.xml_text import attribute, content
from corpuskit.export.item import ROW_TYPES, Item, stated_date
from corpuskit.export.main_only import main_only, without_comments
from corpuskit.text import text_hash

FORMATS: Final = ("nlp.txt", "txt", "markdown", "json", "csv", "html", "xml", "tei")
ALIASES: Final = {"md": "markdown", "xmltei": "tei", "nlptext": "nlp.txt"}
SUFFIXES: Final = {name: f".{name}" for name in FORMATS} | {"markdown": ".md", "tei": ".tei.xml"}
CSV_COLUMNS: Final = (
    "url", "id", "fingerprint", "hostname", "title", "image", "date", "text", "comments", "license", "pagetype",
)  # fmt: skip
"""The fields of Trafilatura's CSV, in its order."""
_XML: Final = (
    "sitename", "title", "author", "date", "url", "hostname", "description", "categories", "tags", "license", "id",
    "fingerprint", "language",
)  # fmt: skip
# Formatting as Trafilatura writes it.
_HI: Final = {"bold": "#b", "italic": "#i", "underline": "#u", "subscript": "#sub", "superscript": "#sup"}
_TAGS: Final = {"code": "code", "deleted": "del"}
_THEIRS: Final = {"txt": "txt", "markdown": "markdown", "json": "json", "csv": "csv", "html": "html", "xml": "xml", "tei": "xmltei"}  # fmt: skip


def render(
    document: NLPTextDocument, format: str | None = None, *, main: bool = True, metadata: bool | None = None
) -> str:
    """Return a document in a format.

    JSON, CSV and XML have the field names of Trafilatura. If Trafilatura has chosen the main content in this
    session, its own output is returned.

    Args:
        document: The document.
        format: One of :data:`FORMATS`; default: markdown, or the value of ``trafilatura = {output_format: ...}``
        main: Write the main content only, otherwise everything; nlp.txt always has everything.
        metadata: Include title, author, date and similar fields; default: in all formats except txt and markdown.

    Raises:
        ExportError: An unknown format.
    """
    if format is not None:
        format = ALIASES.get(format, format)
        if format not in FORMATS:
            raise ExportError(f"format {format!r} is unknown; there are: {', '.join(FORMATS)}")
    if document.renderer is not None and main and format != "nlp.txt":
        return document.renderer(_THEIRS[format] if format else None, metadata)
    format = format or "markdown"
    if format == "nlp.txt":
        return to_nlptext(document)
    chosen = main_only(document) if main else document
    with_head = format not in {"txt", "markdown"} if metadata is None else metadata
    if format == "txt":
        head = [f"{name}: {value}" for name, value in fields(document, main).items() if value] if with_head else []
        return "\n".join([*head, *([""] if head else []), chosen.to_text()]) + "\n"
    if format == "json":
        return json.dumps(_as_json(document, main, with_head), ensure_ascii=False) + "\n"
    if format == "csv":
        return csv_row(document, main, header=True)
    if format == "xml":
        return "".join(_xml(document, chosen, main, with_head))
    item = _item(chosen, main)
    if format == "tei":
        return to_tei(item)
    if format == "html":
        return to_html(item)
    text = to_markdown(item)
    return text if with_head else text.partition("\n---\n")[2].lstrip("\n")


def fields(document: NLPTextDocument, main: bool = True) -> dict[str, str | None]:
    """Return the metadata of a document by Trafilatura's names; missing values are None."""
    get = document.metadata.get
    host = urlsplit(document.uri).hostname if "://" in document.uri else None
    address = get("canonical") or (document.uri if document.uri != "?" else None)
    text = document.to_text(main=main)
    stated = stated_date(document)
    return {
        "title": document.title or None, "author": get("author"), "url": address, "hostname": host,
        "sitename": get("site_name"), "description": get("description"),
        "date": stated.date().isoformat() if stated else None,
        "categories": get("categories"), "tags": get("keywords"), "license": get("license"),
        "language": get("language"), "image": get("image"), "pagetype": get("type"),
        "fingerprint": f"{text_hash(text):016x}" if text else None,
        "id": hashlib.sha256(document.uri.encode("utf-8", "replace")).hexdigest()[:16],
        "filedate": (get("fetched") or "")[:10] or None,
    }  # fmt: skip


def _as_json(document: NLPTextDocument, main: bool, with_head: bool) -> dict[str, Any]:
    text, comments = _parts(document, main)
    if not with_head:
        return {"text": text, "comments": comments}
    known: dict[str, Any] = fields(document, main)
    renamed = {"url": "source", "sitename": "source-hostname", "description": "excerpt"}
    renamed_fields = {renamed.get(name, name): value for name, value in known.items()}
    return {**renamed_fields, "text": text, "raw_text": " ".join(text.split()), "comments": comments}


def csv_row(document: NLPTextDocument, main: bool = True, *, header: bool = False) -> str:
    """Return a document as a CSV row (RFC 4180) without spreadsheet formulas."""
    text, comments = _parts(document, main)
    row: dict[str, Any] = {**fields(document, main), "text": text, "comments": comments}
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    if header:
        writer.writerow(CSV_COLUMNS)
    writer.writerow([escape_formula((row[name] or "").replace("\0", "\ufffd")) for name in CSV_COLUMNS])
    return file.getvalue()


def _parts(document: NLPTextDocument, main: bool) -> tuple[str, str]:
    """Return the text and the readers' comments."""
    table, roles = document.table, document.table.marks.get("role", {})
    rows = [i for i, text in enumerate(table.text) if text and (table.main[i] or not main)]
    return tuple(
        "\n".join(table.text[i] or "" for i in rows if (roles.get(i) == "comment") is want) for want in (False, True)
    )  # type: ignore[return-value]


def _item(document: NLPTextDocument, main: bool) -> Item:
    known = fields(document, main=False)
    row = {
        **dict.fromkeys(ROW_TYPES), "doc_id": known["id"], "version": 1, "uri": document.uri, "host": known["hostname"] or "",
        "title": document.title, "lang": known["language"], "license": known["license"],
        "timestamp": stated.isoformat() if (stated := stated_date(document)) else None,
    }  # fmt: skip
    return Item(row, "document", document, main)


def _xml(document: NLPTextDocument, chosen: NLPTextDocument, main: bool, with_head: bool) -> Iterator[str]:
    """``<doc><main>..</main><comments>..</comments></doc>`` with Trafilatura's names of elements; sections are not nested."""
    known = fields(document, main)
    attributes = "".join(f' {name}="{attribute(known[name])}"' for name in _XML if known[name]) if with_head else ""
    yield f"<doc{attributes}>\n<main>\n"
    yield from _elements(without_comments(chosen).table)
    yield "</main>\n<comments>\n"
    roles = chosen.table.marks.get("role", {})
    for row, text in enumerate(chosen.table.text):
        if text and roles.get(row) == "comment":
            yield f"<p>{content(text)}</p>\n"
    yield "</comments>\n</doc>\n"


def _elements(table: ElementTable) -> Iterator[str]:
    """Groups are closed by a stack: documents may be nested deeper than Python's."""
    ends: list[tuple[int, str]] = []
    rows: dict[int, int] = {}  # open tables (depth) → their open row

    def close() -> str:
        depth = len(ends)
        return ("</row>\n" if rows.pop(depth, None) is not None else "") + ends.pop()[1]

    for i, code in enumerate(table.type):
        while ends and ends[-1][0] <= i:
            yield close()
        text, depth = _linked(table, i), len(ends)
        if code == TEXT_BLOCK:
            role = table.marks.get("role", {}).get(i)
            tag = "code" if role == "code" else "p"
            yield f"<{tag}>{text}</{tag}>\n"
            continue
        if code == SECTION:
            level = 1 + sum(closing == "" for _, closing in ends)
            yield f'<head rend="h{min(level, 6)}">{text}</head>\n' if text else ""
            ends.append((table.subtree_end[i], ""))
            continue
        if i in table.cells:
            row, row_span, _, col_span = table.cells[i]
            if rows.get(depth) != row:
                yield "</row>\n<row>" if depth in rows else "<row>"
                rows[depth] = row
            role = ' role="head"' if code == TABLE_HEADER else ""
            spans = f' rowspan="{row_span}"' * (row_span > 1) + f' colspan="{col_span}"' * (col_span > 1)
            yield f"<cell{role}{spans}>"
            ends.append((table.subtree_end[i], "</cell>\n"))
            continue
        name = "list" if code in LISTS else "item" if code == LIST_ITEM else "table"
        assert name != "table" or code == TABLE
        yield (f"<head>{text}</head>\n" if text else "") + f"<{name}>\n"
        ends.append((table.subtree_end[i], f"</{name}>\n"))
    while ends:
        yield close()


def _linked(table: ElementTable, i: int) -> str:
    return linked(
        table, i, lambda start, end: _formatted(table, i, start, end),
        lambda url, shown: f'<ref target="{attribute(url)}">{shown}</ref>',
    )  # fmt: skip


def _formatted(table: ElementTable, i: int, start: int, end: int) -> str:
    parts = []
    for text, kinds in pieces(table, i, start, end):
        shown = content(text)
        for kind in kinds:
            if kind in _HI:
                shown = f'<hi rend="{_HI[kind]}">{shown}</hi>'
            elif kind in _TAGS:
                shown = f"<{_TAGS[kind]}>{shown}</{_TAGS[kind]}>"
        parts.append(shown)
    return "".join(parts)
