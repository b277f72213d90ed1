"""Markdown (CommonMark with tables), for people and for language models."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Final

from corpuskit.document import ElementTable
from corpuskit.document.elements import LIST_ITEM, LISTS, SECTION, TABLE, TABLE_HEADER
from corpuskit.export.formats.spans import link_spans, pieces
from corpuskit.export.item import Item
from corpuskit.export.writers import FileWriter, export_format

_PUNCTUATION: Final = re.compile(r"([\\`*_{}\[\]<>&|~$#!])")
# What begins a block: a list, a heading, a rule, a fence, a definition.
_BLOCK_START: Final = re.compile(r"^(\s*)([-+=:])", re.MULTILINE)
_NUMBERED: Final = re.compile(r"^(\s*\d{1,9})([.)])", re.MULTILINE)
_BLANKS: Final = re.compile(r"[^\S\n]+")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_SCHEMES: Final = ("http://", "https://", "mailto:")
# Code has separate delimiters. Formatting without Markdown syntax is written in HTML or left out.
_MARKS: Final = {
    "bold": "**",
    "italic": "*",
    "deleted": "~~",
    "code": "",
    "tex": "$",
    "subscript": "<sub>",
    "superscript": "<sup>",
}
_METADATA: Final = {
    "author": "author", "site_name": "site_name", "description": "description", "categories": "categories",
    "tags": "keywords",
}  # fmt: skip
_HEADING: Final = re.compile(r"#{1,6} ")
_DOLLAR: Final = re.compile(r"(?<!\\)[$]")
_MAX_COLUMNS: Final = 100


@export_format("md", files="md/", about="Markdown, one file per document")
class MarkdownWriter(FileWriter):
    """``md/HOST/PATH.md``: front matter (title, uri, lang, date, license, further metadata), then the main content.

    Text is escaped, so HTML of a document has no effect. Links are limited to http, https and mailto. Table cells are
    single lines; a table with spans is written in HTML. The title of a paginated document is only in the front matter,
    because its first page prints it.
    """

    folder, suffix = "md", ".md"

    def text(self, item: Item) -> str:
        """Return the content of the document's file."""
        return to_markdown(item)


def to_markdown(item: Item) -> str:
    """Return the document as Markdown."""
    row = {**item.row, "title": item.document.title, "uri": item.document.uri}
    # A JSON string is a YAML string.
    head = [f"{name}: {json.dumps(row[name])}" for name in ("doc_id", "title", "uri", "lang", "timestamp", "license")
            if row[name]]  # fmt: skip
    metadata = item.document.metadata
    head += [f"{name}: {json.dumps(metadata[key])}" for name, key in _METADATA.items() if metadata.get(key)]
    has_title = bool(item.document.title.strip()) and not _is_printed(item.document.table)
    title = [f"# {inline(item.document.title)}"] if has_title else []
    blocks = _blocks(item)
    headings = [i for i, block in enumerate(blocks) if _HEADING.match(block)]
    if title and headings and _HEADING.sub("", blocks[headings[0]]) == _HEADING.sub("", title[0]):
        del blocks[headings[0]]  # the title is above all sections
    return "\n".join(["---", *head, "---", ""]) + "\n" + "\n\n".join([*title, *blocks]) + "\n"


def _is_printed(table: ElementTable) -> bool:
    """Return whether a document has pages. Its title is then printed on them or taken from the file name."""
    return bool(table.marks.get("page"))


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is; blanks become single, lines stay."""
    text = _enclosed(text)
    return _NUMBERED.sub(r"\1\\\2", _BLOCK_START.sub(r"\1\\\2", text))


def inline(text: str) -> str:
    """Text on one line, not at its beginning."""
    return _enclosed(text.replace("\n", " ")).strip()


def _enclosed(text: str) -> str:
    text = _CONTROLS.sub(" ", text)
    text = "\n".join(_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    return _PUNCTUATION.sub(r"\\\1", text)


def _linked(table: ElementTable, i: int) -> str:
    text = table.text[i] or ""
    parts, last = [], 0
    is_figure = table.marks.get("role", {}).get(i) == "figure"
    for start, end, url in link_spans(table, i):
        is_image = is_figure and (start, end) == (0, len(text))
        shown = text[start:end]
        if not url.lower().startswith(_SCHEMES) or re.search(r"[\s<>\x00-\x20\x7f]", url) or "\n" in shown:
            continue
        label = _label(table, i, start, end)
        if not label:
            continue
        parts += [
            _styled(table, i, last, start),
            _gap(text, start - 1),
            f"{'!' * is_image}[{label}](<{_target(url)}>)",
            _gap(text, end),
        ]
        last = end
    joined = "".join([*parts, _styled(table, i, last, len(text))])
    # Blank lines would end the paragraph; a line end is kept as a hard break.
    return "\\\n".join(line.strip() for line in joined.split("\n") if line.strip())


def _label(table: ElementTable, i: int, start: int, end: int) -> str:
    """Return the text of a link with its formatting. Brackets of a formula cannot be escaped and would end the link."""
    if any("tex" in kinds and set("[]") & set(text) for text, kinds in pieces(table, i, start, end)):
        return inline((table.text[i] or "")[start:end])
    return _styled(table, i, start, end).strip()


def _styled(table: ElementTable, i: int, start: int, end: int) -> str:
    """Return a part of a text with its formatting, without surrounding spaces."""
    styled = pieces(table, i, start, end)
    if len(styled) < 2 and not any(_MARKS.get(kind) for _, kinds in styled for kind in kinds):
        return escape_markdown("".join(text for text, _ in styled))
    parts = []
    for text, kinds in styled:
        core = text.strip()
        before, after = (
            ("".join(_escaped_spaces(blanks)) for blanks in text.split(core, 1))
            if core
            else (_escaped_spaces(text), "")
        )
        marks = [_MARKS[kind] for kind in kinds if kind in _MARKS]
        if core and "code" in kinds:
            core, marks = _code(core), [mark for mark in marks if mark]
        elif core and "tex" in kinds:
            core, marks = _formula(core), [mark for mark in marks if mark != "$"]
        elif core and marks:
            core = inline(core)  # a mark does not go over a line end
        else:
            core = escape_markdown(core)
        parts += [before, *marks, core, *(_closing(mark) for mark in reversed(marks)), after]
    return "".join(parts).strip(" ")


def _formula(tex: str) -> str:
    """TeX between dollars, so that neither a renderer of formulas nor one without reads HTML or a link in it."""
    tex = _CONTROLS.sub(" ", tex.replace("\n", " ")).replace("`", "'").replace("](", "]{}(")
    tex = tex.replace("<", "\\lt ").replace(">", "\\gt ")
    return "$" + _DOLLAR.sub(r"\\$", tex).strip() + "$"


def _escaped_spaces(blanks: str) -> str:
    return "\n" if "\n" in blanks else " " if blanks else ""


def _closing(mark: str) -> str:
    return mark.replace("<", "</")


def _code(text: str) -> str:
    """Code in a line, in more backticks than it has itself."""
    text = _CONTROLS.sub(" ", " ".join(text.split()))
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def _gap(text: str, at: int) -> str:
    """Return the space between text and a link, which escaping has removed."""
    return " " if 0 <= at < len(text) and text[at] in " \t\u00a0" else ""


def _target(url: str) -> str:
    return url.replace("\\", "%5C").replace("&", "&amp;").replace("`", "%60")


def _blocks(item: Item) -> list[str]:
    table = item.document.table
    blocks: list[str] = []
    top = 1 if _is_printed(table) else 2
    i, size = 0, len(table)
    while i < size:
        code = table.type[i]
        if code == TABLE:
            blocks.append(_table(table, i, main=item.main))
            i = table.subtree_end[i]
            continue
        if table.text[i] and (table.main[i] or not item.main):
            blocks.append(_block(table, i, top=top))
        i += 1
    return [block for block in blocks if block.strip()]


def _block(table: ElementTable, i: int, *, top: int) -> str:
    """Yield the lines of an element; ``top``: Level of the outermost headings."""
    code = table.type[i]
    if code == SECTION:
        level = top + sum(table.type[k] == SECTION for k in _ancestors(table, i))
        return f"{'#' * min(level, 6)} {inline(table.text[i] or '')}"
    if code in LISTS:
        return _indented(f"**{inline(table.text[i] or '')}**", _items_above(table, i), first=False)
    items = _items_above(table, i)
    role = table.marks.get("role", {}).get(i)
    text = _fenced(table.text[i] or "") if role == "code" else _linked(table, i)
    return _indented(text, items, first=bool(items) and _is_first(table, i))


def _fenced(text: str) -> str:
    run_length = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, run_length + 1)
    return f"{fence}\n{text}\n{fence}"


def _ancestors(table: ElementTable, i: int) -> list[int]:
    children = []
    i = table.parent_id[i]
    while i >= 0:
        children.append(i)
        i = table.parent_id[i]
    return children


def _items_above(table: ElementTable, i: int) -> int:
    """Return the number of items that enclose the element."""
    return sum(table.type[k] == LIST_ITEM for k in _ancestors(table, i))


def _is_first(table: ElementTable, i: int) -> bool:
    parent = table.parent_id[i]
    return table.type[parent] == LIST_ITEM and i == parent + 1


def _indented(text: str, depth: int, *, first: bool) -> str:
    """Text in an item at a depth; the first of an item begins with its bullet."""
    if not depth:
        return text
    inner = "  " * depth
    lines = "\n".join(inner + line if line.strip() else "" for line in text.split("\n"))
    return f"{'  ' * (depth - 1)}- {lines[len(inner) :]}" if first else lines


def _table(table: ElementTable, i: int, *, main: bool) -> str:
    """Yield a table with pipes and the first row as its header, or an HTML table if cells have spans."""
    if any(
        table.cells[k][1] > 1 or table.cells[k][3] > 1 for k in range(i + 1, table.subtree_end[i]) if k in table.cells
    ):
        return _html_table(table, i, main=main)
    rows: dict[int, dict[int, str]] = {}
    is_head: dict[int, bool] = {}
    for k in range(i + 1, table.subtree_end[i]):
        if k not in table.cells or table.parent_id[k] != i:
            continue
        texts = [table.text[j] for j in range(k, table.subtree_end[k]) if table.main[j] or not main]
        cell = " / ".join(inline(text) for text in texts if text)
        row, _, col, _ = table.cells[k]
        if not cell or col > _MAX_COLUMNS:
            continue
        rows.setdefault(row, {})[col] = cell
        is_head[row] = is_head.get(row, True) and table.type[k] == TABLE_HEADER
    title = table.text[i] if table.main[i] or not main else None
    lines = [f"**{inline(title)}**", ""] if title else []
    if rows:
        width = max(max(cells) for cells in rows.values())
        order = sorted(rows)
        head = order.pop(0) if is_head[order[0]] else None
        lines += [_line(rows.get(head, {}) if head is not None else {}, width), "|" + " --- |" * width]
        lines += [_line(rows[row], width) for row in order]
    return "\n".join(lines)


def _html_table(table: ElementTable, i: int, *, main: bool) -> str:
    """Yield a table in HTML, one line per row, with plain escaped text."""
    rows: dict[int, list[str]] = {}
    for k in range(i + 1, table.subtree_end[i]):
        if k not in table.cells or table.parent_id[k] != i:
            continue
        texts = [table.text[j] for j in range(k, table.subtree_end[k]) if table.main[j] or not main]
        cell = escape(" / ".join(" ".join(_CONTROLS.sub(" ", text).split()) for text in texts if text))
        row, row_span, col, col_span = table.cells[k]
        if col > _MAX_COLUMNS:
            continue
        kind = "th" if table.type[k] == TABLE_HEADER else "td"
        spans = f' rowspan="{row_span}"' * (row_span > 1) + f' colspan="{col_span}"' * (col_span > 1)
        rows.setdefault(row, []).append(f"<{kind}{spans}>{cell}</{kind}>")
    title = table.text[i] if table.main[i] or not main else None
    lines = [f"**{inline(title)}**", ""] if title else []
    return "\n".join([*lines, "<table>", *(f"<tr>{''.join(rows[row])}</tr>" for row in sorted(rows)), "</table>"])


def _line(cells: dict[int, str], width: int) -> str:
    return "| " + " | ".join(cells.get(col, "") for col in range(1, width + 1)) + " |"
