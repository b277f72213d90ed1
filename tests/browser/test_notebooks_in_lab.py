"""The notebooks that come with corpuskit run in JupyterLab: no error in the console, no request to outside."""

import shutil
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_jupyterlab(harness, lab, page, path):
    root, base, token = lab
    shutil.copyfile(path, root / "nb" / path.name)
    opened = harness.Notebook(page, base, token, path.name).open()
    opened.run(seconds=60)
    # Widgets are drawn when they come into view.
    for widget in page.locator(".jp-OutputArea-output .jupyter-widgets").all():
        widget.scroll_into_view_if_needed()
    page.wait_for_timeout(100)
    wanted = {"02_inspect": ".ck-tree", "03_label": ".ck-labeler", "07_corpus_linguistics": ".ck-concordance"}
    if path.stem in wanted:
        page.locator(f"{wanted[path.stem]}:visible").first.wait_for()  # the browser hides a tree of its own
