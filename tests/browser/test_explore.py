"""The explorer and the concordance's tools in a browser: by keys alone, narrow and wide, light and dark, with hostile texts."""

import pytest
from jupyter_harness import too_wide

SETUP = """
import tempfile
from pathlib import Path
import corpuskit as ck
folder = Path(tempfile.mkdtemp())
for i in range(30):
    lines = [f"Line {j} of text {i}: the {'high' if j % 2 else 'low'} premium of policy {(7 * j + i) % 50:02} is due" for j in range(20)]
    (folder / f"doc{i:02}.txt").write_text((chr(10) * 2).join(lines))
(folder / "zz.txt").write_text("Nobody pays here. <img src=x onerror=window.hurt=1> <script>window.hurt=2</script> This premium <b>hurts</b> nobody at all.")
corpus = ck.open(folder / "corpus")
corpus.add(folder / "*.txt", progress=False)
docs = corpus.documents()
corpus.save_subcorpus('<img src=x onerror="window.hurt=3">', docs.doc_id[docs.uri.str.contains("doc0")])
"""
HURT = "() => [window.hurt ?? null, document.querySelectorAll('.ck img, .ck script, .ck iframe').length]"
TABS = ("Concordance", "Collocates", "Clusters", "Key words", "Plot", "Words")


def ready(opened, cell=1, text="601 lines in 31 documents"):
    widget = opened.output(cell).locator(".ck-explore")
    widget.get_by_text(text).wait_for()
    return widget


def test_the_explorer_goes_by_keys_from_tabs_to_lines_to_the_tree(notebook):
    opened = notebook(SETUP, "view = corpus.explore('premium'); view", "'kept'").run()
    widget = ready(opened)
    widget.locator(".ck-list").first.focus()
    opened.press("2")
    widget.get_by_role("tabpanel", name="Collocates").locator(".ck-number").first.wait_for()
    opened.press("ArrowDown", "Enter")
    widget.locator(".ck-chip").get_by_text("only with").wait_for()
    opened.eventually("view.tabs.only.startswith('only with')")
    opened.press("3")
    clusters = widget.get_by_role("tabpanel", name="Clusters")
    clusters.locator(".ck-line").get_by_text("premium of policy").first.wait_for()
    opened.press("ArrowDown", "Enter")
    opened.eventually("view.tabs.asked['query'].count('[lower==') == 3")
    assert widget.get_by_label("Pattern").input_value().count("[lower==") == 3
    opened.press("5")
    widget.get_by_role("tabpanel", name="Plot").locator(".ck-strokes path").first.wait_for()
    opened.press("End", "Enter")
    opened.eventually("view.tabs.only.startswith('only in')")
    opened.press("6")
    widget.get_by_role("tabpanel", name="Words").locator(".ck-line").get_by_text("premium").first.wait_for()
    opened.press("1", "ArrowDown", "Enter")
    opened.output(1).locator(".ck-tree [role=treeitem][aria-selected=true]").wait_for()
    widget.locator(".ck-list").first.focus()
    opened.press("a", "x", "b", "d", "d", "m")
    assert opened.cells == 3
    opened.press("/")
    opened.page.keyboard.type("low premium")
    opened.press("Enter")
    ready(opened, text="300 lines in 30 documents")
    assert opened.sources[2] == "'kept'"
    assert opened.page.evaluate(HURT) == [None, 0]


@pytest.mark.spoils_page
def test_lines_are_thinned_saved_copied_and_of_a_subcorpus(notebook):
    opened = notebook(SETUP, "view = corpus.concordance('premium').view(); view").run()
    widget = opened.output(1).locator(".ck-concordance")
    widget.get_by_text("601 lines in 31 documents").wait_for()
    widget.get_by_label("Sub-corpus").select_option(index=1)
    widget.get_by_text("200 lines in 10 documents").wait_for()
    widget.get_by_label("Thin to so many lines").fill("25")
    widget.get_by_label("Thin to so many lines").press("Tab")
    widget.get_by_text("25 of 200 at random, seed 0").wait_for()
    widget.get_by_role("button", name="Save").click()
    widget.get_by_role("button", name="Forget").wait_for()
    assert opened.python("print(corpus.queries()[['query', 'sample']].values.tolist())") == "[['premium', 25]]"
    with opened.page.expect_download() as found:
        widget.get_by_role("button", name="CSV").click()
    assert found.value.suggested_filename == "concordance.csv"
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    widget.get_by_role("button", name="Copy").click()
    widget.get_by_text("25 lines copied.").wait_for()
    copied = opened.page.evaluate("() => navigator.clipboard.readText()")
    assert len(copied.strip().splitlines()) == 26
    widget.get_by_label("Pattern").fill("nobody")
    widget.get_by_label("Thin to so many lines").fill("")
    widget.get_by_label("Sub-corpus").select_option(index=0)
    widget.get_by_text("2 lines in 1 document").wait_for()
    widget.get_by_label("Saved queries").select_option("premium")
    widget.get_by_text("25 of 200 at random, seed 0").wait_for()
    assert opened.page.evaluate(HURT) == [None, 0]


@pytest.mark.parametrize("width", [1280, 900])
def test_no_tab_scrolls_to_the_side_and_axe_finds_nothing(notebook, keep, width):
    opened = notebook(SETUP, "corpus.explore('high', sort='1L 1R 2R')")
    opened.page.set_viewport_size({"width": width, "height": 900})
    opened.run()
    widget = ready(opened, text="300 lines in 30 documents")
    wide, found = [], []
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        opened.theme(theme)
        for tab in TABS:
            widget.get_by_role("tab", name=tab, exact=True).click()
            widget.locator("[role=tabpanel]:visible .ck-line:not(:empty)").first.wait_for()
            keep(widget, f"explorer-{tab}-{width}-{theme.rpartition(' ')[2].lower()}".replace(" ", "-"))
            wide += [(tab, one) for one in too_wide(widget)]
            found += [(tab, theme, *one) for one in opened.violations(".ck-explore")]
    opened.theme("JupyterLab Light")
    assert wide == []
    assert found == []


TAGGED = (
    SETUP
    + """
tags = {"high": "ADJ", "low": "ADJ", "premium": "NOUN", "policy": "NOUN", "is": "AUX"}
corpus.annotate("pos", lambda words: [tags.get(word.lower(), "X") for word in words], progress=False)
"""
)


def test_with_parts_of_speech_there_is_a_word_sketch_whose_rows_lead_to_lines(notebook):
    opened = notebook(TAGGED, "view = corpus.explore('premium'); view").run()
    widget = ready(opened)
    widget.locator(".ck-list").first.focus()
    opened.press("7")
    sketch = widget.get_by_role("tabpanel", name="Word sketch")
    sketch.locator(".ck-line").get_by_text("high").first.wait_for()
    assert "adjective" in sketch.locator(".ck-line").first.inner_text()
    opened.press("ArrowDown", "Enter")
    opened.eventually("view.tabs.asked['query'].startswith('[')")
    widget.get_by_text("300 lines in 30 documents").wait_for()
    opened.page.wait_for_function(
        "() => [...document.querySelectorAll('.ck-explore .ck-line')].every((line) => line.textContent)"
    )
    assert opened.violations(".ck-explore") == []


def test_without_parts_of_speech_there_are_six_tabs(notebook):
    opened = notebook(SETUP, "corpus.explore('premium')").run()
    widget = ready(opened)
    assert widget.get_by_role("tab").all_inner_texts() == list(TABS)


def test_a_query_that_cannot_be_answered_takes_the_place_of_the_lines_before_it(notebook, keep):
    opened = notebook(SETUP, "view = corpus.explore('premium'); view").run()
    widget = ready(opened)
    lines = widget.get_by_role("tabpanel", name="Concordance").locator(".ck-line")
    field = widget.get_by_label("Pattern")
    for query, said in (("[word=", "it ends too early"), ('[lemma="go"]', 'corpus.annotate("lemma") adds it')):
        field.fill(query)
        field.press("Enter")
        widget.locator(".ck-wrong").get_by_text(said).wait_for()
        assert field.input_value() == query
        assert (lines.count(), widget.get_by_text("601 lines").count()) == (0, 0)
        keep(widget, f"explorer-wrong-{len(query)}")
    widget.get_by_role("tab", name="Collocates").click()
    widget.get_by_role("tabpanel", name="Collocates").wait_for()
    assert widget.locator(".ck-wrong").get_by_text("no attribute").first.is_visible()
    widget.get_by_role("tab", name="Concordance").click()
    field.fill("low")
    field.press("Enter")
    ready(opened, text="300 lines in 30 documents")
    assert widget.locator(".ck-wrong:visible").count() == 0
    lines.first.wait_for()
    field.fill("")
    field.press("Enter")
    opened.eventually("view.tabs.asked['query'] == ''")
    opened.page.wait_for_function("() => !document.querySelector('.ck-explore [role=tabpanel]:not([hidden]) .ck-line')")
    assert widget.get_by_text("300 lines").count() == 0


def test_a_list_that_is_cut_says_of_how_many_rows(notebook):
    cut = "import corpuskit.features.linguistics.widgets.explore as explore; explore._MAX_ROWS = 5; corpus.explore()"
    widget = notebook(SETUP, cut).run().output(1).locator(".ck-explore")
    widget.get_by_text("all words of the documents: the first 5 of").wait_for()
    assert widget.get_by_role("tabpanel", name="Words").locator(".ck-line").count() == 5
