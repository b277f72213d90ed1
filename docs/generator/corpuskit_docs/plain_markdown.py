"""Pages are plain CommonMark that reads on GitHub; comments name the additions of the built manual.

- ``<!-- build: NAME ARGUMENTS``, lines, ``-->``: a directive, invisible on GitHub.
- ``<!-- generated: NAME ARGUMENTS -->``, lines, ``<!-- /generated -->``: the built manual runs the directive; the lines
  between are for GitHub and are written by :func:`write_generated`.
- ``<!-- cards -->``, a list, ``<!-- /cards -->``: its items are shown as cards.
- An image named ``*-light`` is shown in light themes, and ``*-dark`` in dark themes.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from corpuskit_docs.commands import command_pages
from corpuskit_docs.public import corpus_methods
from corpuskit_docs.settings import settings_tables

_BUILD: Final = re.compile(r"^<!-- build: (?P<head>\S[^\n]*?)(?P<body>\n.*?)?\s*-->$", re.MULTILINE | re.DOTALL)
_GENERATED: Final = re.compile(
    r"^<!-- generated: (?P<head>\S[^\n]*?) -->\n(?P<body>.*?)^<!-- /generated -->$", re.MULTILINE | re.DOTALL
)
_IMAGE: Final = re.compile(r"^!\[(?P<alt>[^\]\n]*)\]\((?P<path>[^)\n]*)-light\.png\)$", re.MULTILINE)


def with_directives(text: str) -> str:
    """Return a page with the directives that its comments name.

    Args:
        text: The page as it is in the repository.
    """
    text = _GENERATED.sub(lambda match: _directive(match["head"], ""), text)
    text = text.replace("<!-- cards -->", ":::{container} cards").replace("<!-- /cards -->", ":::")
    text = _BUILD.sub(lambda match: _directive(match["head"], match["body"] or ""), text)
    return _IMAGE.sub(lambda match: _themed(match["alt"], match["path"]), text)


def _directive(head: str, body: str) -> str:
    name, _, arguments = head.partition(" ")
    return f"```{{{name}}} {arguments}".rstrip() + f"\n{body.strip(chr(10))}\n```"


def _themed(alt: str, path: str) -> str:
    return "\n\n".join(
        f"```{{image}} {path}-{theme}.png\n:alt: {alt}\n:class: only-{theme}\n```" for theme in ("light", "dark")
    )


def write_generated(pages: Path) -> list[Path]:
    """Write the generated parts of all pages, and return the pages that changed.

    Args:
        pages: Directory of the pages.
    """
    changed = []
    for page in sorted(pages.rglob("*.md")):
        text = page.read_text("utf-8")
        if (new := generated(text)) != text:
            page.write_text(new, "utf-8")
            changed.append(page)
    return changed


def generated(text: str) -> str:
    """Return a page with its generated parts up to date.

    Args:
        text: The page.
    """

    def part(match: re.Match[str]) -> str:
        name, _, arguments = match["head"].partition(" ")
        lines = "\n".join(_LINES[name](*arguments.split())).strip("\n")
        return f"<!-- generated: {match['head']} -->\n\n{lines}\n\n<!-- /generated -->"

    return _GENERATED.sub(part, text)


def _table(rows: Iterator[tuple[str, Any]]) -> Iterator[str]:
    yield from ("| name | |", "|---|---|")
    for name, documented in rows:
        yield f"| `{name}` | {_summary(name, documented)} |"
    yield from ("", "Arguments, results and examples: the docstrings, as in `help(...)`, and the built manual.")


def _summary(name: str, documented: Any) -> str:
    """Return the first sentence of a docstring for a cell of a table."""
    is_value = not (inspect.isclass(documented) or inspect.isroutine(documented) or isinstance(documented, property))
    docstring = "\n".join(constant_docstring(name, documented)) if is_value else inspect.getdoc(documented) or ""
    paragraph = docstring.partition("\n\n")[0]
    text = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", " ".join(paragraph.split()).replace("``", "`"))
    sentence = re.match(r".*?[.:](?= |$)", text)
    return (sentence[0] if sentence else text).rstrip(":").replace("|", "\\|")


def constant_docstring(name: str, constant: Any) -> list[str]:
    """Return the text below a constant in the module that defines it.

    Args:
        name: Its name.
        constant: Its value.
    """
    from sphinx.pycode import ModuleAnalyzer

    for module in sorted(sys.modules):
        if module.startswith("corpuskit.") and getattr(sys.modules[module], name, None) is constant:
            text = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", name))
            if text:
                return text
    return []


def _of_module(module: str) -> Iterator[str]:
    package = importlib.import_module(module)
    return _table((name, getattr(package, name)) for name in package.__all__)


def _of_objects(*references: str) -> Iterator[str]:
    return _table((reference.rpartition(".")[2], located(reference)) for reference in references)


def located(reference: str) -> Any:
    """Return an object by its module and name.

    Args:
        reference: Such as ``corpuskit.corpus.Corpus.path``.
    """
    path, _, name = reference.rpartition(".")
    try:
        return getattr(importlib.import_module(path), name)
    except ModuleNotFoundError:
        return inspect.getattr_static(located(path), name)


def _of_methods(accessor: str = "") -> Iterator[str]:
    methods = corpus_methods()
    own = (name for name in methods if name.rpartition(".")[0] == accessor)
    return _table((f"corpus.{name}()", methods[name]) for name in own)


_LINES: Final[dict[str, Callable[..., Iterator[str]]]] = {
    "public-names": _of_module,
    "objects": _of_objects,
    "corpus-methods": _of_methods,
    "settings": settings_tables,
    "commands": command_pages,
}


def setup(app: Any) -> dict[str, bool]:
    """Register the reading of comments."""

    def read(_app: Any, _docname: str, source: list[str]) -> None:
        source[0] = with_directives(source[0])

    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
