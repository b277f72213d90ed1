"""Character statistics of texts."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from corpuskit.text.layers import script_of

if TYPE_CHECKING:
    import pandas as pd

_FAMILIES: Final = {
    "L": "letter",
    "M": "mark",
    "N": "number",
    "P": "punctuation",
    "S": "symbol",
    "Z": "separator",
    "C": "other",
}
_SUBCATEGORIES: Final = {
    "Lu": "uppercase", "Ll": "lowercase", "Lt": "titlecase", "Lm": "modifier", "Lo": "other", "Mn": "nonspacing",
    "Mc": "spacing", "Me": "enclosing", "Nd": "decimal", "Nl": "letter", "No": "other", "Pc": "connector", "Pd": "dash",
    "Ps": "open", "Pe": "close", "Pi": "initial quote", "Pf": "final quote", "Po": "other", "Sm": "mathematical",
    "Sc": "currency", "Sk": "modifier", "So": "other", "Zs": "space", "Zl": "line", "Zp": "paragraph", "Cc": "control",
    "Cf": "format", "Cs": "surrogate", "Co": "private use", "Cn": "unassigned",
}  # fmt: skip


def block_of(char: str) -> str:
    """Return the Unicode block of a character, or an empty string.

    Args:
        char: The character.

    Example:
        >>> block_of("œ")
        'Latin Extended-A'
    """
    starts, names = _blocks()
    return names[bisect_right(starts, ord(char)) - 1]


@cache
def _blocks() -> tuple[list[int], list[str]]:
    lines = files("corpuskit.text").joinpath("unicode_blocks.txt").read_text("utf-8").splitlines()
    rows = [line.split(";") for line in lines if not line.startswith("#")]
    return [int(start, 16) for start, _ in rows], [name for _, name in rows]


def charset(texts: Iterable[str] | Mapping[str, Iterable[str]]) -> pd.DataFrame:
    """Return one row per character, most frequent first, then by code.

    Columns: code (int64), char, name (Unicode's, possibly empty), category (letter, mark, number, punctuation,
    symbol, separator, other), subcategory (str), block (str, Unicode's, as ``Latin-1 Supplement``; empty in a gap), script (first word of the name of a letter, else empty), count
    (int64), documents (int64, texts that contain it), per_million (float64, of all characters).

    Args:
        texts: Texts, or a mapping from source names to texts. For a mapping, the columns ``count NAME`` and ``per_million NAME`` follow for
            each source, to compare corpora.
    """
    import pandas as pd

    sources = list(texts) if isinstance(texts, Mapping) else []
    parts: Mapping[str, Iterable[str]] = texts if isinstance(texts, Mapping) else {"": texts}
    counts: dict[str, Counter[str]] = {}
    documents: Counter[str] = Counter()
    for name, part in parts.items():
        counter: Counter[str] = Counter()
        for text in part:
            characters = Counter(text)
            counter.update(characters)
            documents.update(characters.keys())
        counts[name] = counter
    total: Counter[str] = Counter()
    for counter in counts.values():
        total.update(counter)
    chars = sorted(total, key=lambda char: (-total[char], char))
    categories = [unicodedata.category(char) for char in chars]
    size = max(total.total(), 1)
    frame = pd.DataFrame(
        {
            "code": pd.Series([ord(char) for char in chars], dtype="int64"),
            "char": pd.Series(
                [char if char < "\ud800" or char > "\udfff" else "\ufffd" for char in chars], dtype="str"
            ),
            "name": pd.Series([unicodedata.name(char, "") for char in chars], dtype="str"),
            "category": pd.Series([_FAMILIES[category[0]] for category in categories], dtype="str"),
            "subcategory": pd.Series([_SUBCATEGORIES[category] for category in categories], dtype="str"),
            "block": pd.Series([block_of(char) for char in chars], dtype="str"),
            "script": pd.Series([script_of(char) if char.isalpha() else "" for char in chars], dtype="str"),
            "count": pd.Series([total[char] for char in chars], dtype="int64"),
            "documents": pd.Series([documents[char] for char in chars], dtype="int64"),
            "per_million": pd.Series([total[char] / size * 1e6 for char in chars], dtype="float64"),
        }
    )
    for name in sources:
        own = max(counts[name].total(), 1)
        frame[f"count {name}"] = pd.Series([counts[name][char] for char in chars], dtype="int64")
        frame[f"per_million {name}"] = frame[f"count {name}"] / own * 1e6
    return frame
