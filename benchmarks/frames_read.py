"""Frames of a corpus of many elements: time beside pyarrow, memory with and without text, a filter beside polars.

    uv run --no-sync python benchmarks/frames_read.py [--data FOLDER] [--elements 1000000] [--rounds 5]

The elements are made, of 12 words each, or with ``--data`` those of the web pages of a folder, copied until there are as
many. Prints the median seconds of each, wall and CPU, and the median of their ratios, those compared measured in turn, and the
bytes of the frames. On a machine that others use, CPU is the figure to read.
"""

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import polars
import pyarrow.parquet as pq

import corpuskit

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
SECTIONS, PARAGRAPHS = 20, 40  # of each page


def write_pages(folder: Path, elements: int) -> None:
    """Pages of sections and paragraphs, about 840 elements each."""
    for page in range(elements // (SECTIONS * (PARAGRAPHS + 2))):
        lines = [f"<title>Page {page}</title>"]
        for section in range(SECTIONS):
            lines.append(f"<div class=s><h2>Section {section}</h2>")
            for line in range(PARAGRAPHS):
                some = [WORDS[(page + 7 * line + word) % len(WORDS)] for word in range(4 + line % 17)]
                lines.append(f"<p>{' '.join(some)} {page}-{section}-{line}</p>")
            lines.append("</div>")
        (folder / f"{page:05d}.html").write_text("\n".join(lines), "utf-8")


def copy_pages(folder: Path, data: Path, elements: int) -> None:
    """The pages of a folder, again and again, until they hold as many elements."""
    pages = sorted(data.rglob("*.html"))
    counts = [len(corpuskit.extract(page)) for page in pages]
    number = 0
    while elements > 0:
        for page, count in zip(pages, counts, strict=True):
            shutil.copyfile(page, folder / f"{number:06d}.html")
            number, elements = number + 1, elements - count


def seconds(function) -> tuple[float, float]:
    """Wall and CPU, all threads together."""
    wall, busy = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - wall, time.process_time() - busy


def compare(name: str, ours, peer: str, theirs, rounds: int) -> None:
    a, b = [], []
    for _ in range(rounds):
        a.append(seconds(ours))
        b.append(seconds(theirs))
    print(f"{name}:")
    for kind, mine, other in zip(("wall", "CPU"), zip(*a, strict=True), zip(*b, strict=True), strict=True):
        ratio = statistics.median(x / y for x, y in zip(mine, other, strict=True))
        told = f"corpuskit {statistics.median(mine):.3f} s, {peer} {statistics.median(other):.3f} s"
        print(f"  {kind}: {told}, ratio {ratio:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder of *.html")
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        pages = Path(work) / "pages"
        pages.mkdir()
        if options.data is not None:
            copy_pages(pages, options.data, options.elements)
        else:
            write_pages(pages, options.elements)
        corpus = corpuskit.open(Path(work) / "corpus")
        corpus.add(pages)
        with_text = corpus.elements()
        full = with_text.memory_usage(deep=True).sum()
        print(f"{len(with_text):,} elements of {len(corpus):,} documents")
        del with_text
        bare = corpus.elements(text=False).memory_usage(deep=True).sum()
        print(f"memory of elements(): {full / 1e6:,.0f} MB, without text {bare / 1e6:,.0f} MB, share {bare / full:.3f}")
        files = sorted((Path(corpus.path) / "elements").glob("*.parquet"))
        compare("all elements", corpus.elements, "pyarrow", lambda: [pq.read_table(f) for f in files], options.rounds)
        scan = polars.scan_parquet(files)
        for pattern in ("river.*banks", "stands.*nowhere"):
            compare_filter(corpus, scan, pattern, options.rounds)


def compare_filter(corpus, scan: polars.LazyFrame, pattern: str, rounds: int) -> None:
    wanted = scan.filter((polars.col("words") >= 20) & polars.col("text").str.contains(f"(?i){pattern}"))
    frame = corpus.find(pattern, min_words=20)
    assert len(frame) == len(wanted.collect()), "the two do not ask the same"
    compare(
        f"filter, {len(frame):,} found",
        lambda: corpus.find(pattern, min_words=20),
        "polars to pandas",
        lambda: wanted.collect().to_pandas(),
        rounds,
    )


if __name__ == "__main__":
    main()
