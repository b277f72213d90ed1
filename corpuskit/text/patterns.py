"""Regular expressions of users: of one text, in the syntax of ``regex``, and of a whole column, in that of Rust.

Both know letters, marks and digits of all scripts; Python's ``re`` lacks the marks, Arrow's RE2 knows ASCII only, so that
``\\bété\\b`` finds nothing. Rust's engine, which Polars runs, takes linear time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import regex

from corpuskit.errors import ConfigurationError

if TYPE_CHECKING:
    from regex import Match, Pattern

SECONDS: Final = 10.0  # for one text, or for all words of a lexicon: some patterns take exponential time
_CHARACTER: Final = r"\\[^0-9A-Za-z]|\\[afnrtv]"
_TOKEN: Final = re.compile(
    rf"""(?P<class>\[\^?\]?(?:[^\[\]\\]|\\.)*\])
    | (?P<same>\\[bBwWdDsS]|\((?:\?:|\?P<\w+>|(?!\?))|[)|.^*+?]|\{{\d+(?:,\d*)?\}})
    | (?P<end>\$)
    | (?P<character>[^\\\[\](){{}}^$.*+?|]|{_CHARACTER})""",
    re.VERBOSE | re.DOTALL,
)
_IN_CLASS: Final = re.compile(
    rf"(?P<same>\\[wWdDsS])|(?P<first>[^\\]|{_CHARACTER})(?:-(?P<last>[^\\]|{_CHARACTER}))?", re.DOTALL
)
_PROBLEM: Final = re.compile(r"^(?:regex )?error: (?!regex parse)(.+)", re.MULTILINE)  # in what Polars says
_CONTROL: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
# regex takes these for an i without regard to case, Unicode's simple folding does not.
_ALSO_I: Final = r"\x{130}\x{131}"


def compiled_pattern(pattern: str, *, ignore_case: bool = True) -> Pattern[str]:
    """The pattern, without regard to case unless told otherwise.

    Raises:
        ConfigurationError: it cannot be read.
    """
    try:
        return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ConfigurationError(f"pattern {pattern!r}: {error}") from error


def matches_in(text: str, pattern: Pattern[str]) -> list[Match[str]]:
    """All matches in a text.

    Raises:
        ConfigurationError: it takes too long.
    """
    try:
        return list(pattern.finditer(text, timeout=SECONDS))
    except TimeoutError:
        raise ConfigurationError(
            f"pattern {pattern.pattern!r} took more than {SECONDS:.0f} s on a text of {len(text):,} characters; "
            "write it with fewer repetitions within repetitions"
        ) from None


def ignoring_case(pattern: str) -> str:
    """The pattern of Rust's syntax without regard to case."""
    return f"(?i){pattern}"


def problem_of(pattern: str) -> str | None:
    """What is wrong with a pattern of Rust's syntax."""
    from corpuskit.interruptible import polars as pl

    try:
        pl.Series([""]).str.contains(ignoring_case(pattern))
    except pl.exceptions.ComputeError as error:
        found = _PROBLEM.search(str(error))
        return found[1] if found else str(error)
    return None


def wider(pattern: str) -> str | None:
    """A pattern of Rust's syntax that matches each text in which ``regex`` finds this one, without regard to case.

    It may match more. None where the pattern has what this does not know, such as look-around. Both engines follow the
    same standard for words, digits and blanks (Unicode Technical Standard 18): of all characters of Unicode 14 they say
    the same.
    """
    tokens, end = [], 0
    for token in _TOKEN.finditer(pattern):
        if token.start() != end:
            return None
        end = token.end()
        if token["class"] is not None:
            wide = _wider_class(token["class"])
            if wide is None:
                return None
            tokens.append(wide)
        elif token["end"] is not None:
            tokens.append(r"\n?$")  # that of regex also stands before a line feed at the end
        elif token["character"] is not None:
            code = _code(token["character"])
            tokens.append(f"[i{_ALSO_I}]" if chr(code) in "iI\u0130\u0131" else rf"\x{{{code:X}}}")
        else:
            tokens.append(token["same"])
    wide = "".join(tokens)
    return wide if end == len(pattern) and problem_of(wide) is None else None


def needed_characters(pattern: str) -> str:
    """Return characters that each match of a pattern has; not all of them: what stands in groups and choices is passed over."""
    needed, depth, end, optional = "", 0, 0, False
    for token in _TOKEN.finditer(pattern):
        same = token["same"] or ""
        if token.start() != end or (same == "|" and not depth):
            return ""
        end = token.end()
        if same[:1] in {"?", "*", "{"}:  # what stands before may be absent, or stands there any number of times
            needed = needed[:-1] if optional else needed
        optional = token["character"] is not None and not depth
        if optional:
            needed += chr(_code(token["character"]))
        depth += same.startswith("(") - (same == ")")
    return needed if end == len(pattern) else ""


def _wider_class(written: str) -> str | None:
    negated = written.startswith("[^")
    items, inner, end = [], written[2 if negated else 1 : -1], 0
    for item in _IN_CLASS.finditer(inner):
        if item.start() != end:
            return None
        end = item.end()
        if item["same"] is not None:
            items.append(item["same"])
        else:
            first, last = _code(item["first"]), _code(item["last"] or item["first"])
            items.append(rf"\x{{{first:X}}}-\x{{{last:X}}}")
    if end != len(inner):
        return None
    return f"[{'^' if negated else _ALSO_I}{''.join(items)}]"


def _code(character: str) -> int:
    """The code point of a character, or of one behind a backslash."""
    return ord(character) if len(character) == 1 else _CONTROL.get(character[1], ord(character[1]))
