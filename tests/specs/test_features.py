"""Each feature of the systems whose users change over has a row, each row its tests or a reason."""

import subprocess
import sys
from pathlib import Path

import pytest

from .features import ABSENT, DIFFERENTLY, TESTS, WORKS, names_in, rows

COUNTS = {"A": 38, "N": 11, "X": 23, "C": 17, "P": 14, "W": 19, "F": 15, "T": 15, "U": 19}


def test_every_feature_has_one_row():
    assert [row.id for row in rows()] == [
        f"{letter}{i}" for letter, count in COUNTS.items() for i in range(1, count + 1)
    ]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.id)
def test_a_row_has_tests_that_are_there_or_a_reason(row):
    missing = [name for file, name in row.tests if name not in names_in(file)]
    assert missing == []
    if row.verdict != ABSENT:
        assert row.tests
    if row.verdict == WORKS:
        assert not row.reason
    else:
        assert len(row.reason.split()) >= 5


@pytest.mark.slow
def test_the_script_runs_rows_and_prints_the_table():
    script = Path(__file__).with_name("features.py")
    command = [sys.executable, str(script), "--rows", "A3,A24,F11,X7"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TESTS.parent, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    table = done.stdout.splitlines()
    assert table[-1] == f"4 rows: 2 {WORKS}, 1 {DIFFERENTLY}, 1 {ABSENT}"
    assert table[-5].split()[:2] == ["A3", WORKS]
    assert table[-3].startswith(
        "X7   differently what a style sheet shows as a block is one (linked style sheets are not"
    )
