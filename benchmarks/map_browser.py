"""The map in JupyterLab and chromium: first paint, labels of a lasso, and what a killed kernel leaves.

    uv run python benchmarks/map_browser.py [--documents 100000] [--chosen 1000] [--runs 5]

The corpus has that many documents in its catalogue, and points and topics that are drawn at random, so that the widget alone is
measured; its cell builds the widget from the corpus each time. A lasso of 1,000 documents is drawn with the mouse and labelled by a
key; the time runs from the key to the acknowledgement, which comes when the labels are synced. Then the kernel is killed (SIGKILL),
and the labels on the disk are counted from the corpus as another process opens it.

Of jupyter-scatter, where it is installed, the same points are timed until they are drawn:

    uv run --with jupyter-scatter python benchmarks/map_browser.py --peer
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
import jupyter_harness as harness

SETUP = """
import numpy as np, pandas as pd
import corpuskit as ck
from corpuskit.store.catalog import now
from corpuskit.features.vectors.widgets.map import DocumentMap
corpus, N = ck.open({folder!r}), {n}
folder, random = corpus._folder, np.random.default_rng(0)
rows = [(f"{{i:016x}}", f"http://host{{i % 50}}.example/{{i}}", f"host{{i % 50}}.example", f"Document {{i}}", now(), f"{{i}}", str(i), i) for i in range(N)]
with folder.catalog.transaction() as connection:
    connection.executemany(
        "INSERT INTO documents (doc_id, version, uri, host, title, media_type, lang, words, main_words, elements, fetched, status, "
        "path, original, content_hash, text_hash) VALUES (?, 1, ?, ?, ?, 'text/html', 'en', 100, 100, 1, ?, 'extracted', ?, '', ?, ?)", rows)
topic = random.integers(0, 60, N)
centres = random.normal(size=(60, 2)) * 6
xy = (centres[topic] + random.normal(size=(N, 2))).astype("float32")
points = pd.DataFrame({{"doc_id": [row[0] for row in rows], "x": xy[:, 0], "y": xy[:, 1], "topic": pd.array(topic, dtype="Int32")}})
regions = pd.DataFrame({{"topic": range(72), "name": [f"topic {{i}}" for i in range(72)], "level": [1] * 60 + [0] * 12,
    "parent": pd.array([60 + i % 12 for i in range(60)] + [None] * 12, dtype="Int32"), "words": "some words"}})
scatter = points.assign(topic=pd.Categorical(topic.astype(str)))
"""
OURS = "view = DocumentMap(corpus._folder, lambda: (points, regions), by='me'); view"
PEER = "import jscatter; jscatter.Scatter(data=scatter, x='x', y='y', color_by='topic', height=480).show()"
# Until points are seen. Of the peer, a canvas of two dimensions, pixels are read back; ours says when WebGL has finished, and two
# frames are waited for then.
RUN = """async ([cell, isOurs]) => {
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = cell;
    notebook.deselectAll();
    await jupyterapp.commands.execute('notebook:clear-cell-output');
    await new Promise((resolve) => setTimeout(resolve, 500));
    const start = performance.now();
    const done = jupyterapp.commands.execute('notebook:run-cell');
    const page = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const isDrawn = () => [...document.querySelectorAll('.jp-OutputArea canvas')].some((canvas) => {
        if (isOurs) return Boolean(canvas.closest('.ck-map')?.dataset.painted);
        if (canvas.width < 200) return false;
        Object.assign(page.canvas, { width: canvas.width, height: canvas.height });
        page.drawImage(canvas, 0, 0);
        const data = page.getImageData(0, 0, canvas.width, canvas.height).data;
        let different = 0;
        for (let i = 0; i < data.length; i += 4) different += data[i + 3] > 0 && (data[i] !== data[0] || data[i + 1] !== data[1] || data[i + 3] !== data[3]);
        return different > 1000;
    });
    while (!isDrawn()) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (performance.now() - start > 60000) throw new Error('nothing was drawn');
    }
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const end = performance.now();
    await done;
    return end - start;
}"""
COUNT = "import sys, corpuskit; print(len(corpuskit.open(sys.argv[1]).labels().query('not superseded')))"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--chosen", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peer", action="store_true", help="time jupyter-scatter too")
    chosen = parser.parse_args()
    root = Path(tempfile.mkdtemp())
    with harness.jupyterlab(root) as (base, token), harness.chromium() as browser:
        cells = [SETUP.format(folder=str(root / "corpus"), n=chosen.documents), OURS, PEER]
        harness.write_notebook(root / "nb" / "map.ipynb", *cells)
        page = browser.new_page()
        opened = harness.Notebook(page, base, token, "map.ipynb").open().run(0, seconds=600)
        for name, cell in [("ours", 1), ("jupyter-scatter", 2)][: 1 + chosen.peer]:
            times = [page.evaluate(RUN, [cell, cell == 1]) for _ in range(chosen.runs + 1)][
                1:
            ]  # the first loads the module
            told = f"median {statistics.median(times):6.0f} ms, slowest of {chosen.runs} {max(times):6.0f} ms"
            print(f"{name}: {chosen.documents:,} points drawn after the cell runs: {told}", flush=True)
        if chosen.peer:
            page.evaluate(RUN, [1, True])
        label(opened, page, root, chosen)
    return 0


def label(opened, page, root, chosen):
    """Lassos that grow until they have enough documents; the last is labelled."""
    widget = opened.output(1).locator(".ck-map")
    surface = widget.locator(".ck-surface")
    surface.scroll_into_view_if_needed()
    box = surface.bounding_box()
    low, high = 0.0, 0.5
    for _ in range(14):
        half = (low + high) / 2
        lasso(page, box, half)
        count = int(widget.get_attribute("data-chosen"))
        low, high = (low, half) if count > chosen.chosen else (half, high)
        if abs(count - chosen.chosen) < 0.03 * chosen.chosen:
            break
    surface.focus()
    times = []
    for turn in range(chosen.runs):
        page.keyboard.press("ro"[turn % 2])
        page.wait_for_function("() => document.querySelector('.ck-map').dataset.unsaved === '0'")
        times.append(page.evaluate("() => document.querySelector('.ck-map').acknowledged.at(-1)"))
    told = f"median {statistics.median(times):6.0f} ms, slowest of {len(times)} {max(times):6.0f} ms"
    print(f"lasso of {count:,} labelled and acknowledged: {told}", flush=True)
    opened.page.evaluate(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({ code: 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)' })"
    )
    page.wait_for_timeout(1_000)
    found = int(subprocess.check_output([sys.executable, "-c", COUNT, str(root / "corpus")], text=True))
    print(f"kernel killed afterwards: {found:,} labels of {count:,} are there, {count - found:,} lost")


def lasso(page, box, half):
    """A square around the middle, drawn with the mouse."""
    x, y, size = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, half * box["height"]
    page.keyboard.down("Shift")
    page.mouse.move(x - size, y - size)
    page.mouse.down()
    for dx, dy in ((1, -1), (1, 1), (-1, 1), (-1, -0.95)):
        page.mouse.move(x + dx * size, y + dy * size, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    page.wait_for_timeout(300)


if __name__ == "__main__":
    sys.exit(main())
