"""The front of a paper: journal, title, authors and what else stands before the abstract."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from corpuskit.extraction.pdf.fonts import BOLD
from corpuskit.extraction.pdf.layout.page_parts import Block
from corpuskit.extraction.pdf.patterns import CHAPTER_LABEL

_NAMES: Final = re.compile(r",| and |[∗⋆*†‡]|\b[A-Z]\. ")
_END: Final = re.compile(
    r"^(?:[\dIVX]+\.?\s+)?(?:abstract|introduction|summary|einleitung|zusammenfassung|résumé)|"
    r"^(?:(?:table of )?contents|inhalt(?:sverzeichnis)?|table des matières|sommaire)$",
    re.IGNORECASE,
)


def ends_front(heading: Block) -> bool:
    """Whether the front ends before a heading: abstract, introduction, contents."""
    return bool(_END.match(heading.text.strip()))


def title_of_front(front: Sequence[Block]) -> Block | None:
    """The longest of the largest headings; None where there is no heading."""
    headings = [block for block in front if block.role == "section-heading"]
    largest = max((block.size for block in headings), default=0.0)
    return max((b for b in headings if b.size >= 0.9 * largest), key=lambda b: (len(b.text) > 30, b.size), default=None)


def set_header(front: Sequence[Block]) -> None:
    """What stands before the abstract: the longest of its largest headings is the title; the journal and names are none."""
    title = title_of_front(front)
    above = True
    for i, block in enumerate(front):
        block.zone = "header"
        above = above and block is not title
        if block.role != "section-heading" or block.tag_type or title is None or block is title:
            continue
        text = block.text.strip()
        if CHAPTER_LABEL.fullmatch(text) or text[0].isdigit():
            continue
        if above:
            is_no_heading = block.size < 0.98 * title.size or _is_journal(block, title, front[i + 1])
        else:
            is_no_heading = block.size < 0.98 * title.size and _is_capitalised(text) and is_names(block)
        if is_no_heading:
            block.role, block.level = "paragraph", 0


def _is_journal(block: Block, title: Block, below: Block) -> bool:
    """A name as large as the title, far shorter, in capitals or with something between it and the title."""
    return 2 * len(block.text) < len(title.text) and (below is not title or block.text.isupper())


def is_names(block: Block) -> bool:
    """Whether a block looks like names of people, as far as a few signs tell."""
    text = block.text.strip()
    if _NAMES.search(text) or block.lines[0].runs > 1:
        return True
    is_bold = any(line.style & BOLD for line in block.lines)
    return not is_bold and 2 <= len(text.split()) <= 4 and not any(character.isdigit() for character in text)


def _is_capitalised(text: str) -> bool:
    words = [word for word in text.split() if word[0].isalpha()]
    capitals = sum(word[0].isupper() for word in words if word not in {"and", "van", "von", "de", "der", "den", "du"})
    return capitals >= 0.6 * len(words) > 0
