"""Topics: found, named, kept, and what people said of them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import corpuskit
import corpuskit.vectors.edits
from corpuskit.errors import ConfigurationError, CorpusError, ExportError
from corpuskit.relevance.vector_space import Vocabulary
from corpuskit.vectors import kept_topics
from corpuskit.vectors.clustering import cluster, cluster_with_stability, default_number, group_centres
from corpuskit.vectors.making import unit
from corpuskit.vectors.naming import stop_words_of, words_of

FOLDER = "vectors/corpus"


def fine(topics):
    return topics.frame.query("level == 1")


def number_of(topics, word):
    """The topic that has a word."""
    [found] = [row.topic for row in fine(topics).itertuples() if word in row.words.split(", ")]
    return int(found)


# -- clusters ----------------------------------------------------------------------------------------------------------------


def test_clusters_are_numbered_by_their_size_and_found_by_other_seeds():
    of = np.repeat([0, 1, 2], [10, 30, 20])
    rows = unit(np.eye(3, 8)[of] + np.random.default_rng(0).normal(0, 0.02, (60, 8)))
    labels, stable = cluster_with_stability(rows, 3)
    assert labels.tolist() == [2] * 10 + [0] * 30 + [1] * 20
    assert stable.tolist() == pytest.approx([1.0, 1.0, 1.0])
    assert (cluster(rows, 3) == labels).all()


def test_a_sample_makes_the_clusters_of_many(monkeypatch):
    from corpuskit.vectors import clustering

    monkeypatch.setattr(clustering, "_SAMPLE", 20)
    of = np.repeat([0, 1], [60, 40])
    rows = unit(np.eye(2, 8)[of] + np.random.default_rng(0).normal(0, 0.02, (100, 8)))
    assert cluster(rows, 2).tolist() == of.tolist()


def test_rows_that_do_not_differ_are_one_cluster():
    assert cluster(unit(np.ones((9, 3))), 4).tolist() == [0] * 9
    assert cluster(np.zeros((3, 3), np.float32), 2).tolist() == [0] * 3


def test_groups_are_about_the_root_of_the_topics():
    far, near = np.eye(3, 6), 0.1 * np.eye(3, 6, k=3)
    centres = unit(np.concatenate([far, far + near, far - near]))  # three around each of three directions
    assert group_centres(centres).tolist() == [0, 1, 2] * 3
    assert group_centres(centres[:2]).tolist() == [0, 0]


def test_the_usual_number_is_the_root_of_a_tenth():
    assert [default_number(n) for n in (0, 30, 90, 1000, 100_000, 10**7)] == [2, 2, 3, 10, 100, 100]


# -- of a corpus -------------------------------------------------------------------------------------------------------------


def test_topics_are_the_subjects_with_their_words(three, subject_of):
    topics = three.topics(3)
    frame = topics.frame
    assert frame.dtypes.astype(str).to_dict() == {
        "topic": "Int32", "name": "str", "level": "Int32", "parent": "Int32", "documents": "Int64", "words": "str",
        "stability": "float64",
    }  # fmt: skip
    assert fine(topics)["documents"].tolist() == [12, 10, 8]
    assert fine(topics)["topic"].tolist() == [0, 1, 2]
    for row, words in zip(fine(topics).itertuples(), ("premium claim", "tomato soil", "orbit moon"), strict=True):
        named = row.words.split(", ")
        assert set(words.split()) <= set(named)
        assert len(named) <= 10
        assert row.name == ", ".join(named[:3])
    said = topics.of()
    for name, group in said.groupby(said["doc_id"].map(subject_of)):
        assert group["topic"].nunique() == 1, name


def test_stop_words_and_numbers_name_nothing(three):
    words = set(fine(three.topics(3))["words"].str.split(", ").explode())
    assert not words & {"the", "and", "of", "is", "what", "this", "about", "was", "0", "1"}


def test_texts_of_topics_are_read_together_and_in_batches(three, monkeypatch):
    reads = []
    read = kept_topics.scoring_texts
    monkeypatch.setattr(kept_topics, "scoring_texts", lambda folder, ids: reads.append(len(ids)) or read(folder, ids))
    told = three.topics(3).frame
    assert reads == [30]
    monkeypatch.setattr(kept_topics, "_DOCUMENTS_PER_BATCH", 15)
    assert three.topics(3, renew=True).frame.equals(told)
    assert len(reads) > 2


def test_parts_of_stop_words_are_stop_words():
    stop = stop_words_of(["en", "fr", None, "xx"])
    assert {"don", "doesn", "the", "est"} <= stop  # don't, doesn't
    assert "don" not in stop_words_of(["fr"])
    assert "premium" not in stop
    assert stop_words_of([]) == frozenset()


def test_words_are_those_that_more_of_the_texts_have():
    words = Vocabulary.fit(
        ["tax rate year", "tax rate", "tax form", "moon year", "moon rate", "sun year 1999 x"], "document"
    )
    # All have year 3, rate 3, tax 3, moon 2 times of 6: tax is in all of these, rate in two of three.
    found = words_of(words, ["tax rate year", "tax rate", "tax form"])
    assert found[0] == "tax"  # 1 * ln(1 / .5) = .69; form 1/3 * ln(2) = .23; rate 2/3 * ln(4/3) = .19
    assert found[1:] == ("form", "rate")  # year: 1/3 of these, 1/2 of all
    assert words_of(words, ["tax rate year"], stop=frozenset({"tax"}), n=1) == ("rate",)
    assert words_of(words, []) == ()


def test_groups_stand_above_topics(three):
    frame = three.topics(3).frame
    groups = frame.query("level == 0")
    assert set(frame.query("level == 1")["parent"]) == set(groups["topic"])
    for row in groups.itertuples():
        assert row.documents == frame.query(f"parent == {row.topic}")["documents"].sum()
    assert groups["parent"].isna().all()
    assert groups["stability"].isna().all()
    assert (frame.query("level == 1")["stability"] == 1.0).all()
    assert frame["level"].tolist() == sorted(frame["level"])


def test_documents_have_a_column_topic_once_topics_were_asked_for(three):
    assert three.documents()["topic"].isna().all()
    topics = three.topics(3)
    column = three.documents()["topic"]
    assert str(column.dtype) == "Int32"
    assert column.value_counts().to_dict() == {0: 12, 1: 10, 2: 8}
    assert three.documents(versions=True)["topic"].equals(column)
    assert topics.of(three.documents())["topic"].tolist() == column.tolist()


def test_topics_are_the_same_each_time_and_after_opening_again(three):
    before = three.topics(3)
    three.topics(3, renew=True)
    assert three.topics().frame.equals(before.frame)
    with corpuskit.open(three.path) as again:
        assert again.topics().frame.equals(before.frame)
        assert again.topics().of().equals(before.of())


def test_new_documents_are_assigned_without_moving_the_old(three, pages):
    before = three.topics(3)
    for i in range(2):
        pages.write("rocket", f"late{i}", "rocket orbit moon launch engine satellite")
    three.add(pages.folder, progress=False)
    assert three.documents()["topic"].isna().sum() == 2
    after = three.topics()
    old = after.of().merge(before.of(), on="doc_id", suffixes=("", "_before"))
    assert len(old) == 30
    assert (old["topic"] == old["topic_before"]).all()
    late = set(after.of()["doc_id"]) - set(before.of()["doc_id"])
    assert after.of(sorted(late))["topic"].tolist() == [number_of(before, "orbit")] * 2
    assert fine(after)["documents"].tolist() == [12, 10, 10]
    assert fine(after)["name"].tolist() == fine(before)["name"].tolist()
    assert three.documents()["topic"].isna().sum() == 0


def test_exact_copies_do_not_count_for_words_but_have_a_topic(three, pages):
    copy = (pages.folder / "garden00.html").read_text("utf-8")
    for i in range(40):
        (pages.folder / f"copy{i}.html").write_text(copy, "utf-8")
    three.add(pages.folder, progress=False)
    topics = three.topics(3)
    assert sorted(fine(topics)["documents"]) == [8, 12, 50]
    assert {"premium", "orbit", "tomato"} <= set(fine(topics)["words"].str.split(", ").explode())


def test_another_number_makes_topics_anew(three):
    assert len(three.topics(3)) == 3
    assert len(three.topics(2)) == 2
    assert len(three.topics()) == 2
    for n in (1, 2.5, "3"):
        with pytest.raises(ConfigurationError, match="a whole number"):
            three.topics(n)


def test_more_topics_than_documents_can_make_are_refused_with_what_can_be(three, pages):
    (pages.folder / "copy.html").write_bytes((pages.folder / "rocket00.html").read_bytes())
    three.add(pages.folder, progress=False)
    for n in (16, 10**6):
        with pytest.raises(
            ConfigurationError, match="of 30 documents with different texts at most 15 topics can be fitted"
        ):
            three.topics(n)
    assert len(three.topics(15)) <= 15


def test_rows_that_hardly_differ_make_fewer_clusters_and_no_warning():
    rows = unit(np.repeat(np.eye(2, 8), 20, axis=0) + 1e-5 * np.random.default_rng(0).normal(size=(40, 8)))
    for n in (3, 10, 20):
        assert cluster(rows, n).max() < n


def test_representatives_are_of_the_topic_and_the_best_come_first(three, subject_of):
    topics = three.topics(3)
    found = topics.representatives(number_of(topics, "orbit"), 4)
    assert list(found.columns) == ["doc_id", "title", "uri", "score"]
    assert [subject_of(doc_id) for doc_id in found["doc_id"]] == ["rocket"] * 4
    assert found["score"].is_monotonic_decreasing
    assert found["score"].between(0, 1.00001).all()
    group = topics.frame.query("level == 0")["topic"].iloc[0]
    assert len(topics.representatives(group, 2)) == 2
    with pytest.raises(ConfigurationError, match="no topic 99"):
        topics.representatives(99)


# -- what people say ---------------------------------------------------------------------------------------------------------


def test_a_name_is_kept_with_the_corpus(three):
    topics = three.topics(3)
    number, group = number_of(topics, "orbit"), int(topics.frame["topic"].iloc[0])
    topics.rename(number, "  Space \n flight ").rename(group, "All")
    assert topics.of().query(f"topic == {number}")["name"].unique().tolist() == ["Space flight"]
    with corpuskit.open(three.path) as again:
        frame = again.topics().frame.set_index("topic")
        assert frame.loc[[number, group], "name"].tolist() == ["Space flight", "All"]
    for name in ("", "  ", "x" * 201):
        with pytest.raises(ConfigurationError, match="1 to 200"):
            topics.rename(number, name)


def test_merged_topics_are_one_with_the_number_of_the_largest(three):
    topics = three.topics(3)
    first, second = number_of(topics, "tomato"), number_of(topics, "orbit")
    topics.rename(first, "Gardens").merge([second, first])
    frame = fine(topics).set_index("topic")
    assert frame.loc[first, ["name", "documents"]].tolist() == ["Gardens", 18]
    assert second not in frame.index
    assert pd.isna(frame.loc[first, "stability"])
    words = set(frame.loc[first, "words"].split(", "))
    assert words & {"garden", "flower", "tomato", "soil", "rain", "seed"}
    assert words & {"rocket", "orbit", "moon", "launch", "engine", "satellite"}
    assert three.documents()["topic"].value_counts().to_dict() == {first: 18, number_of(topics, "premium"): 12}
    with pytest.raises(ConfigurationError, match="two topics or more"):
        topics.merge([first])


def test_merged_topics_without_a_name_of_a_person_are_named_from_the_words_of_all(three):
    topics = three.topics(3)
    large, small = number_of(topics, "premium"), number_of(topics, "orbit")
    words = {row.topic: row.words.split(", ") for row in fine(topics).itertuples()}
    topics.merge([small, large])
    merged = fine(topics).set_index("topic").loc[large]
    assert merged["name"] == ", ".join([words[large][0], words[small][0], words[large][1]])
    assert merged["words"].split(", ")[:4] == [words[large][0], words[small][0], words[large][1], words[small][1]]
    with corpuskit.open(three.path) as again:
        assert again.topics().frame.equals(topics.frame)
    topics.merge([large, number_of(topics, "tomato")])
    assert fine(topics)["name"].item().split(", ") == [
        words[large][0],
        words[small][0],
        fine(topics)["words"].item().split(", ")[2],
    ]
    assert fine(topics)["words"].item().split(", ")[2] in {"tomato", "garden", "flower", "soil", "rain", "seed"}


def test_a_topic_that_a_person_named_after_it_was_merged_keeps_that_name(three):
    topics = three.topics(3)
    large, small = number_of(topics, "premium"), number_of(topics, "orbit")
    topics.merge([small, large]).rename(large, "Both")
    assert fine(topics).set_index("topic").loc[large, "name"] == "Both"


def test_documents_of_a_new_kind_are_told_as_far_from_every_topic(three, pages):
    topics = three.topics(3)
    assert "came later" not in repr(topics)
    for i in range(3):
        pages.write("rocket", f"late{i}", "rocket orbit moon launch engine satellite")
    for i in range(4):
        pages.write("guitar", f"guitar{i}", "guitar chord melody singer drum concert")
    three.add(pages.folder, progress=False)
    topics = three.topics()
    guitars = three.documents().query("title.str.startswith('guitar')").doc_id
    assert topics.far == guitars.tolist()
    assert topics.frame.attrs == {"later": 7, "far": 4}
    assert (
        "7 documents came later and were assigned to the nearest topic; 4 of them are far from every topic (.far): "
        "topics(renew=True) fits the topics again" in repr(topics)
    )
    with corpuskit.open(three.path) as again:
        assert again.topics().far == topics.far
    three.remove(guitars.tolist()[:1], reason="test")
    assert three.topics().frame.attrs == {"later": 6, "far": 3}
    renewed = three.topics(renew=True)
    assert renewed.frame.attrs == {"later": 0, "far": 0}


def test_a_topic_is_split_into_what_it_is_made_of(three, subject_of):
    topics = three.topics(3)
    both = [number_of(topics, "tomato"), number_of(topics, "orbit")]
    topics.merge(both).split(both[0], 2)
    assert sorted(fine(topics)["documents"]) == [8, 10, 12]
    said = topics.of()
    assert (said.groupby("topic")["doc_id"].agg(lambda ids: len({subject_of(one) for one in ids})) == 1).all()
    new = max(fine(topics)["topic"])
    assert new not in both
    assert fine(topics).set_index("topic").loc[both[0], "documents"] == 10
    assert three.topics().frame.equals(topics.frame)
    for wrong in (1, 0):
        with pytest.raises(ConfigurationError, match="2 or more"):
            topics.split(new, wrong)
    with pytest.raises(ConfigurationError, match="cannot be split into 9"):
        topics.split(new, 9)


def test_groups_are_neither_merged_nor_split(three):
    topics = three.topics(3)
    group = int(topics.frame["topic"].iloc[0])
    with pytest.raises(ConfigurationError, match="a group of topics"):
        topics.split(group)
    with pytest.raises(ConfigurationError, match="a group of topics"):
        topics.merge([group, 0])


def test_what_people_said_holds_when_topics_are_made_anew(three, pages):
    topics = three.topics(3)
    topics.rename(number_of(topics, "orbit"), "Space flight")
    topics.merge([number_of(topics, "tomato"), number_of(topics, "premium")])
    for i in range(20):  # now rockets are the largest: their number changes
        pages.write("rocket", f"late{i}", "rocket orbit moon launch engine satellite")
    three.add(pages.folder, progress=False)
    again = three.topics(3, renew=True)
    frame = fine(again)
    assert frame["documents"].tolist() == [28, 22]
    assert frame["name"].iloc[0] == "Space flight"
    assert frame["topic"].iloc[0] == 0


def test_new_documents_go_to_the_part_they_are_like(three, pages):
    topics = three.topics(3)
    both = [number_of(topics, "tomato"), number_of(topics, "orbit")]
    topics.merge(both).split(both[0])
    rockets = number_of(topics, "orbit")
    pages.write("rocket", "late", "rocket orbit moon launch engine satellite")
    three.add(pages.folder, progress=False)
    assert fine(three.topics()).set_index("topic").loc[rockets, "documents"] == 9


@pytest.mark.parametrize("file", ["topics.rec", "topics.json"])
@pytest.mark.parametrize(
    "damage", [lambda f: f.write_bytes(f.read_bytes()[:-9]), lambda f: f.write_bytes(b"{}"), lambda f: f.unlink()]
)
def test_damaged_topics_are_told_and_made_again_with_what_people_said(three, file, damage):
    topics = three.topics(2)
    topics.rename(0, "Mine")
    before = topics.frame
    damage(Path(three.path) / FOLDER / file)
    assert [problem.where for problem in three.check()] == [f"{FOLDER}/topics.rec"]
    assert three.documents()["topic"].isna().all()
    assert three.topics(2).frame.equals(before)
    assert three.check() == []


def test_lines_that_say_nothing_are_told_and_passed_over(three):
    topics = three.topics(3)
    topics.rename(0, "First")
    edits = Path(three.path) / FOLDER / "edits.jsonl"
    said = edits.read_bytes()
    strange = [b"", b"[", b"7", b"[]", b"{}", b'{"act": "drop", "level": 1, "told_by": [], "name": ""}', b"[" * 9000,
               b'{"act": "merge", "level": 1, "told_by": [], "name": ""}', b'{"act": "split", "level": 1, "told_by": [["x"]], "name": ""}',
               b'{"act": "rename", "level": 1, "told_by": [["x"]], "name": "y"}', b'{"act": "rename", "level": 5, "told_by": [[7]], "name": 3}', b"\xff"]  # fmt: skip
    edits.write_bytes(said + b"\n".join(strange) + b'\n{"act": "ren')  # the last was cut by a power cut
    assert fine(three.topics())["name"].iloc[0] == "First"
    [problem] = three.check()
    assert (problem.where, problem.message.split()[0]) == (f"{FOLDER}/edits.jsonl", "9")
    three.topics().rename(1, "Second")
    assert fine(three.topics())["name"].tolist()[:2] == ["First", "Second"]


def test_a_link_in_the_place_of_edits_is_told_and_not_written_to(three, tmp_path):
    topics = three.topics(3)
    (tmp_path / "outside").write_text("")
    (Path(three.path) / FOLDER / "edits.jsonl").symlink_to(tmp_path / "outside")
    with pytest.raises(CorpusError, match="edits"):
        topics.rename(0, "x")
    with pytest.raises(CorpusError, match="edits"):
        three.topics()
    assert (tmp_path / "outside").read_text() == ""


@pytest.mark.parametrize(
    "change",
    [
        {"parent": [7, 7, 7]},
        {"parent": "abc"},
        {"topics": [{"number": "x"}]},
        {"topics": 7},
        {"stability": ["x", 1, 1]},
        {"topics": [{"number": 0, "name": "n", "level": 9, "parent": None, "words": 5}]},
        {"asked": "3"},
    ],
)
def test_strange_values_with_the_right_sum_are_made_again(three, change):
    import hashlib

    before = three.topics(3).frame
    file = Path(three.path) / FOLDER / "topics.json"
    about = {**json.loads(file.read_bytes().partition(b"\n")[2]), **change}
    content = json.dumps(about).encode()
    file.write_bytes(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
    assert three.topics(3).frame.equals(before)


def test_files_of_two_makings_are_not_read_together(three):
    before = three.topics(3).frame
    file = Path(three.path) / FOLDER / "topics.rec"
    kept = file.read_bytes()
    three.topics(2)
    file.write_bytes(kept)
    assert [problem.where for problem in three.check()] == [f"{FOLDER}/topics.rec"]
    assert three.topics(3).frame.equals(before)


def test_a_full_disk_is_told_and_what_was_said_stays(three, monkeypatch):
    topics = three.topics(3).rename(0, "Mine")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(corpuskit.vectors.edits.os, "fsync", full)
        with pytest.raises(CorpusError, match=r"cannot be written: .*No space left"):
            topics.rename(1, "Not kept")
    assert "Mine" in set(three.topics().frame["name"])


# -- out ---------------------------------------------------------------------------------------------------------------------


def test_topics_are_exported_with_their_documents(three, tmp_path):
    topics = three.topics(3)
    topics.rename(0, 'Cover, "premium"')
    assert topics.export(tmp_path / "t.csv") == 30
    topics.export(str(tmp_path / "t.parquet"))
    topics.export(tmp_path / "t.json")
    table = pd.read_csv(tmp_path / "t.csv")
    assert list(table.columns) == ["doc_id", "title", "uri", "topic", "name", "group", "group_name"]
    assert table["topic"].value_counts().to_dict() == {0: 12, 1: 10, 2: 8}
    assert table.query("topic == 0")["name"].unique().tolist() == ['Cover, "premium"']
    assert table["uri"].tolist() == three.documents()["uri"].tolist()
    assert pd.read_parquet(tmp_path / "t.parquet")["topic"].tolist() == table["topic"].tolist()
    told = json.loads((tmp_path / "t.json").read_text("utf-8"))["topics"]
    assert [len(topic["doc_ids"]) for topic in told if topic["level"] == 1] == [12, 10, 8]
    with pytest.raises(ExportError, match=r"\.csv, \.parquet or \.json"):
        topics.export(tmp_path / "t.xlsx")
    with pytest.raises(ExportError, match="cannot be written"):
        topics.export(tmp_path / "none" / "t.csv")


def test_the_chart_shows_groups_and_topics_as_a_picture(three):
    topics = three.topics(3)
    topics.rename(0, "$x_ <b>")
    axes = topics.chart()
    assert axes._repr_png_().startswith(b"\x89PNG")
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert len(names) == len(topics.frame)
    assert "\\$x_ <b>" in names[1]
    lines = repr(topics).splitlines()
    assert lines[0].startswith("3 topics in ")
    assert sum("$x_ <b>" in line for line in lines) == 1
