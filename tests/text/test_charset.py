"""The report of characters."""

import pytest

from corpuskit.text import block_of, charset


def test_characters_are_counted_named_and_classed():
    frame = charset(["aab", "a €"]).set_index("char")
    assert list(frame.index) == ["a", " ", "b", "€"]
    assert frame.loc["a", ["code", "count", "documents", "category", "subcategory", "script"]].tolist() == [
        97, 3, 2, "letter", "lowercase", "LATIN",
    ]  # fmt: skip
    assert frame.loc["€", "name"] == "EURO SIGN"
    assert frame.loc["€", "subcategory"] == "currency"
    assert frame.loc["a", "per_million"] == 500_000
    assert frame.block.tolist() == ["Basic Latin", "Basic Latin", "Basic Latin", "Currency Symbols"]


@pytest.mark.parametrize(
    ("char", "block"),
    [("\x7f", "Basic Latin"), ("\x80", "Latin-1 Supplement"), ("œ", "Latin Extended-A"), ("п", "Cyrillic"), ("ﬁ", "Alphabetic Presentation Forms"),
     ("😀", "Emoticons"), ("\U0001eeff", "Arabic Mathematical Alphabetic Symbols"), ("\U000e0fff", ""), ("\U0010ffff", "Supplementary Private Use Area-B")],
)  # fmt: skip
def test_characters_have_their_unicode_block(char, block):
    assert block_of(char) == block


def test_sources_stand_beside_each_other():
    frame = charset({"web": ["aa", "b"], "pdf": ["b"]}).set_index("char")
    assert frame.loc["a", ["count", "count web", "count pdf"]].tolist() == [2, 2, 0]
    assert frame.loc["b", "per_million web"] == pytest.approx(333_333.33, abs=0.01)
    assert frame.loc["b", "per_million pdf"] == 1_000_000


def test_an_empty_corpus_gives_the_same_columns():
    assert charset([]).columns.tolist() == charset(["a"]).columns.tolist()
    assert (charset([]).dtypes == charset(["a"]).dtypes).all()
