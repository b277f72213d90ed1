import os

import pytest
from brute_force_matching import Text, matches_of
from hypothesis import given, settings
from hypothesis import strategies as st

from corpuskit.errors import ConfigurationError
from corpuskit.tokens import find, index_of, matching, parse_query, select

CASES = int(os.environ.get("CORPUSKIT_QUERIES", "300"))

WORDS = st.sampled_from(["a", "b", "A", "ab", "Ba", "c"])
SENTENCE = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
TEXTS = st.lists(
    st.tuples(
        st.sampled_from(["one", "two"]), st.just(0), st.lists(SENTENCE, max_size=3).map(". ".join), st.booleans()
    ),
    max_size=5,
).map(lambda rows: [(doc_id, number, text, main) for number, (doc_id, _, text, main) in enumerate(sorted(rows))])

STRINGS = st.sampled_from(['"a"', '"b"', '"a"%c', '"a.*"', '"[ab]+"%c', '"c|ab"', '"a"%l', '"x"'])
TESTS = st.builds(
    lambda name, sign, string: f"{name} {sign} {string}",
    st.sampled_from(["word", "lower"]),
    st.sampled_from(["=", "!=", "=="]),
    STRINGS,
)
CONDITIONS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.builds("({} & {})".format, inner, inner),
        st.builds("({} | {})".format, inner, inner),
        st.builds("!({})".format, inner),
    ),
    max_leaves=3,
)
TOKENS = st.one_of(STRINGS, st.just("[]"), CONDITIONS.map("[{}]".format))
QUANTITIES = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,2}", "{1,3}", "{,2}", "{1,}"])
PATTERNS = st.recursive(
    st.builds("{}{}".format, TOKENS, QUANTITIES),
    lambda inner: st.one_of(
        st.builds("{} {}".format, inner, inner),
        st.builds("({} | {}){}".format, inner, inner, QUANTITIES),
        st.builds("({}){}".format, inner, QUANTITIES),
    ),
    max_leaves=4,
)
STRUCTURE = st.sampled_from(["s", "p", "document"])
MAINS = st.one_of(
    PATTERNS,
    PATTERNS,
    STRUCTURE.map("<{}/>".format),
    st.builds("<{}> {}".format, STRUCTURE, PATTERNS),
    st.builds("{} </{}>".format, PATTERNS, STRUCTURE),
)
QUERIES = st.builds(
    "{}{}{}".format,
    MAINS,
    st.one_of(st.just(""), STRUCTURE.map(" within {}".format)),
    st.one_of(st.just(""), st.just(""), MAINS.map(" containing {}".format), MAINS.map(" !containing {}".format)),
)


def sentence_starts(part):
    """Sentences of texts that have a full stop between them, for :func:`matching`; blingfire joins what begins small."""
    import numpy as np

    gaps = part.lexicon("gap").to_pylist()
    new = ["." in gaps[number] for number in part.column("gap").tolist()]
    starts = set(part.column("element_start").tolist()) | {place for place, is_new in enumerate(new) if is_new}
    return np.array(sorted(starts), np.uint32)


@given(TEXTS, QUERIES, st.booleans())
@settings(max_examples=CASES, deadline=None)
@pytest.mark.slow
def test_the_engine_finds_what_trying_every_place_finds(rows, written, main):
    index = index_of(rows)
    for part in index.parts:
        part._columns["sentence"] = sentence_starts(part)
    query = parse_query(written)
    found = find(select(index, main=main), query)
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == matches_of(query, Text(rows), main)


ROWS = [
    ("a", 0, "The cat saw the dog. The bird saw nothing!", True),
    ("a", 1, "Menu: the cat", False),
    ("b", 0, "Straße, strasse and STRASSE in İstanbul; l'été", True),
]


def found(written, syntax=None, main=True):
    selection = select(index_of(ROWS), main=main)
    words = Text(ROWS).words
    matches = find(selection, parse_query(written, syntax))
    return [" ".join(words[start:end]) for start, end in zip(matches.start, matches.end, strict=True)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("the", ["The", "the", "The"]),
        ('"the"', ["the"]),
        ('"the"%c', ["The", "the", "The"]),
        ("the (cat|bird)", ["The cat", "The bird"]),
        ("saw \\w+", ["saw the", "saw nothing"]),
        ('"saw" []{0,3} "bird"', ["saw the dog The bird"]),
        ('"saw" []{0,3} "bird" within s', []),
        ('<s> [] "cat"', ["The cat"]),
        ("[] </s>", ["dog", "nothing", "été"]),
        ('<s/> containing "bird"', ["The bird saw nothing"]),
        ("straße", ["Straße", "strasse", "STRASSE"]),
        ("strasse", ["Straße", "strasse", "STRASSE"]),
        ("istanbul", ["İstanbul"]),
        ("i.*l", ["İstanbul"]),
        ("l'été", ["l été"]),
        ("cat-saw", ["cat saw"]),
        ('"ete"%d', ["été"]),
        ('[word="s.*" & word!="saw"]', ["strasse"]),
        ('"saw" "the"? "dog"', ["saw the dog"]),
        ('"cat" []* "strasse" within document', []),
    ],
)
def test_queries_find_what_their_language_says(written, expected):
    assert found(written) == expected


def test_wildcards_are_read_as_elsewhere():
    assert found("s?w", "wildcards") == ["saw", "saw"]
    assert found("stra*", "wildcards") == ["Straße", "strasse", "STRASSE"]
    assert found("the * saw", "wildcards") == ["The cat saw", "The bird saw"]


def test_what_is_not_main_content_is_found_when_it_is_asked_for():
    assert found("cat") == ["cat"]
    assert found("cat", main=False) == ["cat", "cat"]


def test_of_matches_that_end_together_the_longest_counts():
    # The strategy "standard" of CQP: optional words at the beginning belong to the match, repetition ends early.
    assert found('"the"%c? "cat" | "dog"') == ["The cat", "dog"]
    assert found('"saw" []*') == ["saw", "saw"]


def test_a_match_that_does_not_begin_where_it_must_hides_no_other():
    selection = select(index_of([("a", 0, "One six. The b.", True)]))
    matches = find(selection, parse_query('<s> "six|The" []* "b"'))
    assert (matches.start.tolist(), matches.end.tolist()) == ([2], [4])


def test_an_attribute_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(
        ConfigurationError,
        match=r"no attribute 'lemma', expected one of lower, word; corpus\.annotate\(\"lemma\"\) adds it",
    ):
        found('[lemma="x"]')


def test_patterns_that_take_exponential_time_are_ended(monkeypatch):
    monkeypatch.setattr(matching.LexiconSearch.numbers.__globals__["patterns"], "SECONDS", 0.2)
    index = index_of([("a", 0, "a" * 60 + "b", True)])
    with pytest.raises(ConfigurationError, match="took more than"):
        find(select(index), parse_query('"((a|aa)+)+(?=c)c"'))


def test_a_query_that_would_take_hours_is_told(monkeypatch):
    monkeypatch.setattr(matching, "_MAX_WORK", 20 * 51**2)
    assert found('[]{0,50} "cat"') == ["The cat"]
    monkeypatch.setattr(matching, "_MAX_WORK", 1000)
    with pytest.raises(ConfigurationError, match=r"can start at .* start it with a rarer word"):
        found('[]{0,50} "cat"')


def test_a_query_cannot_grow_without_bound():
    with pytest.raises(ConfigurationError, match="expected at most 500 tokens"):
        find(select(index_of(ROWS)), parse_query('(("a"{100}){100}){100}'))
    with pytest.raises(ConfigurationError, match="expected at most 100 repetitions"):
        parse_query('"a"{1000}')
    with pytest.raises(ConfigurationError, match="brackets are open"):
        parse_query("(" * 1000 + '"a"' + ")" * 1000)
    with pytest.raises(ConfigurationError, match="characters"):
        parse_query("a" * 10_000)


@pytest.mark.parametrize(
    ("written", "place", "problem"),
    [
        ("[lemma=]", 8, "found ']', expected a string such as"),
        ("[lemma=go]", 8, "found 'go', expected a string such as"),
        ("[word]", 6, "found ']', expected = or !="),
        ('"a" within', 11, "it ends too early, expected a name"),
        ('"a"{1', 6, "it ends too early, expected a comma or }"),
        ('"a" foo', 5, "found 'foo', expected the end of the query, a string such as"),
        ('"a" "b', 5, 'a string begins here, but its closing " is missing'),
        ('"a" within x', 12, "no structure 'x'"),
        ('("a"', 5, "ends too early"),
        ('"a" "b(c"', 6, "missing )"),
        ("two b(c", 5, "missing )"),
        ('"a"{3,1}', 4, "at least 3, but at most 1"),
    ],
)
def test_errors_show_the_place(written, place, problem):
    with pytest.raises(ConfigurationError) as caught:
        parse_query(written)
    first, shown, mark = str(caught.value).split("\n")[:3]
    assert first.startswith(f"query, character {place}: ")
    assert problem in first
    assert shown.strip() == written
    assert mark.index("^") - 2 == place - 1


@pytest.mark.parametrize("written", ['"access control"', r"3\.5", '[word="runs,"]', '"a b"%c', "runs,"])
def test_a_pattern_that_no_word_can_match_is_told(written):
    with pytest.raises(ConfigurationError, match=r"'.+' never matches.*one pattern per word"):
        parse_query(written)


@pytest.mark.parametrize(
    "written",
    [
        "runs?",
        "colou?r",
        "s.t",
        "i.*l",
        r"c\w+",
        "a,?b",
        '[word!="a b"]',
        '"a|b c"',
        '[lemma="give up"]',
        "don't",
        "e-mail",
    ],
)
def test_a_pattern_that_a_word_may_match_is_taken(written):
    assert parse_query(written).hint == ""


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        (
            "insur*",
            "insur* is a regular expression: insu, insur, insurr ...; for all words that begin with insur: insur.*",
        ),
        ('[word="insur*"] "x"', "insur* is a regular expression"),
        ("version 3.5", "3.5 is a regular expression: . is any character, and words end at dots: write 3 5"),
        ('[word=="don\'t"]', '"\'" never matches'),
        (
            "C++",
            "C++ is a regular expression: C, CC ..., and no word contains '+'; to find the signs, search the running text by "
            'kwic with syntax="text": C\\+\\+',
        ),
        (".NET", ".NET is a regular expression: . is any character, and words end at dots: write NET"),
        ("the U.S. law", "U.S. is a regular expression: . is any character, and words end at dots: write U S"),
        (
            "$100",
            'because $ is the end of a word: write 100, or search the running text by kwic with syntax="text": \\$100',
        ),
    ],
)
def test_what_a_query_may_have_been_meant_to_be_is_told(written, hint):
    assert hint in parse_query(written).hint


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("AT&T", "one pattern per word (AT T), or search"),
        ("'tis", "one pattern per word (tis), or search"),
        ("Note:", "one pattern per word (Note), or search"),
        ("lemma:go", 'one pattern per word (lemma go), for a layer [lemma="go"], or search'),
    ],
)
def test_a_query_with_signs_that_are_in_no_word_is_told_as_it_can_be_written(written, meant):
    with pytest.raises(ConfigurationError) as told:
        parse_query(written)
    assert meant in str(told.value)


def test_stars_that_are_no_wildcards_lead_to_wildcards():
    with pytest.raises(ConfigurationError, match=r'\* is not a wildcard here: syntax="wildcards"'):
        parse_query("*run")


def test_the_running_text_is_told_as_what_only_some_can_look_in():
    with pytest.raises(
        ConfigurationError, match=r"only kwic and concordance support: expected one of cql, simple, wildcards$"
    ):
        parse_query("run", "text")
