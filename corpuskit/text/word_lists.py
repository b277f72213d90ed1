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
    """Return one row a word, most frequent first, then by the alphabet.

    Columns: word (str), length (int64, characters), count, documents (int64, texts that have it), share (float64, of all
    words counted, also of those that are left out).

    Args:
        texts: one text a document.
        lower: counts words in lower case (casefold).
        stop: words that are left out, such as :func:`stop_words`.
        min_count: rarer words are left out.

    Raises:
        ConfigurationError: min_count is no whole number, or less than 0.
    """
    least = check_count(min_count, "min_count")
    found = (Counter(WORD.findall(text.casefold() if lower else text)) for text in texts)
    return _frame(*_summed(found), stop, least)


def _summed(found: Iterable[Counter[str]]) -> tuple[Counter[str], Counter[str]]:
    """Return the counts of all texts, and the number of texts per word."""
    counts: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for of_text in found:
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
    least = check_count(min_count, "min_count")

    def runs(text: str) -> Iterator[str]:
        tokens = WORD.findall(text.casefold() if lower else text)
        for run in zip(*(tokens[start:] for start in range(n)), strict=False):
            if run[0] not in stop and run[-1] not in stop:
                yield " ".join(run)

    return _frame(*_summed(Counter(runs(text)) for text in texts), frozenset(), least)


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
    texts: Iterable[str],
    *,
    known: Container[str] | None = None,
    min_count: int = 1,
    tags: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
) -> pd.DataFrame:
    """Return the words of a corpus, with what hints at names and at words no dictionary has.

    Columns: those of :func:`words` (share of all words), capitalised (float64: of the occurrences that do not begin a
    sentence, how many begin with a capital; missing where there are none), proper (bool: alphabetic and more than half of at least
    two such occurrences are capitalised; in German that holds for every noun), known (boolean: in ``known``, or in one of the
    dictionaries of ``tags``; missing without both or where the word has no letters). With ``tags`` also, for each dictionary,
    ``NAME_tags`` (str, sorted, a blank between; missing where it does not have the word), and common_tags, those of all that
    have it.

    Args:
        texts: one text a document.
        known: the words of a dictionary, in lower case.
        min_count: rarer words are left out.
        tags: name of a dictionary → word in lower case → its tags, such as :func:`read_tags` reads.

    Raises:
        ConfigurationError: min_count is no whole number, or less than 0.
    """
    import pandas as pd

    least = check_count(min_count, "min_count")
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
    frame = _frame(counts, documents, frozenset(), least)
    chosen = list(frame["word"])
    frame["capitalised"] = pd.Series(
        [capitals[word] / inside[word] if inside[word] else float("nan") for word in chosen], dtype="float64"
    )
    frame["proper"] = pd.Series(
        [word.isalpha() and inside[word] > 1 and capitals[word] * 2 > inside[word] for word in chosen], dtype="bool"
    )
    found = [{name: set(words[word]) for name, words in (tags or {}).items() if word in words} for word in chosen]
    lists = known is not None or bool(tags)
    frame["known"] = pd.Series(
        [
            (bool(own) or (known is not None and word in known)) if lists and any(map(str.isalpha, word)) else None
            for word, own in zip(chosen, found, strict=True)
        ],
        dtype="boolean",
    )
    for name in tags or {}:
        frame[f"{name}_tags"] = pd.Series([_written(own.get(name)) for own in found], dtype="str")
    if tags:
        common = [set.intersection(*own.values()) if own else None for own in found]
        frame["common_tags"] = pd.Series([_written(one) for one in common], dtype="str")
    return frame


def _written(tags: set[str] | None) -> str | None:
    return None if tags is None else " ".join(sorted(tags))


def read_tags(path: str | os.PathLike[str], *, word: int = 0, tag: int = 1) -> dict[str, set[str]]:
    """Read a dictionary of word forms, such as Lefff or the lexicon of Dicollecte: a form a line, tab-separated.

    Args:
        path: a text file; lines that begin with ``#`` and those with too few columns are passed over.
        word, tag: the columns of form and tag, from 0; several tags of one form have lines of their own, or stand with blanks
            between.

    Returns:
        Form in lower case → its tags.

    Raises:
        SourceError: the file cannot be read.
    """
    found: dict[str, set[str]] = {}
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace") as lines:
            for line in lines:
                columns = line.rstrip("\r\n").split("\t")
                if not line.startswith("#") and len(columns) > max(word, tag) and columns[word]:
                    found.setdefault(columns[word].casefold(), set()).update(columns[tag].split())
    except OSError as error:
        raise SourceError(f"{os.fspath(path)} cannot be read: {error.strerror or error}") from error
    return found


def _begins_sentence(text: str, start: int) -> bool:
    place = start - 1
    stop = max(-1, start - 20)
    while place > stop and text[place] in _OPENING:
        place -= 1
    return place < 0 or text[place] in _ENDS
