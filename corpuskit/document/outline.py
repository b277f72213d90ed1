"""Outlines of a document: text for a terminal, nested HTML lists for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from corpuskit.document.elements import CELLS, LIST_ITEM, TABLE, TEXT_BLOCK, TYPE_NAMES, ElementTable

if TYPE_CHECKING:
    from corpuskit.document.model import NLPTextDocument

_MAX_LINES = 40
_MAX_DEPTH = 6
_WIDTH = 96


def outline(document: NLPTextDocument) -> str:
    """Return a header line and an indented outline of the sections and the beginnings of their texts.

    Elements that are not main content are in brackets. A last line reports the number of omitted elements.
    """
    rows, left_out = _rows(document.table)
    lines = [_head(document)]
    lines += [_cut("  " * (level - 1) + (label if is_main else f"[{label}]")) for level, label, is_main in rows]
    if left_out:
        lines.append(f"... and {left_out} more elements: to_frame() has all, view() shows them")
    return "\n".join(lines)


def outline_html(document: NLPTextDocument) -> str:
    """Return the outline as nested lists with escaped texts."""
    rows, left_out = _rows(document.table)
    parts = [f"<p><strong>{escape(_head(document))}</strong></p>"]
    depth = 0
    for level, label, is_main in rows:
        while depth < level:
            parts.append("<ul>")
            depth += 1
        while depth > level:
            parts.append("</ul>")
            depth -= 1
        text = escape(_cut(label))
        parts.append(f"<li>{text}</li>" if is_main else f"<li><em>{text}</em></li>")
    parts.append("</ul>" * depth)
    if left_out:
        parts.append(f"<p>... and {left_out} more elements</p>")
    return "".join(parts)


def _head(document: NLPTextDocument) -> str:
    table = document.table
    words = sum(len((text or "").split()) for text in table.text)
    date = f", {document.timestamp:%Y-%m-%d}" if document.timestamp else ""
    title = document.title or document.uri
    return f"{_cut(title)} · {len(table)} elements, {words} words, {sum(table.main)} main{date}"


def _rows(table: ElementTable) -> tuple[list[tuple[int, str, bool]], int]:
    """Return (level, label, main) per line, and the number of elements without a line."""
    rows: list[tuple[int, str, bool]] = []
    shown = 0
    position = 0
    while position < len(table) and len(rows) < _MAX_LINES:
        type_code, end = table.type[position], table.subtree_end[position]
        level, text = table.nesting_level[position], table.text[position]
        if type_code == TEXT_BLOCK:
            rows.append((level, _one_line(text), table.main[position]))
            shown, position = shown + 1, position + 1
            continue
        name = TYPE_NAMES[type_code]
        is_summarized = type_code == TABLE or (end - position > 1 and table.type[position + 1] == LIST_ITEM)
        if is_summarized or level >= _MAX_DEPTH:
            rows.append((level, _group_label(table, position, name), table.main[position]))
            shown, position = shown + end - position, end
        else:
            rows.append((level, f"{name}: {_one_line(text)}" if text else name, table.main[position]))
            shown, position = shown + 1, position + 1
    return rows, len(table) - shown


def _group_label(table: ElementTable, position: int, name: str) -> str:
    end = table.subtree_end[position]
    children = table.children(position)
    title = f" {_one_line(table.text[position])}" if table.text[position] else ""
    if table.type[position] == TABLE:
        last_row = max((table.cells[i][0] for i in children if table.type[i] in CELLS), default=0)
        return f"{name}{title} · {last_row} rows, {len(children)} cells"
    texts = (_one_line(table.text[i]) for i in range(position + 1, min(end, position + 40)) if table.text[i])
    return f"{name}{title} · {len(children)}: " + " | ".join(texts)


def _one_line(text: str | None) -> str:
    return " ".join((text or "")[: 4 * _WIDTH].split())


def _cut(text: str) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
