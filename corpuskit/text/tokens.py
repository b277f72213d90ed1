"""What a word is."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Ranges with combining marks: a search over all code points takes ten times as long.
_MARK_RANGES: Final = (
    (0x300, 0x3100), (0xA600, 0xAC00), (0xFB00, 0xFE30), (0x10100, 0x12000), (0x13400, 0x13500), (0x16100, 0x17000),
    (0x1BC00, 0x1BD00), (0x1CF00, 0x1E950), (0xE0100, 0xE01F0),
)  # fmt: skip
_MARKS: Final = "".join(
    chr(code)
    for first, end in _MARK_RANGES
    for code in range(first, end)
    if unicodedata.category(chr(code)).startswith("M")
)
_JOINERS: Final = "\u200c\u200d"  # part of words in Persian and Indic scripts

# Python's \w lacks marks: without them a Hindi word is split at each vowel, and so is istanbul after casefold().
# Few words have one, so ASCII is tested before the class of 2,400 characters.
_MARK: Final = rf"(?![\x00-\x7f])[{_MARKS}{_JOINERS}]+"
WORD: Final = re.compile(rf"\w+(?:{_MARK}\w*)*")
"""A run of letters, digits and underscores of any script, with the marks on them."""

WORD_BACKWARDS: Final = rf"(?:\w+|{_MARK}(?=\w))+"
"""The pattern of a word in a text that is read from its end."""


def count_words(text: str) -> int:
    """Return the number of words of a text.

    Args:
        text: The text.
    """
    return sum(1 for _ in WORD.finditer(text))
