"""Let corpuskit and baselines crawl the webs of the topics, and compare them.

    python live.py --data DIR                                        # corpuskit and best parent, all topics, three runs each
    python live.py --data DIR mail geo --orders all --runs 5 --json figures.json

Each run has a server of its own, a process of its own and an empty corpus; what is scored is the server's log, so nothing rests on what a
crawler says of itself. CPU is that of the crawling process, without training and labelling for corpuskit, with them for baselines.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from score import LEAST_PAGES, VIOLATIONS, read_log, score

HERE = Path(__file__).resolve().parent
OURS, PEER = "corpuskit", "best parent"
ORDERS = [OURS, PEER, "mean parent", "host turns", "breadth-first"]


@contextlib.contextmanager
def served(folder: Path, log: Path, seconds: float) -> Iterator[str]:
    """Run serve.py; give the address of its proxy.

    Raises:
        RuntimeError: it did not start.
    """
    command = [
        sys.executable,
        str(HERE / "serve.py"),
        str(folder),
        "--port",
        "0",
        "--seconds",
        f"{seconds:g}",
        "--log",
        str(log),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            if "http://" not in line:
                raise RuntimeError(f"serve.py did not start on {folder}: {line!r}")
            yield next(word for word in line.split() if word.startswith("http://"))
        finally:
            server.terminate()


def crawl(order: str, topic: Path, work: Path, proxy: str, options: dict[str, int]) -> dict[str, Any]:
    """Run one crawler in this process, which is its own; return what the log cannot tell."""
    from analyst import Analyst

    gold = json.loads((topic / "gold.json").read_text())
    analyst, warm_up, seed = Analyst(gold, options["labels"]), options["warm_up"], options["seed"]
    if order == OURS:
        from steered import SteeredRun

        run = SteeredRun(work / "corpus", gold, analyst, proxy=proxy, seed=seed)
        run.run(options["pages"], warm_up)
        cpu, pages = run.cpu, run.pages
    else:
        from baselines import Crawl

        started = time.process_time()
        pages = asyncio.run(Crawl(order, gold, analyst, warm_up=warm_up, seed=seed).run(options["pages"], proxy))
        cpu = time.process_time() - started
    return {
        "labels": analyst.labels,
        "audit labels": analyst.audit_labels,
        "CPU ms a page": round(1000 * cpu / max(1, pages), 2),
    }


def one_run(order: str, topic: Path, gold: dict[str, Any], options: dict[str, int]) -> dict[str, Any]:
    """Return the figures of one run; its server, process and folder are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="steering-") as folder:
        work = Path(folder)
        spawn = multiprocessing.get_context("spawn")
        with (
            served(topic, work / "access.tsv", options["seconds"]) as proxy,
            ProcessPoolExecutor(1, mp_context=spawn) as pool,
        ):
            try:
                told = pool.submit(crawl, order, topic, work, proxy, options).result()
            except BaseException:  # interrupted: the crawl ends too, instead of being waited for
                for child in multiprocessing.active_children():
                    child.terminate()
                raise
        return score(read_log(work / "access.tsv"), gold) | told


def mean(runs: list[dict[str, Any]], name: str) -> float:
    return statistics.mean(run[name] for run in runs)


HEAD = (
    f"{'':14s} {'AUHC mean (least - most)':26s} {'2000':>6s} {'at 500':>7s} {'at 1000':>7s} {'at R':>7s} {'traps':>6s} {'sites':>6s} "
    f"{'labels':>7s} {'CPU':>6s}  violations"
)


def row(order: str, runs: list[dict[str, Any]]) -> str:
    curves = [run["AUHC"] for run in runs]
    broken = [f"{name} {sum(run[name] for run in runs)}" for name in VIOLATIONS if any(run[name] for run in runs)]
    return (
        f"{order:14s} {mean(runs, 'AUHC'):.3f} ({min(curves):.3f} - {max(curves):.3f}){'':5s} "
        f"{mean(runs, 'AUHC 2000'):6.3f} "
        f"{mean(runs, 'found at 500'):7.0f} {mean(runs, 'found at 1000'):7.0f} {mean(runs, 'found at R'):7.0f} "
        f"{mean(runs, 'trap pages'):6.0f} {mean(runs, 'relevant sites reached'):6.1f} {mean(runs, 'labels'):7.0f} "
        f"{mean(runs, 'CPU ms a page'):6.1f}  {', '.join(broken) or 'none'}"
    )


def closing_lines(results: dict[str, dict[str, list[dict[str, Any]]]], figure: str) -> list[str]:
    """Return the mean over the topics of each order, and its distance to the peer, topic by topic."""
    orders = next(iter(results.values()))
    by_order = {order: [mean(runs[order], figure) for runs in results.values()] for order in orders}
    lines = []
    for order, values in by_order.items():
        line = f"{order:14s} {statistics.mean(values):.3f}"
        if order != PEER and PEER in by_order:
            gaps = [ours - theirs for ours, theirs in zip(values, by_order[PEER], strict=True)]
            each = ", ".join(f"{name} {gap:+.3f}" for name, gap in zip(results, gaps, strict=True))
            line += f"   {statistics.mean(gaps):+.3f} to {PEER} ({each})"
        lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topics", nargs="*", help="folders of DIR (default: all that were built)")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="what build.py made")
    parser.add_argument(
        "--orders", nargs="+", default=[OURS, PEER], choices=[*ORDERS, "all"], help="crawlers (default: the first two)"
    )
    parser.add_argument(
        "--runs", type=int, default=3, help="runs a topic and crawler, each with random choices of its own (default: 3)"
    )
    parser.add_argument("--pages", type=int, help=f"pages a run (default: 2R, at least {LEAST_PAGES})")
    parser.add_argument(
        "--labels", type=int, default=210, help="the analyst's labels, without checks of new sources (default: 210)"
    )
    parser.add_argument("--warm-up", type=int, default=300, help="pages before the first labels (default: 300)")
    parser.add_argument("--seconds", type=float, default=3600, help="a server ends after so long (default: 3600)")
    parser.add_argument("--json", type=Path, help="write the figures of all runs here")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    orders = ORDERS if "all" in options.orders else list(dict.fromkeys(options.orders))
    built = sorted(path.parent.name for path in options.data.glob("*/gold.json"))
    names = options.topics or built
    if not names or not set(names) <= set(built):
        parser.error(f"built in {options.data}: {', '.join(built) or 'nothing'}")
    results: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for name in names:
        topic = (options.data / name).resolve()
        gold = json.loads((topic / "gold.json").read_text())
        total, most = gold["relevant_reachable"], gold["pages_reachable"]
        pages = options.pages or max(2 * total, LEAST_PAGES)
        sites = len({url.split("/")[2] for url, value in gold["gold"].items() if value == 1})
        print(
            f"\n{name}: {total} of {most} pages relevant, on {sites} sites; {options.runs} runs of {pages} pages\n{HEAD}",
            flush=True,
        )
        results[name] = {}
        how = {"pages": pages, "labels": options.labels, "warm_up": options.warm_up, "seconds": options.seconds}
        for order in orders:
            runs = [one_run(order, topic, gold, how | {"seed": seed}) for seed in range(1, options.runs + 1)]
            results[name][order] = runs
            print(row(order, runs), flush=True)
            if options.json:
                options.json.write_text(json.dumps(results, indent=1))
    for figure in ("AUHC", "AUHC 2000"):
        print(f"\nMean {figure} over {len(results)} topics")
        print("\n".join(closing_lines(results, figure)))


if __name__ == "__main__":
    main()
