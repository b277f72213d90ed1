"""Roles and zones of blocks: headings with their levels, captions, list items, the reference list."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from corpuskit.extraction.pdf.figures import set_figures
from corpuskit.extraction.pdf.fonts import BOLD, ITALIC, MONO
from corpuskit.extraction.pdf.front import ends_front, set_header
from corpuskit.extraction.pdf.layout.page_parts import Block
from corpuskit.extraction.pdf.naming import set_labels
from corpuskit.extraction.pdf.patterns import (
    ADMONITION,
    BULLET,
    BULLET_START,
    CAPTION,
    ENTRY,
    HEADING_NUMBER,
    NUMBERED,
    REFERENCES,
    YEAR,
)

_THRESHOLD: Final = 1.9
_KNOWN: Final = re.compile(
    r"(?:\d+\.?\s+)?(?:abstract|a b s t r a c t|acknowledge?ments?|introduction|background|methods?|materials and methods|results|"
    r"experimental(?: (?:section|part|details|methods?|procedures?))?|"
    r"discussion|results and discussion|conclusions?|summary|references(?: and notes)?|bibliography|(?:table of )?contents|"
    r"zusammenfassung|einleitung|literatur(?:verzeichnis)?|danksagung|résumé|conclusion|remerciements|références)",
    re.IGNORECASE,
)
_FOOTNOTE: Final = re.compile(r"^(?:[*†‡§¶]|\d{1,2}[^\W\d_]|\d{1,2} [^\W\d_])")
_RELATION: Final = re.compile(r"[=≈≃≅≡≤≥≪≫<>∝→∼∑∫∏]")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_EQUATION_END: Final = re.compile(r"\([A-Z]?\d+(?:\.\d+)*[a-z]?\)$")
_SHORT: Final = 6  # words: a numbered line of more that ends as a sentence is one
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_NOT_LETTERS: Final = re.compile(r"[^\w]+")
_BY_TAG: Final = {
    **dict.fromkeys(("H", "H1", "H2", "H3", "H4", "H5", "H6", "Title"), "section-heading"),
    "Caption": "caption", "LI": "list", "Code": "code", "Note": "footnote", "FENote": "footnote", "Formula": "equation",
    "Figure": "figure", "BibEntry": "reference",
}  # fmt: skip


@dataclass(slots=True)
class Document:
    """What is known of the whole document.

    Attributes:
        body, body_style, body_font: size, style bits and number of the body font.
        outline: key of a bookmark's title → (its level from 1, its page from 0 or -1).
        heights: of the pages.
    """

    body: float
    body_style: int
    body_font: int = -1
    outline: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    heights: list[float] = field(default_factory=list)


def key_of(text: str) -> str:
    """Letters and digits of a title, for comparing."""
    return _NOT_LETTERS.sub("", text.lower())


def set_roles(blocks: Sequence[Block], document: Document) -> None:
    """Sets roles, levels, zones and labels of all blocks, in reading order."""
    headings = []
    by_tags = _trusted_heading_tags(blocks)
    for i, block in enumerate(blocks):
        role = _BY_TAG.get(block.tag_type)
        if block.role == "code" and role != "section-heading":
            continue
        if role is not None and block.role != "table" and (role != "section-heading" or by_tags):
            block.role = role
            if role == "section-heading":
                block.level = int(block.tag_type[1]) if block.tag_type[1:].isdigit() else 1
        if block.role != "paragraph":
            continue
        text = block.text.strip()
        if CAPTION.match(text) and not _is_sentence_about(text):
            block.role = "caption"
        elif BULLET_START.match(text + " ") and BULLET.match(text[:1]):
            block.role = "list"
        elif _is_footnote(block, document):
            block.role = "footnote"
        elif _is_equation(block):
            block.role = "equation"
        elif not (by_tags and block.tag_type) and _heading_score(blocks, i, document) >= _THRESHOLD:
            block.role = "section-heading"
            headings.append(block)
        elif NUMBERED.match(text):
            block.role = "list"
    set_figures(blocks, lambda block: _in_outline(block, document) is not None)
    _set_levels([block for block in headings if block.role == "section-heading"])
    _set_zones(blocks)
    set_labels(blocks)


def _is_footnote(block: Block, document: Document) -> bool:
    """Small text low on the page that starts with a mark."""
    height = document.heights[block.page] if block.page < len(document.heights) else 0.0
    is_low = block.lines[0].base > 0.6 * height > 0
    return is_low and block.size < 0.93 * document.body and bool(_FOOTNOTE.match(block.text)) and len(block.text) > 15


def _is_equation(block: Block) -> bool:
    """Signs and single letters set in, with an equals sign or the like among them."""
    text = block.text
    if len(block.lines) > 4 or len(text) > 200 or not _RELATION.search(text):
        return False
    words = sum(len(word) for word in _WORD.findall(text))
    indented = min(line.x0 for line in block.lines) > block.left + 8
    return words <= 0.35 * len(text.replace(" ", "")) and (indented or bool(_EQUATION_END.search(text)))


def _trusted_heading_tags(blocks: Sequence[Block]) -> bool:
    """Whether the heading tags look sane: there are some, they are short, and far fewer than the rest."""
    tagged = [block for block in blocks if block.tag_type]
    headings = [block for block in tagged if _BY_TAG.get(block.tag_type) == "section-heading"]
    if not headings or len(tagged) < 0.7 * len(blocks):
        return False
    length = sum(len(block.text) for block in headings)
    return length <= 0.3 * sum(len(block.text) for block in tagged) and length <= 150 * len(headings)


def _is_sentence_about(text: str) -> bool:
    """'Table 3 shows ...' talks about a table; 'Table 3: ...' and 'Table 3 Results' name it."""
    words = text.split()
    return len(words) > 3 and words[2][:1].islower() and words[1][-1].isalnum() and len(text) > 60


def _heading_score(blocks: Sequence[Block], i: int, document: Document) -> float:
    """How much a block looks like a heading: size, weight, numbering, isolation, bookmark."""
    block = blocks[i]
    text = block.text.strip()
    lines = block.lines
    body = document.body
    size = block.size
    if text.isdigit() and len(text) < 4 and size > 1.15 * body:  # the number of a chapter
        return 3.0 if size > 1.3 * body or _in_outline(block, document) is not None else 0.0
    if not 2 <= len(text) <= 220 or len(lines) > 4:
        return -9.0
    letters = [character for character in text if character.isalpha()]
    if len(letters) < 2:
        return -9.0
    is_bold = all(line.has_all(BOLD) for line in lines)
    shared = {line.style_of_all for line in lines}
    style = shared.pop() if len(shared) == 1 else None
    is_italic = style is not None and bool(style & ITALIC) and not document.body_style & ITALIC
    number = HEADING_NUMBER.match(text)
    is_upper = len(letters) >= 4 and sum(c.isupper() for c in letters) > 0.9 * len(letters)
    if not _LETTERS.search(text):
        return -9.0
    if ADMONITION.fullmatch(text) and _in_outline(block, document) is None:
        return -9.0
    score = 3.0 if _in_outline(block, document) is not None else 0.0
    is_known = bool(_KNOWN.fullmatch(text))
    score += max(_size_score(size / body), 0.0 if is_known else -9.0)
    if is_bold and not document.body_style & BOLD:
        score += 1.6
    if is_italic and len(lines) == 1:
        score += 0.6
    is_other = not is_bold and all(line.fonts and document.body_font not in line.fonts for line in lines)
    if is_other and not is_italic:
        score += 0.9  # fonts whose names do not say that they are bold
    if is_known:
        score += 2.5 if is_other or is_bold else 1.2
    if is_upper:
        score += 0.7
    if number and (is_bold or is_other or size > 1.05 * body or is_upper):
        score += 0.8
    if number and number["rest"] and (is_other or is_italic):
        score += 0.8
    score += 0.3 if len(lines) == 1 else -0.8 if len(lines) > 2 else 0.0
    if len(text) > 90:
        score -= 0.8
    if text[-1] in ".,;" and (not number or len(text.split()) > _SHORT):
        score -= 1.5
    if text[-1] == ":" and not is_bold:
        score -= 0.9
    if text[0].islower():
        score -= 1.2
    if all(line.has_all(MONO) for line in lines) and size <= 1.1 * body and not (number and number["rest"]):
        score -= 2.0
    if (_RELATION.search(text) or "\ufffd" in text) and sum(map(len, _WORD.findall(text))) < 0.5 * len(text):
        score -= 2.5  # a formula in a font of its own
    if lines[0].runs > 1 and text[-1].isdigit():
        score -= 2.5  # an entry of the contents
    if _goes_on(blocks, i):
        score -= 3.0
    score += _isolation(blocks, i, size > 1.1 * body)
    first = lines[0]
    if len(lines) == 1 and first.x1 > block.right - 2 and size < 1.1 * body and not is_bold:
        score -= 1.0  # a full line of prose
    if is_italic and len(lines) == 1 and first.x0 > block.left + 20:
        centre = (first.x0 + first.x1) / 2 - (block.left + block.right) / 2
        score += 1.0 if abs(centre) < 6 else 0.0
    return score


def _size_score(ratio: float) -> float:
    if ratio >= 1.45:
        return 3.0
    if ratio >= 1.15:
        return 2.5
    if ratio >= 1.06:
        return 1.2
    return -2.0 if ratio < 0.94 else 0.0


def _isolation(blocks: Sequence[Block], i: int, is_large: bool) -> float:
    block = blocks[i]
    score = 0.0
    before = blocks[i - 1] if i and blocks[i - 1].page == block.page else None
    if before is None or not before.lines or before.role == "table":
        score += 0.3
    else:
        gap = block.lines[0].base - before.lines[-1].base
        if 0 < gap < 1.15 * block.leading:
            score -= 0.7
        elif gap > 1.45 * block.leading:
            score += 0.4
    after = blocks[i + 1] if i + 1 < len(blocks) and blocks[i + 1].page == block.page else None
    if after is not None and after.role == "table" and not is_large:
        score -= 0.5
    return score


def _goes_on(blocks: Sequence[Block], i: int) -> bool:
    """Whether the block below goes on with this one's sentence, in the same look."""
    block = blocks[i]
    after = blocks[i + 1] if i + 1 < len(blocks) and blocks[i + 1].page == block.page else None
    if after is None or not after.lines or not after.text[:1].islower() or block.text.rstrip()[-1:] in ".!?:":
        return False
    last, first = block.lines[-1], after.lines[0]
    return (
        abs(first.size - last.size) < 0.6 and first.style == last.style and 0 < first.base - last.base < 2 * last.size
    )


def _in_outline(block: Block, document: Document) -> int | None:
    """The level of the bookmark of this title that leads to this page or a neighbour."""
    text = block.text.strip()
    key = key_of(text)
    found = document.outline.get(key, [])
    if not found and HEADING_NUMBER.match(text):
        found = document.outline.get(key.lstrip("0123456789"), [])
    return next((level for level, page in found if page < 0 or abs(page - block.page) <= 1), None)


def _set_levels(headings: list[Block]) -> None:
    """Levels by size and weight; the depth of a number or the outline goes before them."""
    looks = [(round(b.size * 2) / 2, all(line.has_all(BOLD) for line in b.lines)) for b in headings]
    levels = {look: k + 1 for k, look in enumerate(sorted(set(looks), reverse=True))}
    for block, look in zip(headings, looks, strict=True):
        block.level = min(levels[look], 6)
        number = HEADING_NUMBER.match(block.text.strip())
        if number and number["rest"] is not None and number["first"][0].isdigit():
            block.level = min(number["rest"].count(".") + 1, 6)


def _set_reference_pages(blocks: Sequence[Block]) -> None:
    """A page of numbered entries with years is part of a reference list, though its heading is on an earlier page."""
    by_page: dict[int, list[Block]] = defaultdict(list)
    for block in blocks:
        if block.role in {"paragraph", "list", "reference"}:
            by_page[block.page].append(block)
    for members in by_page.values():
        entries = [block for block in members if ENTRY.match(block.text) and YEAR.search(block.text)]
        if len(entries) >= 4 and len(entries) >= 0.6 * len(members):
            for block in entries:
                block.zone = "references"


def _set_zones(blocks: Sequence[Block]) -> None:
    in_references = False
    for block in blocks:
        if block.role == "section-heading":
            in_references = bool(REFERENCES.match(block.text.strip()))
        block.zone = "references" if in_references else "body"
    _set_reference_pages(blocks)
    for i, block in enumerate(blocks):
        if block.role == "section-heading" and ends_front(block):
            if block.page == 0:
                set_header(blocks[:i])
            return
