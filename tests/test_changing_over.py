"""Trees that other systems wrote, and our own exports, are taken in as what they are."""

import json
import os
import shutil
import tarfile
import zipfile
from datetime import UTC, datetime

import pytest

import corpuskit
from corpuskit.corpus import Corpus
from corpuskit.demo import demo_data
from corpuskit.ingest import document_id

DOCUMENT = """\
## NLPTextDocument Title The savings account
## NLPTextDocument Uri {uri}
## NLPTextDocument Timestamp 07/19/2018 10:11:12
## NLPTextDocument Metadata Author=Ann
## NLPTextDocument Metadata language=fr

## 1 Section Start Le livret
Le taux du livret est fixé par la loi, et il change deux fois par an.
## 1 Section End <<Le livret>>
"""
LOG = """\
Clock;Url;Status code;Reponse time (ms);Download time (ms);Content size (bytes);Unique text blocks (%);Crawl depth;\
Parent Url;Redirected from;Retry count;Retry after (s);Error message
2018-07-19T10:11:12;https://bank.example/livret;OK;120;30;4500;0.75;1;https://bank.example/;;0;;
2018-07-19T10:11:13;https://bank.example/gone;NotFound;80;2;100;;2;https://bank.example/livret;;0;;
Clock;Url;Status code;Reponse time (ms);Download time (ms);Content size (bytes);Unique text blocks (%);Crawl depth;\
Parent Url;Redirected from;Retry count;Retry after (s);Error message
2018-07-20T08:00:00;https://bank.example/slow;;;;;;2;https://bank.example/livret;;1;;timed out
"""


def extractor_tree(root):
    """What the Language Resource Extractor leaves: documents by URL, and its logs in a folder of their own."""
    site = root / "bank.example"
    (site / "_nlptextdoc").mkdir(parents=True)
    (site / "livret.nlp.txt").write_text("\ufeff" + DOCUMENT.format(uri="https://bank.example/livret"), "utf-8")
    (site / "_default_.nlp.txt").write_text(DOCUMENT.format(uri="https://bank.example/"), "utf-8")
    (site / "_nlptextdoc" / "config.txt").write_text("# nlptextdoc\nscope=domain\nrootUrl=https://bank.example/\n")
    (site / "_nlptextdoc" / "requests.log.csv").write_text(LOG)
    (site / "_nlptextdoc" / "messages.log.txt").write_text("a message\n")
    (site / "_nlptextdoc" / "exceptions.log.txt").write_text("an exception\n")
    (site / "_nlptextdoc" / "checkpoint.bin").write_bytes(b"\x00\x01\x00\x00")
    return root


def test_a_text_document_keeps_its_own_uri_date_and_metadata(corpus, tmp_path):
    folder = extractor_tree(tmp_path / "out")
    assert repr(corpus.add(folder / "bank.example" / "livret.nlp.txt", progress=False)) == "1 new"
    row = corpus.documents().iloc[0]
    assert (row.doc_id, row.uri) == (document_id("https://bank.example/livret"), "https://bank.example/livret")
    assert (row.host, row.title, row.lang) == ("bank.example", "The savings account", "fr")
    assert str(row.timestamp) == "2018-07-19 10:11:12+00:00"
    document = corpus[row.doc_id]
    assert document.uri == "https://bank.example/livret"
    assert document.metadata["Author"] == "Ann"
    corpus.export(tmp_path / "export", format=["nlp.txt", "jsonl"])
    exported = list((tmp_path / "export").rglob("*.nlp.txt"))
    assert [corpuskit.read_nlptext(file).uri for file in exported] == ["https://bank.example/livret"]


@pytest.mark.feature("compat")
def test_the_same_document_from_elsewhere_is_known_and_a_changed_one_is_a_version(corpus, tmp_path):
    one, two = extractor_tree(tmp_path / "one"), extractor_tree(tmp_path / "two")
    corpus.add(one, progress=False)
    assert repr(corpus.add(two, progress=False)) == "2 unchanged"
    file = two / "bank.example" / "livret.nlp.txt"
    file.write_text(file.read_text("utf-8").replace("deux fois", "une fois"), "utf-8")
    assert repr(corpus.add(two, progress=False)) == "1 unchanged, 1 changed"
    assert len(corpus) == 2


@pytest.mark.feature("compat")
def test_a_log_with_the_time_of_day_alone_has_the_day_when_it_was_written(corpus, tmp_path):
    """As the extractor itself writes it, past two midnights."""
    log = tmp_path / "requests.log.csv"
    times = ("22:10:11.123", "23:59:59.000", "00:00:01.500", "23:00:00.000", "00:30:00.000")
    lines = [f"{time};https://bank.example/{n};OK;1;1;1;;1;;;0;;" for n, time in enumerate(times)]
    log.write_text("\n".join([LOG.splitlines()[0], *lines]) + "\n")
    written = datetime(2019, 4, 12, 0, 40, tzinfo=UTC).timestamp()
    os.utime(log, (written, written))
    assert repr(corpus.add(log, progress=False)) == "5 requests"
    clocks = corpus.requests().sort_values("url").clock.dt.strftime("%d %H:%M:%S.%f").tolist()
    assert clocks == [
        "10 22:10:11.123000", "10 23:59:59.000000", "11 00:00:01.500000", "11 23:00:00.000000", "12 00:30:00.000000",
    ]  # fmt: skip


@pytest.mark.feature("compat")
def test_lines_of_a_log_that_are_not_understood_are_a_failure(corpus, tmp_path):
    (tmp_path / "requests.log.csv").write_text(LOG + "25:00:00;https://bank.example/late;OK\nyesterday;;\n")
    assert "3 requests" in repr(corpus.add(tmp_path / "requests.log.csv", progress=False))
    (failure,) = corpus.failures().itertuples()
    assert "2 lines without a clock or an address, the first: 25:00:00;https://bank.example/late;OK" in failure.message


@pytest.mark.feature("compat")
def test_a_tree_of_the_language_resource_extractor_gives_documents_and_requests(corpus, tmp_path):
    root = extractor_tree(tmp_path / "out")
    for expected in ("2 new, 3 requests", "2 unchanged"):
        assert repr(corpus.add(root, progress=False)) == expected
        assert len(corpus.failures()) == 0
        assert corpus.documents().uri.tolist() == ["https://bank.example/", "https://bank.example/livret"]
        requests = corpus.requests()
        assert requests.url.tolist() == [f"https://bank.example/{name}" for name in ("livret", "gone", "slow")]
        assert requests.status_code.fillna(0).tolist() == [200, 404, 0]
    first = requests.iloc[0]
    assert (first.response_ms, first.download_ms, first.bytes, first.unique_share, first.depth) == (
        120,
        30,
        4500,
        0.75,
        1,
    )
    assert str(first.clock) == "2018-07-19 10:11:12+00:00"
    assert requests.error.tolist()[2] == "timed out"
    assert requests.parent.tolist()[1] == "https://bank.example/livret"


@pytest.mark.feature("compat")
def test_the_log_written_by_us_is_read_back(corpus, tmp_path, web):
    web.add("http://a.example/", "the first page", ["/b", "/missing"])
    web.add("http://a.example/b", "the second page")
    corpus.crawl(["http://a.example/"], proxy=web.proxy, delay=0).wait(progress=False)
    site = tmp_path / "site"
    site.mkdir()
    corpus.export_requests(site / "requests.log.csv")
    (site / "x.nlp.txt").write_text(DOCUMENT.format(uri="http://a.example/x"), "utf-8")
    with corpuskit.open(tmp_path / "other") as other:
        other.add(site, progress=False)
        columns = ["url", "status_code", "bytes", "depth", "clock"]
        assert other.requests()[columns].equals(corpus.requests()[columns])


def test_a_file_of_the_name_of_a_log_in_another_folder_is_a_document(corpus, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "config.txt").write_text("A text about the configuration of bee hives.")
    corpus.add(tmp_path / "texts", progress=False)
    assert corpus.documents().uri.tolist() == ["texts/config.txt"]


def test_our_own_export_gives_the_same_corpus_again(corpus, tmp_path):
    corpus.add(demo_data() / "files", progress=False)
    corpus.export(tmp_path / "export", format="nlp.txt")
    for name, added in (("whole", tmp_path / "export"), ("texts", tmp_path / "export" / "nlp.txt")):
        with corpuskit.open(tmp_path / name) as again:
            assert repr(again.add(added, progress=False)) == f"{len(corpus)} new"
            columns = [
                "doc_id",
                "uri",
                "host",
                "title",
                "lang",
                "words",
                "main_words",
                "elements",
                "timestamp",
                "fetched",
            ]
            assert again.documents()[columns].equals(corpus.documents()[columns])
            for doc_id in corpus.documents().doc_id:
                assert again[doc_id] == corpus[doc_id]
            again.export(tmp_path / f"{name}-export", format="nlp.txt")
            before, after = (
                {file.relative_to(root): file.read_bytes() for file in (root / "nlp.txt").rglob("*") if file.is_file()}
                for root in (tmp_path / "export", tmp_path / f"{name}-export")
            )
            assert before == after


@pytest.mark.parametrize("order", ["as it is", "texts first", "tar"])
def test_our_own_export_in_an_archive_gives_the_same_corpus_again(corpus, tmp_path, order):
    corpus.add(demo_data() / "files", progress=False)
    corpus.export(tmp_path / "export", format=["nlp.txt", "jsonl"])
    files = sorted(file for file in (tmp_path / "export").rglob("*") if file.is_file())
    archive = tmp_path / ("export.tar.gz" if order == "tar" else "export.zip")
    if order == "tar":
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(tmp_path / "export" / "nlp.txt", "texts")
    else:
        with zipfile.ZipFile(archive, "w") as packed:
            for file in files if order == "as it is" else files[::-1]:
                packed.write(file, file.relative_to(tmp_path).as_posix())
    with corpuskit.open(tmp_path / "again") as again:
        assert repr(again.add(archive, progress=False)) == f"{len(corpus)} new"
        for doc_id in corpus.documents().doc_id:
            assert again[doc_id] == corpus[doc_id]


def test_marks_in_an_archive_without_their_text_are_told(corpus, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("a.marks.json.zst", b"x")
    corpus.add(tmp_path / "a.zip", progress=False)
    assert "marks file without a text" in corpus.failures().message[0]


def test_changed_marks_are_taken_in(corpus, tmp_path):
    corpus.add(demo_data() / "files", progress=False)
    corpus.export(tmp_path / "export", format="nlp.txt")
    texts = tmp_path / "export" / "nlp.txt"
    with corpuskit.open(tmp_path / "again") as again:
        again.add(texts, progress=False)
        before = again.documents().main_words.sum()
        for marks in texts.rglob("*.marks.json.zst"):
            marks.unlink()
        assert (
            repr(again.add(texts, progress=False)) == f"{len(corpus)} unchanged"
        )  # a text without marks says nothing of them
        assert again.documents().main_words.sum() == before


@pytest.mark.feature("compat")
@pytest.mark.parametrize("is_lost", [False, True])
def test_a_repaired_corpus_of_text_documents_is_whole(corpus, tmp_path, is_lost):
    with corpuskit.open(tmp_path / "first") as first:
        first.add(demo_data() / "files" / "baking-course.docx", progress=False)
        first.export(tmp_path / "export", format="nlp.txt")
    added = [extractor_tree(tmp_path / "out"), tmp_path / "export"]
    corpus.add(*added, progress=False)
    before = corpus.documents()
    corpus.close()
    if is_lost:
        (tmp_path / "corpus" / "catalog.sqlite").unlink()
    assert [line for line in Corpus.repair(tmp_path / "corpus").lost if "no catalog" not in line] == []
    with corpuskit.open(tmp_path / "corpus") as repaired:
        assert repaired.documents().equals(before)
        assert repaired.check() == []
        assert repr(repaired.add(*added, progress=False)).startswith("3 unchanged")


@pytest.mark.feature("compat")
def test_a_textworks_root_gives_its_pdfs_with_their_artifacts(corpus, tmp_path):
    pdf = demo_data() / "files" / "household-policy-booklet.pdf"
    root = tmp_path / "root"
    entry = root / "a.pdf.d"
    (entry / "tracelogs").mkdir(parents=True)
    (root / ".corpus-root").touch()
    shutil.copy(pdf, entry / "a.pdf")
    artifacts = {"textgrid.json": {"documentId": "a"}, "notes.json": [1], "tracelogs/font-summary.json": {"fonts": []}}
    for name, content in artifacts.items():
        (entry / name).write_text(json.dumps(content))
    assert repr(corpus.add(root, progress=False)) == "1 new"
    assert corpus.documents().media_type.tolist() == ["application/pdf"]
    kept = tmp_path / "corpus" / "originals" / "a.pdf.d"
    for name, content in artifacts.items():
        assert json.loads((kept / name).read_text()) == content
    assert not (kept / "segmentation.json").exists()


def test_a_source_is_extracted_by_its_own_options(corpus, tmp_path, web):
    toml = tmp_path / "corpus" / "corpus.toml"
    own = '\n[extraction.sources."b.example"]\nmain = "all"\ndrop = ["p.advert"]\n'
    toml.write_text(toml.read_text("utf-8") + own, "utf-8")
    page = b"<html><body><nav><a href='/'>Home</a></nav><p>The hives stand on the moor.</p><p class=advert>Gloves!</p></body></html>"
    web.pages |= {"http://a.example/": page, "http://b.example/": page}
    with corpuskit.open(tmp_path / "corpus") as opened:
        opened.crawl(["http://a.example/", "http://b.example/"], proxy=web.proxy, delay=0).wait(progress=False)
        texts = {document.uri: (document.to_text(), document.to_text(main=True)) for document in opened}
    assert "Gloves!" in texts["http://a.example/"][0]
    assert texts["http://b.example/"] == ("Home\nThe hives stand on the moor.",) * 2


def test_no_link_in_an_added_folder_brings_a_file_from_elsewhere(corpus, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("a secret")
    entry = tmp_path / "root" / "a.pdf.d"
    entry.mkdir(parents=True)
    (tmp_path / "root" / ".corpus-root").touch()
    shutil.copy(demo_data() / "files" / "tram-noise-report.pdf", entry / "a.pdf")
    (entry / "textgrid.json").symlink_to(secret)
    (entry / "group").symlink_to(tmp_path)
    text = tmp_path / "root" / "x.nlp.txt"
    text.write_text(DOCUMENT.format(uri="https://bank.example/x"), "utf-8")
    (tmp_path / "root" / "x.marks.json.zst").symlink_to(secret)
    corpus.add(tmp_path / "root", progress=False)
    assert "a secret" not in [
        file.read_text("utf-8", "replace") for file in (tmp_path / "corpus" / "originals").rglob("*") if file.is_file()
    ]
    assert sorted(file.name for file in (tmp_path / "corpus" / "originals" / "a.pdf.d").iterdir()) == ["a.pdf"]
