"""A corpus through any order of what people do with it, beside a dictionary that says what must be in it.

``CORPUSKIT_FUZZ=200`` tries so many lives, other ones each time.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from hypothesis.strategies import integers, lists, sampled_from

import corpuskit
from corpuskit.corpus import Corpus

NUMBERS = integers(0, 4)


class Life(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.pages = self.root / "pages"
        self.pages.mkdir()
        self.path = self.root / "corpus"
        self.corpus = corpuskit.open(self.path)
        self.texts, self.labels, self.removed, self.copies = {}, {}, set(), 0

    def teardown(self):
        self.corpus.close()
        shutil.rmtree(self.root)

    def doc_id(self, number):
        docs = self.corpus.documents()
        return docs.doc_id[docs.uri.str.endswith(f"/{number}.html")].iloc[0]

    @rule(numbers=lists(NUMBERS, min_size=1, unique=True), word=sampled_from(["rain", "wind", "snow"]))
    def add(self, numbers, word):
        for number in numbers:
            text = f"{word.capitalize()} falls on page {number}."
            (self.pages / f"{number}.html").write_text(f"<title>{number}</title><p>{text}</p><p>And the sea.</p>")
            if number not in self.removed:
                self.texts[number] = text
        self.corpus.add(*(self.pages / f"{number}.html" for number in numbers), progress=False)

    @precondition(lambda self: self.texts)
    @rule(number=NUMBERS)
    def remove(self, number):
        if number in self.texts:
            assert self.corpus.remove([self.doc_id(number)], reason="asked for") == 1
            del self.texts[number]
            self.labels.pop(number, None)
            self.removed.add(number)

    @precondition(lambda self: self.texts)
    @rule(number=NUMBERS, label=sampled_from(["relevant", "other"]))
    def label(self, number, label):
        if number in self.texts:
            self.corpus.set_labels({self.doc_id(number): label}, by="me")
            self.labels[number] = label

    @rule()
    def pack(self):
        self.corpus.pack()

    @rule()
    def unpack(self):
        self.corpus.unpack()

    @precondition(lambda self: self.texts)
    @rule(number=NUMBERS)
    def extract_again(self, number):
        if number in self.texts:
            self.corpus._folder.catalog.connection.execute(
                "UPDATE documents SET status = 'fetched' WHERE doc_id = ? AND version = "
                "(SELECT max(version) FROM documents l WHERE l.doc_id = documents.doc_id)",
                (self.doc_id(number),),
            )
            assert self.corpus.extract_pending() == 1

    @precondition(lambda self: self.texts)
    @rule(number=NUMBERS)
    def lose_a_text_and_repair(self, number):
        if number in self.texts:
            row = self.corpus._folder.catalog.rows("SELECT path FROM current WHERE doc_id = ?", (self.doc_id(number),))
            (self.corpus._folder.documents.path / f"{row[0]['path']}.nlp.txt").unlink(missing_ok=True)
        self.corpus.close()
        report = Corpus.repair(self.path)
        self.corpus = corpuskit.open(self.path)
        assert self.corpus.extract_pending() == report.pending

    @rule()
    def open_again(self):
        self.corpus.close()
        self.corpus = corpuskit.open(self.path)

    @rule()
    def go_on_in_a_backup(self):
        self.copies += 1
        self.path = self.root / f"copy{self.copies}"
        self.corpus.backup(self.path)
        self.corpus.close()
        self.corpus = corpuskit.open(self.path)

    @rule()
    def preprocess(self):
        frame = self.corpus.preprocess(["quality"], progress=False).frame
        assert len(frame) == len(self.texts)

    @invariant()
    def all_is_there_once(self):
        docs = self.corpus.documents().sort_values("uri")
        numbers = sorted(self.texts)
        assert docs.title.tolist() == [str(number) for number in numbers]
        assert dict(zip(numbers, docs.label, strict=True)).items() >= self.labels.items()
        elements = self.corpus.elements(docs)
        wanted = {text for number in numbers for text in (self.texts[number], "And the sea.")}
        assert len(elements) == 2 * len(numbers)
        assert set(elements.text) == wanted
        assert sorted(self.corpus.elements().text) == sorted(elements.text)
        assert len(self.corpus.find("And the sea")) == len(numbers)
        for number, doc_id in zip(numbers, docs.doc_id, strict=True):
            assert self.corpus[doc_id].to_text() == f"{self.texts[number]}\nAnd the sea."
        assert self.corpus.check() == []


LIVES = int(os.environ.get("CORPUSKIT_FUZZ", "0"))
TestLife = pytest.mark.slow(Life.TestCase)
TestLife.settings = settings(
    max_examples=LIVES or 6, stateful_step_count=15, deadline=None, derandomize=not LIVES, database=None
)
