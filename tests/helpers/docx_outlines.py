"""Trees as indented lines, and the files that programs make of them.

A line is an element: ``S`` section, ``P`` text, ``L`` and ``#`` list (plain, numbered), ``I`` item, ``T`` table,
``H 1+2,3`` header cell of row 1, over 2 rows, of column 3, ``C`` cell. ``I``, ``H`` and ``C`` with a text hold one text.
"""

import re
from dataclasses import dataclass, field
from html import escape

CODES = {
    "S": "Section", "P": "TextBlock", "L": "List", "#": "List", "I": "ListItem", "T": "Table", "H": "TableHeader",
    "C": "TableCell",
}  # fmt: skip
LINE = re.compile(r"( *)([SPL#ITHC])(?: (\d+)(?:\+(\d+))?,(\d+)(?:\+(\d+))?)?(?:: (.*))?")


@dataclass
class Node:
    code: str
    text: str = ""
    cell: tuple[int, int, int, int] | None = None
    children: list["Node"] = field(default_factory=list)


def parse(text):
    """The top nodes of an outline."""
    root = Node("")
    path = [root]
    for line in text.splitlines():
        indent, code, row, rows, col, cols, said = LINE.fullmatch(line).groups()
        cell = (int(row), int(rows or 1), int(col), int(cols or 1)) if row else None
        node = Node(code, said or "", cell)
        if code in "IHC" and said:
            node = Node(code, "", cell, [Node("P", said)])
        del path[1 + len(indent) // 2 :]
        path[-1].children.append(node)
        path.append(node)
    return root.children


def expected(nodes, level=1):
    """(level, type, cell, text) of all elements."""
    for node in nodes:
        yield level, CODES[node.code], node.cell, node.text
        yield from expected(node.children, level + 1)


def found(document):
    table = document.table
    return [(e.nesting_level, e.type, table.cells.get(i), table.text[i] or "") for i, e in enumerate(document)]


def html(nodes, level=1):
    """The outline as HTML."""
    return "".join(_html(node, level) for node in nodes)


def _html(node, level):
    inner = "" if node.code == "T" else html(node.children, level + (node.code == "S"))
    if node.code == "S":
        return f"<h{level}>{escape(node.text)}</h{level}>{inner}"
    if node.code == "P":
        return f"<p>{escape(node.text)}</p>"
    if node.code == "T":
        rows = {}
        for child in node.children:
            rows.setdefault(child.cell[0], []).append(child)
        head = [row for row in rows.values() if row[0].code == "H"]
        body = [row for row in rows.values() if row[0].code == "C"]
        parts = [(name, group) for name, group in (("thead", head), ("tbody", body)) if group]
        tags = "".join(f"<{n}>{''.join(map(_row, group))}</{n}>" for n, group in parts)
        return f'<table border="1">{tags}</table>'
    tag = {"L": "ul", "#": "ol", "I": "li"}[node.code]
    if node.code == "I":
        inner = inner.replace("<p>", "", 1).replace("</p>", "", 1)
    return f"<{tag}>{inner}</{tag}>"


def _row(cells):
    return f"<tr>{''.join(map(_cell, cells))}</tr>"


def _cell(node):
    _, rows, _, cols = node.cell
    spans = (f' rowspan="{rows}"' if rows > 1 else "") + (f' colspan="{cols}"' if cols > 1 else "")
    tag = "th" if node.code == "H" else "td"
    return f"<{tag}{spans}>{html(node.children)}</{tag}>"


def write_with_python_docx(nodes, target):
    """The outline as python-docx writes it."""
    import docx

    document = docx.Document()
    _write(document, nodes, 1)
    document.save(target)


def _write(place, nodes, level, depth=0):
    from docx.table import _Cell

    for node in nodes:
        if node.code == "S":
            place.add_heading(node.text, level)
            _write(place, node.children, level + 1)
        elif node.code == "P":
            if isinstance(place, _Cell) and len(place.paragraphs) == 1 and not place.text and not place.tables:
                place.paragraphs[0].text = node.text
            else:
                place.add_paragraph(node.text)
        elif node.code in "L#":
            style = ("List Bullet" if node.code == "L" else "List Number") + (f" {depth + 1}" if depth else "")
            for item in node.children:
                place.add_paragraph(item.children[0].text, style=style)
                _write(place, item.children[1:], level, depth + 1)
        elif node.code == "T":
            _write_table(place, node)


def _write_table(place, node):
    from docx.oxml import OxmlElement

    rows = max(cell.cell[0] + cell.cell[1] - 1 for cell in node.children)
    columns = max(cell.cell[2] + cell.cell[3] - 1 for cell in node.children)
    table = place.add_table(rows, columns)
    for child in node.children:
        row, row_span, column, column_span = child.cell
        cell = table.cell(row - 1, column - 1)
        if row_span > 1 or column_span > 1:
            cell = cell.merge(table.cell(row + row_span - 2, column + column_span - 2))
        _write(cell, child.children, 1)
        if child.code == "H" and column == 1:
            table.rows[row - 1]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
