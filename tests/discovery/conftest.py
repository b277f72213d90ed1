"""A corpus that knows tea from tax, and an index of pages of both."""

import shutil

import pytest
from index_files import Archive, page, write_index

import corpuskit
from corpuskit.ingest import document_id
from corpuskit.shards import extract_shards

TEA = "Green tea and black tea are leaves that are brewed with hot water; a tea ceremony takes an hour of quiet."
TAX = "The income tax return lists wages, dividends and deductions; the tax office assesses what is to be paid."
TOPICS = {"tea": TEA, "tax": TAX}


def text(topic, number):
    return f"{TOPICS[topic]} Number {number} of the pages about {topic}, as written on day {number * 7}."


@pytest.fixture
def text_about():
    """Makes a text of a topic and a number."""
    return text


def site(archive, host, topic, numbers, folder="pages"):
    for number in numbers:
        url = f"https://{host}/{folder}/{topic}-{number}.html"
        archive.add(url, page(f"{topic} {number} of {host}", f"{host}: {text(topic, number)}"))


@pytest.fixture(scope="session")
def taught(tmp_path_factory):
    """The folder of a corpus with labels and models."""
    root = tmp_path_factory.mktemp("taught")
    archive = Archive("live.warc.gz")
    for topic in TOPICS:
        for host in (f"{topic}-a.example", f"{topic}-b.example", "mixed.example"):
            site(archive, host, topic, range(6))
    archive.write(root)
    extract_shards(str(root / "live.warc.gz"), str(root / "out"), on="serial", progress=False)
    with corpuskit.open(root / "corpus") as corpus:
        corpus.merge(root / "out", progress=False)
        corpus.set_labels(
            {document_id(row["url"]): "relevant" if "/tea-" in row["url"] else "other" for row in archive.rows}, by="me"
        )
        corpus.train()
    return root / "corpus"


@pytest.fixture
def corpus(taught, tmp_path):
    shutil.copytree(taught, tmp_path / "corpus")
    with corpuskit.open(tmp_path / "corpus") as opened:
        yield opened


def make_archives(root, parts=3):
    """An index in some parts, with its archives: of 15 hosts 60 pages each of both topics."""
    rows = []
    for part in range(parts):
        archive = Archive(f"crawl-data/CC-MAIN-2024-22/segments/1.0/warc/CC-MAIN-{part}.warc.gz")
        for number in range(5):
            site(archive, f"w{part}{number}.example", "tea", range(4))
            site(archive, f"w{part}{number}.example", "tax", range(4))
        archive.write(root)
        write_index(root, archive.rows, part)
        rows += archive.rows
    return rows


@pytest.fixture(scope="session")
def archives(tmp_path_factory):
    root = tmp_path_factory.mktemp("archives")
    make_archives(root)
    return root
