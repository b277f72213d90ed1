"""Documents like others."""

import pytest

from corpuskit.errors import ConfigurationError, UnknownDocumentError


def ids_of(corpus, subject):
    documents = corpus.documents()
    return documents[documents["title"].str.startswith(subject)]["doc_id"].tolist()


def test_what_is_like_a_document_is_of_its_subject(three):
    rockets = ids_of(three, "rocket")
    found = three.similar(rockets[0], 7)
    assert found.dtypes.astype(str).to_dict() == {
        "doc_id": "str", "title": "str", "uri": "str", "score": "float64", "shared": "str",
    }  # fmt: skip
    assert set(found["doc_id"]) == set(rockets[1:])
    assert found["score"].is_monotonic_decreasing
    assert found["score"].between(0.5, 1.00001).all()
    for words in found["shared"]:
        assert set(words.split(", ")) <= {"rocket", "orbit", "moon", "launch", "engine", "satellite"}
        assert 1 <= len(words.split(", ")) <= 5


def test_a_uri_a_file_name_and_an_id_ask_the_same(three):
    row = three.documents().set_index("title").loc["garden 12"]
    by_id = three.similar(row["doc_id"], 5)
    assert three.similar(row["uri"], 5).equals(by_id)
    assert three.similar("garden00.html", 5).equals(by_id)


def test_a_text_is_asked_with_by_its_words(three):
    found = three.similar("moon and satellite", 3)
    assert set(found["doc_id"]) <= set(ids_of(three, "rocket"))
    assert set(found["shared"].iloc[0].split(", ")) == {"moon", "satellite"}
    assert set(three.similar("tomato", 3)["doc_id"]) <= set(ids_of(three, "garden"))


def test_several_documents_ask_as_one(three):
    gardens, rockets = ids_of(three, "garden"), ids_of(three, "rocket")
    found = three.similar(gardens[:3], 7)
    assert set(found["doc_id"]) == set(gardens[3:])
    assert three.similar(three.documents().query("title.str.startswith('garden')").head(3), 7).equals(found)
    both = three.similar([gardens[0], rockets[0]], 16)
    assert set(both["doc_id"]) == {*gardens[1:], *rockets[1:]}


def test_copies_of_a_document_are_not_like_it_and_of_equal_ones_one_is_given(three, pages):
    text = "<p>The rocket, the orbit and the moon, told three times.</p>"
    for name in ("told", "told-again", "told-a-third-time"):
        (pages.folder / f"{name}.html").write_text(text, "utf-8")
    three.add(pages.folder, progress=False)
    found = three.similar("rocket00.html", 100)
    assert len(found) == 30  # 33 but the one asked with and two copies
    assert found["uri"][found["uri"].str.contains("told")].tolist() == ["pages/told.html"]
    from_copy = three.similar("told-again.html", 100)
    assert len(from_copy) == 30
    assert not from_copy["uri"].str.contains("told").any()


def test_what_is_not_there_is_told(three):
    with pytest.raises(ConfigurationError, match="none of its words"):
        three.similar("zzz qqq")
    with pytest.raises(UnknownDocumentError, match=r"nothing\.html"):
        three.similar("pages/nothing.html")
    with pytest.raises(UnknownDocumentError):
        three.similar(["zzz"])
    with pytest.raises(ConfigurationError, match="expected a document"):
        three.similar([])
    with pytest.raises(ConfigurationError, match="at least 1"):
        three.similar("tomato", 0)


def test_vectors_of_a_model_are_asked_by_their_name(three):
    first = {"insurance": 0, "garden": 1, "rocket": 2}

    def model(texts):
        return [[float(first[text.split()[0]] == n) for n in range(3)] for text in texts]

    three.embed("mine", model, progress=False)
    gardens = ids_of(three, "garden")
    found = three.similar(gardens[0], 9, name="mine")
    assert set(found["doc_id"]) == set(gardens[1:])
    assert found["score"].tolist() == [1.0] * 9
    with pytest.raises(ConfigurationError, match="a text cannot be a query"):
        three.similar("moon and satellite", name="mine")
    topics = three.topics(3, name="mine")
    assert topics.frame.query("level == 1")["documents"].tolist() == [12, 10, 8]


def test_an_empty_corpus_has_nothing_alike(corpus, pages):
    with pytest.raises(ConfigurationError):
        corpus.similar("moon and satellite")
    pages.write("garden", "one", "tomato")
    corpus.add(pages.folder, progress=False)
    assert len(corpus.similar("one.html")) == 0


def test_a_word_finds_documents_that_say_it_not_short_ones_that_are_called_so(corpus, pages):
    """Six short pages have the word in their titles alone, six long ones of many subjects say it again and again."""
    many = [
        f"{one}{two}{three}"
        for one in ("pri", "ser", "net", "dri")
        for two in ("nta", "vor", "wok")
        for three in ("k", "r", "l", "m", "p")
    ]
    for i in range(6):
        pages.write("Error", f"title{i}", "garden flower tomato soil rain seed")
        said = ". ".join(
            f"An error of the {many[(9 * i + 3 * j) % 60]} and the {many[(9 * i + 3 * j + 1) % 60]} by {many[(9 * i + 3 * j + 2) % 60]}"
            for j in range(12)
        )
        (pages.folder / f"body{i}.html").write_text(
            f"<html lang=en><title>Manual {i}</title><h1>Manual {i}</h1><p>{said}.</p>", "utf-8"
        )
        pages.write("moon", f"moon{i}", "rocket orbit moon launch engine satellite")
    corpus.add(pages.folder, progress=False)
    found = corpus.similar("error", 8)
    assert found["title"].str.startswith("Manual").tolist() == [True] * 6 + [False] * 2
    assert found["score"].is_monotonic_decreasing
    assert found["score"].between(0, 1).all()


@pytest.mark.parametrize("to", [None, 3, 2.5, b"error", {"doc_id": []}])
def test_what_is_neither_document_nor_text_is_told(three, to):
    with pytest.raises(TypeError, match=f"similar to a {type(to).__name__}: expected a document"):
        three.similar(to)


def test_a_number_of_documents_that_is_none_is_told(three):
    with pytest.raises(ConfigurationError, match="n='5': expected a whole number"):
        three.similar("moon", "5")
