"""Text to text: normalisation, language, words, fingerprints."""

from corpuskit.text.charset import charset
from corpuskit.text.fingerprint import text_hash
from corpuskit.text.language import detect_language
from corpuskit.text.layers import Target
from corpuskit.text.normalization import (
    LAYERS,
    PRESETS,
    Change,
    Normalized,
    NormalizeOptions,
    normalize,
    normalizer,
)
from corpuskit.text.offsets import OffsetMap
from corpuskit.text.tokens import WORD, count_words

__all__ = [
    "LAYERS",
    "PRESETS",
    "WORD",
    "Change",
    "NormalizeOptions",
    "Normalized",
    "OffsetMap",
    "Target",
    "charset",
    "count_words",
    "detect_language",
    "normalize",
    "normalizer",
    "text_hash",
]
