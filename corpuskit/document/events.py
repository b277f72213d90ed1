"""The DataFrame format of nlptextdoc.python: one row per event instead of one row per element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from corpuskit.document.compact_lists import compact_items
from corpuskit.document.elements import LIST_ITEM, LISTS, TEXT_BLOCK, TYPE_NAMES

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.document.model import NLPTextDocument

ELEMENT_TYPES: Final = ("Document", *TYPE_NAMES)
COMMANDS: Final = ("Start", "Title", "Uri", "Text", "End")
_START, _TITLE, _URI, _TEXT, _END = range(5)


def events(documents: Sequence[NLPTextDocument], *, first_doc_id: int = 0) -> pd.DataFrame:
    """Return one row per event, as ``read_extraction_file`` of nlptextdoc.python does.

    Columns: DocId (int64); DocEltType (category: Document and the eight element types); DocEltCmd (category: Start,
    Title, Uri, Text, End); NestingLevel (uint8, at most 255); Text (object). A document consists of Start (with its
    id), Title, Uri, its elements, and End. A group consists of Start, Title if any, its content, and End. A TextBlock
    is one Text row. An item of a list in compact form is one Text row of type ListItem. Cell coordinates are not
    included.
    """
    import numpy as np
    import pandas as pd

    blocks = [_document_events(document, first_doc_id + i) for i, document in enumerate(documents)]
    columns = [np.concatenate([block[i] for block in blocks]) if blocks else np.empty(0, int) for i in range(5)]
    return pd.DataFrame(
        {
            "DocId": columns[0].astype(np.int64),
            "DocEltType": pd.Categorical.from_codes(columns[1].astype(np.int8), pd.Index(ELEMENT_TYPES)),
            "DocEltCmd": pd.Categorical.from_codes(columns[2].astype(np.int8), pd.Index(COMMANDS)),
            "NestingLevel": np.minimum(columns[3], 255).astype(np.uint8),
            "Text": pd.Series(columns[4].astype(object), dtype=object),
        }
    )


def _document_events(document: NLPTextDocument, doc_id: int) -> tuple[Any, ...]:
    """Return arrays of doc_id, type, command, level and text for one document.

    Each element has up to three events. They are sorted by (position, order): the end of a group follows all rows of
    its subtree, and inner ends precede outer ones.
    """
    import numpy as np

    table = document.table
    size = len(table)
    kind = np.array(table.type, dtype=np.int64)
    end = np.array(table.subtree_end, dtype=np.int64)
    level = np.array(table.nesting_level, dtype=np.int64)
    text = np.array([*table.text, None], dtype=object)[:-1]
    drop, as_item = _compact_list_rows(document)
    position = np.arange(size)

    is_text = kind == TEXT_BLOCK
    starts = position[~is_text & ~drop]
    titles = starts[np.array([bool(t) for t in text[starts]], dtype=bool)]
    texts = position[is_text]
    event_position = np.concatenate([starts, titles, texts, end[starts] - 1])
    # Within one position: start, title, text, then the ends from the deepest to the outermost.
    counts = [len(starts), len(titles), len(texts)]
    order = np.concatenate([np.repeat([0, 1, 2], counts), 3 + (level.max(initial=0) - level[starts])])
    commands = np.repeat([_START, _TITLE, _TEXT, _END], [*counts, len(starts)])
    rows = np.concatenate([starts, titles, texts, starts])
    sorting = np.lexsort((order, event_position))
    rows, commands = rows[sorting], commands[sorting]

    row_text = np.full(len(rows), None, dtype=object)
    has_text = (commands == _TITLE) | (commands == _TEXT)
    row_text[has_text] = text[rows[has_text]]
    item = as_item[rows]
    row_kind = np.where(item, LIST_ITEM, kind[rows]) + 1
    row_level = level[rows] - item
    head_text = np.array([str(doc_id), document.title, document.uri], dtype=object)
    return (
        np.full(len(rows) + 4, doc_id),
        np.concatenate([[0, 0, 0], row_kind, [0]]),
        np.concatenate([[_START, _TITLE, _URI], commands, [_END]]),
        np.concatenate([[0, 0, 0], row_level, [0]]),
        np.concatenate([head_text, row_text, np.array([None], dtype=object)]),
    )


def _compact_list_rows(document: NLPTextDocument) -> tuple[Any, Any]:
    """Return masks of the items of compact lists, which have no events, and of the texts in them."""
    import numpy as np

    table = document.table
    drop = np.zeros(len(table), dtype=bool)
    as_item = np.zeros(len(table), dtype=bool)
    for position, kind in enumerate(table.type):
        if kind in LISTS and compact_items(table, position) is not None:
            span = slice(position + 1, table.subtree_end[position])
            drop[span.start : span.stop : 2] = True
            as_item[span.start + 1 : span.stop : 2] = True
    return drop, as_item
