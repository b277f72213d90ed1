"""A store of objects: a moto server on loopback, reached as any s3 is."""

import subprocess
import sys

import pytest

pytest.importorskip("moto", reason="moto and s3fs are not installed")
pytest.importorskip("s3fs", reason="moto and s3fs are not installed")
pytest.importorskip("flask", reason="moto's server is not installed")

from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from test_shards import files, warc


@pytest.fixture(scope="module")
def bucket():
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        # What a user sets, too; workers inherit it.
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        import s3fs

        fs = s3fs.S3FileSystem()
        fs.mkdir("bucket")
        yield fs
        s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
def test_archives_in_a_store_give_the_same_outputs_as_on_disk(bucket, tmp_path, corpus):
    from corpuskit.shards import extract_shards

    for number in range(3):
        warc(tmp_path / "crawl" / f"{number}.warc.gz", [f"{number}-{i}" for i in range(4)])
        bucket.put_file(str(tmp_path / "crawl" / f"{number}.warc.gz"), f"bucket/crawl/{number}.warc.gz")
    extract_shards(str(tmp_path / "crawl" / "*.warc.gz"), str(tmp_path / "out"), on="serial", progress=False)
    code = "import sys; from corpuskit.cli import main; sys.argv = ['corpuskit', *sys.argv[1:]]; main()"
    command = [
        sys.executable,
        "-c",
        code,
        "extract",
        "--on",
        "processes",
        "--workers",
        "2",
        "s3://bucket/crawl/*.warc.gz",
        "s3://bucket/out/",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert result.stdout.startswith("3 shards extracted (12 documents, 0 failed)")
    assert {file.rpartition("/")[2]: bucket.cat_file(file) for file in bucket.ls("bucket/out", detail=False)} == files(
        tmp_path / "out"
    )
    again = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert again.stdout.startswith("0 shards extracted (0 documents, 0 failed), 3 done before")
    assert corpus.merge("s3://bucket/out", progress=False).shards == 3
    assert len(corpus) == 12


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
def test_of_two_that_publish_the_first_one_counts(bucket, tmp_path):
    from corpuskit.shards.output import Output

    output = Output("s3://bucket/race")
    for name in ("first", "second"):
        (tmp_path / name).write_text(name)
    assert output.publish(tmp_path / "first", "x.catalog.parquet", create=True)
    assert not output.publish(tmp_path / "second", "x.catalog.parquet", create=True)
    assert output.read("x.catalog.parquet") == b"first"
    assert output.names() == ["x"]
