"""Steps that say something of each text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from corpuskit import text as texts
from corpuskit.errors import ConfigurationError
from corpuskit.preprocessing.step_definition import Step, Value, named


@named
def language() -> Step:
    """Return a step that adds the column detected_lang (str, ISO 639-1; ``?`` if uncertain): detected in the main text, regardless of the page's declaration."""
    return Step("language", "columns", columns={"detected_lang": "str"}, work=_language)


def _language(text: str) -> dict[str, Value]:
    return {"detected_lang": texts.detect_language(text)}


@named
def words() -> Step:
    """Return a step that adds the columns text_words, text_characters, text_sentences (int64)."""
    columns = dict.fromkeys(("text_words", "text_characters", "text_sentences"), "int64")
    return Step("words", "columns", columns=columns, work=_words)


def _words(text: str) -> dict[str, Value]:
    count = sum(len(texts.sentences(line)) for line in text.split("\n"))
    return {"text_words": texts.count_words(text), "text_characters": len(text), "text_sentences": count}


@named
def characters(preset: str = "any") -> Step:
    """Return a step that adds the column foreign_characters (float64): the share of characters that the preset of the normaliser does not keep.

    Args:
        preset: A preset of :func:`corpuskit.text.normalize`.
    """
    target = texts.PRESETS[preset].target if preset in texts.PRESETS else None
    if target is None:
        raise ConfigurationError(f"preset {preset!r} is unknown; there are: {', '.join(texts.PRESETS)}")
    return Step(
        "characters",
        "columns",
        {"preset": preset},
        {"foreign_characters": "float64"},
        work=partial(_characters, target),
    )


def _characters(target: texts.Target, text: str) -> dict[str, Value]:
    foreign = sum(text.count(char) for char in set(text) if not target.keeps(char))
    return {"foreign_characters": foreign / len(text) if text else 0.0}


@named
def quality(*rules: str, lang: str | None = None) -> Step:
    """Return a step that adds the columns of :func:`corpuskit.text.quality`.

    Args:
        rules: Sets of rules: gopher, c4, fineweb. Default: all three.
        lang: ISO 639-1 code of the stop words. None: that of each text.
    """
    chosen = rules or tuple(texts.QUALITY_RULES)
    columns = {str(name): str(dtype) for name, dtype in texts.quality([], rules=chosen).dtypes.items()}
    return Step("quality", "columns", {"rules": list(chosen), "lang": lang}, columns, partial(_quality, chosen, lang))


def _quality(rules: Sequence[str], lang: str | None, text: str) -> Mapping[str, Value]:
    return texts.verdicts(text, rules, lang or texts.detect_language(text))


@named
def personal_data(*, region: str | None = None) -> Step:
    """Return a step that adds the columns emails, phones, ips, ibans (int64, their numbers); see :func:`corpuskit.text.personal_data`.

    Args:
        region: Country (ISO 3166); its telephone numbers are also found without an international code.
    """
    columns = dict.fromkeys(("emails", "phones", "ips", "ibans"), "int64")
    return Step("personal_data", "columns", {"region": region}, columns, partial(_personal, region))


def _personal(region: str | None, text: str) -> dict[str, Value]:
    kinds = [match.kind for match in texts.personal_data(text, region=region)]
    return {f"{kind}s": kinds.count(kind) for kind in ("email", "phone", "ip", "iban")}
