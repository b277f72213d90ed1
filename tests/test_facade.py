"""class Corpus has few names of its own, its accessors the rest, and every earlier spelling works."""

import subprocess
import sys

import pandas as pd
import pytest

import corpuskit
from corpuskit.errors import UnknownNameError

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

# Methods of Corpus before it had accessors.
EARLIER = [
    "add",
    "add_wikipedia",
    "annotate",
    "audit",
    "backup",
    "browse",
    "charset",
    "check",
    "close",
    "clusters",
    "collocates",
    "compare",
    "concordance",
    "crawl",
    "crawl_report",
    "describe",
    "disagreements",
    "discover",
    "dispersion",
    "documents",
    "drop_textworks",
    "elements",
    "embed",
    "explore",
    "export",
    "export_fasttext",
    "export_queue",
    "export_requests",
    "export_seeds",
    "extract_pending",
    "failures",
    "fetch",
    "find",
    "forget_query",
    "frequency",
    "frontier",
    "import_labels",
    "keywords",
    "kwic",
    "label",
    "labels",
    "labels_report",
    "map",
    "merge",
    "model",
    "next_to_label",
    "ngrams",
    "occurrences",
    "original",
    "pack",
    "page",
    "positions",
    "prelabel",
    "preprocess",
    "queries",
    "relevance_report",
    "remove",
    "repair",
    "requests",
    "sample",
    "save_query",
    "save_subcorpus",
    "set_labels",
    "set_source",
    "similar",
    "sketch",
    "sources",
    "subcorpora",
    "subcorpus",
    "topics",
    "train",
    "train_urls",
    "unpack",
    "view",
    "vocabulary",
    "wordlist",
    "write_seeds",
]


@pytest.fixture
def corpus(copy_demo):
    with corpuskit.open(copy_demo("demo")) as opened:
        yield opened


def test_every_earlier_method_can_be_called_on_the_corpus(tmp_path):
    with corpuskit.open(tmp_path / "c") as corpus:
        methods = {name: getattr(corpus, name) for name in EARLIER}
    assert [name for name, method in methods.items() if not callable(method)] == []
    assert {name for name, method in methods.items() if not method.__doc__} == set()


def test_a_corpus_lists_at_most_45_names_and_among_them_the_accessors(corpus):
    public = [name for name in dir(corpus) if not name.startswith("_")]
    assert len(public) <= 45
    assert {
        "text",
        "web",
        "archives",
        "vectors",
        "labelling",
        "maintenance",
        "subcorpora",
        "queries",
        "kwic",
        "map",
    } <= set(public)
    assert not {"collocates", "save_query", "write_seeds"} & set(public)


def test_an_accessor_is_made_once_and_lists_its_methods(corpus):
    assert corpus.text is corpus.text
    assert "collocates   Return the collocates of a query" in repr(corpus.text)


def test_a_part_of_the_corpus_is_named_once_for_all_methods_of_words(corpus):
    handbook = corpus.text(docs="claims-handbook.docx", main_only=False, include_duplicates=True)
    earlier = {"docs": "claims-handbook.docx", "main": False, "copies": True}
    pd.testing.assert_frame_equal(handbook.kwic("excess"), corpus.kwic("excess", **earlier))
    pd.testing.assert_frame_equal(handbook.wordlist(), corpus.wordlist(**earlier))
    assert len(handbook.kwic("excess")) < len(corpus.text.kwic("excess"))


def test_key_words_take_their_documents_as_before_by_position_or_by_name(corpus):
    french = corpus.documents().query("lang == 'fr'")
    now = corpus.text(docs=french).keywords(reference=corpus, min_count=5)
    pd.testing.assert_frame_equal(now, corpus.keywords(french, corpus, min_count=5))
    pd.testing.assert_frame_equal(now, corpus.keywords(docs=french, reference=corpus, min_count=5))


def test_sub_corpora_are_a_mapping(corpus):
    corpus.subcorpora["files"] = ["claims-handbook.docx"]
    assert list(corpus.subcorpora) == ["files"]
    assert "files" in corpus.subcorpora
    assert corpus.subcorpora["files"].equals(corpus.subcorpus("files"))
    del corpus.subcorpora["files"]
    assert dict(corpus.subcorpora) == {}
    assert corpus.subcorpora.get("files") is None
    with pytest.raises(UnknownNameError, match=r"^no sub-corpus 'files'; there are: none$"):
        del corpus.subcorpora["files"]


def test_saved_queries_are_a_mapping(corpus):
    corpus.queries["money"] = "premiums?"
    corpus.queries["again"] = corpus.queries["money"]
    assert {name: query.query for name, query in corpus.queries.items()} == {"again": "premiums?", "money": "premiums?"}
    del corpus.queries["again"]
    assert corpus.queries()["name"].tolist() == ["money"]
    with pytest.raises(UnknownNameError, match=r"^no saved query 'again'; there are: 'money'$"):
        corpus.queries["again"]


def test_errors_name_the_method_as_it_is_called(corpus):
    with pytest.raises(TypeError, match=r"^Corpus\.sample\(\) missing 1 required positional argument: 'n'$"):
        corpus.sample()
    with pytest.raises(TypeError, match=r"^Corpus\.text\.kwic\(\) missing 1 required positional argument: 'query'$"):
        corpus.kwic()


def test_a_wrong_name_is_an_error_that_proposes_the_nearest(corpus):
    with pytest.raises(AttributeError, match=r"^a Corpus has no attribute 'documnets'; did you mean 'documents'\?$"):
        corpus.documnets  # noqa: B018 - reading it is the test


def test_a_feature_group_that_cannot_be_imported_is_left_out(tmp_path):
    code = (
        "import sys; sys.modules['corpuskit.features.vectors'] = None\n"
        "import corpuskit; corpus = corpuskit.open('c')\n"
        "print(hasattr(corpus, 'vectors'), hasattr(corpus, 'text'), len(corpus))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "False True 0\n"
    assert "the feature group vectors is not available" in done.stderr
