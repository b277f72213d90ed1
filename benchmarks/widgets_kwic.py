"""Concordance of a corpus of 10 million words: the first 100 lines, all lines, a plain Python scan beside them.

In the widget, from the page's request to the first lines that it is sent, of 200 words at random.

    uv run python benchmarks/widgets_kwic.py [--words 10000000]

Also the memory of elements() with and without text on the same corpus.
"""

import argparse
import re
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from corpuskit.corpus import Corpus
from corpuskit.document import DocumentBuilder
from corpuskit.store.documents import write_document
from corpuskit.store.element_cache import element_table

_WORDS_A_DOCUMENT = 5_000
_WORDS_AN_ELEMENT = 40


def build(folder, words):
    """A corpus of words whose frequencies follow Zipf's law; w3 is frequent, w30000 rare."""
    corpus = Corpus(folder)
    random = np.random.default_rng(0)
    names = np.array([f"w{i}" for i in range(50_000)])
    weights = 1.0 / np.arange(1, len(names) + 1)
    documents = words // _WORDS_A_DOCUMENT
    rows = []
    for number in range(documents):
        drawn = names[random.choice(len(names), _WORDS_A_DOCUMENT, p=weights / weights.sum())]
        uri = f"http://bench.example/{number}"
        builder = DocumentBuilder(f"Document {number}", uri)
        for start in range(0, len(drawn), _WORDS_AN_ELEMENT):
            builder.add_text_block(" ".join(drawn[start : start + _WORDS_AN_ELEMENT]))
        path = f"bench/{number // 500:04}/{number:06}"
        write_document(corpus._folder.documents, path, builder.build())
        rows.append((f"{number:016x}", uri, path))
    with corpus._folder.catalog.transaction() as connection:
        connection.executemany(
            "INSERT INTO documents (doc_id, version, uri, host, media_type, lang, words, main_words, elements, fetched, "
            "status, path, original, content_hash) VALUES (?, 1, ?, 'bench.example', 'text/html', 'en', 1, 1, 1, "
            "'2026-01-01T00:00:00+00:00', 'extracted', ?, '', '')",
            rows,
        )
    return corpus


def timed(act, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        act()
        times.append(1000 * (time.perf_counter() - start))
    return times


def first_lines_in_the_widget(corpus, words):
    """Milliseconds from a request of the page to the state that names the first lines, and to their text."""
    lines = corpus.explore("w3").tabs
    sent = []
    lines.send = lambda message, buffers=(): sent.append(message)
    times = []
    for word in words:
        came = threading.Event()
        seen = lines.state[0]

        def changed(change, seen=seen, came=came):
            generation, count, done = change["new"][:3]
            if generation > seen and (count or done):  # a search that has begun has no lines yet
                came.set()

        lines.observe(changed, "state")
        start = time.perf_counter()
        lines._on_search({"query": word})
        came.wait()
        lines._on_rows({"generation": lines.state[0], "start": 0, "end": 40})
        times.append(1000 * (time.perf_counter() - start))
        lines.unobserve_all("state")
        while not lines.state[2]:  # the rest of the lines, before the next word
            time.sleep(0.001)
    assert len(sent) == len(words)
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=10_000_000)
    words = parser.parse_args().words
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        corpus = build(Path(folder) / "corpus", words)
        texts = element_table(corpus._folder, columns=["text"]).column("text").to_pylist()
        print(f"{words:,} words, {len(texts):,} elements; made in {time.perf_counter() - start:.0f} s")
        corpus.documents()  # a notebook has loaded pandas long ago
        (first,) = timed(lambda: corpus.kwic(r"\bw5\b", limit=100), 1)
        print(f"the first call of a process, which loads what it needs: {first:.0f} ms")
        for name, pattern in (("frequent", r"\bw3\b"), ("1 in 100,000", r"\bw8000\b"), ("none", r"\bnowhere\b")):
            times = timed(lambda pattern=pattern: corpus.kwic(pattern, limit=100), 10)
            p95 = statistics.quantiles(times, n=20, method="inclusive")[18]
            compiled = re.compile(pattern, re.IGNORECASE)
            (plain,) = timed(lambda compiled=compiled: sum(1 for text in texts for _ in compiled.finditer(text)), 1)
            (whole,) = timed(lambda pattern=pattern: corpus.kwic(pattern), 1)
            print(
                f"{name:14} first 100 lines: median {statistics.median(times):6.0f} ms, p95 {p95:6.0f} ms; all lines "
                f"{whole:6.0f} ms; plain Python over texts in memory {plain:6.0f} ms"
            )
        texts.clear()
        some = [f"w{number}" for number in np.random.default_rng(1).choice(50_000, 200, replace=False)]
        times = first_lines_in_the_widget(corpus, ["w0", "w1", "w2", *some])
        print(
            f"widget, first lines of {len(times)} words: median {statistics.median(times):.0f} ms, "
            f"p95 {statistics.quantiles(times, n=20, method='inclusive')[18]:.0f} ms"
        )
        sizes = [corpus.elements(text=text).memory_usage(deep=True).sum() / 1e6 for text in (True, False)]
        print(f"elements(): {sizes[0]:,.0f} MB with text, {sizes[1]:,.0f} MB without: {sizes[1] / sizes[0]:.2f} of it")
        corpus.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
