"""Rules of quality as columns: the value that a rule looks at, and its verdict.

The rules and thresholds are those of three published data sets:

- ``gopher``: Rae et al. 2021, Scaling Language Models (arXiv:2112.11446), section A1.1: quality filter and repetition removal, table A1.
- ``c4``: Raffel et al. 2020, Exploring the Limits of Transfer Learning (arXiv:1910.10683), section 2.2.
- ``fineweb``: Penedo et al. 2024, The FineWeb Datasets (arXiv:2406.17557), section 3.6.

Gopher's rule of English stop words asks for two of eight English words; for another language its own stop words take their position.
C4's list of bad words is not used. Values are shares (0 to 1) or counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError
from corpuskit.text.sentence_splitting import sentences
from corpuskit.text.word_lists import stop_words

if TYPE_CHECKING:
    import pandas as pd

_BULLETS: Final = ("•", "-", "*", "‣", "▪", "●", "◦", "–")
_ENDS: Final = (".", "!", "?", '"', "”", "»", "…", "。", "！", "？")
_GOPHER_STOP_WORDS: Final = frozenset({"the", "be", "to", "of", "and", "that", "have", "with"})
_EDGES: Final = re.compile(r"^[\W_]{1,40}|[\W_]{1,40}$")
_POLICY: Final = re.compile(
    "terms of use|privacy policy|cookie policy|uses cookies|use of cookies|use cookies", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        name: set and rule, as ``gopher_words``.
        value: what it looks at.
        low: smallest value that passes; None: none.
        high: largest value that passes; None: none.
        description: The rule in words.
    """

    name: str
    value: Callable[[Measured], float]
    low: float | None
    high: float | None
    description: str

    @property
    def says(self) -> str:  # the earlier name
        """The rule in words; the same as ``description``."""
        return self.description

    def passes(self, value: float) -> bool:
        """Return whether a value passes the rule.

        Args:
            value: The value of the measure.
        """
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


class Measured:
    """A text and what the rules measure of it, each computed once."""

    def __init__(self, text: str, lang: str | None = None) -> None:
        self.text = text
        self.lang = lang

    @cached_property
    def words(self) -> list[str]:
        """Return the parts between spaces."""
        return self.text.split()

    @cached_property
    def lines(self) -> list[str]:
        """The lines that are not blank."""
        return [line.strip() for line in self.text.split("\n") if line.strip()]

    @cached_property
    def paragraphs(self) -> list[str]:
        """Return the parts between empty lines."""
        return [part.strip() for part in re.split(r"\n[ \t]{0,20}\n", self.text) if part.strip()]

    @cached_property
    def bare(self) -> list[str]:
        """The words without punctuation at their ends."""
        return [word for word in (_EDGES.sub("", word) for word in self.words) if word]

    def share(self, count: float, of: float) -> float:
        """count / of; 0 of nothing."""
        return count / of if of else 0.0

    def top_run(self, n: int) -> float:
        """Return the share of characters in the most frequent n-gram, spaces included."""
        counts = self._runs(n)
        if not counts:
            return 0.0
        top = max(counts.values())
        length = max(len(run) for run, count in counts.items() if count == top)
        return min(1.0, self.share(length * top, len(self.text))) if top >= 2 else 0.0

    def repeated_runs(self, n: int) -> float:
        """Return the share of characters in repeated n-grams, each character counted once."""
        words = self.words
        seen: set[tuple[str, ...]] = set()
        repeated = 0
        position = 0
        while position + n <= len(words):
            run = tuple(words[position : position + n])
            if run in seen:
                repeated += sum(map(len, run))
                position += n
            else:
                seen.add(run)
                position += 1
        return min(1.0, self.share(repeated, len(self.text)))

    def _runs(self, n: int) -> Counter[str]:
        words = self.words
        return Counter(" ".join(words[position : position + n]) for position in range(len(words) - n + 1))

    def repeated(self, parts: Sequence[str], *, characters: bool = False) -> float:
        """Return the share of parts that repeat an earlier part, by number or by characters."""
        seen: set[str] = set()
        count = size = 0
        for part in parts:
            if part in seen:
                count += 1
                size += len(part)
            seen.add(part)
        return self.share(size, len(self.text)) if characters else self.share(count, len(parts))

    def lines_that(self, test: Callable[[str], bool]) -> float:
        """Return the share of lines for which a test holds."""
        return self.share(sum(map(test, self.lines)), len(self.lines))

    def sentence_count(self) -> int:
        """Return the number of sentences of the lines that C4 retains."""
        lines = [line for line in self.lines if line.endswith(_ENDS) and len(line.split()) >= 3]
        return sum(len(sentences(line, self.lang or "en")) for line in lines)

    def stop_words(self) -> int:
        """Return the number of distinct stop words in the text."""
        known = _GOPHER_STOP_WORDS
        if self.lang not in (None, "en", "?"):
            try:
                # The lists come from web pages, which contain English.
                known = stop_words(str(self.lang)) - _GOPHER_STOP_WORDS
            except ConfigurationError:
                return 2  # without a list the rule cannot decide
        return len({word.casefold() for word in self.bare} & known)

    def symbols(self) -> float:
        """Hash signs and ellipses, by words; the larger of the two."""
        ellipses = self.text.count("...") + self.text.count("…")
        return self.share(max(self.text.count("#"), ellipses), len(self.words))


def _mean_length(text: Measured) -> float:
    return text.share(sum(map(len, text.bare)), len(text.bare))


def _gopher() -> Iterable[Rule]:
    yield Rule("gopher_words", lambda t: len(t.bare), 50, 100_000, "50 to 100,000 words")
    yield Rule("gopher_word_length", _mean_length, 3, 10, "3 to 10 characters a word on average")
    yield Rule("gopher_symbols", lambda t: t.symbols(), None, 0.1, "at most one # or ellipsis in ten words")
    yield Rule("gopher_bullets", lambda t: t.lines_that(lambda line: line.startswith(_BULLETS)), None, 0.9,
               "at most 90 % of lines begin with a bullet")  # fmt: skip
    yield Rule("gopher_ellipses", lambda t: t.lines_that(lambda line: line.endswith(("...", "…"))), None, 0.3,
               "at most 30 % of lines end with an ellipsis")  # fmt: skip
    yield Rule("gopher_alphabetic", lambda t: t.share(sum(any(map(str.isalpha, w)) for w in t.words), len(t.words)), 0.8, None,
               "80 % of words have a letter")  # fmt: skip
    yield Rule("gopher_stop_words", lambda t: t.stop_words(), 2, None, "at least two different stop words")
    yield Rule("gopher_repeated_lines", lambda t: t.repeated(t.lines), None, 0.3, "at most 30 % of lines repeat one")
    yield Rule("gopher_repeated_line_characters", lambda t: t.repeated(t.lines, characters=True), None, 0.2,
               "at most 20 % of characters in repeated lines")  # fmt: skip
    yield Rule("gopher_repeated_paragraphs", lambda t: t.repeated(t.paragraphs), None, 0.3,
               "at most 30 % of paragraphs repeat one")  # fmt: skip
    yield Rule("gopher_repeated_paragraph_characters", lambda t: t.repeated(t.paragraphs, characters=True), None, 0.2,
               "at most 20 % of characters in repeated paragraphs")  # fmt: skip
    for n, high in ((2, 0.20), (3, 0.18), (4, 0.16)):
        yield Rule(f"gopher_top_{n}_words", lambda t, n=n: t.top_run(n), None, high,  # type: ignore[misc]
                   f"at most {high:.0%} of characters in the most frequent run of {n} words")  # fmt: skip
    for n, high in ((5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.10)):
        yield Rule(f"gopher_repeated_{n}_words", lambda t, n=n: t.repeated_runs(n), None, high,  # type: ignore[misc]
                   f"at most {high:.0%} of characters in repeated runs of {n} words")  # fmt: skip


def _c4() -> Iterable[Rule]:
    yield Rule("c4_sentences", lambda t: t.sentence_count(), 5, None,
               "at least five sentences in lines of three words that end in a terminal punctuation mark")  # fmt: skip
    yield Rule("c4_ended_lines", lambda t: t.lines_that(lambda line: line.endswith(_ENDS)), None, None,
               "share of lines that end in a terminal punctuation mark (C4 drops the others; no verdict)")  # fmt: skip
    yield Rule("c4_lorem_ipsum", lambda t: t.text.casefold().count("lorem ipsum"), None, 0, "no lorem ipsum")
    yield Rule("c4_braces", lambda t: t.text.count("{"), None, 0, "no curly bracket")
    yield Rule("c4_javascript", lambda t: t.lines_that(lambda line: "javascript" in line.casefold()), None, None,
               "share of lines that name Javascript (C4 drops them; no verdict)")  # fmt: skip
    yield Rule("c4_policy", lambda t: t.lines_that(lambda line: _POLICY.search(line) is not None), None, None,
               "share of lines of terms and cookies (C4 drops them; no verdict)")  # fmt: skip


def _fineweb() -> Iterable[Rule]:
    yield Rule("fineweb_ended_lines", lambda t: t.lines_that(lambda line: line.endswith(_ENDS)), 0.12, None,
               "at least 12 % of lines end in punctuation")  # fmt: skip
    yield Rule("fineweb_repeated_line_characters", lambda t: t.repeated(t.lines, characters=True), None, 0.1,
               "at most 10 % of characters in repeated lines")  # fmt: skip
    yield Rule("fineweb_short_lines", lambda t: t.lines_that(lambda line: len(line) < 30), None, 0.67,
               "at most 67 % of lines shorter than 30 characters")  # fmt: skip


QUALITY_RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "gopher": tuple(_gopher()),
    "c4": tuple(_c4()),
    "fineweb": tuple(_fineweb()),
}
"""Set → its rules."""


def quality(
    texts: Iterable[str], *, rules: Sequence[str] = ("gopher", "c4", "fineweb"), langs: Iterable[str | None] | None = None
) -> pd.DataFrame:  # fmt: skip
    """Return one row per text with the value and result of each rule.

    Columns: for each rule NAME its value (float64) and ``NAME_ok`` (bool); for each set SET ``SET_ok`` (bool, all its rules) and
    ``SET_why`` (str: the failed rules, separated by spaces; missing if none failed).

    Args:
        texts: Texts; lines end with line feeds, paragraphs with empty lines.
        rules: Names of :data:`QUALITY_RULES`.
        langs: ISO 639-1 code of each text, for its stop words; None: English.

    Raises:
        ConfigurationError: An unknown set of rules.
        MissingExtraError: The extra ``text`` is not installed; C4 counts sentences.
    """
    import pandas as pd

    chosen = _chosen(rules)
    codes = chain(() if langs is None else langs, repeat(None))
    rows = [verdicts(text, rules, code) for text, code in zip(texts, codes, strict=False)]
    columns: dict[str, str] = {}
    for name, members in chosen.items():
        for rule in members:
            columns |= {rule.name: "float64", f"{rule.name}_ok": "bool"}
        columns |= {f"{name}_ok": "bool", f"{name}_why": "str"}
    frame = pd.DataFrame(rows, columns=list(columns))
    return frame.astype(columns)


def verdicts(
    text: str, rules: Sequence[str] = ("gopher", "c4", "fineweb"), lang: str | None = None
) -> dict[str, float | bool | str | None]:
    """Return the row of :func:`quality` for one text.

    Args:
        text: The text.
        rules: Sets of rules.
        lang: ISO 639-1 code of the text, for its stop words; None: not known.

    Raises:
        ConfigurationError: An unknown set of rules.
    """
    measured = Measured(text, lang)
    row: dict[str, float | bool | str | None] = {}
    for name, members in _chosen(rules).items():
        failed = []
        for rule in members:
            value = float(rule.value(measured))
            row[rule.name] = value
            row[f"{rule.name}_ok"] = fine = rule.passes(value)
            if not fine:
                failed.append(rule.name)
        row[f"{name}_ok"] = not failed
        row[f"{name}_why"] = " ".join(failed) or None
    return row


def _chosen(names: Sequence[str]) -> dict[str, tuple[Rule, ...]]:
    for name in names:
        if name not in QUALITY_RULES:
            raise ConfigurationError(f"rules {name!r} are unknown; there are: {', '.join(QUALITY_RULES)}")
    return {name: QUALITY_RULES[name] for name in names}
