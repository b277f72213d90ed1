"""Tables between rules of one width: found before the columns of a page, which they may lie across."""

from __future__ import annotations

from typing import Final

from corpuskit.extraction.pdf.base_lines import rows_of
from corpuskit.extraction.pdf.drawings import Line
from corpuskit.extraction.pdf.tables.aligned import find_aligned_tables
from corpuskit.extraction.pdf.tables.grid import Grid
from corpuskit.extraction.pdf.words import Run

_SHORTEST: Final = 60.0  # points
_MOST_RULES: Final = 200
_MOST_AHEAD: Final = 12  # rules of a table
_SLACK: Final = 4.0  # points by which text may reach beyond the rules


def find_booktabs(rules: list[Line], runs: list[Run], *, is_mono_page: bool) -> list[tuple[Grid, list[Run]]]:
    """Tables with a rule above, one below the head and one at the end, each with its runs."""
    long = sorted((rule for rule in rules if rule.end - rule.start >= _SHORTEST), key=lambda rule: rule.at)
    if not 3 <= len(long) <= _MOST_RULES:
        return []
    found: list[tuple[Grid, list[Run]]] = []
    for group in _of_one_width(long):
        i = 0
        made = None
        while i + 2 < len(group):
            for last in range(min(i + _MOST_AHEAD, len(group) - 1), i + 1, -1):
                made = _table(group[i], group[last], rules, runs, is_mono_page=is_mono_page)
                if made is not None:
                    found.append(made)
                    break
            i = last if made is not None else i + 1
    return found


def _of_one_width(rules: list[Line]) -> list[list[Line]]:
    groups: list[list[Line]] = []
    for rule in rules:
        for group in groups:
            if abs(group[0].start - rule.start) < 3 and abs(group[0].end - rule.end) < 3:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) >= 3]


def _table(
    top: Line, bottom: Line, rules: list[Line], runs: list[Run], *, is_mono_page: bool
) -> tuple[Grid, list[Run]] | None:
    """The table between two rules; None where the text there is not all of one table."""
    inside = []
    for run in runs:
        if not top.at - 2 < run.base - 0.3 * run.size < bottom.at + 2 or run.x0 > top.end or run.x1 < top.start:
            continue
        if run.x0 < top.start - _SLACK or run.x1 > top.end + _SLACK:
            return None
        inside.append(run)
    near = [rule for rule in rules if top.at - 1 <= rule.at <= bottom.at + 1 and top.start - 3 <= rule.start < top.end]
    rows = rows_of(inside)
    tables = find_aligned_tables(rows, near, is_mono_page=is_mono_page) if len(rows) >= 2 else []
    if len(tables) != 1 or (tables[0][0].first, tables[0][0].last) != (0, len(rows) - 1):
        return None
    return tables[0][1], inside
