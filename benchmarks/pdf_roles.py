"""Roles of blocks on pages of scientific papers, against labels made by eye from their pictures.

    uv run python benchmarks/pdf_roles.py --data FOLDER     # holds the PDFs that pdf_roles.json names

A heading or caption counts as found where a block of that role starts with the label's words (letters and digits only).
Tables are counted by number. The reference zone is right on a page where it is there, or not there, as labelled.
"""

import argparse
import json
import re
from pathlib import Path

import pypdfium2

from corpuskit.extraction.pdf.analysis import analyse
from corpuskit.extraction.pdf.joining import document_blocks

LABELS = Path(__file__).with_suffix(".json")


def key(text):
    return re.sub(r"[\W_]+", "", text).lower()


def found_on(blocks, on_pages, page):
    """Headings, captions (of tables too), number of tables and of blocks in the reference zone."""
    own = [block for block in blocks if block.page == page - 1]
    headings = [key(block.text) for block in own if block.role == "section-heading"]
    captions = [key(block.text) for block in own if block.role == "caption"]
    captions += [key(block.grid.title) for block in own if block.grid is not None and block.grid.title]
    tables = sum(block.grid is not None for block in on_pages if block.page == page - 1)  # not yet joined over pages
    return headings, captions, tables, any(b.zone == "references" for b in own)


def match(wanted, found):
    left, hits = list(found), 0
    for label in wanted:
        hit = next((text for text in left if text.startswith(key(label))), None)
        if hit is not None:
            left.remove(hit)
            hits += 1
    return hits


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--verbose", action="store_true", help="tell the pages with a difference")
    options = parser.parse_args()
    sums = {role: [0, 0, 0] for role in ("section-heading", "caption", "table")}
    right, pages, read = 0, 0, {}
    for label in json.loads(LABELS.read_text("utf-8")):
        path = options.data / label["file"]
        if path not in read:
            blocks = analyse(pypdfium2.PdfDocument(path)).blocks
            read = {path: (document_blocks(blocks), blocks)}
        headings, captions, tables, references = found_on(*read[path], label["page"])
        one = {
            "section-heading": (match(label["headings"], headings), len(label["headings"]), len(headings)),
            "caption": (match(label["captions"], captions), len(label["captions"]), len(captions)),
            "table": (min(tables, label["tables"]), label["tables"], tables),
        }
        for role, counts in one.items():
            sums[role] = [a + b for a, b in zip(sums[role], counts, strict=True)]
            if options.verbose and len(set(counts)) > 1:
                print(label["file"], label["page"], role, "hits, labelled, found:", *counts)
        pages += 1
        right += references == label["references"]
    print(f"{pages} pages")
    for role, (hits, wanted, found) in sums.items():
        print(f"{role}: recall {hits / wanted:.2f} precision {hits / found:.2f} F1 {2 * hits / (wanted + found):.2f}")
    print(f"references zone: right on {right / pages:.2f} of the pages")


if __name__ == "__main__":
    main()
