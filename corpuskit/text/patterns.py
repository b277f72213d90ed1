r"""Regular expressions of users, in the syntax of the package ``regex``, and their translation for Arrow columns.

``regex`` knows letters, marks and digits of all scripts, unlike Python's ``re``. Arrow's RE2 searches a column of texts in
linear time without creating Python strings, but its ``\w`` and ``\b`` know ASCII only. A pattern is therefore translated;
texts found by an inexact translation are searched again by ``regex``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import regex

from corpuskit.errors import ConfigurationError

if TYPE_CHECKING:
    import pyarrow as pa
    from regex import Match, Pattern

SECONDS: Final = 10.0  # for one text, or for all words of a lexicon: some patterns take exponential time
_CHARACTER: Final = r"\\[^0-9A-Za-z]|\\[afnrtv]"
_TOKEN: Final = re.compile(
    rf"""(?P<class>\[\^?\]?(?:[^\[\]\\]|\\.)*\])
    | (?P<set>\\[wWdDsS]|\.)
    | (?P<boundary>\\[bB])
    | (?P<same>\((?:\?:|\?P<\w+>|(?!\?))|[)|^*+?]|\{{\d+(?:,\d*)?\}})
    | (?P<end>\$)
    | (?P<character>[^\\\[\](){{}}^$.*+?|]|{_CHARACTER})""",
    re.VERBOSE | re.DOTALL,
)
_IN_CLASS: Final = re.compile(
    rf"(?P<set>\\[wWdDsS])|(?P<first>[^\\]|{_CHARACTER})(?:-(?P<last>[^\\]|{_CHARACTER}))?", re.DOTALL
)
_CONTROL: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
# Unicode Technical Standard 18, annex C, by properties that RE2 has; a test compares all characters.
_WORD: Final = r"\pL\pM\p{Nd}\p{Nl}\p{Pc}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}\x{200C}\x{200D}"
_NO_WORD: Final = f"[^{_WORD}]"
_SPACE: Final = r"\t-\r\x{85}\pZ"
_SETS: Final = {
    r"\w": f"[{_WORD}]", r"\W": _NO_WORD, r"\d": r"\p{Nd}", r"\D": r"\P{Nd}",
    r"\s": f"[{_SPACE}]", r"\S": f"[^{_SPACE}]", ".": ".",
}  # fmt: skip
_SETS_IN_CLASS: Final = {r"\w": _WORD, r"\d": r"\p{Nd}", r"\D": r"\P{Nd}", r"\s": _SPACE}
# What ``regex`` takes for an i if case is ignored; RE2 follows Unicode's simple case folding, which keeps them apart.
_FORMS_OF_I: Final = {"i": "iI\u0130", "I": "iI\u0131", "\u0130": "i\u0130", "\u0131": "I\u0131"}


@dataclass(frozen=True, slots=True)
class ArrowPattern:
    """Translation of a pattern into RE2's syntax, case-insensitive.

    Attributes:
        text: The translation; it is found in each text in which ``regex`` finds the pattern.
        is_exact: Whether it is found in no other text.
    """

    text: str
    is_exact: bool

    def mask(self, texts: pa.Array | pa.ChunkedArray) -> Any:
        """Return a boolean Arrow mask of the texts in which the translation is found."""
        import pyarrow.compute as pc

        return pc.match_substring_regex(texts, self.text, ignore_case=True)


def compiled_pattern(pattern: str, *, ignore_case: bool = True) -> Pattern[str]:
    """Compile a pattern, by default case-insensitive.

    Raises:
        ConfigurationError: The pattern is not valid.
    """
    try:
        return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ConfigurationError(f"pattern {pattern!r}: {error}") from error


def matches_in(text: str, pattern: Pattern[str]) -> list[Match[str]]:
    """Return all matches in a text.

    Raises:
        ConfigurationError: The search takes too long.
    """
    try:
        return list(pattern.finditer(text, timeout=SECONDS))
    except TimeoutError:
        raise _too_slow(pattern, text) from None


def search_mask(texts: pa.ChunkedArray, pattern: Pattern[str]) -> Any:
    """Return a boolean Arrow mask of the texts in which a compiled, case-insensitive pattern is found.

    Raises:
        ConfigurationError: A text takes too long.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    translated = arrow_pattern(pattern.pattern)
    if translated is not None and translated.is_exact:
        return translated.mask(texts)
    rows = pc.indices_nonzero(pc.is_valid(texts) if translated is None else translated.mask(texts))
    mask = np.zeros(len(texts), bool)
    for row, text in zip(rows.to_pylist(), texts.take(rows).to_pylist(), strict=True):
        try:
            mask[row] = pattern.search(text, timeout=SECONDS) is not None
        except TimeoutError:
            raise _too_slow(pattern, text) from None
    return pa.array(mask)


def _too_slow(pattern: Pattern[str], text: str) -> ConfigurationError:
    return ConfigurationError(
        f"pattern {pattern.pattern!r} took more than {SECONDS:.0f} s on a text of {len(text):,} characters; "
        "write it with fewer repetitions within repetitions"
    )


def arrow_pattern(pattern: str) -> ArrowPattern | None:
    """Translate a pattern for Arrow. Return None if RE2 or this function lacks a construct, such as look-around."""
    import pyarrow as pa

    written = [(token.lastgroup, token[0]) for token in _TOKEN.finditer(pattern)]
    if "".join(text for _, text in written) != pattern:
        return None
    tokens, is_exact = [], True
    for index, (kind, text) in enumerate(written):
        translated: tuple[str, bool] | None = (text, True)
        if kind == "class":
            translated = _translated_class(text)
        elif kind == "set":
            translated = _SETS[text], True
        elif kind == "end":
            translated = r"\n?$", True  # that of regex also matches before a line feed at the end
        elif kind == "boundary":
            translated = _translated_boundary(written, index)
        elif kind == "character":
            character = chr(_code(text))
            forms = _FORMS_OF_I.get(character)
            translated = rf"\x{{{ord(character):X}}}" if forms is None else f"(?-i:[{forms}])", True
        if translated is None:
            return None
        tokens.append(translated[0])
        is_exact &= translated[1]
    arrow = ArrowPattern("".join(tokens), is_exact)
    try:
        arrow.mask(pa.array([""]))
    except pa.ArrowInvalid:  # it is too large, or has an operator that RE2 lacks
        return None
    return arrow


def _translated_boundary(written: list[tuple[str | None, str]], index: int) -> tuple[str, bool]:
    r"""Translate ``\b``: at an end of the pattern, next to a word character, into a match of the characters around a word."""

    def is_word(kind: str | None, text: str) -> bool:
        return text == r"\w" or (kind == "character" and (chr(_code(text)).isalnum()))

    if written[index][1] == r"\b" and ("same", "|") not in written and len(written) > 1:
        if index == 0 and is_word(*written[1]) and (len(written) == 2 or written[2][1][0] not in "?*{"):
            return f"(?:^|{_NO_WORD})", True
        if index == len(written) - 1:
            before = written[-3] if written[-2][1] == "+" and index > 2 else written[-2]
            if index > 1 and is_word(*before):
                return f"(?:{_NO_WORD}|$)", True
    return "(?:)", False


def _translated_class(written: str) -> tuple[str, bool] | None:
    """Translate a character class; also return whether the translation is exact, otherwise it matches more."""
    is_negated = written.startswith("[^")
    items, inner, end, is_exact = [], written[2 if is_negated else 1 : -1], 0, True
    for item in _IN_CLASS.finditer(inner):
        if item.start() != end:
            return None
        end = item.end()
        if item["set"] in _SETS_IN_CLASS:
            items.append(_SETS_IN_CLASS[item["set"]])
        elif item["set"] is not None:  # no class of RE2 can hold the complement of several properties
            is_exact = False
            items += [] if is_negated else [r"\x{0}-\x{10FFFF}"]
        else:
            first, last = _code(item["first"]), _code(item["last"] or item["first"])
            items.append(rf"\x{{{first:X}}}-\x{{{last:X}}}")
            items += [
                rf"\x{{{ord(form):X}}}"
                for letter, form in (("i", "\u0130"), ("I", "\u0131"))
                if first <= ord(letter) <= last
            ]
            is_exact &= not any(first <= ord(form) <= last for form in "\u0130\u0131")
    if end != len(inner):
        return None
    if not items:
        return "(?s:.)", False
    return f"[{'^' if is_negated else ''}{''.join(items)}]", is_exact


def needed_characters(pattern: str) -> str:
    """Return characters that every match of a pattern contains, without those in groups and alternations."""
    needed, depth, end, optional = "", 0, 0, False
    for token in _TOKEN.finditer(pattern):
        same = token["same"] or ""
        if token.start() != end or (same == "|" and not depth):
            return ""
        end = token.end()
        if same[:1] in {"?", "*", "{"}:  # the character before may be absent or repeated
            needed = needed[:-1] if optional else needed
        optional = token["character"] is not None and not depth
        if optional:
            needed += chr(_code(token["character"]))
        depth += same.startswith("(") - (same == ")")
    return needed if end == len(pattern) else ""


def _code(character: str) -> int:
    """Return the code point of a character or of an escaped one."""
    return ord(character) if len(character) == 1 else _CONTROL.get(character[1], ord(character[1]))
