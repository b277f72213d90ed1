"""Ctrl-C while worker processes start is not theirs to handle."""

import sys

import pytest

from corpuskit import engine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def test_a_worker_that_is_interrupted_as_it_starts_works_and_prints_nothing(tmp_path, monkeypatch, capfd):
    # Python runs this before anything of ours.
    (tmp_path / "sitecustomize.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    engine.workers.close_idle_workers()
    assert engine.call(abs, -3) == 3
    engine.workers.close_idle_workers()
    assert capfd.readouterr().err == ""
