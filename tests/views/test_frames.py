import numpy as np
import pandas as pd
import pytest

import corpuskit
from corpuskit.document.dataframes import COLUMNS

HOUSE = {
    "documents": "doc_id version uri host title media_type lang words main_words elements timestamp fetched status relevance "
    "decision label duplicate_of annotators agreement author published updated site_name description categories tags "
    "license canonical image fingerprint topic",
    "requests": "clock url status_code response_ms download_ms bytes unique_share depth parent redirected_from retries "
    "retry_after_s error",
    "frontier": "url host depth parent anchor priority state why reason_refused next_allowed",
    "sources": "host pages relevant labels harvest verdict why",
    "labels": "target kind label by note when version superseded origin",
    "failures": "uri stage error message when tries",
}


@pytest.fixture
def filled(fill, web):
    texts = {"b": "Same text here.", "a": "Same text here.", "long-name": "Another text."}
    corpus = fill({f"{name}.html": f"<title>{name}</title><p>{text}</p>" for name, text in texts.items()})
    web.add("http://a.example/", "front page", ["/gone"])
    corpus.crawl("http://a.example/", delay=0, proxy=web.proxy).wait(progress=False)
    corpus.set_labels({corpus.documents().doc_id[0]: "relevant"}, by="me")
    return corpus


@pytest.mark.feature("vectors")
@pytest.mark.parametrize("name", HOUSE)
def test_a_frame_has_its_columns_and_the_same_types_when_empty(name, corpus, filled, tmp_path):
    empty = corpuskit.open(tmp_path / "empty")
    full, none = getattr(filled, name)(), getattr(empty, name)()
    assert list(full.columns) == HOUSE[name].split()
    assert len(full) > 0
    assert len(none) == 0
    assert full.dtypes.astype(str).to_dict() == none.dtypes.astype(str).to_dict()
    empty.close()


def test_elements_have_the_document_and_derived_columns(filled, tmp_path):
    elements = filled.elements()
    assert list(elements.columns) == ["doc_id", *COLUMNS, "lang", "words", "title", "uri", "unique"]
    empty = corpuskit.open(tmp_path / "empty").elements()
    assert elements.dtypes.astype(str).to_dict() == empty.dtypes.astype(str).to_dict()
    assert elements.groupby("doc_id", observed=True).element_id.apply(lambda ids: (np.diff(ids) == 1).all()).all()


def test_elements_are_counted_and_repeated_texts_are_marked(filled):
    elements = filled.elements()
    same = elements[elements.text == "Same text here."]
    assert same.words.tolist() == [3, 3]
    assert sorted(same.unique) == [False, True]


def test_elements_of_some_documents_come_from_a_frame_a_series_or_a_list(filled):
    documents = filled.documents().head(2)
    expected = set(documents.doc_id)
    for docs in (documents, documents.doc_id, list(documents.doc_id), tuple(documents.doc_id)):
        assert set(filled.elements(docs).doc_id) == expected
    assert len(filled.elements([])) == 0
    with pytest.raises(TypeError, match="doc_id"):
        filled.elements(pd.DataFrame({"id": []}))


def test_elements_without_text_leave_the_long_columns_out(filled):
    without = set(filled.elements().columns) - set(filled.elements(text=False).columns)
    assert without == {"text", "links", "tex", "locator"}


def test_a_copy_names_the_document_with_the_shortest_uri(filled):
    documents = filled.documents().set_index("uri")
    assert documents.duplicate_of["pages/b.html"] == documents.doc_id["pages/a.html"]
    assert documents.duplicate_of.isna().sum() == 3


def test_labels_and_failures_show_in_their_places(filled):
    assert filled.documents().label.tolist().count("relevant") == 1
    assert filled.failures().uri.tolist() == ["http://a.example/gone"]
    assert filled.sources().set_index("host").labels.sum() == 1
    assert "1 relevant" in repr(filled)


def test_no_page_is_counted_relevant_or_not_before_there_is_a_label_or_a_model(filled, cli):
    sources = filled.sources().set_index("host")
    assert sources.relevant.loc["a.example"] is pd.NA
    assert np.isnan(sources.harvest.loc["a.example"])
    assert sources.relevant.loc[""] == 1  # of the files, one of which has a label
    rows = [[cell.strip() for cell in line.split("│")] for line in cli("status", filled.path).out.splitlines()]
    assert [row[:5] for row in rows if row[0] == "a.example"] == [["a.example", "1", "–", "0", "–"]]
