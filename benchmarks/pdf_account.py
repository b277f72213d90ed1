"""Where the characters of PDF pages went: in the document, set aside with a reason, or in neither.

uv run python benchmarks/pdf_account.py --data FOLDER [--worst 20]

Counts for each page what is drawn, blanks left out: in a line of the document, set aside with a reason that a warning tells, lost.
Fails when a page has more than 2 % lost or set aside and no flag says so.
"""

import argparse
import gzip
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from corpuskit.errors import CorpusKitError
from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.pdf.characters import read_characters
from corpuskit.extraction.pdf.extract import extract_with_analysis
from corpuskit.extraction.pdf.fonts import Fonts
from corpuskit.extraction.pdf.opening import open_pdf
from corpuskit.extraction.pdf.words import is_blank

SHARE = 0.02


def pages_of(content):
    """(page from 1, drawn, in the document, {reason: count}, flagged) of each page with text."""
    document, analysis, content = extract_with_analysis(content, uri=None, options=ExtractOptions())
    flagged = set(document.metadata.get("set_aside_pages", "").split())
    spans = [[] for _ in analysis.pages]
    for block in analysis.blocks:
        spans[block.page] += [line.spans for line in block.lines]
    for number, page in enumerate(analysis.pages):
        spans[number] += [line.spans for line in (*page.furniture, *page.watermarks)]
    with open_pdf(content) as opened:
        for number, info in enumerate(analysis.pages):
            if info.error or not info.printed:
                continue
            page = opened.pdf[number]
            characters = read_characters(page, Fonts())
            page.close()
            printed = characters.real & ~is_blank(characters.code)
            kept = np.zeros(len(printed), bool)
            for words in spans[number]:
                for first, last, _ in words.tolist():
                    kept[first : last + 1] = True
            yield (
                number + 1,
                int(printed.sum()),
                int((printed & kept).sum()),
                info.set_aside,
                str(number + 1) in flagged,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--worst", type=int, default=20)
    options = parser.parse_args()
    reasons, failed, lost_pages, unflagged = Counter(), Counter(), [], []
    files = pages = drawn = kept = 0
    for path in sorted(p for p in options.data.rglob("*") if p.name.endswith((".pdf", ".pdf.gz"))):
        files += 1
        try:
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            found = list(pages_of(content))
        except (CorpusKitError, OSError) as error:
            failed[type(error).__name__] += 1
            continue
        for number, all_of, in_tree, aside, is_flagged in found:
            pages, drawn, kept = pages + 1, drawn + all_of, kept + in_tree
            reasons.update(aside)
            lost = all_of - in_tree - sum(aside.values())
            if lost > SHARE * all_of:
                lost_pages.append((lost / all_of, lost, path.name, number))
            if all_of - in_tree > SHARE * all_of and not is_flagged:
                unflagged.append((path.name, number))
    print(f"{files} files ({dict(failed)} failed), {pages:,} pages, {drawn:,} characters: {kept:,} in the document, "
          f"set aside {dict(reasons)}, lost {drawn - kept - sum(reasons.values()):,}")  # fmt: skip
    print(f"pages with more than {SHARE:.0%} lost: {len(lost_pages)}; without a flag: {len(unflagged)}")
    for share, lost, name, number in sorted(lost_pages, reverse=True)[: options.worst]:
        print(f"  {share:.1%} ({lost}) {name} page {number}")
    sys.exit(bool(unflagged))


if __name__ == "__main__":
    main()
