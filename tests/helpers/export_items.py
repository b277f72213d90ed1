"""Documents with marks, and what a writer gets of them."""

import json

from document_strategies import documents
from hypothesis import strategies as st

from corpuskit.export.item import ROW_TYPES, Item

_WHEN = "2024-05-06T07:08:09+00:00"


def row_of(document, number=1, **values):
    row = dict.fromkeys(ROW_TYPES)
    row |= {
        "doc_id": f"{number:016x}", "version": 1, "uri": document.uri, "host": "a.example", "title": document.title,
        "media_type": "text/html", "lang": "en", "words": 3, "main_words": 2, "elements": len(document.table),
        "timestamp": _WHEN, "fetched": _WHEN, "license": document.metadata.get("license"),
    }  # fmt: skip
    return {**row, **values}


def item_of(document, number=1, *, main=True, **values):
    return Item(row_of(document, number, **values), f"a.example/page-{number}", document, main)


def write(writer, folder, documents, options, **values):
    made = writer(folder, options)
    for number, document in enumerate(documents, 1):
        made.write(item_of(document, number, **values))
    made.close()


_strings = st.text(alphabet=st.characters(codec="utf-8"), max_size=12)


@st.composite
def marked_documents(draw):
    """A document in normal form with marks of all kinds on some of its elements."""
    document = draw(documents()).normalize()
    table = document.table
    for i in range(len(table)):
        table.main[i] = draw(st.booleans())
        if draw(st.integers(0, 2)):
            continue
        table.mark("main_probability", i, draw(st.floats(0, 1, width=32)))
        table.mark("role", i, draw(st.sampled_from(["paragraph", "caption", "section-heading"])))
        table.mark("zone", i, draw(st.sampled_from(["header", "body"])))
        table.mark("page", i, draw(st.integers(1, 9)))
        table.mark("locator", i, draw(_strings))
        table.mark("tex", i, draw(_strings))
        if table.text[i]:
            end = draw(st.integers(1, len(table.text[i])))
            url = draw(st.sampled_from(["http://b.example/?a=1&b=2", "/x", "javascript:alert(1)", 'http://c/"<>']))
            table.mark("links", i, json.dumps([[draw(st.integers(0, end - 1)), end, url]]))
    return document
