"""A store of objects on loopback, reached as any s3 is."""

import os

import pytest
import s3fs
from object_store import ObjectStore
from warc_files import files, warc


@pytest.fixture(scope="module")
def store():
    opened = ObjectStore()
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.lower().endswith("_proxy") or name.startswith("AWS_")]:
            patch.delenv(name)
        # What a user sets, too; workers inherit it.
        patch.setenv("AWS_ENDPOINT_URL", opened.url)
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield opened
        s3fs.S3FileSystem.clear_instance_cache()
    opened.close()


@pytest.fixture(scope="module")
def bucket(store):
    fs = s3fs.S3FileSystem()
    fs.mkdir("bucket")
    return fs


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
def test_archives_in_a_store_give_the_same_outputs_as_on_disk(bucket, tmp_path, corpus):
    from corpuskit.shards import extract_shards

    for number in range(2):
        warc(tmp_path / "crawl" / f"{number}.warc.gz", [f"{number}-{i}" for i in range(4)])
        bucket.put_file(str(tmp_path / "crawl" / f"{number}.warc.gz"), f"bucket/crawl/{number}.warc.gz")
    extract_shards(str(tmp_path / "crawl" / "*.warc.gz"), str(tmp_path / "out"), on="serial", progress=False)
    on = os.environ.get("CORPUSKIT_S3_ON", "serial")  # "processes" starts workers, for many seconds
    report = extract_shards("s3://bucket/crawl/*.warc.gz", "s3://bucket/out/", on=on, progress=False)
    assert (report.done, report.documents, report.failures, report.quarantined) == (2, 8, 0, {})
    assert {file.rpartition("/")[2]: bucket.cat_file(file) for file in bucket.ls("bucket/out", detail=False)} == files(
        tmp_path / "out"
    )
    again = extract_shards("s3://bucket/crawl/*.warc.gz", "s3://bucket/out/", on="serial", progress=False)
    assert (again.done, again.skipped) == (0, 2)
    assert corpus.merge("s3://bucket/out", progress=False).shards == 2
    assert len(corpus) == 8


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("names_condition", [True, False])
def test_of_two_that_publish_the_first_one_counts(bucket, store, tmp_path, names_condition, monkeypatch):
    from corpuskit.shards.output import Output

    monkeypatch.setattr(store, "names_condition", names_condition)
    output = Output(f"s3://bucket/race-{names_condition}")
    for name in ("first", "second"):
        (tmp_path / name).write_text(name)
    assert output.publish(tmp_path / "first", "x.catalog.parquet", create=True)
    assert not output.publish(tmp_path / "second", "x.catalog.parquet", create=True)
    assert output.read("x.catalog.parquet") == b"first"
    assert output.names() == ["x"]
    puts = [
        request
        for request in store.requests
        if request[0] in {"PUT", "POST"} and f"race-{names_condition}/x" in request[1]
    ]
    assert puts == [("PUT", f"bucket/race-{names_condition}/x.catalog.parquet", "*")] * 2  # one conditional PUT each
