import pytest

from corpuskit.errors import ConfigurationError


@pytest.fixture
def filled(fill):
    body = (
        "<h1>Rates of the bank</h1><p>The premium rises by 3 % a year, as it did before.</p><p>Short.</p>"
        "<ul><li>Premium\u00a0paid at once</li></ul><nav><ul><li><a href=/a>Home</a></li><li><a href=/b>About</a></li></ul></nav>"
    )
    french = "<html lang=fr><title>Assurance</title><p>La prime est due le premier jour.</p>"
    return fill({"a.html": f"<html lang=en><title>Bank</title><body>{body}</body></html>", "b.html": french})


def texts(frame):
    return [text for text in frame["text"].tolist() if isinstance(text, str)]


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"pattern": "PREMIUM"}, ["The premium rises by 3 % a year, as it did before.", "Premium\u00a0paid at once"]),
        ({"pattern": r"\bprem\w+ r"}, ["The premium rises by 3 % a year, as it did before."]),
        ({"pattern": r"\bdue\b.*\bjour"}, ["La prime est due le premier jour."]),
        ({"pattern": r"premium\spaid"}, ["Premium\u00a0paid at once"]),
        ({"pattern": "U+00A0"}, ["Premium\u00a0paid at once"]),
        ({"types": "Section"}, ["Rates of the bank"]),
        ({"types": ["Section", "TextBlock"], "max_words": 1, "lang": "en"}, ["Short.", "Home", "About"]),
        ({"min_words": 3, "max_words": 4}, ["Rates of the bank", "Premium\u00a0paid at once"]),
        ({"min_words": 5, "lang": "fr"}, ["La prime est due le premier jour."]),
        ({"min_words": 5, "lang": ["?"]}, []),
        ({"pattern": "home|prime", "main": False}, ["Home"]),
        ({"roles": "section-heading"}, ["Rates of the bank"]),
    ],
)
def test_each_condition_filters(filled, conditions, expected):
    assert texts(filled.find(**conditions)) == expected


def test_unique_counts_what_was_found(filled, fill):
    fill({"c.html": "<html lang=en><title>c</title><p>Short.</p>"})
    assert filled.find("^short", lang="en")["unique"].tolist() == [True, False]


def test_only_the_last_version_is_found(filled, fill):
    filled.find()  # the cache holds the first version
    fill({"b.html": "<html lang=fr><title>Assurance</title><p>La prime est payée.</p>"})
    assert texts(filled.find("prime est")) == ["La prime est payée."]
    assert texts(filled.find(r"\bpayée\b")) == ["La prime est payée."]


def test_without_conditions_all_elements_are_found_and_wrong_conditions_are_refused(filled):
    found = filled.find()
    assert found.equals(filled.elements())
    assert list(filled.find("no such text").columns) == list(found.columns)
    french = filled.documents().query("lang == 'fr'")
    assert texts(filled.find("p", docs=french)) == ["La prime est due le premier jour."]
    with pytest.raises(ConfigurationError, match="found the element type 'Paragraph', expected one of TextBlock"):
        filled.find(types="Paragraph")
    with pytest.raises(ConfigurationError, match=r"pattern '\(': missing"):
        filled.find("(")
