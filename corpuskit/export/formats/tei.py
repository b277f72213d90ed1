"""TEI P5: one file per document, valid against the schema of the Text Encoding Initiative."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from corpuskit.document import ElementTable
from corpuskit.document.elements import (
    LIST_ITEM,
    LISTS,
    NAVIGATION_LIST,
    SECTION,
    TABLE,
    TABLE_HEADER,
    TEXT_BLOCK,
)
from corpuskit.export.formats.element_rows import document_head
from corpuskit.export.formats.spans import link_spans, pieces
from corpuskit.export.formats.xml_text import attribute, content
from corpuskit.export.item import Item, stated_date
from corpuskit.export.licenses import spdx
from corpuskit.export.writers import FileWriter, export_format

NAMESPACE: Final = "http://www.tei-c.org/ns/1.0"
CONTINUATION: Final = "continuation"
EMPTY: Final = "no-element"  # on what TEI wants and the document has not
SECTION_TYPE: Final = "section"
_WORD: Final = re.compile(r"[\w-]+\Z")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z")


@export_format("tei", files="tei/", about="TEI P5, one file per document", tree=True)
class TeiWriter(FileWriter):
    """``tei/HOST/PATH.tei.xml``: TEI P5.

    A Section is a ``div`` (a ``floatingText`` in an item or cell), a TextBlock a ``p``, lists, items, tables, rows and
    cells what TEI calls so, a title a ``head``; links are ``ref``, new pages ``pb``. TEI does not allow a paragraph after a
    ``div`` at the same level; such paragraphs are in a ``div type="continuation"``, which is not a section. ``rend`` says
    ``not-main`` and the role. The header's ``xenoData`` holds the information that TEI cannot express as JSON, so
    :func:`~corpuskit.export.read_tei` restores the same document.
    """

    folder, suffix = "tei", ".tei.xml"

    def text(self, item: Item) -> str:
        """Return the content of the document's file."""
        return to_tei(item)


def to_tei(item: Item) -> str:
    """Return the document as TEI."""
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<TEI xmlns="{NAMESPACE}">',
            *_header(item),
            "<text>",
            "<body>",
            *_body(item.document.table),
            "</body>",
            "</text>",
            "</TEI>\n",
        ]
    )


def _header(item: Item) -> Iterator[str]:
    document, row = item.document, item.row
    yield f"<teiHeader>\n<fileDesc>\n<titleStmt>\n<title>{content(document.title)}</title>"
    if author := document.metadata.get("author"):
        yield f"<author>{content(author)}</author>"
    yield "</titleStmt>\n<publicationStmt>\n<distributor>"
    yield f"{content(document.metadata.get('site_name') or row['host'])}</distributor>"
    yield f'<idno type="doc_id">{content(row["doc_id"])}</idno>'
    if licence := row["license"]:
        target = f' target="{attribute(licence)}"' if "://" in licence and not re.search(r"\s", licence) else ""
        yield f"<availability><licence{target}>{content(spdx(licence) or licence)}</licence></availability>"
    if stated := stated_date(document):
        date = stated.date().isoformat()
        yield f'<date when="{date}">{date}</date>'
    yield "</publicationStmt>\n<sourceDesc>"
    yield f'<bibl><title>{content(document.title)}</title><idno type="URI">{content(document.uri)}</idno></bibl>'
    yield "</sourceDesc>\n</fileDesc>"
    lang = row["lang"]
    if lang and _LANGUAGE.match(lang):
        yield f'<profileDesc><langUsage><language ident="{lang}">{lang}</language></langUsage></profileDesc>'
    table = document.table
    record = {
        **document_head(document),
        "not_main": [i for i, main in enumerate(table.main) if not main],
        "marks": {name: column for name, column in table.marks.items() if column},
    }
    # JSON escapes control characters; other characters that XML forbids are escaped in the same way.
    text = json.dumps(record, ensure_ascii=False).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
    yield f"<xenoData>{content(text)}</xenoData>\n</teiHeader>"


def _body(table: ElementTable) -> Iterator[str]:
    """Yield the elements without recursion, since documents may be nested deeper than Python's stack."""
    ends: list[tuple[int, str]] = []  # where an open group ends, and how it is closed
    after_div: set[int] = set()  # open groups (their depth in `ends`) with a closed div
    continued: set[int] = set()  # those with an open continuation
    rows: dict[int, int] = {}  # open tables (depth) → their open row
    page = None

    def close() -> str:
        depth = len(ends)
        _, tag = ends.pop()
        before = "</div>\n" if depth in continued else ""
        if depth in rows:
            before += "</row>\n"
            del rows[depth]
        continued.discard(depth)
        after_div.discard(depth)
        return before + tag

    for i, code in enumerate(table.type):
        while ends and ends[-1][0] <= i:
            yield close()
        depth = len(ends)
        parent = table.parent_id[i]
        in_div = parent < 0 or table.type[parent] == SECTION
        is_div = code == SECTION and in_div
        if is_div and depth in continued:
            continued.discard(depth)
            yield "</div>"
        elif in_div and not is_div and depth in after_div and depth not in continued:
            continued.add(depth)
            yield f'<div type="{CONTINUATION}">'
        if is_div:
            after_div.add(depth)
        number = table.marks.get("page", {}).get(i)
        if number is not None and number != page and in_div:
            page = number
            yield f'<pb n="{number}"/>'
        rend = _rend(table, i)
        if code == TEXT_BLOCK:
            yield f"<p{rend}>{_linked(table, i)}</p>"
            continue
        head = "" if table.text[i] is None else f"<head>{_linked(table, i)}</head>"
        end = table.subtree_end[i]
        if code == SECTION:
            opening, closing = (
                (f'<div type="{SECTION_TYPE}"{rend}>', "</div>")
                if is_div
                else (f'<floatingText type="{SECTION_TYPE}"{rend}><body>', "</body></floatingText>")
            )
        elif code in LISTS:
            kind = ' type="navigation"' if code == NAVIGATION_LIST else ""
            opening, closing = f"<list{kind}{rend}>", "</list>"
        elif code == LIST_ITEM:
            opening, closing = f"<item{rend}>", "</item>"
        elif code == TABLE:
            opening, closing = f"<table{rend}>", "</table>"
        else:
            row, row_span, col, col_span = table.cells[i]
            if rows.get(depth) != row:
                yield f'</row>\n<row n="{row}">' if depth in rows else f'<row n="{row}">'
                rows[depth] = row
            role = ' role="label"' if code == TABLE_HEADER else ""
            spans = f' rows="{row_span}"' * (row_span > 1) + f' cols="{col_span}"' * (col_span > 1)
            opening, closing = f'<cell n="{col}"{role}{spans}{rend}>', "</cell>"
        yield opening + head
        if end == i + 1 and code in LISTS:
            yield f'<item rend="{EMPTY}"/>'
        elif end == i + 1 and code == SECTION and not is_div:
            yield f'<p rend="{EMPTY}"/>'
        elif end == i + 1 and code == TABLE:
            yield f'<row rend="{EMPTY}"><cell/></row>'
        ends.append((end, closing))
    while ends:
        yield close()
    if 0 in continued:
        yield "</div>"
    if not table.type:
        yield f'<p rend="{EMPTY}"/>'


def _rend(table: ElementTable, i: int) -> str:
    role = table.marks.get("role", {}).get(i)
    words = [] if table.main[i] else ["not-main"]
    if role and role != EMPTY and _WORD.match(role):
        words.append(role)
    return f' rend="{" ".join(words)}"' if words else ""


def _linked(table: ElementTable, i: int) -> str:
    """Return the text of an element with its links as ``ref``."""
    text = table.text[i] or ""
    parts, last = [], 0
    for start, end, url in link_spans(table, i):
        if re.search(r"[\s\x00-\x20]", url):
            continue
        shown = _styled(table, i, start, end)
        parts += [_styled(table, i, last, start), f'<ref target="{attribute(url)}">{shown}</ref>']
        last = end
    return "".join([*parts, _styled(table, i, last, len(text))])


def _styled(table: ElementTable, i: int, start: int, end: int) -> str:
    """Return a part of a text, formatted parts as ``hi``."""
    parts = []
    for text, kinds in pieces(table, i, start, end):
        rend = " ".join(kind for kind in kinds if _WORD.match(kind))
        parts.append(f'<hi rend="{rend}">{content(text)}</hi>' if rend else content(text))
    return "".join(parts)


def header_record(header: Any) -> Any:
    """Return what :class:`TeiWriter` wrote into ``xenoData``, or None."""
    from corpuskit.export.formats.xml_text import text_of

    node = header.find(f"{{{NAMESPACE}}}xenoData") if header is not None else None
    if node is None:
        return None
    try:
        record = json.loads(text_of(node))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and "marks" in record and "not_main" in record else None
