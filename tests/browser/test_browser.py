CORPUS = """
import pathlib, corpuskit
pathlib.Path("pages").mkdir(exist_ok=True)
for subject, text in {"garden": "tomato soil flower rain", "rocket": "orbit moon launch engine"}.items():
    for i in range(5):
        pathlib.Path(f"pages/{subject}{i}.txt").write_text(f"{subject} {text} {subject}{i}", "utf-8")
corpus = corpuskit.open("alike")
corpus.add("pages", progress=False)
browser = corpus.browse()
browser
"""


def test_more_like_this_by_key_and_by_button(notebook):
    opened = notebook(CORPUS).run()
    rows = opened.output(0).locator(".ck-frame, .ck-list").first
    listed = opened.output(0).locator("[role=listbox]")
    listed.locator("[role=option]", has_text="rocket3").click()
    listed.press("m")
    first = listed.locator("[role=option]").first
    first.filter(has_text="rocket3").wait_for()
    assert "rocket" in listed.locator("[role=option]").nth(4).inner_text()
    assert rows.is_visible()
    listed.locator("[role=option]", has_text="garden1").click()
    opened.output(0).get_by_role("button", name="More like this").click()
    listed.locator("[role=option]").first.filter(has_text="garden1").wait_for()
    assert "corpus.vectors.similar(" in opened.output(0).locator(".ck-code code").inner_text()
