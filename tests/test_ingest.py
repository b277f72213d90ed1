import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import corpuskit
from corpuskit.demo import demo_data
from corpuskit.errors import SourceError
from corpuskit.ingest import document_id

PAGE = "<html><head><title>{0}</title></head><body><p>The text of page {0}, long enough to be read.</p></body></html>"
INVALID = sorted((Path(__file__).parent / "specs" / "nlptext" / "invalid").glob("*.nlp.txt"))


def write(folder, **pages):
    folder.mkdir(exist_ok=True)
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(PAGE.format(text), "utf-8")


def test_files_become_documents_and_nothing_is_added_twice(corpus, tmp_path):
    write(tmp_path / "pages", a="A", b="B")
    assert repr(corpus.add(tmp_path / "pages", progress=False)) == "2 new"
    assert repr(corpus.add(tmp_path / "pages", progress=False)) == "2 unchanged"
    documents = corpus.documents()
    assert documents.uri.tolist() == ["pages/a.html", "pages/b.html"]
    assert documents.doc_id.tolist() == [document_id("pages/a.html"), document_id("pages/b.html")]
    assert documents.title.tolist() == ["A", "B"]
    assert documents.lang.tolist() == ["en", "en"]


def test_a_changed_file_is_a_new_version_and_the_old_one_stays(corpus, tmp_path):
    write(tmp_path / "pages", a="old")
    corpus.add(tmp_path / "pages", progress=False)
    write(tmp_path / "pages", a="new")
    assert repr(corpus.add(tmp_path / "pages", progress=False)) == "1 changed"
    assert corpus.documents().version.tolist() == [2]
    assert corpus.documents(versions=True).title.tolist() == ["old", "new"]
    assert "page new" in corpus[document_id("pages/a.html")].to_text()
    assert corpus.elements().text.str.contains("page new").sum() == 1
    assert corpus.elements().text.str.contains("page old").sum() == 0


def test_files_of_one_name_from_two_folders_are_two_documents(corpus, tmp_path):
    for parent, text in (("x", "first"), ("y", "second")):
        (tmp_path / parent).mkdir()
        write(tmp_path / parent / "pages", a=text)
        corpus.add(tmp_path / parent / "pages", progress=False)
    assert sorted(corpus.documents().title) == ["first", "second"]


def test_a_missing_path_and_a_pattern_without_match_are_clear_errors(corpus, tmp_path):
    with pytest.raises(SourceError, match="no file or folder"):
        corpus.add(tmp_path / "nowhere", progress=False)
    with pytest.raises(SourceError, match="no file matches"):
        corpus.add(str(tmp_path / "*.pdf"), progress=False)


def test_an_unreadable_file_is_a_row_and_the_rest_is_added(corpus, tmp_path, monkeypatch):
    write(tmp_path / "pages", a="A", b="B")
    read = Path.read_bytes

    def refuse(path):
        if path.name == "a.html" and path.parent.name == "pages":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert repr(corpus.add(tmp_path / "pages", progress=False)) == "1 failed, 1 new; see corpus.failures()"
    failures = corpus.failures()
    assert failures[["uri", "stage", "error"]].values.tolist() == [["pages/a.html", "read", "SourceError"]]
    assert "Permission denied" in failures.message[0]


def test_every_kind_of_bad_file_is_a_row_and_the_rest_is_added(corpus, tmp_path):
    folder = tmp_path / "files"
    write(folder, good="Good")
    (folder / "empty.html").write_bytes(b"")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 and no more")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    for path in INVALID:
        shutil.copy(path, folder)
    report = corpus.add(folder, progress=False)
    failures = corpus.failures().set_index("uri")
    assert (report.new, report.failed, len(failures)) == (1, len(INVALID) + 4, len(INVALID) + 4)
    assert "empty" in failures.message["files/empty.html"]
    assert "no extractor for image/png" in failures.message["files/picture.png"]
    assert set(failures.stage) == {"extract"}
    assert "Good" in corpus.documents().title.tolist()
    for path in INVALID:
        assert f"files/{path.name}" in failures.index


def test_a_mended_file_leaves_the_failures(corpus, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.nlp.txt").write_text("## NLPTextDocument Title T\nx\n")
    corpus.add(folder, progress=False)
    assert len(corpus.failures()) == 1
    (folder / "a.nlp.txt").write_text(
        "## NLPTextDocument Title T\n## NLPTextDocument Uri ?\n## NLPTextDocument Timestamp 2020-01-02T03:04:05\n\nx\n"
    )
    corpus.add(folder, progress=False)
    assert len(corpus.failures()) == 0
    assert str(corpus.documents().timestamp[0]) == "2020-01-02 03:04:05+00:00"


def test_provenance_stands_in_the_metadata(corpus, tmp_path):
    write(tmp_path / "pages", a="A")
    corpus.add(tmp_path / "pages", progress=False)
    metadata = corpus[document_id("pages/a.html")].metadata
    assert metadata["media_type"] == "text/html"
    assert metadata["source"] == "file"
    assert metadata["timestamp_source"] == "last-modified"
    assert metadata["extractor"] == f"corpuskit {corpuskit.__version__}"
    assert len(metadata["original_sha256"]) == 64


@pytest.mark.slow
def test_originals_stand_in_artifact_directories(corpus, tmp_path):
    write(tmp_path / "pages", a="A")
    corpus.add(tmp_path / "pages", progress=False)
    originals = Path(corpus.path) / "originals"
    assert (originals / ".corpus-root").exists()
    assert (originals / "a.html.d" / "a.html").read_text("utf-8") == PAGE.format("A")


@pytest.mark.slow
def test_a_killed_add_is_completed_by_the_next(corpus, tmp_path):
    write(tmp_path / "pages", **{f"p{i}": f"P{i}" for i in range(60)})
    code = "import sys, corpuskit; corpuskit.open(sys.argv[1]).add(sys.argv[2], progress=False)"
    process = subprocess.Popen([sys.executable, "-c", code, corpus.path, str(tmp_path / "pages")])
    deadline = time.monotonic() + 30
    while len(corpus) < 5 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    reported = corpus.documents()
    for doc_id in reported.doc_id:
        assert corpus[doc_id].title
    corpus.add(tmp_path / "pages", progress=False)
    assert corpus.extract_pending() == 0
    assert sorted(corpus.documents().title) == sorted(f"P{i}" for i in range(60))


def test_a_page_of_a_pdf_is_shown_with_its_boxes(corpus):
    corpus.add(demo_data() / "files" / "household-policy-booklet.pdf", progress=False)
    picture = corpus.page(corpus.documents().doc_id[0], 1)
    assert picture._repr_png_().startswith(b"\x89PNG")


def artifacts(corpus):
    folder = Path(corpus.path) / "originals" / "household-policy-booklet.pdf.d"
    return sorted(file.name for file in folder.iterdir())


MADE = ["household-policy-booklet.pdf", "segmentation.json", "textgrid.json"]


@pytest.mark.feature("compat")
def test_artifacts_of_textworks_are_written_where_asked_and_can_be_dropped(corpus):
    pdf = demo_data() / "files" / "household-policy-booklet.pdf"
    corpus.add(pdf, progress=False)
    assert artifacts(corpus) == MADE[:1]
    assert repr(corpus.add(pdf, progress=False, textworks=True)) == "1 unchanged"
    assert artifacts(corpus) == MADE
    size = sum((Path(corpus.path) / "originals" / f"{pdf.name}.d" / name).stat().st_size for name in MADE[1:])
    assert corpus.drop_textworks() == size
    assert artifacts(corpus) == MADE[:1]
    assert corpus.check() == []


def test_corpus_toml_asks_for_artifacts(corpus):
    toml = Path(corpus.path) / "corpus.toml"
    toml.write_text(toml.read_text("utf-8").replace("textworks = false", "textworks = true"), "utf-8")
    pdf = demo_data() / "files" / "household-policy-booklet.pdf"
    with corpuskit.open(corpus.path) as asked:
        asked.add(pdf, progress=False)
        assert artifacts(asked) == MADE


@pytest.mark.feature("compat")
def test_artifacts_of_another_program_are_not_dropped(corpus):
    pdf = demo_data() / "files" / "household-policy-booklet.pdf"
    corpus.add(pdf, progress=False, textworks=True)
    grid = Path(corpus.path) / "originals" / f"{pdf.name}.d" / "textgrid.json"
    grid.write_text(grid.read_text("utf-8").replace('"name":"corpuskit"', '"name":"textworks"'), "utf-8")
    assert corpus.drop_textworks() == 0
    assert artifacts(corpus) == MADE


@pytest.mark.slow
def test_a_pdf_whose_form_ends_the_process_is_read_without_its_form(corpus, tmp_path, monkeypatch):
    sys.path[:0] = [str(Path(__file__).parent / "engine"), str(Path(__file__).parent / "extraction" / "pdf")]
    from engine_tasks import extract_or_abort
    from pdf_builder import Page, pdf, string

    page = Page().lines(60, 60, [f"Line {i} of the rules of the upper and the lower mill." for i in range(8)])
    page.field("Tx", (60, 300, 300, 320), "mill", string("Nether Mill"))
    (tmp_path / "form.pdf").write_bytes(pdf(page))
    monkeypatch.setattr("corpuskit.ingest.extract", extract_or_abort)
    report = corpus.add(tmp_path / "form.pdf", progress=False)
    assert (report.new, report.failed) == (1, 0)
    (document,) = corpus
    assert "rules of the upper and the lower mill" in document.to_text()
    assert "Nether Mill" not in document.to_text()


def test_a_link_in_an_added_folder_reads_nothing_outside_of_it(corpus, tmp_path):
    write(tmp_path / "outside", secret="secret")
    write(tmp_path / "pages", a="A")
    (tmp_path / "pages" / "again.html").symlink_to(tmp_path / "pages" / "a.html")
    (tmp_path / "pages" / "link.html").symlink_to(tmp_path / "outside" / "secret.html")
    (tmp_path / "pages" / "folder").symlink_to(tmp_path / "outside")
    report = corpus.add(tmp_path / "pages", progress=False)
    assert (report.new, report.failed) == (1, 1)
    assert "name the file itself" in corpus.failures()["message"][0]
    assert corpus.add(tmp_path / "pages" / "link.html", progress=False).new == 1


def test_a_list_of_paths_is_added_as_its_paths(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(f"Text {name}", "utf-8")
    with corpuskit.open(tmp_path / "corpus") as corpus:
        report = corpus.add([tmp_path / "a.txt", tmp_path / "b.txt"], str(tmp_path / "c.txt"), progress=False)
        assert report.counts["new"] == 3


@pytest.mark.parametrize("inside", ["", "originals", "documents"])
@pytest.mark.slow
def test_a_corpus_does_not_take_its_own_folder_into_itself(corpus, tmp_path, inside):
    write(tmp_path / "pages", a="A")
    corpus.add(tmp_path / "pages", progress=False)
    with pytest.raises(SourceError, match=r"is the corpus itself|is inside the corpus"):
        corpus.add(Path(corpus.path) / inside, progress=False)
    assert len(corpus) == 1


@pytest.mark.slow
def test_a_folder_of_the_users_own_below_the_corpus_is_added(corpus):
    folder = Path(corpus.path) / "texts"
    folder.mkdir()
    write(folder, a="A", b="B")
    assert corpus.add(folder, progress=False).new == 2


def test_a_folder_that_contains_corpora_is_added_without_them_and_says_so(corpus, tmp_path):
    write(tmp_path / "pages", a="A")
    corpus.add(tmp_path / "pages", progress=False)
    with corpuskit.open(tmp_path / "another") as another:
        another.add(tmp_path / "pages", progress=False)
    for paths in ([tmp_path], [tmp_path / "*"]):
        report = corpus.add(*paths, progress=False)
        assert {Path(left).name for left in report.left_out} == {"corpus", "another"}
        assert "skipped because they are corpora: " in repr(report)
    assert {uri.rpartition("/")[2] for uri in corpus.documents().uri} == {"a.html"}


def test_the_folder_of_another_corpus_is_refused_with_the_way_to_its_documents(corpus, tmp_path):
    with corpuskit.open(tmp_path / "another") as another, pytest.raises(SourceError, match="export") as refused:
        corpus.add(another.path, progress=False)
    assert "is a corpus" in str(refused.value)
