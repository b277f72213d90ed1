"""Queries: a subset of the Corpus Workbench's CQP, and simpler ways to write the commonest ones.

Sources:
    - Evert and The CWB Development Team, CQP Interface and Query Language Manual: tokens, flags, repetition, ``within``,
      the matching strategy "standard".
    - Sketch Engine, Corpus Query Language: ``containing``, ``<s/>``.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from corpuskit.errors import ConfigurationError
from corpuskit.text import WORD
from corpuskit.text.patterns import compiled_pattern, needed_characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lark import Lark, Token, Tree

_MOST_CHARACTERS: Final = 5_000
_MOST_REPEATED: Final = 100
_MOST_NESTED: Final = 50
STRUCTURES: Final = {
    "s": "sentence", "p": "block", "block": "block", "document": "document", "doc": "document", "text": "document",
}  # fmt: skip
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)+")
_HYPHENED: Final = re.compile(r"[^\W_][\w'’\u2010-]*['’\u2010-][\w'’\u2010-]*")
SYNTAXES: Final = ("cql", "simple", "wildcards", "text")
_USE_WILDCARDS: Final = 'syntax="wildcards" (--syntax wildcards)'
_PLUSES: Final = re.compile(r"([^\W_]\w*)\+\+")  # C++: as a regular expression C, CC, CCC ...
_POINTED: Final = re.compile(r"\.[^\W_]+|[^\W_]+(?:\.[^\W_]+)*\.|[^\W\d_](?:\.[^\W\d_]){2,}")  # .NET, etc., i.e
_DOLLARS: Final = re.compile(r"\$[^\W_]\w*")
_LAYER: Final = re.compile(r"([^\W\d]\w*):([^\W_]\w*)")
_SPECIAL: Final = re.compile(r"[\\\[\](){}^$.*+?|]")
_IN_TEXT: Final = 'look in the running text of kwic with syntax="text"'
_LIKE_WILDCARD: Final = re.compile(r"[\w'-]*\w\*")  # insur*: as a regular expression insu, insur, insurr ...


@dataclass(frozen=True, slots=True)
class Test:
    """One condition: the whole of an attribute's string matches a pattern.

    Attributes:
        attribute: word, lower or a layer.
        pattern: a regular expression, or with ``literal`` the string itself.
        ignore_case: flag %c.
        ignore_marks: flag %d: é is e.
        literal: flag %l.
    """

    attribute: str
    pattern: str
    ignore_case: bool = False
    ignore_marks: bool = False
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Both:
    """All conditions hold; without any: every token."""

    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """One of the conditions holds."""

    conditions: tuple[Condition, ...]


Condition: TypeAlias = Test | Not | Both | Either


@dataclass(frozen=True, slots=True)
class One:
    """A token for which a condition holds."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Sequence:
    """One behind the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of them."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """At least and at most so many times; None: without an end."""

    item: Node
    least: int
    most: int | None


Node: TypeAlias = One | Sequence | Choice | Repeat


@dataclass(frozen=True, slots=True)
class Query:
    """A query.

    Attributes:
        text: as it was written.
        pattern: what to find; None: whole structures.
        within: the structure that a match does not leave: block, sentence or document.
        begins: a match begins where such a structure does.
        ends: a match ends where such a structure does.
        containing: what a match must contain, or with False not contain.
        hint: what may have been meant otherwise; empty for nothing.
    """

    text: str
    pattern: Node | None
    within: str = "block"
    begins: str | None = None
    ends: str | None = None
    containing: tuple[tuple[Query, bool], ...] = ()
    hint: str = field(default="", compare=False)


@functools.lru_cache(maxsize=128)  # a concordance needs it at three places
def parse_query(text: str, syntax: str | None = None) -> Query:
    """Parse a query.

    Args:
        text: what is looked for. In CQL: ``"insur.*"%c``, ``[lemma="insure" & pos!="N.*"]``, ``[]{0,3}``, groups, ``|``,
            ``? * +``, ``within s``, ``containing``. As a simple query: regular expressions with blanks between them, each
            for a whole word, without regard to case.
        syntax: cql, simple, or wildcards (``*``: any characters, ``?``: one); None: CQL where it begins with one of
            ``[ " ( <``, else simple.

    Raises:
        ConfigurationError: it cannot be read; the message shows where.
    """
    if syntax == "text":
        raise ConfigurationError(
            'syntax="text" looks in the running text, which only kwic and concordance do: expected one of '
            + ", ".join(SYNTAXES[:3])
        )
    if syntax is not None and syntax not in SYNTAXES:
        raise ConfigurationError(f"syntax={syntax!r} (--syntax): expected one of {', '.join(SYNTAXES)}")
    if not text.strip():
        raise ConfigurationError('the query is empty: expected a word, or CQL such as [word="insur.*"]')
    if len(text) > _MOST_CHARACTERS:
        raise ConfigurationError(f"the query has {len(text):,} characters, at most {_MOST_CHARACTERS:,} are read")
    if syntax == "cql" or (syntax is None and text.lstrip()[0] in '["(<'):
        return _parse_cql(text)
    return _parse_simple(text, wildcards=syntax == "wildcards")


def _parse_simple(text: str, *, wildcards: bool) -> Query:
    items: list[Node] = []
    for part in re.finditer(r"\S+", text):
        pattern = _of_wildcards(part[0]) if wildcards else part[0]
        try:
            compiled_pattern(pattern)
        except ConfigurationError as error:
            more = f"; * is no wildcard here: {_USE_WILDCARDS}" if "*" in pattern else ""
            raise _wrong(text, part.start(), f"{error} (blanks stand between words here){more}") from None
        if not wildcards and _HYPHENED.fullmatch(pattern):  # of don't and e-mail, two words are made of the text too
            items += [One(Test("word", word, ignore_case=True)) for word in WORD.findall(pattern)]
        else:
            if problem := _in_no_word(needed_characters(pattern), part[0]):
                raise _wrong(text, part.start(), problem)
            items.append(One(Test("word", pattern, ignore_case=True)))
    hint = "" if wildcards else "; ".join(_hints(text.split()))
    return Query(text, items[0] if len(items) == 1 else Sequence(tuple(items)), hint=hint)


def _hints(patterns: Iterable[str]) -> Iterator[str]:
    """What is told of patterns that look like wildcards or numbers, and are regular expressions."""
    for pattern in patterns:
        if _LIKE_WILDCARD.fullmatch(pattern):
            yield (
                f"{pattern} is a regular expression: {pattern[:-2]}, {pattern[:-1]}, {pattern[:-1]}{pattern[-2]} ...; "
                f"for all words that begin with {pattern[:-1]}: {pattern[:-1]}.*, or {_USE_WILDCARDS}"
            )
        elif _NUMBER.fullmatch(pattern):
            yield (
                f"{pattern} is a regular expression whose dots are any character, and words end at dots: {pattern.replace('.', ' ')}"
            )
        elif _POINTED.fullmatch(pattern):
            words = " ".join(pattern.replace(".", " ").split())
            yield f"{pattern} is a regular expression whose dots are any character, and words end at dots: {words}"
        elif match := _PLUSES.fullmatch(pattern):
            word = match[1]
            yield (
                f"{pattern} is a regular expression: {word}, {word}{word[-1]} ..., and no word has '+' in it; for the signs too, "
                f"{_IN_TEXT}: {word}\\+\\+"
            )
        elif _DOLLARS.fullmatch(pattern):
            yield (
                f"{pattern} is a regular expression that no word matches, for $ is a word's end: write {pattern[1:]}, or "
                f"{_IN_TEXT}: \\{pattern}"
            )


def _in_no_word(needed: str, pattern: str = "") -> str:
    """What is told of the first of some characters that is in no word; empty where there is none."""
    wrong = next((character for character in needed if not WORD.fullmatch(f"a{character}a")), None)
    if wrong is None:
        return ""
    words = [] if _SPECIAL.search(pattern) else WORD.findall(pattern)
    layer = _LAYER.fullmatch(pattern)
    return (
        f"no word has {wrong!r} in it, only letters, digits and _: write a part for each word"
        + (f" ({' '.join(words)})" if words else "")
        + (f', for a layer [{layer[1]}="{layer[2]}"]' if layer else "")
        + f", or {_IN_TEXT}"
    )


def _of_wildcards(part: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(character) or re.escape(character) for character in part)


_GRAMMAR: Final = r"""
start: main filter*
main: UNIT                                  -> unit
    | [OPEN] alternatives [CLOSE]           -> matched
filter: "within" NAME                       -> within
    | "containing" main                     -> containing
    | "!" "containing" main                 -> lacking
alternatives: sequence ("|" sequence)*
sequence: repeated+
repeated: atom [quantity]
?atom: STRING [FLAGS]                       -> word
    | "[" [condition] "]"                   -> token
    | "(" alternatives ")"
quantity: "?"                               -> maybe
    | "*"                                   -> any
    | "+"                                   -> some
    | "{" NUMBER "}"                        -> exactly
    | "{" [NUMBER] "," [NUMBER] "}"         -> between
condition: conjunction ("|" conjunction)*   -> either
conjunction: negation ("&" negation)*       -> both
?negation: "!" negation                     -> negated
    | "(" condition ")"
    | NAME COMPARISON STRING [FLAGS]        -> test
UNIT.3: /<\s*\w+\s*\/\s*>/
CLOSE.2: /<\s*\/\s*\w+\s*>/
OPEN.1: /<\s*\w+\s*>/
COMPARISON: "!=" | "=="  | "="
STRING: /"(?:[^"\\]|\\.)*"/s | /'(?:[^'\\]|\\.)*'/s
FLAGS: /%[cdl]+/
NAME: /[^\W\d]\w*/
NUMBER: /\d+/
%ignore /\s+/
"""


# A structure around the pattern, filters and repetitions are told by one example of each.
_TOLD: Final = {
    "$END": "the query's end", "NAME": "a name (lemma, s)", "COMPARISON": "= or !=", "STRING": 'a string such as "insur.*"',
    "LSQB": "[", "RSQB": "]", "LPAR": "(", "RPAR": ")", "FLAGS": "%c, %d or %l", "AMPERSAND": "&", "VBAR": "|",
    "QMARK": "a repetition such as ? or {1,3}", "NUMBER": "a number", "COMMA": "a comma", "RBRACE": "}", "OPEN": "<s>",
    "CLOSE": "</s>", "WITHIN": "within", "CONTAINING": "containing",
}  # fmt: skip
"""Terminal of the grammar → how it is told."""


@functools.cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(_GRAMMAR, parser="lalr", maybe_placeholders=True, propagate_positions=True)


def _parse_cql(text: str) -> Query:
    from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

    if (deep := _deepest(text)) is not None:
        raise _wrong(text, deep, f"more than {_MOST_NESTED} brackets are open here")
    try:
        tree = _parser().parse(text)
    except UnexpectedCharacters as error:
        place = error.pos_in_stream or 0
        if text[place] in "\"'":
            raise _wrong(text, place, f"a string begins here, and no {text[place]} ends it") from None
        raise _wrong(text, place, f"found {text[place]!r}, {_expected(error.allowed)}") from None
    except UnexpectedEOF as error:
        raise _wrong(text, len(text), f"it ends too early, {_expected(error.expected)}") from None
    except UnexpectedToken as error:
        expected = _expected(error.accepts or error.expected)
        if error.token.type == "$END":
            raise _wrong(text, len(text), f"it ends too early, {expected}") from None
        raise _wrong(text, error.token.start_pos or 0, f"found {str(error.token)!r}, {expected}") from None
    return _Reader(text).query(tree)


def _expected(terminals: Iterable[str] | None) -> str:
    """What may stand at a place, by the names of the grammar's terminals."""
    there = set(terminals or ())
    return "expected " + _either([told for name, told in _TOLD.items() if name in there] or ["something else"])


def _either(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _deepest(text: str) -> int | None:
    depth = 0
    for place, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if depth > _MOST_NESTED or (character == "!" and text.startswith("!" * _MOST_NESTED, place)):
            return place
    return None


def _wrong(text: str, place: int, problem: str) -> ConfigurationError:
    """An error that shows the place."""
    before = text[max(0, place - 60) : place].replace("\n", " ")
    shown = before + text[place : place + 30].replace("\n", " ")
    hint = ""
    if text.lstrip()[:1] in "(<" and place <= len(text):
        hint = '\n(a query that begins with one of [ " ( < is CQL; syntax="simple" (--syntax simple) reads it as regular expressions)'
    return ConfigurationError(f"query, character {place + 1}: {problem}\n  {shown}\n  {' ' * len(before)}^{hint}")


class _Reader:
    """Makes a query of what the parser gave."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._hints: list[str] = []

    def query(self, tree: Tree[Any]) -> Query:
        main, *filters = tree.children
        within, containing = "block", []
        for one in filters:
            if one.data == "within":
                name: Any = one.children[0]
                within = self._structure(name, str(name))
            else:
                containing.append((one.children[0], one.data == "containing"))
        inner = tuple((self._main(one, within), wanted) for one, wanted in containing)
        return replace(self._main(main, within, inner), hint="; ".join(dict.fromkeys(self._hints)))

    def _main(self, tree: Any, within: str, containing: tuple[tuple[Query, bool], ...] = ()) -> Query:
        if tree.data == "unit":
            structure = self._tag(tree.children[0])
            assert structure is not None
            return Query(self._text, None, structure, containing=containing)
        begins, pattern, ends = tree.children
        return Query(self._text, self._alternatives(pattern), within, self._tag(begins), self._tag(ends), containing)

    def _tag(self, token: Token | None) -> str | None:
        return None if token is None else self._structure(token, re.sub(r"[<>/\s]", "", token))

    def _structure(self, token: Token, name: str) -> str:
        if name not in STRUCTURES:
            raise _wrong(self._text, token.start_pos or 0, f"no structure {name!r}; there are {', '.join(STRUCTURES)}")
        return STRUCTURES[name]

    def _alternatives(self, tree: Any) -> Node:
        items = tuple(self._sequence(one) for one in tree.children)
        return items[0] if len(items) == 1 else Choice(items)

    def _sequence(self, tree: Any) -> Node:
        items = tuple(self._repeated(one) for one in tree.children)
        return items[0] if len(items) == 1 else Sequence(items)

    def _repeated(self, tree: Any) -> Node:
        atom, quantity = tree.children
        if atom.data == "alternatives":
            node = self._alternatives(atom)
        elif atom.data == "word":
            node = One(self._test("word", "=", *atom.children))
        else:
            (condition,) = atom.children
            node = One(Both() if condition is None else self._condition(condition))
        return node if quantity is None else self._times(node, quantity)

    def _times(self, node: Node, quantity: Any) -> Node:
        fixed: dict[str, tuple[int, int | None]] = {"maybe": (0, 1), "any": (0, None), "some": (1, None)}
        if quantity.data in fixed:
            return Repeat(node, *fixed[quantity.data])
        numbers = [None if number is None else int(str(number)[:9]) for number in quantity.children]
        least, most = (numbers[0], numbers[0]) if quantity.data == "exactly" else (numbers[0] or 0, numbers[1])
        place = quantity.meta.start_pos if not quantity.meta.empty else 0
        if max(least or 0, most or 0) > _MOST_REPEATED:
            raise _wrong(self._text, place, f"more than {_MOST_REPEATED} repetitions")
        if most is not None and (least or 0) > most:
            raise _wrong(self._text, place, f"at least {least}, but at most {most} repetitions")
        return Repeat(node, least or 0, most)

    def _condition(self, tree: Any) -> Condition:
        if tree.data == "negated":
            return Not(self._condition(tree.children[0]))
        if tree.data == "test":
            name, comparison, string, flags = tree.children
            test = self._test(str(name), str(comparison), string, flags)
            return Not(test) if comparison == "!=" else test
        items = tuple(self._condition(one) for one in tree.children)
        if len(items) == 1:
            return items[0]
        return Both(items) if tree.data == "both" else Either(items)

    def _test(self, attribute: str, comparison: str, string: Token, flags: Token | None) -> Test:
        quote, written = string[0], string[1:-1]
        pattern = written.replace(f"\\{quote}", quote)
        literal = comparison == "==" or "l" in (flags or "")
        if not literal:
            try:
                compiled_pattern(pattern)
            except ConfigurationError as error:
                raise _wrong(self._text, (string.start_pos or 0) + 1, str(error)) from None
        if attribute in ("word", "lower") and comparison != "!=":
            problem = _in_no_word(pattern if literal else needed_characters(pattern))
            if problem and not literal:  # a program looks for strings as they are, whatever is in them
                raise _wrong(self._text, (string.start_pos or 0) + 1, problem)
            self._hints += [problem] if problem else [] if literal else _hints([pattern])
        return Test(attribute, pattern, "c" in (flags or ""), "d" in (flags or ""), literal)
