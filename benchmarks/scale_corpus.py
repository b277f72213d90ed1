"""A corpus of 100,000 documents and 5 million elements: opening, frames, adding, reading beside a writer, checking.

    python benchmarks/scale_corpus.py --data DIR [--documents 100000]

DIR is where the generated corpus goes (and is found again). Prints each figure with its peer's of the same run, and the ratio.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import random
import sqlite3
import sys
import threading
import time
from pathlib import Path

import corpuskit
from corpuskit import engine
from corpuskit.document import from_nlptext
from corpuskit.document.marks import dump_marks
from corpuskit.ingest import document_id
from corpuskit.store import CorpusFolder

BLOCKS = 50
WORDS = [
    "premium",
    "policy",
    "insurer",
    "claim",
    "damage",
    "contract",
    "liability",
    "cover",
    "risk",
    "annual",
    "rate",
    "clause",
    "notice",
    "term",
    "party",
]


def build(path: Path, count: int) -> None:
    """Documents as add would leave them: text, marks, an original, a row."""
    folder = CorpusFolder(path)
    rng = random.Random(0)
    paragraphs = [" ".join(rng.choices(WORDS, k=rng.randrange(8, 40))) for _ in range(5000)]
    original = b"<html><p>generated</p></html>"
    (folder.originals.path / "page.html.d").mkdir(parents=True)
    (folder.originals.path / "page.html.d" / "page.html").write_bytes(original)
    digest, rows, marks = hashlib.sha256(original).hexdigest(), [], b""
    for number in range(count):
        uri = f"http://host{number % 500}.example/section/{number}"
        blocks = [f"{rng.choice(paragraphs)} {number} {i}" for i in range(BLOCKS - 1)]
        text = (f"## NLPTextDocument Title Document {number}\n## NLPTextDocument Uri {uri}\n"
                "## NLPTextDocument Timestamp 2026-01-02T03:04:05+00:00\n## 1 Section Start Terms\n"
                + "\n".join(blocks) + "\n## 1 Section End <<Terms>>\n").encode()  # fmt: skip
        if not marks:
            marks = dump_marks(from_nlptext(text, strict=True).table)
        place = f"host{number % 500}.example/section/{number}"
        file = folder.documents.path / f"{place}.nlp.txt"
        if number < 500:
            file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
        file.with_name(f"{number}.marks.json.zst").write_bytes(marks)
        rows.append(
            (
                document_id(uri),
                uri,
                f"host{number % 500}.example",
                f"Document {number}",
                1200,
                1200,
                BLOCKS,
                place,
                digest,
                number,
            )
        )
    with folder.catalog.transaction() as connection:
        connection.executemany(
            "INSERT INTO documents (doc_id, version, uri, host, title, media_type, lang, words, main_words, elements, timestamp, fetched, "
            "status, path, original, content_hash, text_hash) VALUES (?, 1, ?, ?, ?, 'text/html', 'en', ?, ?, ?, "
            "'2026-01-02T03:04:05+00:00', '2026-01-02T03:04:05+00:00', 'extracted', ?, 'page.html.d/page.html', ?, ?)",
            rows,
        )
        connection.executemany("INSERT INTO scores VALUES (?, '1', 0.5, 'unknown')", [(row[0],) for row in rows])
    folder.close()


def best(function, times=5):
    found = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        found.append(time.perf_counter() - start)
    return min(found)


def line(name: str, ours: float, peer: float, what: str, bar: float) -> None:
    print(
        f"{name:32} {ours * 1000:9.1f} ms  {what} {peer * 1000:9.1f} ms  ratio {ours / peer:6.2f}  (bar {bar:g})",
        flush=True,
    )


def connect_and_count(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path / "catalog.sqlite")) as connection:
        return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])


def beside_a_writer(path: Path, seconds: float) -> tuple[int, int, int]:
    """Reads and failures of a reader while another thread labels and adds."""
    stop, writes = threading.Event(), [0]

    def write() -> None:
        corpus = corpuskit.open(path)
        while not stop.is_set():
            corpus.set_labels({f"http://x.example/{writes[0]}": "relevant"}, by="bench", kind="url")
            writes[0] += 1
        corpus.close()

    thread = threading.Thread(target=write)
    thread.start()
    reader, reads, failures = corpuskit.open(path), 0, 0
    # Those that were generated: pages that were added have other numbers of elements.
    generated = "SELECT doc_id FROM documents WHERE uri LIKE 'http://host%' ORDER BY doc_id LIMIT 2000"
    doc_ids = [row[0] for row in reader._folder.catalog.rows(generated)]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            assert len(reader[doc_ids[reads % len(doc_ids)]]) == BLOCKS
        except Exception as error:
            failures += 1
            print(f"a read failed: {error!r}", flush=True)
        reads += 1
    stop.set()
    thread.join()
    reader.close()
    return reads, failures, writes[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument(
        "--without-elements", action="store_true", help="leaves out the cache of elements: many minutes"
    )
    options = parser.parse_args()
    path = options.data / f"scale-{options.documents}"
    if not path.exists():
        start = time.monotonic()
        build(path, options.documents)
        print(f"built {options.documents:,} documents in {time.monotonic() - start:.0f} s")

    def reopen() -> None:
        corpuskit.open(path).close()

    reopen()
    line("open", best(reopen), best(lambda: connect_and_count(path)), "sqlite3.connect + count", 20)

    import pyarrow.parquet as pq

    corpus = corpuskit.open(path)
    frame = corpus.documents()
    copy = options.data / "documents.parquet"
    frame.to_parquet(copy)
    peer = best(lambda: pq.read_table(copy).to_pandas())
    line("documents(), first of a process", first_of_a_process(path), peer, "pyarrow read + to_pandas", 2)
    changed = min(best(lambda: after_a_change(corpus), 1) for _ in range(3))
    print(
        f"documents(), after a change      {changed * 1000:9.1f} ms  (all rows are read from the catalogue once)",
        flush=True,
    )
    line("documents(), again", best(corpus.documents), peer, "pyarrow read + to_pandas", 2)
    if not options.without_elements:
        start = time.monotonic()
        elements = corpus.elements(text=False)
        print(
            f"elements(text=False): {len(elements):,} rows, {time.monotonic() - start:.1f} s with what the cache lacked",
            flush=True,
        )

    pages = options.data / "pages"
    pages.mkdir(exist_ok=True)
    html = (
        "<html><head><title>T{0}</title></head><body><h1>T</h1>"
        + "<p>The text of a page with some words {0}.</p>" * 150
    )
    for i in range(12):
        (pages / f"{time.time_ns()}-{i}.html").write_text(html.replace("{0}", str(time.time_ns())))
    files = sorted(pages.glob("*.html"))[-12:]
    corpus.add(files[0], progress=False)  # starts the worker
    extraction = min(best(lambda f=f: engine.call(corpuskit.extract, str(f)), 1) for f in files[:6])
    adding = min(best(lambda f=f: corpus.add(f, progress=False), 1) for f in files[1:])
    line("adding one document", adding, extraction, "its extraction, in a worker", 2)
    reads, failures, writes = beside_a_writer(path, 5)
    print(f"beside a writer: {reads:,} reads, {failures} failures, {writes:,} labels written meanwhile", flush=True)
    start = time.monotonic()
    problems = corpus.check()
    print(f"check: {time.monotonic() - start:.0f} s, {len(problems)} problems (bar 120 s)", flush=True)
    corpus.close()


def after_a_change(corpus: corpuskit.Corpus) -> None:
    corpus._folder.catalog.connection.execute("UPDATE documents SET title = title WHERE rowid = 1")
    corpus.documents()


def first_of_a_process(path: Path) -> float:
    """Seconds of the first call on a corpus opened anew, imports aside."""
    found = []
    for _ in range(3):
        corpus = corpuskit.open(path)
        found.append(best(corpus.documents, 1))
        corpus.close()
    return min(found)


if __name__ == "__main__":
    sys.exit(main())
