"""Words that a line end parted, made whole in the artifacts: TextWorks' option ``dehyphenate``.

A word stands whole at the end of the first line. In the segmentation it has the id and box of its first half, and the id
of the second is gone; in the text grid each letter keeps its own place, those of the second half that of the next line.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

from corpuskit.text.hyphenation import dehyphenate

_HYPHENS: Final = ("-", "\u2010", "\u00ad")
_MARKS: Final = frozenset("{}\\")


def make_segmentation_whole(segmentation: dict[str, Any]) -> None:
    """Puts the halves of words together in a segmentation, in place."""
    known = _known(token for page in segmentation["pages"] for block in page["blocks"]
                   for tokens, _ in block["lines"] for token in tokens)  # fmt: skip
    gone = set()
    for page in segmentation["pages"]:
        for block in page["blocks"]:
            lines = block["lines"]
            for (tokens, _), (below, ids) in itertools.pairwise(lines):
                if tokens and below and (whole := _whole(tokens[-1], below[0], known)):
                    tokens[-1] = whole
                    below.pop(0)
                    gone.add(ids.pop(0))
            block["lines"] = [line for line in lines if line[0]]
    segmentation["ids"] = [one for one in segmentation["ids"] if one[0] not in gone]


def make_textgrid_whole(textgrid: dict[str, Any]) -> None:
    """Puts the halves of words together in a text grid, in place."""
    pages = [page["textgrid"] for page in textgrid["pages"]]
    known = _known(token for page in pages for row in page["rows"] for token in row["text"].split())
    for page in pages:
        rows = page["rows"]
        for row, below in itertools.pairwise(rows):
            first, second = row["text"].rpartition(" ")[2], below["text"].partition(" ")[0]
            whole = _whole(first, second, known)
            if not whole:
                continue
            kept = len(row["text"]) - (len(first) + len(second) - len(whole))  # without the hyphen, where it goes
            row["text"] = row["text"][:kept] + second
            row["loci"] = row["loci"][:kept] + below["loci"][: len(second)]
            after = len(second) + 1  # the blank behind it
            below["text"], below["loci"] = below["text"][after:], below["loci"][after:]
        page["rows"] = [row for row in rows if row["text"]]
        offset = 0
        for row in page["rows"]:
            row["offset"] = offset
            offset += len(row["text"])


def _known(tokens: Any) -> set[str]:
    return {token.strip(".,;:!?()[]\"'").casefold() for token in tokens}


def _whole(first: str, second: str, known: set[str]) -> str:
    """The whole word; empty where the two are none."""
    if not first.endswith(_HYPHENS) or _MARKS & {*first, *second}:
        return ""
    joined = dehyphenate(f"{first}\n{second}", known)
    return "" if "\n" in joined else joined
