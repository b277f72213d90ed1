"""Words counted: lists, runs of words, stop words, the vocabulary of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError
from corpuskit.text.tokens import WORD

if TYPE_CHECKING:
    import pandas as pd

_NAMES: Final = {
    "af": "Afrikaans", "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian", "eu": "Basque",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ko": "Korean",
    "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "ms": "Malay", "nl": "Dutch", "no": "Norwegian_Bokmal",
    "nb": "Norwegian_Bokmal", "nn": "Norwegian_Nynorsk", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish",
    "sw": "Swahili", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
}  # fmt: skip
_ENDS: Final = frozenset(".!?…:•\n")
_OPENING: Final = " \t\"'«»“”„‘’([{-–—*_"


def words(
    texts: Iterable[str], *, lower: bool = True, stop: Container[str] = frozenset(), min_count: int = 1
) -> pd.DataFrame:
    """One row a word, most frequent first, then by the alphabet.

    Columns: word (str), length (int64, characters), count, documents (int64, texts that have it), share (float64, of all
    words counted, also of those that are left out).

    Args:
        texts: one text a document.
        lower: counts words in lower case (casefold).
        stop: words that are left out, such as :func:`stop_words`.
        min_count: rarer words are left out.
    """
    counts: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for text in texts:
        found = Counter(WORD.findall(text.casefold() if lower else text))
        counts.update(found)
        documents.update(found.keys())
    return _frame(counts, documents, stop, min_count)


def _frame(counts: Counter[str], documents: Counter[str], stop: Container[str], min_count: int) -> pd.DataFrame:
    import pandas as pd

    total = max(counts.total(), 1)
    chosen = [word for word, count in counts.items() if count >= min_count and word not in stop]
    chosen.sort(key=lambda word: (-counts[word], word))
    return pd.DataFrame(
        {
            "word": pd.Series(chosen, dtype="str"),
            "length": pd.Series([len(word) for word in chosen], dtype="int64"),
            "count": pd.Series([counts[word] for word in chosen], dtype="int64"),
            "documents": pd.Series([documents[word] for word in chosen], dtype="int64"),
            "share": pd.Series([counts[word] / total for word in chosen], dtype="float64"),
        }
    )


def ngrams(
    texts: Iterable[str], n: int = 2, *, lower: bool = True, stop: Container[str] = frozenset(), min_count: int = 1
) -> pd.DataFrame:
    """Runs of ``n`` words within a text, columns as :func:`words`; runs that begin or end with a stop word are left out.

    Raises:
        ConfigurationError: n is less than 1.
    """
    if n < 1:
        raise ConfigurationError(f"runs of {n} words: n must be at least 1")
    counts: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for text in texts:
        tokens = WORD.findall(text.casefold() if lower else text)
        runs = zip(*(tokens[start:] for start in range(n)), strict=False)
        found = Counter(" ".join(run) for run in runs if run[0] not in stop and run[-1] not in stop)
        counts.update(found)
        documents.update(found.keys())
    return _frame(counts, documents, frozenset(), min_count)


@cache
def stop_words(lang: str) -> frozenset[str]:
    """The frequent words of a language that say little, in lower case: the lists of jusText.

    Args:
        lang: ISO 639-1 code.

    Raises:
        ConfigurationError: there is no list for the language.
    """
    import justext

    if lang not in _NAMES:
        raise ConfigurationError(f"no stop words for {lang!r}; there are: {', '.join(sorted(_NAMES))}")
    return frozenset(word.casefold() for word in justext.get_stoplist(_NAMES[lang]))


def vocabulary(
    texts: Iterable[str], *, known: Container[str] | None = None, min_count: int = 1
) -> pd.DataFrame:  # fmt: skip
    """The words of a corpus, with what hints at names and at words no dictionary has.

    Columns: those of :func:`words` (share of all words), capitalised (float64: of the occurrences that do not begin a
    sentence, how many begin with a capital; missing where there are none), proper (bool: alphabetic and more than half of at least
    two such occurrences are capitalised; in German that holds for every noun), known (boolean: in ``known``; missing without it or where the
    word has no letters).

    Args:
        texts: one text a document.
        known: the words of a dictionary, in lower case.
        min_count: rarer words are left out.
    """
    import pandas as pd

    counts: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    for text in texts:
        seen = set()
        for match in WORD.finditer(text):
            written = match[0]
            word = written.casefold()
            counts[word] += 1
            seen.add(word)
            if not _begins_sentence(text, match.start()):
                inside[word] += 1
                capitals[word] += written[0].isupper()
        documents.update(seen)
    frame = _frame(counts, documents, frozenset(), min_count)
    chosen = list(frame["word"])
    frame["capitalised"] = pd.Series(
        [capitals[word] / inside[word] if inside[word] else float("nan") for word in chosen], dtype="float64"
    )
    frame["proper"] = pd.Series(
        [word.isalpha() and inside[word] > 1 and capitals[word] * 2 > inside[word] for word in chosen], dtype="bool"
    )
    frame["known"] = pd.Series(
        [None if known is None or not any(map(str.isalpha, word)) else word in known for word in chosen],
        dtype="boolean",
    )
    return frame


def _begins_sentence(text: str, start: int) -> bool:
    place = start - 1
    stop = max(-1, start - 20)
    while place > stop and text[place] in _OPENING:
        place -= 1
    return place < 0 or text[place] in _ENDS
