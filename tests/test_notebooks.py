"""The notebooks run from a clean kernel, top to bottom, and are kept tidy."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))
FAST = {"01_collect", "02_inspect"}  # a crawl; widgets, charts and frames


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem not in FAST else []) for path in NOTEBOOKS],
)
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_runs_from_a_clean_kernel(path, tmp_path):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=550, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert len(outputs) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_tidy(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert len(cells) <= 25
    assert cells[0]["cell_type"] == cells[-1]["cell_type"] == "markdown"
    assert "?" in "".join(cells[0]["source"]).splitlines()[0]
    assert "What next on your own data" in "".join(cells[-1]["source"])
    assert "__" not in "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


def test_what_a_newcomer_looks_for_is_in_a_notebook():
    text = "".join(path.read_text("utf-8") for path in NOTEBOOKS)
    names = ".dashboard() .browse() .keywords( .collocates( .dispersion( .ngrams( .audit() seeds= .preprocess("
    assert [name for name in names.split() if name not in text] == []
