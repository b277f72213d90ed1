"""Sentence segmentation by sentencex, with corrections by language.

sentencex knows the sentence ends and abbreviations of more than 200 languages. The corrections are for what it gets wrong in
English, French and German documentation (``benchmarks/text_sentences.py`` runs it beside other libraries).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from corpuskit.errors import MissingExtraError

_ABBREVIATIONS: Final = {
    "en": "e.g i.e cf vs viz approx ca Mr Mrs Ms Messrs Dr Prof Rev Gen Sen Rep St No Nos Fig Figs Sec Ch Vol Ed Eds Eq pp",
    "fr": "c.-à-d cf env ex fig chap art al vol éd p pp M MM Mme Mmes Mlle Dr Me St Ste n no nos num tél av apr J.-C boul bd",
    "de": "z.B B d.h h u.a u.U o.ä bzw usw evtl ggf sog inkl exkl ca vgl Vgl lt gem Nr Nrn Bd Abb Tab Kap Abs Art Ziff S Dr Prof Hr Fr "
    "Hrn Frl St Str Tel Mio Mrd Jh Jhd geb gest eig eigtl bspw zzgl abzgl",
}  # fmt: skip
_KNOWN: Final = {lang: frozenset(words.split()) for lang, words in _ABBREVIATIONS.items()}
_LAST: Final = re.compile(r"([^\s(\[«»„“\"'’]{1,12})\.\s*$")
_MONTHS: Final = (
    "Januar|Jänner|Februar|Feber|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Jh"
)
_ORDINAL: Final = re.compile(r"(?:^|[\s(])\d{1,2}\.\s*$")
_BEFORE_ORDINAL: Final = re.compile(
    r"\b(?:[Aa]m|[Vv]om|[Zz]um|[Bb]is|[Dd](?:er|es|em|en|as|ie)|[Ii]m|[Bb]eim|[Ss]eit|[Aa]b) \d{1,2}\.\s*$"
)
_MONTH: Final = re.compile(_MONTHS)
_STREET: Final = re.compile(r"(?:str|Str)\.\s*$")
# sentencex does not end a sentence inside parentheses.
_IN_PARENTHESES: Final = re.compile(r"(?<=[.!?…]\s)\([^()]*[.!?…]\)\s+(?=[\"«“„]?\s?[^\W\d_a-zß-öø-ÿ])")
_INITIALS: Final = re.compile(r"[^\W\d_]\.-[^\W\d_]")  # J.-P.
# A sentence end must be followed by a space, except in scripts without spaces.
_WITHIN_WORD: Final = re.compile(r"[.!?…\"'”’»)\]][^\s\u2E80-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF]")
_NO_WORD: Final = re.compile(r"[\W_]*")


def sentences(text: str, lang: str | None = None) -> list[tuple[int, int]]:
    """Return the start and end (exclusive) of each sentence of a text, without surrounding spaces.

    Args:
        text: One or several paragraphs. An empty line always ends a sentence.
        lang: ISO 639-1 code. English, French and German have additional rules for abbreviations.

    Raises:
        MissingExtraError: The extra ``text`` is not installed.

    Example:
        >>> text = "Das gilt z. B. am 3. Oktober. Gut."
        >>> [text[start:end] for start, end in sentences(text, "de")]
        ['Das gilt z. B. am 3. Oktober.', 'Gut.']
    """
    spans: list[tuple[int, int]] = []
    for start, end in _paragraphs(text):
        spans += _of_paragraph(text, start, end, lang or "")
    return spans


def _paragraphs(text: str) -> list[tuple[int, int]]:
    if "\n\n" not in text:
        return [(0, len(text))]
    cuts = [0, *(match.end() for match in re.finditer(r"\n\n+", text)), len(text)]
    return [(start, end) for start, end in pairwise(cuts) if start < end]


def _of_paragraph(text: str, start: int, end: int, lang: str) -> list[tuple[int, int]]:
    part = text[start:end]
    if not part or part.isspace():
        return []
    plain = part.encode("utf-8", "replace").decode("utf-8")  # no lone surrogates
    positions = (boundary["start_index"] for boundary in _boundaries(lang, plain))
    begins = {0, *(position for position in positions if not _joins(part, position, lang))}
    begins.update(match.end() for match in _IN_PARENTHESES.finditer(part))
    spans = []
    for first, last in pairwise([*sorted(begins), len(part)]):
        piece = part[first:last]
        left = len(piece) - len(piece.lstrip())
        right = len(piece.rstrip())
        if left < right:
            spans.append((start + first + left, start + first + right))
    return spans


def _joins(part: str, position: int, lang: str) -> bool:
    """Return whether the boundary at a position is within a sentence."""
    before = part[max(0, position - 24) : position]
    if _WITHIN_WORD.fullmatch(part[position - 1 : position + 1]):  # README.Debian, ../example
        return True
    if _NO_WORD.fullmatch(part, position):  # a lonely quotation mark
        return True
    last = _LAST.search(before)
    if last is None:
        return False
    word = last[1]
    if _INITIALS.fullmatch(word) or (len(word) == 1 and word.islower() and not part[position].isupper()):
        return True  # 15 h. 30
    if word in _KNOWN.get(lang, ()):
        return not (word in ("S", "h", "B", "ex", "al") and not before.rstrip(" .").endswith((" " + word, "." + word)))
    if lang == "de":
        if _STREET.search(before) and part[position : position + 1].isdigit():
            return True
        if _ORDINAL.search(before):
            return _MONTH.match(part, position) is not None or _BEFORE_ORDINAL.search(before) is not None
    return False


def _boundaries(lang: str, text: str) -> list[dict[str, Any]]:
    try:
        from sentencex import get_sentence_boundaries
    except ImportError:
        raise MissingExtraError("sentencex", "text") from None
    boundaries: list[dict[str, Any]] = get_sentence_boundaries(lang, text)
    return boundaries
