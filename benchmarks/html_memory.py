"""Memory that a large page takes, as a multiple of its size, beside lxml's tree of it alone.

    uv run python benchmarks/html_memory.py [--megabytes 24]

Three pages of small elements: lines, a table, wrapped sentences. Each system reads each in a process of its own; the
figure is the peak of its memory above what it had before, divided by the page's size. Linux only.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import multiprocessing
from collections.abc import Callable
from pathlib import Path

PIECES = {
    "lines": "<p>word {} it</p>\n",
    "table": '<tr><td>{}</td><td>ab cd</td><td><a href="/x/{}">link</a></td></tr>\n',
    "wrapped": '<div class="c"><p>Some short text of a line, number {}.</p></div>\n',
}


def page(kind: str, size: int) -> bytes:
    """A page of one kind."""
    count = size // len(PIECES[kind].format(100_000, 100_000))
    body = "".join([PIECES[kind].format(number, number) for number in range(count)])
    if kind == "table":
        body = f"<table>{body}</table>"
    return f"<html><head><title>t</title></head><body>{body}</body></html>".encode()


def lxml_tree(content: bytes) -> object:
    """The tree alone."""
    from lxml import etree

    return etree.fromstring(content, etree.HTMLParser(huge_tree=True, collect_ids=False))


def corpuskit_tree(content: bytes) -> object:
    """Our document without a classifier."""
    from corpuskit.extraction import ExtractOptions, extract_bytes

    return extract_bytes(content, media_type="text/html", options=ExtractOptions(classify=False))


def corpuskit_main(content: bytes) -> object:
    """Our document."""
    from corpuskit.extraction import extract_bytes

    return extract_bytes(content, media_type="text/html")


SYSTEMS: dict[str, Callable[[bytes], object]] = {
    "lxml's tree": lxml_tree,
    "corpuskit, tree": corpuskit_tree,
    "corpuskit": corpuskit_main,
}


def status(key: str) -> int:
    """A line of the process's status, in bytes."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024
    raise LookupError(key)


def measure(job: tuple[str, str, int]) -> float:
    """The peak of one system on one page, as a multiple of the page's size."""
    system, kind, size = job
    SYSTEMS[system](b"<p>a</p>")  # imports
    content = page(kind, size)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak from here on
    kept = SYSTEMS[system](content)
    peak = status("VmHWM")
    del kept
    return (peak - before) / len(content)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=24)
    size = int(parser.parse_args().megabytes * 1e6)
    print(f"{'':18}" + "".join(f"{kind:>10}" for kind in PIECES))
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for system in SYSTEMS:
            found = pool.map(measure, [(system, kind, size) for kind in PIECES], chunksize=1)
            print(f"{system:18}" + "".join(f"{ratio:10.1f}" for ratio in found), flush=True)


if __name__ == "__main__":
    main()
