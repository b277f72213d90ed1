"""Figures of the order in which a crawler fetched the pages of a topic's web.

    python score.py DIR/TOPIC access.tsv            # the access log of serve.py
    python score.py DIR/TOPIC urls.txt --list       # or URLs in the order of their fetch, one a line
    python score.py --selftest

A fetch is a GET to a host of the web that was answered with a page or an error (200, 4xx and 5xx but 429). Requests for robots.txt and
sitemaps, redirects, 304 and 429 are requests, not fetches. R is the number of relevant pages that can be reached from the seeds.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

COLUMNS = ["time", "method", "host", "path", "status", "bytes", "user_agent", "if_none_match"]
EARLY = 0.1  # share of a Crawl-delay by which a request may come early: clocks of two processes
SITEMAP = re.compile(r"/sitemap[^/]*\.xml(\.gz)?$")
LEAST_PAGES = 2_000  # fetches of a run, also on a rare topic, where 2R is hardly more than the warm-up
VIOLATIONS = ["robots.txt violations", "hosts crawled before their robots.txt", "requests closer than the crawl-delay"]


def canonical(uri: str) -> str:
    """Return the key of a page in the gold: no fragment, path decoded, index.html for a folder; only traps have a query."""
    url = urlsplit(uri)
    path = unquote(url.path) or "/"
    path += "index.html" if path.endswith("/") else ""
    return f"http://{url.netloc.lower()}{path}" + (f"?{url.query}" if url.query else "")


class Robots:
    """The robots.txt files of a web, each one group for all agents; the longest match wins, ``*`` and ``$`` as in RFC 9309."""

    def __init__(self, texts: dict[str, str]):
        self.rules: dict[str, list[tuple[int, bool, re.Pattern[str]]]] = defaultdict(list)
        self.delays: dict[str, float] = {}
        for host, text in texts.items():
            for line in text.splitlines():
                field, _, value = (part.strip() for part in line.partition(":"))
                field = field.lower()
                if field == "crawl-delay":
                    self.delays[host] = float(value)
                elif field in {"allow", "disallow"} and value:
                    pattern = re.escape(value).replace(r"\*", ".*").replace(r"\$", "$")
                    self.rules[host].append((len(value), field == "allow", re.compile(pattern)))

    def allowed(self, uri: str) -> bool:
        url = urlsplit(uri)
        path = (url.path or "/") + (f"?{url.query}" if url.query else "")
        if path == "/robots.txt":
            return True
        found = [(length, allow) for length, allow, rule in self.rules.get(url.netloc.lower(), ()) if rule.match(path)]
        return max(found)[1] if found else True


def read_log(path: Path) -> list[dict[str, Any]]:
    """Return the requests of an access log in the order of their arrival."""
    rows = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("time\t"):
            row: dict[str, Any] = dict(zip(COLUMNS, line.split("\t"), strict=False))
            rows.append(
                row
                | {
                    "time": float(row["time"]),
                    "status": int(row["status"]),
                    "uri": f"http://{row['host']}{row['path']}",
                }
            )
    return sorted(rows, key=lambda row: row["time"])


def requests_of(uris: Iterable[str]) -> list[dict[str, Any]]:
    """Return URLs in the order of their fetch as requests without a time."""
    return [
        {"time": None, "method": "GET", "host": urlsplit(uri).netloc.lower(), "status": 200, "uri": uri} for uri in uris
    ]


def is_fetch(row: dict[str, Any], hosts: Iterable[str]) -> bool:
    path, status = urlsplit(row["uri"]).path, row["status"]
    answered = status == 200 or (400 <= status < 600 and status != 429)
    return (
        row["method"] == "GET"
        and row["host"] in hosts
        and answered
        and path != "/robots.txt"
        and not SITEMAP.search(path)
    )


def auhc(found: list[int], total: int, least: int = 0) -> float:
    """Return the area under the harvest curve: the mean of found(n) / min(n, R) over n = 1 .. 2R; 1 = every fetch a hit.

    Args:
        found: found[n - 1] = relevant pages among the first n fetches; a curve that ends early holds its last count.
        total: R.
        least: over so many fetches at least.
    """
    length = max(2 * total, least)
    curve = (found + [found[-1] if found else 0] * length)[:length]
    return sum(count / min(n, total) for n, count in enumerate(curve, 1)) / length


def harvest_curve(pages: Iterable[str], values: dict[str, int | None]) -> list[int]:
    """Return, after each fetch, how many different relevant pages were found."""
    found, seen, count = [], set(), 0
    for page in pages:
        count += values.get(page) == 1 and page not in seen
        seen.add(page)
        found.append(count)
    return found


def manners(rows: list[dict[str, Any]], gold: dict[str, Any]) -> dict[str, int]:
    """Return what a polite crawler never does, counted."""
    robots, hosts = Robots(gold["robots"]), gold["robots"]
    last: dict[str, float] = {}
    asked: set[str] = set()
    forbidden, close, unasked = 0, 0, set()
    for row in rows:
        host, time = row["host"], row["time"]
        if urlsplit(row["uri"]).path == "/robots.txt":
            asked.add(host)
            continue
        forbidden += not robots.allowed(row["uri"])
        if time is None:
            continue
        if host in hosts and host not in asked:
            unasked.add(host)
        if host in robots.delays:
            close += time - last.get(host, float("-inf")) < robots.delays[host] * (1 - EARLY)
            last[host] = time
    return dict(zip(VIOLATIONS, (forbidden, len(unasked), close), strict=True))


def score(rows: list[dict[str, Any]], gold: dict[str, Any]) -> dict[str, Any]:
    """Return all figures of a run.

    Args:
        rows: requests as :func:`read_log` or :func:`requests_of` gives them.
        gold: the content of gold.json.
    """
    total, values, traps = gold["relevant_reachable"], gold["gold"], set(gold["trap_hosts"])
    fetches = [row for row in rows if is_fetch(row, gold["robots"])]
    pages = [canonical(row["uri"]) for row in fetches]
    found = harvest_curve(pages, values)

    def found_at(n: int) -> int:
        return found[min(n, len(found)) - 1] if found else 0

    def fetches_until(share: float) -> int | None:
        return next((n for n, count in enumerate(found, 1) if count >= share * total), None)

    answered = Counter(page for page, row in zip(pages, fetches, strict=True) if row["status"] == 200)
    figures = {
        "relevant (R)": total,
        "requests": len(rows),
        "requests to other hosts": sum(row["host"] not in gold["robots"] for row in rows),
        "fetches": len(fetches),
        "AUHC": round(auhc(found, total), 4),
        "AUHC 2000": round(auhc(found, total, LEAST_PAGES), 4),
        "found at 500": found_at(500),
        "found at 1000": found_at(1000),
        "found at R": found_at(total),
        "found at end": found_at(len(found)),
        "p50": fetches_until(0.5),
        "p80": fetches_until(0.8),
        "p95": fetches_until(0.95),
        "relevant sites reached": len({urlsplit(page).netloc for page in pages if values.get(page) == 1}),
        "relevant sites": len({urlsplit(page).netloc for page, value in values.items() if value == 1}),
        "trap pages": sum(urlsplit(page).netloc in traps for page in pages),
        "error answers": sum(row["status"] >= 400 for row in fetches),
        "repeated fetches of a page": sum(count - 1 for count in answered.values()),
    }
    return figures | manners(rows, gold)


def selftest() -> None:
    """Check the figures on a web of four pages worked out by hand: R = 2, so the curve is drawn over 2R = 4 fetches."""
    gold = {
        "relevant_reachable": 2,
        "trap_hosts": ["t.test"],
        "gold": {
            "http://a.test/1.html": 1,
            "http://a.test/index.html": 1,
            "http://a.test/3.html": 0,
            "http://b.test/4.html": None,
        },
        "robots": {
            "a.test": "User-agent: *\nCrawl-delay: 2\nDisallow: /no\nDisallow: /*?s=\nAllow: /no/but.html",
            "t.test": "",
            "b.test": "",
        },
    }
    log = [
        (0, "a.test", "/robots.txt", 200),
        (1, "a.test", "/1.html", 200),  # fetch 1: found 1
        (2, "a.test", "/3.html", 200),  # fetch 2: found 1; one second after the last with a delay of two
        (4, "a.test", "/", 200),  # fetch 3: index.html, found 2
        (6, "t.test", "/x", 200),  # fetch 4: a trap, whose robots.txt was not asked for
        (7, "a.test", "/index.html", 200),  # fetch 5: again
        (9, "a.test", "/no/1", 404),  # fetch 6: forbidden, an error
        (11, "a.test", "/old", 301),
        (13, "a.test", "/busy", 429),
        (15, "a.test", "/no/but.html", 404),  # fetch 7: allowed by the longer rule, an error
        (17, "a.test", "/1.html?s=1", 404),  # fetch 8: forbidden, an error
        (18, "else.test", "/", 403),
    ]
    rows = [
        {"time": float(time), "method": "GET", "host": host, "status": status, "uri": f"http://{host}{path}"}
        for time, host, path, status in log
    ]
    got = score(rows, gold)
    want = {
        "requests": 12,
        "requests to other hosts": 1,
        "fetches": 8,
        "AUHC": 0.875,  # (1/1 + 1/2 + 2/2 + 2/2) / 4
        "found at 500": 2,
        "found at R": 1,
        "p50": 1,
        "p80": 3,
        "p95": 3,
        "relevant sites": 1,
        "relevant sites reached": 1,
        "trap pages": 1,
        "error answers": 3,
        "repeated fetches of a page": 1,
        "robots.txt violations": 2,
        "hosts crawled before their robots.txt": 1,
        "requests closer than the crawl-delay": 1,
    }
    wrong = {name: (got[name], value) for name, value in want.items() if got[name] != value}
    assert not wrong, f"got and wanted: {wrong}"
    assert canonical("http://A.test/b%20c/#x") == "http://a.test/b c/index.html"
    assert auhc([], 2) == 0
    assert auhc([1, 2, 2, 2], 2) == 1
    by_list = score(requests_of(row["uri"] for row in rows[1:4]), gold)
    assert (by_list["AUHC"], by_list["requests closer than the crawl-delay"]) == (0.875, 0)
    print("selftest passed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="the topic's folder, for its gold.json")
    parser.add_argument("log", type=Path, nargs="?", help="access log of serve.py, or a list of URLs")
    parser.add_argument("--list", action="store_true", help="the file lists URLs in the order of their fetch")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--selftest", action="store_true", help="check the figures on a case worked out by hand")
    options = parser.parse_args()
    if options.selftest:
        selftest()
        return
    if not (options.folder and options.log):
        parser.error("a topic's folder and a log are needed")
    gold = json.loads((options.folder / "gold.json").read_text())
    rows = requests_of(options.log.read_text().split()) if options.list else read_log(options.log)
    figures = score(rows, gold)
    for name, value in figures.items():
        print(f"{name:40s} {'not reached' if value is None else value}")
    if figures["fetches"] < 2 * gold["relevant_reachable"]:
        print(
            f"note: {figures['fetches']} fetches, the curve is drawn over {2 * gold['relevant_reachable']}",
            file=sys.stderr,
        )
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
