"""Which language a text is in."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

UNKNOWN: Final = "?"
_MIN_LETTERS: Final = 20
_MIN_PROBABILITY: Final = 0.9
_MIN_CHARACTERS: Final = 4000  # characters; more do not change the answer


def detect_language(text: str, hint: str | None = None) -> str:
    """Return the ISO 639-1 code of the text's language; ``?`` if uncertain.

    Args:
        text: Text; for a text of few words the hint is returned.
        hint: Language stated by the source, as ``en-GB``; used only if the text does not decide.
    """
    declared = (hint or "").strip().lower().replace("_", "-").partition("-")[0]
    declared = declared if len(declared) == 2 and declared.isascii() and declared.isalpha() else UNKNOWN
    sample = text[:_MIN_CHARACTERS]
    if sum(map(str.isalpha, sample)) < _MIN_LETTERS:
        return declared
    language, probability = _identifier().classify(sample)
    if probability < _MIN_PROBABILITY and 2 * sum(map(str.isupper, sample)) > sum(map(str.isalpha, sample)):
        # Terms in capitals below names in small letters: its model knows words as they are written.
        language, probability = _identifier().classify(sample.lower())
    if probability >= _MIN_PROBABILITY:
        return str(language)
    return declared


def detect_languages(texts: Iterable[str | None]) -> list[str]:
    """Return the ISO 639-1 code of each text by its own words; ``?`` when unsure, as it is for most texts of a few words.

    Equal texts are looked at once.

    Args:
        texts: The texts; None counts as empty.
    """
    known: dict[str, str] = {}
    languages = []
    for text in texts:
        if not text:
            languages.append(UNKNOWN)
            continue
        if text not in known:
            known[text] = detect_language(text)
        languages.append(known[text])
    return languages


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
