"""A frame of 1,000,000 elements from the cache, beside pyarrow reading the same files.

    uv run python tests/bench/frames_read.py [--elements 1000000] [--rounds 5]

Prints the median wall seconds of each and their ratio, the two measured in turn.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

import corpuskit
from corpuskit.views import frames

WORDS = [
    "the",
    "insurer",
    "pays",
    "for",
    "damage",
    "by",
    "water",
    "when",
    "a",
    "river",
    "rises",
    "over",
    "its",
    "banks",
]


def write_pages(folder: Path, elements: int) -> int:
    """Text files of 1,000 paragraphs each."""
    count = elements // 1000
    for page in range(count):
        lines = [
            " ".join(WORDS[(page + line + word) % len(WORDS)] for word in range(12)) + f" {page}-{line}"
            for line in range(1000)
        ]
        (folder / f"{page:05d}.txt").write_text("\n\n".join(lines), "utf-8")
    return count


def seconds(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        pages = Path(work) / "pages"
        pages.mkdir()
        write_pages(pages, options.elements)
        corpus = corpuskit.open(Path(work) / "corpus")
        corpus.add(pages)
        print(f"{len(corpus.elements()):,} elements of {len(corpus):,} documents")
        files = sorted((Path(corpus.path) / "elements").glob("*.parquet"))
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(seconds(lambda: frames.elements(corpus._folder)))
            theirs.append(seconds(lambda: [pq.read_table(file) for file in files]))
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        print(
            f"corpuskit {statistics.median(ours):.3f} s, pyarrow {statistics.median(theirs):.3f} s, ratio {ratio:.2f}"
        )


if __name__ == "__main__":
    main()
