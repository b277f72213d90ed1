"""Build the local webs of the topics from Debian documentation packages.

    python build.py --data DIR                        # all topics that come with the benchmark
    python build.py --data DIR mail french            # some of them
    python build.py --data DIR my/topic.py            # a topic file of yours, with my/topic.packages.txt beside it

Needs apt-get with package lists (apt-get update) and dpkg, but no root: packages are unpacked below DIR/packages, never installed.
A topic comes into DIR/NAME: topic.py (a copy of its file), web.sqlite (the pages as served) and gold.json.
DIR/packages may be deleted afterwards.
"""

import argparse
import gzip
import hashlib
import json
import multiprocessing
import os
import shutil
import sqlite3
import time
from collections.abc import Iterable
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import topic as topics
from packages import document_root, unpack, wanted
from score import Robots
from testbed import Page, Web, read_site

SCHEMA = "CREATE TABLE pages(url TEXT PRIMARY KEY, body BLOB, size INTEGER, charset TEXT, etag TEXT) WITHOUT ROWID"
FORK = multiprocessing.get_context("fork")  # workers inherit a web of ten thousand pages instead of being sent it
_shared: Any = None


def share(value: Any) -> None:
    global _shared  # noqa: PLW0603 - set once in each worker process
    _shared = value


def workers(jobs: int, value: Any) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, mp_context=FORK, initializer=share, initargs=(value,))


def site_in_worker(site: str) -> list[Page]:
    topic, roots = _shared
    return read_site(topic, site, roots[site])


def page_in_worker(url: str) -> tuple[str, bytes, int, str, str]:
    body, charset = _shared.rewritten(url)
    return (
        url,
        gzip.compress(body, 4, mtime=0),
        len(body),
        charset,
        hashlib.sha1(body, usedforsecurity=False).hexdigest()[:16],
    )


def weave(topic: ModuleType, packages: dict[str, Path], jobs: int) -> Web:
    roots = {site: document_root(packages[package], inside) for site, (package, inside, _) in topic.SITES.items()}
    kept: list[Page] = []
    with workers(jobs, (topic, roots)) as pool:
        for site, pages in zip(topic.SITES, pool.map(site_in_worker, topic.SITES), strict=True):
            values = [page.gold for page in pages]
            print(
                f"  {site:14s} {len(pages):5d} pages, {values.count(1):4d} relevant, {values.count(None):4d} ambiguous",
                flush=True,
            )
            if not pages:
                raise RuntimeError(f"no page of {site} was found in {roots[site]}")
            kept += pages
    return Web(topic, kept)


def write_pages(pool: Executor, urls: Iterable[str], path: Path) -> None:
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path)
    with base:
        base.execute(SCHEMA)
        base.executemany("INSERT INTO pages VALUES(?,?,?,?,?)", pool.map(page_in_worker, urls, chunksize=50))
    base.close()


def gold_of(web: Web) -> dict[str, Any]:
    """Return the content of gold.json: all that a scorer, an analyst and a server need to know of a topic."""
    topic = web.topic
    hosts = [*dict.fromkeys(page.site for page in web.pages.values()), *topic.TRAPS]
    robots = {f"{host}.test": topic.ROBOTS_OF.get(host, topic.ROBOTS) for host in hosts}
    reachable = web.reachable(Robots(robots).allowed)
    return {
        "topic": topic.TOPIC,
        "keywords": topic.KEYWORDS,
        "seeds": topic.SEEDS,
        "relevant_reachable": sum(web.pages[url].gold == 1 for url in reachable),
        "pages_reachable": len(reachable),
        "trap_hosts": [f"{host}.test" for host in topic.TRAPS],
        "robots": robots,
        "gold": {url: page.gold for url, page in web.pages.items()},
    }


def build(file: Path, data: Path, jobs: int) -> str:
    """Build one topic; return its line of the closing table."""
    started, topic, folder = time.monotonic(), topics.load(file), data / file.stem
    print(f"{file.stem}: {topic.TOPIC}", flush=True)
    packages = unpack(wanted(file.with_suffix(".packages.txt")), data / "packages")
    folder.mkdir(parents=True, exist_ok=True)
    web = weave(topic, packages, jobs)
    with workers(jobs, web) as pool:
        write_pages(pool, list(web.pages), folder / "web.sqlite")
    gold = gold_of(web)
    (folder / "gold.json").write_text(json.dumps(gold, indent=0))
    shutil.copyfile(file, folder / "topic.py")
    pages, relevant = gold["pages_reachable"], gold["relevant_reachable"]
    sites = len({page.site for page in web.pages.values() if page.gold == 1})
    return (
        f"{file.stem:12s} {pages:6d} pages reachable, {relevant:5d} relevant ({relevant / pages:5.1%}) "
        f"on {sites} of {len(topic.SITES)} sites, {time.monotonic() - started:.0f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topics", nargs="*", help=f"names or files (default: {' '.join(topics.names())})")
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="where the webs are built (5 GB while building)"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a CPU)")
    options = parser.parse_args()
    files = [
        topics.TOPICS / f"{name}.py" if name in topics.names() else Path(name)
        for name in options.topics or topics.names()
    ]
    for file in files:
        if not file.with_suffix(".packages.txt").is_file():
            parser.error(f"{file} is no topic of the benchmark, nor a topic file with a .packages.txt beside it")
    lines = [build(file.resolve(), options.data.resolve(), options.jobs) for file in files]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
