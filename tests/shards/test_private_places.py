"""Lists and tables of places from a stranger: what they name over HTTP is fetched under the crawl's guard of addresses."""

import gzip
import socket

import pytest
from fsspec.implementations.http import HTTPFileSystem

from corpuskit.errors import SourceError
from corpuskit.shards import extract_shards, find_shards


def record(url):
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>t</title><p>not for everybody</p>"
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
        f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + body + b"\r\n\r\n")


@pytest.fixture(params=["127.0.0.1", "localhost"])
def base(request, web):
    """Ways to write the address of a server on this machine, which has an archive; its requests are in ``web.log``."""
    port = web.proxy.rpartition(":")[2]
    content = record("http://a.example/secret")

    class Everything(dict):
        def get(self, url, default=None):
            return (
                (lambda _: (200, {"Content-Type": "application/gzip"}, content)) if url.endswith(".warc.gz") else None
            )

    web.pages, web.size = Everything(), len(content)
    return f"http://{request.param}:{port}"


def table(folder, name, size):
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    columns = {"warc_filename": [name], "warc_record_offset": [0], "warc_record_length": [size]}
    pq.write_table(pa.table(columns), folder / "index.parquet")
    return str(folder / "index.parquet")


def extract(source, tmp_path, **options):
    return extract_shards(source, str(tmp_path / "out"), on="serial", progress=False, **options)


@pytest.mark.slow
def test_a_list_asks_no_private_address(web, base, tmp_path):
    (tmp_path / "x.paths").write_text(f"{base}/x.warc.gz\n")
    report = extract(str(tmp_path / "x.paths"), tmp_path)
    assert web.log == []
    assert (report.done, report.documents) == (0, 0)
    assert "private address" in next(iter(report.quarantined.values()))


def test_a_table_asks_no_private_address_and_its_other_rows_are_read(web, base, tmp_path):
    report = extract(table(tmp_path / "in", f"{base}/x.warc.gz", web.size), tmp_path)
    assert web.log == []
    assert (report.documents, report.failures, report.quarantined) == (0, 1, {})


def test_a_server_that_the_user_names_may_be_a_private_one(web, base, tmp_path):
    report = extract(table(tmp_path / "in", "x.warc.gz", web.size), tmp_path, base=base)
    assert (report.documents, report.failures) == (1, 0)
    assert [url.rpartition("/")[2] for url in web.log] == ["x.warc.gz"]


@pytest.fixture
def new_sessions():
    """fsspec keeps what it has opened: a session made under other rules would serve later tests."""
    HTTPFileSystem.clear_instance_cache()
    yield
    HTTPFileSystem.clear_instance_cache()


@pytest.mark.usefixtures("new_sessions")
def test_a_public_server_sends_nobody_to_a_private_one(web, tmp_path, monkeypatch):
    """127.0.0.1 stands for a public server, 127.0.0.2 for one of the user's network."""
    from corpuskit.sources.web import client

    try:
        hidden = socket.create_server(("127.0.0.2", 0))
    except OSError:
        pytest.skip("this system has one loopback address")
    hidden.settimeout(0)
    monkeypatch.setattr(client, "is_public", lambda address: address == "127.0.0.1")
    base = f"http://127.0.0.1:{web.proxy.rpartition(':')[2]}"
    target = f"http://127.0.0.2:{hidden.getsockname()[1]}/x.warc.gz"
    web.pages[f"{base}/x.warc.gz"] = lambda _: (302, {"Location": target}, b"")
    report = extract(table(tmp_path / "in", "x.warc.gz", 500), tmp_path, base=base)
    assert (report.documents, report.failures) == (0, 1)
    with hidden, pytest.raises(BlockingIOError):
        hidden.accept()


def test_a_place_that_is_no_address_is_a_row_of_failures(web, tmp_path):
    report = extract(table(tmp_path / "in", "http://2130706433:1/x.warc.gz", 500), tmp_path)
    assert (report.documents, report.failures, report.quarantined) == (0, 1, {})


@pytest.mark.parametrize("url", ["webhdfs://127.0.0.1:1/x.warc.gz", "hdfs://127.0.0.1:1/x.warc.gz"])
def test_a_list_names_no_store_of_the_network_at_hand(tmp_path, url):
    (tmp_path / "x.paths").write_text(f"{url}\n")
    with pytest.raises(SourceError, match="one of these stores"):
        find_shards([str(tmp_path / "x.paths")])
