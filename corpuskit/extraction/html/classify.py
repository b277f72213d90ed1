"""Marks the main content: a probability for each block, then a decision for the whole page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from corpuskit.document.elements import ElementTable
from corpuskit.extraction.html.blocks import Blocks, blocks_of
from corpuskit.extraction.html.features import lexicon_columns, matrix, static_columns
from corpuskit.extraction.html.forest import Model, shipped_model
from corpuskit.extraction.html.rows import Walked
from corpuskit.extraction.html.rules import main_by_rules
from corpuskit.extraction.options import ExtractOptions

_LEAN_ON_LIST: Final = 0.3
_LEAN_ON_TABLE: Final = 0.3
_LEAN_ON_SECTION: Final = 0.3
_AS_A_WHOLE: Final = 0.9
_FIRST_TITLE: Final = 0.4
_PARTS: Final = 2
_MOST_ROWS: Final = 30_000  # on larger pages rules decide: the matrix would take more memory than the page
# Less than a passage is repeated for a reason: slogans, steps, examples. Of 28 pages of the web set on which this changes more than
# a thousandth of F1, 20 gain; single blocks of 30 words: 57 of 95 (2026-11-23).
_LEAST_BLOCKS: Final = 3
_LEAST_WORDS: Final = 60
_COMMENTS: Final = re.compile(
    r"(?:^|[\s_-])(?:comments?|comment-?(?:list|section|area|thread|body|content|respond)|commentlist|disqus_thread|"
    r"kommentare?|commentaires?|comentarios|responses|respond)(?:$|[\s_-])",
    re.IGNORECASE,
)
_COMMENT_PARTS: Final = ("comment", "kommentar", "comentario", "disqus", "respon")  # one is in each name of comments
_THREAD: Final = re.compile(
    r"(?:^|[\s_-])(?:forum|thread|topic|question|answers?|posts-list|postlist|message-?list|discussion|qa)(?:$|[\s_-])",
    re.IGNORECASE,
)
_LEAST_ARTICLE: Final = 50  # words outside of comments that make an article


@dataclass(frozen=True, slots=True)
class Page:
    """What the classifier is told of a page beside its blocks.

    Attributes:
        title: the document's title.
        uri: its address on the web, if it has one: where a file lies says nothing of its content.
        kinds: what the page says it is: og:type and types of JSON-LD.
    """

    title: str
    uri: str | None
    kinds: str


def classify(walked: Walked, page: Page, options: ExtractOptions, model: Model | None = None) -> None:
    """Fills ``main``, ``main_probability`` and the role ``comment`` of a walked page.

    Args:
        walked: the page.
        page: what else is known of it.
        options: ``favor`` and ``comments`` count.
        model: the shipped one by default; where there is none, rules decide.
    """
    model = model or shipped_model()
    table = walked.table
    if model is None or len(table) > _MOST_ROWS:
        table.main[:] = main_by_rules(walked)
        return
    blocks = blocks_of(walked)
    if not len(blocks.rows):
        table.main[:] = table.default_main()
        return
    columns = static_columns(walked, blocks, page.title, page.uri, page.kinds)
    probabilities = model.probabilities(blocks, matrix([*columns, *lexicon_columns(blocks, model.lexicon)]))
    probabilities = lean(blocks, probabilities)
    chosen = choose(probabilities, blocks.words, model.favor[options.favor or ""], model.floor)
    subtitles, first_titles, parted = titles_of(blocks, chosen)
    chosen |= subtitles & (probabilities >= model.floor) | first_titles & (probabilities >= _FIRST_TITLE) | parted
    chosen &= ~later_copies(blocks, chosen)
    comments = comment_blocks(blocks, chosen, page.kinds)
    if comments.any():
        chosen = np.where(comments, options.comments, chosen)
        table.marks.setdefault("role", {}).update(dict.fromkeys(blocks.rows[comments].tolist(), "comment"))
    _fill(table, blocks, chosen, probabilities)


def lean(blocks: Blocks, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draws blocks of one list and of one table together, and titles of sections to what stands under them.

    A table or list with headings in it is there for the layout and is left alone.
    """
    names = blocks.name
    leaned = probabilities.copy()
    words = blocks.words
    section = blocks.section
    titles = section == np.arange(len(section))
    for weight, tags in ((_LEAN_ON_TABLE, ("table",)), (_LEAN_ON_LIST, ("ul", "ol", "dl"))):
        of_kind = np.append(np.fromiter((name in tags for name in names), bool, len(names)), False)[blocks.chain]
        inside = of_kind.any(1)
        if not inside.any():
            continue
        group = blocks.chain[np.arange(len(words)), of_kind.argmax(1)]
        inside &= ~np.isin(group, group[inside & titles])
        group = group[inside]
        mean = np.bincount(group, (probabilities * words)[inside]) / np.maximum(np.bincount(group, words[inside]), 1)
        leaned[inside] = (1 - weight) * leaned[inside] + weight * mean[group]
    under = (section >= 0) & ~titles
    total = np.bincount(section[under], words[under], len(section))
    mean = np.bincount(section[under], (leaned * words)[under], len(section)) / np.maximum(total, 1)
    filled = titles & (total > 0)
    leaned[filled] = (1 - _LEAN_ON_SECTION) * leaned[filled] + _LEAN_ON_SECTION * mean[filled]
    return leaned


def choose(
    probabilities: NDArray[np.float64], words: NDArray[np.float64], recall: float, floor: float
) -> NDArray[np.bool_]:
    """The blocks that together have the greatest expected F measure, counted in words.

    With the blocks in order of probability, the best set is a prefix of them (Ye, Chai, Lee and Chieu, "Optimizing
    F-measure: a tale of two approaches", ICML 2012). ``recall`` is the square of beta.
    """
    order = np.argsort(-probabilities, kind="stable")
    expected = (probabilities * words)[order]
    measure = (1 + recall) * np.cumsum(expected) / (np.cumsum(words[order]) + recall * expected.sum() + 1e-9)
    chosen = np.zeros(len(words), bool)
    chosen[order[: int(measure.argmax()) + 1]] = True
    return chosen & (probabilities >= floor)


def titles_of(
    blocks: Blocks, chosen: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Titles of subsections that are main content nearly as a whole, titles of the first level, and those of them that are sure.

    Whether the page's title is part of its text is a question of taste, so those need more than the others. Of a text that is
    parted, whose title stands above the titles of two parts of it at least, it is the root: without it the parts belong to nothing.
    """
    section, words = blocks.section, blocks.words
    titles = section == np.arange(len(section))
    under = (section >= 0) & ~titles
    total = np.bincount(section[under], words[under], len(section))
    main = np.bincount(section[under], (words * chosen)[under], len(section))
    is_first = np.asarray([*(name == "h1" for name in blocks.name), False], bool)[blocks.node]
    whole: NDArray[np.bool_] = titles & ~is_first & (total > 0) & (main >= _AS_A_WHOLE * total)
    inner = titles & chosen & ~is_first & (blocks.outer_section >= 0)
    parts = np.bincount(blocks.outer_section[inner], minlength=len(section))
    return whole, titles & is_first, titles & is_first & (parts >= _PARTS)


def later_copies(blocks: Blocks, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of the chosen blocks belong to a passage that stood among them before, word for word and in the same order."""
    rows = np.flatnonzero(chosen)
    texts = [blocks.texts[row] for row in rows.tolist()]
    copies = np.zeros(len(chosen), bool)
    if len(set(texts)) + _LEAST_BLOCKS > len(texts):
        return copies
    first: dict[str, int] = {}
    place = [first.setdefault(text, number) for number, text in enumerate(texts)]
    start = 0
    while start < len(texts):
        end, shift = start, start - place[start]
        while shift and end < len(texts) and end - shift < start and texts[end - shift] == texts[end]:
            end += 1
        if end - start >= _LEAST_BLOCKS and blocks.words[rows[start:end]].sum() >= _LEAST_WORDS:
            copies[rows[start:end]] = True
        start = max(end, start + 1)
    return copies


def comment_blocks(blocks: Blocks, chosen: NDArray[np.bool_], kinds: str) -> NDArray[np.bool_]:
    """Which blocks are comments of readers.

    They stand in an element whose class or id says so, on a page that is no forum: neither its own word (JSON-LD) nor
    the classes of the elements speak of threads, and what the model has chosen stands mostly outside of them. Else
    what it has chosen is none: posts of a thread are often called comments.
    """
    n = len(blocks.texts)
    none = np.zeros(n, bool)
    if "forum" in kinds or "qapage" in kinds or "question" in kinds:
        return none
    keys = "\n".join([key for _, key in blocks.pairs]).lower()
    if not any(part in keys for part in _COMMENT_PARTS):
        return none
    named = {i: key for i, (name, key) in enumerate(blocks.pairs) if key and name not in ("html", "body")}
    if _THREAD.search("\n".join(named.values())):
        return none
    is_comment = np.zeros(len(blocks.pairs), bool)
    for i, key in named.items():
        is_comment[i] = bool(_COMMENTS.search(key))
    if not is_comment.any():
        return none
    inside = np.zeros(n, np.bool_)
    np.any(np.append(is_comment[blocks.pair], False)[blocks.chain], axis=1, out=inside)
    words = blocks.words * chosen
    before, within = words[~inside].sum(), words[inside].sum()
    return inside if before >= max(_LEAST_ARTICLE, within) else inside & ~chosen


def _fill(table: ElementTable, blocks: Blocks, chosen: NDArray[np.bool_], probabilities: NDArray[np.float64]) -> None:
    """Blocks as chosen; groups without a text of their own are main where something in them is."""
    main = [False] * len(table)
    for row in blocks.rows[chosen].tolist():
        main[row] = True
    text, parent_id = table.text, table.parent_id
    for row in range(len(main) - 1, -1, -1):
        around = parent_id[row]
        if main[row] and around >= 0 and not text[around]:
            main[around] = True
    table.main[:] = main
    table.marks["main_probability"] = dict(zip(blocks.rows.tolist(), np.round(probabilities, 4).tolist(), strict=True))
