"""Sentences: blingfire finds them, a few rules of each language mend what it is measured to get wrong.

Of blingfire, nupunkt, syntok, pysbd and spaCy's sentencizer, blingfire was the best in English, French and German
documentation (benchmarks/text_sentences.py), and the fastest but for its offsets. It overlooks sentences that begin with À or
É, and ends sentences after abbreviations and ordinals of French and German. Where it has no binary, nupunkt takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Final

from corpuskit.errors import MissingExtraError

_ABBREVIATIONS: Final = {
    "en": "e.g i.e cf vs viz approx ca Mr Mrs Ms Messrs Dr Prof Rev Gen Sen Rep St No Nos Fig Figs Sec Ch Vol Ed Eds Eq pp",
    "fr": "c.-à-d cf env ex fig chap art al vol éd p pp M MM Mme Mmes Mlle Dr Me St Ste n no nos num tél av apr J.-C boul bd",
    "de": "z.B B d.h h u.a u.U o.ä bzw usw evtl ggf sog inkl exkl ca vgl Vgl lt gem Nr Nrn Bd Abb Tab Kap Abs Art Ziff S Dr Prof Hr Fr "
    "Hrn Frl St Str Tel Mio Mrd Jh Jhd geb gest eig eigtl bspw zzgl abzgl",
}  # fmt: skip
# These end a sentence as often as not: they join only where a small letter or a number follows, which blingfire knows.
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
_OVERLOOKED: Final = re.compile(r"[.!?…][\"”»’')\]]{0,3}\s{1,3}(?=[À-ÖØ-ÞŒ][^\W\d_]?)")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_NO_WORD: Final = re.compile(r"[\W_]*")


def sentences(text: str, lang: str | None = None) -> list[tuple[int, int]]:
    """Return where the sentences of a text stand: start and end (exclusive), without the blanks between them.

    Args:
        text: one paragraph, or several; a blank line always ends a sentence.
        lang: ISO 639-1 code; rules of abbreviations are known for en, fr and de, others are split without.

    Raises:
        MissingExtraError: the extra ``text`` is not installed.

    Example:
        >>> text = "Das gilt z. B. am 3. Oktober. Gut."
        >>> [text[start:end] for start, end in sentences(text, "de")]
        ['Das gilt z. B. am 3. Oktober.', 'Gut.']
    """
    found: list[tuple[int, int]] = []
    for start, end in _paragraphs(text):
        found += _of_paragraph(text, start, end, lang or "")
    return found


def _paragraphs(text: str) -> list[tuple[int, int]]:
    if "\n\n" not in text:
        return [(0, len(text))]
    cuts = [0, *(match.end() for match in re.finditer(r"\n\n+", text)), len(text)]
    return [(start, end) for start, end in pairwise(cuts) if start < end]


def _of_paragraph(text: str, start: int, end: int, lang: str) -> list[tuple[int, int]]:
    part = text[start:end]
    if not part or part.isspace():
        return []
    begins = {0}
    begins.update(place for place in _splitter()(part) if not _joins(part, place, lang))
    for match in _OVERLOOKED.finditer(part):
        if match.end() not in begins and not _joins(part, match.end(), lang, sure=False):
            begins.add(match.end())
    spans = []
    for first, last in pairwise([*sorted(begins), len(part)]):
        piece = part[first:last]
        left = len(piece) - len(piece.lstrip())
        right = len(piece.rstrip())
        if left < right:
            spans.append((start + first + left, start + first + right))
    return spans


def _joins(part: str, place: int, lang: str, *, sure: bool = True) -> bool:
    """Whether no sentence ends before ``place`` after all."""
    before = part[max(0, place - 24) : place]
    if _NO_WORD.fullmatch(part, place):  # a lonely quotation mark
        return True
    last = _LAST.search(before)
    if last is None:
        return False
    word = last[1]
    if word in _KNOWN.get(lang, ()):
        return not (word in ("S", "h", "B", "ex", "al") and not before.rstrip(" .").endswith((" " + word, "." + word)))
    if not sure and len(word) == 1:  # an initial
        return True
    if lang == "de":
        if _STREET.search(before) and part[place : place + 1].isdigit():
            return True
        if _ORDINAL.search(before):
            return _MONTH.match(part, place) is not None or _BEFORE_ORDINAL.search(before) is not None
    return False


@cache
def _splitter() -> Callable[[str], list[int]]:
    """A function text → where its sentences begin."""
    try:
        return _blingfire()
    except (ImportError, OSError):  # no binary for this machine
        pass
    try:
        from nupunkt import sent_spans
    except ImportError:
        raise MissingExtraError("blingfire", "text") from None
    return lambda text: [start for start, _ in sent_spans(text)]


def _blingfire() -> Callable[[str], list[int]]:
    import blingfire
    import numpy as np

    def split(text: str) -> list[int]:
        plain = _CONTROL.sub(" ", text).encode("utf-8", "replace").decode("utf-8")
        pieces = blingfire.text_to_sentences(plain).split("\n")
        if len(pieces) == 1:
            return [0]
        # blingfire changes blanks only: the n-th other character of what it gives is the n-th of the text.
        if plain.isascii():
            blank = np.frombuffer(plain.encode("ascii"), np.uint8) == 32
        else:
            blank = np.fromiter(map(str.isspace, plain), bool, len(plain))
        places = np.flatnonzero(~blank)
        sizes = [sum(map(len, piece.split())) for piece in pieces]
        if sum(sizes) != len(places):
            found: list[int] = [0]
            for piece in pieces:  # it dropped something: look for each sentence's first word
                first = piece.split(None, 1)[:1]
                place = plain.find(first[0], found[-1]) if first else -1
                found += [place] if place > found[-1] else []
            return found
        ends = np.cumsum(sizes)[:-1]
        return [0, *places[ends[ends < len(places)]].tolist()]

    return split
