"""What a word is."""

from __future__ import annotations

import re
from typing import Final

WORD: Final = re.compile(r"\w+")
"""A run of letters, digits and underscores of any script."""


def count_words(text: str) -> int:
    """How many words the text has."""
    return sum(1 for _ in WORD.finditer(text))
