"""Text to text: language, words, fingerprints."""

from corpuskit.text.fingerprint import text_hash
from corpuskit.text.language import detect_language
from corpuskit.text.words import WORD, count_words

__all__ = ["WORD", "count_words", "detect_language", "text_hash"]
