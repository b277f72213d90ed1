"""Query parser: a subset of the Corpus Query Language of the Corpus Workbench (CQP), and simpler syntaxes.

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

_MAX_CHARACTERS: Final = 5_000
_MAX_REPETITIONS: Final = 100
_MAX_DEPTH: Final = 50
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
_IN_TEXT: Final = 'search the running text by kwic with syntax="text"'
_LIKE_WILDCARD: Final = re.compile(r"[\w'-]*\w\*")  # insur*: as a regular expression insu, insur, insurr ...


@dataclass(frozen=True, slots=True)
class AttributeTest:
    """Condition on an attribute: a pattern matches the whole string.

    Attributes:
        attribute: word, lower or a layer.
        pattern: A regular expression, or with ``literal`` the string itself.
        ignore_case: Flag %c.
        ignore_marks: Flag %d: é matches e.
        literal: Flag %l.
    """

    attribute: str
    pattern: str
    ignore_case: bool = False
    ignore_marks: bool = False
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """Negation of a condition."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction of conditions. An empty one matches every token."""

    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction of conditions."""

    conditions: tuple[Condition, ...]


Condition: TypeAlias = AttributeTest | Not | And | Or


@dataclass(frozen=True, slots=True)
class TokenNode:
    """One token that satisfies a condition."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Concatenation:
    """Patterns in sequence."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """Alternative patterns."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repetition:
    """Repetition of a pattern. A maximum of None is unlimited."""

    item: Node
    minimum: int
    maximum: int | None


Node: TypeAlias = TokenNode | Concatenation | Alternation | Repetition


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        text: The query as written.
        pattern: Pattern of tokens. None: whole structures.
        within: Structure that a match must not leave: block, sentence or document.
        begins: Structure. A match must begin at its start. None: anywhere.
        ends: Structure. A match must end at its end. None: anywhere.
        containing: Queries that a match must contain (True) or must not contain (False).
        hint: Advice if the query may not mean what it seems to. Otherwise empty.
    """

    text: str
    pattern: Node | None
    within: str = "block"
    begins: str | None = None
    ends: str | None = None
    containing: tuple[tuple[Query, bool], ...] = ()
    hint: str = field(default="", compare=False)


@functools.lru_cache(maxsize=128)  # a concordance parses it three times
def parse_query(text: str, syntax: str | None = None) -> Query:
    """Parse a query.

    Args:
        text: In CQL: ``"insur.*"%c``, ``[lemma="insure" & pos!="N.*"]``, ``[]{0,3}``, groups, ``|``, ``? * +``, ``within s``,
            ``containing``. As a simple query: regular expressions separated by blanks, each for a whole word, ignoring case.
        syntax: cql, simple, or wildcards (``*`` is any text, ``?`` one character). None: CQL if the query begins with one of
            ``[ " ( <``, otherwise simple.

    Raises:
        ConfigurationError: The query is invalid. The message shows the position.
    """
    if syntax == "text":
        raise ConfigurationError(
            'syntax="text" searches the running text, which only kwic and concordance support: expected one of '
            + ", ".join(SYNTAXES[:3])
        )
    if syntax is not None and syntax not in SYNTAXES:
        raise ConfigurationError(f"syntax={syntax!r} (--syntax): expected one of {', '.join(SYNTAXES)}")
    if not text.strip():
        raise ConfigurationError('the query is empty: expected a word, or CQL such as [word="insur.*"]')
    if len(text) > _MAX_CHARACTERS:
        raise ConfigurationError(f"the query has {len(text):,} characters, expected at most {_MAX_CHARACTERS:,}")
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
            hint = f"; * is not a wildcard here: {_USE_WILDCARDS}" if "*" in pattern else ""
            raise _error(text, part.start(), f"{error} (blanks separate words here){hint}") from None
        if not wildcards and _HYPHENED.fullmatch(pattern):  # don't and e-mail are two tokens
            items += [TokenNode(AttributeTest("word", word, ignore_case=True)) for word in WORD.findall(pattern)]
        else:
            if problem := _never_matches(needed_characters(pattern), part[0]):
                raise _error(text, part.start(), problem)
            items.append(TokenNode(AttributeTest("word", pattern, ignore_case=True)))
    hint = "" if wildcards else "; ".join(_hints(text.split()))
    return Query(text, items[0] if len(items) == 1 else Concatenation(tuple(items)), hint=hint)


def _hints(patterns: Iterable[str]) -> Iterator[str]:
    """Yield hints for regular expressions that look like wildcards or numbers."""
    for pattern in patterns:
        if _LIKE_WILDCARD.fullmatch(pattern):
            yield (
                f"{pattern} is a regular expression: {pattern[:-2]}, {pattern[:-1]}, {pattern[:-1]}{pattern[-2]} ...; "
                f"for all words that begin with {pattern[:-1]}: {pattern[:-1]}.*, or {_USE_WILDCARDS}"
            )
        elif _NUMBER.fullmatch(pattern):
            words = pattern.replace(".", " ")
            yield f"{pattern} is a regular expression: . is any character, and words end at dots: write {words}"
        elif _POINTED.fullmatch(pattern):
            words = " ".join(pattern.replace(".", " ").split())
            yield f"{pattern} is a regular expression: . is any character, and words end at dots: write {words}"
        elif match := _PLUSES.fullmatch(pattern):
            word = match[1]
            yield (
                f"{pattern} is a regular expression: {word}, {word}{word[-1]} ..., and no word contains '+'; to find the signs, "
                f"{_IN_TEXT}: {word}\\+\\+"
            )
        elif _DOLLARS.fullmatch(pattern):
            yield (
                f"{pattern} is a regular expression that no word matches, because $ is the end of a word: write {pattern[1:]}, or "
                f"{_IN_TEXT}: \\{pattern}"
            )


def _never_matches(needed: str, pattern: str = "") -> str:
    """Return an error message if a required character cannot occur in a word, otherwise an empty string."""
    wrong = next((character for character in needed if not WORD.fullmatch(f"a{character}a")), None)
    if wrong is None:
        return ""
    words = [] if _SPECIAL.search(pattern) else WORD.findall(pattern)
    layer = _LAYER.fullmatch(pattern)
    return (
        f"{wrong!r} never matches, because words consist of letters, digits and _: write one pattern per word"
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


# A structure around the pattern, filters and repetitions are described by one example each.
_DESCRIPTIONS: Final = {
    "$END": "the end of the query", "NAME": "a name (lemma, s)", "COMPARISON": "= or !=", "STRING": 'a string such as "insur.*"',
    "LSQB": "[", "RSQB": "]", "LPAR": "(", "RPAR": ")", "FLAGS": "%c, %d or %l", "AMPERSAND": "&", "VBAR": "|",
    "QMARK": "a repetition such as ? or {1,3}", "NUMBER": "a number", "COMMA": "a comma", "RBRACE": "}", "OPEN": "<s>",
    "CLOSE": "</s>", "WITHIN": "within", "CONTAINING": "containing",
}  # fmt: skip
"""Terminal of the grammar → description in messages."""


@functools.cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(_GRAMMAR, parser="lalr", maybe_placeholders=True, propagate_positions=True)


def _parse_cql(text: str) -> Query:
    from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

    if (deep := _too_deep(text)) is not None:
        raise _error(text, deep, f"more than {_MAX_DEPTH} brackets are open here")
    try:
        tree = _parser().parse(text)
    except UnexpectedCharacters as error:
        offset = error.pos_in_stream or 0
        if text[offset] in "\"'":
            raise _error(text, offset, f"a string begins here, but its closing {text[offset]} is missing") from None
        raise _error(text, offset, f"found {text[offset]!r}, {_expected(error.allowed)}") from None
    except UnexpectedEOF as error:
        raise _error(text, len(text), f"it ends too early, {_expected(error.expected)}") from None
    except UnexpectedToken as error:
        expected = _expected(error.accepts or error.expected)
        if error.token.type == "$END":
            raise _error(text, len(text), f"it ends too early, {expected}") from None
        raise _error(text, error.token.start_pos or 0, f"found {str(error.token)!r}, {expected}") from None
    return _QueryBuilder(text).query(tree)


def _expected(terminals: Iterable[str] | None) -> str:
    """Describe the expected terminals of the grammar."""
    names = set(terminals or ())
    return "expected " + _either([text for name, text in _DESCRIPTIONS.items() if name in names] or ["something else"])


def _either(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _too_deep(text: str) -> int | None:
    """Return the offset at which brackets or negations are nested too deeply, or None."""
    depth = 0
    for offset, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if depth > _MAX_DEPTH or (character == "!" and text.startswith("!" * _MAX_DEPTH, offset)):
            return offset
    return None


def _error(text: str, offset: int, problem: str) -> ConfigurationError:
    """Return an error that shows an offset in the query."""
    before = text[max(0, offset - 60) : offset].replace("\n", " ")
    shown = before + text[offset : offset + 30].replace("\n", " ")
    hint = ""
    if text.lstrip()[:1] in "(<" and offset <= len(text):
        hint = '\n(a query that begins with one of [ " ( < is CQL; syntax="simple" (--syntax simple) reads it as regular expressions)'
    return ConfigurationError(f"query, character {offset + 1}: {problem}\n  {shown}\n  {' ' * len(before)}^{hint}")


class _QueryBuilder:
    """Converts a syntax tree into a query."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._hints: list[str] = []

    def query(self, tree: Tree[Any]) -> Query:
        main, *filters = tree.children
        within, containing = "block", []
        for item in filters:
            if item.data == "within":
                name: Any = item.children[0]
                within = self._structure(name, str(name))
            else:
                containing.append((item.children[0], item.data == "containing"))
        inner = tuple((self._main(subtree, within), is_required) for subtree, is_required in containing)
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
            raise _error(
                self._text, token.start_pos or 0, f"no structure {name!r}, expected one of {', '.join(STRUCTURES)}"
            )
        return STRUCTURES[name]

    def _alternatives(self, tree: Any) -> Node:
        items = tuple(self._sequence(child) for child in tree.children)
        return items[0] if len(items) == 1 else Alternation(items)

    def _sequence(self, tree: Any) -> Node:
        items = tuple(self._repeated(child) for child in tree.children)
        return items[0] if len(items) == 1 else Concatenation(items)

    def _repeated(self, tree: Any) -> Node:
        atom, quantity = tree.children
        if atom.data == "alternatives":
            node = self._alternatives(atom)
        elif atom.data == "word":
            node = TokenNode(self._test("word", "=", *atom.children))
        else:
            (condition,) = atom.children
            node = TokenNode(And() if condition is None else self._condition(condition))
        return node if quantity is None else self._times(node, quantity)

    def _times(self, node: Node, quantity: Any) -> Node:
        fixed: dict[str, tuple[int, int | None]] = {"maybe": (0, 1), "any": (0, None), "some": (1, None)}
        if quantity.data in fixed:
            return Repetition(node, *fixed[quantity.data])
        numbers = [None if number is None else int(str(number)[:9]) for number in quantity.children]
        low, high = (numbers[0], numbers[0]) if quantity.data == "exactly" else (numbers[0] or 0, numbers[1])
        offset = quantity.meta.start_pos if not quantity.meta.empty else 0
        if max(low or 0, high or 0) > _MAX_REPETITIONS:
            raise _error(self._text, offset, f"expected at most {_MAX_REPETITIONS} repetitions")
        if high is not None and (low or 0) > high:
            raise _error(self._text, offset, f"at least {low}, but at most {high} repetitions")
        return Repetition(node, low or 0, high)

    def _condition(self, tree: Any) -> Condition:
        if tree.data == "negated":
            return Not(self._condition(tree.children[0]))
        if tree.data == "test":
            name, comparison, string, flags = tree.children
            test = self._test(str(name), str(comparison), string, flags)
            return Not(test) if comparison == "!=" else test
        items = tuple(self._condition(child) for child in tree.children)
        if len(items) == 1:
            return items[0]
        return And(items) if tree.data == "both" else Or(items)

    def _test(self, attribute: str, comparison: str, string: Token, flags: Token | None) -> AttributeTest:
        quote, written = string[0], string[1:-1]
        pattern = written.replace(f"\\{quote}", quote)
        literal = comparison == "==" or "l" in (flags or "")
        if not literal:
            try:
                compiled_pattern(pattern)
            except ConfigurationError as error:
                raise _error(self._text, (string.start_pos or 0) + 1, str(error)) from None
        if attribute in ("word", "lower") and comparison != "!=":
            problem = _never_matches(pattern if literal else needed_characters(pattern))
            if problem and not literal:  # programs search for arbitrary literal strings
                raise _error(self._text, (string.start_pos or 0) + 1, problem)
            self._hints += [problem] if problem else [] if literal else _hints([pattern])
        return AttributeTest(attribute, pattern, "c" in (flags or ""), "d" in (flags or ""), literal)
