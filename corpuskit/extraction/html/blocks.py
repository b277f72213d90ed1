"""The blocks of a page and the elements around them, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from corpuskit.document.elements import SECTION, TEXT_BLOCK
from corpuskit.extraction.html.rows import Walked
from corpuskit.extraction.html.tags import key_of

Ints = NDArray[np.int64]

DEPTH: Final = 24
"""How many elements around a block are looked at."""

# Classes of characters, one bit each.
_SPACE, _COMMA, _STOP, _DIGIT, _UPPER, _BAR, _SIGN, _FEED, _WIDE = (1 << i for i in range(9))


def _character_classes() -> NDArray[np.uint16]:
    classes = np.zeros(0x10000, np.uint16)
    for bit, characters in (
        (_SPACE, " \n\t\xa0"),
        (_COMMA, ",;，、；؛،"),
        (_STOP, ".!?。！？…؟:："),
        (_DIGIT, "0123456789"),
        (_BAR, "|»›•·/→>←"),
        (_SIGN, "©®@$€£%#"),
        (_FEED, "\n"),
    ):
        for character in characters:
            classes[ord(character)] |= bit
    for code in range(0x600):
        if chr(code).isupper():
            classes[code] |= _UPPER
    classes[0x2E80:0xD7A4] |= _WIDE
    classes[0x0E00:0x0E80] |= _WIDE
    return classes


_CLASSES: Final = _character_classes()


@dataclass(slots=True)
class Blocks:
    """The blocks of a page: its rows with text, and the elements around them.

    Attributes:
        rows: element_ids of the blocks.
        texts: their texts.
        words: estimated words of each.
        link_chars: characters in links.
        lengths: characters.
        stats: per block the counts of character classes.
        node: block → element around it, a position in the arrays below.
        chain: block → elements around it, innermost first, padded with -1.
        parent: element → element around it.
        end: element → first element behind its subtree.
        pair: element → number of its (name, key).
        pairs: the distinct (name, key).
        name: element → tag name.
        section: block → block that is the title of the innermost Section around it (itself for a title); -1.
        outer_section: title block → title block of the Section around; -1.
    """

    rows: Ints
    texts: list[str]
    words: NDArray[np.float64]
    link_chars: NDArray[np.float64]
    lengths: NDArray[np.float64]
    stats: NDArray[np.float64]
    node: Ints
    chain: Ints
    parent: Ints
    end: Ints
    pair: Ints
    pairs: list[tuple[str, str]]
    name: list[str]
    section: Ints
    outer_section: Ints


def blocks_of(walked: Walked) -> Blocks:
    """The blocks of a walked page."""
    table = walked.table
    rows = [row for row, text in enumerate(table.text) if text]
    texts = [table.text[row] or "" for row in rows]
    stats, lengths = _character_stats(texts)
    words = stats[:, 0] + 1
    # Scripts without blanks: about two characters a word, as other tools count.
    words = np.maximum(words, stats[:, 8] / 2)
    link_chars = np.fromiter((walked.link_chars.get(row, 0) for row in rows), np.float64, len(rows))
    nodes, node, parent, end = _needed(walked, rows)
    tags = [walked.node_tag[i] for i in nodes]
    names = [name for _, _, _, name, _ in tags]
    pair_of = {head: (name, key_of(head)) for _, _, _, name, head in set(tags)}
    pair_ids: dict[tuple[str, str], int] = {}
    pair = np.fromiter((pair_ids.setdefault(pair_of[tag[4]], len(pair_ids)) for tag in tags), np.int64, len(nodes))
    chain = np.full((len(rows), DEPTH), -1, np.int64)
    padded = np.append(parent, -1)
    at = node
    for depth in range(DEPTH):
        chain[:, depth] = at
        at = padded[at]
        if (at < 0).all():
            # One column of -1 stays: the least and greatest of what is around depend on it.
            chain = np.ascontiguousarray(chain[:, : depth + 2])
            break
    section, outer = _sections(walked, rows)
    return Blocks(
        np.asarray(rows, np.int64), texts, words, np.minimum(link_chars, lengths), lengths, stats, node, chain, parent,
        end, pair, list(pair_ids), names, section, outer,
    )  # fmt: skip


def _character_stats(texts: list[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Per text: spaces, commas, stops, digits, capitals at word starts, bars, signs, line feeds, wide characters,
    and whether it ends with a stop and begins with a lower-case letter."""
    if not texts:
        return np.zeros((0, 11)), np.zeros(0)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), np.uint32)
    classes = _CLASSES[np.minimum(codes, 0xFFFF)]
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    before_start = np.empty(len(codes), bool)
    before_start[1:] = (classes[:-1] & _SPACE) > 0
    before_start[starts] = True
    columns = [classes & bit > 0 for bit in (_SPACE, _COMMA, _STOP, _DIGIT)]
    columns.append(((classes & _UPPER) > 0) & before_start)
    columns.extend(classes & bit > 0 for bit in (_BAR, _SIGN, _FEED, _WIDE))
    stats = np.empty((len(texts), 11))
    for i, column in enumerate(columns):
        stats[:, i] = np.add.reduceat(column, starts, dtype=np.int64)
    stats[:, 9] = (classes[starts + lengths - 1] & _STOP) > 0
    stats[:, 10] = (codes[starts] >= 97) & (codes[starts] <= 122)
    return stats, lengths.astype(np.float64)


def _needed(walked: Walked, rows: list[int]) -> tuple[list[int], Ints, Ints, Ints]:
    """The elements around blocks: their nodes, each block's element, each element's parent and end."""
    parents = walked.node_parent
    seen = set()
    for node in {walked.row_node[row] for row in rows}:
        at = node
        while at >= 0 and at not in seen:
            seen.add(at)
            at = parents[at]
    nodes = sorted(seen)
    number = {node: i for i, node in enumerate(nodes)}
    number[-1] = -1
    parent = [number[parents[node]] for node in nodes]
    end = list(range(1, len(nodes) + 1))
    for i in range(len(nodes) - 1, 0, -1):
        around = parent[i]
        if around >= 0 and end[around] < end[i]:
            end[around] = end[i]
    node_of = np.fromiter((number[walked.row_node[row]] for row in rows), np.int64, len(rows))
    return nodes, node_of, np.asarray(parent, np.int64), np.asarray(end, np.int64)


def _sections(walked: Walked, rows: list[int]) -> tuple[Ints, Ints]:
    """Block → title block of its Section, and title block → that of the Section around."""
    table = walked.table
    block_of = {row: block for block, row in enumerate(rows)}
    inner: dict[int, int] = {-1: -1}  # row → title block of the innermost Section, the row itself included
    section, outer = np.full(len(rows), -1, np.int64), np.full(len(rows), -1, np.int64)
    types, parent_id = table.type, table.parent_id
    for row, kind in enumerate(types):
        if kind == TEXT_BLOCK:
            section[block_of[row]] = inner[parent_id[row]]
            continue
        around = inner[parent_id[row]]
        block = block_of.get(row, -1)
        if kind == SECTION and block >= 0:
            outer[block] = around
            around = block
        inner[row] = around
        if block >= 0:
            section[block] = around
    return section, outer
