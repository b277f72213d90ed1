import os
import shutil

import pytest

import corpuskit
from corpuskit.text import WORD
from corpuskit.tokens import find, index_builder, index_of, open_index, parse_query, select
from corpuskit.tokens.index import TokenIndex
from corpuskit.tokens.index_part import in_memory_part
from corpuskit.tokens.token_table import concatenate, tokenize


@pytest.fixture
def filled(corpus, tmp_path):
    add(corpus, tmp_path, *range(6))
    return corpus


def add(corpus, tmp_path, *numbers):
    for number in numbers:
        (tmp_path / f"{number}.txt").write_text(f"Page {number} has the word w{number}.", "utf-8")
    corpus.add(*[tmp_path / f"{number}.txt" for number in numbers], progress=False)


def words_of(corpus):
    return sorted(word for word in corpus.wordlist().word if word.startswith("w") and word != "word")


def parts_of(corpus):
    return {path.name for path in (corpus._folder.path / "tokens").glob("part-*") if not path.suffix}


def cuts(monkeypatch):
    """The documents that are cut into tokens from now on."""
    seen, real = [], index_builder.tokenize
    monkeypatch.setattr(
        index_builder,
        "tokenize",
        lambda rows, documents: seen.extend(documents["doc_id"].to_pylist()) or real(rows, documents),
    )
    return seen


def test_the_text_of_an_element_can_be_made_again_of_its_tokens():
    texts = ["  Un été, «chaud» — l'été…\n\nend ", "word", "\u00a0a\tb?!", "e\u0301te\u0301 हिन्दी"]
    part = in_memory_part(tokenize(("d", n, text, True) for n, text in enumerate(texts)))
    assert [part.text(n) for n in range(4)] == texts


def test_elements_without_a_word_have_no_place_in_it():
    part = in_memory_part(
        tokenize([("d", 0, "...", True), ("d", 1, "", True), ("d", 2, "a", True), ("e", 0, "!", True)])
    )
    assert part.column("element_id").tolist() == [2]
    assert part.documents["doc_id"].to_pylist() == ["d", "e"]
    assert part.document_bounds().tolist() == [0, 1, 1]


def test_several_parts_answer_as_one():
    rows = [(f"d{n}", e, f"the w{n} saw The {'x' * e} of w{n + 1}", e != 1) for n in range(6) for e in range(3)]
    one = index_of(rows)
    parts = [in_memory_part(tokenize(rows[start : start + 6])) for start in range(0, len(rows), 6)]
    import numpy as np

    several = TokenIndex(tuple(parts), tuple(np.ones(2, bool) for _ in parts))
    merged = in_memory_part(concatenate([part.table(np.ones(2, bool)) for part in parts]))
    again = TokenIndex((merged,), (np.ones(6, bool),))
    for main in (True, False):
        for other in (several, again):
            first, second = select(one, main=main), select(other, main=main)
            assert counts_of(first) == counts_of(second)
            query = parse_query('"the"%c [] "saw"')
            assert len(find(first, query)) == len(find(second, query)) == (12 if main else 18)


def counts_of(selection):
    words = selection.index.lexicon("lower").to_pylist()
    return {
        word: (int(count), int(documents))
        for word, count, documents in zip(
            words, selection.counts("lower"), selection.document_counts("lower"), strict=True
        )
    }


def test_counts_are_the_same_whether_kept_or_taken_anew():
    rows = [(f"d{n}", e, f"the w{n} the {'x ' * e}", e != 1) for n in range(9) for e in range(3)]
    everything = index_of(rows)
    for some in (range(9), range(8), range(2), [3], []):
        wanted = [f"d{n}" for n in some]
        for main in (True, False):
            tokens = [
                (word, doc_id) for doc_id, _, text, is_main in rows if doc_id in wanted and (is_main or not main)
                for word in WORD.findall(text)
            ]  # fmt: skip
            found = {w: c for w, c in counts_of(select(everything, wanted, main=main)).items() if c[0]}
            assert found == {
                word: (sum(w == word for w, _ in tokens), len({d for w, d in tokens if w == word}))
                for word in {word for word, _ in tokens}
            }


def test_only_new_and_changed_documents_are_cut(filled, tmp_path, monkeypatch):
    assert words_of(filled) == [f"w{n}" for n in range(6)]
    seen = cuts(monkeypatch)
    assert words_of(filled) == words_of(corpuskit.open(filled.path)) == [f"w{n}" for n in range(6)]
    assert seen == []
    add(filled, tmp_path, 6)
    (tmp_path / "2.txt").write_text("Page 2 has the word wnew.")
    filled.add(tmp_path / "2.txt", progress=False)
    assert words_of(filled) == ["w0", "w1", "w3", "w4", "w5", "w6", "wnew"]
    assert len(seen) == 2


def test_tokens_stay_when_the_elements_are_made_again(filled, tmp_path, monkeypatch):
    before = filled.wordlist()
    seen = cuts(monkeypatch)
    shutil.rmtree(filled._folder.path / "elements")
    assert filled.wordlist().equals(before)
    filled.remove(filled.kwic("w3").doc_id[0], reason="test")
    assert words_of(filled) == ["w0", "w1", "w2", "w4", "w5"]
    assert seen == []


@pytest.mark.slow
def test_small_parts_are_put_together(filled, tmp_path, monkeypatch):
    words_of(filled)
    seen = cuts(monkeypatch)
    for number in range(6, 26):
        add(filled, tmp_path, number)
        words_of(filled)
    assert len(seen) == 20
    assert len(open_index(filled._folder).parts) <= 3
    assert len(words_of(filled)) == 26


@pytest.mark.parametrize("harm", ["file", "state", "all", "cut short", "about"])
def test_what_is_damaged_or_gone_is_made_again(filled, harm):
    before = filled.wordlist()
    folder = filled._folder.path / "tokens"
    [part] = [folder / name for name in parts_of(filled)]
    if harm == "file":
        content = bytearray((part / "word.npy").read_bytes())
        content[-1] ^= 1
        (part / "word.npy").write_bytes(content)
    elif harm == "cut short":
        os.truncate(part / "lower.posting.npy", 100)
    elif harm == "state":
        (folder / "index.json").write_text('{"states": [], "parts": {"../..": 1}}')
    elif harm == "about":
        (part / "part.json").write_text("[]")
    else:
        shutil.rmtree(folder)
    assert filled.wordlist().equals(before)
    with corpuskit.open(filled.path) as other:
        assert other.wordlist().equals(before)


def test_a_part_of_another_tokeniser_is_made_again(filled, monkeypatch):
    words_of(filled)
    before = parts_of(filled)
    monkeypatch.setattr("corpuskit.tokens.part_storage.TOKENIZER_VERSION", 99)
    with corpuskit.open(filled.path) as other:
        assert len(words_of(other)) == 6
    assert parts_of(filled) - before


def test_removed_words_are_gone_from_the_disk(filled):
    words_of(filled)
    doc_id = filled.kwic("w3").doc_id[0]
    filled.remove(doc_id, reason="test")
    assert words_of(filled) == ["w0", "w1", "w2", "w4", "w5"]
    tokens = filled._folder.path / "tokens"
    assert not any(b"w3" in file.read_bytes() for file in tokens.rglob("*") if file.is_file())


def test_an_empty_corpus_answers(corpus):
    assert len(corpus.wordlist()) == len(corpus.kwic("x")) == len(corpus.ngrams(2)) == len(corpus.collocates("x")) == 0
    assert corpus.dispersion("x")["count"].tolist() == [0]
    assert len(corpus.occurrences("x")) == 0


def test_the_lexicon_of_several_parts_is_kept_in_order_and_forgotten_with_a_document(filled, tmp_path, monkeypatch):
    monkeypatch.setattr(index_builder, "_MERGE_RATIO", 0)  # parts are not put together
    monkeypatch.setattr("corpuskit.tokens.merged_lexica._MIN_STRINGS", 1)
    words_of(filled)
    add(filled, tmp_path, 10, 11)
    expected = filled.wordlist()
    assert len(parts_of(filled)) == 2
    assert expected.word.tolist()[:5] == ["has", "page", "the", "word", "0"]
    tokens = filled._folder.path / "tokens"
    [folder] = tokens.glob("merged-*")
    lexicon = open_index(filled._folder).lexicon("lower").to_pylist()
    assert lexicon == sorted(lexicon)

    def asked_anew():
        calls = []
        with monkeypatch.context() as patched, corpuskit.open(filled.path) as other:
            real = corpuskit.tokens.merged_lexica.merged_lexicon
            patched.setattr(
                "corpuskit.tokens.merged_lexica.merged_lexicon", lambda lexica: calls.append(1) or real(lexica)
            )
            assert other.wordlist().equals(expected)
        return len(calls)

    assert asked_anew() == 0
    with (folder / "part-0.npy").open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\xff")
    assert asked_anew() == 1
    assert asked_anew() == 0
    docs = filled.documents()
    filled.remove(docs[docs.uri.str.endswith("/10.txt")], reason="a wish")
    assert not any(b"w10" in path.read_bytes() for path in tokens.rglob("*") if path.is_file())
