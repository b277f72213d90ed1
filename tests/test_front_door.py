import bz2
import gzip
import importlib
import io
import lzma
import pkgutil
import subprocess
import sys

import pytest

import corpuskit
from corpuskit.demo import demo_data
from corpuskit.errors import ResourceLimitError, SourceError, UnsupportedMediaTypeError
from corpuskit.extraction import ExtractOptions

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

HEAVY = {
    "aiohttp", "anywidget", "dask", "docx", "fasttext", "fastwarc", "ipywidgets", "lxml", "matplotlib", "numpy", "pandas",
    "pdfplumber", "pyarrow", "pypdfium2", "rich", "scipy", "sklearn", "tqdm", "trafilatura", "typer",
}  # fmt: skip
OPTIONAL_IMPORTS = ("corpuskit.widgets",)


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout


def test_importing_corpuskit_imports_no_heavy_package():
    loaded = set(run("import sys, corpuskit; print(*{name.partition('.')[0] for name in sys.modules})").split())
    assert loaded & HEAVY == set()


def test_every_public_name_is_there_and_sorted():
    assert corpuskit.__all__ == sorted(corpuskit.__all__)
    for name in corpuskit.__all__:
        assert getattr(corpuskit, name)


def test_the_front_door_works_after_every_submodule_was_imported():
    names = [info.name for info in pkgutil.walk_packages(corpuskit.__path__, "corpuskit.")]
    assert len(names) > 40
    for name in names:
        if not name.startswith(OPTIONAL_IMPORTS):
            importlib.import_module(name)
    submodules = {name.split(".")[1] for name in names}
    assert submodules & set(corpuskit.__all__) == set()
    for name in ("open", "extract", "read_nlptext", "write_nlptext"):
        assert callable(getattr(corpuskit, name))


def test_html_in_a_str_is_refused_with_advice():
    with pytest.raises(TypeError, match=r"\.encode\(\)"):
        corpuskit.extract("<p>text</p>")


def test_a_path_bytes_a_file_and_an_element_give_the_same_text(tmp_path):
    from lxml import html

    page = b"<html><head><title>T</title></head><body><h1>A</h1><p>b</p></body></html>"
    file = tmp_path / "page.html"
    file.write_bytes(page)
    texts = {
        corpuskit.extract(file).to_text(),
        corpuskit.extract(str(file)).to_text(),
        corpuskit.extract(page).to_text(),
        corpuskit.extract(io.BytesIO(page)).to_text(),
        corpuskit.extract(html.document_fromstring(page)).to_text(),
    }
    assert texts == {"A\nb"}


def test_a_missing_file_is_a_clear_error(tmp_path):
    with pytest.raises(SourceError, match=r"missing\.html cannot be read"):
        corpuskit.extract(tmp_path / "missing.html")


def test_an_unknown_kind_of_file_is_a_clear_error():
    with pytest.raises(UnsupportedMediaTypeError, match="no extractor for image/png"):
        corpuskit.extract(b"\x89PNG\r\n\x1a\n" + bytes(100))


def test_a_url_is_fetched(web):
    port = web.proxy.rpartition(":")[2]
    web.add(f"http://127.0.0.1:{port}/page", "the text")
    document = corpuskit.extract(f"http://127.0.0.1:{port}/page")
    assert "the text" in document.to_text()
    assert document.uri == f"http://127.0.0.1:{port}/page"


def test_the_written_file_is_read_back(tmp_path):
    document = corpuskit.extract(b"<title>T</title><h1>A</h1><p>b</p>")
    corpuskit.write_nlptext(document, tmp_path / "d.nlp.txt")
    assert corpuskit.read_nlptext(tmp_path / "d.nlp.txt").to_text() == "A\nb"


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert corpuskit.__version__ == version("corpuskit")


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_a_packed_file_is_unpacked_as_add_does(tmp_path, suffix, pack):
    pdf = demo_data() / "files" / "household-policy-booklet.pdf"
    file = tmp_path / f"booklet.pdf.{suffix}"
    file.write_bytes(pack(pdf.read_bytes()))
    assert corpuskit.extract(file).to_text() == corpuskit.extract(pdf).to_text()
    assert corpuskit.extract(pack(b"<title>T</title><p>b</p>")).title == "T"


def test_a_packed_file_that_grows_beyond_the_limit_is_refused(tmp_path):
    file = tmp_path / "page.html.gz"
    file.write_bytes(gzip.compress(b"<p>" + bytes(2_000_000)))
    with pytest.raises(ResourceLimitError, match="larger than the limit of 1,000,000 bytes"):
        corpuskit.extract(file, options=ExtractOptions(max_bytes=1_000_000))


def test_a_damaged_packed_file_is_a_clear_error(tmp_path):
    file = tmp_path / "page.html.gz"
    file.write_bytes(gzip.compress(b"<p>a</p>" * 1000)[:40])
    with pytest.raises(SourceError, match=r"page\.html\.gz cannot be decompressed"):
        corpuskit.extract(file)
