"""What stands in a corpus that no corpuskit writes there: passed over where it can be made again, else told with what to do."""

import sqlite3
from pathlib import Path

import pytest

import corpuskit
import corpuskit.corpus
from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.ingest import load_task
from corpuskit.safe_folder import SafeFolder

PAGE = "<html><head><title>{0}</title></head><body><p>The text of page {0} about premiums.</p></body></html>"


@pytest.fixture
def filled(make_once, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()

    def make(corpus):
        for name in "ab":
            (folder / f"{name}.html").write_text(PAGE.format(name))
        corpus.add(folder, progress=False)
        corpus.set_labels(dict.fromkeys(corpus.documents()["doc_id"], "relevant"), by="me")
        corpus.elements()

    corpus = make_once("two-labelled-pages", make)
    corpus.close()
    return Path(corpus.path)


def change(root, sql, *values):
    """As a stranger would: not through corpuskit."""
    connection = sqlite3.connect(root / "catalog.sqlite")
    connection.execute(sql, values)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "value", ["", "x", "7", "[]", '{"x.jsonl": "far"}', '{"x.jsonl": -1}', "[" * 100_000, '{"a": ' * 50]
)
def test_what_the_catalogue_knows_of_label_files_is_made_again_from_them(filled, value):
    change(filled, "INSERT OR REPLACE INTO meta VALUES ('label files', ?)", value)
    with corpuskit.open(filled) as corpus:
        labels = corpus.labels()
        assert list(labels["label"]) == ["relevant", "relevant"]
        assert not labels["superseded"].any()


@pytest.mark.parametrize("version", [0, 2, 3, 4, 6, 7, 8])
def test_a_catalogue_that_lies_about_its_version_is_refused_and_repaired(filled, version):
    change(filled, f"PRAGMA user_version = {version}")
    with pytest.raises(CorpusError, match=r"catalog\.sqlite .*repair"):
        corpuskit.open(filled)
    corpuskit.corpus.Corpus.repair(filled)
    assert len(corpuskit.open(filled)) == 2


def test_a_schema_that_is_no_text_is_damage(filled):
    content = (filled / "catalog.sqlite").read_bytes()
    assert content.count(b"CREATE TABLE models") == 1
    (filled / "catalog.sqlite").write_bytes(content.replace(b"CREATE TABLE models", b"CREATE TABLE m\xf0dels"))
    with pytest.raises(CorpusError, match="repair"):
        corpuskit.open(filled)
    corpuskit.corpus.Corpus.repair(filled)
    assert len(corpuskit.open(filled)) == 2


@pytest.mark.parametrize("value", [9e399, 0.5])
def test_a_fraction_where_a_whole_number_belongs_is_refused(filled, value):
    change(filled, "UPDATE documents SET text_hash = ?", value)
    with pytest.raises(CorpusError, match="wrong type in the table documents: corpuskit repair"):
        corpuskit.open(filled)


def test_a_version_that_no_frame_holds_is_refused(filled):
    change(filled, "UPDATE documents SET version = ?", 2**63 - 1)
    with pytest.raises(CorpusError, match="wrong type in the table documents: corpuskit repair"):
        corpuskit.open(filled)


def test_a_record_without_its_length_is_not_removed_from_a_web_archive(filled):
    (filled / "originals" / "x.warc.gz").write_bytes(b"x" * 100)
    change(filled, "UPDATE documents SET original = 'x.warc.gz', original_offset = 0")
    with corpuskit.open(filled) as corpus, pytest.raises(CorpusError, match="corpuskit repair"):
        corpus.remove(list(corpus.documents()["doc_id"][:1]), reason="test")
    assert (filled / "originals" / "x.warc.gz").read_bytes() == b"x" * 100


@pytest.mark.parametrize("name", [".pack.lock", ".pack.lock.json"])
def test_a_folder_in_the_place_of_a_lock_is_told(filled, name):
    (filled / name).mkdir()
    with corpuskit.open(filled) as corpus, pytest.raises(CorpusError, match=r"\.pack\.lock.* remove it"):
        corpus.pack()


def test_a_folder_in_the_place_of_the_catalogue_to_come_is_told(filled):
    (filled / "catalog.sqlite.repaired").mkdir()
    with pytest.raises(CorpusError, match=r"catalog\.sqlite\.repaired .* remove it"):
        corpuskit.corpus.Corpus.repair(filled)


@pytest.mark.feature("linguistics")
@pytest.mark.parametrize("act", [lambda c: c.elements(), lambda c: c.find("page"), lambda c: c.kwic("page")])
@pytest.mark.parametrize("place", [20, -100])
def test_a_damaged_part_of_the_element_cache_is_named_with_what_to_do(filled, act, place):
    (part,) = (filled / "elements").glob("*.parquet")
    content = bytearray(part.read_bytes())
    content[place : place + 60] = bytes(range(100, 160))
    part.write_bytes(content)
    with corpuskit.open(filled) as corpus:
        with pytest.raises(CorpusError, match=rf"elements/{part.name} is damaged .* remove it"):
            act(corpus)
        part.unlink()
        assert len(act(corpus)) > 0


def test_a_document_that_only_an_index_lists_is_told_as_damage(filled):
    with corpuskit.open(filled) as corpus, pytest.raises(CorpusError, match=r"damaged .* corpuskit repair"):
        load_task(corpus._folder, "0123456789abcdef", 1)


def test_a_part_with_other_columns_is_damaged(filled):
    import pyarrow.parquet as pq

    (part,) = (filled / "elements").glob("*.parquet")
    table = pq.read_table(part)
    pq.write_table(table.set_column(1, "element_id", table["element_id"].cast("int64")), part)
    with (
        corpuskit.open(filled) as corpus,
        pytest.raises(CorpusError, match=rf"elements/{part.name} is damaged .* remove it"),
    ):
        corpus.elements()


@pytest.mark.parametrize("name", ["a" * 300, "x/" + "a" * 300, "/".join(["a" * 200] * 30)])
@pytest.mark.parametrize(
    "act",
    [SafeFolder.stat, SafeFolder.read, SafeFolder.remove, lambda f, name: f.write(name, b""), lambda f, name: f / name],
)
def test_a_name_that_no_system_takes_is_told(tmp_path, act, name):
    with pytest.raises(CorpusError, match="too long"):
        act(SafeFolder(tmp_path), name)


def test_a_folder_in_the_place_of_a_table_is_not_read(filled, tmp_path):
    """Arrow would take it for a table of all its files, and follow the links among them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with corpuskit.open(filled) as corpus:
        first, second = corpus.documents()["doc_id"]
    pq.write_table(pa.table({"doc_id": [first], "duplicate_of": [second]}), tmp_path / "secret.parquet")
    place = filled / "preprocessing" / "duplicates.parquet"
    place.mkdir(parents=True)
    (place / "x.parquet").symlink_to(tmp_path / "secret.parquet")
    with corpuskit.open(filled) as corpus, pytest.raises(CorpusError, match=r"preprocessing/duplicates\.parquet"):
        corpus.documents()


def test_a_damaged_table_of_duplicates_is_named_with_what_to_do(filled):
    (filled / "preprocessing").mkdir()
    (filled / "preprocessing" / "duplicates.parquet").write_bytes(b"PAR1 and nothing else PAR1")
    with (
        corpuskit.open(filled) as corpus,
        pytest.raises(CorpusError, match=r"preprocessing/duplicates\.parquet is damaged .* remove it"),
    ):
        corpus.documents()


def test_damaged_results_of_a_step_are_named_with_what_to_do(filled):
    with corpuskit.open(filled) as corpus:
        corpus.preprocess(["language"], progress=False)
        (part,) = (filled / "preprocessing").glob("*/part-*.parquet")
        part.write_bytes(b"PAR1 and nothing else PAR1")
        with pytest.raises(CorpusError, match=rf"{part.name} is damaged .* remove it"):
            corpus.preprocess(["language"], progress=False)


@pytest.mark.parametrize("value", ["", "7", "{", "[1]", "[" * 100_000])
def test_a_sub_corpus_that_cannot_be_read_hides_no_other(filled, value):
    with corpuskit.open(filled) as corpus:
        corpus.save_subcorpus("good", corpus.documents())
    change(filled, "INSERT INTO meta SELECT replace(key, 'good', 'bad'), ? FROM meta WHERE key LIKE '%good'", value)
    with corpuskit.open(filled) as corpus:
        assert corpus.subcorpora() == {"good": 2}
        with pytest.raises(CorpusError, match="'bad' cannot be read: save it again"):
            corpus.subcorpus("bad")


@pytest.mark.parametrize("value", ["", "7", "{", "[" * 100_000])
def test_what_a_document_says_of_itself_is_read_from_it_where_the_catalogue_has_nothing_legible(filled, value):
    with corpuskit.open(filled) as corpus:
        before = corpus.documents()
    change(filled, "UPDATE said SET said = ?", value)
    change(filled, "UPDATE meta SET value = 'changed' WHERE key = 'documents_state'")
    with corpuskit.open(filled) as corpus:
        assert corpus.documents().equals(before)


def test_a_damaged_part_is_told_to_who_trains_and_labels(filled):
    (part,) = (filled / "elements").glob("*.parquet")
    part.write_bytes(b"PAR1 and nothing else PAR1")
    with corpuskit.open(filled) as corpus, pytest.raises(CorpusError, match=rf"elements/{part.name} is damaged"):
        corpus.train()


@pytest.mark.parametrize("value", ["", "7", "{"])
def test_a_model_whose_row_cannot_be_read_says_to_train_again(filled, tmp_path, value):
    from corpuskit.errors import RelevanceError

    (tmp_path / "more").mkdir()
    for i in range(12):
        text = "insurance premium claim policy " * 3 if i % 2 else "garden flower tomato soil " * 3
        (tmp_path / "more" / f"{i}.html").write_text(f"<title>{text[:9]} {i}</title><p>The text {i}: {text}</p>")
    with corpuskit.open(filled) as corpus:
        corpus.add(tmp_path / "more", progress=False)
        titles = corpus.documents()[["doc_id", "title"]].itertuples(index=False)
        corpus.set_labels({i: "relevant" if title.startswith("insurance") else "other" for i, title in titles}, by="me")
        corpus.train()
        corpus._folder.catalog.connection.execute("UPDATE models SET summary = ?", (value,))
        with pytest.raises(RelevanceError, match="train again"):
            corpus.export_fasttext(tmp_path / "x.bin")


@pytest.mark.parametrize("value", ["x", "7", "[" * 100_000])
def test_a_waiting_document_is_extracted_without_what_cannot_be_read_of_it(filled, value):
    change(filled, "UPDATE documents SET status = 'fetched', metadata = ?", value)
    with corpuskit.open(filled) as corpus:
        assert corpus.extract_pending() == 2
        assert len(corpus) == 2


def test_a_journal_that_goes_while_it_is_looked_at_is_none(filled, monkeypatch):
    """Another process ends its transaction in that moment."""
    journal = filled / ".pack.lock-journal"
    stat = SafeFolder.stat

    def stat_and_go(folder, name=""):
        found = stat(folder, name)
        if name == journal.name:
            journal.unlink(missing_ok=True)
        return found

    journal.write_bytes(b"")
    monkeypatch.setattr(SafeFolder, "stat", stat_and_go)
    with corpuskit.open(filled) as corpus:
        corpus.pack()
    assert not journal.exists()


def test_times_that_no_frame_holds_are_missing_in_it(filled):
    change(filled, "INSERT INTO hosts (host, next_allowed) VALUES ('h.example', 1e308)")
    change(
        filled,
        "INSERT INTO frontier (id, url, host, depth, priority, state) "
        "VALUES (1, 'http://h.example/', 'h.example', 0, 0, 'queued')",
    )
    change(
        filled,
        "INSERT INTO requests (clock, url, response_ms, bytes) "
        "VALUES ('x', 'http://h.example/', 0.5, 9e999), ('2026-11-01T00:00:00+00:00', 'http://h.example/', 7, 1e300)",
    )
    with corpuskit.open(filled) as corpus:
        assert corpus.frontier()["next_allowed"].isna().tolist() == [True]
        requests = corpus.requests()
        assert requests["clock"].isna().tolist() == [True, False]
        assert requests["response_ms"].tolist() == [0, 7]
        assert requests["bytes"].isna().tolist() == [True, True]


@pytest.mark.feature("linguistics")
@pytest.mark.parametrize("value", ["x", "[]", "7", '{"layers": 7}', '{"layers": {"pos": 7}}', "[" * 100_000])
def test_what_made_the_layers_is_told_where_it_cannot_be_read(filled, value):
    with corpuskit.open(filled) as corpus:
        corpus.kwic("page")
    change(filled, "INSERT OR REPLACE INTO meta VALUES ('layers', ?)", value)
    with corpuskit.open(filled) as corpus, pytest.raises(CorpusError, match=r"layers .* corpuskit repair"):
        corpus.annotate("own", lambda words: ["x"] * len(words), progress=False)


@pytest.mark.parametrize("value", ["x", "[]", '{"key": 7}', "[" * 100_000])
def test_what_was_exported_last_is_passed_over_where_it_cannot_be_read(filled, tmp_path, value):
    with corpuskit.open(filled) as corpus:
        corpus.export(tmp_path / "out", format="jsonl", progress=False)
    change(filled, "UPDATE meta SET value = ? WHERE key LIKE 'export %'", value)
    with corpuskit.open(filled) as corpus:
        assert corpus.export(tmp_path / "out", format="jsonl", progress=False).documents == 2


def test_a_record_before_its_archive_is_told_and_repaired(corpus, web):
    web.add("http://w.example/", "a web page")
    corpus.crawl("http://w.example/", delay=0, proxy=web.proxy).wait(progress=False)
    (doc_id,) = corpus.documents()["doc_id"]
    (archive,) = Path(corpus.path).glob("originals/*.warc.gz")
    content = archive.read_bytes()
    corpus.close()
    change(Path(corpus.path), "UPDATE documents SET original_offset = -5, original_length = -1")
    with corpuskit.open(corpus.path) as opened:
        with pytest.raises(CorpusError, match=rf"originals/{archive.name}: -6; corpuskit repair"):
            opened.crawl(resume=True, refresh=True, delay=0, proxy=web.proxy).wait(progress=False)
        with pytest.raises(CorpusError, match=f"originals/{archive.name}"):
            opened.original(doc_id)
    assert archive.read_bytes() == content
    corpuskit.corpus.Corpus.repair(corpus.path)
    with corpuskit.open(corpus.path) as opened:
        assert b"a web page" in opened._folder.original(doc_id)
        assert opened.check() == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"target": "t", "kind": "document", "label": "x"}', "missing: by and when"),
        ('{"target": "t", "kind": "document", "label": "x", "by": "me", "when": "w", "who": 1}', "unknown names: who"),
        ("[1, 2]", "expected an object with target, kind, label, by and when"),
    ],
)
def test_a_row_of_labels_that_is_none_is_told_for_a_person(filled, line, told):
    (file,) = (filled / "labels").glob("*.jsonl")
    with file.open("a") as rows:
        rows.write(line + "\n")
    with corpuskit.open(filled) as corpus:
        assert len(corpus.labels()) == 2
        (message,) = corpus.failures()["message"]
    assert message.endswith(told)
    assert "__init__" not in message


def test_settings_in_another_encoding_are_told_with_what_to_do(filled):
    (filled / "corpus.toml").write_bytes('# mine\ndescription = "Büro"\n'.encode("latin-1"))
    with pytest.raises(ConfigurationError, match=r"corpus\.toml, line 2 is not UTF-8: save the file as"):
        corpuskit.open(filled)


def test_a_backup_says_that_its_folder_exists(filled, tmp_path):
    (tmp_path / "B").mkdir()
    with corpuskit.open(filled) as corpus:
        with pytest.raises(CorpusError, match=r"B exists: .* new directory"):
            corpus.backup(tmp_path / "B")
        with pytest.raises(CorpusError, match=r"inside the corpus: .* outside"):
            corpus.backup(filled / "B")
