"""Pipelines: columns, filters with reasons, counts, failures as rows, and nothing done twice."""

import json

import pandas as pd
import pytest

import corpuskit
from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.preprocessing import blocks, duplicates, keep, language, normalize, personal_data, quality, step, words

ENGLISH = (
    "The harbour lies at the mouth of a river that has carried boats since Roman times and still does in our days."
)
FRENCH = "Le port se trouve à l'embouchure d'une rivière qui porte des bateaux depuis l'époque romaine et encore de nos jours."


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


def fill(corpus, files, **texts):
    for name, text in texts.items():
        (files / f"{name}.txt").write_text(text, "utf-8")
    corpus.add(files, progress=False)


def by_name(corpus, result):
    names = corpus.documents().set_index("doc_id")["uri"].str.rpartition("/")[2].str.removesuffix(".txt")
    return result.frame.assign(name=result.frame["doc_id"].map(names)).set_index("name")


def counting():
    calls = []

    def work(text):
        calls.append(text)
        return {"size": len(text)}

    return calls, step("size", work, {"size": "int64"})


def test_steps_add_columns_and_filters_say_why(corpus, files):
    fill(corpus, files, english=ENGLISH, french=FRENCH, short="A river.")
    result = corpus.preprocess(
        [
            "language",
            words(),
            keep("detected_lang", among=["en", "fr"]),
            personal_data(),
            keep("text_words", at_least=21),
        ],
        progress=False,
    )
    frame = by_name(corpus, result)
    assert frame["keep"].to_dict() == {"english": True, "french": True, "short": False}
    assert frame.loc["short", "reason"] == "detected_lang in ['en', 'fr']"
    assert frame.loc["english", "detected_lang"] == "en"
    assert frame.loc["english", ["text_words", "text_sentences", "emails"]].tolist() == [22, 1, 0]
    assert pd.isna(frame.loc["short", "emails"])
    assert result.steps[["name", "in", "out"]].values.tolist()[:3] == [
        ["language", 3, 3], ["words", 3, 3], ["keep detected_lang in en, fr", 3, 2],
    ]  # fmt: skip
    assert len(corpus) == 3


def test_a_second_run_computes_nothing_and_gives_the_same(corpus, files):
    fill(corpus, files, a=ENGLISH, b=FRENCH)
    calls, size = counting()
    steps = [size, duplicates(), blocks(), keep("unique")]
    first = corpus.preprocess(steps, progress=False)
    assert len(calls) == 2
    assert first.steps["computed"].tolist() == [2, 2, 0, 0]
    second = corpus.preprocess(steps, progress=False)
    assert len(calls) == 2
    assert second.steps["computed"].tolist() == [0, 0, 0, 0]
    pd.testing.assert_frame_equal(first.frame, second.frame)
    assert first.record == second.record


def test_only_new_documents_and_versions_are_worked_on(corpus, files):
    fill(corpus, files, a=ENGLISH, b=FRENCH)
    calls, size = counting()
    corpus.preprocess([size, duplicates()], progress=False)
    fill(corpus, files, a=ENGLISH + " Changed.", c="New text.")
    result = corpus.preprocess([size, duplicates()], progress=False)
    assert sorted(calls[2:]) == ["New text.", ENGLISH + " Changed."]
    assert result.steps["computed"].tolist() == [2, 2]
    assert by_name(corpus, result)["size"].to_dict() == {"a": len(ENGLISH) + 9, "b": len(FRENCH), "c": 9}


def test_a_run_that_was_stopped_goes_on(corpus, files):
    fill(corpus, files, a="one", b="two", c="three")
    calls, stop = [], [True]

    def work(text):
        if stop[0] and len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(text)
        return {"size": len(text)}

    size = step("size", work, {"size": "int64"})
    with pytest.raises(KeyboardInterrupt):
        corpus.preprocess([size], progress=False)
    stop[0] = False
    result = corpus.preprocess([size], progress=False)
    assert sorted(calls) == ["one", "three", "two"]
    assert sorted(result.frame["size"]) == [3, 3, 5]


def test_a_failure_drops_the_document_is_a_row_and_is_tried_again(corpus, files):
    fill(corpus, files, a="good", b="bad")
    broken = [True]

    def work(text):
        if broken[0] and text == "bad":
            raise ValueError("not this one")
        return {"size": len(text)}

    size = step("size", work, {"size": "int64"})
    result = corpus.preprocess([size], progress=False)
    frame = by_name(corpus, result)
    assert frame["keep"].to_dict() == {"a": True, "b": False}
    assert frame.loc["b", "reason"] == "failed: size"
    assert result.steps["failed"].tolist() == [1]
    failure = corpus.failures().iloc[0]
    assert (failure["stage"], failure["error"], failure["message"]) == ("preprocess size", "ValueError", "not this one")
    broken[0] = False
    assert corpus.preprocess([size], progress=False).frame["keep"].all()
    assert len(corpus.failures()) == 0


def test_a_value_of_the_wrong_type_is_a_failure_of_its_document(corpus, files):
    fill(corpus, files, a="x")
    result = corpus.preprocess([step("size", lambda text: {"size": "1"}, {"size": "int64"})], progress=False)
    assert result.frame["reason"].tolist() == ["failed: size"]
    assert "expected int64" in corpus.failures()["message"].iloc[0]


def test_later_steps_see_the_text_that_earlier_ones_changed(corpus, files):
    fill(corpus, files, a="ﬁn œuf")
    calls, size = counting()
    corpus.preprocess([size], progress=False)
    corpus.preprocess([normalize("french"), size], progress=False)
    assert calls == ["ﬁn œuf", "fin oeuf"]


def test_duplicates_of_the_pipeline_stand_in_documents(corpus, files):
    fill(corpus, files, a=ENGLISH * 3)
    first = corpus.documents()["doc_id"].iloc[0]
    fill(corpus, files, b=ENGLISH * 3 + " One more sentence.", c=FRENCH)
    assert corpus.documents()["duplicate_of"].isna().all()
    result = corpus.preprocess([duplicates(), keep("unique")], progress=False)
    frame = by_name(corpus, result)
    assert frame["keep"].sum() == 2
    assert frame.loc["c", "keep"]
    near = corpus.documents().dropna(subset="duplicate_of")
    assert near["doc_id"].tolist() == frame.loc[~frame["keep"], "doc_id"].tolist()
    assert set(near["duplicate_of"]) <= {first, *frame["doc_id"]}
    assert frame.loc[~frame["keep"], "reason"].tolist() == ["unique"]


def test_blocks_of_every_page_of_a_site_are_told(corpus, files):
    menu = "Home and contact and imprint"
    fill(corpus, files, **{f"p{i}": f"{menu}\n\nOnly page {i} says word{i} here" for i in range(5)})
    result = corpus.preprocess([blocks(min_documents=5)], progress=False)
    assert result.frame["repeated_blocks"].round(3).tolist() == [round(5 / 11, 3)] * 5


def test_quality_is_a_column_and_its_verdict_a_filter(corpus, files):
    fill(corpus, files, a=ENGLISH)
    frame = corpus.preprocess([quality("gopher"), keep("gopher_ok")], progress=False).frame
    assert frame["gopher_words"].tolist() == [22]
    assert frame["gopher_why"].tolist() == ["gopher_words"]
    assert frame["reason"].tolist() == ["gopher_ok"]


def test_the_record_holds_steps_options_and_counts(corpus, files):
    fill(corpus, files, a=ENGLISH, b="short")
    result = corpus.preprocess([language(), keep("main_words", at_least=10)], progress=False)
    assert json.loads(result.record) == {
        "steps": [
            {"step": "language", "in": 2, "out": 2},
            {
                "step": "keep",
                "options": {"column": "main_words", "at_least": 10},
                "title": "keep main_words >= 10",
                "in": 2,
                "out": 1,
            },
        ]
    }
    assert "1 of 2 documents kept" in repr(result)


def test_the_result_is_what_export_takes(corpus, files, tmp_path):
    fill(corpus, files, a=ENGLISH, b="short")
    result = corpus.preprocess([keep("main_words", at_least=10)], progress=False)
    corpus.export(tmp_path / "out", docs=result.frame, format="jsonl")
    texts = [file.read_text("utf-8") for file in (tmp_path / "out").rglob("*.jsonl")]
    assert "".join(texts).count('"doc_id"') == 1


def test_mistakes_are_told_before_work_begins(corpus, files):
    fill(corpus, files, a=ENGLISH)
    with pytest.raises(ConfigurationError, match="there are: normalize"):
        corpus.preprocess(["languages"], progress=False)
    with pytest.raises(ConfigurationError, match="no step before it"):
        corpus.preprocess([keep("unique"), duplicates()], progress=False)
    with pytest.raises(ConfigurationError, match="there already"):
        corpus.preprocess([words(), words()], progress=False)
    with pytest.raises(ConfigurationError, match="dtype"):
        step("x", len, {"x": "category"})
    with pytest.raises(UnknownDocumentError):
        corpus.preprocess(["words"], docs=["0" * 16], progress=False)


def test_an_empty_corpus_has_an_empty_result(corpus):
    result = corpus.preprocess(["language", "words", "quality", "duplicates", "blocks", keep("unique")], progress=False)
    assert len(result.frame) == 0
    assert {"doc_id", "keep", "reason", "detected_lang", "unique", "repeated_blocks"} <= set(result.frame.columns)
    assert result.steps["out"].tolist() == [0] * 6


def test_an_empty_document_has_results(tmp_path):
    with_empty = corpuskit.open(tmp_path / "c")
    (tmp_path / "a.html").write_bytes(b"<html><head><title>T</title></head><body></body></html>")
    with_empty.add(tmp_path / "a.html", progress=False)
    assert len(with_empty) == 1
    assert with_empty.preprocess(["words"], progress=False).frame["text_words"].tolist() == [0]
    with_empty.close()


def test_one_step_needs_no_list(corpus, files):
    fill(corpus, files, a=ENGLISH)
    assert corpus.preprocess("language", progress=False).frame["detected_lang"].tolist() == ["en"]
    assert corpus.preprocess(language(), progress=False).steps["name"].tolist() == ["language"]
