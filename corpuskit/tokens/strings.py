"""Which strings of a lexicon a pattern matches: each is asked once, and not again for the next query."""

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
from corpuskit.tokens.part import Part
from corpuskit.tokens.query import Test

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

_KEPT: Final = 200  # answers of a part
_AT_ONCE: Final = 20_000  # strings of which Python's are made


class Strings:
    """Asks the lexica of a part."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._found: OrderedDict[Test, Numbers] = OrderedDict()

    def attribute(self, test: Test) -> str:
        """The attribute whose lexicon answers a test: that of words in lower case where case does not matter."""
        return "lower" if test.attribute == "word" and test.ignore_case else test.attribute

    def numbers(self, test: Test) -> Numbers:
        """The numbers of the strings that match, in order.

        Raises:
            ConfigurationError: the pattern takes too long.
        """
        if test not in self._found:
            self._found[test] = np.unique(np.array(self._ask(test), np.int64))
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)
        self._found.move_to_end(test)
        return self._found[test]

    def _ask(self, test: Test) -> Sequence[int]:
        attribute = self.attribute(test)
        if test.ignore_marks:
            return self._without_marks(attribute, test)
        if attribute != "lower":
            return self._matching(attribute, test.pattern, ignore_case=test.ignore_case, literal=test.literal)
        # A word is found by how it stands or by how it is folded: "Straße" by "straße" and by "strasse".
        pattern = test.pattern.casefold() if test.literal or is_plain(test.pattern) else test.pattern
        found = list(self._matching("lower", pattern, ignore_case=True, literal=test.literal))
        odd = self._part.column("odd")
        if len(odd) and not (test.literal or is_plain(test.pattern)):
            words = self._part.lexicon("word").take(_array(odd)).to_pylist()
            matches = _asked(words, test.pattern, ignore_case=True)
            found += self._part.column("lower_of_word")[odd[matches]].tolist()
        elif len(odd):
            found += self._odd_by_case(test)
        return found

    def _odd_by_case(self, test: Test) -> list[int]:
        import regex

        odd = self._part.column("odd")
        words = self._part.lexicon("word").take(_array(odd)).to_pylist()
        matches = _asked(words, regex.escape(test.pattern), ignore_case=True)
        found: list[int] = self._part.column("lower_of_word")[odd[matches]].tolist()
        return found

    def _matching(self, attribute: str, pattern: str, *, ignore_case: bool, literal: bool = False) -> Sequence[int]:
        lexicon = self._part.lexicon(attribute)
        if (literal or is_plain(pattern)) and (attribute == "lower" or not ignore_case):
            place = bisect_left(_Strings(lexicon), pattern)
            return [place] if place < len(lexicon) and lexicon[place].as_py() == pattern else []
        if literal:
            import regex

            pattern = regex.escape(pattern)
        if pattern in {".*", ".+"} and attribute in {"word", "lower"}:  # no word has a line feed
            return range(len(lexicon))
        candidates = self._candidates(attribute, pattern)
        found: list[int] = []
        deadline = time.monotonic() + patterns.SECONDS
        for start in range(0, len(candidates), _AT_ONCE):
            some = candidates[start : start + _AT_ONCE]
            strings = lexicon.take(_array(some)).to_pylist()
            found += some[_asked(strings, pattern, ignore_case=ignore_case, deadline=deadline)].tolist()
        return found

    def _candidates(self, attribute: str, pattern: str) -> Numbers:
        """Return the numbers of the strings that may match, without creating Python strings."""
        import pyarrow.compute as pc

        lexicon = self._part.lexicon(attribute)
        translated = patterns.arrow_pattern(f"^(?:{pattern})$")
        if translated is None:
            return np.arange(len(lexicon))
        found: Numbers = pc.indices_nonzero(translated.mask(lexicon)).to_numpy()
        return found

    def _without_marks(self, attribute: str, test: Test) -> Sequence[int]:
        import regex

        pattern = regex.escape(test.pattern) if test.literal else test.pattern
        strings = [without_marks(string) for string in self._part.lexicon(attribute).to_pylist()]
        found: list[int] = _asked(strings, without_marks(pattern), ignore_case=test.ignore_case).tolist()
        return found


class _Strings(Sequence[str]):
    """The strings of an Arrow array, made when they are asked for."""

    def __init__(self, array: pa.Array) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        found: str = self._array[place].as_py()
        return found


def is_plain(pattern: str) -> bool:
    """Whether a pattern has no sign of regular expressions, so that it matches itself only."""
    return all(character.isalnum() or character in "_-'" for character in pattern)


def without_marks(text: str) -> str:
    """The text without accents and other marks on letters."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.category(c).startswith("M")))


def _array(numbers: Numbers) -> pa.Array:
    import pyarrow as pa

    return pa.array(numbers)


def _asked(strings: Sequence[str], pattern: str, *, ignore_case: bool, deadline: float | None = None) -> Numbers:
    """The places of the strings of which the whole matches.

    Raises:
        ConfigurationError: it takes too long, all strings together.
    """
    compiled = patterns.compiled_pattern(pattern, ignore_case=ignore_case)
    deadline = deadline or time.monotonic() + patterns.SECONDS
    found = []
    try:
        for place, string in enumerate(strings):
            if compiled.fullmatch(string, timeout=max(0.001, deadline - time.monotonic())) is not None:
                found.append(place)
    except TimeoutError:
        raise ConfigurationError(
            f"pattern {pattern!r} took more than {patterns.SECONDS:.0f} s on the words of the corpus; "
            "write it with fewer repetitions within repetitions"
        ) from None
    return np.array(found, np.int64)
