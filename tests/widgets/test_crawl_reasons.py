"""Why a source comes next, as the dashboard says it."""

import pytest

from corpuskit.widgets.crawl_reasons import in_words


@pytest.mark.parametrize(
    ("why", "words", "numbers"),
    [
        (
            "link text 0.61, linking pages 0.34, directory 0.51",
            "its links speak of the topic, pages beside it are relevant",
            "links 0.61, linking pages 0.34, directory 0.51",
        ),
        (
            "held until a document of this source is labelled relevant; link text 0.10, linking pages 0.30, directory 0.20",
            "on hold until you label a document of it relevant; perhaps: relevant pages link there",
            "links 0.10, linking pages 0.30, directory 0.20",
        ),
        ("link text 0.10, linking pages 0.20, directory 0.20", "little speaks for it",
         "links 0.10, linking pages 0.20, directory 0.20"),
        ("depth 0", "a seed", ""),
        ("depth 1", "1 link from a seed", ""),
        ("sitemap or feed; depth 2", "sitemap or feed; 2 links from a seed", ""),
        ("score 0.250", "by your own function", "score 0.250"),
        ("home page of a source", "home page of a source", ""),
    ],
)  # fmt: skip
def test_a_reason_is_in_words_and_its_numbers_apart(why, words, numbers):
    assert in_words(why) == (words, numbers)
