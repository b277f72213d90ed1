"""Banned words and patterns of the style guide, and the search for them in names, prose and manual pages.

    python tests/helpers/style.py [PATH ...]

prints the findings in modules, directories and manual pages, one line each.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Names of modules, classes, functions, parameters and variables: whole name, without leading underscores.
NAMES = {
    r"told|telling|tells|said|saying|hear\w*": "message, recorded, metadata",
    r"given|wanted|kept|taken|gone|made|making": "the noun of the value",
    r"found": "the noun of the value: rows, matches, path",
    r"some|every|one|others|here|there|perhaps": "the noun of the value",
    r"(most|least|fewest|longest|farthest|nearest|enough|near(?!_duplicate)|far|at_once)(_.*)?": "MAX_..., MIN_..., with the unit",
    r"(room|rooms|floor|floors|house|door|doors|front_desk)(_.*)?": "package, layer, validation",
    r".*_(told|said|kept|given|wanted|gone)": "the noun of the value",
    r"(told|said|kept|given|wanted|gone)_.*": "the noun of the value",
    r"promise|promises": "score, priority",
    r"newcomers?": "new documents, incremental update",
    r"forget\w*|forgotten": "remove, delete, invalidate",
    r"first_look|from_above|conveniences|discovered": "a noun that names the content",
    r"whole": "text, content, is_complete",
    r"trouble|troubles": "last_error, problem",
    r"wording|wordings": "message, format",
    r"place|places": "location, position, path, offset",
    r"beside|beneath|behind|inside": "a noun or a verb",
    r"sure|odd|alike|lone|anew": "an adjective with its noun",
}

# Public names that stay as they are: module, name.
ALLOWED_NAMES = {
    ("errors.py", "found"),  # DocumentFormatError.found and .expected
    ("resource.py", "beside"),  # the earlier name of Resource.sidecars
    ("browser.py", "found"),  # CorpusBrowser.found is public
    ("corpus_model.py", "sure"),  # parameter of a public function
    ("charts.py", "most"),  # parameter of a public function
    ("edits.py", "told_by"),  # key in stored files
    ("kept_topics.py", "far"),  # Topics.far is public
    ("map.py", "places"),  # synchronized with the page
    ("neighbours.py", "nearest"),  # standard term
}

# Prose: docstrings, comments, messages and manual pages.
PROSE = {
    r"\b(rooms?|houses?|front desk|front door)\b(?! insurance)": "package, facade, entry point",
    r"\b[Ww]hat (it|he|she|they|people|documents?|a \w+|the \w+|sources?) (says?|say|tells?|said|told)\b": "metadata, message",
    r"\b(says?|said|tells?) of (itself|themselves|its|their)\b": "metadata",
    r"\b(is|are|was|were|be|been) told\b": "report, raise, describe",
    r"\btold (apart|of|in|by|to)\b": "distinguish, report",
    r"\btells? (what|which|whether|how|why|where|apart|it|them|him)\b": "report, describe, distinguish",
    r"\bsays? (what|which|whether|how|why|where|so|nothing)\b": "state, report, name",
    r"\b(goes|go|went|going) on\b": "continue",
    r"\b(stands?|stood) (in|at|on|before|behind|above|below|beside|there|here|under|between|over|alone)\b": "is in, precedes, follows",
    r"\b(lies|lie|lay) (in|at|on|behind|before|below|outside|within|inside|there)\b": "is in",
    r"\banew\b": "again",
    r"\bso (many|much) \w+( as)?\b": "that number of",
    r"\bas many \w+ as\b": "the same number of",
    r"(?<![Tt]here )\b(is|are) no (?!longer|more|less|matter|way|such|doubt)[a-z]": "is not a",
    r"\b(that|which|what) (is|are) none\b|(?<![Tt]here )\b(is|are) none\b": "is not one, is not a",
    r"; (none|None|empty|-1|False|nothing) (for|where|of|without)\b": "a clause with if",
    r"\b(one|a|an) (row|key|line|file|process|column|value|cell|page|document|request|text|host) an? "
    r"(row|key|line|file|process|column|value|cell|page|document|request|text|host|site|class|format|language|source|part)\b": "per",
    r"\b(CPU|seconds?|milliseconds?|ms|bytes|MB|pages|documents|tokens|characters|requests) an? "
    r"(page|document|second|minute|host|process|text|file|line|request)\b": "per",
    r"\bof which\b|\bwhose\b|\bthereof\b|\bthereby\b|\bherein\b": "a second sentence",
    r"\bin vain\b": "unused, without result",
    r"\bfor good\b": "permanently",
    r"\bonce more\b": "again",
    r"\b(looks?|looked|looking) through\b": "search, check",
    r"\b(mends?|mended|mending)\b": "repair, fix",
    r"\bhow many\b": "the number of",
    r"\b[Ww]hat becomes? of\b|\b[Ww]hat became of\b": "result, outcome",
    r"\btakes? (in|up|home|away from)\b": "read, add, load",
    r"\b(hands?|handed) (in|on|over)\b": "pass, submit",
    r"\btogether with what\b|\bwith what it\b": "a noun",
    r"\bgives? (back|up|way)\b": "return, release",
    r"\bmakes? (anew|again)\b|\bmade (anew|again)\b": "rebuild, recreate",
    r"\bkept as it (is|was)\b|\bstays? as it (is|was)\b": "unchanged",
    r"\b(people|somebody|who(ever)?) (asks?|wants?|says?|reads?|labels?) ": "the user, the caller",
    r"\bWho (asks|wants|reads|labels|has|does|needs|uses)\b": "users who, to",
    r"\b(a|the) like of\b|\band the like\b": "for example, similar",
    r"\bin one go\b|\bat one go\b": "in one step",
    r"\bnot (a|one) single\b": "no",
    r"\b(it|they|this|that) alone (is|are|has|says?)\b": "only",
    r"\bon the way\b": "during",
    r"\b(near|far) (it|them|each other)\b": "similar, close",
    r"\bthe less\b.*\bthe more\b|\bthe more\b.*\bthe less\b": "decreases with",
    r"\bdoes nothing\b(?! else)": "has no effect",
    r"\bwhat is (there|left|missing|known|kept|meant|read|asked|wanted|given|held)\b": "a noun",
    r"\bwhat (was|were) (asked|found|given|kept|read|made|left|removed|said|fetched|labelled|typed)\b": "a noun",
    r"\bwhere (it|there|they|none|nothing) (is|are|was|were|has|have)\b": "if",
    r"\b(none|nothing|nobody) where\b": "if",
    r"\bof (its|their|our|your|his) own\b": "own, separate",
    r"\bat first sight\b|\bat a glance\b": "directly",
    r"\bby and by\b|\bas yet\b": "later, yet",
    r"\bneeds? no\b": "does not need",
    r"\bhas no (more|other) than\b": "has at most",
    r"\bbut for\b": "except",
    r"\bthan (that|those) of which\b": "a second sentence",
    r"\b(so|and) are (its|their|those)\b": "a second sentence",
    r"\bnot (any|a) more\b": "no longer",
    r"\bwithout (end|number)\b": "unlimited",
    r"\bthe (last|first) of (all|them|which)\b": "the last, the first",
    r"\bas (long|soon) as (it|they|there)\b": "while, when",
    r"\bremembers?\b": "store, cache",
    r"(?<!-)\bforgets?\b|\bforgotten\b|\bforgot\b": "remove, invalidate",
    r"\bpromis(es?|ing)\b": "score, priority",
}

# First words of the docstrings of functions: these are not imperatives.
OPENINGS = [
    "Gives",
    "Says",
    "Tells",
    "Takes",
    "Makes",
    "Puts",
    "Keeps",
    "Writes",
    "Reads",
    "Notes",
    "Asks",
    "Adds",
    "Returns",
    "Removes",
    "Yields",
    "Shows",
    "Finds",
    "Counts",
    "Holds",
    "Lets",
    "Opens",
    "Closes",
    "Sets",
    "Sends",
    "Whether",
    "What",
    "How",
    "Where",
    "Which",
    "Who",
    "Whom",
    "The",
    "A",
    "An",
    "As",
    "Of",
    "In",
    "If",
    "For",
    "One",
    "All",
    "Some",
    "Up",
]

_NAMES = [(re.compile(pattern), instead) for pattern, instead in NAMES.items()]
_PROSE = [(re.compile(pattern), instead) for pattern, instead in PROSE.items()]


def findings(path: Path) -> Iterator[str]:
    """Yield the findings in a module or a manual page: location, text and what to write instead."""
    text = path.read_text(encoding="utf-8")
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    if path.suffix != ".py":
        for number, line in enumerate(_outside_code(text), 1):
            yield from _of_prose(f"{shown}:{number}", line)
        return
    for name, number in _names(path, text):
        for pattern, instead in _NAMES if (path.name, name) not in ALLOWED_NAMES else ():
            if pattern.fullmatch(name.strip("_").lower()):
                yield f"{shown}:{number}: name {name}: {instead}"
                break
    for number, prose, is_function in _prose(text):
        words = prose.split()
        if is_function and words and words[0] in OPENINGS:
            yield f"{shown}:{number}: docstring begins with {words[0]!r}: begin with an imperative"
        for offset, line in enumerate(prose.splitlines()):
            yield from _of_prose(f"{shown}:{number + offset}", line)


def _of_prose(location: str, line: str) -> Iterator[str]:
    for pattern, instead in _PROSE:
        if (match := pattern.search(line)) is not None:
            yield f"{location}: {match[0]!r}: {instead}"


def _outside_code(text: str) -> Iterator[str]:
    """Yield the lines of a page, those of code blocks as empty ones, inline code left out."""
    is_code = False
    for line in text.splitlines():
        is_fence = line.lstrip().startswith(("```", "~~~"))
        is_code ^= is_fence
        yield "" if is_code or is_fence else re.sub(r"`[^`]*`", "`", line)


def _names(path: Path, text: str) -> Iterator[tuple[str, int]]:
    """Yield the names that a module defines, with their lines."""
    yield path.stem, 1
    seen = set()
    for node in ast.walk(ast.parse(text)):
        name = None
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        if name is not None and name not in seen:
            seen.add(name)
            yield name, node.lineno


def _prose(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield docstrings, comments and messages: line, text, whether it is the docstring of a function."""
    tree = ast.parse(text)
    strings = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            value = node.body[0].value
            strings.add(id(value))
            is_property = any(
                getattr(one, "id", getattr(one, "attr", "")) in {"property", "cached_property", "setter"}
                for one in getattr(node, "decorator_list", ())
            )
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_property
            yield value.lineno, _without_examples(value.value), is_function
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in strings
            and " " in node.value
        ):
            yield node.lineno, node.value, False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string, False


def _without_examples(docstring: str) -> str:
    return "\n".join("" if ">>>" in line else re.sub(r"``[^`]*``", "``", line) for line in docstring.splitlines())


def main(paths: list[str]) -> None:
    """Print the findings in some paths, the package without arguments."""
    count = 0
    for path in map(Path, paths or [str(ROOT / "corpuskit")]):
        for file in sorted([*path.rglob("*.py"), *path.rglob("*.md")]) if path.is_dir() else [path]:
            for finding in findings(file.resolve()):
                count += 1
                print(finding)
    print(f"{count:,} findings")


if __name__ == "__main__":
    main(sys.argv[1:])
