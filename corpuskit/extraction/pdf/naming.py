"""Closer names for blocks than their roles: who wrote it, where, who published it, and the entries of a reference list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from corpuskit.extraction.pdf.front import is_names, title_of_front
from corpuskit.extraction.pdf.layout.page_parts import Block
from corpuskit.extraction.pdf.patterns import ENTRY, YEAR

_PUBLISHER: Final = re.compile(
    r"©|\(c\)\s*(?:1[89]|20)\d\d|\bcopyright\b|\ball rights reserved\b|\bpublished by\b|\bissn\b|\bdoi\s*:|\bdoi\.org/|"
    r"\bjournal homepage\b",
    re.IGNORECASE,
)
# A volume, its year and pages; below the abstract that is how others are cited.
_VOLUME: Final = re.compile(r"\bvol(?:\.|ume)\s*\d+|\b\d+\s*\((?:1[89]|20)\d\d\)\s*\d+", re.IGNORECASE)
_DATES: Final = re.compile(
    r"\b(?:received|accepted|revised|submitted|available online|eingegangen|reçu)\b|"
    r"^(?:[^\W\d]+\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,2}\.? [^\W\d]+\.? \d{4}|\d{4}-\d\d-\d\d)$",
    re.IGNORECASE,
)
_AFFILIATION: Final = re.compile(
    r"\b(?:universit|universidad|institut|department|dept\.|laborator|school of|faculty|fakultät|college|cent(?:er|re) |"
    r"academy|hospital|gmbh|ltd\b|inc\.)|[\w.+}-]+@[\w-]+\.\w",
    re.IGNORECASE,
)
_KEYWORDS: Final = re.compile(
    r"^(?:key ?-?words?|index terms|schlüsselwörter|schlagwörter|mots[- ]clés)\b", re.IGNORECASE
)
_ABSTRACT: Final = re.compile(r"^(?:abstract|a b s t r a c t|summary|zusammenfassung|résumé)\b", re.IGNORECASE)
_TEXT: Final = frozenset(("paragraph", "list", "footnote", "reference"))
_LEAST_WORDS: Final = 2  # of letters alone, in a reference; the ticks of an axis have none
_MOST: Final = 400  # characters of a note of the publisher


def set_labels(blocks: Sequence[Block]) -> None:
    """Sets the labels of blocks that have their roles and zones, in reading order."""
    header = [block for block in blocks if block.zone == "header"]
    title = title_of_front(header)
    is_below = in_abstract = is_open = False
    for block in blocks:
        text = block.text.strip()
        if block is title:
            block.label, is_below = "title", True
        elif block.role == "section-heading":
            in_abstract = block.page == 0 and _ABSTRACT.match(text) is not None
        elif block.role not in _TEXT:
            continue
        elif block.zone == "references":
            # Charts, tables and notes behind the list stand in its zone too, where no heading ends it.
            block.label = "reference" if is_entry(block, follows=is_open) else ""
            is_open = bool(block.label) and not text.endswith(".")
        elif block.page == 0:
            block.label = _of_front(block, text, is_below=is_below)
            if not block.label and (in_abstract or (block.zone == "header" and _ABSTRACT.match(text))):
                block.label = "abstract"


def is_entry(block: Block, *, follows: bool) -> bool:
    """Whether a block behind the heading of a reference list is an entry, or goes on with the one before.

    Args:
        block: with its role and zone.
        follows: the block before is an entry that has not ended.
    """
    text = block.text.strip()
    if ENTRY.match(text):
        return True
    words = sum(map(str.isalpha, text.split()))
    return block.role != "footnote" and bool(YEAR.search(text) or follows) and words >= _LEAST_WORDS


def is_publisher(text: str) -> bool:
    """Whether a short text tells who published a paper, and where."""
    return len(text) <= _MOST and _PUBLISHER.search(text) is not None


def _of_front(block: Block, text: str, *, is_below: bool) -> str:
    """What a text of the first page tells; empty where it is none of these."""
    if _KEYWORDS.match(text):
        return "keywords"
    if is_publisher(text):
        return "publisher"
    if block.zone != "header" or _ABSTRACT.match(text):
        return ""
    if not is_below and len(text) <= _MOST and _VOLUME.search(text):
        return "publisher"
    if _AFFILIATION.search(text):
        return "affiliation"
    if _DATES.search(text):
        return "dates"
    return "authors" if is_below and len(text) <= _MOST and is_names(block) else ""
