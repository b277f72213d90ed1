"""Ctrl-C tells how far it came and how to go on, and a second one does no harm."""

import subprocess
import sys

import pytest

import corpuskit.discovery  # noqa: F401 - what is stopped
from corpuskit.errors import CorpusError

SCORE = "corpuskit.discovery.index_scan._score_partition"
EXTRACT = "corpuskit.shards.extraction_run.extract_shard"


def stop_at(monkeypatch, where, number):
    """Ctrl-C as a function is called for the nth time."""
    module, _, name = where.rpartition(".")
    real, calls = getattr(sys.modules[module], name), []

    def stopping(job):
        calls.append(job)
        if len(calls) == number:
            raise KeyboardInterrupt
        return real(job)

    monkeypatch.setattr(where, stopping)


def test_a_stopped_discover_tells_how_many_files_are_scored_and_goes_on(cli, corpus, archives, monkeypatch):
    corpus.close()
    command = ["discover", corpus.path, archives / "cc-index", "--name", "tea", "--on", "serial"]
    with monkeypatch.context() as patch:
        stop_at(patch, SCORE, 3)
        assert cli(*command) == (
            130, "", "corpuskit: stopped; 2 of 3 files of the index scored and stored; repeat the call or command to continue\n",
        )  # fmt: skip
        code, _, err = cli("fetch", corpus.path, "tea")
        assert (code, len(err.splitlines())) == (1, 1)
        assert "the discovery 'tea' is not finished: repeat the call or command to continue it" in err
        assert ".json" not in err
    with monkeypatch.context() as patch:
        stop_at(patch, SCORE, 1)
        assert "2 of 3 files" in cli(*command)[2]
    code, out, _ = cli(*command)
    assert code == 0
    assert "60 pages selected" in out


@pytest.mark.slow
def test_a_stopped_fetch_tells_how_many_shards_are_done_and_goes_on(cli, corpus, archives, monkeypatch):
    corpus.close()
    cli("discover", corpus.path, archives / "cc-index", "--name", "tea", "--on", "serial")
    monkeypatch.setattr("corpuskit.discovery.page_fetching._SHARD_RECORDS", 20)
    command = ["fetch", corpus.path, "tea", "--on", "serial", "--base", archives]
    with monkeypatch.context() as patch:
        stop_at(patch, EXTRACT, 2)
        code, out, err = cli(*command)
    assert (code, out) == (130, "")
    assert err == (
        "corpuskit: stopped; 1 of 3 shards with 60 pages fetched and stored; repeat the call or command to continue, "
        "which imports them into the corpus at its end\n"
    )
    assert cli(*command)[:2] == (0, "60 pages: 60 new\n")


def test_in_python_a_stopped_discover_says_the_same_of_calls(corpus, archives, monkeypatch):
    stop_at(monkeypatch, SCORE, 2)
    with pytest.raises(
        KeyboardInterrupt,
        match="1 of 3 files of the index scored and stored; repeat the call or command to continue",
    ):
        corpus.discover(archives / "cc-index", name="tea", on="serial", progress=False)
    with pytest.raises(CorpusError, match="repeat the call or command to continue"):
        corpus.fetch("tea")


AGAIN = """
import atexit, os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)

def again(*_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(100):
        time.sleep(0.001)  # here it is heard

if sys.argv[1] == "closing":
    from corpuskit.engine.pool import Pool
    Pool.close = again
else:
    atexit.register(again)
from corpuskit.features.archives.accessor import ArchivesAccessor
from corpuskit.engine.pool import Pool
def stopped(*_, **__):
    with Pool(abs):
        raise KeyboardInterrupt
ArchivesAccessor.discover = stopped
from corpuskit.cli import main
sys.argv[1:2] = ["discover"]
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("moment", ["closing", "at the exit"])
def test_a_second_ctrl_c_ends_in_one_line_too(cli, corpus, archives, moment):
    corpus.close()
    command = [sys.executable, "-c", AGAIN, moment, corpus.path, str(archives / "cc-index"), "--on", "serial"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    told = "corpuskit: stopped; what was scored is kept; repeat the command to continue\n"
    assert (done.returncode, done.stderr) == (130, told)
