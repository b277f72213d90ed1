"""Every widget on the demo corpus, light and dark: contrast is measured, and pictures are kept where wanted."""

import pytest

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

SETUP = """
import corpuskit as ck
from corpuskit import demo
corpus = ck.open({folder!r})
model = corpus.model()
web = demo.serve_demo_web()
proxy = web.__enter__()
docs = corpus.documents()
page = docs[docs.uri.str.contains("riverside") & docs.uri.str.endswith("home-cover.html")].doc_id.iloc[0]
pdf = docs[docs.media_type == "application/pdf"].doc_id.iloc[0]
"""
CELLS = {
    "tree": "tree = corpus.view(page); tree.reveal(12); tree",
    "tree-of-a-pdf": "paper = corpus.view(pdf); paper.reveal(2); paper",
    "concordance": r"corpus.concordance(r'insur\w*', sort='1R').view()",
    "explorer": r"corpus.explore(r'insur\w*')",
    "browser": "corpus.browse()",
    "map": "corpus.map(by='me')",
    "labeller": "corpus.label(by='me')",
    "audit": "corpus.audit().label(by='me')",
    "dashboard": "crawl = corpus.crawl(resume=True, steer=model, pages=60, **(demo.crawl_options(proxy) | {'delay': 0.3})); crawl.dashboard()",
}
# WCAG 2.1, relative luminance and contrast ratio; the ground is that of the nearest ancestor that has one.
CONTRAST = """(root) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const parse = (css) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
    const light = (c) => { const v = [c[0], c[1], c[2]].map((x) => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
    const low = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest(':disabled')) continue;
        let ground = element;
        while (ground && parse(getComputedStyle(ground).backgroundColor)[3] < 250) ground = ground.parentElement;
        const [a, b] = [light(parse(getComputedStyle(element).color)), light(parse(ground ? getComputedStyle(ground).backgroundColor : '#fff'))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${element.className} ${walker.currentNode.data.slice(0, 30)}`);
    }
    return low;
}"""


def test_every_widget_can_be_read_in_light_and_dark(notebook, keep, copy_demo):
    folder = str(copy_demo("insurance"))
    opened = notebook(SETUP.format(folder=folder), *CELLS.values()).run(seconds=120)
    low = {}
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        opened.theme(theme)
        for position, name in enumerate(CELLS, 1):
            widget = opened.output(position).locator(".ck").first
            widget.scroll_into_view_if_needed()
            prepare(opened, widget, name)
            keep(widget, f"{name}-{theme.rpartition(' ')[2].lower()}")
            if found := widget.evaluate(CONTRAST):
                low[f"{name}, {theme}"] = found
    opened.theme("JupyterLab Light")
    assert not low, low


def prepare(opened, widget, name):
    """Brings a widget into the state in which it says most."""
    if name == "tree-of-a-pdf":
        widget.locator(".ck-row").nth(2).click()
        opened.press("s")
        widget.locator(".ck-sheet img").wait_for()
    if name == "concordance":
        widget.locator(".ck-list").evaluate("list => { list.scrollTop = 26 * 30; }")
        opened.page.wait_for_function("!document.querySelector('.ck-concordance .ck-list .ck-line:empty')")
    if name == "explorer":
        widget.get_by_role("tab", name="Collocates").click()
        widget.locator(".ck-number").first.wait_for()
    if name == "map":
        opened.page.wait_for_function("document.querySelector('.ck-map').dataset.painted")
        widget.locator(".ck-surface").focus()
        opened.press("Enter")
        widget.get_by_role("region", name="Document").get_by_role("heading").wait_for()
    if name == "labeller":
        widget.click(position={"x": 300, "y": 200})
        opened.press(*"jfj")
        if widget.locator(".ck-history").is_hidden():
            opened.press("h")
    opened.page.wait_for_timeout(100)
