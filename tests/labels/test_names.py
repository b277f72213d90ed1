"""A label that is unlike those in use is a slip of the pen until somebody says that it is meant."""

import pytest
from widget_messages import sent_by

from corpuskit.errors import ConfigurationError


@pytest.fixture
def ids(fill):
    corpus = fill({f"d{i}.txt": f"Text {i}\n\nAbout insurance number {i}." for i in range(3)})
    return corpus.documents().doc_id.tolist()


@pytest.mark.parametrize(
    ("given", "meant"),
    [("Relevant", "relevant"), ("relevent", "relevant"), ("OTHER", "other"), ("withdraw", "withdrawn")],
)
def test_a_label_that_is_nearly_one_in_use_is_refused_with_that_one(corpus, ids, given, meant):
    corpus.set_labels({ids[0]: "relevant"}, by="me")
    with pytest.raises(ConfigurationError, match=f"'{given}'.*did you mean '{meant}'.*new_class=True"):
        corpus.set_labels({ids[1]: "other", ids[0]: given}, by="me")
    assert corpus.labels().label.tolist() == ["relevant"]  # nothing of the call was saved


def test_a_label_unlike_all_others_is_refused_with_those_in_use(corpus, ids):
    with pytest.raises(ConfigurationError, match="relevant, other, unsure") as told:
        corpus.set_labels({ids[0]: "quaternion"}, by="me")
    assert "did you mean" not in str(told.value)


def test_a_class_that_is_meant_is_in_use_until_it_is_replaced_everywhere(corpus, ids):
    corpus.set_labels({ids[0]: "fishing"}, by="me", new_class=True)
    corpus.set_labels({ids[1]: " fishing "}, by="you")
    assert corpus.labels().label.tolist() == ["fishing", "fishing"]
    with pytest.raises(ConfigurationError, match="did you mean 'fishing'"):
        corpus.set_labels({ids[2]: "fisching"}, by="me")
    corpus.set_labels({ids[2]: "relevent"}, by="me", new_class=True)
    corpus.set_labels({ids[2]: "relevant"}, by="me")
    with pytest.raises(ConfigurationError, match="did you mean 'relevant'"):
        corpus.set_labels({ids[1]: "relevent"}, by="me")


def test_a_file_of_labels_is_refused_as_a_whole(corpus, ids, tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text(f"target,label\n{ids[0]},relevant\n{ids[1]},Relevant\n")
    with pytest.raises(ConfigurationError, match="did you mean 'relevant'"):
        corpus.import_labels(file, by="me")
    assert corpus.labels().empty
    assert corpus.import_labels(file, by="me", new_class=True).taken == 2


def test_the_command_line_has_the_same_choice(cli, corpus, ids, tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text(f"target,label\n{ids[0]},fishing\n")
    assert cli("label", corpus.path, file).code != 0
    assert cli("label", corpus.path, file, "--new-class").code == 0
    assert corpus.labels().label.tolist() == ["fishing"]


def test_a_key_for_a_slip_of_the_pen_is_refused_and_one_for_a_class_of_one_s_own_is_not(corpus, ids):
    with pytest.raises(ConfigurationError, match="did you mean 'relevant'"):
        corpus.label(keys={"j": "Relevant", "f": "other"})
    labeler = corpus.label(keys={"j": "fishing", "f": "courts"}, by="me")
    sent = sent_by(labeler)
    for seq, label in enumerate(("fishing", "forged"), 1):
        labeler._answer(None, {"op": "label", "id": ids[seq - 1], "label": label, "seq": seq, "page": "p"}, [])
    assert corpus.labels().label.tolist() == ["fishing"]
    assert sent[-1]["op"] == "error"
