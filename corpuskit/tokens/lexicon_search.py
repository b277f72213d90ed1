"""Search for the strings of a lexicon that match a pattern. Results are cached per part."""

from __future__ import annotations

import time
import unicodedata
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.text import patterns
from corpuskit.tokens.index_part import IndexPart
from corpuskit.tokens.query import AttributeTest

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

_MAX_CACHED: Final = 200  # results per part
_BATCH_SIZE: Final = 20_000  # strings converted to Python strings at once


class LexiconSearch:
    """Search in the lexica of a part."""

    def __init__(self, part: IndexPart) -> None:
        self._part = part
        self._cache: OrderedDict[AttributeTest, Numbers] = OrderedDict()

    def attribute(self, test: AttributeTest) -> str:
        """Return the attribute to search. For words without regard to case it is ``lower``."""
        return "lower" if test.attribute == "word" and test.ignore_case else test.attribute

    def numbers(self, test: AttributeTest) -> Numbers:
        """Return the sorted numbers of the matching strings.

        Raises:
            ConfigurationError: Matching takes too long.
        """
        if test not in self._cache:
            self._cache[test] = np.unique(np.array(self._search(test), np.int64))
            if len(self._cache) > _MAX_CACHED:
                self._cache.popitem(last=False)
        self._cache.move_to_end(test)
        return self._cache[test]

    def _search(self, test: AttributeTest) -> Sequence[int]:
        attribute = self.attribute(test)
        if test.ignore_marks:
            return self._without_marks(attribute, test)
        if attribute != "lower":
            return self._matching(attribute, test.pattern, ignore_case=test.ignore_case, literal=test.literal)
        # A word matches as written or after case folding: "Straße" matches "straße" and "strasse".
        pattern = test.pattern.casefold() if test.literal or is_plain(test.pattern) else test.pattern
        numbers = list(self._matching("lower", pattern, ignore_case=True, literal=test.literal))
        if len(self._part.column("odd")):
            numbers += self._special_words(test)
        return numbers

    def _special_words(self, test: AttributeTest) -> list[int]:
        """Search in the words with a case folding other than lower case."""
        import regex

        pattern = regex.escape(test.pattern) if test.literal or is_plain(test.pattern) else test.pattern
        special = self._part.column("odd")
        words = self._part.lexicon("word").take(_array(special)).to_pylist()
        matches = _full_matches(words, pattern, ignore_case=True)
        numbers: list[int] = self._part.column("lower_of_word")[special[matches]].tolist()
        return numbers

    def _matching(self, attribute: str, pattern: str, *, ignore_case: bool, literal: bool = False) -> Sequence[int]:
        lexicon = self._part.lexicon(attribute)
        if (literal or is_plain(pattern)) and (attribute == "lower" or not ignore_case):
            index = bisect_left(_LazyStrings(lexicon), pattern)
            return [index] if index < len(lexicon) and lexicon[index].as_py() == pattern else []
        if literal:
            import regex

            pattern = regex.escape(pattern)
        if pattern in {".*", ".+"} and attribute in {"word", "lower"}:  # no word contains a line feed
            return range(len(lexicon))
        candidates = self._candidates(attribute, pattern)
        numbers: list[int] = []
        deadline = time.monotonic() + patterns.SECONDS
        for start in range(0, len(candidates), _BATCH_SIZE):
            batch = candidates[start : start + _BATCH_SIZE]
            strings = lexicon.take(_array(batch)).to_pylist()
            numbers += batch[_full_matches(strings, pattern, ignore_case=ignore_case, deadline=deadline)].tolist()
        return numbers

    def _candidates(self, attribute: str, pattern: str) -> Numbers:
        """Return the numbers of the strings that may match, without creating Python strings."""
        import pyarrow.compute as pc

        lexicon = self._part.lexicon(attribute)
        translated = patterns.arrow_pattern(f"^(?:{pattern})$")
        if translated is None:
            return np.arange(len(lexicon))
        numbers: Numbers = pc.indices_nonzero(translated.mask(lexicon)).to_numpy()
        return numbers

    def _without_marks(self, attribute: str, test: AttributeTest) -> Sequence[int]:
        import regex

        pattern = regex.escape(test.pattern) if test.literal else test.pattern
        strings = [without_marks(string) for string in self._part.lexicon(attribute).to_pylist()]
        numbers: list[int] = _full_matches(strings, without_marks(pattern), ignore_case=test.ignore_case).tolist()
        return numbers


class _LazyStrings(Sequence[str]):
    """The strings of an Arrow array, converted on access."""

    def __init__(self, array: pa.Array) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        string: str = self._array[index].as_py()
        return string


def is_plain(pattern: str) -> bool:
    """Return whether a pattern has no special characters of regular expressions, so that it only matches itself."""
    return all(character.isalnum() or character in "_-'" for character in pattern)


def without_marks(text: str) -> str:
    """Return the text without accents and other combining marks."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.category(c).startswith("M")))


def _array(numbers: Numbers) -> pa.Array:
    import pyarrow as pa

    return pa.array(numbers)


def _full_matches(strings: Sequence[str], pattern: str, *, ignore_case: bool, deadline: float | None = None) -> Numbers:
    """Return the indices of the strings that the pattern matches completely.

    Raises:
        ConfigurationError: Matching takes too long.
    """
    compiled = patterns.compiled_pattern(pattern, ignore_case=ignore_case)
    deadline = deadline or time.monotonic() + patterns.SECONDS
    matches = []
    try:
        for i, string in enumerate(strings):
            if compiled.fullmatch(string, timeout=max(0.001, deadline - time.monotonic())) is not None:
                matches.append(i)
    except TimeoutError:
        raise ConfigurationError(
            f"pattern {pattern!r} took more than {patterns.SECONDS:.0f} s on the words of the corpus; "
            "write it with fewer nested repetitions"
        ) from None
    return np.array(matches, np.int64)
