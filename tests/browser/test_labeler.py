import json

import pytest

SETUP = """
import tempfile
from pathlib import Path
import corpuskit as ck
folder = Path(tempfile.mkdtemp())
for i in range({n}):
    (folder / f"doc{{i:03}}.txt").write_text(f"Document {{i}}\\n\\nInsurance premium number {{i}}, " + "word " * 200)
corpus = ck.open({where})
corpus.add(folder / "*.txt", progress=False)
docs = corpus.documents().sort_values("uri")
"""
NEW = 'folder / "corpus"'


def ready(opened, cell=1):
    labeler = opened.output(cell).locator(".ck-labeler")
    labeler.locator(".ck-card h3").wait_for()
    labeler.click(position={"x": 200, "y": 150})
    return labeler


def all_saved(opened):
    opened.page.wait_for_function(
        "() => { const d = document.querySelector('.ck-labeler').dataset; return d.unsaved === '0' && d.waiting === '0' }"
    )


def test_two_hundred_keys_at_machine_speed_are_two_hundred_labels_in_order(notebook):
    opened = notebook(SETUP.format(n=220, where=NEW), "labeler = corpus.label(docs, by='me'); labeler").run(seconds=100)
    ready(opened)
    keys = [("j", "f", " ")[(i * i + i // 7) % 3] for i in range(200)]
    opened.page.evaluate(
        """(keys) => {
            const target = document.querySelector('.ck-labeler');
            for (const key of keys) target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        }""",
        keys,
    )
    all_saved(opened)
    given, order = json.loads(
        opened.python(
            "import json; print(json.dumps([corpus.labels()[['target', 'label']].values.tolist(), docs.doc_id.tolist()]))"
        )
    )
    meaning = {"j": "relevant", "f": "other", " ": "unsure"}
    assert given == [[doc_id, meaning[key]] for doc_id, key in zip(order, keys, strict=False)]
    assert opened.cells == 2


def test_keys_of_the_notebook_do_nothing_and_a_selection_is_labelled_and_taken_back_at_once(notebook):
    opened = notebook(SETUP.format(n=30, where=NEW), "labeler = corpus.label(by='me'); labeler", "'kept'").run()
    ready(opened)
    opened.press(
        "j", "f", "Space", "u", "a", "x", "b", "d", "d", "z", "m", "c", "v", "j", "Enter", "h", "h", "?", "Escape"
    )
    all_saved(opened)
    assert opened.cells == 3
    assert opened.sources[2] == "'kept'"
    assert (
        opened.python("print(corpus.labels().label.tolist())")
        == "['relevant', 'other', 'unsure', 'withdrawn', 'relevant']"
    )


@pytest.mark.spoils_page
def test_a_killed_kernel_loses_no_acknowledged_label_and_the_cell_goes_on(notebook, tmp_path):
    where = repr(str(tmp_path / "corpus"))
    opened = notebook(SETUP.format(n=40, where=where), "labeler = corpus.label(docs, by='me'); labeler").run()
    labeler = ready(opened)
    opened.press(*"jjfjfjjfjj")
    all_saved(opened)
    killed = opened.page.evaluate("() => document.querySelector('.ck-labeler').dataset.given")
    opened.page.evaluate(
        """async () => {
            const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
            kernel.requestExecute({ code: 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)' });
            await new Promise((resolve) => {
                let died = false;
                const timer = setInterval(() => {
                    if (kernel.status !== 'idle' && kernel.status !== 'busy') died = true;
                    if (died && kernel.status === 'idle') { clearInterval(timer); resolve(); }
                }, 20);
            });
        }"""
    )
    # A dialog may tell of the restart.
    opened.press("Escape")
    opened.page.wait_for_timeout(300)
    while opened.page.locator(".jp-Dialog").count():
        opened.page.locator(".jp-Dialog .jp-mod-accept").first.click()
    code = f"import corpuskit as ck; corpus = ck.open({where}); print(corpus.labels().label.tolist())"
    assert killed == "10"
    assert opened.python(code) == str([{"j": "relevant", "f": "other"}[key] for key in "jjfjfjjfjj"])
    opened.python("docs = corpus.documents().sort_values('uri')")
    opened.run(1)
    labeler = ready(opened)
    assert "Insurance premium number 10," in labeler.locator(".ck-card").inner_text()


def test_a_selection_is_labelled_at_once_and_taken_back_at_once(notebook):
    opened = notebook(SETUP.format(n=30, where=NEW), "labeler = corpus.label(docs.head(25), by='me'); labeler").run()
    labeler = ready(opened)
    opened.press("j", "b")
    labeler.locator(".ck-bulk").get_by_text("other", exact=True).click()
    labeler.get_by_text("24 documents were labelled", exact=False).wait_for()
    assert opened.python("print(corpus.documents().label.value_counts().to_dict())") == "{'other': 24, 'relevant': 1}"
    opened.press("u")
    all_saved(opened)
    opened.eventually("corpus.documents().label.value_counts().to_dict() == {'relevant': 1}")


@pytest.mark.spoils_page
def test_two_annotators_and_an_adjudicator_label_one_corpus_from_two_kernels(
    notebook, browser, harness, lab, page, tmp_path
):
    where = repr(str(tmp_path / "corpus"))
    root, base, token = lab
    rule = (
        f"\nPath({where}, 'corpus.toml').write_text('[labels]\\nrule = \"adjudicator\"\\nadjudicator = \"chief\"\\n')"
    )
    opened = notebook(
        SETUP.format(n=6, where=where)
        + rule
        + f"\ncorpus.close(); corpus = ck.open({where}); docs = corpus.documents().sort_values('uri')",
        "corpus.label(docs, by='ann')",
    ).run()
    harness.write_notebook(
        root / "nb" / "second.ipynb",
        f"import corpuskit as ck; corpus = ck.open({where}); docs = corpus.documents().sort_values('uri')",
        "corpus.label(docs, by='bob')",
        "corpus.label(by='chief')",
    )
    beside = browser.new_page()
    beside.set_default_timeout(20_000)
    second = harness.Notebook(beside, base, token, "second.ipynb").open().run(0).run(1)
    for one in (opened, second):
        ready(one)
    # Key by key in turn: ann says j j f f j j, bob says j f f j j j.
    for ann, bob in zip("jjffjj", "jffjjj", strict=True):
        opened.press(ann)
        beside.keyboard.press(bob)
    for one in (opened, second):
        all_saved(one)
    assert opened.python("print(corpus.documents(docs).sort_values('uri').label.fillna('-').tolist())") == str(
        ["relevant", "-", "other", "-", "relevant", "relevant"]
    )
    assert opened.python("print(corpus.disagreements().said.tolist())") == str(
        ["ann: relevant; bob: other", "ann: other; bob: relevant"]
    )
    second.run(2)
    chief = second.output(2).locator(".ck-labeler")
    chief.locator(".ck-card h3").wait_for()
    assert "annotators disagree" in chief.locator(".ck-why").inner_text()
    chief.click(position={"x": 200, "y": 150})
    for _ in range(2):
        beside.keyboard.press("f")
    second.eventually("len(corpus.disagreements()) == 0")
    assert "with ann: κ" in chief.locator(".ck-actions").inner_text()
    opened.eventually(
        "corpus.documents().sort_values('uri').label.tolist() == ['relevant', 'other', 'other', 'other', 'relevant', 'relevant']"
    )
    assert opened.python("print(len(corpus.labels()), corpus.labels().superseded.any())") == "14 False"
    beside.close()


LEARNT = """
labels = {row.doc_id: "relevant" if i % 2 else "other" for i, row in enumerate(docs.head(12).itertuples())}
corpus.set_labels(labels, by="me")
corpus.train()
"""


def test_what_the_model_thinks_is_told_after_the_key_or_when_asked_for(notebook):
    opened = notebook(SETUP.format(n=20, where=NEW) + LEARNT, "corpus.label(by='me')").run()
    labeler = ready(opened)
    assert "P(relevant)" not in labeler.inner_text()
    opened.press("f")
    labeler.get_by_text("The model had said P(relevant) = 0.", exact=False).wait_for()
    assert "P(relevant)" not in labeler.locator(".ck-card").inner_text()
    opened.press("p")
    assert "P(relevant) = 0." in labeler.locator(".ck-why").inner_text()
    opened.press("p")
    assert "P(relevant)" not in labeler.locator(".ck-card").inner_text()


def test_a_card_that_comes_again_for_another_reason_tells_that_one(notebook):
    opened = notebook(SETUP.format(n=3, where=NEW), "labeler = corpus.label(by='me'); labeler").run()
    labeler = ready(opened)
    opened.python(
        "labeler.send({'op': 'fresh', 'cards': [labeler.cards[0] | {'why': 'it is near the seed words'}], 'near': True})"
    )
    labeler.get_by_text("it is near the seed words", exact=False).wait_for()


def test_the_empty_labeller_asks_for_seed_words_and_begins_near_them(notebook):
    code = SETUP.format(n=20, where=NEW) + (
        "\nfor i in range(4):\n    (folder / f'net{i}.txt').write_text(f'Net {i}\\n\\nFishing boats and harbour number {i}.')\n"
        "corpus.add(folder / 'net*.txt', progress=False)"
    )
    opened = notebook(code, "corpus.label(by='me')").run()
    labeler = opened.output(1).locator(".ck-labeler")
    labeler.get_by_label("Words of the documents you look for").fill("fishing, harbour, boast")
    opened.press("Enter")
    labeler.get_by_text("In no document: boast.", exact=False).wait_for()
    labeler.get_by_text("it is near the seed words", exact=False).wait_for()
    assert "Fishing boats" in labeler.locator(".ck-card").inner_text()
    for _ in range(6):  # two of three are near the words
        is_near = "Fishing boats" in labeler.locator(".ck-card").inner_text()
        opened.press("j" if is_near else "f")
    all_saved(opened)
    assert opened.python("print((corpus.documents().label == 'relevant').sum())") == "4"
    assert labeler.get_by_label("Words of the documents you look for").is_hidden()
    assert opened.python("print(corpus._folder.settings.seeds)") == "('fishing', 'harbour', 'boast')"


def test_axe_finds_nothing_serious_in_the_labeller(notebook):
    opened = notebook(SETUP.format(n=20, where=NEW) + LEARNT, "corpus.label(by='me')").run()
    labeler = ready(opened)
    scrolls = "card => { card.style.height = '60px'; card.style.flex = 'none'; return card.scrollHeight > card.clientHeight; }"
    opened.press("j", "h")
    assert labeler.locator(".ck-card").evaluate(scrolls)
    assert opened.violations(".ck-labeler") == []
