"""Whether anything grows that should not: memory, file descriptors, threads, processes, temporary files.

    python benchmarks/robustness/growth.py --pages 5000 --documents 10000

Pages are crawled from a web on loopback and documents are added, in ten rounds each; of each round one line.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "helpers"))


def measured(place):
    """Megabytes of this process, its descriptors, threads, children, zombies among them, and temporary files."""
    import psutil

    process = psutil.Process()
    children = process.children(recursive=True)
    zombies = sum(child.status() == psutil.STATUS_ZOMBIE for child in children)
    temporary = sum(1 for path in place.rglob("*") if path.name.endswith((".tmp", ".part", ".partial")))
    temporary += sum(1 for path in Path(tempfile.gettempdir()).iterdir() if path.name.startswith("corpuskit-"))
    return {
        "MB": process.memory_info().rss / 1e6, "descriptors": process.num_fds(), "threads": process.num_threads(),
        "children": len(children), "zombies": zombies, "temporary files": temporary,
    }  # fmt: skip


def grow(place, pages, documents, rounds=10, tell=print):
    """Runs the rounds; gives what was measured after each of crawling, and each of adding."""
    from local_web import LocalWeb

    import corpuskit

    web, crawled, added = LocalWeb(), [], []
    corpus = corpuskit.open(place / "corpus")
    try:
        for number in range(rounds):
            urls = [f"http://a.example/{number}/{i}" for i in range(pages // rounds)]
            for i, url in enumerate(urls):
                web.add(url, f"Page {i} of round {number} about premium {i * number}.")
            corpus.crawl(urls, delay=0, proxy=web.proxy, connections=8).wait(progress=False)
            web.pages.clear()
            web.log.clear()
            crawled.append({"documents": len(corpus), **measured(place)})
            tell(f"crawled  {crawled[-1]}")
        for number in range(rounds):
            folder = place / f"in{number}"
            folder.mkdir()
            for i in range(documents // rounds):
                (folder / f"{i}.html").write_text(f"<title>{number} {i}</title><p>Document {i} of round {number}.</p>")
            corpus.add(folder, progress=False)
            added.append({"documents": len(corpus), **measured(place)})
            tell(f"added    {added[-1]}")
    finally:
        corpus.close()
        web.close()
    return crawled, added


def grown(rounds):
    """What grew from the middle of the rounds to their end, as lines."""
    middle, end = rounds[len(rounds) // 2], rounds[-1]
    more = [
        name
        for name in ("descriptors", "threads", "children", "zombies", "temporary files")
        if end[name] > middle[name] + 2
    ]
    # The catalogue's cache of 64 MB fills up.
    return more + (["MB"] if end["MB"] > 1.15 * middle["MB"] + 64 else [])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=5000)
    options.add_argument("--documents", type=int, default=10_000)
    chosen = options.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as work:
        crawled, added = grow(Path(work), chosen.pages, chosen.documents)
    more = grown(crawled) + grown(added)
    print("grown: " + (", ".join(more) or "nothing"))
    sys.exit(bool(more))


if __name__ == "__main__":
    main()
