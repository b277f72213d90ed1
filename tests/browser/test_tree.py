import pytest

BIG = """
from corpuskit.document import DocumentBuilder
def big(n):
    builder = DocumentBuilder(f"{n} elements")
    count = 0
    while count < n:
        builder.start_section(f"Section {count}")
        for i in range(min(99, n - count - 1)):
            builder.add_text_block(f"Paragraph {i} of the section that begins at {count}" + (" needle" if i == 50 else ""))
        count += 100
        builder.end_section()
    return builder.build()
"""
HOSTILE = """
from corpuskit.document import DocumentBuilder
bad = '<img src=x onerror="window.hurt=1"><script>window.hurt=2</script><a href="javascript:window.hurt=3">click</a>'
builder = DocumentBuilder(bad, bad)
builder.add_metadata("author" + bad.replace("=", ":"), bad)
builder.add_warning(bad)
builder.start_section(bad)
element = builder.add_text_block(bad)
builder.mark("role", element, bad)
builder.mark("locator", element, bad)
builder.mark("links", element, '[[0, 5, "javascript:window.hurt=4"]]')
builder.end_section()
doc = builder.build()
view = doc.view()
view
"""


@pytest.mark.parametrize("elements", [100, 100_000])
def test_a_tree_of_any_size_draws_only_what_is_seen(notebook, elements):
    opened = notebook(BIG + f"doc = big({elements})", "view = doc.view(); view").run()
    tree = opened.output(1).locator(".ck-tree")
    assert tree.locator("[role=treeitem]").first.inner_text().endswith("Section 0")
    assert tree.locator("[role=treeitem]").count() < 60


def test_keys_move_find_open_and_select_and_no_cell_comes_or_goes(notebook):
    opened = notebook(BIG + "doc = big(5000); view = doc.view(); view", "1 + 1").run(0)
    tree = opened.output(0).locator(".ck-tree")
    tree.locator(".ck-row").first.click()
    opened.press(
        "ArrowRight", "ArrowDown", "ArrowDown", "a", "b", "x", "d", "d", "z", "y", "Shift+M", "c", "v", "1", "0", "0"
    )
    assert opened.cells == 2
    assert opened.sources[1] == "1 + 1"
    opened.eventually("view.selected_element.text == 'Paragraph 2 of the section that begins at 0'")
    assert opened.python("print(view.selected)") == "3"
    opened.press("/")
    opened.page.keyboard.type("NEEDLE")
    opened.press("Enter")
    tree.get_by_text("1 / 50").wait_for()
    opened.press("Enter")
    tree.get_by_text("2 / 50").wait_for()
    opened.eventually("'needle' in view.selected_element.text")
    opened.python("view.reveal(4321)")
    chosen = tree.locator("[role=treeitem][aria-selected=true]")
    chosen.get_by_text("Paragraph 20 of the section that begins at 4300", exact=True).wait_for()
    assert chosen.get_attribute("aria-level") == "2"
    assert chosen.get_attribute("aria-posinset") == "21"
    assert chosen.get_attribute("aria-setsize") == "99"
    # Keys with Ctrl are the notebook's: this one saves it.
    assert opened.page.evaluate("() => jupyterapp.shell.currentWidget.context.model.dirty")
    opened.press("Control+s")
    opened.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")


@pytest.mark.spoils_page
def test_a_hostile_document_is_shown_as_text(notebook):
    opened = notebook(HOSTILE).run()
    tree = opened.output(0).locator(".ck-tree")
    tree.locator(".ck-row").nth(1).click()
    tree.locator(".ck-full").get_by_text("<script>window.hurt=2</script>", exact=False).wait_for()
    for key in "ps":
        opened.press(key)
        opened.page.wait_for_timeout(200)
    opened.press("p")
    tree.locator(".ck-facts").get_by_text('"javascript:window.hurt=4"', exact=False).wait_for()
    found = opened.page.evaluate(
        "() => [window.hurt ?? null, document.querySelectorAll('.ck img, .ck script, .ck a, .ck iframe').length]"
    )
    assert found == [None, 0]
