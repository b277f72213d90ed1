"""A corpus from a stranger: what it names or links to outside of its folder is not read, written or deleted."""

import hashlib
import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import corpuskit
from corpuskit.errors import ConfigurationError, CorpusError, ExportError
from corpuskit.ingest import document_id

PAGE = (
    "<html><head><title>Page {0}</title></head><body><p>The text of page {0}, which is long enough.</p></body></html>"
)
pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="links need rights there; the look at each part is tested apart"
)


@pytest.fixture
def filled(corpus, tmp_path, web):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.html").write_text(PAGE.format(name))
    corpus.add(folder, progress=False)
    web.add("http://w.example/", "a web page")
    corpus.crawl("http://w.example/", delay=0, proxy=web.proxy).wait(progress=False)
    corpus.set_labels({"http://w.example/": "relevant"}, by="me", kind="url")
    return corpus


class Victim:
    """A folder outside of the corpus, and how it was."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        (folder / "precious.txt").write_bytes(b"precious " * 1000)
        (folder / "other.txt").write_text("other")
        self._before = self.state()

    def state(self):
        return {
            path.relative_to(self.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            if path.is_file()
            else ""
            for path in self.folder.rglob("*")
        }

    def is_untouched(self):
        return self.state() == self._before


@pytest.fixture
def victim(tmp_path):
    return Victim(tmp_path / "victim")


def change(corpus, sql, *values):
    """As a stranger would: not through corpuskit."""
    corpus._folder.catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection = sqlite3.connect(f"{corpus.path}/catalog.sqlite")
    connection.execute(sql, values)
    connection.commit()
    connection.close()


def alone(code, *arguments, seconds=60):
    """Runs code with sys.argv in a process of its own, with a gigabyte of memory; what would hang is ended."""
    begin = "import corpuskit, corpuskit.corpus, sys\nfrom corpuskit.errors import CorpusKitError\n"

    def poor():
        resource.setrlimit(resource.RLIMIT_AS, (4 * 1024**3, 4 * 1024**3))

    return subprocess.run(
        [sys.executable, "-c", begin + code, *map(str, arguments)], capture_output=True, text=True, timeout=seconds,
        check=False, preexec_fn=poor,
    )  # fmt: skip


REFUSED = "try:\n    {}\nexcept CorpusKitError as error:\n    print('refused:', error)\nelse:\n    print('done')\n"


@pytest.mark.parametrize(
    "original", ["../../victim/precious.txt", "x.d/../../../victim/precious.txt", "{victim}/precious.txt"]
)
def test_a_removal_deletes_nothing_outside(filled, victim, original):
    """Finding 1: the row names a file outside as the original."""
    doc_id = document_id("in/a.html")
    change(filled, "UPDATE documents SET original = ? WHERE doc_id = ?", original.format(victim=victim.folder), doc_id)
    with pytest.raises(CorpusError, match="is not a path inside the directory"):
        filled.remove([doc_id], reason="test")
    assert victim.is_untouched()


@pytest.mark.parametrize("offset", [0, 100])
def test_a_removal_overwrites_nothing_outside(filled, victim, offset):
    """Finding 1: with an offset it is taken for a record of a web archive."""
    doc_id = document_id("http://w.example/")
    change(
        filled, "UPDATE documents SET original = ?, original_offset = ?, original_length = 2000 WHERE doc_id = ?",
        "../../victim/precious.txt", offset, doc_id,
    )  # fmt: skip
    with pytest.raises(CorpusError, match="is not a path inside the directory"):
        filled.remove([doc_id], reason="test")
    assert victim.is_untouched()


def test_a_removal_goes_through_no_link(filled, victim):
    doc_id = document_id("in/a.html")
    Path(f"{filled.path}/originals/link.d").symlink_to(victim.folder)
    change(filled, "UPDATE documents SET original = 'link.d/precious.txt' WHERE doc_id = ?", doc_id)
    with pytest.raises(CorpusError, match="is a link"):
        filled.remove([doc_id], reason="test")
    assert victim.is_untouched()


def test_a_removal_overwrites_only_what_is_there(filled):
    doc_id = document_id("http://w.example/")
    archive = f"{filled.path}/originals/crawl-00001.warc.gz"
    size = Path(archive).stat().st_size
    change(filled, "UPDATE documents SET original_length = 100000 WHERE doc_id = ?", doc_id)
    with pytest.raises(CorpusError, match="has no 100,000 bytes"):
        filled.remove([doc_id], reason="test")
    assert Path(archive).stat().st_size == size


def test_a_crawl_empties_no_file_that_its_archive_links_to(filled, victim, web):
    """Finding 2."""
    archive = f"{filled.path}/originals/crawl-00001.warc.gz"
    Path(archive).unlink()
    Path(archive).symlink_to(victim.folder / "precious.txt")
    web.add("http://v.example/", "another web page")
    with pytest.raises(CorpusError, match=r"crawl-00001\.warc\.gz is a link"):
        filled.crawl("http://v.example/", delay=0, proxy=web.proxy).wait(progress=False)
    assert victim.is_untouched()


@pytest.mark.parametrize("format", ["nlp.txt", "md", "html", "tei"])
def test_an_export_writes_nothing_outside(filled, victim, tmp_path, format):
    """Finding 3: the path of a document leads out."""
    Path(filled.path, "documents", "deep").mkdir()
    Path(f"{filled.path}/documents/_files_/in/a.html.nlp.txt").rename(f"{filled.path}/documents/deep/new.nlp.txt")
    Path(f"{filled.path}/documents/link").symlink_to(f"{filled.path}/documents/deep")
    for path in ("link/new", "link/../deep/new", "../documents/deep/new"):
        change(filled, "UPDATE documents SET path = ? WHERE doc_id = ?", path, document_id("in/a.html"))
        before = {entry.name for entry in tmp_path.iterdir()} | {"out", "out.partial"}
        report = filled.export(tmp_path / "out", format=format)
        assert (report.documents, report.failed) == (2, 1)
        assert {entry.name for entry in tmp_path.iterdir()} <= before
        assert not list(tmp_path.glob("documents/**/*"))


def test_unpacking_writes_nothing_outside(filled, victim):
    """Finding 3: the folder of a host is a link."""
    filled.pack()
    Path(f"{filled.path}/documents/w.example").symlink_to(victim.folder)
    with pytest.raises(CorpusError, match=r"w\.example is a link"):
        filled.unpack()
    assert victim.is_untouched()


def test_extraction_reads_and_writes_nothing_outside(filled, victim, tmp_path):
    """Finding 3: originals and documents lie behind links."""
    (victim.folder / "secret.html").write_text(PAGE.format("secret"))
    victim._before = victim.state()
    Path(f"{filled.path}/originals/secret.d").symlink_to(victim.folder)
    doc_ids = [document_id("in/a.html"), document_id("in/b.html")]
    change(
        filled,
        "UPDATE documents SET status = 'fetched', original = 'secret.d/secret.html' WHERE doc_id = ?",
        doc_ids[0],
    )
    Path(f"{filled.path}/documents/out").symlink_to(victim.folder)
    change(filled, "UPDATE documents SET status = 'fetched', path = 'out/new' WHERE doc_id = ?", doc_ids[1])
    filled.extract_pending()
    assert victim.is_untouched()
    assert set(filled.failures()["error"]) == {"CorpusError"}
    assert len(filled) == 1
    assert not any("secret" in document.to_text() for document in filled)


def test_the_artifacts_of_a_pdf_are_written_into_its_directory_only(corpus, victim, tmp_path):
    """Finding 3: segmentation and text grid."""
    from corpuskit.demo import demo_data

    pdf = next(file for file in sorted((demo_data() / "files").rglob("*.pdf")))
    corpus.add(pdf, textworks=True, progress=False)
    (directory,) = [file.name for file in Path(f"{corpus.path}/originals").iterdir() if file.suffix == ".d"]
    for name in ("segmentation.json", "textgrid.json"):
        Path(f"{corpus.path}/originals/{directory}/{name}").unlink()
        Path(f"{corpus.path}/originals/{directory}/{name}").symlink_to(victim.folder / "precious.txt")
    with pytest.raises(CorpusError, match="is a link"):
        corpus.add(pdf, textworks=True, progress=False)
    change(corpus, "UPDATE documents SET status = 'fetched'")
    corpus.extract_pending()
    assert victim.is_untouched()


def test_labels_are_appended_to_no_file_behind_a_link(filled, victim):
    """Finding 3."""
    (file,) = [file.name for file in Path(f"{filled.path}/labels").iterdir()]
    Path(f"{filled.path}/labels/{file}").unlink()
    Path(f"{filled.path}/labels/{file}").symlink_to(victim.folder / "precious.txt")
    with pytest.raises(CorpusError, match="is a link"):
        filled.set_labels({"http://w.example/": "other"}, by="me", kind="url")
    assert victim.is_untouched()


@pytest.mark.parametrize("what", ["fifo", "zero", "link"])
@pytest.mark.parametrize(
    "name", ["labels/x.jsonl", "corpus.toml", "catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-journal"]
)
@pytest.mark.slow
def test_a_pipe_or_device_in_a_corpus_is_told_at_once(filled, tmp_path, victim, name, what):
    """Finding 4: it hung, or ate all memory."""
    filled._folder.catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    filled.close()
    place = f"{filled.path}/{name}"
    Path(place).unlink(missing_ok=True)
    if what == "fifo":
        os.mkfifo(place)
    else:
        Path(place).symlink_to("/dev/zero" if what == "zero" else victim.folder / "precious.txt")
    told = alone(REFUSED.format("corpuskit.open(sys.argv[1]).__len__()"), filled.path)
    assert f"refused: {name} is" in told.stdout, told.stdout + told.stderr[-2000:]
    assert victim.is_untouched()


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT d.* FROM documents d, n"


@pytest.mark.parametrize(
    "script",
    [
        f"DROP VIEW current; CREATE VIEW current AS {ENDLESS}",
        "CREATE TRIGGER evil AFTER INSERT ON labels BEGIN SELECT RAISE(FAIL, 'evil'); END",
        "CREATE TABLE evil (x)",
        "CREATE INDEX evil ON documents (title)",
        "ALTER TABLE labels RENAME TO real_labels; CREATE VIEW labels AS SELECT * FROM real_labels",
        "DROP TRIGGER scores_insert; CREATE TRIGGER scores_insert AFTER INSERT ON scores BEGIN DELETE FROM documents; END",
        "ALTER TABLE models ADD COLUMN x AS (hex(zeroblob(100)))",
        "DROP TABLE tombstones",
    ],
)
@pytest.mark.slow
def test_a_catalogue_that_holds_what_corpuskit_does_not_make_is_refused_and_repaired(filled, script):
    """Finding 4: a view took the place of current, a trigger answered with a bare error."""
    filled._folder.catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    filled.close()
    connection = sqlite3.connect(f"{filled.path}/catalog.sqlite")
    connection.executescript(script)
    connection.close()
    code = REFUSED.format("len(corpuskit.open(sys.argv[1]))")
    code += "corpuskit.corpus.Corpus.repair(sys.argv[1]); print(len(corpuskit.open(sys.argv[1])))"
    told = alone(code, filled.path)
    lines = told.stdout.splitlines()
    assert lines[0].startswith("refused: catalog.sqlite"), told.stdout + told.stderr[-2000:]
    assert "corpuskit repair" in lines[0]
    assert lines[-1] == "3"


@pytest.mark.parametrize("section", ["extraction.trafilatura", 'extraction.sources."a.example".trafilatura'])
def test_the_settings_of_a_stranger_name_no_file_of_this_machine(filled, tmp_path, section):
    folder = Path(filled.path)
    (tmp_path / "secret.ini").write_text("token = hunter2")
    main = f'[{section.removesuffix(".trafilatura")}]\nmain = "trafilatura"\n'
    (folder / "corpus.toml").write_text(f'{main}[{section}]\nsettingsfile = "{tmp_path / "secret.ini"}"\n')
    with (
        pytest.raises(ConfigurationError, match=r"settingsfile is not allowed in an untrusted corpus, .* trust=True"),
        corpuskit.open(folder) as corpus,
    ):
        corpus.add(tmp_path / "secret.ini", progress=False)
    (tmp_path / "trafilatura.cfg").write_text("[DEFAULT]\nMIN_EXTRACTED_SIZE = 250\n")
    (folder / "corpus.toml").write_text(f'{main}[{section}]\nsettingsfile = "{tmp_path / "trafilatura.cfg"}"\n')
    with corpuskit.open(folder, trust=True) as corpus:
        assert corpus.check() == []


@pytest.mark.slow
def test_a_catalogue_whose_pages_lead_back_to_themselves_is_refused_at_once(filled):
    """A tree in which a page stands many times is read nearly for ever by a query that counts its rows."""
    connection = filled._folder.catalog.connection
    connection.executemany("INSERT INTO texts VALUES (?)", ((number,) for number in range(200_000)))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'texts'").fetchone()[0]
    filled.close()
    with Path(f"{filled.path}/catalog.sqlite").open("r+b") as file:
        file.seek((root - 1) * size)
        page = bytearray(file.read(size))
        count = int.from_bytes(page[3:5], "big")
        assert page[0] == 2, "an inner page of an index tree"
        first = int.from_bytes(page[12:14], "big")
        for at in [8, *(int.from_bytes(page[12 + 2 * cell : 14 + 2 * cell], "big") for cell in range(count))]:
            page[at : at + 4] = page[first : first + 4]  # all children are the first one
        file.seek((root - 1) * size)
        file.write(page)
    told = alone(REFUSED.format("corpuskit.open(sys.argv[1])"), filled.path)
    assert told.stdout.startswith("refused: catalog.sqlite is damaged"), told.stdout + told.stderr[-2000:]


def test_a_journal_that_names_another_file_deletes_it_not(filled, victim):
    """SQLite deletes what the journal of a database names as the journal of a transaction over several."""
    filled._folder.catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    filled.close()
    connection = sqlite3.connect(f"{filled.path}/catalog.sqlite")
    connection.execute("PRAGMA journal_mode = DELETE")
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    name = str(victim.folder / "precious.txt").encode()
    header = bytes.fromhex("d9d505f920a163d7") + b"".join(n.to_bytes(4, "big") for n in (0, 7, pages, 512, size))
    last = name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + bytes.fromhex("d9d505f920a163d7")
    journal = header.ljust(512, b"\0") + (2**30 // size + 1).to_bytes(4, "big") + last
    with Path(f"{filled.path}/catalog.sqlite-journal").open("wb") as file:
        file.write(journal)
    told = alone(REFUSED.format("corpuskit.open(sys.argv[1])"), filled.path)
    assert victim.is_untouched()
    assert "names another file" in told.stdout, told.stdout + told.stderr[-2000:]


@pytest.mark.parametrize("what", ["file", "folder", "loop", "fifo", "zero"])
@pytest.mark.parametrize("room", ["documents", "originals", "labels", "models"])
@pytest.mark.slow
def test_a_backup_copies_only_what_is_the_corpus_own(filled, victim, tmp_path, room, what):
    """Finding 5: it copied what lies outside, looped, hung."""
    Path(filled.path, room).mkdir(exist_ok=True)
    place = f"{filled.path}/{room}/evil"
    if what == "fifo":
        os.mkfifo(place)
    else:
        targets = {
            "file": victim.folder / "precious.txt",
            "folder": victim.folder,
            "loop": filled.path,
            "zero": "/dev/zero",
        }
        Path(place).symlink_to(targets[what])
    told = alone("print(corpuskit.open(sys.argv[1]).backup(sys.argv[2]))", filled.path, tmp_path / "copy")
    assert told.stdout.strip().isdigit(), told.stderr[-2000:]
    assert not any(path.is_symlink() or "evil" in str(path) for path in (tmp_path / "copy").rglob("*"))
    assert corpuskit.open(tmp_path / "copy").check() == []
    assert victim.is_untouched()


def test_ones_own_corpus_on_two_disks_opens_with_trust(filled, tmp_path):
    filled.close()
    Path(f"{filled.path}/originals").rename(tmp_path / "other-disk")
    Path(f"{filled.path}/originals").symlink_to(tmp_path / "other-disk")
    corpus = corpuskit.open(filled.path, trust=True)
    assert corpus.check() == []
    (tmp_path / "c.html").write_text(PAGE.format("c"))
    assert corpus.add(tmp_path / "c.html", progress=False).new == 1
    assert (tmp_path / "other-disk" / "c.html.d" / "c.html").exists()
    corpus.close()
    with pytest.raises(CorpusError, match="trust=True"):
        corpuskit.open(filled.path)._folder.original(document_id("in/a.html"))


OLDER = {
    8: "ALTER TABLE frontier DROP COLUMN kind; ALTER TABLE frontier DROP COLUMN reason_code",
    7: "ALTER TABLE labels DROP COLUMN origin",
    6: "DROP TABLE said",
    5: "DROP INDEX documents_payload; ALTER TABLE documents DROP COLUMN payload_digest; "
    "CREATE INDEX documents_payload ON documents (json_extract(metadata, '$.payload_digest')) "
    "WHERE json_extract(metadata, '$.payload_digest') IS NOT NULL",
    4: "ALTER TABLE hosts DROP COLUMN failures; ALTER TABLE hosts DROP COLUMN trouble",
    3: "DROP TRIGGER element_cache_insert; DROP TRIGGER element_cache_update; DROP TRIGGER element_cache_delete",
    2: "DROP TRIGGER documents_insert; DROP TRIGGER documents_update; DROP TRIGGER documents_delete; "
    "DROP TRIGGER scores_insert; DROP TRIGGER scores_update; DROP TRIGGER scores_delete",
    1: "DROP TABLE outlinks; DROP TABLE refusals; CREATE TABLE links (target INTEGER NOT NULL, source INTEGER NOT NULL, "
    "PRIMARY KEY (target, source)) WITHOUT ROWID",
}


@pytest.mark.parametrize("version", OLDER)
@pytest.mark.parametrize("evil", [False, True])
def test_an_older_catalogue_opens_and_one_with_something_foreign_does_not(filled, version, evil):
    change(
        filled,
        """UPDATE documents SET metadata = '{"payload_digest": "sha1:ABC"}' WHERE doc_id = ?""",
        document_id("in/a.html"),
    )
    before = filled.documents()[["doc_id", "uri", "title", "words"]]
    filled._folder.catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    filled.close()
    connection = sqlite3.connect(f"{filled.path}/catalog.sqlite")
    for number in range(8, version - 1, -1):
        connection.executescript(OLDER[number])
    connection.execute(f"PRAGMA user_version = {version}")
    if evil:
        connection.executescript(f"DROP VIEW current; CREATE VIEW current AS {ENDLESS}")
    connection.close()
    if evil:
        with pytest.raises(CorpusError, match="corpuskit repair"):
            corpuskit.open(filled.path)
        return
    opened = corpuskit.open(filled.path)
    assert opened.documents()[["doc_id", "uri", "title", "words"]].equals(before)
    if version <= 5:
        assert opened._folder.catalog.value("SELECT doc_id FROM documents WHERE payload_digest = 'sha1:ABC'")
    assert opened.check() == []
    opened.close()
    assert len(corpuskit.open(filled.path)) == 3


def test_no_tree_is_made_that_can_hardly_be_removed(filled):
    change(
        filled,
        "UPDATE documents SET status = 'fetched', path = ? WHERE doc_id = ?",
        "a/" * 500 + "a",
        document_id("in/a.html"),
    )
    filled.extract_pending()
    assert (
        "500 nested directories" in filled.failures()["message"][0]
        or "501 nested directories" in filled.failures()["message"][0]
    )
    assert not Path(filled.path, "documents", "a").exists()


def test_links_in_the_place_of_an_export_are_told_and_stay(filled, victim, tmp_path):
    (tmp_path / "out").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ExportError, match=r"out is a broken link"):
        filled.export(tmp_path / "out", format="jsonl")
    assert not (tmp_path / "out.partial").exists()
    (tmp_path / "new.partial").symlink_to(victim.folder)
    with pytest.raises(ExportError, match=r"new\.partial already exists and is not an export: remove it"):
        filled.export(tmp_path / "new", format="jsonl")
    assert victim.is_untouched()
