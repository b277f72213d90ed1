"""How much of what a reader sees under a page's title stands in the title's Section.

    uv run python benchmarks/html_outline.py --data DIR [--every 5] [--worst 10]

DIR holds sets of pages, each a folder with ``gold.json`` (page → ``url``, ``text``, ``type``) and ``pages/ID.html.gz``. Of
the pages of articles that have an ``h1`` and a gold text it prints the share with at least 80 % of the main words inside
one Section whose heading is an ``h1``; of all pages with headings the share of main blocks that stand in no Section. Main is
what the gold text has: a block counts if most of its words, in runs of three, stand in it. What stands in a NavigationList
does not count: a table of contents repeats the titles of the text.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corpuskit import extract
from corpuskit.document import NLPTextDocument
from corpuskit.document.elements import NAVIGATION_LIST, SECTION
from corpuskit.extraction import ExtractOptions

_WORD = re.compile(r"\w+")
_ENOUGH = 0.8


@dataclass
class Page:
    """A page and its gold text."""

    name: str
    url: str
    raw: bytes
    gold: str
    is_article: bool


def pages(data: Path, every: int) -> Iterator[Page]:
    """The pages of all sets that have a gold text."""
    for gold_file in sorted(data.glob("*/gold.json")):
        gold = json.loads(gold_file.read_text("utf-8"))
        for name, entry in list(gold.items())[::every]:
            path = gold_file.parent / "pages" / f"{name}.html.gz"
            if isinstance(entry.get("text"), str) and path.exists():
                kind = entry.get("type", "article")
                yield Page(name, entry["url"], gzip.decompress(path.read_bytes()), entry["text"], kind == "article")


def runs(text: str) -> list[tuple[str, ...]]:
    """The words in runs of three; shorter texts as one run."""
    words = _WORD.findall(text.lower())
    return [tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2))] if words else []


def main_rows(document: NLPTextDocument, gold: str) -> dict[int, int]:
    """Rows of texts that the gold has, titles apart → how many words."""
    known = set(runs(gold))
    known |= {run[:n] for run in known for n in (1, 2)}
    found = {}
    for row, text in enumerate(document.table.text):
        if text and document.table.type[row] != SECTION and not stands_in(document, row, NAVIGATION_LIST):
            own = runs(text)
            if own and sum(run in known for run in own) > len(own) / 2 and len(own[0]) == 3:
                found[row] = len(_WORD.findall(text))
    return found


def titles(document: NLPTextDocument) -> list[int]:
    """Sections whose heading is an h1."""
    places = document.table.marks["locator"]
    return [row for row, kind in enumerate(document.table.type) if kind == SECTION and "/h1[" in places.get(row, "")]


def main() -> None:
    """Prints both shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of sets of pages with gold texts")
    parser.add_argument("--every", type=int, default=1, help="only each Nth page")
    parser.add_argument("--worst", type=int, default=0, help="name so many pages whose title holds least")
    chosen = parser.parse_args()
    shares: list[tuple[float, str]] = []
    outside = blocks = 0
    for page in pages(chosen.data, chosen.every):
        document = extract(page.raw, uri=page.url, options=ExtractOptions(main="all"))
        rows, table = main_rows(document, page.gold), document.table
        total = sum(rows.values())
        if not total:
            continue
        if SECTION in table.type:
            blocks += len(rows)
            outside += sum(not stands_in(document, row, SECTION) for row in rows)
        heads = titles(document) if page.is_article else []
        if heads:
            held = max(
                sum(words for row, words in rows.items() if head < row < table.subtree_end[head]) for head in heads
            )
            shares.append((held / total, page.name))
    held_well = sum(share >= _ENOUGH for share, _ in shares)
    print(f"articles with an h1: {len(shares)}")
    print(
        f"with >= 80 % of the main words in the Section of an h1: {held_well} ({held_well / max(len(shares), 1):.3f})"
    )
    print(
        f"main blocks outside any Section, pages with headings: {outside} of {blocks} ({outside / max(blocks, 1):.3f})"
    )
    for share, name in sorted(shares)[: chosen.worst]:
        print(f"{share:.2f} {name}")


def stands_in(document: NLPTextDocument, row: int, kind: int) -> bool:
    """Whether a row stands in an element of some type."""
    at = document.table.parent_id[row]
    while at >= 0:
        if document.table.type[at] == kind:
            return True
        at = document.table.parent_id[at]
    return False


if __name__ == "__main__":
    main()
