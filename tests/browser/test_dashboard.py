from playwright.sync_api import expect

SETUP = """
import tempfile
from pathlib import Path
import corpuskit as ck
from corpuskit import demo
corpus = ck.open(Path(tempfile.mkdtemp()) / "insurance")
web = demo.serve_demo_web()
proxy = web.__enter__()
corpus.crawl(demo.seeds(), pages=40, **demo.crawl_options(proxy)).wait(progress=False)
corpus.import_labels(demo.demo_data() / "labels.csv", by="demo analyst")
model = corpus.train()
"""
CRAWL = """
options = demo.crawl_options(proxy) | {"delay": 0.4}
crawl = corpus.crawl(resume=True, steer=model, pages=60, **options)
crawl.dashboard()
"""


def test_a_crawl_is_shown_paused_steered_and_stopped(notebook):
    opened = notebook(SETUP, CRAWL, "'kept'").run(seconds=100)
    dashboard = opened.output(1).locator(".ck-dashboard")
    dashboard.wait_for()
    opened.page.wait_for_function(
        "() => Number(document.querySelector('.ck-dashboard .ck-figures dd').textContent) >= 3", timeout=30_000
    )
    dashboard.click(position={"x": 300, "y": 60})
    opened.press("a", "x", "b", "z", "m", "c", "d", "d", "p")
    dashboard.get_by_text("Paused").wait_for()
    assert opened.python("print(repr(crawl)[:12])") == "Crawl paused"
    host = dashboard.locator("tbody tr td").first.inner_text()
    dashboard.get_by_label(f"Skip {host}").click()
    dashboard.get_by_text(f"skip {host}", exact=False).wait_for()
    assert opened.python(f"print((corpus.frontier('queued').host == {host!r}).sum())") == "0"
    expect(dashboard.locator("tbody tr td").first).not_to_have_text(host)
    dashboard.get_by_role("button", name="Resume").click()
    dashboard.get_by_role("button", name="Stop").click()
    dashboard.get_by_text("Ended: stopped by the user").wait_for()
    assert opened.cells == 3
    assert opened.sources[2] == "'kept'"
    # The harvest of a steered crawl is known, and the figures are those of the corpus.
    assert dashboard.locator(".ck-figures div").nth(2).inner_text() != "harvest rate\n–"
