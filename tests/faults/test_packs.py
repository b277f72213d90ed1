"""A pack damaged anywhere: each document is read as it was, or told by its name; originals give it again."""

import os
import random

import pytest

import corpuskit
from corpuskit.corpus import Corpus
from corpuskit.errors import CorpusKitError
from corpuskit.store.packs import close_packs

DAMAGES = 5 * int(os.environ.get("CORPUSKIT_FAULTS", "2"))
PAGES = 12


def damaged(content, rng):
    content, at = bytearray(content), rng.randrange(len(content))
    kind = rng.choice(["bit", "zeros", "cut", "gone", "twice"])
    if kind == "bit":
        content[at] ^= 1 << rng.randrange(8)
    elif kind == "zeros":
        content[at : at + 512] = bytes(len(content[at : at + 512]))
    elif kind == "cut":
        del content[at:]
    elif kind == "gone":
        del content[at : at + rng.randrange(1, 400)]
    else:
        content[at:at] = content[at : at + 300]
    return bytes(content), kind


@pytest.mark.timeout(120 + 10 * DAMAGES)
def test_no_document_of_a_damaged_pack_is_lost_without_a_word(corpus, tmp_path):
    (tmp_path / "pages").mkdir()
    for i in range(PAGES):
        (tmp_path / "pages" / f"{i}.html").write_text(f"<title>{i}</title><p>The text of page {i}, {'long ' * i}.</p>")
    corpus.add(tmp_path / "pages", progress=False)
    paths = {row["doc_id"]: row["path"] for row in corpus._folder.catalog.rows("SELECT doc_id, path FROM documents")}
    texts = {doc_id: corpus[doc_id].to_text() for doc_id in paths}
    corpus.pack()
    (file,) = (corpus._folder.documents.path / "_packs_").glob("*.nlp.txt.zst")
    whole, unread = file.read_bytes(), 0
    for seed in range(DAMAGES):
        content, kind = damaged(whole, random.Random(seed))
        replace(file, content)
        told = {problem.where for problem in corpus.check() if problem.part == "documents"}
        for doc_id, path in paths.items():
            try:
                text = corpus[doc_id].to_text()
            except CorpusKitError as error:
                assert path in str(error) or file.name in str(error), (seed, kind)
                assert path + ".nlp.txt" in told, (seed, kind)
                unread += 1
            else:
                assert text == texts[doc_id], (seed, kind)
    assert unread  # some damage did harm
    replace(file, whole)
    assert corpus.check() == []


def test_what_a_damaged_pack_lost_is_made_again_from_the_originals(corpus, tmp_path):
    (tmp_path / "pages").mkdir()
    for i in range(PAGES):
        (tmp_path / "pages" / f"{i}.html").write_text(f"<title>{i}</title><p>The text of page {i}.</p>")
    corpus.add(tmp_path / "pages", progress=False)
    texts = {doc_id: corpus[doc_id].to_text() for doc_id in corpus.documents()["doc_id"]}
    corpus.pack()
    (file,) = (corpus._folder.documents.path / "_packs_").glob("*.nlp.txt.zst")
    replace(file, file.read_bytes()[:-200])
    path = corpus.path
    corpus.close()
    Corpus.repair(path)
    repaired = corpuskit.open(path)
    repaired.extract_pending()
    assert {doc_id: repaired[doc_id].to_text() for doc_id in repaired.documents()["doc_id"]} == texts
    repaired.close()


def replace(file, content):
    """As a damage that time does not show: other bytes in another file."""
    file.unlink()
    file.write_bytes(content)
    close_packs()
