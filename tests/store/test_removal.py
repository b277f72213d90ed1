import gzip
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from corpuskit.errors import ConfigurationError, CorpusError, UnknownDocumentError
from corpuskit.preprocessing import step

SECRET_OPTIONS = "zanzibarone"


@pytest.fixture
def crawled(corpus, web, tmp_path):
    web.add("http://a.example/", "Start.", ["http://a.example/one", "http://a.example/two"])
    web.add("http://a.example/one", f"The word {SECRET_OPTIONS} must go.")
    web.add("http://a.example/two", "This page stays.")
    corpus.crawl("http://a.example/", proxy=web.proxy, delay=0, connections=1).wait(progress=False)
    (tmp_path / "note.txt").write_text(f"A note with {SECRET_OPTIONS} in it.", "utf-8")
    corpus.add(tmp_path / "note.txt", progress=False)
    assert len(corpus.kwic(SECRET_OPTIONS)) == 2
    return corpus


def content_of(corpus):
    """All that stands in the corpus' files, unpacked and decoded."""
    found = b""
    for file in Path(corpus.path).rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            found += content + (gzip.decompress(content) if file.name.endswith(".warc.gz") else b"")
            if file.suffix == ".parquet":
                found += str(pq.read_table(file).to_pylist()).encode()
    return found


@pytest.mark.feature("linguistics")
def test_a_removed_document_leaves_no_text_and_does_not_come_back(crawled, web, tmp_path):
    gone = crawled.kwic(SECRET_OPTIONS).doc_id
    assert crawled.remove(gone, reason="asked by its author") == 2
    assert len(crawled.kwic(SECRET_OPTIONS)) == 0
    assert len(crawled) == 2
    for doc_id in gone:
        with pytest.raises(UnknownDocumentError):
            crawled[doc_id]
    assert crawled.add(tmp_path / "note.txt", progress=False).removed == 1
    before = web.fetched["http://a.example/one"]
    crawled.crawl("http://a.example/one", proxy=web.proxy, delay=0).wait(progress=False)
    assert web.fetched["http://a.example/one"] == before
    assert SECRET_OPTIONS.encode() not in content_of(crawled)


@pytest.mark.feature("linguistics")
def test_results_of_steps_forget_a_removed_document(crawled):
    kept = crawled.documents().doc_id[~crawled.documents().doc_id.isin(crawled.kwic(SECRET_OPTIONS).doc_id)].tolist()
    crawled.preprocess([step("copy", lambda text: {"copy": text}, {"copy": "str"})], progress=False)
    (damaged,) = Path(crawled.path, "preprocessing").glob("copy-*/part-*.parquet")
    assert SECRET_OPTIONS.encode() in content_of(crawled)
    crawled.remove(crawled.kwic(SECRET_OPTIONS).doc_id, reason="asked by its author")
    assert SECRET_OPTIONS.encode() not in content_of(crawled)
    assert sorted(pq.read_table(damaged).column("doc_id").to_pylist()) == sorted(kept)
    damaged.write_bytes(SECRET_OPTIONS.encode())
    crawled.remove(kept[:1], reason="asked by its author")
    assert not damaged.exists()


def test_a_removed_title_is_in_no_free_page_of_the_catalogue(corpus, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for n in range(40):
        (folder / f"{n}.html").write_text(f"<title>{SECRET_OPTIONS} number {n}</title><p>Text {n}.</p>")
    corpus.add(folder, progress=False)
    assert SECRET_OPTIONS.encode() in content_of(corpus)
    assert corpus.remove(corpus.documents(), reason="asked for") == 40
    assert SECRET_OPTIONS.encode() not in content_of(corpus)


@pytest.mark.feature("linguistics")
def test_the_web_archive_stays_whole_around_what_was_removed(crawled):
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    crawled.remove(crawled.kwic(SECRET_OPTIONS).doc_id, reason="asked by its author")
    (archive,) = (crawled._folder.originals.path).glob("*.warc.gz")
    with archive.open("rb") as handle:
        urls = [record.headers["WARC-Target-URI"] for record in ArchiveIterator(handle, WarcRecordType.response)]
    assert urls == ["http://a.example/", "http://a.example/two"]
    other = crawled.documents().query("uri == 'http://a.example/two'").doc_id.iloc[0]
    assert b"This page stays." in crawled._folder.original(other)


@pytest.mark.feature("linguistics")
def test_a_removal_needs_a_reason_and_known_documents(crawled):
    with pytest.raises(ConfigurationError, match="reason"):
        crawled.remove(crawled.documents(), reason=" ")
    with pytest.raises(UnknownDocumentError):
        crawled.remove([*crawled.documents().doc_id, "0" * 16], reason="test")
    assert len(crawled) == 4


@pytest.mark.feature("linguistics")
def test_a_backup_is_a_corpus_with_the_same_documents_and_labels(crawled, tmp_path):
    import corpuskit

    crawled.set_labels({crawled.documents().doc_id.iloc[0]: "relevant"}, by="me")
    assert crawled.backup(tmp_path / "copy") > 1000
    with pytest.raises(CorpusError, match="new directory"):
        crawled.backup(tmp_path / "copy")
    copy = corpuskit.open(tmp_path / "copy")
    assert copy.documents().equals(crawled.documents())
    assert copy.labels().equals(crawled.labels())
    assert copy[copy.documents().doc_id.iloc[0]] == crawled[crawled.documents().doc_id.iloc[0]]
    copy.close()


@pytest.mark.slow
def test_a_backup_of_a_running_crawl_can_be_gone_on_with(corpus, web, tmp_path):
    import corpuskit

    web.add("http://a.example/", "Start.", [f"http://a.example/{i}" for i in range(60)])
    for i in range(60):
        web.add(f"http://a.example/{i}", f"Page {i}.")
    job = corpus.crawl("http://a.example/", proxy=web.proxy, delay=0, connections=1)
    while job.progress.pages < 10 and job.is_running:
        pass
    corpus.backup(tmp_path / "copy")
    job.wait(progress=False)
    copy = corpuskit.open(tmp_path / "copy")
    copy.crawl(resume=True, proxy=web.proxy, delay=0).wait(progress=False)
    assert set(copy.documents().uri) == set(corpus.documents().uri)
    assert len(copy.failures()) == 0
    copy.close()
