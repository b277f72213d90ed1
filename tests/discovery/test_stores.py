"""An index and its archives in a bucket or on a web server: the same code, without credentials."""

import os
from pathlib import Path

import pytest
import s3fs
from object_store import ObjectStore
from range_server import RangeServer

import corpuskit

SECRET_OPTIONS = "AKIDSECRETSECRET"


@pytest.fixture
def bucket(archives, monkeypatch):
    """The archives in a bucket that anybody may read; credentials that are in the environment must not be sent to it."""
    store = ObjectStore()
    for name in [name for name in os.environ if name.lower().endswith("_proxy") or name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", store.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", SECRET_OPTIONS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_OPTIONS)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    store.buckets.add("archive")
    for file in archives.rglob("*.*"):
        if file.is_file():
            store.objects["archive", file.relative_to(archives).as_posix()] = file.read_bytes()
    s3fs.S3FileSystem.clear_instance_cache()
    yield store
    s3fs.S3FileSystem.clear_instance_cache()
    store.close()


ignored = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def domain_corpus(corpus, index, **more):
    found = corpus.discover(index, on="serial", progress=False)
    report = corpus.fetch(found, on="serial", progress=False, requests_per_second=1000, **more)
    return found, report


@ignored
@pytest.mark.slow
def test_a_bucket_is_read_without_credentials_and_none_is_written(corpus, bucket):
    signed = []
    handler = bucket._server.RequestHandlerClass
    real = handler.do_GET
    handler.do_GET = lambda self: (signed.append(self.headers.get("Authorization")), real(self))[1]
    index = corpuskit.commoncrawl("s3://archive/cc-index")
    assert (len(index), index.archives) == (3, "s3://archive")
    found, report = domain_corpus(corpus, index)
    assert (len(found), report.counts["new"], report.failures) == (60, 60, 0)
    assert signed
    assert set(signed) == {None}
    assert corpus.check() == []
    written = [file for file in Path(corpus.path).rglob("*") if file.is_file()]
    assert not any(SECRET_OPTIONS.encode() in file.read_bytes() for file in written)


@ignored
def test_a_bucket_that_asks_for_an_account_gets_the_credentials_of_the_environment_when_told(bucket):
    signed = []
    handler = bucket._server.RequestHandlerClass
    real = handler.do_GET
    handler.do_GET = lambda self: (signed.append(self.headers.get("Authorization") or ""), real(self))[1]
    assert len(corpuskit.commoncrawl("s3://archive/cc-index", anonymous=False)) == 3
    assert all(SECRET_OPTIONS in header for header in signed)


@ignored
@pytest.mark.slow
def test_of_a_bucket_only_the_bytes_of_records_are_asked_for(corpus, bucket):
    found, _ = domain_corpus(corpus, corpuskit.commoncrawl("s3://archive/cc-index"))
    asked = [key for method, key, _ in bucket.requests if method == "GET" and key.endswith(".warc.gz")]
    assert len(asked) == found.estimate().requests + 1  # the first one looks whether it is there


@pytest.mark.slow
def test_a_web_server_gives_the_same_corpus_as_the_disk(corpus, taught, archives, tmp_path):
    import shutil

    server = RangeServer()
    for file in archives.rglob("*.*"):
        if file.is_file():
            server.files[file.relative_to(archives).as_posix()] = file.read_bytes()
    parts = [name for name in server.files if name.endswith(".parquet")]
    server.files["crawl-data/CC-MAIN-2024-22/cc-index-table.paths.gz"] = "\n".join(parts).encode()
    index = corpuskit.commoncrawl(f"{server.url}/crawl-data/CC-MAIN-2024-22/cc-index-table.paths.gz")
    assert (len(index), index.archives) == (3, server.url)
    server.faults = [503, 429, "cut"]
    found, report = domain_corpus(corpus, index)
    assert (report.counts["new"], report.failures) == (60, 0)
    shutil.copytree(taught, tmp_path / "local")
    with corpuskit.open(tmp_path / "local") as local:
        other, _ = domain_corpus(local, corpuskit.commoncrawl(archives / "cc-index"))
        assert other.locations.equals(found.locations)
        mine, theirs = corpus.documents(), local.documents()
        assert mine.equals(theirs)
    server.close()
