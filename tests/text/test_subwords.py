import sys

import pytest
import sentencepiece

from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.text import SubwordModel, train_subwords

SENTENCES = [
    "The premium of the policy is due on the first day of the year.",
    "Water damage is covered when a river rises over its banks.",
    "The insurer pays for the damage of the house and the garden.",
] * 20


def test_without_the_package_it_says_which_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError, match=r"corpuskit\[subwords\]"):
        train_subwords(SENTENCES)


def test_pieces_give_the_text_back_and_their_number():
    model = train_subwords(SENTENCES, size=90)
    text = "The premium pays for the river."
    assert len(model) <= 90
    assert "".join(model.pieces(text)).replace("▁", " ").strip() == text
    assert model.text(model.ids(text)) == text
    assert model.count(text) == len(model.ids(text))


def test_saved_files_are_read_by_sentencepiece_and_by_us(tmp_path):
    model = train_subwords(SENTENCES, size=90)
    model.save(tmp_path / "sentences_en")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "sentences_en.model"))
    assert theirs.encode("Water", out_type=str) == SubwordModel.open(tmp_path / "sentences_en.model").pieces("Water")
    first, *_ = (tmp_path / "sentences_en.vocab").read_text("utf-8").splitlines()
    assert first == "<unk>\t0"


def test_the_vocabulary_file_is_the_one_sentencepiece_writes(tmp_path):
    (tmp_path / "in.txt").write_text("\n".join(SENTENCES), "utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "in.txt"), model_prefix=str(tmp_path / "theirs"), vocab_size=90, hard_vocab_limit=False,
        num_threads=1, minloglevel=2,
    )  # fmt: skip
    train_subwords(SENTENCES, size=90).save(tmp_path / "ours")
    assert (tmp_path / "ours.vocab").read_text("utf-8") == (tmp_path / "theirs.vocab").read_text("utf-8")


def test_the_same_sentences_give_the_same_model():
    assert train_subwords(SENTENCES, size=90).content == train_subwords(SENTENCES, size=90).content


def test_what_cannot_be_learnt_or_read_is_told():
    with pytest.raises(ConfigurationError, match="no subwords can be learnt"):
        train_subwords([])
    with pytest.raises(ConfigurationError, match="7 bytes are no model of SentencePiece"):
        SubwordModel(b"rubbish")
