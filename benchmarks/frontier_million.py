"""A frontier of a million URLs: inserting with duplicates, taking the best, and the memory it needs.

    uv run python benchmarks/frontier_million.py [--urls 1000000] [--hosts 2000] [--in-turns]

Prints URLs per CPU second of this process and its peak memory.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

from corpuskit.crawl.frontier import Frontier, NewUrl
from corpuskit.crawl.host_scheduler import HostScheduler
from corpuskit.crawl.politeness import Politeness
from corpuskit.store.catalog import Catalog


def urls(count: int, hosts: int):
    """About 37 % are duplicates, as in the links of real pages; priorities are spread evenly."""
    state = 12345
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        page = (state >> 33) % count
        url = f"https://h{page % hosts}.example.org/docs/section-{page % 97}/page-{page}.html"
        yield NewUrl(
            url, 1, (page * 2654435761 % 1000003) / 1000003, "https://h0.example.org/", "a link", "its context"
        )


def batches(items, size):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--in-turns", action="store_true", help="hosts take turns, as in a crawl that is not steered")
    parser.add_argument("--batch", type=int, default=500, help="links a transaction")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        catalog = Catalog(Path(work) / "catalog.sqlite")
        frontier = Frontier(catalog)
        made = time.process_time()
        for _ in batches(urls(options.urls, options.hosts), options.batch):
            pass
        made = time.process_time() - made
        start = time.process_time()
        new = sum(frontier.add(batch) for batch in batches(urls(options.urls, options.hosts), options.batch))
        inserting = time.process_time() - start - made
        print(f"inserted {options.urls:,} URLs, {new:,} new: {options.urls / inserting:,.0f} a CPU second")
        politeness = Politeness(catalog, 0.0)
        scheduler = HostScheduler(frontier, politeness, round_robin=options.round_robin, is_full=lambda _: False)
        taken, taking, ending = 0, 0.0, 0.0
        while taken < 100_000:
            start = time.process_time()
            if not taken:
                scheduler.set_priorities(dict(frontier.hosts()))
            leases = [lease for _ in range(100) if (lease := scheduler.lease_next(time.time()))]
            middle = time.process_time()
            with catalog.transaction():
                for lease in leases:
                    frontier.finish(lease, "fetched")
            for lease in leases:
                scheduler.release(lease.host)
            taking += middle - start
            ending += time.process_time() - middle
            taken += len(leases)
        print(f"took the best {taken:,}, 100 at a time: {taken / taking:,.0f} a CPU second; ")
        print(f"and marked them as fetched: {taken / (taking + ending):,.0f} a CPU second")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
