import re
import subprocess
import sys
from pathlib import Path

import pytest

import corpuskit
from corpuskit.corpus import Corpus
from corpuskit.errors import CorpusBusyError, CorpusError
from corpuskit.ingest import document_id

PAGE = "<html><head><title>Page {0}</title></head><body><nav><a href='/x'>menu</a></nav><p>The text of page {0}.</p></body></html>"
COLUMNS = [
    "doc_id",
    "version",
    "uri",
    "host",
    "title",
    "media_type",
    "lang",
    "words",
    "main_words",
    "elements",
    "timestamp",
    "label",
]


@pytest.fixture
def filled(corpus, tmp_path, web):
    """Files in two versions, crawled pages, packs and labels; closed."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for i in range(20):
        (folder / f"{i:02d}.html").write_text(PAGE.format(i))
    corpus.add(folder, progress=False)
    (folder / "03.html").write_text(PAGE.format("three, changed"))
    corpus.add(folder, progress=False)
    corpus.pack()
    (folder / "new.html").write_text(PAGE.format("new"))
    corpus.add(folder, progress=False)
    web.add("http://w.example/", "front", ["/a", "/gone"])
    web.add("http://w.example/a", "a page")
    corpus.crawl("http://w.example/", delay=0, proxy=web.proxy).wait(progress=False)
    corpus.set_labels({document_id("pages/01.html"): "relevant"}, by="me")
    corpus.save_subcorpus("mine", [document_id("pages/02.html")])
    corpus.before = frame(corpus)
    corpus.texts = {doc_id: corpus[doc_id].to_frame().to_json() for doc_id in corpus.before["doc_id"]}
    corpus.contents = {doc_id: corpus._folder.original(doc_id) for doc_id in corpus.before["doc_id"]}
    corpus._folder.catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    corpus.close()
    return corpus


def frame(corpus, versions=False):
    return corpus.documents(versions=versions)[COLUMNS]


def assert_same(filled):
    opened = corpuskit.open(filled.path)
    assert frame(opened).to_csv() == filled.before.to_csv()
    assert {doc_id: opened[doc_id].to_frame().to_json() for doc_id in filled.texts} == filled.texts
    assert {doc_id: opened._folder.original(doc_id) for doc_id in filled.contents} == filled.contents
    assert len(opened.elements()) == filled.before["elements"].sum()
    assert opened.check() == []
    return opened


def test_without_a_catalogue_all_is_made_from_the_files(filled, tmp_path, web):
    for file in (tmp_path / "corpus").glob("catalog.sqlite*"):
        file.unlink()
    report = Corpus.repair(filled.path)
    assert report.documents == 24  # 21 files, one of them twice, and two pages
    assert report.requests == 2
    assert report.old is None
    assert any("queued URLs" in line for line in report.lost)
    assert any("no catalog" in line for line in report.lost)
    opened = assert_same(filled)
    assert len(opened.documents(versions=True)) == 24
    assert opened.frontier("fetched")["url"].tolist() == ["http://w.example/", "http://w.example/a"]
    before = web.fetched["http://w.example/a"]
    opened.crawl("http://w.example/", resume=True, delay=0, proxy=web.proxy).wait(progress=False)
    assert web.fetched["http://w.example/a"] == before
    opened.close()


@pytest.mark.parametrize("what", ["header", "all"])
def test_a_catalogue_that_cannot_be_opened_is_made_from_the_files_and_kept(filled, tmp_path, what):
    file = tmp_path / "corpus" / "catalog.sqlite"
    content = bytearray(file.read_bytes())
    content[: 100 if what == "header" else None] = b"\xff" * (100 if what == "header" else len(content))
    file.write_bytes(content)
    with pytest.raises(CorpusError, match="corpuskit repair"):
        corpuskit.open(filled.path)
    report = Corpus.repair(filled.path)
    assert report.old == "catalog.sqlite.damaged-1"
    assert (tmp_path / "corpus" / report.old).read_bytes() == content
    assert_same(filled).close()


@pytest.mark.slow
def test_a_page_damaged_anywhere_is_found_and_repaired(filled, tmp_path):
    """Every page of the catalogue in turn: what check finds, repair mends; what it does not find, harms nothing."""
    file = tmp_path / "corpus" / "catalog.sqlite"
    whole = file.read_bytes()
    size = int.from_bytes(whole[16:18], "big")
    pages = range(1, len(whole) // size)
    for number in list(pages)[:: max(1, len(pages) // 8)]:
        content = bytearray(whole)
        content[number * size : (number + 1) * size] = b"\xa5" * size
        for name in ("catalog.sqlite-wal", "catalog.sqlite-shm"):
            (tmp_path / "corpus" / name).unlink(missing_ok=True)
        file.write_bytes(content)
        try:
            opened = corpuskit.open(filled.path)
        except CorpusError:
            pass
        else:
            assert any(problem.part == "catalog" for problem in opened.check()), number
            opened.close()
        Corpus.repair(filled.path)
        assert_same(filled).close()


def test_a_whole_corpus_is_repaired_to_the_same(filled):
    report = Corpus.repair(filled.path)
    assert report.lost == []
    assert report.rows["requests"] >= 2
    opened = assert_same(filled)
    assert opened.subcorpora() == {"mine": 1}
    assert len(opened.frontier("failed")) == 1
    opened.close()


def test_what_was_fetched_and_not_extracted_is_extracted_then(filled, tmp_path):
    for file in (tmp_path / "corpus").glob("catalog.sqlite*"):
        file.unlink()
    (tmp_path / "corpus" / "documents" / "w.example" / "a.nlp.txt").unlink()
    report = Corpus.repair(filled.path)
    assert report.pending == 1
    opened = corpuskit.open(filled.path)
    assert opened.extract_pending() == 1
    assert "a page" in opened[document_id("http://w.example/a")].to_text()
    opened.close()


def test_what_was_removed_stays_removed(filled, tmp_path):
    opened = corpuskit.open(filled.path)
    opened.remove([document_id("http://w.example/a"), document_id("pages/05.html")], reason="asked to")
    opened.close()
    Corpus.repair(filled.path)
    opened = corpuskit.open(filled.path)
    assert len(opened) == 21
    assert opened.add(tmp_path / "pages", progress=False).removed == 1
    opened.close()


def test_an_original_without_its_document_is_told(filled, tmp_path):
    for file in (tmp_path / "corpus").glob("catalog.sqlite*"):
        file.unlink()
    (tmp_path / "corpus" / "documents" / "_files_" / "pages" / "new.html.nlp.txt").unlink()
    report = Corpus.repair(filled.path)
    assert any("new.html" in line and "add them again" in line for line in report.lost)


def test_a_corpus_that_is_crawled_is_not_repaired(filled):
    opened = corpuskit.open(filled.path)
    with opened._folder.crawl_lock(), pytest.raises(CorpusBusyError):
        Corpus.repair(filled.path)
    opened.close()


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "x").write_text("mine")
    with pytest.raises(CorpusError, match="no corpus"):
        Corpus.repair(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


@pytest.mark.slow
def test_the_command_tells_what_was_lost(filled, tmp_path):
    code = "import sys; from corpuskit.cli import main; sys.argv = ['corpuskit', *sys.argv[1:]]; main()"
    command = [sys.executable, "-c", code, "repair", filled.path]
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0
    (tmp_path / "corpus" / "catalog.sqlite").unlink()
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 3
    assert "lost: " in result.stdout


def test_what_was_saved_in_the_catalogue_is_kept_and_told(filled, tmp_path):
    with corpuskit.open(filled.path) as opened:
        meta = {
            "query risks": '{"name": "risks", "query": "risk"}', "layers": '{"layers": {}, "state": "a"}',
            "preprocess": '{"steps": []}', "export 0123": '{"key": "k", "manifest": "m"}', "audit": '["v", 0.9, 0.95]',
            "merged shard s": "no JSON, a hash", "query broken": "x", "of a stranger": "7", "identity": "7",
        }  # fmt: skip
        for key, value in meta.items():
            opened._folder.catalog.set_meta(key, value)
    report = Corpus.repair(filled.path)
    with corpuskit.open(filled.path) as opened:
        kept = {key: opened._folder.catalog.meta(key) for key in meta}
        assert opened.subcorpora() == {"mine": 1}
    lost = {"query broken", "of a stranger", "identity"}
    assert kept == {key: None if key in lost else value for key, value in meta.items()}
    told = repr(report).splitlines()
    assert told[0] == "24 documents, 0 pending"
    assert told[1].startswith("copied from the old catalog: ")
    for words in ["3 known URLs", "1 saved query", "1 sub-corpus", "1 set of layers", "1 export", "1 merged shard"]:
        assert words in told[1].partition(": ")[2].split(", "), words
    assert "web archives" not in repr(report)
    assert report.lost == ["saved queries 'broken': the entry in the old catalog cannot be read"]


def test_a_report_of_a_repair_speaks_of_one_and_of_several_and_names_no_table():
    from corpuskit.store import schema
    from corpuskit.store.repair import RepairReport

    tables = set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", Path(schema.__file__).read_text("utf-8")))
    for count, words in ((1, "1 removed document"), (2, "2 removed documents")):
        told = repr(RepairReport(rows=dict.fromkeys([*tables, "merged shards"], count)))
        assert words in told
        assert f"{count} merged shard" + ("s" if count > 1 else "") in re.split(r", |\n", told)
        assert not re.search(r"\b(tombstones|jobs|texts|outlinks|said|refusals|frontier)\b", told)


def test_the_queue_of_an_older_damaged_corpus_keeps_why_urls_were_refused(corpus):
    url = "http://a.example/de"
    connection = corpus._folder.catalog.connection
    connection.execute(
        "INSERT INTO frontier (id, url, host, depth, parent, priority, state, reason_refused) "
        "VALUES (1, ?, 'a.example', 1, 'http://a.example/', 0, 'refused', 'language de')",
        (url,),
    )
    connection.execute("ALTER TABLE frontier DROP COLUMN kind")
    connection.execute("ALTER TABLE frontier DROP COLUMN reason_code")
    connection.execute("PRAGMA user_version = 8")
    corpus.close()
    corpuskit.corpus.Corpus.repair(corpus.path)
    with corpuskit.open(corpus.path) as repaired:
        rows = repaired._folder.catalog.tuples("SELECT kind, reason_refused, reason_code FROM frontier WHERE id = 1")
    assert rows == [("page", "language de", "language")]
