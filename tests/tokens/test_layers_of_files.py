import json

import pytest

import corpuskit
from corpuskit.errors import ConfigurationError

TEXT = "She doesn't go back. Well-known <houses> stay & go!"
OTHER = "Another text has other words, and nobody tagged it until today."


@pytest.fixture
def filled(corpus, tmp_path):
    (tmp_path / "one.txt").write_text(TEXT)
    (tmp_path / "two.txt").write_text(OTHER)
    corpus.add(tmp_path / "one.txt", tmp_path / "two.txt", progress=False)
    return corpus


@pytest.fixture
def one(filled):
    docs = filled.documents()
    return docs.doc_id[docs.uri.str.endswith("one.txt")].iloc[0]


def matches(corpus, query):
    return corpus.kwic(query).match.tolist()


def conllu(path, *rows):
    """Rows of (id, form, lemma, upos, misc); None ends a sentence."""
    lines = ["" if row is None else "\t".join([*row[:4], "_", "_", "_", "_", "_", row[4]]) for row in rows]
    path.write_text("\n".join(lines) + "\n\n", "utf-8")
    return path


def sentences():
    return [
        ("1", "She", "she", "PRON", "_"), ("2-3", "doesn't", "_", "_", "_"), ("2", "does", "do", "AUX", "_"),
        ("3", "n't", "not", "PART", "key=NEG"), ("4", "go", "go", "VERB", "key=MOVE"), ("5", "back", "back", "ADV", "SpaceAfter=No"),
        ("6", ".", ".", "PUNCT", "_"), None,
        ("1", "Well-known", "well-known", "ADJ", "_"), ("2", "<", "<", "PUNCT", "_"), ("3", "houses", "house", "NOUN", "_"),
        ("4", ">", ">", "PUNCT", "_"), ("5", "stay", "stay", "VERB", "_"), ("6", "&", "&", "CCONJ", "_"),
        ("7", "go", "go", "VERB", "key=MOVE"), ("7.1", "went", "go", "VERB", "_"), ("8", "!", "!", "PUNCT", "_"),
    ]  # fmt: skip


def test_conllu_is_taken_in_word_by_word_though_its_tokens_are_others(filled, one, tmp_path):
    file = conllu(tmp_path / "x.conllu", *sentences())
    file.write_text(f"# newdoc id = {one}\n" + file.read_text())
    assert filled.annotate(f"conllu:{file}", progress=False) == 10
    assert matches(filled, '[pos="VERB"]') == ["go", "stay", "go"]
    assert matches(filled, '[lemma="do"] [lemma="not"]') == ["doesn't"]
    assert matches(filled, '[lemma="well-known"]') == ["Well", "known"]
    assert filled.wordlist(attribute="pos", docs=[one]).set_index("word")["count"]["VERB"] == 3
    with pytest.raises(ConfigurationError, match="no attribute 'tag'"):
        matches(filled, '[tag="x"]')
    assert filled.annotate(f"conllu:{file}", progress=False) == 0


def test_keys_of_misc_are_layers_where_they_are_named(filled, one, tmp_path):
    file = conllu(tmp_path / "x.conllu", *sentences())
    file.write_text(f"# newdoc id = {one}\n" + file.read_text())
    filled.annotate(f"conllu:{file}", columns=["key"], progress=False)
    assert matches(filled, '[key="MOVE"]') == ["go", "go"]
    assert matches(filled, '[key="NEG"]') == ["t"]


def test_vertical_text_is_taken_in_by_uri(filled, one, tmp_path):
    docs = filled.documents().set_index("doc_id")
    lines = ["She\tPP", "does\tVBZ", "n't\tRB", "go\tVB", "back\tRB", "<g/>", ".\tSENT", "</s>", "<s>", "Well\tRB", "-\t:", "known\tJJ",
             "&lt;\t(", "houses\tNNS", "&gt;\t)", "stay\tVB", "&amp;\tCC", "go\tVB", "!\tSENT", "</s>", "</doc>"]  # fmt: skip
    file = tmp_path / "x.vert"
    file.write_text("\n".join([f'<doc uri="{docs.uri[one]}">', "<s>", *lines]))
    filled.annotate(f"vert:{file}", columns=["word", "tag"], progress=False)
    assert matches(filled, '[tag="VB.*"]') == ["doesn", "go", "stay", "go"]
    assert matches(filled, '[tag="RB"]') == ["t", "back", "Well"]


def test_a_document_with_other_words_is_a_failure_and_the_rest_is_taken(filled, one, tmp_path):
    docs = filled.documents()
    other = docs.doc_id[docs.doc_id != one].iloc[0]
    file = tmp_path / "x.vert"
    file.write_text(
        f'<doc id="{other}">\nAnother\tX\n</doc>\n<doc id="{one}">\n' + "\n".join(f"{w}\tY" for w in TEXT.split())
    )
    filled.annotate(f"vert:{file}", columns=["word", "tag"], progress=False)
    assert len(matches(filled, '[tag="Y"]')) == 10
    assert matches(filled, '[tag="X"]') == []
    [failure] = filled.failures().itertuples()
    assert (failure.stage, failure.message) == ("annotate", "x.vert: its words differ from the words of the document")


@pytest.mark.parametrize(
    ("name", "content", "columns", "told"),
    [
        ("x.conllu", "1\ta\tb\n", None, "x.conllu, line 1: found 3 columns, expected 10"),
        ("x.conllu", "# newdoc id = nobody\n" + "\t".join(["1", "a", *"________"]), None, r"no document of this corpus \(found nobody\)"),
        ("x.conllu", "\t".join(["1", "a", *"________"]), None, r"no document of this corpus \(found no names\)"),
        ("x.vert", "a\tb\n", None, "expected the names of its columns"),
        ("x.vert", "a\tb\tc\n", ["word", "tag"], "x.vert, line 1: found 3 columns, expected 2"),
        ("x.vert", "a\tb\n", ["word", "gap"], "layer 'gap'"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_told_with_its_line(filled, tmp_path, name, content, columns, told):
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigurationError, match=told):
        filled.annotate(f"{name.partition('.')[2]}:{tmp_path / name}", columns=columns, progress=False)


@pytest.mark.parametrize(("kind", "columns"), [("conllu", ["shape"]), ("vert", ["word", "lemma", "pos", "shape"])])
def test_layers_go_out_with_an_export_and_come_back(filled, one, tmp_path, kind, columns):
    out = tmp_path / "out"
    filled.export(out, format=kind)
    assert "layers" not in json.loads((out / "manifest.json").read_text())
    filled.annotate("lemma", progress=False)
    filled.annotate("pos", lambda words: ["VERB" if word == "go" else "X" for word in words], progress=False)
    filled.annotate("shape", lambda words: ["A" if word.isupper() else "a|b c" for word in words], progress=False)
    assert not filled.export(out, format=kind).is_unchanged
    assert json.loads((out / "manifest.json").read_text())["layers"] == ["lemma", "pos", "shape"]
    exported = out / f"corpus.{kind}"
    with corpuskit.open(tmp_path / "other") as other:
        other.add(tmp_path / "one.txt", tmp_path / "two.txt", progress=False)
        other.annotate(f"{kind}:{exported}", columns=columns, progress=False)
        for layer in ("lemma", "pos", "shape"):
            theirs = other.wordlist(attribute=layer)
            assert theirs.equals(filled.wordlist(attribute=layer))
        assert matches(other, '[lemma="go" & pos="VERB"]') == ["go", "go"]
