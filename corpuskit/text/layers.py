"""Normaliser layers that map single characters; their tables are derived from Unicode data.

Each layer is a function of a character and a :class:`Target`; it returns the replacement, or None to leave it
unchanged. Characters of the target are never replaced. Two tables are not in Unicode: letters of other scripts that look
like Latin ones, and words in the names of punctuation that mean the same sign.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_ASCII: Final = frozenset(string.ascii_letters + string.digits + string.punctuation + " \n")
OBJECT: Final = "\ufffc"
LOST: Final = "\ufffd"
_COMPATIBLE: Final = re.compile(r"<\w+> ")
_TWO_LETTERS: Final = re.compile(r"LATIN (SMALL|CAPITAL) (?:LETTER|LIGATURE) ([A-Z]{2})")
_NOT_ALNUM: Final = re.compile(r"[^0-9A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Target:
    """Characters that a text may have after normalisation, besides ASCII.

    Attributes:
        scripts: First words of Unicode names, such as LATIN, CYRILLIC, CJK; empty: all.
        letters: Letters to retain; None: all letters and marks of the scripts.
        symbols: Other characters to retain.
    """

    scripts: tuple[str, ...] = ()
    letters: str | None = None
    symbols: str = ""

    def keeps(self, char: str) -> bool:
        """Return whether a text may have a character.

        Args:
            char: The character.
        """
        if char in _ASCII or char in self.symbols or char in (OBJECT, LOST):
            return True
        if self.letters is not None and char in self.letters:
            return True
        category = unicodedata.category(char)
        if not self.scripts:
            return category[0] in "LMNPS" and not is_compatible(char)
        if self.letters is not None and script_of(char) == "LATIN":
            return False
        return category[:1] in "LM" + "N" * (category == "Nd") and self.has_script(char) and not is_compatible(char)

    def has_script(self, char: str) -> bool:
        """Return whether a character is of a script of the target.

        Args:
            char: The character.
        """
        return not self.scripts or script_of(char) in self.scripts


def script_of(char: str) -> str:
    """Return the first word of the character's Unicode name (LATIN, GREEK, CJK, COMBINING ...), or an empty string."""
    return unicodedata.name(char, "").partition(" ")[0].partition("-")[0]


def is_compatible(char: str) -> bool:
    """Return whether Unicode defines the character as a variant of others, such as ﬁ of fi."""
    return _COMPATIBLE.match(unicodedata.decomposition(char)) is not None


def win1252_as_latin1(char: str, target: Target) -> str | None:
    """Control characters 80-9F are Windows-1252 read as Latin-1: its quotes, dashes and the euro sign."""
    if "\x80" <= char <= "\x9f":
        try:
            return char.encode("latin-1").decode("cp1252")
        except UnicodeDecodeError:
            return None
    return None


def combining(char: str, target: Target) -> str | None:
    """Marks that did not combine with a letter are dropped where the target lists its letters."""
    if target.letters is not None and unicodedata.category(char) in ("Mn", "Me") and not _is_selector(char):
        return "" if script_of(char) == "COMBINING" else None
    return None


def control(char: str, target: Target) -> str | None:
    """Map all spaces to a space and all line ends to a line feed, and drop invisible characters.

    Joiners (U+200C, U+200D) are retained if all letters of a non-Latin script are: Persian and Indic spelling needs
    them.
    """
    category = unicodedata.category(char)
    if char in "\x0b\x0c\x85\u2028\u2029":
        return "\n"
    if char == "\t" or category == "Zs":
        return " "
    if char in "\u200c\u200d" and target.letters is None and target.scripts != ("LATIN",):
        return char
    if category in ("Cc", "Cf") and char != "\n":
        return ""
    return None


def letter_symbols(char: str, target: Target) -> str | None:
    """Map symbols that are variants of letters (ℂ, ª, Ａ, ⓐ, ™, ㎏) by Unicode's compatibility decomposition."""
    if not is_compatible(char) or _is_ligature(char) or unicodedata.numeric(char, None) is not None:
        return None
    plain = unicodedata.normalize("NFKC", char)
    return plain if any(map(str.isalpha, plain)) and plain != char else None


def ligatures(char: str, target: Target) -> str | None:
    """Two letters in one: ﬁ, œ, æ, ĳ, ß."""
    name = unicodedata.name(char, "")
    if is_compatible(char) and _is_ligature(char):
        return unicodedata.normalize("NFKC", char)
    if name.endswith("LETTER SHARP S"):
        return "ss" if "SMALL" in name else "SS"
    match = _TWO_LETTERS.fullmatch(name)
    if match:
        return match[2].lower() if match[1] == "SMALL" else match[2]
    return None


def number_symbols(char: str, target: Target) -> str | None:
    """½ is 1/2, ① is (1), Ⅳ is +4, ² and ₂ are (2); digits of scripts that are not the target's become 0-9."""
    value = unicodedata.numeric(char, None)
    category = unicodedata.category(char)
    if value is None or category[0] == "L":
        return None
    plain = unicodedata.normalize("NFKC", char)
    if category == "Nd":
        return str(int(value))
    if "\u2044" in plain:
        return plain.replace("\u2044", "/")
    if unicodedata.name(char, "").startswith(("ROMAN NUMERAL", "SMALL ROMAN NUMERAL")):
        return f"+{int(value)}"
    if is_compatible(char) or "CIRCLED" in unicodedata.name(char, ""):
        return f"({int(value)})" if value == int(value) else None
    return None


# A word of a sign's name → the sign that stands for all of them, the first that fits.
_EQUIVALENTS: Final = (
    ("LEFT-POINTING DOUBLE ANGLE QUOTATION", '"'), ("RIGHT-POINTING DOUBLE ANGLE QUOTATION", '"'),
    ("DOUBLE PRIME", '"'), ("DOUBLE COMMA QUOTATION", '"'), ("DOUBLE TURNED COMMA", '"'), ("DOUBLE QUOTATION", '"'),
    ("DOUBLE LOW-9 QUOTATION", '"'), ("DOUBLE HIGH-REVERSED-9 QUOTATION", '"'), ("DITTO MARK", '"'),
    ("QUOTATION MARK", "'"), ("APOSTROPHE", "'"), ("PRIME", "'"), ("ACUTE ACCENT", "'"), ("GRAVE ACCENT", "`"),
    ("TURNED COMMA", "'"), ("PARENTHESIS", "()"), ("SQUARE BRACKET", "[]"), ("CURLY BRACKET", "{}"),
    ("ANGLE BRACKET", "<>"), ("CORNER BRACKET", '""'), ("LENTICULAR BRACKET", "[]"), ("TORTOISE SHELL BRACKET", "[]"),
    ("HYPHEN", "-"), ("DASH", "-"), ("MINUS SIGN", "-"), ("HORIZONTAL BAR", "-"), ("TILDE", "~"),
    ("FRACTION SLASH", "/"), ("DIVISION SLASH", "/"), ("SOLIDUS", "/"), ("ASTERISK", "*"), ("LOW LINE", "_"),
    ("VERTICAL LINE", "|"), ("BROKEN BAR", "|"), ("DIVIDES", "|"), ("RATIO", ":"), ("BULLET", "•"), ("BLACK CIRCLE", "•"),
    ("BLACK SQUARE", "•"), ("BLACK SMALL SQUARE", "•"), ("WHITE SMALL SQUARE", "•"), ("MIDDLE DOT", "·"),
    ("DOT OPERATOR", "·"), ("HYPHENATION POINT", "·"), ("QUESTION MARK", "?"), ("INTERROBANG", "?!"),
    ("EXCLAMATION MARK", "!"), ("SEMICOLON", ";"), ("COLON", ":"), ("FULL STOP", "."), ("COMMA", ","),
    ("PERCENT SIGN", "%"), ("NUMBER SIGN", "#"), ("AMPERSAND", "&"), ("PLUS SIGN", "+"), ("EQUALS SIGN", "="),
)  # fmt: skip


def equivalents(char: str, target: Target) -> str | None:
    """Map equivalent dashes, quotes, brackets, bullets and dots to one sign, by the words of their Unicode names."""
    if unicodedata.category(char)[0] not in "PS" and char != "ʼ":
        return None
    name = unicodedata.name(char, "")
    if "OVERLAY" in name or "CIRCLED" in name or "SQUARED" in name:
        return None
    plain = unicodedata.normalize("NFKC", char)
    if plain != char and all(letter in _ASCII for letter in plain.strip()) and plain.strip():
        return plain.strip()
    for words, sign in _EQUIVALENTS:
        if words in name:
            closes = "RIGHT" in name
            return sign[closes] if len(sign) == 2 and sign != "?!" else sign
    return None


# Letters of the Cyrillic and Greek scripts that look like Latin ones.
LOOK_ALIKES: Final = dict(
    zip(
        "авеёікморсстухјѕԁԛԝһӏүАВЕЁІЈЅКМНОРСТУХҮԚԜӀгοαινυρχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aBeëikMopccTyxjsdqwhlyABEËIJSKMHOPCTYXYQWIroaivupxABEZHIKMNOPTYX",
        strict=True,
    )
)


def rare_diacritics(char: str, target: Target) -> str | None:
    """Remove diacritics that the target does not have: ā, ø and ł become a, o and l."""
    if target.letters is None or unicodedata.category(char)[0] != "L":
        return None
    base = unicodedata.normalize("NFD", char)[0]
    if base != char:
        return base
    name = unicodedata.name(char, "")
    plain = name.partition(" WITH ")[0].replace("LETTER DOTLESS ", "LETTER ").replace("LETTER LONG S", "LETTER S")
    if plain == name:
        plain = name.replace("LETTER ETH", "LETTER D").replace("LETTER D WITH STROKE", "LETTER D")
    try:
        return unicodedata.lookup(plain) if plain != name else None
    except KeyError:
        return None


def other_scripts(char: str, target: Target) -> str | None:
    """Letters of other scripts become U+FFFC, their code in hexadecimal, and a low line."""
    if unicodedata.category(char)[0] in "LMN" and target.scripts and not _is_selector(char):
        return f"{OBJECT}{ord(char):04X}_"
    return None


def symbols(char: str, target: Target) -> str | None:
    """Other signs become a dollar sign, their Unicode name in one word, and a low line: ☎ is ``$BlackTelephone_``."""
    name = unicodedata.name(char, "")
    if name and unicodedata.category(char)[0] in "PS" and target.scripts:
        return "$" + "".join(word.capitalize() for word in _NOT_ALNUM.split(name)) + "_"
    return None


def ignore(char: str, target: Target) -> str | None:
    """Drop characters without a meaning: variation selectors, private and unassigned characters, surrogates."""
    return ""


def _is_ligature(char: str) -> bool:
    if "LIGATURE" in unicodedata.name(char, ""):
        return True
    two = unicodedata.decomposition(char).startswith("<compat> 00") and len(unicodedata.normalize("NFKC", char)) == 2
    return two and unicodedata.category(char) in ("Ll", "Lu", "Lt")


def _is_selector(char: str) -> bool:
    return "VARIATION SELECTOR" in unicodedata.name(char, "")


CHARACTER_LAYERS: Final[dict[str, Callable[[str, Target], str | None]]] = {
    "win1252_as_latin1": win1252_as_latin1,
    "combining": combining,
    "control": control,
    "letter_symbols": letter_symbols,
    "ligatures": ligatures,
    "number_symbols": number_symbols,
    "equivalents": equivalents,
    "rare_diacritics": rare_diacritics,
    "other_scripts": other_scripts,
    "symbols": symbols,
    "ignore": ignore,
}
"""Layer → function, in the order in which they are applied."""
