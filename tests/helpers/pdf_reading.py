"""Short ways to read a PDF in the tests."""

from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.pdf import extract_pdf

PROSE = [
    "The river rose in the night and stood on the lower meadows until the",
    "following week, and nobody could remember that it had ever come so far",
    "up the lane. Boats were tied to the gate posts of the mill, and the post",
    "was brought by a man in waders who was cheered at every single window.",
]
"""Lines of running text, some 330 points wide at 10 points."""


def read(content, **options):
    return extract_pdf(content, uri="file:///test.pdf", options=ExtractOptions(**options))


def blocks(document):
    """(type, text) of all elements that hold text."""
    return [(element.type, element.text) for element in document if element.text]


def rows(document):
    frame = document.to_frame()
    return frame


def table_cells(document):
    """{(row, col): (text, row_span, col_span)} of the first table."""
    table = document.table
    found, position = {}, None
    first = next(i for i, kind in enumerate(table.type) if kind == 5)
    for position in range(first + 1, table.subtree_end[first]):
        if position in table.cells:
            row, row_span, col, col_span = table.cells[position]
            texts = [table.text[i] for i in range(position + 1, table.subtree_end[position]) if table.text[i]]
            found[row, col] = (" ".join(texts), row_span, col_span)
    return found


def roles(document, role):
    """Texts of the elements of a role."""
    table = document.table
    return [table.text[i] for i, name in sorted(table.marks.get("role", {}).items()) if name == role and table.text[i]]
