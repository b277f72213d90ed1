"""Numbers that cannot be meant: each is told with what was found and what was expected, as an error of corpuskit."""

import numpy as np
import pandas as pd
import pytest

import corpuskit as ck
from corpuskit import engine
from corpuskit.discovery import Choice
from corpuskit.errors import ConfigurationError, CorpusKitError
from corpuskit.preprocessing import duplicates
from corpuskit.text import DuplicateIndex, ngrams, words

TEXT = "The premium is paid. The premium is high."


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(f"{TEXT} So says {name}.", "utf-8")
    corpus = ck.open(folder / "corpus")
    corpus.add(folder / "a.txt", folder / "b.txt", progress=False)
    yield corpus
    corpus.close()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda corpus: corpus.kwic("premium", sample=2.5), r"sample=2\.5: expected a whole number"),
        (lambda corpus: corpus.kwic("premium", sample=-1), r"sample=-1: expected a whole number, at least 1"),
        (lambda corpus: corpus.kwic("premium", limit=True), r"limit=True: expected a whole number"),
        (
            lambda corpus: corpus.kwic("premium", window=10**9),
            r"window=1000000000 \(--window\): expected at most 10,000 words on each side; corpus\[doc_id\] is the whole document",
        ),
        (
            lambda corpus: corpus.concordance("premium", window=10_001),
            r"window=10001 \(--window\): expected at most 10,000 words",
        ),
        (
            lambda corpus: corpus.kwic("premium", window=10_001, syntax="text"),
            r"window=10001 \(--window\): expected at most 10,000",
        ),
        (lambda corpus: corpus.collocates("premium", window=10**9), r"window 1000000000: expected 1 to 10,000 words"),
        (lambda corpus: corpus.ngrams(2.5), r"n=2\.5: expected a whole number"),
        (lambda corpus: corpus.collocates("premium", window=2.5), r"window=2\.5: expected a whole number"),
        (lambda corpus: corpus.frequency("premium", by=pd.Series([1, 2])), r"by: found a Series, expected year"),
        (lambda corpus: corpus.keywords(["b.txt"], {"the": "5"}), r"found '5' for 'the', expected a count"),
        (lambda corpus: corpus.keywords(["b.txt"], {"the": -5}), r"found -5 for 'the', expected a count"),
        (lambda corpus: corpus.keywords(["b.txt"], {"the": 2.5}), r"found 2\.5 for 'the', expected a count"),
        (lambda corpus: corpus.keywords(["b.txt"], {"the": float("nan")}), r"found nan for 'the', expected a count"),
        (lambda corpus: corpus.save_query("q", "premium", sample=-1), r"sample=-1: expected a whole number"),
        (lambda corpus: corpus.sample(2.5), r"n=2\.5: expected a whole number"),
        (lambda corpus: corpus.sample(-1), r"n=-1: expected a whole number, at least 0"),
    ],
)
def test_a_number_that_cannot_be_is_told(corpus, call, message):
    with pytest.raises(ConfigurationError, match=message):
        call(corpus)


@pytest.mark.parametrize(
    "call",
    [
        lambda corpus: corpus.keywords(["b.txt"], {"the": 5}, min_count=-1),
        lambda corpus: corpus.collocates("premium", min_count=-1),
        lambda corpus: corpus.wordlist(min_count=-1),
        lambda corpus: corpus.ngrams(2, min_count=-1),
        lambda corpus: corpus.clusters("premium", min_count=-1),
        lambda corpus: corpus.sketch("premium", min_count=-1),
        lambda corpus: corpus.vocabulary(min_count=-1),
        lambda corpus: words([TEXT], min_count=-1),
        lambda corpus: ngrams([TEXT], min_count=-1),
    ],
)
def test_no_word_is_rarer_than_never(corpus, call):
    with pytest.raises(ConfigurationError, match="min_count=-1: expected a whole number, at least 0"):
        call(corpus)


@pytest.mark.parametrize("kind", ["conllu", "vert"])
def test_a_file_of_layers_that_is_missing_is_told_by_its_name(corpus, kind, tmp_path):
    for there in (tmp_path / "missing", tmp_path):
        with pytest.raises(CorpusKitError, match=there.name):
            corpus.annotate(f"{kind}:{there}", columns=["word"], progress=False)


def test_whole_numbers_of_numpy_and_floats_without_a_fraction_are_whole_numbers(corpus):
    assert len(corpus.kwic("premium", window=2.0, sample=1.0)) == 1
    assert corpus.ngrams(2.0).equals(corpus.ngrams(2))
    assert Choice(budget_bytes=1e9).budget_bytes == 1_000_000_000
    assert len(corpus.kwic("premium", window=np.int64(2), sample=np.int32(1))) == 1
    assert len(corpus.ngrams(np.int16(2))) == len(corpus.ngrams(2))
    assert corpus.keywords(["b.txt"], {"the": 5.0}, min_count=1).set_index("word").loc["the", "reference_count"] == 5


@pytest.mark.parametrize("syntax", [None, "text"])
@pytest.mark.slow
def test_the_widest_window_shows_the_whole_of_a_short_document(corpus, syntax):
    line = corpus.kwic("says", docs="a.txt", window=10_000, syntax=syntax).iloc[0]
    assert (line["left"], line["right"].rstrip(".")) == (f"{TEXT} So", "a.txt")


def test_lines_that_are_made_some_at_a_time_are_the_same(corpus, monkeypatch):
    at_once = corpus.kwic("premium", window=8)
    monkeypatch.setattr(
        "corpuskit.features.linguistics.lines._PIECES_PER_BATCH", 17
    )  # 8 words and gaps on each side: one line
    assert len(at_once) == 4
    assert corpus.kwic("premium", window=8).equals(at_once)


@pytest.mark.parametrize("name", ["per_host", "budget_pages", "budget_bytes"])
def test_a_part_of_a_page_is_no_limit(name):
    with pytest.raises(ConfigurationError, match=rf"{name}=1\.5: expected a whole number, at least 1"):
        Choice(**{name: 1.5})


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
@pytest.mark.parametrize("on", ["serial", "processes", "dask"])
def test_no_workers_are_not_as_many_as_there_are_cpus(on, workers):
    with pytest.raises(ConfigurationError, match=rf"workers={workers}: expected a whole number, at least 1"):
        engine.run(len, ["a"], on=on, workers=workers)


@pytest.mark.parametrize("size", [0, 2.5, "3"])
def test_runs_of_no_words_cannot_be_compared(size, tmp_path):
    for make in (lambda: duplicates(size=size), lambda: DuplicateIndex(tmp_path / "index", size=size)):
        with pytest.raises(ConfigurationError, match=r"size=.*: expected a whole number, at least 1"):
            make()
