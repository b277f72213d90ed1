"""What URLs promise: figures worked out by hand from the formula in the module."""

import math
import random

import numpy as np
import pytest

from corpuskit.crawl.url_scoring import UrlScores, link_text

KNOWN = {"good": 0.8, "bad": 0.1}


def read(texts):
    return np.array([next((score for word, score in KNOWN.items() if word in text), 0.4) for text in texts])


@pytest.fixture
def scores():
    return UrlScores(read)


def features(scores, key):
    known = scores.features_of(scores.slots_of([key]))
    return {name: float(getattr(known, name)[0]) for name in ("link_text", "linking_mean", "linking_min", "directory")}


def test_nothing_known_is_one_relevant_page_in_five(scores):
    scores.add({1: ("http://h.example/a/x", "h.example", "good", "")}, [0.0])
    assert features(scores, 1) == pytest.approx(
        {"link_text": 0.8, "linking_mean": 0.2, "linking_min": 0.2, "directory": 0.2}
    )


def test_linking_pages_count_on_average_and_by_the_least(scores):
    scores.add({1: ("http://h.example/a/x", "h.example", "", "")}, [0.0])
    scores.record_links([1, 99], 0.9)
    scores.record_links([1], 0.3)
    found = features(scores, 1)
    assert found["linking_mean"] == pytest.approx((0.9 + 0.3 + 0.2) / 3)  # and one page like the crawl's mean
    assert found["linking_min"] == pytest.approx(0.3)


def test_a_directory_leans_on_its_host_and_a_host_on_the_crawl(scores):
    scores.add(
        {1: ("http://h.example/a/x", "h.example", "", ""), 2: ("http://h.example/b/x", "h.example", "", "")}, [0, 0]
    )
    for name in ("1", "2"):
        scores.record_page(f"http://h.example/a/{name}", "h.example", 1.0)
    crawl = (2 + 1) / (2 + 5)
    host = (2 + 3 * crawl) / (2 + 3)
    assert features(scores, 1)["directory"] == pytest.approx((2 + 3 * host) / (2 + 3))
    assert features(scores, 2)["directory"] == pytest.approx(host)


def test_a_label_tells_more_of_a_source_than_a_score(scores):
    scores.add({1: ("http://h.example/a/x", "h.example", "", "")}, [0.0])
    scores.record_page("http://h.example/a/1", "h.example", 0.9)
    scores.record_page("http://h.example/a/2", "h.example", 0.0, is_labelled=True)  # as six pages
    crawl = (0.9 + 1) / (7 + 5)
    host = (0.9 + 3 * crawl) / (7 + 3)
    assert features(scores, 1)["directory"] == pytest.approx((0.9 + 3 * host) / (7 + 3))


def test_a_lift_is_added_and_a_removed_url_is_forgotten(scores):
    scores.add(
        {1: ("http://h.example/x", "h.example", "bad", ""), 2: ("http://h.example/y", "h.example", "bad", "")},
        [0.0, 500.0],
    )
    values, _ = scores.scores(scores.slots_of([1, 2]))
    assert values[1] - values[0] == pytest.approx(500.0)
    scores.remove([2, 77])
    assert list(scores.ids(scores.all_slots)) == [1]
    assert 2 not in scores


def test_a_new_url_in_a_freed_place_knows_nothing_of_the_old_one(scores):
    scores.add({1: ("http://h.example/x", "h.example", "good", "")}, [9.0])
    scores.record_links([1], 0.9)
    scores.remove([1])
    scores.add({2: ("http://h.example/y", "h.example", "bad", "")}, [0.0])
    assert features(scores, 2) == pytest.approx(
        {"link_text": 0.1, "linking_mean": 0.2, "linking_min": 0.2, "directory": 0.2}
    )
    assert scores.scores(scores.slots_of([2]))[0][0] < 1


def test_many_urls_and_hosts_keep_their_figures(scores):
    draw = random.Random(1)
    urls = {
        key: (f"http://h{key % 1500}.example/d{key % 7}/x", f"h{key % 1500}.example", draw.choice(["good", "bad"]), "")
        for key in range(5000)
    }
    for start in range(0, 5000, 700):
        part = {key: urls[key] for key in range(start, min(start + 700, 5000))}
        scores.add(part, [0.0] * len(part))
    for key in draw.sample(range(5000), 2000):
        scores.remove([key])
        del urls[key]
    slots = scores.slots_of(urls)
    assert list(scores.ids(slots)) == list(urls)
    assert scores.features_of(slots).link_text.tolist() == [KNOWN[anchor] for _, _, anchor, _ in urls.values()]
    names = scores.hosts.names
    assert [names[number] for number in scores.hosts_of(slots)] == [host for _, host, _, _ in urls.values()]


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


def test_sources_with_few_pages_have_a_bonus_that_fades(scores):
    scores.add(
        {1: ("http://few.example/x", "few.example", "", ""), 2: ("http://many.example/x", "many.example", "", "")},
        [0, 0],
    )
    scores.record_page("http://few.example/1", "few.example", 0.2)
    for number in range(99):
        scores.record_page(f"http://many.example/{number}/", "many.example", 0.2)
    values, known = scores.scores(scores.slots_of([1, 2]))
    from corpuskit.crawl import url_scoring

    weights = np.array([url_scoring._LINK_TEXT, url_scoring._LINKING, url_scoring._LINKING_MIN, url_scoring._DIRECTORY])
    plain = np.stack([known.link_text, known.linking_mean, known.linking_min, known.directory], 1) @ weights
    expected = url_scoring._BONUS * np.sqrt(math.log(100) / (np.array([1, 99]) + 1))
    assert values - plain == pytest.approx(expected)
