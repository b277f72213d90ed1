"""Floors of HTML extraction on pages written for this project.

``structure``: small pages with the whole tree and the main content written by hand: all must be equal.
``pages``: pages that imitate seven types of web pages, in two languages and four kinds of markup; the gold is the text
that was put into them. The score is word F1 a page, averaged.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corpuskit.document import NLPTextDocument
from corpuskit.extraction import extract_bytes

HERE = Path(__file__).parent
STRUCTURE = json.loads((HERE / "structure" / "gold.json").read_text("utf-8"))
GOLD = json.loads((HERE / "pages.json").read_text("utf-8"))
WORD = re.compile(r"\w+")

# Measured 2026-11-20 and rounded down; lowered only on purpose: on 2026-11-23, when Sections came to reach as far as a reader sees
# them and the model was made anew, forum from 0.95 (0.942) and documentation from 1.0 (0.998).
FLOORS: dict[str, float] = {
    "article": 0.98,
    "collection": 0.92,
    "documentation": 0.99,
    "forum": 0.94,
    "listing": 0.99,
    "product": 0.93,
    "service": 1.0,
}
DATA_HASH = "16d10278c842f92dde1ae45c17f79cc6dfee5ba869a303bf4a3f4db0d22e9d7c"

Line = tuple[int, str, str, object]


def extract(path: Path) -> NLPTextDocument:
    return extract_bytes(path.read_bytes(), media_type="text/html", uri=f"https://example.org/{path.name}")


def gold_lines(elements: list[dict[str, Any]], level: int, *, main: bool) -> list[Line]:
    """The gold's elements as lines; without empty ones and, with ``main``, without what is not main."""
    found: list[Line] = []
    for element in elements:
        text = element.get("text") or element.get("title") or ""
        text = text.strip("\n") if text.strip() and (element.get("main", True) or not main) else ""
        below = gold_lines(element.get("elements", []), level + 1, main=main)
        cell = tuple(element[k] for k in ("row", "rowspan", "col", "colspan")) if "row" in element else None
        if text or below:
            found += [(level, element["type"], text, cell), *below]
    return found


def lines(document: NLPTextDocument, *, main: bool) -> list[Line]:
    """The document's elements as the same kind of lines."""
    kept = {-1}
    for element in reversed(list(document)):
        row, table = element.element_id, document.table
        text = (table.text[row] or "").strip() and (not main or element.main)
        if text or row in kept:
            kept.update((row, table.parent_id[row]))
    found = []
    for element in document:
        row, table = element.element_id, document.table
        if row in kept:
            text = (table.text[row] or "").strip("\n")
            text = text if text.strip() and (element.main or not main) else ""
            found.append((table.nesting_level[row], element.type, text, table.cells.get(row)))
    return found


@pytest.mark.parametrize("name", sorted(STRUCTURE))
def test_whole_page_is_the_tree_written_by_hand(name: str) -> None:
    document = extract(HERE / "structure" / f"{name}.html")
    assert document.title == STRUCTURE[name]["title"]
    assert lines(document, main=False) == gold_lines(STRUCTURE[name]["elements"], 1, main=False)


@pytest.mark.parametrize("name", sorted(STRUCTURE))
def test_main_content_is_the_one_marked_by_hand(name: str) -> None:
    document = extract(HERE / "structure" / f"{name}.html")
    assert lines(document, main=True) == gold_lines(STRUCTURE[name]["elements"], 1, main=True)


def word_f1(text: str, gold: str) -> float:
    found, wanted = Counter(WORD.findall(text.lower())), Counter(WORD.findall(gold.lower()))
    both = (found & wanted).total()
    return 2 * both / (found.total() + wanted.total()) if both else 0.0


def test_gate_pages_are_the_ones_the_floors_were_measured_on() -> None:
    digest = hashlib.sha256()
    for path in sorted([HERE / "pages.json", *(HERE / "pages").glob("*.html")]):
        digest.update(path.read_bytes())
    assert digest.hexdigest() == DATA_HASH


@pytest.mark.parametrize("kind", sorted({gold["type"] for gold in GOLD.values()}))
def test_main_text_reaches_its_floor(kind: str) -> None:
    scores = [
        word_f1(extract(HERE / "pages" / f"{name}.html").to_text(main=True), gold["text"])
        for name, gold in GOLD.items()
        if gold["type"] == kind
    ]
    assert sum(scores) / len(scores) >= FLOORS[kind]
