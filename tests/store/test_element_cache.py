import os

import pytest

import corpuskit
from corpuskit.store import element_cache


def test_small_parts_are_made_again_as_few_and_full_ones_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(element_cache, "_BATCH", 4)
    monkeypatch.setattr(element_cache, "_COMPACT_FROM", 3)
    pages, corpus = tmp_path / "pages", corpuskit.open(tmp_path / "corpus")
    pages.mkdir()

    def add(*numbers):
        for number in numbers:
            (pages / f"{number}.html").write_text(f"<p>This is page {number}.</p>")
        corpus.add(*[pages / f"{number}.html" for number in numbers], progress=False)
        frame = corpus.elements()
        assert set(frame.text) == {f"This is page {page.stem}." for page in pages.glob("*.html")}
        return parts()

    def parts():
        return {row[0] for row in corpus._folder.catalog.rows("SELECT DISTINCT part FROM element_cache")}

    full = add(*range(8))
    assert len(full) == 2
    assert len(add(8)) == 3
    two = add(9)
    assert len(two) == 4
    three = add(10)
    assert len(three) == 5
    compacted = add(11)
    assert full < compacted
    assert len(compacted) == 3
    assert compacted.isdisjoint(three - full)
    corpus.elements()
    assert parts() == compacted
    files = list(corpus._folder.elements.path.glob("*.parquet"))
    assert len(files) == 6  # who reads the old ones can go on
    for file in files:
        os.utime(file, (0, 0))
    corpuskit.open(corpus.path).elements()
    assert {file.name for file in corpus._folder.elements.path.glob("*.parquet")} == compacted


@pytest.fixture
def cached(corpus, tmp_path):
    """Three documents of one element, in one part."""
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(f"<p>Page {number}.</p>")
    corpus.add(*tmp_path.glob("*.html"), progress=False)
    assert len(corpus.elements()) == 3
    return corpus


def test_a_document_extracted_again_has_its_elements_once(cached):
    corpus = cached
    [part] = corpus._folder.elements.path.glob("*.parquet")
    corpus._folder.catalog.connection.execute("UPDATE documents SET status = 'fetched' WHERE uri LIKE '%1.html'")
    corpus.extract_pending()
    assert sorted(corpus.elements().text) == ["Page 0.", "Page 1.", "Page 2."]
    assert part.exists()  # who reads it meanwhile can go on
    os.utime(part, (0, 0))
    assert len(corpuskit.open(corpus.path).elements(corpus.documents().head(2))) == 2
    assert not part.exists()


def test_what_is_known_of_the_parts_holds_until_something_changes(cached, monkeypatch):
    corpus, looks = cached, []
    held = element_cache._documents_per_part
    monkeypatch.setattr(element_cache, "_documents_per_part", lambda folder: looks.append(folder) or held(folder))
    assert len(corpus.elements()) == len(corpus.find("page")) == 3
    corpus.set_labels({corpus.documents().doc_id[0]: "relevant"}, by="ada")
    assert len(corpus.elements()) == 3
    assert not looks
    with corpuskit.open(corpus.path) as other:  # another process
        other.remove(other.documents().doc_id[0], reason="none")
    assert sorted(corpus.elements().text) == sorted(corpus.find("page").text)
    assert len(corpus.elements()) == 2
    assert looks
    for file in corpus._folder.elements.path.glob("*.parquet"):
        file.unlink()
    assert len(corpus.elements()) == len(corpus.find("page")) == 2


@pytest.mark.parametrize("name", ["lang=fr", "a[bc]*", "été ?"])
def test_a_corpus_may_stand_in_any_folder(tmp_path, name):
    (tmp_path / "page.html").write_text("<p>Some text.</p>")
    with corpuskit.open(tmp_path / name / "corpus") as corpus:
        corpus.add(tmp_path / "page.html", progress=False)
        assert corpus.find("some").text.tolist() == ["Some text."]
        assert corpus.find("some", docs=corpus.documents()).text.tolist() == ["Some text."]


def test_texts_are_read_on_where_a_part_goes_meanwhile(corpus, tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"The text of {name}.")
    corpus.add([tmp_path / f"{name}.txt" for name in "abc"], progress=False)
    expected = list(element_cache.main_texts(corpus._folder))
    parts, asked = element_cache._parts_of_documents, []

    def with_one_that_has_gone(folder, doc_ids=None):
        asked.append(1)
        found = parts(folder, doc_ids)
        return [*found, element_cache._Part(tmp_path / "gone.parquet")] if len(asked) == 1 else found

    monkeypatch.setattr(element_cache, "_parts_of_documents", with_one_that_has_gone)
    assert list(element_cache.main_texts(corpus._folder)) == expected
    assert len(asked) == 2
    assert len(expected) == 3


def test_a_part_that_another_process_drops_between_two_queries_is_still_read(cached, monkeypatch):
    sizes = element_cache._versions_per_part
    element_cache._STATES.clear()

    with corpuskit.open(cached.path) as other:

        def after_it_was_dropped(folder):
            with other._folder.catalog.transaction() as connection:
                connection.execute("DELETE FROM element_cache")
            return sizes(folder)

        monkeypatch.setattr(element_cache, "_remove_unused", lambda folder: None)
        monkeypatch.setattr(element_cache, "_versions_per_part", after_it_was_dropped)
        assert len(cached.elements()) == 3
        monkeypatch.undo()
        assert len(cached.elements()) == 3
