"""``corpuskit prelabel``: closing line, exit codes, no key on the screen."""

import os
import signal
import subprocess
import threading

import pytest


@pytest.fixture
def prelabel(filled, server, monkeypatch):
    """Arguments of a command that asks the server about the corpus; the variable of the key is ``THE_KEY``."""
    for name in [name for name in os.environ if "proxy" in name.lower()]:
        monkeypatch.delenv(name)
    return ["prelabel", filled.path, "--base-url", server.url, "--model", "stub", "--key-variable", "THE_KEY"]


def test_the_command_labels_and_tells_what_it_cost(cli, prelabel, server, monkeypatch):
    monkeypatch.setenv("THE_KEY", "secret-key-1")
    done = cli(*prelabel, "--requests", "10")
    assert done.code == 0, done.err
    assert "machine:stub: " in done.out
    assert "(10 requests, 1,100 tokens)" in done.out
    assert "20 documents remain: the budget is spent" in done.out
    assert len(server.requests) == 10
    assert "secret-key-1" not in done.out + done.err


@pytest.mark.slow
def test_some_failures_are_told_by_the_exit_code(cli, prelabel, server):
    server.script = lambda number, body: (200, {}, b"{}") if number == 1 else "other"
    done = cli(*prelabel)
    assert done.code == 3, done.err
    assert "1 failed: see failures() (corpuskit failures" in done.out


def test_a_refusal_is_told_in_one_line(cli, prelabel, server):
    server.script = lambda number, body: (401, {}, b"who are you?")
    done = cli(*prelabel)
    assert done.code == 1
    assert "answered 401 (no key in THE_KEY): who are you?" in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.slow
def test_ctrl_c_ends_with_130_and_the_way_to_go_on(cli, prelabel, server):
    asked, told = threading.Event(), threading.Event()

    def script(number, body):
        if number == 5:
            asked.set()
            told.wait(60)
        return "other"

    server.script = script
    process = cli.spawn(*prelabel, "--concurrency", "1", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert asked.wait(120)
    os.kill(process.pid, signal.SIGINT)
    told.set()
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "the same call or command continues" in out
