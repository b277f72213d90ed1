import os
import shutil
import sys

import pytest
from typer.testing import CliRunner

import corpuskit
from corpuskit.cli.commands import app
from corpuskit.corpus import Corpus
from corpuskit.errors import CorpusError

PAGE = "<html><head><title>{0}</title></head><body><p>The text of page {0}.</p></body></html>"


@pytest.fixture
def filled(corpus, tmp_path, web):
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.html").write_text(PAGE.format(name))
    corpus.add(folder, progress=False)
    web.add("http://w.example/", "a web page")
    corpus.crawl("http://w.example/", delay=0, proxy=web.proxy).wait(progress=False)
    return corpus


def problems(corpus):
    return {(problem.part, problem.where) for problem in corpus.check()}


def test_a_whole_corpus_has_no_problems(filled):
    assert filled.check() == []


def test_every_kind_of_damage_is_found(filled, tmp_path):
    root = tmp_path / "corpus"
    documents = root / "documents" / "_files_" / "pages"
    (documents / "a.html.nlp.txt").unlink()
    (documents / "b.html.nlp.txt").write_text("## NLPTextDocument Title cut")
    (documents / "c.html.marks.json.zst").write_bytes(b"damaged")
    (documents / "stray.nlp.txt").write_text("mine")
    (root / "originals" / "a.html.d" / "a.html").write_text("changed")
    (root / "originals" / "b.html.d" / "b.html").unlink()
    (warc,) = (root / "originals").glob("*.warc.gz")
    warc.write_bytes(b"\x00" * warc.stat().st_size)
    assert problems(filled) == {
        ("documents", "_files_/pages/a.html.nlp.txt"),
        ("documents", "_files_/pages/b.html.nlp.txt"),
        ("documents", "_files_/pages/c.html.nlp.txt"),
        ("documents", "_files_/pages/stray.nlp.txt"),
        ("originals", "a.html.d/a.html"),
        ("originals", "b.html.d/b.html"),
        ("originals", warc.name),
    }


def test_a_damaged_page_of_the_catalogue_is_found(filled, tmp_path):
    from corpuskit.store import CorpusFolder
    from corpuskit.store.check import check

    filled._folder.catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    filled.close()
    file = tmp_path / "corpus" / "catalog.sqlite"
    content = bytearray(file.read_bytes())
    page = int.from_bytes(content[16:18], "big")
    # The last page that is in use, its header wiped.
    content[-page : -page + 100] = b"\xff" * 100
    file.write_bytes(bytes(content))
    with pytest.raises(CorpusError, match="corpuskit repair"):
        CorpusFolder(tmp_path / "corpus")
    folder = CorpusFolder(tmp_path / "corpus", trust=True)
    assert any(problem.part == "catalog" for problem in check(folder))
    folder.close()


def trained(corpus, tmp_path):
    """Adds a model, tokens, vectors and the cache of elements; gives the folder."""
    folder = tmp_path / "more"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.html").write_text(PAGE.format(f"{'risk' if number % 2 else 'garden'} {number}"))
    corpus.add(folder, progress=False)
    ids = corpus.documents().set_index("uri")["doc_id"]
    corpus.set_labels(
        {ids[f"more/{n}.html"]: "relevant" if n % 2 else "other" for n in range(12)}, by="me", new_class=True
    )
    corpus.train()
    corpus.kwic("page")
    corpus.embed("mine", lambda texts: [[float(len(text)), 1.0] for text in texts], progress=False)
    assert corpus.check() == []
    return tmp_path / "corpus"


@pytest.mark.feature("linguistics", "vectors")
@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_what_other_acts_refuse_is_a_problem(filled, tmp_path):
    root = trained(filled, tmp_path)
    (part,) = (path.name for path in (root / "elements").glob("*.parquet"))
    elsewhere = tmp_path / "elsewhere"
    places = [
        "models", "models/model-0001", "models/model-0001/document", "models/model-0001/models.json", "tokens",
        "vectors", "vectors/mine", ".crawl.lock", f"elements/{part}", "documents", "originals", "labels",
    ]  # fmt: skip
    for place in places:
        (root / place).rename(elsewhere)
        (root / place).symlink_to(elsewhere)
        found = [problem.message for problem in filled.check()]
        assert any(message.startswith(f"{place} is a link") for message in found), (place, found)
        (root / place).unlink()
        elsewhere.rename(root / place)
        assert filled.check() == [], place
    for place in ["models/model-0001/document", f"elements/{part}", ".crawl.lock", "tokens/x"]:
        if (root / place).exists():
            (root / place).rename(elsewhere)
        os.mkfifo(root / place)
        found = [problem.message for problem in filled.check()]
        assert any(message.startswith(f"{place} is neither a regular file nor a directory") for message in found), (
            place,
            found,
        )
        (root / place).unlink()
        if elsewhere.exists():
            elsewhere.rename(root / place)


@pytest.mark.feature("linguistics", "vectors")
def test_a_file_where_a_folder_belongs_and_a_folder_where_a_file_does_are_problems(filled, tmp_path):
    root = trained(filled, tmp_path)
    (root / "models/model-0001/document").rename(tmp_path / "aside")
    (root / "models/model-0001/document").write_text("no folder")
    assert ("models", "models/model-0001") in problems(filled)
    (root / "models/model-0001/document").unlink()
    (tmp_path / "aside").rename(root / "models/model-0001/document")
    (root / "tokens").rename(tmp_path / "aside")
    (root / "tokens").write_text("no folder")
    (root / ".pack.lock").unlink(missing_ok=True)
    (root / ".pack.lock").mkdir()
    assert problems(filled) == {("tokens", "tokens"), ("locks", ".pack.lock")}


@pytest.mark.feature("linguistics", "vectors")
@pytest.mark.parametrize("name", ["../../canary", "/canary", "model-0002"])
def test_a_model_whose_folder_is_elsewhere_or_gone_is_a_problem(filled, tmp_path, name):
    trained(filled, tmp_path)
    filled._folder.catalog.connection.execute("UPDATE models SET folder = ?", (name,))
    assert problems(filled) == {("models", f"models/{name}")}


@pytest.mark.feature("linguistics", "vectors")
def test_a_model_whose_folder_is_gone_is_forgotten_by_a_repair(filled, tmp_path):
    root = trained(filled, tmp_path)
    shutil.rmtree(root / "models")
    assert [problem.where for problem in filled.check() if "corpuskit repair" in problem.message] == [
        "models/model-0001"
    ]
    filled.close()
    assert "1 model, such as model-0001, without a folder: run corpuskit train" in Corpus.repair(root).lost
    with corpuskit.open(root) as corpus:
        assert corpus.check() == []


def test_documents_of_a_run_that_was_stopped_are_no_damage(filled):
    with filled._folder.catalog.transaction() as connection:
        connection.execute("UPDATE documents SET status = 'fetched' WHERE uri LIKE '%a.html'")
    assert filled.check() == []
    done = CliRunner().invoke(app, ["check", str(filled.path)])
    assert done.exit_code == 0
    assert "1 document not extracted yet, because a run was stopped" in done.stdout
    assert filled.extract_pending() == 1
    assert CliRunner().invoke(app, ["check", str(filled.path)]).stdout == "no problems found\n"
