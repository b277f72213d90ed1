"""The features of the four systems whose users change over, row by row, and whether ours works today.

    uv run python tests/specs/features.py            # runs the tests of all rows and prints the table
    uv run python tests/specs/features.py --rows A,N1,T12

A row is of ``nlp.txt`` (A, N), of the Language Resource Extractor (X, C), of its Python side (P), of TextWorks (W), of
pdf_trio (F), of Trafilatura (T), or what users of such tools asked for (U). It works where the tests that show it pass;
it is done differently where its reason says so and they pass; it is absent where its reason says so, or a test fails.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
ROWS = Path(__file__).with_name("feature_rows.txt")
WORKS, DIFFERENTLY, ABSENT = "works", "differently", "absent"


@dataclass(frozen=True)
class Row:
    """A feature: its id, what it is, the tests that show ours, and why ours differs or is absent."""

    id: str
    statement: str
    tests: tuple[tuple[str, str], ...]
    verdict: str
    reason: str


def rows() -> list[Row]:
    """All rows, in order."""
    found = []
    for line in ROWS.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        identifier, statement, tests, remark = (part.strip() for part in line.split("|"))
        kind, _, reason = remark.partition(":")
        verdict = {"": WORKS, "D": DIFFERENTLY, "A": ABSENT}[kind.strip()]
        named = tuple((file, f"test_{name}") for file, _, name in (test.partition(":") for test in tests.split()))
        found.append(Row(identifier, statement, named, verdict, reason.strip()))
    return found


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests in a file below tests/."""
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


class _Outcomes:
    """Remembers what became of each test; one that was skipped shows nothing."""

    def __init__(self) -> None:
        self.failed: dict[str, str] = {}
        self.passed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.partition("[")[0].removeprefix("tests/")
        if report.failed:
            self.failed[name] = "its test fails"
        elif report.skipped:
            self.failed.setdefault(name, "its test was skipped")
        elif report.when == "call":
            self.passed.add(name)


def verdicts(chosen: list[Row]) -> dict[str, tuple[str, str]]:
    """Id → verdict and reason, by running the tests."""
    names = sorted({f"{TESTS / file}::{name}" for row in chosen for file, name in row.tests})
    outcomes = _Outcomes()
    if names:
        options = ["-q", "--no-header", "-m", "", "-n0", "-p", "no:cacheprovider", f"--rootdir={TESTS.parent}"]
        pytest.main([*options, *names], plugins=[outcomes])
    found = {}
    for row in chosen:
        keys = [f"{file}::{name}" for file, name in row.tests]
        broken = [
            f"{key}: {outcomes.failed.get(key, 'it did not run')}"
            for key in keys
            if key in outcomes.failed or key not in outcomes.passed
        ]
        found[row.id] = (ABSENT, broken[0]) if broken else (row.verdict, row.reason)
    return found


def main(arguments: list[str]) -> int:
    """Run the rows and print the table; return 1 where one is absent or different without a reason."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="ids or letters, parted by commas; default: all")
    wanted = set(filter(None, parser.parse_args(arguments).rows.split(",")))
    chosen = [row for row in rows() if not wanted or row.id in wanted or re.sub(r"\d", "", row.id) in wanted]
    found = verdicts(chosen)
    for row in chosen:
        verdict, reason = found[row.id]
        print(f"{row.id:4} {verdict:11} {row.statement}" + (f" ({reason})" if reason else ""))
    counts = Counter(verdict for verdict, _ in found.values())
    print(f"{len(chosen)} rows: " + ", ".join(f"{counts[name]} {name}" for name in (WORKS, DIFFERENTLY, ABSENT)))
    expected = {row.id: row.verdict for row in chosen}
    return int(any(found[name][0] != verdict for name, verdict in expected.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
