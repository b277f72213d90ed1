"""Whether the date of publication is the one that the page itself states, beside htmldate.

    uv run python benchmarks/html_dates.py --data DIR [--every 5]

DIR holds sets of pages, each a folder with ``gold.json`` and ``pages/ID.html.gz``. The truth is the day, in the zone that the page
names, of ``article:published_time``, else of the one ``datePublished`` of its JSON-LD; pages that state none, or several, count
only as "not stated". htmldate searches as it does by default, for the original date. CPU is that of the whole extraction without
main content against that of ``find_date`` on the page as it came.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections import Counter
from pathlib import Path

from htmldate import find_date

from corpuskit import extract

_META = re.compile(r'<meta[^>]*article:published_time[^>]*content=["\']((?:19|20)\d\d-\d\d-\d\d)', re.IGNORECASE)
_DATA = re.compile(r'"datePublished"\s*:\s*"((?:19|20)\d\d-\d\d-\d\d)')


def stated(page: str) -> str | None:
    """The day the page states; None where it states none or several."""
    found = _META.findall(page) or list(dict.fromkeys(_DATA.findall(page)))
    return found[0] if len(set(found)) == 1 else None


def main() -> None:
    """Prints the counts of both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of sets of pages")
    parser.add_argument("--every", type=int, default=1, help="only each Nth page")
    chosen = parser.parse_args()
    counts = {"corpuskit": Counter[str](), "htmldate": Counter[str]()}
    cost = dict.fromkeys(counts, 0.0)
    silent = dict.fromkeys(counts, 0)
    for gold_file in sorted(chosen.data.glob("*/gold.json")):
        for name, entry in list(json.loads(gold_file.read_text("utf-8")).items())[:: chosen.every]:
            path = gold_file.parent / "pages" / f"{name}.html.gz"
            if not path.exists():
                continue
            raw = gzip.decompress(path.read_bytes())
            truth = stated(raw.decode("utf-8", "replace"))
            for system in ("corpuskit", "htmldate"):
                start = time.process_time()
                if system == "corpuskit":
                    day = extract(raw, uri=entry.get("url")).metadata.get("published", "")[:10] or None
                else:
                    try:
                        day = find_date(raw, original_date=True, url=entry.get("url"))
                    except Exception:  # it dies of some pages; that is no date
                        day = None
                cost[system] += time.process_time() - start
                if truth is None:
                    silent[system] += day is not None
                else:
                    counts[system]["right" if day == truth else "none" if day is None else "wrong"] += 1
    for system, count in counts.items():
        told = " · ".join(f"{kind} {count[kind]}" for kind in ("right", "wrong", "none"))
        print(f"{system:10} {told} · a date where none is stated {silent[system]} · CPU {cost[system]:.1f} s")


if __name__ == "__main__":
    main()
