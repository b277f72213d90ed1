"""Runs that stand on one base line."""

from __future__ import annotations

from corpuskit.extraction.pdf.direction import is_rtl
from corpuskit.extraction.pdf.words import Run


def rows_of(runs: list[Run]) -> list[list[Run]]:
    """Return the runs in rows from the top down, each from left to right, or from right to left in scripts so written."""
    if not runs:
        return []
    ordered = sorted(runs, key=lambda run: run.base)
    rows = [[ordered[0]]]
    for run in ordered[1:]:
        row = rows[-1]
        mean = sum(other.base for other in row) / len(row)
        if abs(run.base - mean) <= 0.35 * max(min(run.size, row[0].size), 4.0):
            row.append(run)
        else:
            rows.append([run])
    for row in rows:
        row.sort(key=lambda run: run.x0)
        if len(row) > 1 and is_rtl("".join(run.text[:20] for run in row)):
            row.reverse()
    return rows
