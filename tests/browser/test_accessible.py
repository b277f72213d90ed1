"""axe-core finds nothing of any level in a widget (explorer and map: in their own tests); the browser by keyboard."""

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
    "concordance": "corpus.concordance('orbit|soil').view()",
    "labeler": "corpus.label(by='me')",
    "dashboard": (
        "web = demo.start_demo_web()\n"
        "crawl = corpuskit.open('axe-web').crawl(demo.seeds(), pages=5, **demo.crawl_options(web.proxy))\n"
        "crawl.wait(progress=False)\n"
        "crawl.dashboard()"
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_axe_finds_nothing_in_a_widget(notebook, name):
    opened = notebook(CORPUS, SHOWN[name]).run(seconds=100)
    opened.output(1).locator(f".ck-{name}").first.wait_for()
    found = []
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        opened.theme(theme)
        found += [(theme, *one) for one in opened.violations(f".ck-{name}")]
    opened.theme("JupyterLab Light")
    assert found == []


def test_enter_opens_the_tree_in_view_with_the_keyboard(notebook):
    opened = notebook(CORPUS, SHOWN["browser"]).run(seconds=100)
    listed = opened.output(1).locator("[role=listbox]")
    listed.locator("[role=option]", has_text="rocket3").click()
    opened.press("Enter")
    tree = opened.output(1).locator("[role=tree]")
    tree.wait_for()
    opened.page.wait_for_function("() => document.activeElement?.getAttribute('role') === 'tree'")
    box, height = tree.bounding_box(), opened.page.viewport_size["height"]
    assert 0 <= box["y"] < height
    assert box["y"] + min(box["height"], 40) <= height


def test_a_head_sorts_words_filter_and_keys_label(notebook):
    opened = notebook(CORPUS, SHOWN["browser"]).run(seconds=100)
    widget = opened.output(1)
    rows = widget.locator("[role=option]")
    rows.filter(has_text="garden0").wait_for()  # the first list is there
    widget.get_by_label("Words in the text").fill("orbit")
    widget.get_by_label("Words in the text").press("Enter")
    widget.get_by_text("5 of 10 documents").wait_for()
    widget.get_by_role("button", name="words", exact=True).click()
    widget.get_by_role("button", name="words, sorted falling").wait_for()
    rows.first.filter(has_text="rocket4").wait_for()
    rows.first.click()
    opened.press("j")
    rows.first.filter(has_text="relevant").wait_for()
    assert opened.python("print(corpus.labels().label.tolist())") == "['relevant']"


def test_no_word_of_the_dashboard_breaks_at_900_pixels_and_nothing_scrolls_sideways(notebook):
    opened = notebook(CORPUS, SHOWN["dashboard"]).run(seconds=100)
    opened.page.set_viewport_size({"width": 900, "height": 900})
    dashboard = opened.output(1).locator(".ck-dashboard")
    dashboard.wait_for()
    assert dashboard.evaluate("element => element.scrollWidth <= element.clientWidth")
    lines = """button => {
        const range = document.createRange();
        range.selectNodeContents(button);
        return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size;
    }"""
    for one in dashboard.locator("button:visible").all():
        assert one.evaluate(lines) == 1, one.inner_text()
