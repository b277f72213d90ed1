"""What URLs promise: figures worked out by hand from the formula in the module."""

import math
import random

import numpy as np
import pytest

from corpuskit.crawl.url_scoring import Promises, link_text

KNOWN = {"good": 0.8, "bad": 0.1}


def read(texts):
    return np.array([next((score for word, score in KNOWN.items() if word in text), 0.4) for text in texts])


@pytest.fixture
def promises():
    return Promises(read)


def signals(promises, key):
    known = promises.signals(promises.places([key]))
    return {name: float(getattr(known, name)[0]) for name in ("words", "linking", "least", "directory")}


def test_nothing_known_is_one_relevant_page_in_five(promises):
    promises.add({1: ("http://h.example/a/x", "h.example", "good", "")}, [0.0])
    assert signals(promises, 1) == pytest.approx({"words": 0.8, "linking": 0.2, "least": 0.2, "directory": 0.2})


def test_linking_pages_count_on_average_and_by_the_least(promises):
    promises.add({1: ("http://h.example/a/x", "h.example", "", "")}, [0.0])
    promises.note_links([1, 99], 0.9)
    promises.note_links([1], 0.3)
    found = signals(promises, 1)
    assert found["linking"] == pytest.approx((0.9 + 0.3 + 0.2) / 3)  # and one page like the crawl's mean
    assert found["least"] == pytest.approx(0.3)


def test_a_directory_leans_on_its_host_and_a_host_on_the_crawl(promises):
    promises.add(
        {1: ("http://h.example/a/x", "h.example", "", ""), 2: ("http://h.example/b/x", "h.example", "", "")}, [0, 0]
    )
    for name in ("1", "2"):
        promises.note_page(f"http://h.example/a/{name}", "h.example", 1.0)
    crawl = (2 + 1) / (2 + 5)
    host = (2 + 3 * crawl) / (2 + 3)
    assert signals(promises, 1)["directory"] == pytest.approx((2 + 3 * host) / (2 + 3))
    assert signals(promises, 2)["directory"] == pytest.approx(host)


def test_a_label_tells_more_of_a_source_than_a_score(promises):
    promises.add({1: ("http://h.example/a/x", "h.example", "", "")}, [0.0])
    promises.note_page("http://h.example/a/1", "h.example", 0.9)
    promises.note_page("http://h.example/a/2", "h.example", 0.0, is_labelled=True)  # as six pages
    crawl = (0.9 + 1) / (7 + 5)
    host = (0.9 + 3 * crawl) / (7 + 3)
    assert signals(promises, 1)["directory"] == pytest.approx((0.9 + 3 * host) / (7 + 3))


def test_a_lift_is_added_and_a_removed_url_is_forgotten(promises):
    promises.add(
        {1: ("http://h.example/x", "h.example", "bad", ""), 2: ("http://h.example/y", "h.example", "bad", "")},
        [0.0, 500.0],
    )
    values, _ = promises.of(promises.places([1, 2]))
    assert values[1] - values[0] == pytest.approx(500.0)
    promises.remove([2, 77])
    assert list(promises.ids(promises.all_places)) == [1]
    assert 2 not in promises


def test_a_new_url_in_a_freed_place_knows_nothing_of_the_old_one(promises):
    promises.add({1: ("http://h.example/x", "h.example", "good", "")}, [9.0])
    promises.note_links([1], 0.9)
    promises.remove([1])
    promises.add({2: ("http://h.example/y", "h.example", "bad", "")}, [0.0])
    assert signals(promises, 2) == pytest.approx({"words": 0.1, "linking": 0.2, "least": 0.2, "directory": 0.2})
    assert promises.of(promises.places([2]))[0][0] < 1


def test_many_urls_and_hosts_keep_their_figures(promises):
    draw = random.Random(1)
    urls = {
        key: (f"http://h{key % 1500}.example/d{key % 7}/x", f"h{key % 1500}.example", draw.choice(["good", "bad"]), "")
        for key in range(5000)
    }
    for start in range(0, 5000, 700):
        part = {key: urls[key] for key in range(start, min(start + 700, 5000))}
        promises.add(part, [0.0] * len(part))
    for key in draw.sample(range(5000), 2000):
        promises.remove([key])
        del urls[key]
    places = promises.places(urls)
    assert list(promises.ids(places)) == list(urls)
    assert promises.signals(places).words.tolist() == [KNOWN[anchor] for _, _, anchor, _ in urls.values()]
    names = promises.hosts.names
    assert [names[number] for number in promises.hosts_of(places)] == [host for _, host, _, _ in urls.values()]


def test_the_words_of_a_link_are_those_of_its_anchor_its_path_and_the_text_around():
    text = link_text(
        "http://host.example/library/HTMLParser/feed-me%20now.html?topic=mailBox", "SMTPServer", "of the library"
    )
    words = text.split()
    for word in (
        "SMTPServer",
        "SMTP",
        "Server",
        "HTML",
        "Parser",
        "feed",
        "me",
        "now",
        "mail",
        "Box",
        "of",
        "the",
        "library",
    ):
        assert word in words
    assert "host" not in words
    assert link_text("http://host.example", None, None).split() == []


def test_sources_with_few_pages_have_a_bonus_that_fades(promises):
    promises.add(
        {1: ("http://few.example/x", "few.example", "", ""), 2: ("http://many.example/x", "many.example", "", "")},
        [0, 0],
    )
    promises.note_page("http://few.example/1", "few.example", 0.2)
    for number in range(99):
        promises.note_page(f"http://many.example/{number}/", "many.example", 0.2)
    values, known = promises.of(promises.places([1, 2]))
    from corpuskit.crawl import url_scoring

    weights = np.array([url_scoring._WORDS, url_scoring._LINKING, url_scoring._LEAST, url_scoring._DIRECTORY])
    plain = np.stack([known.words, known.linking, known.least, known.directory], 1) @ weights
    expected = url_scoring._BONUS * np.sqrt(math.log(100) / (np.array([1, 99]) + 1))
    assert values - plain == pytest.approx(expected)
