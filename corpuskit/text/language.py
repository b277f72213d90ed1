"""Which language a text is in."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

UNKNOWN: Final = "?"
_MIN_LETTERS: Final = 20
_SURE: Final = 0.9
_ENOUGH: Final = 4000  # characters; more do not change the answer


def detect_language(text: str, hint: str | None = None) -> str:
    """Return the ISO 639-1 code of the text's language; ``?`` when unsure.

    Args:
        text: at least some words; shorter texts take the hint.
        hint: what the source says, as ``en-GB``; it decides only where the text does not.
    """
    declared = (hint or "").strip().lower().replace("_", "-").partition("-")[0]
    declared = declared if len(declared) == 2 and declared.isascii() and declared.isalpha() else UNKNOWN
    sample = text[:_ENOUGH]
    if sum(map(str.isalpha, sample)) < _MIN_LETTERS:
        return declared
    language, probability = _identifier().classify(sample)
    if probability < _SURE and 2 * sum(map(str.isupper, sample)) > sum(map(str.isalpha, sample)):
        # Terms in capitals below names in small letters: its model knows words as they are written.
        language, probability = _identifier().classify(sample.lower())
    if probability >= _SURE:
        return str(language)
    return declared


def detect_languages(texts: Iterable[str | None]) -> list[str]:
    """Return the ISO 639-1 code of each text by its own words; ``?`` when unsure, as it is for most texts of a few words.

    Equal texts are looked at once.

    Args:
        texts: The texts; None counts as empty.
    """
    known: dict[str, str] = {}
    found = []
    for text in texts:
        if not text:
            found.append(UNKNOWN)
            continue
        if text not in known:
            known[text] = detect_language(text)
        found.append(known[text])
    return found


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
