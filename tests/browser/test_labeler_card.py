"""The card of the labeller, its tree, skipping and learning; and the audit by single keys, in a browser."""

import re

PAGE = """<!DOCTYPE html><title>Rates</title><h1>Our rates</h1><p>All of ours &lt;img src=x onerror=alert(1)&gt; for a year.</p>
<h2>Loans</h2><ul><li>House<ul><li>Old</li></ul></li><li>Car</li></ul>
<table><tr><th>Kind</th><th colspan=2>Rate</th></tr><tr><td rowspan=2>House</td><td>3</td><td>4</td></tr><tr><td>5</td><td>6</td></tr></table>"""
SETUP = """
import tempfile
from pathlib import Path
import corpuskit as ck
folder = Path(tempfile.mkdtemp())
(folder / "a.html").write_text({page!r})
(folder / "z.txt").write_text("Long\\n\\n" + "very long text of many words. " * 400)
for i in range(30):
    topic = "insurance premium claim" if i % 2 else "garden flower tomato"
    (folder / f"d{{i:02}}.txt").write_text(f"Text {{i}}\\n\\nAbout {{topic}} number {{i}}. " + "word " * 20)
corpus = ck.open(folder / "corpus")
corpus.add(folder / "*.html", folder / "*.txt", progress=False)
docs = corpus.documents().sort_values("uri")
"""
CODE = SETUP.format(page=PAGE)


def labeler(opened, cell=1):
    found = opened.output(cell).locator(".ck-labeler")
    found.locator(".ck-card h3").first.wait_for()
    found.locator(".ck-card").click(position={"x": 200, "y": 10})
    return found


def test_the_card_has_headings_lists_and_tables_and_no_html_of_the_document(notebook):
    question = (
        "Is this document about insurance for households, for homes, their contents or the people in them, not firms?"
    )
    opened = notebook(CODE, f"corpus.label(docs, by='me', question={question!r})").run()
    card = labeler(opened).locator(".ck-card")
    assert [one.inner_text() for one in card.locator("h3, h4").all()][-1] == "Loans"
    assert card.locator("ul > li").count() == 3
    assert card.locator("ul ul > li").inner_text() == "Old"
    cells = card.locator("table tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => [cell.tagName, cell.textContent, cell.rowSpan, cell.colSpan]))"
    )
    assert cells == [
        [["TH", "Kind", 1, 1], ["TH", "Rate", 1, 2]],
        [["TD", "House", 2, 1], ["TD", "3", 1, 1], ["TD", "4", 1, 1]],
        [["TD", "5", 1, 1], ["TD", "6", 1, 1]],
    ]
    assert card.locator("img").count() == 0
    assert "<img src=x onerror=alert(1)>" in card.inner_text()
    # The question is whole, and the place in the selection is told.
    asked = opened.output(1).locator(".ck-question")
    assert asked.inner_text() == question
    assert asked.evaluate("element => element.scrollWidth <= element.clientWidth")
    assert opened.output(1).locator(".ck-place").inner_text() == "1 of 32"


def test_what_the_card_leaves_out_is_opened(notebook):
    opened = notebook(CODE, "corpus.label(docs.tail(1), by='me')").run()
    card = labeler(opened).locator(".ck-card")
    more = card.get_by_role("button", name=re.compile("more characters"))
    before = len(card.inner_text())
    left = int(more.inner_text().split()[0].replace(",", ""))
    more.click()
    more.wait_for(state="detached")
    assert len(card.inner_text()) > before + left - 50
    opened.press("j")
    opened.eventually("len(corpus.labels()) == 1")


def test_o_opens_the_tree_in_the_place_of_the_card_and_keys_label_nothing_there(notebook):
    opened = notebook(CODE, "corpus.label(docs, by='me')").run()
    found = labeler(opened)
    opened.press("o")
    found.locator(".ck-tree .ck-row").first.wait_for()
    assert found.locator(".ck-card").is_hidden()
    opened.press("ArrowDown", "j", "f")
    found.get_by_role("button", name="Back to the card").click()
    assert found.locator(".ck-card").is_visible()
    assert found.locator(".ck-tree").is_hidden()
    opened.press("f")
    opened.eventually("corpus.labels().label.tolist() == ['other']")


def test_a_skipped_document_comes_back_with_undo_and_gets_no_label(notebook):
    opened = notebook(CODE, "corpus.label(docs, by='me')").run()
    found = labeler(opened)
    first = found.get_attribute("data-id")
    opened.press("s")
    second = found.get_attribute("data-id")
    assert second != first
    opened.press("u")
    assert found.get_attribute("data-id") == first
    opened.press("s", "j")
    opened.eventually("len(corpus.labels()) == 1")
    assert opened.python("print(corpus.labels().target[0])") == second


def test_after_ten_labels_the_model_has_learnt_and_the_card_that_is_read_stays(notebook):
    opened = notebook(CODE, "corpus.label(by='me')").run()
    found = labeler(opened)
    for _ in range(10):
        text, shown = found.locator(".ck-card").inner_text(), found.get_attribute("data-id")
        opened.press("j" if "insurance" in text else "f")
        opened.page.wait_for_function("id => document.querySelector('.ck-labeler').dataset.id !== id", arg=shown)
    read = found.get_attribute("data-id")
    found.get_by_text("The model has learnt from 10 labels", exact=False).wait_for(timeout=90_000)
    assert found.get_attribute("data-id") == read
    opened.press("p", "f")
    found.locator(".ck-why").get_by_text("P(relevant) = 0.", exact=False).wait_for()


AUDIT = """
labels = {row.doc_id: "relevant" if int(row.uri[-6:-4]) % 2 else "other" for row in docs[docs.uri.str.contains("d[0-9]+[.]txt")].head(8).itertuples()}
corpus.set_labels(labels, by="me")
corpus.train()
"""


def test_an_audit_is_done_with_keys_and_ends_with_its_claim(notebook, keep):
    opened = notebook(CODE + AUDIT, "corpus.audit(precision=0.8).label(by='me')").run()
    found = labeler(opened)
    assert "P(relevant)" not in found.inner_text()
    assert found.locator("mark").count() == 0
    assert "0 of at most" in found.locator(".ck-audit").inner_text()
    for _ in range(40):
        text, shown = found.locator(".ck-card").inner_text(), found.get_attribute("data-id")
        if "The audit is over" in text:
            break
        opened.press("j" if "insurance" in text else "f")
        opened.page.wait_for_function(
            "id => { const d = document.querySelector('.ck-labeler').dataset; return d.unsaved === '0' && d.id !== id"
            " && (d.id || /audit is over/.test(document.querySelector('.ck-card').textContent)) }",
            arg=shown,
        )
    found.get_by_text("At least 80% of the documents", exact=False).wait_for()
    found.locator(".ck-card").get_by_text("relevant documents are missed", exact=False).wait_for()
    for theme in ("Dark", "Light"):
        opened.theme(f"JupyterLab {theme}")
        keep(found, f"audit-claim-{theme.lower()}")
    assert opened.python("print(corpus.model().threshold is not None)") == "True"


def test_axe_finds_nothing_serious_in_the_audit(notebook):
    opened = notebook(CODE + AUDIT, "corpus.audit().label(by='me')").run()
    labeler(opened)
    opened.press("j")
    assert opened.violations(".ck-labeler") == []
