import shutil
import sqlite3
import subprocess
import sys
import threading

import pytest

import corpuskit
from corpuskit.errors import ConfigurationError, CorpusBusyError, CorpusError, CorpusVersionError, UnknownDocumentError
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import _corpus_error
from corpuskit.store.folder import exclusive_lock

PAGE = b"<html><head><title>T</title></head><body><p>One paragraph of text.</p></body></html>"


def add_page(corpus, tmp_path, name="a.html", content=PAGE):
    folder = tmp_path / "in"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    return corpus.add(folder, progress=False)


def test_a_folder_that_holds_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.docx").write_text("mine")
    with pytest.raises(CorpusError, match="not a corpus and not empty"):
        corpuskit.open(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.docx"]


def test_a_corpus_of_a_newer_version_is_refused(corpus, tmp_path):
    corpus.close()
    connection = sqlite3.connect(tmp_path / "corpus" / "catalog.sqlite")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(CorpusVersionError, match="upgrade corpuskit"):
        corpuskit.open(tmp_path / "corpus")


def test_a_catalogue_that_is_no_database_is_a_clear_error(corpus, tmp_path):
    corpus.close()
    for suffix in ("-wal", "-shm"):
        (tmp_path / "corpus" / f"catalog.sqlite{suffix}").unlink(missing_ok=True)
    (tmp_path / "corpus" / "catalog.sqlite").write_bytes(b"x" * 5000)
    with pytest.raises(CorpusError, match=r"catalog\.sqlite"):
        corpuskit.open(tmp_path / "corpus")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("colour = 1", "'colour' is unknown"),
        ("languages = 'en'", "expected a list"),
        ("languages = [1]", r"languages\[0\] = 1: expected a string"),
        ("[crawl]\ndelay = 'slow'", "expected a number"),
        ("[crawl]\nspeed = 1", "'speed' is unknown"),
        ("name = ", "corpus.toml"),
        ("[extraction]\nmain = 'modle'", r"corpus\.toml: \[extraction\] main = 'modle': expected 'model', 'rules'"),
        ("[extraction]\nlink_density = 'half'", "expected a number"),
        (
            "[extraction.sources.'a.example']\ntables = 3",
            r"\[extraction.sources.\"a.example\"\] tables = 3: expected true or false",
        ),
        ("[extraction]\nsources = 3", "must hold a table"),
    ],
)
def test_a_wrong_line_of_corpus_toml_is_told(corpus, tmp_path, line, message):
    corpus.close()
    (tmp_path / "corpus" / "corpus.toml").write_text(line)
    with pytest.raises(ConfigurationError, match=message):
        corpuskit.open(tmp_path / "corpus")


def test_settings_of_corpus_toml_are_used(corpus, tmp_path):
    (tmp_path / "corpus" / "corpus.toml").write_text('name = "N"\n[crawl]\ndelay = 2\n[extraction]\nclassify = false\n')
    folder = CorpusFolder(tmp_path / "corpus")
    assert (folder.settings.name, folder.settings.crawl.delay, folder.settings.extraction.classify) == ("N", 2.0, False)
    folder.close()


def test_a_source_has_options_of_its_own(corpus, tmp_path):
    (tmp_path / "corpus" / "corpus.toml").write_text(
        "[extraction]\ntables = false\n[extraction.sources.'news.example']\nmain = 'trafilatura'\ndrop = ['p.advert']\n"
        "[extraction.sources.'news.example'.trafilatura]\nfast = true\n"
    )
    folder = CorpusFolder(tmp_path / "corpus")
    settings = folder.settings
    assert settings.extraction_for("other.example").main == "model"
    for host in ("news.example", "NEWS.example:8080", "www.news.example"):
        options = settings.extraction_for(host)
        assert (options.main, options.drop, dict(options.trafilatura)) == ("trafilatura", ("p.advert",), {"fast": True})
        assert options.tables is False
    folder.close()


def test_a_moved_corpus_works(corpus, tmp_path):
    add_page(corpus, tmp_path)
    doc_id = corpus.documents().doc_id[0]
    corpus.close()
    shutil.move(tmp_path / "corpus", tmp_path / "elsewhere")
    moved = corpuskit.open(tmp_path / "elsewhere")
    assert "One paragraph" in moved[doc_id].to_text()
    assert len(moved.elements()) > 0
    assert str(tmp_path) not in (tmp_path / "elsewhere" / "corpus.toml").read_text()
    moved.close()


def test_an_unknown_document_is_a_key_error_of_ours(corpus):
    with pytest.raises(UnknownDocumentError, match="no document 'x'"):
        corpus["x"]
    with pytest.raises(KeyError):
        corpus["x"]


def test_a_document_whose_file_is_gone_is_a_clear_error(corpus, tmp_path):
    add_page(corpus, tmp_path)
    for file in (tmp_path / "corpus" / "documents").rglob("*.nlp.txt"):
        file.unlink()
    with pytest.raises(CorpusError, match="is missing"):
        corpus[corpus.documents().doc_id[0]]


def test_a_document_without_marks_or_with_edited_text_can_be_read(corpus, tmp_path):
    add_page(corpus, tmp_path)
    doc_id = corpus.documents().doc_id[0]
    (file,) = (tmp_path / "corpus" / "documents").rglob("*.nlp.txt")
    file.write_text(file.read_text("utf-8") + "An added line.\n", "utf-8")
    edited = corpus[doc_id]
    assert "An added line." in edited.to_text(main=True)
    assert "marks not used" in edited.warnings[0]
    for marks in (tmp_path / "corpus" / "documents").rglob("*.zst"):
        marks.unlink()
    assert corpus[doc_id].warnings == []


def test_the_element_cache_can_be_removed(corpus, tmp_path):
    add_page(corpus, tmp_path)
    before = corpus.elements()
    shutil.rmtree(tmp_path / "corpus" / "elements")
    assert corpus.elements().equals(before)


def test_one_crawl_at_a_time_even_from_another_process(corpus, tmp_path):
    code = (
        "import sys; from corpuskit.store import CorpusFolder; folder = CorpusFolder(sys.argv[1])\n"
        "with folder.crawl_lock():\n    print('held', flush=True); sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, corpus.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(CorpusBusyError, match=f"process {holder.pid}"):
            corpus.crawl(["http://a.example/"])
    finally:
        holder.kill()
        holder.communicate()
    folder = CorpusFolder(corpus.path)
    with folder.crawl_lock():
        pass
    folder.close()


def test_the_connections_of_threads_that_have_ended_are_closed(corpus):
    catalog = corpus._folder.catalog
    for _ in range(20):
        thread = threading.Thread(target=lambda: catalog.value("SELECT 1"))
        thread.start()
        thread.join()
    assert len(catalog._connections) <= 2
    assert len(corpus) == 0


def test_a_file_in_the_place_of_a_corpus_is_told_as_one(tmp_path):
    (tmp_path / "notes.txt").write_text("Some notes.")
    with pytest.raises(
        CorpusError,
        match=r"expected a corpus folder, got a file: .*notes.txt; open a folder and add\('notes.txt'\) to it",
    ):
        corpuskit.open(tmp_path / "notes.txt")


@pytest.mark.parametrize("text", ["attempt to write a readonly database", "unable to open database file"])
def test_a_corpus_that_cannot_be_written_says_what_to_do(tmp_path, text):
    error = _corpus_error(sqlite3.OperationalError(text), tmp_path / "catalog.sqlite")
    assert isinstance(error, CorpusError)
    assert f"copy {tmp_path} to a writable directory" in str(error)


def test_a_lock_whose_holder_has_just_ended_is_asked_for_again(corpus, monkeypatch):
    folder = corpus._folder.root
    holding = sqlite3.connect(folder.path / ".crawl.lock", isolation_level=None)
    holding.execute("BEGIN EXCLUSIVE")

    def nobody(file):
        holding.close()  # it ends while we look who it is
        return ""

    monkeypatch.setattr("corpuskit.store.folder.processes_using", nobody)
    with exclusive_lock(folder, ".crawl.lock", "crawl"):
        assert (folder.path / ".crawl.lock.json").exists()
