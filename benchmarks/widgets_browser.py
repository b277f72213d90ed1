"""Widgets in JupyterLab and chromium: p95 of first paint, find, keys and acknowledgements, beside a static page.

    uv run python benchmarks/widgets_browser.py [--runs 20] [--only learning] [--documents 20000]

The last part labels a corpus of 20,000 documents while the model learns from every ten labels in the background.

The static page is the same rows as HTML in the same notebook, 100 of them; first paint of a tree of 100 to 100,000 elements is
told as a ratio to it.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
import jupyter_harness as harness

SETUP = """
from html import escape
from IPython.display import HTML
from corpuskit.document import DocumentBuilder
def big(n):
    builder = DocumentBuilder(f"{n} elements")
    for start in range(0, n, 100):
        builder.start_section(f"Section {start}")
        for i in range(min(99, n - start - 1)):
            builder.add_text_block(f"Paragraph {i} of the section that begins at {start}: " + "some words of text " * 5)
        builder.end_section()
    return builder.build()
docs = {n: big(n) for n in (100, 1_000, 10_000, 100_000)}
page = "<div class='static'>" + "".join(f"<p>{escape(text)}</p>" for text in docs[100].table.text) + "</div>"
"""
CORPUS = """
import tempfile
from pathlib import Path
import corpuskit as ck
folder = Path(tempfile.mkdtemp())
for i in range(300):
    (folder / f"doc{i:03}.txt").write_text(f"Document {i}\\n\\n" + f"Insurance premium number {i}. " * 200)
corpus = ck.open(folder / "corpus")
corpus.add(folder / "*.txt", progress=False)
docs = corpus.documents()
"""
LARGE = """
import random, tempfile
from pathlib import Path
import corpuskit as ck
from corpuskit.document import DocumentBuilder
from corpuskit.store.catalog import now
from corpuskit.store.documents import write_document
corpus = ck.open(Path(tempfile.mkdtemp()) / "corpus")
folder, draw, N = corpus._folder, random.Random(0), {n}
common = [f"word{{i}}" for i in range(4_000)]
topics = [[f"insurance{{i}}" for i in range(300)], [f"garden{{i}}" for i in range(300)]]
rows = []
for i in range(N):  # written as extraction would: ten times as fast
    words = draw.choices(common, k=80) + draw.choices(topics[i % 10 != 0], k=20)
    draw.shuffle(words)
    builder = DocumentBuilder(f"Document {{i}}", uri=f"http://host{{i % 50}}.example/{{i}}")
    builder.add_text_block(" ".join(words))
    write_document(folder.documents, f"host{{i % 50}}.example/{{i}}", builder.build())
    rows.append((f"{{i:016x}}", f"http://host{{i % 50}}.example/{{i}}", f"host{{i % 50}}.example", f"Document {{i}}", now(),
                 f"host{{i % 50}}.example/{{i}}", str(i), i))
with folder.catalog.transaction() as connection:
    connection.executemany(
        "INSERT INTO documents (doc_id, version, uri, host, title, media_type, lang, words, main_words, elements, fetched, status, "
        "path, original, content_hash, text_hash) VALUES (?, 1, ?, ?, ?, 'text/html', 'en', 100, 100, 1, ?, 'extracted', ?, '', ?, ?)",
        rows)
docs = corpus.documents().sort_values("doc_id")
corpus.set_labels({{d: "relevant" if i % 10 == 0 else "other" for i, d in enumerate(docs.doc_id.head(100))}}, by="me")
corpus.train()
"""
RUN = """async ([cell, selector, painted]) => {
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = cell;
    notebook.deselectAll();
    await jupyterapp.commands.execute('notebook:clear-cell-output');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const start = performance.now();
    const done = jupyterapp.commands.execute('notebook:run-cell');
    while (!document.querySelector(selector)) await new Promise((resolve) => setTimeout(resolve, 1));
    if (!painted) await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const element = document.querySelector(selector);
    const end = painted ? Number(element.dataset.painted) : performance.now();
    await done;
    return end - start;
}"""
FIND = """async () => {
    const root = document.querySelector('.ck-tree'), input = root.querySelector('input');
    delete root.dataset.hits;
    input.value = `begins at ${100 * Math.floor(1000 * Math.random())}:`;
    const start = performance.now();
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    while (root.dataset.hits === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return performance.now() - start;
}"""
KEY = """async ([key, which]) => {
    const root = document.querySelectorAll('.ck-labeler')[which], before = root.dataset.id;
    const start = performance.now();
    root.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    if (root.dataset.id === before) throw new Error('no next card');
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const next = performance.now() - start;
    while (root.dataset.unsaved !== '0') await new Promise((resolve) => setTimeout(resolve, 1));
    return [next, root.acknowledged.at(-1)];
}"""


def p95(values):
    return statistics.quantiles(values, n=20, method="inclusive")[18]


def told(name, values, base=None):
    ratio = f"  {p95(values) / base:5.2f} x static" if base else ""
    print(f"{name:34} median {statistics.median(values):7.1f} ms  p95 {p95(values):7.1f} ms{ratio}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", choices=["widgets", "learning"])
    parser.add_argument("--documents", type=int, default=20_000)
    chosen = parser.parse_args()
    if chosen.only != "learning":
        widgets(chosen.runs)
    if chosen.only != "widgets":
        learning(10 * chosen.runs, chosen.documents)
    return 0


def learning(keys, documents):
    """Keys without learning and with it, in turn: a machine that is busy with other things slows both."""
    root = Path(tempfile.mkdtemp())
    with harness.jupyterlab(root) as (base, token), harness.chromium() as browser:
        cells = [LARGE.format(n=documents), "corpus.label(docs.tail(2000), by='me')", "corpus.label(by='me')"]
        harness.write_notebook(root / "nb" / "large.ipynb", *cells)
        page = browser.new_page()
        opened = harness.Notebook(page, base, token, "large.ipynb").open(600).run(seconds=3_000)
        opened.output(2).locator(".ck-card h3").wait_for(timeout=120_000)
        pairs = {False: [], True: []}
        learnt = "() => Number(document.querySelectorAll('.ck-labeler')[1].dataset.learnt ?? 0)"
        last, trainings, turn = 0, 0, 0
        while (turn < keys or trainings < 3) and turn < 20 * keys:
            for is_learning, found in pairs.items():
                found.append(page.evaluate(KEY, ["jf"[turn % 10 != 0], int(is_learning)]))
                page.wait_for_timeout(150)
            turn, now = turn + 1, page.evaluate(learnt)
            trainings, last = trainings + (now != last), now
        print(
            f"{documents:,} documents, {turn} keys each; {trainings} trainings came meanwhile, the last from {last} labels"
        )
        for is_learning, name in ((False, "no learning"), (True, "learning")):
            told(f"{name}: key to next card", [pair[0] for pair in pairs[is_learning]])
            told(f"{name}: key to acknowledgement", [pair[1] for pair in pairs[is_learning]])


def widgets(runs):
    root = Path(tempfile.mkdtemp())
    with harness.jupyterlab(root) as (base, token), harness.chromium() as browser:
        sizes = (100, 1_000, 10_000, 100_000)
        cells = [SETUP, "HTML(page)", *(f"docs[{n}].view()" for n in sizes)]
        harness.write_notebook(root / "nb" / "tree.ipynb", *cells)
        page = browser.new_page()
        opened = harness.Notebook(page, base, token, "tree.ipynb").open().run(0)
        clear = "(cell) => { const n = jupyterapp.shell.currentWidget.content; n.activeCellIndex = cell; return jupyterapp.commands.execute('notebook:clear-cell-output') }"
        times = {cell: [] for cell in range(1, 6)}
        for turn in range(runs + 1):
            for cell, found in times.items():
                selector, painted = (".static", False) if cell == 1 else (".ck-tree[data-painted]", True)
                taken = page.evaluate(RUN, [cell, selector, painted])
                if turn:  # the first one loads the module
                    found.append(taken)
                if turn < runs or cell < 5:
                    page.evaluate(clear, cell)
        static = p95(times[1])
        told("static page, 100 elements", times[1])
        for cell, size in enumerate(sizes, 2):
            told(f"tree, first paint, {size:,} elements", times[cell], static)
        told("find in 100,000 elements", [page.evaluate(FIND) for _ in range(runs)])
        page.close()
        harness.write_notebook(root / "nb" / "label.ipynb", CORPUS, "corpus.label(docs)")
        page = browser.new_page()
        opened = harness.Notebook(page, base, token, "label.ipynb").open().run(seconds=120)
        opened.output(1).locator(".ck-card h3").wait_for()
        pairs = []
        for turn in range(5 * runs):
            pairs.append(page.evaluate(KEY, ["jf"[turn % 2], 0]))
            page.wait_for_timeout(60)
        told("key to next card", [pair[0] for pair in pairs])
        told("key to acknowledgement", [pair[1] for pair in pairs])


if __name__ == "__main__":
    sys.exit(main())
