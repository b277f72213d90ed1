"""From an index of 20 million rows to a corpus: URLs scored a second and core, bytes fetched over bytes needed, memory, harvest.

    uv run python benchmarks/discover.py --data DIR                    # index, scoring, fetching, peers
    uv run python benchmarks/discover.py --data DIR --harvest          # the web of DIR packed as an index: what is fetched first

DIR holds ``web.sqlite`` (pages(url, body)) and ``gold.json`` as ``benchmarks/steering/build.py`` makes them, or folders of such. The index
is kept in ``--index`` (default: a temporary folder), so that a second run need not make it again. CPU seconds are those of all processes.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import discover_index
import numpy as np

import corpuskit
from corpuskit.relevance import fasttext_line
from corpuskit.relevance.url_scorer import UrlScorer
from corpuskit.shards import extract_shards

sys.path.insert(0, str(Path(__file__).parent / "steering"))


def cpu():
    """CPU seconds of this process and those that have ended below it."""
    return sum(
        resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )


def taught(work, root, rows, gold):
    """A corpus with 200 labels of pages drawn at random."""
    wanted = [
        row
        for row in rows
        if gold.get(row["url"]) is not None or gold.get(row["url"].removeprefix("http://")) is not None
    ]
    drawn = random.Random(0).sample(wanted, min(400, len(wanted)))
    corpus = corpuskit.open(work / "corpus")
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["url", "content_digest", "warc_filename", "warc_record_offset", "warc_record_length"]
    pq.write_table(pa.Table.from_pylist([{name: row[name] for name in names} for row in drawn]), work / "first.parquet")
    extract_shards(str(work / "first.parquet"), str(work / "first"), base=str(root), on="processes", progress=False)
    corpus.merge(work / "first", progress=False)
    documents = corpus.documents()
    labels = {row.doc_id: "relevant" if gold_of(gold, row.uri) else "other" for row in documents.itertuples()}
    corpus.set_labels(dict(list(labels.items())[:200]), by="analyst")
    corpus.train()
    index = corpuskit.commoncrawl(str(root / "cc-index"))
    corpus.train_urls(corpus.discover(index, sample=0.01, on="serial", progress=False))  # it knows the index's URLs now
    return corpus


def gold_of(gold, url):
    return gold.get(url, gold.get(url.removeprefix("http://")))


def peers(corpus, index, work):
    """URLs a second: ours from Arrow, the model one list at a time, fastText in a loop, DuckDB without a model."""
    import duckdb
    import fasttext
    import pyarrow.parquet as pq

    column = pq.read_table(index.partitions[0].url.removeprefix("file://").replace("%3D", "="), columns=["url"]).column(
        "url"
    )
    column = column.slice(0, 60_000)
    urls, model = column.to_pylist(), corpus.model().url
    scorer = UrlScorer(model)
    scorer.score(column.slice(0, 5000))
    taken = {}
    best = []
    for _ in range(5):
        start = time.process_time()
        scored = scorer.score(column)
        best.append(time.process_time() - start)
    taken["corpuskit, Arrow arrays"] = min(best)
    start = time.process_time()
    expected = model.score(urls)
    taken["corpuskit, lists of strings"] = time.process_time() - start
    np.testing.assert_allclose(scored, expected, atol=1e-9)
    corpus.export_fasttext(work / "url.bin", kind="url")
    student = fasttext.load_model(str(work / "url.bin"))
    start = time.process_time()
    for url in urls:
        student.predict(fasttext_line(url, "url"), k=2)
    taken["fasttext in a Python loop"] = time.process_time() - start
    for name, seconds in taken.items():
        print(f"  {name}: {len(urls) / seconds:,.0f} URLs a second and core")
    files = [part.url.removeprefix("file://").replace("%3D", "=") for part in index.partitions[:30]]
    duckdb.execute("SET threads = 1")
    start = time.process_time()
    rows, found = duckdb.execute(
        "SELECT count(*), sum((url LIKE '%sql%')::INT) FROM read_parquet(?)", [files]
    ).fetchone()
    taken = time.process_time() - start
    print(f"  DuckDB, a scan for '%sql%' without a model: {rows / taken:,.0f} rows a second and core ({found:,} found)")


def scan(path, root, partitions, on, name, out, results):
    """Discovers in a process of its own; tells CPU, time, the most memory it held, and the hash of what was chosen."""
    os.nice(0)
    index = corpuskit.commoncrawl(str(root / "cc-index"))
    import dataclasses

    index = dataclasses.replace(index, partitions=index.partitions[:partitions])
    start, began = cpu(), time.monotonic()
    with corpuskit.open(path) as corpus:
        found = corpus.discover(
            index, per_host=50, budget_pages=20_000, on=on, workers=2, name=name, out=str(out), progress=False
        )
        told = found.estimate()
        files = sorted(Path(out).glob("*.parquet"))
        digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        results.put({
            "rows": found.seen, "chosen": len(found), "cpu": cpu() - start, "seconds": time.monotonic() - began, "digest": digest,
            "memory": most_memory(), "estimate": repr(told),
        })  # fmt: skip


def most_memory():
    """Megabytes that this process held at most. What getrusage says is that of its parent too, where that was larger."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def apart(*arguments):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=scan, args=(*arguments, results))
    process.start()
    found = results.get()
    process.join()
    return found


class Store:
    """Archives over HTTP with ranges; counts requests and bytes. Each ``busy``th request is answered 503 or 429, or cut."""

    def __init__(self, root, busy=0):
        self.root, self.requests, self.sent, self.faults = root, 0, 0, 0
        store = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                start, _, end = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
                store.requests += 1
                if busy and store.requests % busy == 0:
                    store.faults += 1
                    status = (503, 429, 206)[store.faults % 3]
                    if status != 206:
                        self.send_response(status)
                        self.send_header("Retry-After", "0")
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                        return
                file = store.root / self.path.lstrip("/")
                if not file.is_file():
                    self.send_response(404)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                with file.open("rb") as handle:
                    handle.seek(int(start))
                    content = handle.read(int(end) + 1 - int(start) if end else -1)
                self.send_response(206)
                self.send_header(
                    "Content-Range", f"bytes {start}-{int(start) + len(content) - 1}/{file.stat().st_size}"
                )
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if busy and store.requests % busy == 0:
                    self.wfile.write(content[: len(content) // 2])
                    self.close_connection = True
                    return
                store.sent += len(content)
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


def scale(options, work):
    root = options.index or work / "index"
    gold = json.loads((options.data[0] / "gold.json").read_text())["gold"]
    packed = root / "packed.json"
    if not packed.exists():
        start = time.monotonic()
        rows = discover_index.make(options.data, root, options.rows, options.partitions, options.real)
        packed.write_text(json.dumps([{**row, "fetch_time": None} for row in rows]))
        print(
            f"made an index of {options.rows:,} rows in {options.partitions} files in {time.monotonic() - start:,.0f} s"
        )
    rows = json.loads(packed.read_text())
    index = corpuskit.commoncrawl(str(root / "cc-index"))
    size = sum(file.stat().st_size for file in (root / "cc-index").rglob("*.parquet"))
    print(f"index: {len(index)} files, {size / 1e9:.2f} GB; real records behind {len(rows):,} rows")
    corpus = taught(work, root, rows, gold)
    print(f"model: {corpus.model().url.summary}")
    peers(corpus, index, work)
    corpus.close()
    few = min(30, len(index))
    runs = {on: apart(work / "corpus", root, few, on, on, work / on) for on in ("serial", "processes", "dask")}
    for on, told in runs.items():
        own = f", {told['rows'] / told['cpu']:,.0f} a CPU second with reading and choosing" if on == "serial" else ""
        print(f"  {on}: {told['rows']:,} rows in {told['seconds']:,.0f} s{own}, {told['memory']:,.0f} MB")
    print(f"  the same bytes: {len({told['digest'] for told in runs.values()}) == 1}")
    whole = apart(work / "corpus", root, len(index), "serial", "whole", work / "whole")
    print(
        f"  all: {whole['rows']:,} rows in {whole['seconds']:,.0f} s, {whole['rows'] / whole['cpu']:,.0f} a CPU second, "
        f"{whole['memory']:,.0f} MB ({runs['serial']['memory']:,.0f} MB for {runs['serial']['rows']:,} rows)"
    )
    print(f"  {whole['estimate']}")
    fetching(options, work, root, rows)


def fetching(options, work, root, rows):
    """What a tenth of the real pages, the best, cost to fetch from a store that is busy now and then."""
    store = Store(root, busy=37)
    domains = sorted({row["url"].split("/")[2] for row in rows})
    index = corpuskit.commoncrawl(str(root / "cc-index"), domains=domains, base=store.url)
    with corpuskit.open(work / "corpus") as corpus:
        start, began = cpu(), time.monotonic()
        found = corpus.discover(index, budget_pages=options.fetch, on="serial", progress=False)
        print(
            f"pages of {len(domains)} domains: {len(found):,} of {found.seen:,} rows chosen in {cpu() - start:,.1f} CPU s"
        )
        before = set(corpus.documents()["uri"])
        start, began = cpu(), time.monotonic()
        report = corpus.fetch(found, on="processes", workers=2, requests_per_second=1000, progress=False)
        print(f"  {report!r}; {cpu() - start:,.0f} CPU s, {time.monotonic() - began:,.0f} s")
        rows = [row for row in found.places.to_pylist() if row["url"] not in before]
        needed = sum(row["warc_record_length"] for row in rows)
        print(
            f"  {store.requests:,} requests, {store.faults} of them answered 503 or 429 or cut; "
            f"{store.sent / max(1, needed):.3f} bytes fetched for each needed"
        )
        documents = corpus.documents()
        lost = len({row["url"] for row in rows} - set(documents["uri"])) - report.failures
        print(f"  lost: {lost}, twice: {int(documents['uri'].duplicated().sum())}")
    store.stop()


def harvest(options, work):
    """The web of DIR as an index; 200 labels of a live crawl; the share of relevant pages among those fetched first."""
    from analyst import Analyst
    from live import served

    gold = json.loads((options.data[0] / "gold.json").read_text())
    root = work / "web"
    rows = discover_index.pack(options.data, root, None)
    discover_index.pq.write_table(
        discover_index.pa.Table.from_pylist(
            [{**row, "fetch_time": row["fetch_time"].replace(tzinfo=None)} for row in rows],
            schema=discover_index.schema(),
        ),
        root / "index.parquet",
    )
    analyst = Analyst(gold, 200)
    truth = {row["url"]: analyst.truth(row["url"]) for row in rows}
    judged = [row for row in rows if truth[row["url"]] is not None]
    print(
        f"{len(rows):,} pages packed; of {len(judged):,} the gold says something, of these {sum(truth[r['url']] == 'relevant' for r in judged):,} are relevant"
    )
    corpus = corpuskit.open(work / "live")
    chance = random.Random(options.seed)
    with served(options.data[0], work / "access.tsv", 3000) as proxy:

        def crawl(*seeds, **how):
            corpus.crawl(*seeds, proxy=proxy, delay=0, scope="web", **how).wait(progress=False)

        crawl(gold["seeds"], pages=300)
        documents = corpus.documents()
        hits = corpus.kwic(gold["keywords"])["doc_id"].value_counts()
        chosen = list(hits.index[:40])
        rest = documents[~documents["doc_id"].isin(chosen)]
        chosen += list(rest["doc_id"].sample(min(40, len(rest)), random_state=chance.randrange(2**31)))
        answer(corpus, analyst, documents[documents["doc_id"].isin(chosen)])
        while analyst.left > 0:
            crawl(resume=True, steer=corpus.train(), pages=200)
            before = analyst.labels
            answer(corpus, analyst, corpus.next_to_label(min(40, analyst.left)))
            if analyst.labels == before:
                break
    corpus.train()
    live = corpus.documents()["uri"].tolist()
    print(
        f"live crawl: {len(live)} pages, {sum(truth.get(uri) == 'relevant' for uri in live)} relevant; {analyst.labels} labels"
    )
    index = corpuskit.commoncrawl(root / "index.parquet", base=str(root))
    seen = set(live)

    def ordered():
        found = corpus.discover(index, threshold=0.0, budget_pages=None, on="serial", progress=False)
        return found, [
            url for url in found.places.column("url").to_pylist() if url not in seen and truth[url] is not None
        ]

    found, order = ordered()
    print(f"  by the model of URLs: {shares(order, truth)}")
    picked = wanted_hosts(corpus)
    by_hand = [url for url in order if url.split("/")[2] in picked]
    chance.shuffle(by_hand)
    print(f"  hosts by hand ({len(picked)} of {len({url.split('/')[2] for url in order})}): {shares(by_hand, truth)}")
    print(f"  random: {shares(chance.sample(order, len(order)), truth)}")
    import pyarrow.compute as pc

    from corpuskit.discovery import fetch

    top = found.places.filter(pc.is_in(found.places.column("url"), discover_index.pa.array(order[:1000])))
    print(f"  {fetch(corpus._folder, found, places=top, on='processes', workers=2, progress=False)!r}")
    corpus.train_urls(found)
    seen |= set(order[:1000])
    print(f"  of the rest, before: {shares([url for url in order if url not in seen], truth)}")
    print(f"  of the rest, the model of URLs trained again: {shares(ordered()[1], truth)}")
    corpus.close()


def wanted_hosts(corpus):
    """Hosts a person would pick: most of their labels say relevant."""
    frame = corpus.documents()
    labelled = frame[frame["label"].isin(["relevant", "other"])]
    share = (labelled["label"] == "relevant").groupby(labelled["host"]).mean()
    return set(share.index[share >= 0.5])


def shares(order, truth):
    found = [truth[url] == "relevant" for url in order]
    return ", ".join(f"{np.mean(found[:n]):.3f} relevant of the first {min(n, len(found)):,}" for n in (1000, 3000))


def answer(corpus, analyst, batch):
    labels = {row.doc_id: analyst.label(row.uri, audit=False) or "unsure" for row in batch.itertuples()}
    if labels:
        corpus.set_labels(labels, by="analyst")


def main():
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--data", type=Path, required=True, nargs="+", help="webs, or folders of pages; the first has the gold"
    )
    options.add_argument("--index", type=Path, help="keep the index here")
    options.add_argument("--rows", type=int, default=20_000_000)
    options.add_argument("--partitions", type=int, default=300)
    options.add_argument("--real", type=int, default=20_000, help="rows with a record behind them")
    options.add_argument("--fetch", type=int, default=2_000, help="pages to fetch")
    options.add_argument("--harvest", action="store_true")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="discover-") as folder, contextlib.suppress(KeyboardInterrupt):
        (harvest if chosen.harvest else scale)(chosen, Path(folder))


if __name__ == "__main__":
    main()
