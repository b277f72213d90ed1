"""axe-core finds nothing of any level in a widget (others: in their own tests); the browser by keyboard."""

import pytest

CORPUS = """
import pathlib, corpuskit
from corpuskit import demo
pathlib.Path("axe").mkdir(exist_ok=True)
for subject, text in {"garden": "tomato soil flower rain", "rocket": "orbit moon launch engine"}.items():
    for i in range(5):
        words = f"{text} {subject}{i} " * (i + 1)
        pathlib.Path(f"axe/{subject}{i}.txt").write_text(f"{subject} {words}", "utf-8")
corpus = corpuskit.open("axe-corpus")
corpus.add("axe", progress=False)
"""
SHOWN = {
    "browser": "corpus.browse()",
    "tree": "corpus.view('rocket3.txt')",
    "labeler": "corpus.label(by='me')",
    "dashboard": (
        "web = demo.start_demo_web()\n"
        "crawl = corpus.crawl(demo.seeds(), pages=5, **demo.crawl_options(web.proxy))\n"
        "crawl.wait(progress=False)\n"
        "crawl.dashboard()"
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_axe_finds_nothing_in_a_widget(notebook, name):
    from axe_playwright_python.sync_playwright import Axe

    opened = notebook(CORPUS, SHOWN[name]).run(seconds=100)
    opened.output(1).locator(f".ck-{name}").first.wait_for()
    found = []
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        opened.theme(theme)
        for one in Axe().run(opened.page, context=f".ck-{name}").response["violations"]:
            found.append((theme, one["id"], one["impact"], [node["html"][:150] for node in one["nodes"][:2]]))
    opened.theme("JupyterLab Light")
    assert found == []


def test_enter_opens_the_tree_in_view_with_the_keyboard(notebook):
    opened = notebook(CORPUS, SHOWN["browser"]).run(seconds=100)
    listed = opened.output(1).locator("[role=listbox]")
    listed.locator("[role=option]", has_text="rocket3").click()
    opened.page.keyboard.press("Enter")
    tree = opened.output(1).locator("[role=tree]")
    tree.wait_for()
    opened.page.wait_for_function("() => document.activeElement?.getAttribute('role') === 'tree'")
    box, height = tree.bounding_box(), opened.page.viewport_size["height"]
    assert 0 <= box["y"] < height
    assert box["y"] + min(box["height"], 40) <= height
