"""A label that is unlike those in use is a slip of the pen until somebody says that it is meant."""

import pytest
from typer.testing import CliRunner

from corpuskit.cli.commands import app
from corpuskit.errors import ConfigurationError


@pytest.fixture
def ids(corpus, tmp_path):
    for i in range(3):
        (tmp_path / f"d{i}.txt").write_text(f"Text {i}\n\nAbout insurance number {i}.", "utf-8")
    corpus.add(tmp_path / "d*.txt", progress=False)
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


def test_a_class_that_is_meant_is_in_use_from_then_on(corpus, ids):
    corpus.set_labels({ids[0]: "fishing"}, by="me", new_class=True)
    corpus.set_labels({ids[1]: " fishing "}, by="you")
    assert corpus.labels().label.tolist() == ["fishing", "fishing"]
    with pytest.raises(ConfigurationError, match="did you mean 'fishing'"):
        corpus.set_labels({ids[2]: "fisching"}, by="me")


def test_a_label_that_was_replaced_everywhere_is_no_longer_in_use(corpus, ids):
    corpus.set_labels({ids[0]: "relevent"}, by="me", new_class=True)
    corpus.set_labels({ids[0]: "relevant"}, by="me")
    with pytest.raises(ConfigurationError, match="did you mean 'relevant'"):
        corpus.set_labels({ids[1]: "relevent"}, by="me")


def test_a_file_of_labels_is_refused_as_a_whole(corpus, ids, tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text(f"target,label\n{ids[0]},relevant\n{ids[1]},Relevant\n")
    with pytest.raises(ConfigurationError, match="did you mean 'relevant'"):
        corpus.import_labels(file, by="me")
    assert corpus.labels().empty
    assert corpus.import_labels(file, by="me", new_class=True).taken == 2


def test_the_command_line_has_the_same_choice(corpus, ids, tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text(f"target,label\n{ids[0]},fishing\n")
    refused = CliRunner().invoke(app, ["label", str(corpus.path), str(file)])
    assert refused.exit_code != 0
    assert CliRunner().invoke(app, ["label", str(corpus.path), str(file), "--new-class"]).exit_code == 0
    assert corpus.labels().label.tolist() == ["fishing"]


def test_a_key_for_a_slip_of_the_pen_is_refused_and_one_for_a_class_of_one_s_own_is_not(corpus, ids):
    with pytest.raises(ConfigurationError, match="did you mean 'relevant'"):
        corpus.label(keys={"j": "Relevant", "f": "other"})
    labeler = corpus.label(keys={"j": "fishing", "f": "courts"}, by="me")
    sent = []
    labeler.send = lambda content, buffers=None: sent.append(content)
    labeler._answer(None, {"op": "label", "id": ids[0], "label": "fishing", "seq": 1, "page": "p"}, [])
    labeler._answer(None, {"op": "label", "id": ids[1], "label": "forged", "seq": 2, "page": "p"}, [])
    assert corpus.labels().label.tolist() == ["fishing"]
    assert sent[-1]["op"] == "error"
