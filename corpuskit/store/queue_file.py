"""Export of the crawl queue as seeds for distributed crawlers."""

from __future__ import annotations

from pathlib import Path

from corpuskit.store.documents import write_file_atomically
from corpuskit.store.folder import CorpusFolder


def write_queue(folder: CorpusFolder, file: Path) -> int:
    """Write the queued URLs by descending priority and return their number.

    One URL per line, followed by tab-separated ``key=value`` pairs (``depth``, ``priority``): the seed format of
    StormCrawler's ``FileSpout`` and of Nutch's injector.
    """
    rows = folder.catalog.rows(
        "SELECT url, depth, priority FROM frontier WHERE state = 'queued' ORDER BY priority DESC, n"
    )
    lines = (f"{row['url']}\tdepth={row['depth']}\tpriority={row['priority']:g}\n" for row in rows)
    write_file_atomically(file, "".join(lines).encode("utf-8", "replace"))
    return len(rows)
