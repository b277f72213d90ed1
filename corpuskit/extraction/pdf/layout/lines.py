"""Lines from the runs of a row, and their texts put together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

import numpy as np

from corpuskit.extraction.pdf.layout.page_parts import TextLine
from corpuskit.extraction.pdf.notation import tex_of
from corpuskit.extraction.pdf.words import Run

# "Ein- und Ausgabe": the hyphen stands for what comes later.
_ELLIPSIS_HYPHEN: Final = frozenset({"und", "oder", "bzw", "sowie", "et", "ou", "and", "or", "to", "y", "e"})
_LAST_WORD: Final = re.compile(r"([^\W_]+(?:['’-][^\W_]+)*)-$")
_FIRST_WORD: Final = re.compile(r"^([^\W_]+(?:['’-][^\W_]+)*)")
_HYPHENATED: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def line_of(runs: list[Run], row: int = 0) -> TextLine:
    """One line of the runs of a row."""
    if len(runs) == 1:
        whole = runs[0]
    else:
        for run in runs[1:]:
            run.words[0].glued = False
        whole = Run([word for run in runs for word in run.words]).measure()
    spans = np.array([(word.first, word.last, word.glued) for word in whole.words], np.int32)
    return TextLine(
        x0=whole.x0, y0=whole.y0, x1=whole.x1, y1=whole.y1, base=whole.base, size=whole.size, style=whole.style,
        length=whole.length, text=whole.text, tex=tex_of(whole.words, whole.size, whole.base), spans=spans,
        styles=whole.styles, fonts=whole.fonts, tag=whole.tag, runs=len(runs), row=row,
    )  # fmt: skip


class Vocabulary:
    """How the document itself writes words, to know whether a hyphen at a line end belongs to the word."""

    def __init__(self) -> None:
        self._hyphenated: Counter[str] = Counter()
        self._plain: Counter[str] = Counter()

    def add(self, text: str) -> None:
        """Counts the words of a line."""
        self._plain.update(word.lower() for word in _WORD.findall(text))
        if "-" in text:
            self._hyphenated.update(word.lower() for word in _HYPHENATED.findall(text.rstrip("-")))

    def join(self, above: str, below: str) -> str:
        """Two lines of running text."""
        if not above or not below:
            return above or below
        if not above.endswith("-") or len(above) < 3 or not above[-2].isalnum():
            glue = "" if _is_cjk(above[-1]) and _is_cjk(below[0]) else " "
            return f"{above}{glue}{below}"
        first, last = _FIRST_WORD.search(below), _LAST_WORD.search(above[-200:])  # quadratic in the text
        if first is None or last is None:
            return f"{above} {below}" if not below[0].isalnum() else f"{above}{below}"
        left, right = last.group(1), first.group(1)
        if right.lower() in _ELLIPSIS_HYPHEN:
            return f"{above} {below}"
        if not right[0].islower() or left[-1].isdigit() or (left.isupper() and len(left) > 1):
            return above + below
        return above + below if self._keeps_hyphen(left.lower(), right.lower()) else above[:-1] + below

    def _keeps_hyphen(self, left: str, right: str) -> bool:
        compound = f"{left}-{right}"
        return self._hyphenated[compound] > self._plain[left + right]

    def join_all(self, texts: Iterable[str]) -> str:
        """Lines of running text as one."""
        text = ""
        for line in texts:
            text = self.join(text, line)
        return text


def _is_cjk(character: str) -> bool:
    return "\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"
