"""All that is to be looked at shows itself in a kernel that has imported nothing else: HTML or a picture, and a line of text."""

import json
import subprocess
import sys

import pytest

SHOWN = """
import json, sys
import corpuskit
from corpuskit import demo
from IPython.core.formatters import DisplayFormatter
from corpuskit.widgets.shell import Box, Widget

corpus = corpuskit.open(sys.argv[1])
page = corpus.documents().doc_id[0]
[pdf] = corpus.documents().query("media_type == 'application/pdf'").doc_id[:1]
with demo.serve_demo_web() as proxy:
    crawl = corpuskit.open(sys.argv[2]).crawl(demo.seeds(), pages=3, **demo.crawl_options(proxy))
    crawl.wait(progress=False)
shown = {
    "relevance_report.chart": corpus.relevance_report().chart(),
    "compare": corpus.compare(),
    "compare.chart": corpus.compare().chart(),
    "frequency.chart": corpus.frequency("insurance", by="host").chart(),
    "topics.chart": corpus.topics().chart(),
    "label": corpus.label(by="me"),
    "audit.label": corpus.audit().label(by="me"),
    "browse": corpus.browse(),
    "view": corpus.view(page),
    "document": corpus[page],
    "document.view": corpus[page].view(),
    "page": corpus.page(pdf, 1),
    "concordance": corpus.concordance("insurance"),
    "concordance.view": corpus.concordance("insurance").view(),
    "explore": corpus.explore("insurance"),
    "map": corpus.map(),
    "dashboard": crawl.dashboard(),
}
assert "matplotlib.pyplot" not in sys.modules
kinds = {name: sorted(DisplayFormatter().format(one)[0]) for name, one in shown.items()}
texts = {name: repr(one)[:200] for name, one in shown.items()}

def beneath(kind):
    for one in kind.__subclasses__():
        yield one
        yield from beneath(one)

def parts(one):
    yield type(one).__name__
    for child in getattr(one, "children", ()):
        yield from parts(child)

seen = {name for one in shown.values() for name in parts(one)}
unseen = {one.__name__ for kind in (Box, Widget) for one in beneath(kind)} - seen
print(json.dumps([kinds, texts, sorted(unseen)]))
"""


@pytest.mark.slow
def test_every_chart_and_widget_shows_itself_in_a_bare_kernel(demo_folder, tmp_path):
    import shutil

    copy = shutil.copytree(demo_folder, tmp_path / "demo", ignore=shutil.ignore_patterns("exports"))
    command = [sys.executable, "-c", SHOWN, str(copy), str(tmp_path / "crawled")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    kinds, texts, unseen = json.loads(done.stdout.splitlines()[-1])
    assert {name: found for name, found in kinds.items() if not {"image/png", "text/html"} & set(found)} == {}
    assert {name: text for name, text in texts.items() if not text or " object at 0x" in text} == {}
    assert set(unseen) <= {"Cards"}  # what labeller and audit have in common
