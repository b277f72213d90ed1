"""Fixtures shared by all test packages. Plain helper modules are in tests/helpers, which is on the import path."""

import os
import shutil
import subprocess
import sys

import pytest
from command_line import CommandLine
from filelock import FileLock
from hypothesis import settings
from local_web import LocalWeb

import corpuskit

# No test depends on the speed of the machine or on luck; benchmarks/robustness/fuzz_parsers.py searches at random.
settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")
# Each pytest worker has an engine worker of its own.
os.environ.setdefault("CORPUSKIT_WORKERS", "1")
# Without bytecode files each of the many interpreters that tests start compiles all its imports: 5.6 s instead of 1.8 s.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_make_parametrize_id(val, argname):
    """Name bytes by their argument: packed data and records have other bytes in each worker, and ids must be equal."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def build_once(tmp_path_factory, worker_id):
    """``build_once(name, build)`` → a directory that ``build(path)`` has made once for all pytest workers."""
    root = tmp_path_factory.getbasetemp()
    root = root if worker_id == "master" else root.parent

    def shared(name, build):
        with FileLock(root / f"{name}.lock"):
            if not (root / name).exists():
                unfinished = root / f"{name}.{worker_id}"
                build(unfinished)
                unfinished.rename(root / name)
        return root / name

    return shared


@pytest.fixture
def cli(monkeypatch, capsys, tmp_path):
    """``cli("status", folder)`` → code, out and err of a command that runs in ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def fill(corpus, tmp_path):
    """``fill({"a.html": "<p>Text"})`` → the test's corpus with these files, whose URIs are ``pages/a.html`` and so on."""

    def fill(files, folder="pages"):
        (tmp_path / folder).mkdir(exist_ok=True)
        for name, content in files.items():
            (tmp_path / folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        corpus.add(tmp_path / folder, progress=False)
        return corpus

    return fill


@pytest.fixture(autouse=True, scope="session")
def memory_of_its_own(tmp_path_factory):
    """Which catalogues were looked through is not written into the user's own folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("LOCALAPPDATA", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def web():
    local = LocalWeb()
    yield local
    local.close()


@pytest.fixture
def corpus(tmp_path):
    opened = corpuskit.open(tmp_path / "corpus")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def demo_folder(build_once):
    """The corpus that ``corpuskit demo`` makes, with its token index. Tests open a copy."""
    from corpuskit.demo import run_demo

    def build(folder):
        with run_demo(folder / "demo").corpus as corpus:
            corpus.kwic("insurance")

    return build_once("demo-corpus", build) / "demo"


@pytest.fixture(scope="session")
def demo_proxy():
    """The web of the demo."""
    from corpuskit.demo import serve_demo_web

    with serve_demo_web() as proxy:
        yield proxy


@pytest.fixture
def copy_demo(demo_folder, demo_proxy, tmp_path, monkeypatch):
    """Copies the demo's corpus into the working folder, from which crawls find the demo's web without being told."""
    from corpuskit.corpus import Corpus
    from corpuskit.demo import crawl_options

    monkeypatch.chdir(tmp_path)
    crawl, told = Corpus.crawl, crawl_options(demo_proxy)
    monkeypatch.setattr(Corpus, "crawl", lambda self, seeds=None, **more: crawl(self, seeds, **{**told, **more}))
    return lambda name: shutil.copytree(demo_folder, tmp_path / name, ignore=shutil.ignore_patterns("exports"))


@pytest.fixture(scope="session")
def manual(build_once):
    """The manual as web pages, built as ``build-docs`` does: a warning is an error."""

    def build(out):
        code = "import pathlib, sys, corpuskit_docs; sys.exit(corpuskit_docs.build(pathlib.Path(sys.argv[1])))"
        done = subprocess.run([sys.executable, "-c", code, str(out)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-5000:]

    return build_once("manual", build)


@pytest.fixture(scope="session")
def templates(tmp_path_factory):
    """Directory of the corpora that ``make_once`` copies."""
    return tmp_path_factory.mktemp("templates")


@pytest.fixture
def make_once(templates, tmp_path):
    """``make_once(key, make)`` → a new corpus, the copy of one that ``make(corpus)`` filled when it was first asked for."""
    opened = []

    def copy(key, make):
        template = templates / key / "corpus"
        if not template.exists():
            with corpuskit.open(template) as corpus:
                make(corpus)
        opened.append(corpuskit.open(shutil.copytree(template, tmp_path / "corpus")))
        return opened[-1]

    yield copy
    for corpus in opened:
        corpus.close()


@pytest.fixture
def add_once(make_once):
    """``add_once(key, *sources)`` → a new corpus with these sources, which are read when it is first asked for."""
    return lambda key, *sources: make_once(key, lambda corpus: corpus.add(*sources, progress=False))


@pytest.fixture
def two_topics(add_once, tmp_path):
    """``two_topics(30)`` → a corpus of thirty texts; those with an odd number are about insurance, the others about gardens."""

    def filled(number):
        for i in range(number):
            topic = "insurance premium claim" if i % 2 else "garden flower tomato"
            (tmp_path / f"d{i:02}.txt").write_text(f"Text {i}\n\nAbout {topic} number {i}.", "utf-8")
        return add_once(f"two-topics-{number}", tmp_path / "d*.txt")

    return filled
