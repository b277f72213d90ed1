"""``corpuskit train``, ``audit``, ``fasttext`` and exports by relevance, on a corpus of two topics."""

import contextlib
import os
import re
import select
import subprocess
import sys

import pandas as pd
import pytest
from cli_pages import PAGE, side_of

import corpuskit


@pytest.mark.slow
def test_a_class_of_ones_own_is_trained_on_the_command_line(cli, trained):
    with corpuskit.open(trained) as corpus:
        corpus.set_labels(
            {row.doc_id: "baking" for row in corpus.documents().itertuples() if side_of(row.title) == "other"},
            by="me",
            new_class=True,
        )
    wrong = cli("train", trained, "--positive", "bakery")
    assert "expected a label in use: 'baking' (20)" in wrong.err
    assert cli("train", trained, "--positive", "baking").code == 0
    with corpuskit.open(trained) as corpus:
        found = corpus.documents().sort_values("relevance", ascending=False).head(20)
        assert {side_of(title) for title in found.title} == {"other"}


def test_an_audit_goes_through_files(cli, trained, tmp_path):
    wanted = tmp_path / "wanted.csv"
    for _ in range(12):
        output = cli("audit", trained, "--out", wanted, "--precision", "0.8").out
        if "to label" not in output:
            break
        table = pd.read_csv(wanted)
        table["label"] = [side_of(title) for title in table["title"]]
        table.to_csv(wanted, index=False)
        assert "95%" not in cli("audit", trained, "--labels", wanted).out  # it goes on with what it was begun with
    assert "Audit of model-0001 with" in output
    assert "precision >= 80%" in output
    assert "relevant documents are missed" in output  # the audit has asked for all there is below the threshold
    with corpuskit.open(trained) as corpus:
        corpus.set_labels({corpus.documents().query("decision == 'relevant'").doc_id.iloc[0]: "other"}, by="me")
        against = corpus.documents().query("decision == 'relevant' and label == 'other'")
    told = cli("export", trained, tmp_path / "out", "--decision", "relevant").err
    assert re.search(rf"^{len(against)} documents? called relevant by the model and labelled other", told, re.MULTILINE)
    assert (
        "labels, of the 30 documents that were there). The claim does not cover documents that were added after"
        in (tmp_path / "out" / "README.md").read_text()
    )


def test_an_audit_writes_over_no_answers_that_were_not_handed_in(cli, trained, tmp_path):
    wanted = tmp_path / "wanted.csv"
    cli("audit", trained, "--out", wanted)
    asked = wanted.read_text()
    cli("audit", trained, "--out", wanted)
    assert wanted.read_text() == asked  # without an answer it is written anew
    table = pd.read_csv(wanted, dtype="str")
    table["label"] = ["other", "relevant"] + [None] * (len(table) - 2)
    table.to_csv(wanted, index=False)
    answered = wanted.read_text()
    done = cli("audit", trained, "--out", wanted)
    assert done.code == 1
    assert f"{wanted} has 2 answers that the corpus does not have" in done.err
    assert f"import them with --labels {wanted}, or pass another file" in done.err
    assert wanted.read_text() == answered
    cli("audit", trained, "--labels", wanted)
    cli("audit", trained, "--out", wanted)
    assert len(pd.read_csv(wanted)) == len(table) - 2
    foreign = "target;label\ndéjà;relevant\n".encode("latin-1")  # as a spreadsheet may write it
    wanted.write_bytes(foreign)
    assert "pass another file" in cli("audit", trained, "--out", wanted).err
    assert wanted.read_bytes() == foreign


@pytest.mark.slow
def test_after_its_claim_an_audit_asks_for_what_it_misses(cli, tmp_path):
    with corpuskit.open(tmp_path / "c") as corpus:
        folder = tmp_path / "many"
        folder.mkdir()
        for i in range(250):
            words = "flood water river" if i % 5 == 0 else "bread oven flour"
            (folder / f"p{i:03d}.html").write_text(PAGE.format(f"{words} {i}"), "utf-8")
        corpus.add(folder, progress=False)
        corpus.set_labels({row.doc_id: side_of(row.title) for row in corpus.documents().head(20).itertuples()}, by="me")
        corpus.train()
    wanted, told = tmp_path / "wanted.csv", []
    for _ in range(12):
        told.append(cli("audit", tmp_path / "c", "--out", wanted).out)
        if "to label" not in told[-1]:
            break
        table = pd.read_csv(wanted)
        table["label"] = [side_of(title) for title in table["title"]]
        if "from below" in told[-1]:
            without = cli("audit", tmp_path / "c", "--out", wanted, "--below", "0").out
        table.to_csv(wanted, index=False)
        cli("audit", tmp_path / "c", "--labels", wanted)
    assert "from below the threshold, to estimate recall" in told[-2]
    assert "relevant documents are missed" in told[-1]
    assert "to label" not in without


@pytest.mark.slow
def test_an_audit_asks_on_a_terminal_and_saves_each_answer(cli, trained):
    main, terminal = os.openpty()
    process = cli.spawn("audit", trained, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.write(main, b"r\nx\no\nq\n")
    output, _ = process.communicate(timeout=120)
    os.close(main)
    os.close(terminal)
    assert "[r]elevant, [o]ther, [q]uit" in output
    assert "Audit of model-0001: 2 labels given" in output
    corpus = corpuskit.open(trained)
    assert sorted(label.label for label in corpus._folder.labels.current() if label.by == "audit") == [
        "other",
        "relevant",
    ]
    corpus.close()


@pytest.mark.slow
def test_ctrl_c_at_the_prompt_of_an_audit_ends_it_at_once(trained):
    main, terminal = os.openpty()
    # A process that leads a session and opens a terminal is sent its Ctrl-C; that of a shell's background job would pass it over.
    code = (
        "import os, signal; os.open(os.ttyname(0), os.O_RDWR); signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from corpuskit.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "audit", str(trained)],
        stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # nobody is at the terminal any more
        for _ in range(100):
            if select.select([main], [], [], 10)[0]:
                if not (read := os.read(main, 4096)):
                    break
                shown += read
                if shown.endswith(b"[q]uit: "):
                    os.write(main, b"r\n" if shown.count(b"[q]uit: ") == 1 else b"\x03")
            elif shown.count(b"[q]uit: ") > 1:
                os.write(
                    main, b"\x03"
                )  # Python's input() passes over a signal that comes right before it begins to wait
    os.close(main)  # whoever is still there is hung up
    assert process.wait(120) == 130
    told = shown.decode().replace("\r", "")
    assert "Audit of model-0001: 1 label given, 19 wanted now\n" in told
    assert told.endswith(
        "  asked: each from the highest score down: 1 of 1 are relevant, which is exact\n"
        "stopped; repeat the command to continue\n"
    )


def test_what_the_audit_decided_can_be_exported(cli, trained, tmp_path):
    done = cli("export", trained, tmp_path / "out", "--decision", "relevant")
    assert (done.code, done.out) == (1, "")
    assert "without an audit the model calls no document relevant; run corpuskit audit" in done.err
    decisions = corpuskit.open(trained).documents().decision.value_counts()
    done = cli("export", trained, tmp_path / "out", "--decision", "unknown", "--decision", "other", "--keep-duplicates")
    assert done.out.startswith(f"{decisions.sum()} documents, ")
    done = cli("export", trained, tmp_path / "out", "--decision", "maybe")
    assert done.code == 2
    assert "'relevant', 'unknown', 'other'" in done.err


def test_training_tells_its_model_in_words(cli, trained, tmp_path):
    printed = cli("train", trained).out
    assert printed.startswith("Model ")
    assert "RelevanceModel(" not in printed


def test_a_fasttext_classifier_is_written_and_tells_how_far_it_agrees(cli, trained, tmp_path):
    done = cli("fasttext", trained, tmp_path / "s.bin")
    assert done.code == 0, done.err
    assert done.out.startswith(f"{tmp_path / 's.bin'}: fastText for documents, ")
    assert "10 labelled by people" in done.out
    assert "on 2 texts held out it agrees with its teacher on 100.0% (precision 100.0%, recall 100.0%)" in done.out
    assert (tmp_path / "s.bin").stat().st_size > 1_000
    refused = cli("fasttext", trained, tmp_path / "u.bin", "--urls")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("corpuskit: the corpus has no model of URLs to distil")
