SETUP = """
import tempfile
from pathlib import Path
import corpuskit as ck
folder = Path(tempfile.mkdtemp())
for i in range(30):
    lines = [f"Line {j} of text {i}: the premium of policy {(7 * j + i) % 50:02} is due" for j in range(20)]
    (folder / f"doc{i:02}.txt").write_text(chr(10).join([f"Text {i}", "", *(line + chr(10) for line in lines)]))
corpus = ck.open(folder / "corpus")
corpus.add(folder / "*.txt", progress=False)
"""


def test_lines_and_documents_are_found_sorted_and_lead_to_the_tree(notebook):
    opened = notebook(
        SETUP, "view = corpus.concordance('premium').view(); view", "'kept'", "documents = corpus.browse(); documents"
    ).run()
    widget = opened.output(1).locator(".ck-concordance")
    widget.get_by_text("600 lines in 30 documents").wait_for()
    widget.get_by_label("Sort by").select_option("0")
    opened.page.wait_for_function(
        """() => {
            const left = [...document.querySelectorAll('.ck-concordance .ck-match')].map((one) => one.getBoundingClientRect().left);
            const { asked, answered } = document.querySelector('.ck-concordance').dataset;
            return Number(answered) > Number(asked) && left.length >= 5 && Math.max(...left) - Math.min(...left) < 2;
        }"""
    )
    widget.get_by_label("Sort by").select_option("1L 1R 2R")
    widget.locator(".ck-sort-3").first.wait_for()
    marked = [widget.locator(f".ck-line >> nth=0 >> .ck-sort-{number}").inner_text() for number in (1, 2, 3)]
    assert marked == ["the", "of", "policy"]
    widget.locator(".ck-list").focus()
    opened.press("ArrowDown", "ArrowDown", "a", "x", "b", "d", "d", "m", "Enter")
    tree = opened.output(1).locator(".ck-tree")
    tree.locator("[role=treeitem][aria-selected=true]").wait_for()
    opened.eventually("'premium' in view.tree.selected_element.text")
    widget.get_by_label("Pattern").fill("policy 4[0-9]")
    widget.get_by_label("Pattern").press("Enter")
    widget.get_by_text("118 lines in 30 documents").wait_for()
    widget.get_by_label("Pattern").fill("a(")
    widget.get_by_label("Pattern").press("Enter")
    widget.locator(".ck-wrong").get_by_text("missing )", exact=False).wait_for()
    assert opened.cells == 4
    assert opened.sources[2] == "'kept'"
    filters_and_shows_the_query_as_code(opened)


def filters_and_shows_the_query_as_code(opened):
    widget = opened.output(3).locator(".ck-browser")
    widget.get_by_text("30 of 30 documents").wait_for()
    widget.get_by_label("Text in title or address").fill("doc1")
    widget.get_by_text("10 of 30 documents").wait_for()
    code = widget.locator("code").inner_text()
    same = "docs.doc_id.tolist() == documents.found.doc_id.tolist()"
    assert opened.python(f"{code}; print(len(docs), {same})") == "10 True"
    widget.locator(".ck-list").focus()
    opened.press("ArrowDown", "a", "x", "b", "d", "d", "Enter")
    opened.output(3).locator(".ck-tree [role=treeitem]").first.wait_for()
    assert opened.cells == 4


# Hidden for a frame while JupyterLab changes its style sheets, a list says that it is scrolled to 0.
THEMES = """async () => {
    const view = document.querySelector('.ck-concordance .ck-list'), missing = [];
    for (let round = 0; round < 8; round++) {
        view.scrollTop = 780;
        await new Promise((resolve) => setTimeout(resolve, 300));
        for (const theme of ['JupyterLab Dark', 'JupyterLab Light']) await jupyterapp.commands.execute('apputils:change-theme', { theme });
        await new Promise((resolve) => setTimeout(resolve, 500));
        for (let i = 30; i < 43; i++) if (!view.querySelector(`[data-i="${i}"]`)?.firstChild) missing.push(i);
        view.scrollTop = 0;
        await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return missing;
}"""


def test_a_scrolled_list_keeps_its_lines_when_the_theme_changes(notebook):
    opened = notebook(SETUP, "corpus.concordance('premium').view()").run()
    opened.output(1).locator(".ck-concordance").get_by_text("600 lines in 30 documents").wait_for()
    assert opened.page.evaluate(THEMES) == []
