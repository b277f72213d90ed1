"""HTML for reading: no scripts, no styles of others, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from corpuskit.document import ElementTable
from corpuskit.document.elements import LIST_ITEM, LISTS, NAVIGATION_LIST, SECTION, TABLE, TABLE_HEADER, TEXT_BLOCK
from corpuskit.export.formats.spans import linked, pieces
from corpuskit.export.item import Item
from corpuskit.export.writers import FileWriter, export_format

_KINDS: Final = {
    "bold": "b", "italic": "i", "code": "code", "deleted": "del", "subscript": "sub", "superscript": "sup",
    "underline": "u", "marked": "mark",
}  # fmt: skip
_SCHEMES: Final = ("http://", "https://", "mailto:")
_CONTROLS: Final = dict.fromkeys(
    (*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000)), "\ufffd"
)
_STYLE: Final = (
    "body{max-width:50em;margin:2em auto;padding:0 1em;font-family:sans-serif;line-height:1.5}"
    "table{border-collapse:collapse}td,th{border:1px solid;padding:.2em .5em;vertical-align:top}"
    "p,li,td,th{white-space:pre-line}"
)


@export_format("html", files="html/", about="HTML without scripts, one file per document", tree=True)
class HtmlWriter(FileWriter):
    """``html/HOST/PATH.html``: one page per document, with its tree as sections, lists and tables.

    Text and links are untrusted. Everything is escaped, links are limited to http, https and mailto, and the page's
    content security policy forbids scripts and requests. Elements outside the main content are ``<aside>``-like elements marked
    ``data-main="false"``.
    """

    folder, suffix = "html", ".html"

    def text(self, item: Item) -> str:
        """Return the content of the document's file."""
        return to_html(item)


def to_html(item: Item) -> str:
    """Return the document as a page."""
    document, row = item.document, item.row
    lang = f' lang="{_clean(row["lang"])}"' if row["lang"] and row["lang"] != "?" else ""
    title = _clean(document.title or document.uri)
    facts = [("Source", _link(document.uri, _clean(document.uri))), ("Date", _clean(row["timestamp"] or ""))]
    if row["license"]:
        facts.append(("License", _link(row["license"], _clean(row["license"]))))
    lines = [
        f'<!DOCTYPE html>\n<html{lang}>\n<head>\n<meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="referrer" content="no-referrer">',
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n<dl>",
        *(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts if value),
        "</dl>\n</header>\n<main>",
        *_body(document.table),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(lines)


def _clean(text: str) -> str:
    return escape(text.translate(_CONTROLS))


def _link(url: str, shown: str) -> str:
    """Return markup as a link, or unchanged if the scheme is not allowed."""
    if not url.lower().startswith(_SCHEMES) or any(c.isspace() for c in url):
        return shown
    return f'<a href="{_clean(url)}" rel="nofollow noopener noreferrer">{shown}</a>'


def _linked(table: ElementTable, i: int) -> str:
    return linked(table, i, lambda start, end: _styled(table, i, start, end), _link)


def _styled(table: ElementTable, i: int, start: int, end: int) -> str:
    """Return a part of a text with its formatting."""
    parts = []
    for text, kinds in pieces(table, i, start, end):
        tags = [_KINDS[kind] for kind in kinds if kind in _KINDS]
        parts.append(
            "".join(f"<{tag}>" for tag in tags) + _clean(text) + "".join(f"</{tag}>" for tag in reversed(tags))
        )
    return "".join(parts)


def _body(table: ElementTable) -> Iterator[str]:
    ends: list[tuple[int, str]] = []
    rows: dict[int, int] = {}
    for i, code in enumerate(table.type):
        while ends and ends[-1][0] <= i:
            yield from _close(ends, rows)
        aside = "" if table.main[i] else ' data-main="false"'
        if code == TEXT_BLOCK:
            tag = "pre" if table.marks.get("role", {}).get(i) == "code" else "p"
            yield f"<{tag}{aside}>{_linked(table, i)}</{tag}>"
            continue
        opening, closing = _tags(table, i, aside)
        depth = len(ends)
        if i in table.cells:
            row = table.cells[i][0]
            if rows.get(depth) != row:
                yield "</tr>\n<tr>" if depth in rows else "<tr>"
                rows[depth] = row
        yield opening
        ends.append((table.subtree_end[i], closing))
    while ends:
        yield from _close(ends, rows)


def _close(ends: list[tuple[int, str]], rows: dict[int, int]) -> Iterator[str]:
    depth = len(ends)
    if rows.pop(depth, None) is not None:
        yield "</tr>"
    yield ends.pop()[1]


def _tags(table: ElementTable, i: int, aside: str) -> tuple[str, str]:
    """Return the opening markup of a group, with its title, and its closing markup."""
    code = table.type[i]
    title = _linked(table, i)
    if code == SECTION:
        size = min(table.nesting_level[i] + 1, 6)
        return f"<section{aside}>" + (f"\n<h{size}>{title}</h{size}>" if title else ""), "</section>"
    if code in LISTS:
        head = f"<p><strong>{title}</strong></p>\n" if title else ""
        if code == NAVIGATION_LIST:
            return f"<nav{aside}>\n{head}<ul>", "</ul>\n</nav>"
        return f"{head}<ul{aside}>", "</ul>"
    if code == LIST_ITEM:
        return f"<li{aside}>", "</li>"
    if code == TABLE:
        return f"<table{aside}>" + (f"\n<caption>{title}</caption>" if title else ""), "</table>"
    _, row_span, _, col_span = table.cells[i]
    tag = "th" if code == TABLE_HEADER else "td"
    spans = f' rowspan="{min(row_span, 65534)}"' * (row_span > 1) + f' colspan="{min(col_span, 1000)}"' * (col_span > 1)
    return f"<{tag}{spans}{aside}>", f"</{tag}>"
