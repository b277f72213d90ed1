"""Random documents for property tests."""

from datetime import datetime

from hypothesis import strategies as st

from corpuskit.document import DocumentBuilder
from corpuskit.document.elements import (
    LIST,
    LIST_ITEM,
    NAVIGATION_LIST,
    SECTION,
    TABLE,
    TABLE_CELL,
    TABLE_HEADER,
)

# Weighted towards what the format has to escape.
texts = st.one_of(
    st.text(),
    st.text(alphabet="\\n\n\r# .|>< ab", max_size=12),
    st.sampled_from(
        ["## 1 Section Start x", ". ## x", " . ## y", "a || b", "a >> b", "\ud800", "\u2028", "\x85", "😀" * 25]
    ),
)
titles = st.one_of(st.none(), texts)
span = st.integers(1, 3)


@st.composite
def nodes(draw, depth=0):
    kinds = ["text"] if depth > 3 else ["text", "text", "section", "list", "navigation", "table"]
    kind = draw(st.sampled_from(kinds))
    if kind == "text":
        return ("text", draw(texts))
    children = draw(st.lists(nodes(depth + 1), max_size=3))
    if kind == "section":
        return (SECTION, draw(titles), None, children)
    if kind in {"list", "navigation"}:
        items = [(LIST_ITEM, None, None, [child]) for child in children]
        return (LIST if kind == "list" else NAVIGATION_LIST, draw(titles), None, items)
    cells = [
        (draw(st.sampled_from([TABLE_HEADER, TABLE_CELL])), None, (row + 1, draw(span), 1, draw(span)), [child])
        for row, child in enumerate(children)
    ]
    return (TABLE, draw(titles), None, cells)


def add(builder, node):
    if node[0] == "text":
        builder.add_text_block(node[1])
        return
    kind, title, cell, children = node
    builder.start(kind, title, cell=cell)
    for child in children:
        add(builder, child)
    builder.end(kind)


@st.composite
def documents(draw):
    timestamp = draw(st.one_of(st.none(), st.datetimes(min_value=datetime(1900, 1, 1))))
    builder = DocumentBuilder(draw(texts), draw(texts), timestamp)
    keys = st.text(min_size=1, max_size=8).filter(lambda key: key.strip() and "=" not in key)
    for key, value in draw(st.dictionaries(keys, texts, max_size=3)).items():
        builder.add_metadata(key, value)
    for node in draw(st.lists(nodes(), max_size=4)):
        add(builder, node)
    return builder.build()
