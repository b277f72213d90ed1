"""Indexes of web archives: Common Crawl's columns, lines of JSON, packages; whatever they say, a place is one inside."""

import gzip
import zipfile
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from index_files import DATE, Archive, cdxj_line, index_row, page, write_index
from range_server import RangeServer

import corpuskit
from corpuskit.errors import ConfigurationError, SourceError
from corpuskit.sources.commoncrawl import read_partition

WARC = "crawl-data/CC-MAIN-2024-22/segments/1.0/warc/CC-MAIN-0.warc.gz"


def read(index):
    return [
        found for part in index.partitions for found in read_partition(part, index.filters, anonymous=index.anonymous)
    ]


def rows(index):
    return [row for found in read(index) for row in found.rows.to_pylist()]


def urls(index):
    return [row["url"] for row in rows(index)]


@pytest.fixture
def root(tmp_path):
    hosts = ["a.example.org", "b.example.org", "www.example.fr", "example.com", "notexample.org"]
    kinds = ["text/html", "application/pdf", "text/plain", "text/html", "text/html"]
    languages = ["eng,fra", "fra", "fra,eng", None, "eng"]
    found = [
        index_row(
            f"https://{host}/{number}", WARC, number * 10, 10, content_mime_detected=kind, content_languages=language,
            fetch_status=404 if number == 3 else 200, fetch_time=DATE.replace(day=10 + number),
        )
        for number, (host, kind, language) in enumerate(zip(hosts, kinds, languages, strict=True))
    ]  # fmt: skip
    write_index(tmp_path, found)
    return tmp_path


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({}, "0124"),
        ({"status": None}, "01234"),
        ({"status": 404}, "3"),
        ({"domains": "example.org"}, "01"),
        ({"domains": ["b.example.org", "example.fr"]}, "12"),
        ({"domains": "https://Example.ORG/x"}, "01"),
        ({"tld": "fr"}, "2"),
        ({"tld": ["org", ".fr"]}, "0124"),
        ({"languages": "en"}, "04"),
        ({"languages": ["fra"]}, "12"),
        ({"mime": "text/*"}, "024"),
        ({"mime": ["application/pdf"]}, "1"),
        ({"since": "2024-05-12"}, "24"),
        ({"since": datetime(2024, 5, 14, 1, 58, 10, tzinfo=UTC)}, "4"),
        ({"since": datetime(2024, 5, 11).date(), "languages": "fr"}, "12"),
    ],
)
def test_filters_choose_rows(root, wanted, numbers):
    found = urls(corpuskit.commoncrawl(root / "cc-index", **wanted))
    assert [url[-1] for url in found] == list(numbers)


@pytest.mark.parametrize(
    "wanted",
    [{"languages": "english"}, {"since": "yesterday"}, {"domains": "https://"}, {"mime": "html"}, {"status": "ok"}],
)
def test_a_filter_that_cannot_be_is_refused(root, wanted):
    with pytest.raises(ConfigurationError):
        corpuskit.commoncrawl(root / "cc-index", **wanted)


def test_a_row_has_types_and_the_host_of_its_url(tmp_path):
    lying = index_row("https://User@Real.example:8443/x?y", WARC, 5, 7, url_host_name="other.example")
    write_index(tmp_path, [lying])
    [row] = rows(corpuskit.commoncrawl(tmp_path / "cc-index"))
    assert (row["url_host_name"], row["fetch_time"], row["fetch_status"]) == ("real.example", DATE, 200)
    assert (row["warc_filename"], row["warc_record_offset"], row["warc_record_length"]) == (WARC, 5, 7)
    assert urls(corpuskit.commoncrawl(tmp_path / "cc-index", domains="other.example")) == []


def test_of_columns_that_are_not_needed_and_of_row_groups_without_a_wanted_row_nothing_is_read(tmp_path, monkeypatch):
    ordered = [index_row(f"https://{host}.org/{n}", WARC, n, 1) for host in ("aaa", "bbb", "ccc") for n in range(10)]
    ordered += [index_row(f"https://zzz.fr/{n}", WARC, n, 1) for n in range(10)]
    write_index(tmp_path, ordered, group=10)
    asked = []
    real = pq.ParquetFile.iter_batches
    monkeypatch.setattr(
        pq.ParquetFile, "iter_batches", lambda self, *given: asked.append((given[1], given[2])) or real(self, *given)
    )
    found = read(corpuskit.commoncrawl(tmp_path / "cc-index", domains="bbb.org", status=None))
    assert sum(len(part.rows) for part in found) == 10
    assert sum(part.seen for part in found) == 40
    assert {group for groups, _ in asked for group in groups} == {1}
    assert all("url_surtkey" not in columns and "warc_segment" not in columns for _, columns in asked)
    asked.clear()
    assert len(rows(corpuskit.commoncrawl(tmp_path / "cc-index", languages="fr"))) == 0
    assert {tuple(columns) for _, columns in asked} == {("content_languages", "fetch_status")}  # urls are not read


def test_only_the_subset_of_pages_is_taken_of_a_whole_crawl(tmp_path):
    folder = write_index(tmp_path, [index_row("https://a.org/", WARC, 0, 1)])
    for other in ("crawldiagnostics", "robotstxt"):
        target = folder.parent / f"subset={other}"
        target.mkdir()
        (target / "part-00000.parquet").write_bytes(next(folder.iterdir()).read_bytes())
    index = corpuskit.commoncrawl(tmp_path / "cc-index")
    assert len(index) == 1
    assert index.partitions[0].crawl == "CC-MAIN-2024-22"


def test_a_list_of_paths_is_an_index_and_archives_are_where_it_says(tmp_path):
    folder = write_index(tmp_path, [index_row("https://a.org/", WARC, 0, 1)])
    line = next(folder.iterdir()).relative_to(tmp_path).as_posix()
    listing = tmp_path / "crawl-data/CC-MAIN-2024-22/cc-index-table.paths.gz"
    listing.parent.mkdir(parents=True)
    listing.write_bytes(gzip.compress(f"{line}\n{line.replace('subset=warc', 'subset=robotstxt')}\n".encode()))
    index = corpuskit.commoncrawl(listing)
    assert urls(index) == ["https://a.org/"]
    assert index.archives == tmp_path.as_uri()
    listing.write_bytes(gzip.compress(b"../../etc/x.parquet\n"))
    with pytest.raises(SourceError, match="unsafe path"):
        corpuskit.commoncrawl(listing)
    listing.write_bytes(gzip.compress(b"file:///etc/x.parquet\n"))
    with pytest.raises(SourceError, match="expected a path, or a URL"):
        corpuskit.commoncrawl(listing)


def test_what_is_no_index_is_a_clear_error(tmp_path):
    with pytest.raises(SourceError, match=r"no such file|no index"):
        corpuskit.commoncrawl(tmp_path / "missing")
    (tmp_path / "x.parquet").write_bytes(b"PAR1 no table PAR1")
    with pytest.raises(SourceError, match="damaged, or not a Parquet file"):
        rows(corpuskit.commoncrawl(tmp_path / "x.parquet"))
    pq.write_table(pa.table({"url": ["https://a.org/"]}), tmp_path / "x.parquet")
    with pytest.raises(SourceError, match="missing columns: warc_filename"):
        rows(corpuskit.commoncrawl(tmp_path / "x.parquet"))


WRONG = [
    {"warc_filename": "../../etc/passwd"},
    {"warc_filename": "/etc/passwd"},
    {"warc_filename": "a/../../b.warc.gz"},
    {"warc_filename": "https://evil.example/x.warc.gz"},
    {"warc_filename": "s3:x"},
    {"warc_filename": "a\\b.warc.gz"},
    {"warc_filename": "a\nb.warc.gz"},
    {"warc_filename": ""},
    {"warc_filename": None},
    {"warc_filename": "x" * 1001},
    {"warc_record_offset": -1},
    {"warc_record_offset": None},
    {"warc_record_length": 0},
    {"warc_record_length": -5},
    {"url": "file:///etc/passwd"},
    {"url": "javascript:alert(1)"},
    {"url": ""},
    {"url": None},
    {"url": "http://"},
    {"url": "https://a.org/" + "x" * 3000},
]


@pytest.mark.parametrize("change", WRONG, ids=lambda change: str(change)[:50])
def test_a_row_that_can_be_no_place_is_counted_and_left_out(tmp_path, change):
    write_index(
        tmp_path, [index_row("https://a.org/", WARC, 0, 1), {**index_row("https://b.org/", WARC, 0, 1), **change}]
    )
    [found] = read(corpuskit.commoncrawl(tmp_path / "cc-index"))
    assert found.rows.column("url").to_pylist() == ["https://a.org/"]
    assert (found.seen, found.wrong) == (2, 1)


def test_columns_of_other_types_are_read_as_far_as_they_can_be(tmp_path):
    folder = tmp_path / "cc-index"
    folder.mkdir()
    table = pa.table({
        "url": pa.array(["https://a.org/", "https://b.org/", "https://c.org/"]).dictionary_encode(),
        "warc_filename": pa.array([b"x.warc.gz", b"x.warc.gz", b"\xff.warc.gz"], pa.binary()),
        "warc_record_offset": ["12", "many", "99999999999999999999"],
        "warc_record_length": pa.array([1, 2, 2**63], pa.uint64()),
        "fetch_time": ["2024-05-18T01:58:10Z", "20240518015810", "never"],
        "fetch_status": ["200", "200", "70000"],
    })  # fmt: skip
    pq.write_table(table, folder / "x.parquet")
    [found] = read(corpuskit.commoncrawl(folder, status=None))
    [row] = found.rows.to_pylist()
    assert (row["url"], row["warc_filename"], row["warc_record_offset"]) == ("https://a.org/", "x.warc.gz", 12)
    assert (row["fetch_time"], row["fetch_status"], row["content_languages"]) == (DATE, 200, None)
    assert (found.seen, found.wrong) == (3, 2)


def lines(archive):
    return "".join(cdxj_line(row) for row in archive.rows)


@pytest.fixture
def archive():
    made = Archive(WARC)
    for host in ("a.org", "b.org", "c.fr"):
        made.add(f"https://{host}/", page(host, f"the text of {host}"))
    return made


@pytest.mark.parametrize("packed", [False, True])
def test_lines_of_json_give_the_rows_of_the_columns(tmp_path, archive, packed):
    content = (lines(archive) + "no line\n!! {broken\n" + "x" * 200_000 + "\n").encode()
    name = "cdx-00000.gz" if packed else "index.cdxj"
    folder = tmp_path / "cc-index/collections/CC-MAIN-2024-22/indexes"
    folder.mkdir(parents=True)
    members = [content[:400], content[400:]]  # of several members, as theirs are
    (folder / name).write_bytes(b"".join(map(gzip.compress, members)) if packed else content)
    write_index(tmp_path / "columns", archive.rows)
    index = corpuskit.commoncrawl(folder)
    assert rows(index) == rows(corpuskit.commoncrawl(tmp_path / "columns/cc-index"))
    assert index.archives == tmp_path.as_uri()
    assert urls(corpuskit.commoncrawl(folder, tld="fr")) == ["https://c.fr/"]


def test_a_line_may_hold_anything(tmp_path, archive):
    row = archive.rows[0]
    odd = [
        {"offset": "-1"},
        {"offset": "1e3"},
        {"offset": None},
        {"length": 2**70},
        {"filename": ["x"]},
        {"url": "\ud800"},
        {"status": {}},
    ]
    (tmp_path / "x.cdxj").write_text("".join(cdxj_line(row, **more) for more in odd) + cdxj_line(row, offset=7))
    [found] = read(corpuskit.commoncrawl(tmp_path / "x.cdxj", status=None))
    places = [(r["url"], r["warc_record_offset"]) for r in found.rows.to_pylist()]
    assert places == [(row["url"], 0), (row["url"], 7)]  # a status that is none is no status


def test_a_cut_file_of_lines_is_an_error_behind_what_could_be_read(tmp_path, archive):
    (tmp_path / "cdx-00000.gz").write_bytes(gzip.compress(lines(archive).encode())[:-12])
    with pytest.raises(SourceError, match="damaged"):
        read(corpuskit.commoncrawl(tmp_path / "cdx-00000.gz"))


def test_a_package_gives_places_in_itself(tmp_path, archive):
    from fastwarc.warc import ArchiveIterator

    with zipfile.ZipFile(tmp_path / "x.wacz", "w") as package:
        package.writestr("datapackage.json", "{}")
        package.writestr("archive/CC-MAIN-0.warc.gz", archive.content)
        wrong = cdxj_line({**archive.rows[0], "warc_record_offset": 10**9})
        package.writestr("indexes/index.cdx.gz", gzip.compress((lines(archive) + wrong).encode()))
    index = corpuskit.commoncrawl(tmp_path / "x.wacz")
    found = rows(index)
    assert [row["url"] for row in found] == ["https://a.org/", "https://b.org/", "https://c.fr/"]
    with (tmp_path / found[1]["warc_filename"]).open("rb") as handle:
        handle.seek(found[1]["warc_record_offset"])
        assert next(iter(ArchiveIterator(handle))).headers["WARC-Target-URI"] == "https://b.org/"


def test_a_package_that_packs_its_archives_once_more_is_refused(tmp_path, archive):
    with zipfile.ZipFile(tmp_path / "x.wacz", "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("archive/CC-MAIN-0.warc.gz", archive.content)
        package.writestr("indexes/index.cdx", lines(archive))
    with pytest.raises(SourceError, match="add the whole package with corpuskit add"):
        rows(corpuskit.commoncrawl(tmp_path / "x.wacz"))


@pytest.mark.parametrize("name", ["CC-MAIN-2026-9x", "cc-main-2024-22", "CC-MAIN-2024"])
def test_a_mistyped_crawl_is_told_with_what_was_looked_for_and_how_crawls_are_named(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError) as refused:
        corpuskit.commoncrawl(name)
    assert str(refused.value) == (
        f"{name}: there is no such file in {tmp_path}, and the name is not that of a crawl (year and "
        "week, as CC-MAIN-2024-22); https://index.commoncrawl.org lists all crawls"
    )


def test_a_crawl_that_is_not_there_is_told_with_the_address_that_was_asked(monkeypatch):
    server = RangeServer()
    monkeypatch.setattr("corpuskit.sources.commoncrawl.index.PUBLIC", f"{server.url}/")
    with pytest.raises(SourceError) as refused:
        corpuskit.commoncrawl("CC-MAIN-2026-97")
    assert str(refused.value) == (
        f"there is no crawl CC-MAIN-2026-97: no file at {server.url}/crawl-data/CC-MAIN-2026-97/cc-index-table.paths.gz; "
        "https://index.commoncrawl.org lists all crawls"
    )
    server.close()


def test_a_folder_that_is_not_there_is_told_as_such(tmp_path):
    with pytest.raises(SourceError, match="there is no such file, or the directory is empty"):
        corpuskit.commoncrawl(tmp_path / "missing")
