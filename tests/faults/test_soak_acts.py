"""All acts at once on one corpus, for some seconds, under kill -9. Longer: ``python benchmarks/robustness/soak_acts.py --minutes 10``."""

import os
import sys

import pytest
import soak_acts

pytestmark = [pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"), pytest.mark.timeout(300)]


@pytest.mark.slow
def test_what_was_acknowledged_outlives_kills_beside_all_other_acts(tmp_path):
    kills, ended, wrong = soak_acts.soak(tmp_path, 12, kills_every=1.0)
    assert wrong == []
    assert kills > 0
    assert sum(ended.values()) > 0


@pytest.mark.slow
def test_a_script_without_a_main_guard_and_an_interactive_shell_work(tmp_path):
    """Workers are processes of their own, which do not run the script again."""
    import subprocess

    (tmp_path / "a.html").write_text("<title>A</title><p>The text of a page.</p>")
    code = (
        "import corpuskit\n"
        f"corpus = corpuskit.open({str(tmp_path / 'corpus')!r})\n"
        f"print(corpus.add({str(tmp_path / 'a.html')!r}, progress=False), len(corpus))\n"
    )
    (tmp_path / "script.py").write_text(code)
    run = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, timeout=200, check=False
    )
    assert run.stdout == "1 new 1\n", run.stderr
    shell = subprocess.run([sys.executable, "-i"], input=code, capture_output=True, text=True, timeout=200, check=False)
    assert shell.stdout == "1 unchanged 1\n", shell.stderr


@pytest.mark.slow
def test_dask_without_a_main_guard_says_what_to_do(tmp_path):
    import subprocess

    (tmp_path / "script.py").write_text(
        "from corpuskit import engine\nprint(list(engine.run(len, ['ab'], on='dask', workers=1)))\n"
    )
    run = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, timeout=250, check=False
    )
    assert "2" in run.stdout or "__main__" in run.stderr, run.stderr[-1000:]
