"""Vectors of documents: made once, kept whole, gone with their documents."""

import os
from pathlib import Path

import numpy as np
import pytest

import corpuskit
from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.vectors import making, records, vectors_of


class Counting:
    """A model that tells how many texts it was given; a vector of the numbers of two letters."""

    def __init__(self):
        self.texts, self.calls = [], []

    def __call__(self, texts):
        self.calls.append(len(texts))
        self.texts += texts
        return [[text.count("a") + 1.0, text.count("e")] for text in texts]


def room(corpus, name="mine"):
    return Path(corpus.path) / "vectors" / name


def test_vectors_are_what_the_function_gives_scaled_to_length_one(three):
    assert three.embed("mine", lambda texts: [[3.0, 4.0]] * len(texts), progress=False) == 30
    found = vectors_of(three._folder, "mine")
    assert len(found) == 30
    np.testing.assert_allclose(found.matrix, [[0.6, 0.8]] * 30, rtol=1e-6)
    assert found.matrix.dtype == np.float32
    assert list(found.doc_ids) == three.documents()["doc_id"].tolist()


def test_nothing_is_embedded_twice(three, pages):
    model = Counting()
    assert three.embed("mine", model, batch=8, progress=False) == 30
    assert model.calls == [8, 8, 8, 6]
    assert three.embed("mine", model, progress=False) == 0
    pages.write("garden", "late", "garden tomato")
    three.add(pages.folder, progress=False)
    assert three.embed("mine", model, progress=False) == 1
    assert len(model.texts) == 31
    assert len(set(model.texts)) == 31


def test_what_was_made_before_a_failure_is_kept(three, monkeypatch):
    monkeypatch.setattr(making, "_DOCUMENTS_PER_BATCH", 10)
    model, left = Counting(), [2]

    def failing(texts):
        if not left[0]:
            raise ZeroDivisionError
        left[0] -= 1
        return model(texts)

    with pytest.raises(ZeroDivisionError):
        three.embed("mine", failing, batch=10, progress=False)
    assert len(vectors_of(three._folder, "mine")) == 20
    assert three.embed("mine", model, progress=False) == 10
    assert len(model.texts) == 30


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([[float("nan"), 1.0]], "NaN"),
        ([[float("inf"), 1.0]], "infinite"),
        ([1.0], "shape"),
        ([[1.0, 2.0]] * 2, "shape"),
        ("a text", "expected numbers"),
        ([[]], "shape"),
    ],
)
def test_what_is_no_vector_is_told_and_not_kept(corpus, pages, given, told):
    pages.write("garden", "one", "tomato")
    corpus.add(pages.folder, progress=False)
    with pytest.raises(ConfigurationError, match=told):
        corpus.embed("mine", lambda texts: given, progress=False)
    assert not list(room(corpus).glob("part-*"))


def test_vectors_of_another_size_are_refused_unless_they_replace_all(three, pages):
    three.embed("mine", lambda texts: [[1.0, 2.0]] * len(texts), progress=False)
    pages.write("garden", "late", "garden tomato")
    three.add(pages.folder, progress=False)
    with pytest.raises(ConfigurationError, match="3 numbers per text, the stored vectors have 2"):
        three.embed("mine", lambda texts: [[1.0, 2.0, 3.0]] * len(texts), progress=False)
    assert three.embed("mine", lambda texts: [[1.0, 2.0, 3.0]] * len(texts), replace=True, progress=False) == 31
    assert vectors_of(three._folder, "mine").matrix.shape == (31, 3)


@pytest.mark.parametrize("name", ["", "..", "A", "a/b", "a b", "x" * 65, "-a"])
def test_a_name_that_is_no_name_is_refused(three, name):
    with pytest.raises(ConfigurationError, match="expected 1 to 64"):
        three.embed(name, lambda texts: [[1.0]] * len(texts), progress=False)


def test_a_model_needs_a_name_of_its_own_and_a_name_a_model(three):
    with pytest.raises(ConfigurationError, match="another name"):
        three.embed("corpus", lambda texts: [[1.0]] * len(texts), progress=False)
    with pytest.raises(ConfigurationError, match="expected a function"):
        three.embed("mine")
    with pytest.raises(ConfigurationError, match="there are no vectors named"):
        three.positions(name="mine")


def test_the_own_vectors_say_which_documents_are_alike(three):
    assert three.embed() == 30
    assert three.embed() == 0
    found = vectors_of(three._folder)
    subjects = [title.split()[0] for title in three.documents()["title"]]
    near = found.matrix @ found.matrix.T
    np.fill_diagonal(near, -2)
    assert [subjects[at] for at in near.argmax(axis=1)] == subjects


def test_a_new_version_of_a_document_gets_a_new_vector(corpus, pages):
    pages.write("garden", "one", "tomato")
    corpus.add(pages.folder, progress=False)
    model = Counting()
    corpus.embed("mine", model, progress=False)
    (pages.folder / "one.html").write_text("<p>Quite another text, aaaa.</p>", "utf-8")
    corpus.add(pages.folder, progress=False)
    assert len(vectors_of(corpus._folder, "mine")) == 0
    assert corpus.embed("mine", model, progress=False) == 1
    assert len(vectors_of(corpus._folder, "mine")) == 1


def test_removed_documents_leave_no_vector_place_or_topic_on_the_disk(three):
    three.embed("mine", Counting(), progress=False)
    for name in ("corpus", "mine"):
        three.positions(name=name)
        three.topics(3, name=name)
    gone = three.documents()["doc_id"].iloc[4]
    held = [
        file
        for file in (Path(three.path) / "vectors").rglob("*")
        if file.is_file() and gone.encode() in file.read_bytes()
    ]
    assert len(held) == 6
    three.remove([gone], reason="asked for")
    for file in (Path(three.path) / "vectors").rglob("*"):
        assert not file.is_file() or gone.encode() not in file.read_bytes(), file
    for name in ("corpus", "mine"):
        assert gone not in set(three.positions(name=name)["doc_id"])
        assert gone not in set(three.topics(name=name).of()["doc_id"])
        assert len(three.positions(name=name)) == 29


def test_words_of_a_removed_document_leave_the_space(corpus, pages):
    for i in range(4):
        pages.write("garden", f"g{i}", "garden tomato")
    pages.write("secret", "secret", "zanzibarone")
    corpus.add(pages.folder, progress=False)
    corpus.topics(2)
    assert corpus._folder and "zanzibarone" in making.corpus_space(corpus._folder).tables[0].words
    documents = corpus.documents()
    corpus.remove(documents[documents["title"].str.startswith("secret")], reason="x")
    assert "zanzibarone" not in making.corpus_space(corpus._folder).tables[0].words
    assert "zanzibarone" not in corpus.topics().frame["words"].str.cat()


def test_a_corpus_without_vectors_opens_and_an_empty_one_gives_the_same_columns(three, tmp_path):
    assert not (Path(three.path) / "vectors").exists()
    with corpuskit.open(tmp_path / "empty") as empty:
        for of in (
            lambda c: c.positions(),
            lambda c: c.topics().frame,
            lambda c: c.topics().of(),
            lambda c: c.documents(),
        ):
            assert of(empty).dtypes.to_dict() == of(three).dtypes.to_dict()
            assert len(of(empty)) == 0


def test_documents_without_a_word_have_their_place(corpus, tmp_path):
    (tmp_path / "a.txt").write_text("... --- ...")
    (tmp_path / "b.txt").write_text("!!!")
    corpus.add(tmp_path / "a.txt", tmp_path / "b.txt", progress=False)
    found = corpus.positions()
    assert found[["x", "y"]].to_numpy().tolist() == [[0.0, 0.0]] * len(corpus)
    assert corpus.topics().frame["documents"].max() == len(corpus)


def test_a_corpus_of_many_copies_keeps_its_space(three, pages, monkeypatch):
    copy = (pages.folder / "garden00.html").read_text("utf-8")
    for i in range(60):
        (pages.folder / f"copy{i}.html").write_text(copy, "utf-8")
    three.add(pages.folder, progress=False)
    three.embed()
    monkeypatch.setattr(making.VectorSpace, "fit", lambda *_, **__: pytest.fail("another space is made"))
    assert three.embed() == 0
    assert len(three.positions()) == 90


def test_the_space_is_made_anew_when_the_corpus_has_doubled(corpus, pages):
    for i in range(6):
        pages.write("garden", f"g{i}", "garden tomato")
    corpus.add(pages.folder, progress=False)
    assert "orbit" not in making.corpus_space(corpus._folder).tables[0].words
    for i in range(6):
        pages.write("rocket", f"r{i}", "rocket orbit")
    corpus.add(pages.folder, progress=False)
    assert "orbit" not in making.corpus_space(corpus._folder).tables[0].words
    pages.write("rocket", "r6", "rocket orbit")
    corpus.add(pages.folder, progress=False)
    assert "orbit" in making.corpus_space(corpus._folder).tables[0].words
    assert corpus.embed() == 13
    assert len(vectors_of(corpus._folder)) == 13


def parts(corpus, name="mine"):
    return sorted(room(corpus, name).glob("part-*.vec"))


def cut(file):
    file.write_bytes(file.read_bytes()[:-5])


def cut_by_a_record(file):
    file.write_bytes(file.read_bytes()[:-28])


def changed(file):
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(bytes(content))


def emptied(file):
    file.write_bytes(b"")


def foreign(file):
    file.write_bytes(b"\x93NUMPY" + b"x" * 500)


def of_lies(file):
    import struct

    content = bytearray(file.read_bytes())
    content[8:16] = struct.pack("<II", 2**32 - 1, 2**32 - 1)
    file.write_bytes(bytes(content))


def with_nan(file):
    """The sum is right; only the numbers are none."""
    import hashlib

    content = bytearray(file.read_bytes())
    content[-4:] = np.array([np.nan], "<f4").tobytes()
    content[32:64] = hashlib.sha256(content[64:]).digest()
    file.write_bytes(bytes(content))


DAMAGES = [cut, cut_by_a_record, changed, emptied, foreign, of_lies, with_nan]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_vectors_are_told_and_made_again(three, damage):
    model = Counting()
    three.embed("mine", model, progress=False)
    three.embed()
    before = vectors_of(three._folder).matrix.copy(), vectors_of(three._folder, "mine").matrix.copy()
    assert three.check() == []
    for name in ("mine", "corpus"):
        [part] = parts(three, name)
        damage(part)
    told = three.check()
    assert [problem.part for problem in told] == ["vectors", "vectors"]
    assert all("damaged" in problem.message and "part-" in problem.where for problem in told)
    np.testing.assert_array_equal(vectors_of(three._folder).matrix, before[0])
    assert three.embed("mine", model, progress=False) == 30
    np.testing.assert_array_equal(vectors_of(three._folder, "mine").matrix, before[1])
    assert three.check() == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize("plant", ["link", "pipe", "folder"])
def test_what_is_no_file_is_never_read(three, tmp_path, plant):
    three.embed("mine", Counting(), progress=False)
    [part] = parts(three)
    moved = tmp_path / "outside.vec"
    part.rename(moved)
    if plant == "link":
        part.symlink_to(moved)
    elif plant == "pipe":
        os.mkfifo(part)
    else:
        part.mkdir()
    model = Counting()
    assert three.embed("mine", model, progress=False) == 30
    assert len(model.texts) == 30


def test_a_link_in_the_place_of_the_folder_is_told(three, tmp_path):
    (tmp_path / "outside").mkdir()
    (Path(three.path) / "vectors").symlink_to(tmp_path / "outside")
    for act in (three.embed, three.positions, three.topics, lambda: three.similar("tomato")):
        with pytest.raises(CorpusError, match="vectors"):
            act()
    assert list((tmp_path / "outside").iterdir()) == []
    assert [problem.where for problem in three.check()] == ["vectors"]
    assert three.documents()["topic"].isna().all()


def test_foreign_files_stay_and_are_passed_over(three):
    three.embed("mine", Counting(), progress=False)
    (room(three) / "notes.txt").write_text("mine")
    (room(three) / "part-zz.vec").write_text("mine")
    (Path(three.path) / "vectors" / "Not A Name").mkdir()
    assert len(vectors_of(three._folder, "mine")) == 30
    assert (room(three) / "notes.txt").read_text() == "mine"
    assert three.check() == []


def test_parts_are_put_together_as_they_become_many(corpus, pages):
    model = Counting()
    for i in range(6):
        pages.write("garden", f"g{i}", "garden tomato")
        corpus.add(pages.folder, progress=False)
        corpus.embed("mine", model, progress=False)
    assert len(parts(corpus)) <= 3
    assert len(vectors_of(corpus._folder, "mine")) == 6
    assert len(model.texts) == 6


def test_a_backup_and_a_repair_keep_vectors_places_and_what_people_said(three, tmp_path):
    three.embed("mine", Counting(), progress=False)
    places = three.positions()
    topics = three.topics(3)
    number = int(topics.frame.query("level == 1")["topic"].iloc[0])
    topics.rename(number, "What I call it")
    three.backup(tmp_path / "copy")
    three.close()
    corpuskit.corpus.Corpus.repair(tmp_path / "copy")
    with corpuskit.open(tmp_path / "copy") as copy:
        assert copy.check() == []
        assert copy.positions().equals(places)
        assert "What I call it" in set(copy.topics().frame["name"])
        assert copy.embed("mine", lambda texts: 1 / 0, progress=False) == 0


def test_vectors_are_read_again_only_when_something_has_changed(three, pages, monkeypatch):
    three.topics(3)
    three.positions()
    reads = []
    read = records.read
    monkeypatch.setattr(
        records, "read", lambda room, name, *rest, **more: reads.append(name) or read(room, name, *rest, **more)
    )
    parts = lambda: [name for name in reads if name.startswith("part-")]  # noqa: E731
    first = vectors_of(three._folder)
    assert vectors_of(three._folder) is first
    three.similar("rocket00.html")
    three.topics()
    three.positions()
    assert parts() == []
    pages.write("rocket", "late", "rocket orbit moon launch engine satellite")
    three.add(pages.folder, progress=False)
    assert len(vectors_of(three._folder)) == 31
    assert parts() != []
    three.remove(three.documents().doc_id[:1].tolist(), reason="test")
    assert len(vectors_of(three._folder)) == 30
