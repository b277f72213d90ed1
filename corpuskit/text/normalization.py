"""normalize(): a text in few characters, with an account of every change.

Fourteen layers, each with a name and a switch. Those that look at one character are composed into one table, filled as
characters are met; a text is first looked at as a set of characters, so that layers with nothing to do cost nothing. Where
characters came from is computed when asked.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import Any, Final

from corpuskit.errors import ConfigurationError
from corpuskit.text.layers import CHARACTER_LAYERS, LOOK_ALIKES, LOST, Target
from corpuskit.text.mojibake import has_candidates, may_be_mojibake, utf8_as_win1252, win1252_as_utf8
from corpuskit.text.offsets import Edit, OffsetMap, apply_edits

LAYERS: Final = (
    "win1252_as_latin1", "utf8_as_win1252", "win1252_as_utf8", "combining", "control", "letter_symbols", "ligatures",
    "number_symbols", "equivalents", "look_alikes", "rare_diacritics", "other_scripts", "symbols", "ignore",
)  # fmt: skip
"""The layers in the order in which they are applied."""

_WESTERN: Final = "°§©®±·×÷€£¥•µ"
_FRENCH: Final = "àâäçéèêëîïíóôöùûüúÿñáãåìò"
_ENGLISH: Final = "àâäçéèêëîïôöûüñáíóú"
_MAX_PASSES: Final = 20  # text that was damaged twice needs a second repair
_FEW: Final = 12


@dataclass(frozen=True, slots=True)
class NormalizeOptions:
    """Which layers, and what the text may consist of afterwards.

    Attributes:
        layers: names of :data:`LAYERS`; their order does not matter.
        target: the characters kept besides ASCII.
    """

    layers: tuple[str, ...] = LAYERS
    target: Target = field(default_factory=Target)

    def __post_init__(self) -> None:
        unknown = [name for name in self.layers if name not in LAYERS]
        if unknown:
            raise ConfigurationError(f"layer {unknown[0]!r} is unknown; there are: {', '.join(LAYERS)}")

    def without(self, *layers: str) -> NormalizeOptions:
        """Return these options without some layers.

        Args:
            layers: Names of layers.
        """
        _check_layers(layers)
        return replace(self, layers=tuple(name for name in self.layers if name not in layers))


_SAFE: Final = LAYERS[:7]
PRESETS: Final = {
    "any": NormalizeOptions(_SAFE),
    "french": NormalizeOptions(LAYERS, Target(("LATIN",), _FRENCH + _FRENCH.upper(), "«»" + _WESTERN)),
    "english": NormalizeOptions(LAYERS, Target(("LATIN",), _ENGLISH + _ENGLISH.upper(), _WESTERN)),
    "latin": NormalizeOptions(LAYERS, Target(("LATIN",), None, "«»¿¡" + _WESTERN)),
}  # fmt: skip
"""``any`` repairs what is broken in any language; the others write a language in few characters."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one layer.

    Attributes:
        layer: name of the layer.
        start: 0-based position in the source.
        end: exclusive.
        before: what the layer got; the source, where no earlier layer changed it.
        after: what it gave.
    """

    layer: str
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.start}-{self.end} {self.layer}: {self.before!r} -> {self.after!r}"


class Normalized:
    """A normalised text.

    Args:
        options: How it was normalised.

    Attributes:
        text: the result.
        source: what it was made from.
    """

    def __init__(self, text: str, source: str, options: NormalizeOptions) -> None:
        self.text = text
        self.source = source
        self._options = options

    @cached_property
    def offsets(self) -> OffsetMap:
        """Where characters came from and what they became."""
        offsets = OffsetMap.identity(len(self.source))
        for stage, text, edits in _work(self.source, self._options):
            offsets = offsets.after(edits) if stage.table is None else offsets.repeated(_lengths(text, stage.table))
        return offsets

    def to_source(self, start: int, end: int | None = None) -> tuple[int, int]:
        """Return the span of the source that characters of the result came from.

        Args:
            start: First character of the result, from 0.
            end: Behind the last one; None: one character.
        """
        return self.offsets.to_source(start, end)

    def to_result(self, start: int, end: int | None = None) -> tuple[int, int]:
        """Return the span of the result that characters of the source became.

        Args:
            start: First character of the source, from 0.
            end: Behind the last one; None: one character.
        """
        return self.offsets.to_result(start, end)

    def explain(self) -> list[Change]:
        """Return every change, in the order in which the layers made them."""
        offsets = OffsetMap.identity(len(self.source))
        changes: list[Change] = []
        for stage, text, stage_edits in _work(self.source, self._options):
            edits = stage_edits if stage.table is None else list(stage.edits(text))
            for start, end, replacement in edits:
                span = offsets.to_source(start, end)
                changes += (
                    Change(layer, *span, old, new) for layer, old, new in stage.account(text[start:end], replacement)
                )
            offsets = offsets.after(edits)
        return changes

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        shown = self.text if len(self.text) <= 60 else self.text[:60] + "..."
        return f"Normalized({shown!r}, {'unchanged' if self.text == self.source else 'changed'})"


def normalize(
    text: str,
    preset: str | NormalizeOptions = "any",
    *,
    layers: Iterable[str] | None = None,
    without: Iterable[str] = (),
) -> Normalized:
    """Return a text in the characters of a target, with a map of positions to the original.

    The layers have the functions of frenchtext's normaliser; their tables are derived from Unicode data. A layer
    maps ``½ ① Ⅳ x² H₂O`` as ``1/2 (1) +4 x(2) H(2)O``. A second normalisation changes nothing.

    Args:
        text: The text.
        preset: A name of :data:`PRESETS`, or options.
        layers: Layers to apply. None: all.
        without: Layers to skip.

    Raises:
        ConfigurationError: An unknown preset or layer.

    Example:
        >>> normalize("ﬁn œuf", "french").text
        'fin oeuf'
    """
    options = options_of(preset, layers=layers, without=without)
    return Normalized(_engine(options)(text), text, options)


def normalizer(
    preset: str | NormalizeOptions = "any", *, layers: Iterable[str] | None = None, without: Iterable[str] = ()
) -> Callable[[str], str]:
    """Return a function str → str that does what :func:`normalize` does; for many texts.

    Args:
        preset: A preset, or options.
        layers: Only these layers; None: those of the preset.
        without: Layers that are left out.

    Raises:
        ConfigurationError: An unknown preset or layer.
    """
    return _engine(options_of(preset, layers=layers, without=without))


def options_of(
    preset: str | NormalizeOptions = "any", *, layers: Iterable[str] | None = None, without: Iterable[str] = ()
) -> NormalizeOptions:
    """Return the options of a preset with other layers.

    Raises:
        ConfigurationError: An unknown preset or layer.
    """
    if isinstance(preset, str):
        if preset not in PRESETS:
            raise ConfigurationError(f"preset {preset!r} is unknown; there are: {', '.join(PRESETS)}")
        preset = PRESETS[preset]
    if layers is not None:
        preset = replace(preset, layers=tuple(layers))
    return preset.without(*without)


def _check_layers(layers: Iterable[str]) -> None:
    for name in layers:
        if name not in LAYERS:
            raise ConfigurationError(f"layer {name!r} is unknown; there are: {', '.join(LAYERS)}")


class _Characters(dict[int, str]):
    """Code point → replacement through some layers; filled as characters are met."""

    def __init__(self, options: NormalizeOptions, names: Sequence[str]) -> None:
        super().__init__()
        self.names = [name for name in CHARACTER_LAYERS if name in names and name in options.layers]
        self.target = options.target
        self.repairs = "win1252_as_latin1" in self.names

    def __missing__(self, code: int) -> str:
        self[code] = replacement = self.steps(chr(code))[1]
        return replacement

    def steps(self, char: str) -> tuple[list[tuple[str, str, str]], str]:
        """Return the change by each layer (name, before, after), and the result."""
        steps: list[tuple[str, str, str]] = []
        if self.target.keeps(char):
            return steps, char
        now = char
        for _ in range(_FEW):
            before = now
            for name in self.names:
                function = CHARACTER_LAYERS[name]
                parts = [part if self.target.keeps(part) else _or(function(part, self.target), part) for part in now]
                after = "".join(parts)
                if after != now:
                    steps.append((name, now, after))
                    now = after
            if now == before:
                break
        return steps, now


def _or(replacement: str | None, char: str) -> str:
    return char if replacement is None else replacement


@dataclass(frozen=True, slots=True)
class _Stage:
    """A part of the work: ``needed`` tells by the characters of a text whether there is any."""

    edits: Callable[[str], Iterator[Edit]]
    account: Callable[[str, str], list[tuple[str, str, str]]]
    needed: Callable[[set[str]], bool]
    table: _Characters | None = None


@lru_cache(maxsize=64)
def _stages(options: NormalizeOptions) -> tuple[_Stage, ...]:
    on = set(options.layers)
    stages = [_character_stage(options, ["win1252_as_latin1"])] if "win1252_as_latin1" in on else []
    context: list[tuple[str, Callable[[str], Iterator[Edit]], Callable[[set[str]], bool]]] = [
        ("utf8_as_win1252", utf8_as_win1252, may_be_mojibake),
        ("win1252_as_utf8", win1252_as_utf8, lambda chars: LOST in chars),
        ("combining", _composed, lambda chars: any(char > "\u02ff" for char in chars)),
        ("control", _line_ends, lambda chars: "\r" in chars),
        ("number_symbols", _spaced_fractions, lambda chars: not chars.isdisjoint(_FRACTIONS)),
        ("look_alikes", _unmixed, lambda chars: not chars.isdisjoint(LOOK_ALIKES)),
    ]
    for name, edits, needed in context:
        if name in on and not (name == "look_alikes" and "LATIN" not in options.target.scripts):
            stages.append(_Stage(edits, lambda old, new, name=name: [(name, old, new)], needed))  # type: ignore[misc]
    rest = [name for name in CHARACTER_LAYERS if name != "win1252_as_latin1"]
    return (*stages, _character_stage(options, rest))


def _character_stage(options: NormalizeOptions, names: Sequence[str]) -> _Stage:
    table = _Characters(options, names)

    def edits(text: str) -> Iterator[Edit]:
        changing = {char for char in set(text) if table[ord(char)] != char}
        if changing:
            for position, char in enumerate(text):
                if char in changing:
                    yield position, position + 1, table[ord(char)]

    return _Stage(
        edits,
        lambda old, new: table.steps(old)[0],
        lambda chars: any(table[ord(char)] != char for char in chars),
        table,
    )


@lru_cache(maxsize=64)
def _engine(options: NormalizeOptions) -> Callable[[str], str]:
    def run(text: str) -> str:
        work = _work(text, options)
        while True:
            try:
                next(work)
            except StopIteration as done:
                result: str = done.value
                return result

    return run


def _work(text: str, options: NormalizeOptions) -> Generator[tuple[_Stage, str, list[Edit]], None, str]:
    """Return the stages with changes, their inputs and their edits (none for a table).

    Stages run as the characters of the text require, until nothing changes. The result is returned too.
    """
    stages = _stages(options)
    for _ in range(_MAX_PASSES):
        chars = set(text)
        before = text
        settled = chars.isdisjoint(_CONTEXTS) and not any(char > "\u02ff" and _is_mark(char) for char in chars)
        settled = settled and not (may_be_mojibake(chars) and has_candidates(text))
        for stage in stages:
            if not stage.needed(chars):
                continue
            if stage.table is None:
                edits = list(stage.edits(text))
                if not edits:
                    continue
                yield stage, text, edits
                text = apply_edits(text, edits)
                settled = False
            else:
                table = stage.table
                settled = settled and all(
                    (mapped := table[ord(char)]) == char or (mapped.isascii() and mapped) for char in chars
                )
                yield stage, text, []
                text = _translated(text, chars, table)
            if stage is not stages[-1]:
                chars = set(text)
        if settled or text == before:
            break
    return text


# With these, what a table gives can make work for an earlier stage; else ASCII for other characters cannot.
_CONTEXTS: Final = frozenset(LOOK_ALIKES) | {LOST, "Ã", "\r"}


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def _lengths(text: str, table: _Characters) -> Any:
    """Return the number of characters that each character becomes."""
    import numpy as np

    lengths = np.ones(len(text), np.int64)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    for char in set(text):
        replacement = table[ord(char)]
        if len(replacement) != 1:
            lengths[codes == ord(char)] = len(replacement)
    return lengths


def _translated(text: str, chars: set[str], table: _Characters) -> str:
    """Return the text mapped by a table. A few distinct characters are replaced one by one, which is much faster.

    The result is the same, since a table never maps its own output.
    """
    changing = [(char, table[ord(char)]) for char in chars if table[ord(char)] != char]
    if len(changing) > _FEW:
        return text.translate(table)
    for char, replacement in sorted(changing):
        text = text.replace(char, replacement)
    return text


@cache
def _clusters() -> re.Pattern[str]:
    """Yield each character with the characters that combine with it: marks, vowels and finals of Hangul."""
    ranges: list[list[int]] = []
    for code in range(0x300, sys.maxunicode + 1):
        if unicodedata.category(chr(code))[0] == "M" or 0x1160 <= code <= 0x11FF:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    marks = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
    return re.compile(f"[^{marks}]?[{marks}]+|[^\x00-\x7f{marks}]")


def _composed(text: str) -> Iterator[Edit]:
    """Letters and marks as one character where Unicode has it (normalisation form C)."""
    if unicodedata.is_normalized("NFC", text):
        return
    for match in _clusters().finditer(text):
        composed = unicodedata.normalize("NFC", match[0])
        if composed != match[0]:
            yield match.start(), match.end(), composed


_LINE_END: Final = re.compile(r"\r\n?")
_FRACTIONS: Final = frozenset(
    chr(code) for code in range(0xBC, 0x2190) if unicodedata.decomposition(chr(code)).startswith("<fraction>")
)
_FRACTION: Final = re.compile(f"(?<=[0-9])(?=[{''.join(sorted(_FRACTIONS))}])")
_WORD: Final = re.compile(r"[^\W\d_]+")


def _line_ends(text: str) -> Iterator[Edit]:
    for match in _LINE_END.finditer(text):
        yield match.start(), match.end(), "\n"


def _spaced_fractions(text: str) -> Iterator[Edit]:
    """1½ is 1 1/2, not 11/2."""
    for match in _FRACTION.finditer(text):
        yield match.start(), match.start(), " "


def _unmixed(text: str) -> Iterator[Edit]:
    """Cyrillic and Greek letters that look like Latin ones, in words that have Latin letters too."""
    for match in _WORD.finditer(text):
        word = match[0]
        if word.isascii() or not any(char in LOOK_ALIKES for char in word):
            continue
        distinct = [char for char in word if char not in LOOK_ALIKES]
        if distinct and all(unicodedata.name(char, "").startswith("LATIN") for char in distinct):
            for position, char in enumerate(word, match.start()):
                if char in LOOK_ALIKES:
                    yield position, position + 1, LOOK_ALIKES[char]
