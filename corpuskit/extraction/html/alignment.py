"""Where the words of one text stand in another that holds them in nearly the same order."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

_GRAM: Final = 5  # words
_MOST_PLACES: Final = 20  # of one run of words; more frequent ones anchor nothing
_MOST_COMPARED: Final = 400_000  # pairs of words in a gap between two anchors
_NEAR: Final = 30  # words behind the last one found, where a word written together is looked for
_AROUND: Final = 400  # words before the first and behind the last anchor that are looked through


def align(wanted: Sequence[str], there: Sequence[str]) -> list[int]:
    """For each word of ``wanted`` its place in ``there``, or -1; no place is given twice.

    Runs of five words anchor, wherever they stand; between two anchors the order is kept. Time grows with the sum of the
    lengths, not with their product.
    """
    places = _anchors(wanted, there)
    used = bytearray(len(there))
    for place in places:
        if place >= 0:
            used[place] = 1
    at = 0
    while at < len(places):
        if places[at] >= 0:
            at += 1
            continue
        end = at
        while end < len(places) and places[end] < 0:
            end += 1
        first = places[at - 1] + 1 if at else 0
        last = places[end] if end < len(places) else len(there)
        if not at and end < len(places):
            first = max(0, last - _AROUND - 2 * (end - at))
        elif at and end == len(places):
            last = min(len(there), first + _AROUND + 2 * (end - at))
        if first < last:
            _fill_gap(wanted, there, (at, end), (first, last), places, used)
        at = end
    return places


def joined(wanted: Sequence[str], there: Sequence[str], places: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Words of ``wanted`` without a place that are several words of ``there`` written together: word → their span."""
    used = bytearray(len(there))
    for place in places:
        if place >= 0:
            used[place] = 1
    found: dict[int, tuple[int, int]] = {}
    behind = 0
    for at, place in enumerate(places):
        if place >= 0:
            behind = place + 1
            continue
        for start in range(behind, min(len(there), behind + _NEAR)):
            end, rest = start, wanted[at]
            while end < len(there) and not used[end] and rest.startswith(there[end]):
                rest = rest[len(there[end]) :]
                end += 1
                if not rest:
                    break
            if not rest:
                found[at] = start, end
                used[start:end] = b"\1" * (end - start)
                behind = end
                break
    return found


def _anchors(wanted: Sequence[str], there: Sequence[str]) -> list[int]:
    places = [-1] * len(wanted)
    grams: dict[tuple[str, ...], list[int]] = {}
    for i in range(len(there) - _GRAM + 1):
        grams.setdefault(tuple(there[i : i + _GRAM]), []).append(i)
    used = bytearray(len(there))
    expected = i = 0
    while i < len(wanted):
        found = grams.get(tuple(wanted[i : i + _GRAM]), ()) if i + _GRAM <= len(wanted) else ()
        free = [] if len(found) > _MOST_PLACES else [p for p in found if not used[p]]
        if not free:
            i += 1
            continue
        # What follows goes on where the last run ended, or behind it; else anywhere.
        place = min(free, key=lambda p: (p < expected, abs(p - expected)))
        while i < len(wanted) and place < len(there) and wanted[i] == there[place] and not used[place]:
            places[i] = place
            used[place] = 1
            i += 1
            place += 1
        expected = place
    return places


def _fill_gap(
    wanted: Sequence[str], there: Sequence[str], gap: tuple[int, int], window: tuple[int, int], places: list[int],
    used: bytearray,
) -> None:  # fmt: skip
    """Words between two anchors: those that follow each other in both."""
    at, end = gap
    first, last = window
    free = [place for place in range(first, last) if not used[place]]
    if not free or (end - at) * len(free) > _MOST_COMPARED:
        return
    matcher = difflib.SequenceMatcher(None, wanted[at:end], [there[place] for place in free], autojunk=False)
    for a, b, length in matcher.get_matching_blocks():
        for k in range(length):
            places[at + a + k] = free[b + k]
            used[free[b + k]] = 1
