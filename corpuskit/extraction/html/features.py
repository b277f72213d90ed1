"""What the classifier knows of each block of a page, as one matrix; vectorised."""

from __future__ import annotations

from collections import Counter
from typing import Final
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from corpuskit.document.elements import LIST, NAVIGATION_LIST, SECTION, TABLE, TABLE_HEADER, TEXT_BLOCK
from corpuskit.extraction.html.blocks import Blocks
from corpuskit.extraction.html.lexicon import Lexicon
from corpuskit.extraction.html.rows import Walked

Floats = NDArray[np.float32]

_LANDMARKS: Final = (
    "nav", "header", "footer", "aside", "form", "article", "main", "section", "table", "li", "dl", "figure",
    "blockquote", "button", "label", "h1", "a", "p",
)  # fmt: skip
_LANDMARK_OF: Final = {name: i for i, name in enumerate(_LANDMARKS)} | {"textarea": 13, "fieldset": 4, "ul": 9, "ol": 9}
_TAGS: Final = {
    name: i + 1
    for i, name in enumerate(
        ["p", "div", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "dd", "dt", "blockquote", "figcaption",
         "section", "article", "span", "a", "body", "caption", "summary", "button", "label", "figure", "header", "footer",
         "form", "main", "nav", "aside", "address", "center", "font"]
    )
}  # fmt: skip


def shifted(column: NDArray[np.float64], by: int) -> NDArray[np.float64]:
    """The column moved down by so many blocks, zeros coming in."""
    out = np.zeros_like(column)
    if by > 0:
        out[by:] = column[:-by]
    else:
        out[:by] = column[-by:]
    return out


def lexicon_columns(blocks: Blocks, lexicon: Lexicon) -> list[NDArray[np.float64]]:
    """What the words of names and texts say."""
    score = np.zeros((len(blocks.pairs) + 1, 3))
    if blocks.pairs:
        score[:-1] = [lexicon.of_pair(pair) for pair in blocks.pairs]
    by_node = np.append(score[blocks.pair], np.zeros((1, 3)), axis=0)
    around = by_node[blocks.chain]
    weights = 0.7 ** np.arange(blocks.chain.shape[1])
    word_score = np.array([lexicon.of_text(text) for text in blocks.texts]).reshape(len(blocks.texts), 4)
    own = around[:, 0]
    lowest = around[:, :, 0].argmin(1)
    columns = [
        own[:, 0], own[:, 1], own[:, 2], around[:, 1, 2], around[:, 2, 2],
        around[:, :, 0].min(1), around[:, :, 1].max(1), around[:, :, 2].sum(1), (around[:, :, 2] * weights).sum(1),
        around[:, :, 0].sum(1), around[:, :, 1].sum(1), lowest.astype(np.float64),
        around[:, :4, 0].min(1), around[:, :4, 1].max(1),
        *word_score.T,
    ]  # fmt: skip
    # The titles of the sections around: "Related articles", "Comments".
    n = len(blocks.texts)
    title = np.append(word_score[:, 2], 0.0)
    whole = np.append(word_score[:, 3], 0.0)
    outer = np.append(blocks.outer_section, -1)
    at, low, low_whole = blocks.section, np.zeros(n), np.zeros(n)
    for _ in range(4):
        low = np.minimum(low, np.where(at >= 0, title[at], 0))
        low_whole = np.minimum(low_whole, np.where(at >= 0, whole[at], 0))
        at = np.where(at >= 0, outer[at], -1)
    nearest = np.where(blocks.section >= 0, title[blocks.section], 0)
    columns += [low, low_whole, nearest, np.where(blocks.section >= 0, whole[blocks.section], 0)]
    decayed = columns[8]
    columns += [shifted(decayed, s) for s in (1, 2, -1, -2)]
    columns += [shifted(word_score[:, 2], s) for s in (1, -1)]
    return columns


def static_columns(
    walked: Walked, blocks: Blocks, title: str, uri: str | None, kinds: str
) -> list[NDArray[np.float64]]:
    """What does not depend on the lexicon."""
    n = len(blocks.texts)
    words, lengths, stats = blocks.words, blocks.lengths, blocks.stats
    density = blocks.link_chars / np.maximum(lengths, 1)
    log_words = np.log1p(words)
    good = np.where((words >= 12) & (density < 0.4) & (stats[:, 1] + stats[:, 2] > 0), words, 0.0)
    columns = _text_columns(walked, blocks, title, density, log_words)
    is_heading = columns[0]
    columns += _chain_columns(blocks, words, lengths, good)
    columns += _place_columns(blocks, words, good, is_heading)
    total = max(words.sum(), 1.0)
    url = urlsplit(uri or "") if uri and "[" not in uri else urlsplit("")
    steps = [step for step in url.path.split("/") if step]
    constants = [
        np.log1p(n), np.log1p(total), good.sum() / total, (words * density).sum() / total, is_heading.mean() if n else 0,
        len(steps), len(url.path), sum(map(str.isdigit, url.path)), url.path.count("-"), float(url.path.endswith((".html", ".htm", ".php", ".aspx"))),
        float("article" in kinds or "posting" in kinds), float("product" in kinds), float("website" in kinds),
        float("forum" in kinds or "qapage" in kinds), float("collection" in kinds or "itemlist" in kinds), float(bool(kinds)),
        sum(name == "article" for name in blocks.name), sum(name == "h1" for name in blocks.name), sum(name == "p" for name in blocks.name) / max(n, 1),
    ]  # fmt: skip
    columns += [np.full(n, float(value)) for value in constants]
    for by in (1, 2, 3, -1, -2, -3):
        if abs(by) < n:
            columns += [shifted(log_words, by), shifted(density, by), shifted(is_heading, by)]
        else:
            columns += [np.zeros(n)] * 3
    return columns


def _text_columns(
    walked: Walked, blocks: Blocks, title: str, density: NDArray[np.float64], log_words: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    n, table, words = len(blocks.texts), walked.table, blocks.words
    types = np.asarray(table.type, np.int64)[blocks.rows]
    level = np.asarray(table.nesting_level, np.float64)[blocks.rows]
    count = Counter(blocks.texts)
    repeated = np.fromiter((count[text] for text in blocks.texts), np.float64, n)
    lower_title = title.lower()
    longest = min(300, len(lower_title) + 1)
    in_title = np.fromiter(
        (3 < len(text) < longest and text.lower() in lower_title for text in blocks.texts), np.float64, n
    )
    tag = np.asarray([*(_TAGS.get(name, 0) for name in blocks.name), 0], np.float64)[blocks.node]
    alts = np.fromiter((row in walked.alts for row in blocks.rows.tolist()), np.float64, n)
    groups = _groups_around(walked, blocks)
    stats = blocks.stats
    heading_level = np.where(types == SECTION, np.clip(tag - 5, 0, 6), 0)
    per = np.maximum(words, 1)
    long = np.maximum(blocks.lengths, 1)
    return [
        (types == SECTION).astype(np.float64), log_words, np.log1p(blocks.lengths), density, np.log1p(stats[:, 1]), np.log1p(stats[:, 2]),
        stats[:, 1] / per, stats[:, 2] / per, stats[:, 3] / long, stats[:, 4] / per, stats[:, 5], stats[:, 6], stats[:, 7],
        stats[:, 9], stats[:, 10], blocks.lengths / per, repeated, in_title, tag, heading_level, level, alts, *groups,
        (types != TEXT_BLOCK).astype(np.float64), np.minimum(blocks.link_chars, 1),
    ]  # fmt: skip


def _groups_around(walked: Walked, blocks: Blocks) -> list[NDArray[np.float64]]:
    """How many Lists, NavigationLists and Tables stand around each block, and whether its cell is a header."""
    table = walked.table
    counts: dict[int, tuple[int, int, int, int]] = {-1: (0, 0, 0, 0)}
    for row, kind in enumerate(table.type):
        if kind != TEXT_BLOCK:
            lists, leading, tables, _ = counts[table.parent_id[row]]
            counts[row] = (
                lists + (kind == LIST),
                leading + (kind == NAVIGATION_LIST),
                tables + (kind == TABLE),
                int(kind == TABLE_HEADER),
            )
    found = np.asarray([counts.get(row) or counts[table.parent_id[row]] for row in blocks.rows.tolist()], np.float64)
    return list(found.reshape(len(blocks.texts), 4).T)


def _chain_columns(
    blocks: Blocks, words: NDArray[np.float64], lengths: NDArray[np.float64], good: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Elements around: landmarks, sums of their subtrees, repetition, and the containers of most good text."""
    n, m = len(blocks.texts), len(blocks.parent)
    landmarks = np.zeros((m + 1, len(_LANDMARKS)), np.int8)
    for i, name in enumerate(blocks.name):
        if (at := _LANDMARK_OF.get(name)) is not None:
            landmarks[i, at] = 1
    for i, (_, key) in enumerate(blocks.pairs):
        if (role := _role(key)) is not None:
            landmarks[:-1][blocks.pair == i, role] = 1
    chain = blocks.chain
    around = np.zeros((n, len(_LANDMARKS)), np.int8)
    for elements in chain.T:
        around += landmarks[elements]
    columns: list[NDArray[np.float64]] = list(around.astype(np.float64).T)
    sums = np.zeros((m + 1, 5))
    for k, values in enumerate((words, blocks.link_chars, lengths, good, np.ones(n))):
        own = np.bincount(blocks.node, values, m)
        total = np.concatenate(([0.0], np.cumsum(own)))
        sums[:m, k] = total[blocks.end] - total[:-1]
    all_words, all_good = max(words.sum(), 1.0), max(good.sum(), 1.0)
    rates = np.stack(
        (
            sums[:, 0] / all_words,
            sums[:, 1] / np.maximum(sums[:, 2], 1),
            sums[:, 3] / all_good,
            np.log1p(sums[:, 4]),
            sums[:, 0] / np.maximum(sums[:, 4], 1),
        ),
        1,
    )
    depth = (chain >= 0).sum(1)
    for up in (0, 1, 2, 3, 4, 6, 8):
        at = chain[np.arange(n), np.minimum(up, depth - 1)]
        columns += list(rates[at].T)
    columns.append(depth.astype(np.float64))
    for share in (0.3, 0.5, 0.8):
        columns += _container(blocks, sums, share * all_good, good.sum() > 0)
    columns += _repetition(blocks, sums, all_words)
    return columns


_ROLES: Final = {
    "navigation": 0, "banner": 1, "contentinfo": 2, "complementary": 3, "main": 6, "article": 5, "search": 4,
    "dialog": 4, "form": 4,
}  # fmt: skip


def _role(key: str) -> int | None:
    return _ROLES.get(key.split("\t")[1]) if key else None


def _container(blocks: Blocks, sums: NDArray[np.float64], least: float, exists: bool) -> list[NDArray[np.float64]]:
    """How far up from a block the first element is that holds the smallest one with so much good text; 0 inside."""
    chain = blocks.chain
    if not exists:
        return [np.full(len(chain), -1.0)] * 2
    enough = np.flatnonzero(sums[:-1, 3] >= least)
    best = enough[np.lexsort((-enough, sums[enough, 0]))[0]]
    number = np.arange(len(blocks.parent))
    around = np.append((number <= best) & (best < blocks.end), False)
    inside = (chain == best).any(1)
    steps = around[chain].argmax(1)
    return [np.where(inside, -1.0, steps), np.where(inside, (chain == best).argmax(1), -1.0)]


def _repetition(blocks: Blocks, sums: NDArray[np.float64], all_words: float) -> list[NDArray[np.float64]]:
    """The largest group of like siblings around each block: how many, their words, links, and how far up."""
    m = len(blocks.parent)
    like = blocks.parent * (len(blocks.pairs) + 1) + blocks.pair
    _, group, count = np.unique(like, return_inverse=True, return_counts=True)
    words = np.bincount(group, sums[:m, 0])
    links = np.bincount(group, sums[:m, 1])
    chars = np.bincount(group, sums[:m, 2])
    table = np.zeros((m + 1, 5))
    table[:m, 0] = np.where(count >= 3, words / all_words, 0)[group]
    table[:m, 1] = np.log1p(count)[group]
    table[:m, 2] = np.log1p(words / count)[group]
    table[:m, 3] = (links / np.maximum(chars, 1))[group]
    spread = np.bincount(group, (sums[:m, 0] - (words / count)[group]) ** 2)
    table[:m, 4] = (np.sqrt(spread / count) / np.maximum(words / count, 1))[group]
    around = table[blocks.chain]
    best = around[:, :, 0].argmax(1)
    chosen = around[np.arange(len(best)), best]
    columns = list(chosen.T)
    columns.append(best.astype(np.float64))
    # How many like siblings the nearest repeated element has.
    repeated = around[:, :, 1] >= np.log1p(3)
    first = np.where(repeated.any(1), repeated.argmax(1), 0)
    nearest = around[np.arange(len(first)), first]
    columns += [nearest[:, 1], nearest[:, 2], nearest[:, 3], first.astype(np.float64)]
    return columns


def _place_columns(
    blocks: Blocks, words: NDArray[np.float64], good: NDArray[np.float64], is_heading: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Where in the page: shares of words before, distance to good blocks, to the h1, in the section."""
    n = len(words)
    order = np.arange(n)
    total, total_good = max(words.sum(), 1.0), max(good.sum(), 1.0)
    before, good_before = np.cumsum(words) - words, np.cumsum(good) - good
    at = np.flatnonzero(good)
    if len(at):
        place = np.searchsorted(at, order)
        previous = np.where(place > 0, order - at[np.maximum(place - 1, 0)], 50)
        following = np.where(place < len(at), at[np.minimum(place, len(at) - 1)] - order, 50)
    else:
        previous = following = np.full(n, 50)
    in_h1 = np.asarray([*(name == "h1" for name in blocks.name), False], bool)[blocks.node]
    h1 = np.flatnonzero((is_heading > 0) & in_h1)
    first_h1 = h1[0] if len(h1) else -1
    since_h1 = np.clip(order - first_h1, -60, 200) if len(h1) else np.full(n, -99)
    words_since = (before - before[first_h1]) / total if len(h1) else np.full(n, -2.0)
    title_of = blocks.section
    has = title_of >= 0
    in_section = np.where(has, title_of, n)
    section_words = np.bincount(in_section, words, n + 1)
    section_links = np.bincount(in_section, blocks.link_chars, n + 1)
    section_chars = np.bincount(in_section, blocks.lengths, n + 1)
    return [
        order / max(n - 1, 1), before / total, good_before / total_good, 1 - (good_before + good) / total_good,
        np.minimum(previous, 50).astype(np.float64), np.minimum(following, 50).astype(np.float64),
        since_h1.astype(np.float64), words_since, np.where(has, np.minimum(order - title_of, 100), -1).astype(np.float64),
        section_words[in_section] / total, section_links[in_section] / np.maximum(section_chars[in_section], 1),
        np.log1p(section_words[in_section]), _window(good, words, 4), _window(good, words, 12), _window(blocks.link_chars, blocks.lengths, 4),
        _window(blocks.link_chars, blocks.lengths, 12),
    ]  # fmt: skip


def _window(part: NDArray[np.float64], whole: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """Share of one sum in another over the blocks around."""
    n = len(part)
    a, b = np.concatenate(([0.0], np.cumsum(part))), np.concatenate(([0.0], np.cumsum(whole)))
    low, high = np.maximum(np.arange(n) - reach, 0), np.minimum(np.arange(n) + reach + 1, n)
    share: NDArray[np.float64] = (a[high] - a[low]) / np.maximum(b[high] - b[low], 1)
    return share


def matrix(columns: list[NDArray[np.float64]]) -> Floats:
    """The columns as one matrix, a row a block."""
    return np.stack(columns, 1).astype(np.float32)
