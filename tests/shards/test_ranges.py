"""Records by byte ranges: few requests, few bytes in vain, a busy store left in peace, nothing lost, nothing believed."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_files import Archive, page
from range_server import RangeServer

from corpuskit.errors import SourceError
from corpuskit.ingest import document_id
from corpuskit.shards import extract_shards
from corpuskit.shards.byte_ranges import ArchiveReader, Span, StoreBusyError, coalesce_ranges

NAME = "crawl-data/CC-MAIN-2024-22/segments/1.0/warc/CC-MAIN-0.warc.gz"


def spans(*pairs):
    return [Span(number, start, length) for number, (start, length) in enumerate(pairs)]


def test_neighbours_are_one_request_as_long_as_little_is_fetched_in_vain():
    # 100 bytes are needed: gaps of 5 and 10 fit into 20, the next of 10 does not.
    found = coalesce_ranges(spans((0, 25), (30, 25), (65, 25), (100, 25)))
    assert [(part.start, part.end) for part in found] == [(0, 90), (100, 125)]


def test_records_that_overlap_or_stand_twice_are_fetched_once():
    found = coalesce_ranges(spans((0, 50), (10, 10), (0, 50), (45, 10)))
    assert [(part.start, part.end, len(part.spans)) for part in found] == [(0, 55, 4)]
    assert coalesce_ranges([]) == []


def test_far_neighbours_are_two_requests_though_records_are_large():
    found = coalesce_ranges(spans((0, 20 << 20), (22 << 20, 20 << 20)))
    assert len(found) == 2


def test_a_request_for_several_records_has_a_limit():
    found = coalesce_ranges(spans(*((number << 20, 1 << 20) for number in range(80))))
    assert max(part.end - part.start for part in found) <= 32 << 20
    assert sum(part.end - part.start for part in found) == 80 << 20


@given(st.lists(st.tuples(st.integers(0, 5_000), st.integers(1, 300)), max_size=40))
def test_every_record_is_in_one_request_and_at_most_a_fifth_is_in_vain(pairs):
    found = coalesce_ranges(spans(*pairs))
    numbers = [span.number for part in found for span in part.spans]
    assert sorted(numbers) == list(range(len(pairs)))
    assert all(part.start <= span.start and span.end <= part.end for part in found for span in part.spans)
    needed = len({byte for start, length in pairs for byte in range(start, start + length)})
    assert sum(part.end - part.start for part in found) <= 1.2 * needed


@pytest.fixture
def server():
    opened = RangeServer()
    opened.files[NAME] = bytes(range(256)) * 40
    yield opened
    opened.close()


@pytest.fixture
def archives(server):
    waits = []
    opened = ArchiveReader(server.url, pause=0.25, sleep=waits.append)
    opened.waits = waits
    return opened


def test_a_range_is_asked_for_and_no_more_comes(server, archives):
    assert archives.read(NAME, 3, 8) == bytes([3, 4, 5, 6, 7])
    assert server.ranges == [(NAME, 3, 8)]
    assert (archives.requests, archives.fetched, archives.waits) == (1, 5, [])
    archives.read(NAME, 8, 9)
    assert archives.waits == [0.25]  # between two requests


@pytest.mark.parametrize("fault", [503, 429, 500, "cut"])
def test_a_busy_store_is_asked_later_and_later(server, archives, fault):
    server.faults = [fault] * 3
    assert archives.read(NAME, 0, 10) == bytes(range(10))
    assert [wait for wait in archives.waits if wait != 0.25] == [1.0, 2.0, 4.0]


def test_a_connection_that_breaks_is_made_again(server, archives):
    server.faults = ["close"] * 3
    assert archives.read(NAME, 0, 10) == bytes(range(10))
    assert len(server.ranges) == 4


def test_a_store_is_asked_again_when_it_says(server, archives):
    server.faults = [(503, {"Retry-After": "7"}), (429, {"Retry-After": "0"}), (429, {"Retry-After": "99999999"})]
    server.faults.append((429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}))
    archives.read(NAME, 0, 10)
    assert [wait for wait in archives.waits if wait != 0.25] == [7.0, 0.0, 300.0, 8.0]


def test_a_store_that_stays_busy_is_no_failure_of_the_page(server, archives):
    server.faults = [503] * 6
    with pytest.raises(StoreBusyError, match="answered 503; gave up after 6 attempts"):
        archives.read(NAME, 0, 10)
    assert len(server.ranges) == 6


def test_a_server_without_ranges_may_give_a_small_file_whole_and_no_large_one(server, archives, monkeypatch):
    from corpuskit.shards import byte_ranges

    server.faults = ["whole"] * 2
    assert archives.read(NAME, 3, 10) == bytes(range(3, 10))
    monkeypatch.setattr(byte_ranges, "_MAX_REQUEST_BYTES", 10_000)
    with pytest.raises(SourceError, match="expected the requested range, the server answered 200"):
        archives.read(NAME, 3, 10)


@pytest.mark.parametrize("fault", [403, 404, (206, {"Content-Range": "bytes 5-9/100"})])
def test_what_is_no_answer_to_the_range_is_an_error(server, archives, fault):
    server.faults = [fault]
    with pytest.raises(SourceError):
        archives.read(NAME, 0, 10)
    assert len(server.ranges) == 1


def test_a_range_behind_the_end_gives_what_there_is(server, archives):
    assert archives.read(NAME, 10_235, 10_300) == bytes([251, 252, 253, 254, 255])
    assert archives.read(NAME, 99_999, 100_000) == b""


@pytest.fixture
def archive():
    made = Archive(NAME)
    for number in range(6):
        made.add(f"https://a.example/{number}", page(f"Page {number}", f"The text of page {number}."))
    return made


def table(file, rows):
    file.parent.mkdir(exist_ok=True)
    names = ["url", "content_digest", "warc_filename", "warc_record_offset", "warc_record_length"]
    pq.write_table(pa.Table.from_pylist([{name: row[name] for name in names} for row in rows]), file)
    return str(file)


def extract(tmp_path, rows, base, out="out"):
    source = table(tmp_path / "places" / "places.parquet", rows)
    return extract_shards(source, str(tmp_path / out), on="serial", base=str(base), progress=False)


def catalog(tmp_path, out="out"):
    [file] = (tmp_path / out).glob("*.catalog.parquet")
    return pq.read_table(file).to_pylist()


def test_records_over_https_and_on_disk_are_the_same_shards(tmp_path, server, archive):
    archive.write(tmp_path / "root")
    server.files[NAME] = archive.content
    extract(tmp_path, archive.rows, tmp_path / "root", "here")
    extract(tmp_path, archive.rows, server.url, "there")
    here, there = ({f.name: f.read_bytes() for f in (tmp_path / out).iterdir()} for out in ("here", "there"))
    assert here == there
    assert len(here) == 5  # with the records, and the settings
    [records] = [content for name, content in here.items() if name.endswith(".records.warc.gz")]
    starts = [row["warc_record_offset"] for row in archive.rows]
    assert records == b"".join(
        archive.content[s : s + r["warc_record_length"]] for s, r in zip(starts, archive.rows, strict=True)
    )


def test_merged_pages_have_their_originals_and_where_they_come_from(tmp_path, archive, corpus):
    archive.write(tmp_path / "root")
    extract(tmp_path, archive.rows, tmp_path / "root")
    assert dict(corpus.merge(tmp_path / "out", progress=False).counts) == {"new": 6}
    doc_id = document_id("https://a.example/3")
    row = archive.rows[3]
    metadata = corpus[doc_id].metadata
    assert metadata["warc"] == NAME
    assert (metadata["warc_offset"], metadata["warc_length"]) == (
        str(row["warc_record_offset"]),
        str(row["warc_record_length"]),
    )
    assert metadata["payload_digest"] == f"sha1:{row['content_digest']}"
    assert corpus._folder.original(doc_id) == page("Page 3", "The text of page 3.")
    assert corpus.check() == []
    report = corpus.export(tmp_path / "export", format=["jsonl"])
    assert report is not None
    corpus.close()
    (tmp_path / "corpus" / "catalog.sqlite").unlink()
    type(corpus).repair(tmp_path / "corpus")  # the records tell what the catalogue said


def test_only_wanted_documents_are_taken_in(tmp_path, archive, corpus):
    from corpuskit.shards import merge

    archive.write(tmp_path / "root")
    extract(tmp_path, archive.rows, tmp_path / "root")
    report = merge(
        corpus._folder, str(tmp_path / "out"), progress=False,
        judge=lambda texts: [title == "Page 2" and "text of page 2" in text for _, title, text in texts],
    )  # fmt: skip
    assert dict(report.counts) == {"not wanted": 5, "new": 1}
    assert corpus.documents()["uri"].tolist() == ["https://a.example/2"]
    assert corpus.check() == []


def test_what_an_index_says_wrongly_is_a_failure_of_that_row_only(tmp_path, archive):
    size = len(archive.content)
    good, wrong = archive.rows[0], dict(archive.rows[1])
    changes = [
        ({"warc_record_offset": wrong["warc_record_offset"] + 3}, "expected the start of a WARC record"),
        ({"warc_record_offset": good["warc_record_offset"]}, "found https://a.example/0"),
        ({"warc_record_offset": size + 10}, "the archive ends"),
        ({"warc_record_length": size * 2}, "the archive ends"),
        ({"warc_record_length": 30}, ""),
        ({"warc_record_length": 2**40}, "the limit is"),
        ({"warc_record_length": -1}, "the limit is"),
        ({"warc_record_offset": -1}, "not a valid location of a record"),
        ({"warc_filename": "../secret.warc.gz"}, "not a valid location of a record"),
        ({"warc_filename": "/etc/passwd"}, ""),
        ({"warc_filename": "file:///etc/passwd"}, ""),
        ({"warc_filename": "missing.warc.gz"}, "the archive does not exist"),
        ({"content_digest": "A" * 32}, "expected AAAA"),
    ]
    archive.write(tmp_path / "root")
    rows = [good, *({**wrong, "url": wrong["url"], **change} for change, _ in changes)]
    report = extract(tmp_path, rows, tmp_path / "root")
    assert (report.done, report.documents, report.failures, report.quarantined) == (1, 1, len(changes), {})
    messages = [row["message"] for row in catalog(tmp_path) if row["status"] == "failed"]
    for _, told in changes:
        assert any(told in message for message in messages), (told, messages)


@pytest.mark.slow
def test_records_that_are_no_pages_are_failures_and_hosts_text_is_only_text(tmp_path):
    made = Archive(NAME)
    made.add("https://a.example/ok", page("<script>alert(1)</script>", "x"))
    made.add("https://a.example/gone", b"gone", status=404)
    made.add("https://a.example/picture", b"\x89PNG", mime="image/png")
    made.add("https://a.example/again", b"", kind="revisit", digest="B" * 32)
    made.add("https://a.example/request", b"GET / HTTP/1.1", kind="request")
    made.add("https://a.example/cut", page("Cut", "short"), head={"WARC-Truncated": "length"})
    made.add("https://a.example/bad", page("Bad", "text"), digest="C" * 32)
    made.add("https://a.example/bomb", gzip.compress(bytes(120_000_000)), headers=["Content-Encoding: gzip"])
    made.write(tmp_path / "root")
    report = extract(tmp_path, made.rows, tmp_path / "root")
    assert report.quarantined == {}
    rows = {row["uri"]: row for row in catalog(tmp_path)}
    assert (report.documents, report.failures) == (2, 6)
    assert rows["https://a.example/cut"]["status"] == "extracted"
    assert '"truncated": "length"' in rows["https://a.example/cut"]["metadata"]
    for name, told in {
        "gone": "expected a page, found", "picture": "expected a page, found", "again": "revisit record", "request": "expected a page, found",
        "bad": "wrong payload digest", "bomb": "limit of 100,000,000 bytes",
    }.items():  # fmt: skip
        assert told in rows[f"https://a.example/{name}"]["message"]


@pytest.mark.slow
def test_a_record_that_is_a_bomb_itself_is_refused(tmp_path):
    made = Archive(NAME)
    made.add("https://a.example/bomb", bytes(200_000_000))
    made.write(tmp_path / "root")
    report = extract(tmp_path, made.rows, tmp_path / "root")
    assert (report.documents, report.failures) == (0, 1)
    assert "the limit is" in catalog(tmp_path)[0]["message"]


def test_a_busy_store_sets_the_shard_aside_and_the_same_call_goes_on(tmp_path, server, archive, monkeypatch):
    from corpuskit.shards import byte_ranges

    monkeypatch.setattr(byte_ranges.time, "sleep", lambda seconds: None)
    server.files[NAME] = archive.content
    server.faults = [503] * 18
    report = extract(tmp_path, archive.rows, server.url)
    assert (report.done, report.documents, report.failures, len(report.quarantined)) == (0, 0, 0, 1)
    again = extract(tmp_path, archive.rows, server.url)
    assert (again.done, again.documents, again.failures, again.quarantined) == (1, 6, 0, {})
