"""Words that a line end cut in two."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

# The look-behind makes a word be tried once, not from each of its letters.
_CUT: Final = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,40})(\u00ad|[-\u2010])[ \t]{0,8}\r?\n[ \t]{0,40}([^\W\d_]{1,40})")
_CHUNK: Final = re.compile(r"[^\W\d_][\w\u2010-]*")


def dehyphenate(text: str, known: Container[str] = frozenset()) -> str:
    """Return the text with the words that hyphens cut at line ends made whole; the line ends after them.

    A hyphen is kept where the second half begins with a capital (``Baden-`` / ``Württemberg``), or where the text, or
    ``known``, has the compound with its hyphen and not the word without (``well-`` / ``known``).

    Args:
        text: lines of a paragraph.
        known: words in lower case.

    Example:
        >>> dehyphenate("The exam-\\nple is well-\\nknown, a well-known one.")
        'The example is well-known, a well-known one.'
    """
    if "\n" not in text:
        return text
    chunks = (word.replace("\u2010", "-").casefold().strip("-") for word in _CHUNK.findall(text))
    compounds = {word for word in chunks if "-" in word}
    words: set[str] | None = None

    def joined_word(match: re.Match[str]) -> str:
        nonlocal words
        first, hyphen, second = match.groups()
        joined, compound = (first + second).casefold(), f"{first}-{second}".casefold()
        if hyphen == "\u00ad":
            return first + second
        if second[0].isupper():
            return first + hyphen + second if not first.isupper() else first + second
        if words is None:
            words = set(re.findall(r"[^\W\d_]+", text.casefold()))
        has_compound = compound in compounds or compound in known
        has_word = joined in words or joined in known
        return first + hyphen + second if has_compound and not has_word else first + second

    return _CUT.sub(joined_word, text)
