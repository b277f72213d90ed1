"""Floors of PDF extraction on the demo files, whose texts are known: lowered only on purpose.

The files and texts were written for this project; the figures are those of 2026-11-20, rounded down.
"""

import hashlib
import importlib.util
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from corpuskit.document.elements import CELLS, SECTION, TABLE
from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.pdf import extract_pdf

DEMO = Path(__file__).parents[2] / "data" / "demo"
NAMES = sorted(path.stem for path in (DEMO / "files").glob("*.pdf"))
DATA_HASH = "f1929e03006001d2ea46c71865708ce7ba96a6a525b309e25f8f4b219fcb59c4"


def source(name):
    """(text blocks without marks, headings with levels, tables as rows) of the text a PDF was made of."""
    spec = importlib.util.spec_from_file_location("make_files", DEMO / "make_files.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.read_text(DEMO / "texts" / f"{name}.txt")
    headings = [module.heading(lines[0]) for kind, lines in text.blocks if kind == "heading"]
    tables = [module.cells(lines) for kind, lines in text.blocks if kind == "table"]
    words = []
    for kind, lines in text.blocks:
        if kind in {"heading", "paragraph"}:
            words += " ".join(lines).lstrip("# ").split()
        elif kind == "list":
            words += [word for _, _, item in module.items(lines) for word in item.split()]
        elif kind == "table":
            words += [word for row in module.cells(lines) for cell in row for word in cell.split() if cell != "^"]
    return words, headings, tables


@pytest.fixture(scope="module", params=NAMES)
def case(request):
    content = (DEMO / "files" / f"{request.param}.pdf").read_bytes()
    document = extract_pdf(content, uri=None, options=ExtractOptions())
    return document, *source(request.param)


def test_the_data_is_that_of_the_floors():
    digest = hashlib.sha256(b"".join((DEMO / "files" / f"{name}.pdf").read_bytes() for name in NAMES)).hexdigest()
    assert digest == DATA_HASH


def test_words_stand_in_their_order(case):
    document, words, _, _ = case
    found = document.to_text(main=True).split()
    assert SequenceMatcher(None, words, found, autojunk=False).ratio() >= 0.97


def test_headings_are_found_and_nested(case):
    document, _, headings, _ = case
    table = document.table
    found = [(table.nesting_level[i], table.text[i]) for i, kind in enumerate(table.type) if kind == SECTION]
    wanted = [(level + 1, text) for level, text in headings]  # the title of the file is the first heading
    shared = sum((Counter(found) & Counter(wanted)).values())
    assert shared >= 0.97 * len(wanted)
    assert len(found) <= len(wanted) + 1


def test_tables_have_their_rows_and_columns(case):
    document, _, _, tables = case
    table = document.table
    found = []
    for i, kind in enumerate(table.type):
        if kind == TABLE:
            cells = [table.cells[k] for k in range(i + 1, table.subtree_end[i]) if table.type[k] in CELLS]
            found.append((max(c[0] + c[1] - 1 for c in cells), max(c[2] + c[3] - 1 for c in cells)))
    assert found == [(len(rows), len(rows[0])) for rows in tables]
