"""Documents with the same main text are one question, and one example of a training."""

import pytest

from corpuskit.labels import training_labels, training_url_labels


@pytest.fixture
def copies(corpus, web):
    """Twelve pages, each on two hosts; a.example has the shorter URLs."""
    urls = {f"http://{host}/{i}": i for host in ("a.example", "mirror.example") for i in range(12)}
    for url, i in urls.items():
        web.add(url, f"About {'insurance premium claim' if i % 2 else 'garden flower tomato'} number {i}.", [])
    corpus.crawl(list(urls), delay=0, proxy=web.proxy).wait(progress=False)
    assert len(corpus) == 24
    return corpus


@pytest.fixture
def ids(copies):
    """URI → doc_id."""
    documents = copies.documents()
    assert documents.duplicate_of.notna().sum() == 12
    return dict(zip(documents.uri, documents.doc_id, strict=True))


def test_one_of_a_group_of_copies_is_asked_until_one_is_labelled(copies, ids):
    shortest = {ids[f"http://a.example/{i}"] for i in range(12)}
    assert set(copies.next_to_label(24).doc_id) == shortest
    copies.set_labels({ids["http://mirror.example/3"]: "relevant"}, by="A")
    assert set(copies.next_to_label(24).doc_id) == shortest - {ids["http://a.example/3"]}


def test_the_widget_asks_one_of_each_group_also_of_a_selection_and_says_so(copies, ids):
    labeler = copies.label(by="A", overlap=1)
    asked = {card["id"] for card in labeler.cards} | {item.doc_id for item in labeler._queue.take(24)}
    assert asked == {ids[f"http://a.example/{i}"] for i in range(12)}
    chosen = [ids[f"http://{host}/{i}"] for i in (1, 2) for host in ("mirror.example", "a.example")]
    labeler = copies.label(chosen, by="A")
    assert [card["id"] for card in labeler.cards] == [chosen[0], chosen[2]]
    assert (labeler.total, labeler.copies) == (2, 2)
    copies.set_labels({chosen[1]: "relevant"}, by="A")
    assert [card["id"] for card in copies.label(chosen, by="A").cards] == [chosen[2]]
    assert [card["id"] for card in copies.label(chosen, by="B").cards] == [chosen[0], chosen[2]]


def test_with_a_model_too_a_copy_is_not_asked(copies, ids):
    copies.set_labels({ids[f"http://a.example/{i}"]: "relevant" if i % 2 else "other" for i in range(8)}, by="A")
    copies.train()
    asked = copies.next_to_label(24)
    assert set(asked.doc_id) == {ids[f"http://a.example/{i}"] for i in range(8, 12)}


def test_the_labels_of_copies_are_one_example(copies, ids):
    for host in ("a.example", "mirror.example"):
        copies.set_labels({ids[f"http://{host}/{i}"]: "relevant" if i % 2 else "other" for i in range(6)}, by="A")
    judged = training_labels(copies._folder)
    assert sorted(judged.values()) == ["other"] * 3 + ["relevant"] * 3
    model = copies.train()
    assert (model.document.card.relevant, model.document.card.other) == (3, 3)
    # Addresses differ where texts do not: each that was labelled teaches the model of URLs.
    assert len(training_url_labels(copies._folder, training_labels(copies._folder, copies=True))) == 12
    assert copies.documents().label.notna().sum() == 12


def test_copies_that_were_labelled_differently_teach_nothing(copies, ids):
    copies.set_labels({ids["http://a.example/1"]: "relevant", ids["http://mirror.example/1"]: "other"}, by="A")
    copies.set_labels({ids["http://a.example/2"]: "other"}, by="A")
    assert training_labels(copies._folder) == {ids["http://a.example/2"]: "other"}


def test_a_rule_for_a_host_does_not_teach_the_copies_of_what_is_judged(copies, ids):
    copies.set_labels({ids["http://a.example/1"]: "relevant"}, by="A")
    copies.set_labels({"mirror.example": "other"}, kind="host", by="rule")
    judged = training_labels(copies._folder)
    assert ids["http://mirror.example/1"] not in judged
    assert len(judged) == 12
