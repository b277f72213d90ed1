"""The map in a browser: by mouse and by keys alone, light and dark, narrow and wide, with hostile texts and without WebGL."""

import json

import pytest
from jupyter_harness import too_wide

SETUP = """
import tempfile
from pathlib import Path
import numpy as np, pandas as pd
import corpuskit as ck
from corpuskit.features.vectors.widgets.map import DocumentMap
HOSTILE = '<img src=x onerror=window.hurt=1> <script>window.hurt=2</script>'
folder = Path(tempfile.mkdtemp())
for i in range({n}):
    words = "insurance premium claim" if i % 2 else "garden flower tomato"
    title = f"Page {{i:03}} " + (HOSTILE.replace('<', '&lt;') if i % 7 == 0 else words)
    (folder / f"d{{i:03}}.html").write_text(f"<title>{{title}}</title><h1>Page {{i}}</h1><p>About {{words}} number {{i}}. " + HOSTILE.replace('<', '&lt;') + "</p>")
corpus = ck.open({where})
corpus.add(folder / "d*.html", progress=False) if {n} else None
def source():
    docs = corpus.documents().sort_values("title")
    i = np.arange(len(docs))
    points = pd.DataFrame({{"doc_id": docs.doc_id.tolist(), "x": np.where(i % 2, 1.0, -1.0) + 0.2 * np.sin(i), "y": 0.5 * np.cos(i * 1.7)}})
    points["topic"] = pd.array(np.where(i % 2, 2 + (i > 20), 4), dtype="Int32")
    regions = pd.DataFrame({{"topic": [0, 1, 2, 3, 4], "name": ["insurance " + HOSTILE, "garden", "premium", "claim", "tomato"],
        "level": [0, 0, 1, 1, 1], "parent": pd.array([None, None, 0, 0, 1], dtype="Int32"), "words": HOSTILE}})
    return points, regions
def similar(ids):
    return corpus.documents().sort_values("title").head(5)
view = DocumentMap(corpus._folder, {source}, by="me", similar=similar)
"""
NEW = 'folder / "corpus"'
HURT = "() => [window.hurt ?? null, document.querySelectorAll('.ck img:not([hidden]), .ck script, .ck iframe').length]"
SAVED = "() => { const d = document.querySelector('.ck-map').dataset; return d.unsaved === '0' && d.given !== '0' }"


def ready(opened, cell=1):
    widget = opened.output(cell).locator(".ck-map")
    widget.scroll_into_view_if_needed()
    opened.page.wait_for_function("() => document.querySelector('.ck-map').dataset.painted")
    return widget


def make(notebook, *more, n=40, where=NEW, source="source"):
    return notebook(SETUP.format(n=n, where=where, source=source), "view", "'kept'", *more)


def wait(opened, name, value):
    opened.page.wait_for_function(f"() => document.querySelector('.ck-map').dataset.{name} === '{value}'")


def lasso(opened, widget, corners, *, add=False):
    """Draws a line through corners, given as shares of the map, with Shift and the mouse."""
    box = widget.locator(".ck-surface").bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    opened.page.keyboard.down("Shift")
    if add:
        opened.page.keyboard.down("Control")
    opened.page.mouse.move(*places[0])
    opened.page.mouse.down()
    for place in places[1:]:
        opened.page.mouse.move(*place, steps=5)
    opened.page.mouse.up()
    if add:
        opened.page.keyboard.up("Control")
    opened.page.keyboard.up("Shift")


LEFT = [(0.01, 0.02), (0.48, 0.02), (0.48, 0.98), (0.01, 0.98), (0.01, 0.05)]
RIGHT = [(0.52, 0.02), (0.99, 0.02), (0.99, 0.98), (0.52, 0.98), (0.52, 0.05)]


def test_a_lasso_chooses_labels_and_takes_back_and_titles_stay_text(notebook):
    opened = make(notebook).run()
    widget = ready(opened)
    lasso(opened, widget, LEFT)
    wait(opened, "chosen", 20)
    opened.eventually("view.selection.title.str.contains('garden|img').all() and len(view.selection) == 20")
    lasso(opened, widget, RIGHT, add=True)
    wait(opened, "chosen", 40)
    lasso(opened, widget, RIGHT)
    wait(opened, "chosen", 20)
    widget.locator(".ck-surface").focus()
    opened.press("r")
    opened.page.wait_for_function(SAVED)
    widget.get_by_text("20 documents are labelled relevant").wait_for()
    opened.eventually("corpus.documents().label.eq('relevant').sum() == 20")
    assert opened.python("print(set(corpus.labels().note), set(corpus.labels().by))") == "{'map'} {'me'}"
    opened.press("z")
    opened.eventually("corpus.documents().label.isna().all()")
    opened.press("a", "x", "b", "d", "d", "c")
    assert opened.cells == 3
    assert opened.sources[2] == "'kept'"
    assert opened.page.evaluate(HURT) == [None, 0]


def test_everything_goes_by_keys_alone(notebook):
    opened = make(notebook).run()
    widget = ready(opened)
    regions = widget.get_by_role("listbox", name="Regions")
    regions.focus()
    opened.press("ArrowDown", "ArrowDown", "Space")
    wait(opened, "chosen", 10)
    opened.press("ArrowDown", "Space")
    wait(opened, "chosen", 20)
    assert regions.get_by_role("option", selected=True).count() == 3  # two fine ones, and with them their coarse one
    opened.press("Enter")
    widget.get_by_text("10 documents. Space chooses them.").wait_for()
    opened.press("o")
    opened.eventually("corpus.documents().label.eq('other').sum() == 20")
    widget.locator(".ck-surface").focus()
    opened.press("Escape")
    wait(opened, "chosen", 0)
    # Where the last Enter went: nearer until a part is seen, and that part is chosen.
    opened.press("+", "+", "v")
    opened.page.wait_for_function("() => Number(document.querySelector('.ck-map').dataset.chosen) > 0")
    opened.press("0", "v")
    wait(opened, "chosen", 40)
    opened.press("ArrowRight", "ArrowRight", "ArrowRight", "v")
    opened.page.wait_for_function("() => Number(document.querySelector('.ck-map').dataset.chosen) < 40")
    opened.press("0", "Enter")
    about = widget.get_by_role("region", name="Document")
    about.get_by_role("heading").wait_for()
    opened.press("t")
    opened.output(1).locator(".ck-tree [role=treeitem]").first.wait_for()
    opened.press("m")
    wait(opened, "hits", 5)
    opened.press("Escape", "/")
    opened.page.keyboard.type("tomato")
    opened.press("Enter")
    wait(opened, "hits", 20)
    widget.get_by_role("tab", name="Regions").focus()
    opened.press("ArrowRight")
    widget.get_by_role("tabpanel", name="Documents").get_by_text("Page 001").wait_for()
    opened.press("Tab", "ArrowDown", "ArrowDown", "Enter")
    about.get_by_text("Page 001").wait_for()
    widget.locator(".ck-surface").focus()
    opened.press("?")
    widget.get_by_role("dialog").wait_for()


def test_a_document_that_is_shown_is_labelled_and_what_is_lit_up_is_chosen_by_keys(notebook):
    opened = make(notebook).run()
    widget = ready(opened)
    widget.locator(".ck-surface").focus()
    opened.press("r")
    widget.get_by_text("Nothing is chosen").wait_for()
    opened.press("Enter")
    about = widget.get_by_role("region", name="Document")
    about.get_by_role("heading").wait_for()
    shown = about.get_by_role("heading").inner_text()
    opened.press("r")
    widget.get_by_text("1 document is labelled relevant; z takes it back.").wait_for()
    opened.eventually(f"corpus.documents().query('label == \"relevant\"').title.tolist() == [{shown!r}]")
    opened.press("z")
    widget.get_by_text("1 label was taken back.").wait_for()
    opened.press("c")
    widget.get_by_text("Nothing is lit up").wait_for()
    opened.press("/")
    opened.page.keyboard.type("tomato")
    opened.press("Enter")
    wait(opened, "hits", 20)
    widget.locator(".ck-surface").focus()
    opened.press("c")
    wait(opened, "chosen", 20)
    opened.press("m")
    widget.get_by_text("5 documents like these are lit up; c chooses them.").wait_for()
    opened.press("n")
    widget.get_by_text("5 documents like these are lit up; c chooses them.").wait_for()
    opened.press("c")
    wait(opened, "chosen", 5)
    opened.press("o")
    opened.eventually("corpus.documents().label.eq('other').sum() == 5")


def test_the_tree_of_a_document_comes_into_the_window_and_the_title_at_a_point_goes_when_the_map_moves(notebook):
    opened = make(notebook).run()
    widget = ready(opened)
    box = widget.locator(".ck-surface").bounding_box()
    x, y = _first_place(opened)
    half = 0.9 * min(box["width"] / 2.0, box["height"] / _span(opened))
    opened.page.mouse.move(box["x"] + box["width"] / 2 + x * half, box["y"] + box["height"] / 2 - y * half)
    widget.locator(".ck-tip:visible").wait_for()
    widget.locator(".ck-surface").focus()
    opened.press("+")
    widget.locator(".ck-tip").wait_for(state="hidden")
    opened.press("0", "Enter")
    widget.get_by_role("region", name="Document").get_by_role("heading").wait_for()
    opened.press("t")
    tree = opened.output(1).locator(".ck-tree")
    tree.locator("[role=treeitem]").first.wait_for()
    opened.page.wait_for_function(
        "() => { const box = document.querySelector('.ck-tree').getBoundingClientRect(); return box.bottom <= innerHeight && box.top >= 0; }"
    )


def test_a_click_tells_of_a_document_and_the_legend_lights_up_its_colour(notebook):
    opened = make(notebook).run()
    widget = ready(opened)
    box = widget.locator(".ck-surface").bounding_box()
    x, y = _first_place(opened)
    half = 0.9 * min(box["width"] / 2.0, box["height"] / _span(opened))
    opened.page.mouse.click(box["x"] + box["width"] / 2 + x * half, box["y"] + box["height"] / 2 - y * half)
    about = widget.get_by_role("region", name="Document")
    about.get_by_role("heading").wait_for()
    assert "Page 000" in about.inner_text()
    assert "<img src=x onerror=window.hurt=1>" in about.inner_text()
    widget.get_by_label("Colour by").select_option("source")
    widget.get_by_role("list", name="Legend").get_by_text("files").wait_for()
    widget.get_by_label("Colour by").select_option("topic")
    garden = widget.get_by_role("list", name="Legend").get_by_role("button", name="garden")
    garden.click()
    assert garden.get_attribute("aria-pressed") == "true"
    assert opened.page.evaluate(HURT) == [None, 0]


FAR = """
def far():
    points, regions = source()
    points.loc[0, "x"] = 60.0
    return points, regions
"""


def test_one_document_far_off_does_not_make_the_others_small(notebook):
    setup = SETUP.format(n=40, where=NEW, source="source").replace("def similar(", FAR + "def similar(")
    opened = notebook(setup.replace("corpus._folder, source", "corpus._folder, far"), "view").run()
    widget = ready(opened)
    widget.locator(".ck-surface").focus()
    opened.press("v")
    wait(opened, "chosen", 39)
    opened.press("0", "v")
    wait(opened, "chosen", 40)


def _first_place(opened):
    return json.loads(
        opened.python("import json; print(json.dumps(np.frombuffer(view.points.places, '<f4')[:2].tolist()))")
    )


def _span(opened):
    """How high the map is in its own units, of which it is two wide."""
    return float(opened.python("xy = np.frombuffer(view.points.places, '<f4').reshape(-1, 2); print(np.ptp(xy[:, 1]))"))


@pytest.mark.spoils_page
def test_a_killed_kernel_loses_no_acknowledged_group(notebook, tmp_path):
    opened = make(notebook, where=repr(str(tmp_path / "corpus"))).run()
    widget = ready(opened)
    lasso(opened, widget, LEFT)
    wait(opened, "chosen", 20)
    widget.locator(".ck-surface").focus()
    opened.press("o")
    opened.page.wait_for_function(SAVED)
    opened.page.evaluate(
        """async () => {
            const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
            const died = new Promise((resolve) => kernel.statusChanged.connect((_, status) => { if (/restarting|dead/.test(status)) resolve(); }));
            kernel.requestExecute({ code: 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)' });
            await died;
        }"""
    )
    import corpuskit

    with corpuskit.open(tmp_path / "corpus") as corpus:
        assert corpus.documents().label.eq("other").sum() == 20


def test_more_like_these_by_a_key_in_the_labeller_and_in_the_browser(notebook):
    opened = notebook(
        SETUP.format(n=30, where=NEW, source="source"),
        "labeler = corpus.label(by='me'); labeler",
        "docs = corpus.browse(); docs",
    ).run()
    labeler = opened.output(1).locator(".ck-labeler")
    labeler.locator(".ck-card h3").first.wait_for()
    labeler.click(position={"x": 200, "y": 150})
    opened.press("m")
    labeler.get_by_text("documents like it come next.").wait_for()
    first = labeler.get_attribute("data-id")
    like = opened.python(f"print(corpus.similar({first!r}, n=1).doc_id[0])")
    opened.press("j")
    assert labeler.get_attribute("data-id") == like
    labeler.get_by_text("it is like one that you wanted more of").wait_for()
    rows = opened.output(2).locator(".ck-browser")
    rows.locator(".ck-line").first.click()
    opened.output(2).locator(".ck-tree").wait_for()
    rows.locator(".ck-list").focus()
    opened.press("m")
    opened.eventually("docs.rows.code.startswith('docs = corpus.vectors.similar(') and len(docs.found) > 3")
    opened.press("Escape")
    opened.eventually("len(docs.found) == 30")


def test_documents_that_come_appear_and_what_was_chosen_stays(notebook):
    opened = make(notebook).run()
    widget = ready(opened)
    lasso(opened, widget, LEFT)
    wait(opened, "chosen", 20)
    opened.python(
        "(folder / 'd900.html').write_text('<title>Page 900</title><p>New.</p>'); corpus.add(folder / 'd900.html', progress=False)"
    )
    widget.get_by_text("1 document came.").wait_for()
    wait(opened, "points", 41)
    assert widget.get_attribute("data-chosen") == "20"


@pytest.mark.parametrize("n", [0, 1])
def test_an_empty_corpus_and_one_document_are_shown_as_they_are(notebook, n):
    opened = make(
        notebook, n=n, source="lambda: (pd.DataFrame({'doc_id': corpus.documents().doc_id, 'x': 0.0, 'y': 0.0}), None)"
    ).run()
    widget = opened.output(1).locator(".ck-map")
    widget.get_by_text("1 document" if n else "0 documents", exact=True).wait_for()
    widget.locator(".ck-surface").focus()
    opened.press("+", "0", "v", "r", "z", "Enter", "m", "t")
    if n:
        opened.eventually("corpus.labels().label.tolist() == ['relevant', 'withdrawn']")
    else:
        widget.get_by_text("The corpus has no documents yet").wait_for()


@pytest.mark.spoils_page
def test_without_webgl_there_is_the_picture_and_the_lists_do_the_rest(notebook):
    opened = make(notebook)
    opened.page.evaluate(
        "() => { const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return /webgl/.test(kind) ? null : get.call(this, kind, ...more); }; }"
    )
    opened.run()
    widget = opened.output(1).locator(".ck-map")
    widget.locator(".ck-still").wait_for()
    widget.get_by_text("WebGL2 is missing").wait_for()
    opened.page.wait_for_function("() => document.querySelector('.ck-map .ck-still').naturalWidth === 720")
    widget.get_by_role("listbox", name="Regions").focus()
    opened.press("ArrowDown", "Space", "u")
    opened.eventually("corpus.documents().label.eq('unsure').sum() == 20")


# WCAG 2.1, contrast of texts with the ground of the nearest ancestor that has one: as in test_pictures.
@pytest.mark.parametrize("width", [1280, 900])
def test_nothing_is_wider_than_the_page_and_axe_finds_nothing(notebook, keep, width):
    opened = make(notebook)
    opened.page.set_viewport_size({"width": width, "height": 900})
    opened.run()
    widget = ready(opened)
    lasso(opened, widget, LEFT)
    wait(opened, "chosen", 20)
    wide, found = [], []
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        opened.theme(theme)
        for tab in ("Regions", "Chosen"):
            widget.get_by_role("tab", name=tab).click()
            widget.locator(".ck-surface").focus()
            opened.press("Enter")
            widget.get_by_role("region", name="Document").get_by_role("heading").wait_for()
            keep(widget, f"map-{tab}-{width}-{theme.rpartition(' ')[2].lower()}")
            wide += [(tab, one) for one in too_wide(widget)]
            found += [(tab, theme, *one) for one in opened.violations(".ck-map")]
    opened.theme("JupyterLab Light")
    assert wide == []
    assert found == []
