"""HTML pages with the document that the format's reference makes of them, as ``.nlp.txt`` beside each."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpuskit.document import NLPTextDocument, read_nlptext
from corpuskit.extraction import extract_bytes

CASES = sorted((Path(__file__).parent / "html").glob("*.html"))


def tree(document: NLPTextDocument) -> list[object]:
    table = document.normalize().table
    cells = [table.cells.get(row) for row in range(len(table))]
    return [document.title, *zip(table.nesting_level, table.type, table.text, cells, strict=True)]


@pytest.mark.parametrize("page", CASES, ids=lambda page: page.stem)
def test_page_becomes_the_tree_of_the_reference(page: Path) -> None:
    found = extract_bytes(page.read_bytes(), media_type="text/html", uri=f"http://example.org/{page.name}")
    assert tree(found) == tree(read_nlptext(page.with_suffix(".nlp.txt")))
