"""Shards: the same outputs everywhere, once and whole."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from warc_files import DATE, PAGE, files, warc

import corpuskit
from corpuskit.errors import ConfigurationError, SourceError
from corpuskit.ingest import document_id
from corpuskit.shards import MergeReport, ShardReport, extract_shards, find_shards


@pytest.fixture
def archives(tmp_path):
    for number in range(4):
        warc(tmp_path / "in" / f"{number}.warc.gz", [f"{number}-{i}" for i in range(5)])
    return tmp_path / "in"


@pytest.mark.slow
def test_all_engines_give_the_same_bytes(archives, tmp_path):
    reports = [extract_shards(str(archives / "*.warc.gz"), str(tmp_path / on), on=on, workers=2, progress=False) for on in ("serial", "processes", "dask")]  # fmt: skip
    assert [(r.done, r.documents, r.failures, r.quarantined) for r in reports] == [(4, 20, 0, {})] * 3
    serial = files(tmp_path / "serial")
    assert len(serial) == 4 * 3 + 1
    assert "in__0.catalog.parquet" in serial
    assert files(tmp_path / "processes") == serial
    assert files(tmp_path / "dask") == serial


@pytest.mark.feature("linguistics")
def test_merged_shards_are_a_corpus(archives, tmp_path, corpus):
    extract_shards(str(archives), str(tmp_path / "out"), on="serial", progress=False)
    report = corpus.merge(tmp_path / "out", progress=False)
    assert (report.shards, dict(report.counts)) == (4, {"new": 20})
    documents = corpus.documents()
    assert documents["doc_id"].tolist() == [document_id(uri) for uri in documents["uri"]]
    assert (documents["fetched"] == DATE).all()
    document = corpus[document_id("http://a.example/2-3")]
    assert "The text of page 2-3." in document.to_text(main=True)
    assert document.metadata["warc"] == "2.warc.gz"
    assert len(corpus.elements()) == documents["elements"].sum()
    assert corpus.kwic("page 2-3")["doc_id"].tolist() == [
        document.to_frame() is not None and document_id("http://a.example/2-3")
    ]
    assert corpus.check() == []
    assert corpus.merge(tmp_path / "out", progress=False).shards == 0
    with pytest.raises(corpuskit.CorpusKitError, match="not stored in this corpus"):
        corpus._folder.original(documents["doc_id"][0])


def test_a_merge_gives_the_same_documents_as_adding(archives, tmp_path, corpus):
    extract_shards(str(archives), str(tmp_path / "out"), on="serial", progress=False)
    corpus.merge(tmp_path / "out", progress=False)
    added = corpuskit.open(tmp_path / "added")
    added.add(*sorted(archives.iterdir()), progress=False)
    columns = [name for name in corpus.documents() if name != "fetched"]
    assert corpus.documents()[columns].to_csv() == added.documents()[columns].to_csv()
    for doc_id in corpus.documents()["doc_id"]:
        assert corpus[doc_id].to_frame().to_json() == added[doc_id].to_frame().to_json()
        metadata, other = corpus[doc_id].metadata, added[doc_id].metadata
        assert "in/" + metadata.pop("warc") == other.pop("warc")  # add names files from the folder above them
        assert metadata == other
    added.close()


def test_a_page_in_two_contents_is_two_versions(tmp_path, corpus):
    warc(tmp_path / "in" / "a.warc.gz", ["x", "y"])
    warc(tmp_path / "in" / "b.warc.gz", ["x"], PAGE.replace("text", "new text"))
    warc(tmp_path / "in" / "c.warc.gz", ["y", "y"])
    extract_shards(str(tmp_path / "in"), str(tmp_path / "out"), on="serial", progress=False)
    report = corpus.merge(tmp_path / "out", progress=False)
    assert dict(report.counts) == {"new": 2, "changed": 1, "unchanged": 2}
    assert "new text" in corpus[document_id("http://a.example/x")].to_text()
    assert len(corpus.elements()) == corpus.documents()["elements"].sum()
    assert corpus.check() == []


def test_a_changed_page_loses_the_score_and_the_failure_of_its_old_text(tmp_path, corpus):
    for name, page in (("a", PAGE), ("b", PAGE.replace("text", "new text"))):
        warc(tmp_path / name / "in.warc.gz", ["x"], page)
        warc(tmp_path / name / "same.warc.gz", ["y"])
        extract_shards(str(tmp_path / name), str(tmp_path / f"out-{name}"), on="serial", progress=False)
    corpus.merge(tmp_path / "out-a", progress=False)
    x, y = (document_id(f"http://a.example/{name}") for name in "xy")
    catalog = corpus._folder.catalog
    with catalog.transaction() as connection:
        connection.executemany("INSERT INTO scores VALUES (?, 'm', 0.9, 'unknown')", [(x,), (y,)])
    catalog.add_failure("http://a.example/x", "fetch", OSError("the server did not answer"))
    corpus.merge(tmp_path / "out-b", progress=False)
    assert catalog.tuples("SELECT doc_id FROM scores") == [(y,)]
    assert corpus.failures().empty


def test_what_was_removed_does_not_come_back(archives, tmp_path, corpus):
    extract_shards(str(archives), str(tmp_path / "out"), on="serial", progress=False)
    corpus.merge(tmp_path / "out", progress=False)
    corpus.remove([document_id("http://a.example/0-0")], reason="asked to")
    corpus._folder.catalog.connection.execute("DELETE FROM meta WHERE key LIKE 'merged%'")
    report = corpus.merge(tmp_path / "out", progress=False)
    assert dict(report.counts) == {"removed": 1, "unchanged": 19}
    assert len(corpus) == 19


def test_a_shard_that_is_done_is_not_done_again(archives, tmp_path):
    out = tmp_path / "out"
    extract_shards(str(archives / "0.warc.gz"), str(out), on="serial", progress=False)
    before = {file.name: file.stat().st_mtime_ns for file in out.iterdir()}
    report = extract_shards(str(archives), str(out), on="serial", progress=False)
    assert (report.done, report.skipped) == (3, 1)
    assert {name: (out / name).stat().st_mtime_ns for name in before} == before


def test_a_shard_left_halfway_is_done_again(archives, tmp_path):
    out = tmp_path / "out"
    extract_shards(str(archives), str(out), on="serial", progress=False)
    whole = files(out)
    (out / "in__1.catalog.parquet").unlink()
    (out / "in__1.nlp.txt.zst").write_bytes(b"half")
    assert extract_shards(str(archives), str(out), on="serial", progress=False).done == 1
    assert files(out) == whole


@pytest.mark.slow
def test_a_shard_that_cannot_be_read_is_set_aside_with_its_reason_and_tried_again(archives, tmp_path):
    (archives / "bad.parquet").write_bytes(b"no Parquet")
    report = extract_shards(str(archives), str(tmp_path / "out"), on="serial", progress=False)
    assert (report.done, list(report.quarantined)) == (4, ["in__bad"])
    reason = json.loads((tmp_path / "out" / "in__bad.failed.json").read_text())
    assert reason["tries"] == 3
    assert "expected a Parquet file" in reason["message"]
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"url": ["http://b.example/"], "html": [PAGE.format("b")]}), archives / "bad.parquet")
    assert extract_shards(str(archives), str(tmp_path / "out"), on="serial", progress=False).done == 1
    assert not (tmp_path / "out" / "in__bad.failed.json").exists()


def test_documents_that_fail_are_rows(tmp_path, corpus):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "good.html").write_text(PAGE.format("good"))
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / ".hidden").write_text("no")
    report = extract_shards(str(folder), str(tmp_path / "out"), on="serial", progress=False)
    assert (report.documents, report.failures) == (1, 1)
    corpus.merge(tmp_path / "out", progress=False)
    assert corpus.failures()["uri"].tolist() == ["pages/bad.pdf"]
    assert corpus.documents()["uri"].tolist() == ["pages/good.html"]


def test_files_make_the_same_shards_until_one_changes(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for i in range(600):
        (folder / f"{i:03d}.txt").write_text("text")
    first = [shard.name for shard in find_shards([str(folder)])]
    assert len(first) == 2
    assert [shard.name for shard in find_shards([str(folder)])] == first
    (folder / "599.txt").write_text("other text")
    second = [shard.name for shard in find_shards([str(folder)])]
    assert len(set(first) & set(second)) == 1


def test_a_list_of_paths_names_archives_below_its_base(archives, tmp_path):
    lists = tmp_path / "lists"
    lists.mkdir()
    (lists / "warc.paths.gz").write_bytes(gzip.compress(b"in/0.warc.gz\nin/2.warc.gz\n"))
    shards = find_shards([str(lists / "warc.paths.gz")], base=str(tmp_path))
    assert [shard.name for shard in shards] == ["in__0", "in__2"]
    report = extract_shards(
        str(lists / "warc.paths.gz"), str(tmp_path / "out"), base=str(tmp_path), on="serial", progress=False
    )
    assert report.documents == 10


@pytest.mark.parametrize("line", ["http://a.example/page", "../../etc/x.warc.gz", ""])
def test_a_list_of_other_things_is_refused(tmp_path, line):
    (tmp_path / "x.paths").write_text(line + "\n")
    with pytest.raises(SourceError):
        find_shards([str(tmp_path / "x.paths")])


def test_parquet_of_places_reads_records_of_archives(archives, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    content = (archives / "1.warc.gz").read_bytes()
    with (archives / "1.warc.gz").open("rb") as stream:
        starts = [record.stream_pos for record in ArchiveIterator(stream, record_types=WarcRecordType.any_type)]
    rows = [
        ("in/1.warc.gz", start, end - start) for start, end in zip(starts, [*starts[1:], len(content)], strict=True)
    ][::2][:2]
    names = ["warc_filename", "warc_record_offset", "warc_record_length"]
    table = pa.table(dict(zip(names, map(list, zip(*rows, ("in/none.warc.gz", 0, 9), strict=True)), strict=True)))
    pq.write_table(table, tmp_path / "index.parquet")
    report = extract_shards(
        str(tmp_path / "index.parquet"), str(tmp_path / "out"), base=str(tmp_path), on="serial", progress=False
    )
    assert (report.documents, report.failures) == (2, 1)


STRANGE = [
    "reference::file:///etc/passwd.warc.gz",
    "simplecache::s3://bucket/x.warc.gz",
    "python://os.warc.gz",
    "data:;base64,AAAA.warc.gz",
    "reference://x.warc.gz",
    "filecache::file:///etc/x.warc.gz",
    "github://a:b@main/x.warc.gz",
    "ssh://host/x.warc.gz",
    "memory://x.warc.gz",
]


@pytest.mark.parametrize("url", STRANGE)
def test_only_known_stores_are_opened_and_the_error_names_them(tmp_path, url):
    with pytest.raises(SourceError, match=r"one of these stores: .*s3"):
        find_shards([url])


@pytest.mark.parametrize(
    "name", [*STRANGE, "file:///{outside}/secret.warc.gz", "local://{outside}/secret.warc.gz", "link/secret.warc.gz"]
)
def test_a_stranger_s_table_of_places_reads_nothing_elsewhere(archives, tmp_path, name):
    import pyarrow as pa
    import pyarrow.parquet as pq

    outside = tmp_path / "outside"
    outside.mkdir()
    (archives / "1.warc.gz").rename(outside / "secret.warc.gz")
    (archives / "link").symlink_to(outside)
    size = (outside / "secret.warc.gz").stat().st_size
    columns = {"warc_filename": [name.format(outside=outside)], "warc_record_offset": [0], "warc_record_length": [size]}
    pq.write_table(pa.table(columns), archives / "index.parquet")
    report = extract_shards(str(archives / "index.parquet"), str(tmp_path / "out"), on="serial", progress=False)
    assert (report.documents, report.failures) == (0, 1)


@pytest.mark.parametrize(
    "line", [*(url for url in STRANGE if "://" in url), "file://{outside}/1.warc.gz", "link/1.warc.gz"]
)
def test_a_stranger_s_list_of_archives_reads_nothing_elsewhere(archives, tmp_path, line):
    (tmp_path / "list").mkdir()
    (tmp_path / "list" / "link").symlink_to(archives)
    (tmp_path / "list" / "x.paths").write_text(line.format(outside=archives) + "\n")
    with pytest.raises(SourceError):
        find_shards([str(tmp_path / "list" / "x.paths")])


def test_links_in_a_folder_of_archives_are_not_followed(archives, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link.warc.gz").symlink_to(archives / "1.warc.gz")
    (archives / "2.warc.gz").rename(tmp_path / "folder" / "own.warc.gz")
    assert [shard.name for shard in find_shards([str(tmp_path / "folder")])] == ["folder__own"]
    assert [shard.name for shard in find_shards([str(tmp_path / "folder" / "link.warc.gz")])] == ["folder__link"]


@pytest.mark.slow
def test_parquet_of_urls_alone_is_refused_and_says_what_to_do(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"url": ["http://b.example/"]}), tmp_path / "x.parquet")
    report = extract_shards(str(tmp_path / "x.parquet"), str(tmp_path / "out"), on="serial", progress=False)
    assert "use corpuskit crawl" in next(iter(report.quarantined.values()))


def test_outputs_with_other_options_are_not_mixed(archives, tmp_path):
    from corpuskit.extraction import ExtractOptions

    secret = ExtractOptions(password="secret")
    extract_shards(str(archives), str(tmp_path / "out"), on="serial", options=secret, progress=False)
    assert b"secret" not in b"".join(files(tmp_path / "out").values())
    with pytest.raises(ConfigurationError, match="other options"):
        extract_shards(
            str(archives), str(tmp_path / "out"), on="serial", options=ExtractOptions(classify=False), progress=False
        )


def test_a_shard_that_was_changed_on_its_way_is_left_out(archives, tmp_path, corpus):
    extract_shards(str(archives), str(tmp_path / "out"), on="serial", progress=False)
    pack = tmp_path / "out" / "in__1.nlp.txt.zst"
    content = bytearray(pack.read_bytes())
    content[20] ^= 1
    pack.write_bytes(content)
    (tmp_path / "out" / "in__2.catalog.parquet").write_bytes(b"PAR1")
    (tmp_path / "out" / "in__3.elements.parquet").unlink()
    report = corpus.merge(tmp_path / "out", progress=False)
    assert (report.shards, sorted(report.damaged)) == (1, ["in__1", "in__2", "in__3"])
    assert len(corpus) == 5
    assert corpus.check() == []


def test_there_is_nothing_to_merge_in_an_empty_folder(tmp_path, corpus):
    with pytest.raises(SourceError, match="expected outputs of shards"):
        corpus.merge(tmp_path / "nothing")


@pytest.mark.slow
def test_the_commands_extract_stop_go_on_and_merge(tmp_path):
    for number in range(12):
        warc(tmp_path / "in" / f"{number:02d}.warc.gz", [f"{number}-{i}" for i in range(40)])
    code = (
        # A shell that started this in the background has SIGINT ignored.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "import sys; from corpuskit.cli import main; sys.argv = ['corpuskit', *sys.argv[1:]]; main()"
    )
    run = [sys.executable, "-c", code]
    command = [
        *run,
        "extract",
        "--on",
        "processes",
        "--workers",
        "1",
        str(tmp_path / "in" / "*.warc.gz"),
        str(tmp_path / "out"),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and len(list((tmp_path / "out").glob("*.catalog.parquet"))) < 2:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    done = len(list((tmp_path / "out").glob("*.catalog.parquet")))
    assert 2 <= done < 12
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    left = "1 shard" if done == 11 else f"{12 - done} shards"
    assert result.stdout.startswith(f"{left} extracted")
    assert f"{done} done before" in result.stdout
    result = subprocess.run([*run, "merge", str(tmp_path / "c"), str(tmp_path / "out")], capture_output=True, text=True, check=True, timeout=120)  # fmt: skip
    assert result.stdout == "12 shards: 480 new\n"


def test_what_a_killed_process_began_to_write_is_removed_when_its_shard_is_done(archives, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / ".in__0.elements.parquet.123.tmp").write_bytes(b"begun")
    (out / ".other.elements.parquet.123.tmp").write_bytes(b"of another run")
    extract_shards(str(archives / "0.warc.gz"), str(out), on="serial", progress=False)
    assert [file.name for file in out.glob(".*")] == [".other.elements.parquet.123.tmp"]


def test_reports_of_one_shard_speak_of_one():
    report = ShardReport(done=1, documents=1)
    assert repr(report) == "1 shard extracted (1 document, 0 failed)"
    assert repr(MergeReport(shards=1)) == "1 shard: nothing new"
