"""Words counted: lists, runs of words, stop words, the vocabulary of a corpus."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError, SourceError
from corpuskit.text.tokens import WORD
from corpuskit.validation import check_count

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
    """Return one row per word, most frequent first, then alphabetically.

    Columns: word (str), length (int64, characters), count, documents (int64, texts that contain it), share (float64, of all
    words, including those left out).

    Args:
        texts: One text per document.
        lower: Count words in lower case (casefold).
        stop: Words to leave out, such as :func:`stop_words`.
        min_count: Minimum count of a word.

    Raises:
        ConfigurationError: min_count is not a whole number, or is negative.
    """
    minimum = check_count(min_count, "min_count")
    counters = (Counter(WORD.findall(text.casefold() if lower else text)) for text in texts)
    return _frame(*_summed(counters), stop, minimum)


def _summed(counters: Iterable[Counter[str]]) -> tuple[Counter[str], Counter[str]]:
    """Return the counts of all texts, and the number of texts per word."""
    counts: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for of_text in counters:
        counts.update(of_text)
        documents.update(of_text.keys())
    return counts, documents


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
    """Return the runs of ``n`` words within a text, in the columns of :func:`words`.

    Args:
        texts: The texts.
        n: Number of words of a run.
        lower: Count in lower case.
        stop: Words that no run begins or ends with.
        min_count: Leave out runs that are less frequent.

    Raises:
        ConfigurationError: n is less than 1, or min_count less than 0.
    """
    if n < 1:
        raise ConfigurationError(f"runs of {n} words: n must be at least 1")
    minimum = check_count(min_count, "min_count")

    def runs(text: str) -> Iterator[str]:
        tokens = WORD.findall(text.casefold() if lower else text)
        for run in zip(*(tokens[start:] for start in range(n)), strict=False):
            if run[0] not in stop and run[-1] not in stop:
                yield " ".join(run)

    return _frame(*_summed(Counter(runs(text)) for text in texts), frozenset(), minimum)


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Return the stop words of a language in lower case, from the lists of jusText.

    Args:
        lang: ISO 639-1 code.

    Raises:
        ConfigurationError: The language has no list.
    """
    import justext

    if lang not in _NAMES:
        raise ConfigurationError(f"no stop words for {lang!r}; there are: {', '.join(sorted(_NAMES))}")
    return frozenset(word.casefold() for word in justext.get_stoplist(_NAMES[lang]))


def vocabulary(
    texts: Iterable[str],
    *,
    known: Container[str] | None = None,
    min_count: int = 1,
    tags: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
) -> pd.DataFrame:
    """Return the words of a corpus with signs of proper names and of words that dictionaries lack.

    Columns: those of :func:`words` (share of all words), capitalised (float64: the share of occurrences with a capital among
    those not at the start of a sentence; missing if there are none), proper (bool: alphabetic and more than half of at least
    two such occurrences are capitalised; in German that holds for every noun), known (boolean: in ``known``, or in one of the
    dictionaries of ``tags``; missing without both, or if the word has no letters). With ``tags`` also, for each dictionary,
    ``NAME_tags`` (str, sorted, separated by spaces; missing if it does not have the word), and common_tags, the tags common to all
    dictionaries with the word.

    Args:
        texts: One text per document.
        known: Words of a dictionary in lower case.
        min_count: Minimum count of a word.
        tags: Name of a dictionary → word in lower case → its tags, as returned by :func:`read_tags`.

    Raises:
        ConfigurationError: min_count is not a whole number, or is negative.
    """
    import pandas as pd

    minimum = check_count(min_count, "min_count")
    counts: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    not_initial: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    for text in texts:
        seen = set()
        for match in WORD.finditer(text):
            written = match[0]
            word = written.casefold()
            counts[word] += 1
            seen.add(word)
            if not _begins_sentence(text, match.start()):
                not_initial[word] += 1
                capitals[word] += written[0].isupper()
        documents.update(seen)
    frame = _frame(counts, documents, frozenset(), minimum)
    chosen = list(frame["word"])
    frame["capitalised"] = pd.Series(
        [capitals[word] / not_initial[word] if not_initial[word] else float("nan") for word in chosen], dtype="float64"
    )
    frame["proper"] = pd.Series(
        [word.isalpha() and not_initial[word] > 1 and capitals[word] * 2 > not_initial[word] for word in chosen],
        dtype="bool",
    )
    tags_of_words = [
        {name: set(words[word]) for name, words in (tags or {}).items() if word in words} for word in chosen
    ]
    lists = known is not None or bool(tags)
    frame["known"] = pd.Series(
        [
            (bool(own) or (known is not None and word in known)) if lists and any(map(str.isalpha, word)) else None
            for word, own in zip(chosen, tags_of_words, strict=True)
        ],
        dtype="boolean",
    )
    for name in tags or {}:
        frame[f"{name}_tags"] = pd.Series([_written(own.get(name)) for own in tags_of_words], dtype="str")
    if tags:
        common = [set.intersection(*own.values()) if own else None for own in tags_of_words]
        frame["common_tags"] = pd.Series([_written(tags) for tags in common], dtype="str")
    return frame


def _written(tags: set[str] | None) -> str | None:
    return None if tags is None else " ".join(sorted(tags))


def read_tags(path: str | os.PathLike[str], *, word: int = 0, tag: int = 1) -> dict[str, set[str]]:
    """Read a dictionary of word forms, such as Lefff or the lexicon of Dicollecte: one form per line, tab-separated.

    Args:
        path: A text file. Lines that begin with ``#`` or have too few columns are skipped.
        word, tag: 0-based columns of form and tag. Several tags of a form are on separate lines or separated by spaces.

    Returns:
        Form in lower case → its tags.

    Raises:
        SourceError: The file cannot be read.
    """
    forms: dict[str, set[str]] = {}
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace") as lines:
            for line in lines:
                columns = line.rstrip("\r\n").split("\t")
                if not line.startswith("#") and len(columns) > max(word, tag) and columns[word]:
                    forms.setdefault(columns[word].casefold(), set()).update(columns[tag].split())
    except OSError as error:
        raise SourceError(f"{os.fspath(path)} cannot be read: {error.strerror or error}") from error
    return forms


def _begins_sentence(text: str, start: int) -> bool:
    position = start - 1
    stop = max(-1, start - 20)
    while position > stop and text[position] in _OPENING:
        position -= 1
    return position < 0 or text[position] in _ENDS
