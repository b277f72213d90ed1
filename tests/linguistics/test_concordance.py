import pytest

from corpuskit.errors import ConfigurationError

TEXT = "The premium is due in May. A high premium, paid late, costs more! PREMIUM bread is another thing."


@pytest.fixture
def filled(fill):
    return fill({"a.txt": TEXT})


def test_each_match_is_a_line_with_the_words_around_it(filled):
    lines = filled.kwic("premium", window=3)
    assert lines[["left", "match", "right"]].values.tolist() == [
        ["The", "premium", "is due in"],
        ["May. A high", "premium", ", paid late, costs"],
        ["late, costs more!", "PREMIUM", "bread is another"],
    ]
    assert {name: str(dtype) for name, dtype in lines.dtypes.items()} == {
        "doc_id": "str", "element_id": "int32", "left": "str", "match": "str", "right": "str",
        "title": "str", "uri": "str",
    }  # fmt: skip


def test_lines_are_sorted_by_a_word_on_either_side(filled):
    firsts = [right.strip(", ").split()[0] for right in filled.kwic("premium", sort="1R").right]
    assert firsts == ["bread", "is", "paid"]
    assert [left.split()[-1].strip("!") for left in filled.kwic("premium", sort="1L").left] == ["high", "more", "The"]


def test_a_pattern_with_look_around_works_and_a_wrong_one_is_told(filled):
    assert len(filled.kwic(r"(?<=high )premium", syntax="text")) == 1
    for pattern, options, message in (
        ("(", {"syntax": "text"}, "pattern"),
        ("", {"syntax": "text"}, "empty"),
        ("a(", {}, "missing \\)"),
        ("premium", {"sort": "right"}, "'1R'"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            filled.kwic(pattern, **options)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"\bété\b", ["été"]),
        (r"\w*çade", ["façade"]),
        (r"[^\W\d]+ \d+ €", ["prix ١٢ €"]),
        (r"la\sfa", ["la\u00a0fa"]),
        ("istanbul", ["İstanbul"]),
    ],
)
def test_letters_digits_and_blanks_of_all_scripts_are_known(fill, pattern, found):
    corpus = fill({"a.txt": "Un été chaud, la\u00a0façade.\n\nprix ١٢ € à İstanbul"})
    assert corpus.kwic(pattern, syntax="text").match.tolist() == found


def test_a_text_that_is_a_single_word_gives_short_lines(fill):
    corpus = fill({"a.txt": "a" * 5000})
    lines = corpus.kwic("a", window=2, syntax="text")
    assert len(lines) == 5000
    assert lines.left.str.len().max() == lines.right.str.len().max() == 100
    assert corpus.kwic("a", window=0, syntax="text").left.str.len().max() == 0


def test_a_sample_has_so_many_lines_and_says_of_how_many(filled):
    sample = filled.kwic("premium", sample=2, seed=1)
    assert len(sample) == 2
    assert sample.attrs["sample_of"] == 3
    assert filled.kwic("premium", sample=2, seed=1).equals(sample)
    everything = filled.kwic("premium")
    assert filled.kwic("premium", sample=9).equals(everything)
    drawn = {tuple(filled.kwic("premium", sample=1, seed=seed).right) for seed in range(20)}
    assert drawn == {(right,) for right in everything.right}
    assert len(filled.kwic("premium, paid", syntax="text", sample=1)) == 1
    assert "2 of 3 at random, seed 0" in repr(filled.concordance("premium", sample=2))
    with pytest.raises(ConfigurationError, match="sample=0: expected a whole number, at least 1"):
        filled.kwic("premium", sample=0)
    for wrong in ({"limit": -1}, {"limit": 0}, {"limit": 2.5}, {"window": -1}):
        with pytest.raises(ConfigurationError, match="expected a whole number"):
            filled.kwic("premium", **wrong)


def test_clusters_are_runs_of_several_lengths_with_a_match_in_them(filled):
    runs = filled.clusters("premium", sizes=(2, 3), min_count=1).set_index("cluster")
    assert sorted(runs.index) == sorted([
        "the premium", "premium is", "high premium", "premium paid", "more premium", "premium bread",
        "the premium is", "premium is due", "a high premium", "high premium paid", "premium paid late", "costs more premium",
        "more premium bread", "premium bread is",
    ])  # fmt: skip
    assert runs.loc["premium is", "words"] == 2
    left = filled.clusters("premium", sizes=(2, 2), position="left", min_count=1)
    assert sorted(left.cluster) == ["premium bread", "premium is", "premium paid"]
    right = filled.clusters("premium", sizes=(2, 2), position="right", min_count=1)
    assert sorted(right.cluster) == ["high premium", "more premium", "the premium"]
    with pytest.raises(ConfigurationError, match="sizes"):
        filled.clusters("premium", sizes=(3, 2))
    with pytest.raises(ConfigurationError, match="position 'middle'"):
        filled.clusters("premium", position="middle")


def test_who_asks_for_signs_is_told_that_words_have_none(filled, caplog):
    for ask in ("kwic", "collocates", "frequency", "dispersion", "occurrences", "clusters"):
        caplog.clear()
        getattr(filled, ask)("C++")
        assert "C++ is a regular expression: C, CC ..., and no word contains '+'" in caplog.text
    caplog.clear()
    filled.kwic("premiums?")
    filled.kwic(r"C\+\+", syntax="text")
    assert caplog.text == ""
