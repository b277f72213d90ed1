"""Text to text: normalisation, sentences, words, language, duplicates, quality, personal data."""

from corpuskit.text.charset import block_of, charset
from corpuskit.text.duplicates import DuplicateIndex, near_duplicates, repeated_blocks
from corpuskit.text.fingerprint import text_hash
from corpuskit.text.hyphenation import dehyphenate
from corpuskit.text.language import detect_language, detect_languages
from corpuskit.text.layers import Target
from corpuskit.text.normalization import LAYERS, PRESETS, Change, Normalized, NormalizeOptions, normalize, normalizer
from corpuskit.text.offsets import OffsetMap
from corpuskit.text.personal import PersonalData, mask, personal_data
from corpuskit.text.quality_rules import QUALITY_RULES, Rule, quality, verdicts
from corpuskit.text.sentence_splitting import sentences
from corpuskit.text.shingles import jaccard
from corpuskit.text.tokens import WORD, count_words
from corpuskit.text.word_lists import ngrams, read_tags, stop_words, vocabulary, words

__all__ = [
    "LAYERS",
    "PRESETS",
    "QUALITY_RULES",
    "WORD",
    "Change",
    "DuplicateIndex",
    "NormalizeOptions",
    "Normalized",
    "OffsetMap",
    "PersonalData",
    "Rule",
    "Target",
    "block_of",
    "charset",
    "count_words",
    "dehyphenate",
    "detect_language",
    "detect_languages",
    "jaccard",
    "mask",
    "near_duplicates",
    "ngrams",
    "normalize",
    "normalizer",
    "personal_data",
    "quality",
    "read_tags",
    "repeated_blocks",
    "sentences",
    "stop_words",
    "text_hash",
    "verdicts",
    "vocabulary",
    "words",
]
