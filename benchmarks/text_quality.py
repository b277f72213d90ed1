"""Rules of quality beside datatrove's filters: CPU time, and on how many documents both say the same.

    uv run --with "datatrove[processing]" --with spacy --with nltk python benchmarks/text_quality.py --data DIR [--data DIR ...]

``--data``: folders with text files (.txt); each file is cut into documents of 40 lines. Ours measures every rule of a document; a filter of
datatrove stops at the first rule that fails. Its words are spaCy's tokens, punctuation among them, ours what stands between blanks:
in technical text that is what most verdicts of Gopher differ by (its rule of 80 % words with a letter). Its threshold of repeated
lines for FineWeb is set to that of the paper here, .1.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from corpuskit.text import quality

LINES = 40


def texts_of(folders: list[Path], at_most: int) -> list[str]:
    """Documents of some lines each."""
    found: list[str] = []
    for file in sorted(file for folder in folders for file in folder.rglob("*.txt")):
        lines = file.read_text("utf-8", errors="replace").splitlines()
        found += ["\n".join(lines[start : start + LINES]) for start in range(0, len(lines), LINES)]
    return [text for text in found if text.strip()][:at_most]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument("--documents", type=int, default=3_000)
    options = parser.parse_args()
    from datatrove.data import Document
    from datatrove.pipeline.filters import (
        C4QualityFilter,
        FineWebQualityFilter,
        GopherQualityFilter,
        GopherRepetitionFilter,
    )

    texts = texts_of(options.data, options.documents)
    print(f"{len(texts):,} documents, {sum(map(len, texts)) / 1e6:.1f} million characters")
    peers = {
        "gopher": [GopherQualityFilter(), GopherRepetitionFilter()],
        "c4": [C4QualityFilter()],
        "fineweb": [FineWebQualityFilter(char_duplicates_ratio=0.1)],
    }
    for name, filters in peers.items():
        quality(texts[:1], rules=[name])
        for one in filters:
            one.filter(Document(text=texts[0], id=""))  # loads its tokenizer
        start = time.process_time()
        frame = quality(texts, rules=[name])
        mine = time.process_time() - start
        start = time.process_time()
        # A filter may change the text, so each gets its own document.
        theirs = [all(one.filter(Document(text=text, id="")) is True for one in filters) for text in texts]
        peer = time.process_time() - start
        same = (frame[f"{name}_ok"].to_numpy() == theirs).mean()
        print(
            f"{name:8} corpuskit {mine:6.2f} s CPU, datatrove {peer:6.2f} s, ratio {mine / peer:.2f}; kept {frame[f'{name}_ok'].mean():.3f} "
            f"and {sum(theirs) / len(theirs):.3f}, the same verdict on {same:.3f}"
        )


if __name__ == "__main__":
    main()
