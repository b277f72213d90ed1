"""The copy of the catalogue's rows: read where it is up to date, and never older than the catalogue."""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corpuskit
from corpuskit.store import CorpusFolder, document_rows
from corpuskit.store.document_rows import rows_schema

SQL = (
    "SELECT doc_id, version, uri, host, title, media_type, lang, words, main_words, elements, timestamp, fetched, status, "
    "relevance, decision FROM current LEFT JOIN scores USING (doc_id) ORDER BY host, uri, version"
)


@pytest.fixture(autouse=True)
def copied_always(monkeypatch):
    monkeypatch.setattr(document_rows, "_MIN_CACHED_DOCUMENTS", 0)


@pytest.fixture
def folder(tmp_path):
    opened = CorpusFolder(tmp_path / "c")
    yield opened
    opened.close()


def insert(catalog, number, version=1, *, status="extracted", text_hash=None):
    catalog.connection.execute(
        "INSERT INTO documents (doc_id, version, uri, host, title, media_type, fetched, status, path, original, content_hash, "
        "text_hash) VALUES (?, ?, ?, 'h.example', ?, 'text/html', '2026-01-02T03:04:05.000006+00:00', ?, ?, '', '', ?)",
        (
            f"{number:016x}",
            version,
            f"http://h.example/{number}",
            f"title {number}",
            status,
            f"{number}.{version}",
            text_hash,
        ),
    )


def as_the_catalogue_says(folder):
    table = document_rows.document_rows(folder).drop_columns(["duplicate_of"]).to_pylist()
    for row in table:
        for name in ("timestamp", "fetched"):
            row[name] = row[name] and row[name].isoformat(timespec="microseconds")
    assert table == [dict(row) for row in folder.catalog.rows(SQL)]


def copy(folder):
    return folder.elements.path / "catalog" / "documents.parquet"


CHANGES = st.lists(st.tuples(st.sampled_from(["insert", "version", "extract", "score", "unscore", "delete", "other"]), st.integers(0, 5)), max_size=15)  # fmt: skip


@given(CHANGES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@pytest.mark.slow
def test_whatever_changes_the_frame_is_as_the_catalogue(tmp_path_factory, changes):
    opened = CorpusFolder(tmp_path_factory.mktemp("c") / "c")
    catalog = opened.catalog
    versions = {}
    for what, number in changes:
        key = f"{number:016x}"
        if what == "insert" and number not in versions:
            versions[number] = 1
            insert(catalog, number)
        elif what == "version" and number in versions:
            versions[number] += 1
            insert(catalog, number, versions[number], status="fetched")
        elif what == "extract":
            catalog.connection.execute("UPDATE documents SET status = 'extracted' WHERE doc_id = ?", (key,))
        elif what == "score":
            # OR REPLACE and OR IGNORE change what statements in triggers do, too.
            for verb in ("INSERT OR REPLACE", "INSERT OR IGNORE"):
                catalog.connection.execute(f"{verb} INTO scores VALUES (?, '1', random() / 1e19, 'unknown')", (key,))
        elif what == "unscore":
            catalog.connection.execute("DELETE FROM scores WHERE doc_id = ?", (key,))
        elif what == "delete":
            versions.pop(number, None)
            catalog.connection.execute("DELETE FROM documents WHERE doc_id = ?", (key,))
        elif what == "other":
            catalog.set_meta("x", str(number))
        as_the_catalogue_says(opened)
    opened.close()


def test_the_copy_is_read_where_nothing_changed(folder, monkeypatch):
    insert(folder.catalog, 1)
    as_the_catalogue_says(folder)
    assert copy(folder).exists()

    def unread(*_, **__):
        raise AssertionError("the rows were read from the catalogue")

    monkeypatch.setattr(document_rows, "_from_catalog", unread)
    as_the_catalogue_says(folder)


def test_what_another_process_writes_is_seen_at_once(folder):
    code = (
        "import sys; from corpuskit.store import CorpusFolder\n"
        "folder = CorpusFolder(sys.argv[1])\n"
        "for line in sys.stdin:\n"
        "    folder.catalog.connection.execute('UPDATE documents SET title = ?', (line,))\n"
        "    print('written', flush=True)\n"
    )
    insert(folder.catalog, 1)
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(folder.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with writer:
        for number in range(10):
            print(number, file=writer.stdin, flush=True)
            assert writer.stdout.readline() == "written\n"
            for _ in range(2):  # from the catalogue, then from the copy
                assert document_rows.document_rows(folder)["title"].to_pylist() == [f"{number}\n"]
        writer.stdin.close()


def test_a_change_that_is_rolled_back_leaves_no_trace(folder):
    insert(folder.catalog, 1)
    with pytest.raises(ZeroDivisionError), folder.catalog.transaction():
        folder.catalog.connection.execute("UPDATE documents SET title = 'no'")
        assert document_rows.document_rows(folder)["title"].to_pylist() == ["no"]
        1 / 0  # noqa: B018
    as_the_catalogue_says(folder)


def test_a_restored_catalogue_does_not_take_the_copy_of_another_one(tmp_path):
    """The copy is of what was added after the backup; then as many other documents are added."""
    path = tmp_path / "c"
    for number, saved in ((1, True), (2, False)):
        opened = CorpusFolder(path)
        insert(opened.catalog, number)
        as_the_catalogue_says(opened)
        opened.close()
        if saved:  # closed: the WAL is in the file
            backup = (path / "catalog.sqlite").read_bytes()
    (path / "catalog.sqlite").write_bytes(backup)
    opened = CorpusFolder(path)
    as_the_catalogue_says(opened)
    insert(opened.catalog, 3)
    as_the_catalogue_says(opened)
    assert document_rows.document_rows(opened)["uri"].to_pylist() == ["http://h.example/1", "http://h.example/3"]
    opened.close()


@pytest.mark.parametrize("damage", [b"", b"PAR1 no table PAR1", None])
def test_a_copy_that_is_damaged_or_cannot_be_written_is_done_without(folder, damage):
    insert(folder.catalog, 1)
    as_the_catalogue_says(folder)
    if damage is None:
        copy(folder).unlink()
        copy(folder).parent.rmdir()
        copy(folder).parent.write_text("no folder")
    else:
        copy(folder).write_bytes(damage)
    as_the_catalogue_says(folder)


def test_a_copy_of_other_columns_is_made_again(folder):
    import pyarrow.parquet as pq

    insert(folder.catalog, 1)
    as_the_catalogue_says(folder)
    table = pq.read_table(copy(folder))
    pq.write_table(table.drop_columns(["title"]), copy(folder))
    as_the_catalogue_says(folder)
    assert pq.read_schema(copy(folder)).names == rows_schema().names


def test_an_older_catalogue_gets_its_state(tmp_path):
    opened = CorpusFolder(tmp_path / "c")
    insert(opened.catalog, 1)
    for table in ("documents", "scores", "element_cache"):
        for event in ("insert", "update", "delete"):
            opened.catalog.connection.execute(f"DROP TRIGGER {table}_{event}")
    opened.catalog.connection.execute("DELETE FROM meta WHERE key LIKE '%_state'")
    for column in ("failures", "trouble"):
        opened.catalog.connection.execute(f"ALTER TABLE hosts DROP COLUMN {column}")
    opened.catalog.connection.execute("DROP INDEX documents_payload")
    opened.catalog.connection.execute("ALTER TABLE documents DROP COLUMN payload_digest")
    opened.catalog.connection.execute("ALTER TABLE labels DROP COLUMN origin")
    for column in ("kind", "reason_code"):
        opened.catalog.connection.execute(f"ALTER TABLE frontier DROP COLUMN {column}")
    opened.catalog.connection.execute("PRAGMA user_version = 2")
    opened.close()
    opened = CorpusFolder(tmp_path / "c")
    as_the_catalogue_says(opened)
    insert(opened.catalog, 2)
    as_the_catalogue_says(opened)
    opened.close()


def test_duplicates_name_the_shortest_uri_then_the_first(folder):
    for number in (10, 7, 8, 11):
        insert(folder.catalog, number, text_hash=5)
    insert(folder.catalog, 12)
    found = document_rows.document_rows(folder).to_pydict()
    first = f"{7:016x}"
    assert dict(zip(found["uri"], found["duplicate_of"], strict=True)) == {
        "http://h.example/10": first, "http://h.example/11": first, "http://h.example/12": None,
        "http://h.example/7": None, "http://h.example/8": first,
    }  # fmt: skip


def test_a_removed_document_leaves_no_row_in_the_copy(tmp_path):
    (tmp_path / "a.html").write_text("<title>secret</title><p>text</p>")
    corpus = corpuskit.open(tmp_path / "c")
    corpus.add(tmp_path / "a.html", progress=False)
    (doc_id,) = corpus.documents()["doc_id"]
    assert b"secret" in copy(corpus._folder).read_bytes()
    corpus.remove([doc_id], reason="asked")
    assert not copy(corpus._folder).exists()
    assert len(corpus.documents()) == 0
    corpus.close()


def test_the_frame_of_a_copy_can_be_changed(tmp_path):
    (tmp_path / "a.html").write_text("<title>t</title><p>text</p>")
    corpus = corpuskit.open(tmp_path / "c")
    corpus.add(tmp_path / "a.html", progress=False)
    first = corpus.documents()
    for frame in (corpus.documents(), corpus.documents()):
        frame.loc[0, "relevance"] = 0.5
        frame.loc[0, ["words", "version"]] = 7
        frame.loc[0, ["title", "label"]] = "changed"
        frame.loc[0, "fetched"] = frame.loc[0, "timestamp"]
    assert corpus.documents().equals(first)
    corpus.close()
