"""corpuskit prelabel: closing line, exit codes, no key on the screen."""

import os
import signal
import subprocess
import sys
import threading


def run(filled, server, *more, key=None):
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    if key:
        environment["THE_KEY"] = key
    command = [
        sys.executable,
        "-c",
        "from corpuskit.cli import main; main()",
        "prelabel",
        filled.path,
        "--base-url",
        server.url,
        "--model",
        "stub",
    ]
    return subprocess.Popen(
        [*command, "--key-variable", "THE_KEY", *more],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_command_labels_and_tells_what_it_cost(filled, server):
    process = run(filled, server, "--requests", "10", key="secret-key-1")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "machine:stub: " in out
    assert "(10 requests, 1,100 tokens)" in out
    assert "20 documents are left: the budget is spent" in out
    assert len(server.requests) == 10
    assert "secret-key-1" not in out + err


def test_some_failures_are_told_by_the_exit_code(filled, server):
    server.script = lambda number, body: (200, {}, b"{}") if number == 1 else "other"
    process = run(filled, server)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    assert "1 failed: see corpuskit failures" in out


def test_a_refusal_is_told_in_one_line(filled, server):
    server.script = lambda number, body: (401, {}, b"who are you?")
    process = run(filled, server)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "answered 401 (no key in THE_KEY): who are you?" in err
    assert len(err.strip().splitlines()) == 1


def test_ctrl_c_ends_with_130_and_the_way_to_go_on(filled, server):
    asked, told = threading.Event(), threading.Event()

    def script(number, body):
        if number == 5:
            asked.set()
            told.wait(60)
        return "other"

    server.script = script
    process = run(filled, server, "--concurrency", "1")
    assert asked.wait(120)
    os.kill(process.pid, signal.SIGINT)
    told.set()
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "the same command goes on" in out
