"""Comments of readers under an article; posts of a thread are none."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from corpuskit.extraction.html.blocks import Blocks

_COMMENTS: Final = re.compile(
    r"(?:^|[\s_-])(?:comments?|comment-?(?:list|section|area|thread|body|content|respond)|commentlist|disqus_thread|"
    r"kommentare?|commentaires?|comentarios|responses|respond)(?:$|[\s_-])",
    re.IGNORECASE,
)
_PARTS: Final = ("comment", "kommentar", "comentario", "disqus", "respon")  # one is in each name of comments
_THREAD: Final = re.compile(
    r"(?:^|[\s_-])(?:forum|thread|topic|question|answers?|posts-list|postlist|message-?list|discussion|qa)(?:$|[\s_-])",
    re.IGNORECASE,
)
_LEAST_ARTICLE: Final = 50  # words outside of comments that make an article


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
    if not any(part in keys for part in _PARTS):
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
