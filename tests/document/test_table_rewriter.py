"""Tables that are made from the rows of others."""

from __future__ import annotations

from corpuskit.document import DocumentBuilder
from corpuskit.document.elements import LIST_ITEM, SECTION, TEXT_BLOCK
from corpuskit.document.table_rewriter import TableRewriter


def test_rows_are_wrapped_left_out_and_added() -> None:
    builder = DocumentBuilder()
    builder.start_section("A")
    for text in ("one", "two", "three"):
        builder.mark("page", builder.add_text_block(text), len(text))
    builder.end_section()
    source = builder.build().table
    rewriter = TableRewriter(source)
    rewriter.copy(0)
    rewriter.add(SECTION, "B", 3, main=True)
    rewriter.copy(1)
    rewriter.add(TEXT_BLOCK, "new", main=False)
    rewriter.advance(3)
    rewriter.copy(3)
    assert rewriter.open_type == SECTION
    table = rewriter.finish()
    assert table.text == ["A", "B", "one", "new", "three"]
    assert table.parent_id == [-1, 0, 1, 1, 0]
    assert table.subtree_end == [5, 4, 3, 4, 5]
    assert table.nesting_level == [1, 2, 3, 3, 2]
    assert table.marks == {"page": {2: 3, 4: 5}}
    assert LIST_ITEM not in table.type
