"""Ctrl-C interrupts a wait whatever a corpus has been asked before."""

import os
import select
import signal
import subprocess
import sys

import pytest

import corpuskit

# A shell that starts us in the background has Ctrl-C ignored.
ASK_AND_WAIT = """
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import corpuskit
with corpuskit.open(sys.argv[1]) as corpus:
    assert len(QUESTION) == 1
try:
    print("waits", flush=True)
    WAIT
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "siginterrupt"), reason="no system calls that go on after a signal")
@pytest.mark.parametrize("wait", ["threading.Event().wait()", "sys.stdin.readline()"])
@pytest.mark.parametrize("question", ['corpus.find("sluice")', 'corpus.kwic("sluice")', "corpus.elements()"])
@pytest.mark.slow
def test_ctrl_c_interrupts_a_wait_after_a_question(tmp_path, question, wait):
    (tmp_path / "a.txt").write_text("The sluice is open.")
    with corpuskit.open(tmp_path / "c") as corpus:
        corpus.add(tmp_path / "a.txt", progress=False)
    program = ASK_AND_WAIT.replace("QUESTION", question).replace("WAIT", wait)
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "c")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
    )  # fmt: skip
    try:
        assert process.stdout.readline() == b"waits\n"
        # Python acts on a signal that comes just before a system call only after that call: the signal is repeated.
        while not select.select([process.stdout], [], [], 0.5)[0]:
            os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == b"interrupted\n"
    finally:
        process.kill()
        process.communicate()
