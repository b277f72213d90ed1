"""docs/reference/frames.md says what the frames of the demo's corpus are."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from corpuskit_docs.public import corpus_methods

import corpuskit
from corpuskit.features.linguistics.queries import QueriesAccessor

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/frames.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
SAID = {
    name: dict(row for row in re.findall(r"^\| (\w+) \| ([^|]+?) \|", text, re.MULTILINE) if row[0] != "column")
    for name, text in SECTIONS.items()
}
MADE = {
    "collocates": lambda corpus: corpus.collocates("premium"),
    "clusters": lambda corpus: corpus.clusters("premium"),
    "dispersion": lambda corpus: corpus.dispersion("premium"),
    "elements": lambda corpus: corpus.elements(frequencies=True, formatting=True),
    "keywords": lambda corpus: corpus.keywords(corpus.documents().head(10)),
    "kwic": lambda corpus: corpus.kwic("premium"),
    "occurrences": lambda corpus: corpus.occurrences("premium"),
    "preprocess": lambda corpus: corpus.preprocess([]).frame,
    "similar": lambda corpus: corpus.similar("files/claims-handbook.docx"),
    "topics": lambda corpus: corpus.topics().frame,
}


@pytest.fixture(scope="module")
def corpus(demo_folder, tmp_path_factory):
    copy = tmp_path_factory.mktemp("frames") / "demo"
    opened = corpuskit.open(shutil.copytree(demo_folder, copy, ignore=shutil.ignore_patterns("exports")))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", sorted(SAID))
@pytest.mark.slow
def test_a_frame_has_the_columns_and_types_that_the_reference_says(corpus, name):
    if name == "sketch":
        corpus.annotate("pos", lambda words: ["NOUN"] * len(words), progress=False)
        corpus.annotate("lemma", progress=False)
        frame = corpus.sketch("premium")
    else:
        frame = MADE[name](corpus) if name in MADE else getattr(corpus, name)()
    assert frame.dtypes.astype(str).to_dict() == SAID[name]


def test_every_method_that_returns_a_frame_is_on_the_page():
    named = set(re.findall(r"(?:Corpus|Accessor)\.(\w+)>|(?:Corpus|Accessor)\.(\w+)`", PAGE))
    named = {one or other for one, other in named} | set(SAID)
    for name, method in corpus_methods().items():
        if method.__annotations__.get("return") == "pd.DataFrame":
            assert name.rpartition(".")[2] in named, name


def test_a_documents_own_frame_has_the_columns_of_elements(corpus):
    frame = next(iter(corpus)).to_frame()
    columns = list(SAID["elements"])
    own = columns[columns.index("element_id") : columns.index("tex") + 1]
    assert frame.dtypes.astype(str).to_dict() == {name: SAID["elements"][name] for name in own}


def test_the_columns_of_a_frame_stand_in_the_docstring_of_its_method():
    methods = {name.rpartition(".")[2]: method for name, method in corpus_methods().items()}
    methods["queries"] = QueriesAccessor.__call__
    methods["documents"] = corpuskit.corpus.Corpus.documents
    for name, columns in SAID.items():
        method = methods[name]
        if name not in {"elements", "topics", "preprocess"}:
            missing = [column for column in columns if not re.search(rf"\b{column}\b", method.__doc__)]
            assert missing == [], name


def test_empty_frames_have_the_same_columns(tmp_path):
    with corpuskit.open(tmp_path / "empty") as empty:
        for name in ("documents", "requests", "frontier", "sources", "labels", "failures", "queries"):
            frame = getattr(empty, name)()
            assert isinstance(frame, pd.DataFrame)
            assert frame.dtypes.astype(str).to_dict() == SAID[name], name


@pytest.mark.parametrize("name", sorted(name for name, columns in SAID.items() if "doc_id" in columns))
def test_a_frame_that_names_documents_says_which_they_are(name):
    assert {"title", "uri"} <= set(SAID[name])
