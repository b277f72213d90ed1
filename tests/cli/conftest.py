"""Pages and corpora on which commands run."""

import shutil

import pytest
from cli_pages import PAGE, side_of

import corpuskit
from corpuskit.demo import demo_data


@pytest.fixture
def pages(tmp_path):
    """Directory ``pages`` with ``flood.html`` and ``bread.html``."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for topic in ("flood", "bread"):
        (folder / f"{topic}.html").write_text(PAGE.format(topic), "utf-8")
    return folder


@pytest.fixture
def corpus(tmp_path, pages):
    """Path of the corpus ``c`` of both pages; ``urls.txt`` is a list of one URL."""
    (tmp_path / "urls.txt").write_text("https://a.example.com/x\n", "utf-8")
    with corpuskit.open(tmp_path / "c") as opened:
        opened.add(pages, progress=False)
    return tmp_path / "c"


@pytest.fixture
def artifacts(tmp_path):
    """Directory ``tw`` with one PDF, not yet an artifact corpus."""
    (tmp_path / "tw").mkdir()
    shutil.copy(demo_data() / "files" / "tram-noise-report.pdf", tmp_path / "tw" / "a.pdf")
    return tmp_path / "tw"


@pytest.fixture(scope="session")
def trained_template(tmp_path_factory):
    """Corpus of forty pages on floods and bread, of which ten are labelled, with models."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "many").mkdir()
    for i in range(40):
        words = " ".join(("flood water river rain storm" if i % 2 else "bread oven flour yeast crust").split()[i % 5 :])
        (folder / "many" / f"p{i:02d}.html").write_text(PAGE.format(f"{words} {i}"), "utf-8")
    with corpuskit.open(folder / "c") as corpus:
        corpus.add(folder / "many", progress=False)
        documents = corpus.documents().head(10)
        corpus.set_labels({row.doc_id: side_of(row.title) for row in documents.itertuples()}, by="me")
        corpus.train()
    return folder / "c"


@pytest.fixture
def trained(trained_template, tmp_path):
    """Path of a copy of the trained corpus."""
    return shutil.copytree(trained_template, tmp_path / "c")
