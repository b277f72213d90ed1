"""Extracts 20,000 real pages as WARC shards: serial, in processes, on Dask; then with workers killed at random.

    python benchmarks/scale_shards.py --data DIR [--pages 20000] [--kills 20]

DIR holds HTML files (``*.html``, ``*.htm``, also ``.gz``, in sub-folders) or ``web.sqlite`` with a table pages(url, body). Fewer pages than asked for are
repeated under other URLs. Prints CPU seconds (of all processes), the ratio to serial, and whether the outputs are the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psutil

from corpuskit import engine
from corpuskit.shards import extract_shards
from corpuskit.store.originals import WarcWriter


def pages(data: list[Path], count: int) -> Iterator[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for folder in data:
        if (folder / "web.sqlite").exists():
            with sqlite3.connect(f"file:{folder / 'web.sqlite'}?mode=ro", uri=True) as connection:
                for url, body in connection.execute("SELECT url, body FROM pages ORDER BY url"):
                    content = unpacked(body)
                    if b"<" in content[:500]:
                        found.append((url if "://" in url else f"http://{url}", content))
        else:
            for file in sorted(folder.rglob("*.htm*")):
                found.append(
                    (
                        f"http://{folder.name}.example/{file.relative_to(folder).as_posix().removesuffix('.gz')}",
                        unpacked(file.read_bytes()),
                    )
                )
    print(f"{len(found):,} different pages, {sum(len(body) for _, body in found) / 1e6:,.0f} MB")
    for number in range(count):
        url, body = found[number % len(found)]
        yield (url if number < len(found) else f"{url}?copy={number // len(found)}"), body


def unpacked(body: bytes) -> bytes:
    for wbits in (31, 15):
        try:
            return zlib.decompress(body, wbits)
        except zlib.error:
            continue
    return bytes(body)


def make(data: list[Path], folder: Path, count: int, a_shard: int) -> None:
    """WARC files of so many pages; pages of one site are spread over the shards."""
    all_pages = list(pages(data, count))
    random.Random(0).shuffle(all_pages)
    date = datetime(2026, 1, 2, tzinfo=UTC)
    for number in range(0, len(all_pages), a_shard):
        writer = WarcWriter(folder / "work", {})
        for url, body in all_pages[number : number + a_shard]:
            writer.write(url, date, b"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", [("Content-Type", "text/html")], body)
        writer.close()
        next((folder / "work").iterdir()).replace(folder / f"{number // a_shard:05d}.warc.gz")
    (folder / "work").rmdir()


def digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        whole.update(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:16]


def differences(one: Path, other: Path) -> list[str]:
    """The files that are not the same in two folders."""
    names = {file.name for folder in (one, other) for file in folder.iterdir()}
    whole = [
        [(folder / name).read_bytes() if (folder / name).exists() else None for folder in (one, other)]
        for name in sorted(names)
    ]
    return [
        f"{name}: {[None if c is None else len(c) for c in pair]} bytes"
        for name, pair in zip(sorted(names), whole, strict=True)
        if pair[0] != pair[1]
    ]


def cpu() -> float:
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))  # fmt: skip


def measured(name: str, source: str, out: Path, on: str) -> tuple[float, str, float]:
    """CPU seconds, digest of the outputs, seconds."""
    start, began = cpu(), time.monotonic()
    report = extract_shards(source, str(out), on=on, progress=False)  # type: ignore[arg-type]
    engine.close_idle_workers()  # only what has ended is counted
    seconds = cpu() - start
    found, wall = digest(out), time.monotonic() - began
    print(
        f"{name:10} {report!r}  CPU {seconds:6.1f} s  wall {wall:6.1f} s  outputs {found}",
        flush=True,
    )
    return seconds, found, wall


class Killer(threading.Thread):
    """Kills a random process of ours at random moments."""

    def __init__(self, kills: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self.left, self.done, self.pause, self.stop = kills, 0, seconds / max(kills, 1), threading.Event()
        self.random = random.Random(1)

    def run(self) -> None:
        while self.left and not self.stop.wait(self.random.uniform(0.3, 1.7) * self.pause):
            victims = [p for p in psutil.Process().children(recursive=True) if self.is_worker(p)]
            if not victims:
                continue
            victim = self.random.choice(victims)
            try:
                os.kill(victim.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.left, self.done = self.left - 1, self.done + 1

    @staticmethod
    def is_worker(process: psutil.Process) -> bool:
        try:
            line = " ".join(process.cmdline())
        except psutil.Error:
            return False
        return "engine.workers" in line or ("spawn_main" in line and "tracker" not in line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, action="append", help="repeatable")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--shard", type=int, default=200, help="pages a shard")
    parser.add_argument("--kills", type=int, default=20, help="0: none, and no second runs")
    parser.add_argument("--engines", default="serial,processes,dask")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="scale-shards-"))
    try:
        (work / "in").mkdir()
        make(options.data, work / "in", options.pages, options.shard)
        source = str(work / "in" / "*.warc.gz")
        results = {on: measured(on, source, work / on, on) for on in options.engines.split(",")}
        reference, same, _ = next(iter(results.values()))
        for on, (seconds, found, _) in results.items():
            print(
                f"{on:10} CPU {seconds / reference:.2f} x serial, {'the same bytes' if found == same else 'OTHER BYTES'}"
            )
        for on in (name for name in results if name != "serial" and options.kills):
            # Spread over the run: who kills faster than workers start takes a document's three tries.
            killer = Killer(options.kills, results[on][2] * 0.9)
            killer.start()
            runs = 0
            while True:
                runs += 1
                report = extract_shards(source, str(work / f"{on}-killed"), on=on, progress=False)  # type: ignore[arg-type]
                if not report.quarantined:
                    break
            killer.stop.set()
            killer.join()
            found = digest(work / f"{on}-killed")
            print(
                "".join(
                    f"  {line}\n" for line in differences(work / options.engines.split(",")[0], work / f"{on}-killed")
                ),
                end="",
            )
            print(
                f"{on:10} {killer.done} workers killed, {runs} run(s), {'the same bytes' if found == same else 'OTHER BYTES'}",
                flush=True,
            )
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
