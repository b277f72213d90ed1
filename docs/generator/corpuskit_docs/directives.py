"""Directives that write parts of the reference from the code.

``{room} corpuskit.text`` documents every public name of a module, ``{corpus-room} words`` the methods of ``Corpus`` that
a part of it brings, ``{commands}`` the command line, ``{settings}`` the names of corpus.toml.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

from corpuskit_docs.commands import command_pages
from corpuskit_docs.settings import settings_tables


class _Generated(SphinxDirective):
    """Markdown that is made, read as if it stood on the page."""

    has_content = False

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Read the lines as a part of the page."""
        parent = nodes.section()
        parent.document = self.state.document
        source = self.env.doc2path(self.env.docname)
        self.state.nested_parse(StringList(list(self.lines()), source=source), 0, parent, match_titles=True)
        return parent.children


class Room(_Generated):
    """Every public name of a module."""

    required_arguments = 1

    def lines(self) -> Iterator[str]:
        """Yield a directive of autodoc for each name."""
        module = importlib.import_module(self.arguments[0])
        yield "```{eval-rst}"
        for name in module.__all__:
            thing, path = getattr(module, name), f"{module.__name__}.{name}"
            if inspect.isclass(thing):
                yield from (f".. autoclass:: {path}", "   :members:", "   :show-inheritance:", "")
            elif callable(thing):
                yield from (f".. autofunction:: {path}", "")
            else:
                yield from (f".. py:data:: {path}", "", *(f"   {line}" for line in said_of(name, thing)), "")
        yield "```"


def said_of(name: str, thing: Any) -> list[str]:
    """Return the text below a constant, where it is defined."""
    for module in sorted(sys.modules):
        if module.startswith("corpuskit.") and getattr(sys.modules[module], name, None) is thing:
            said = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", name))
            if said:
                return said
    return []


class CorpusRoom(_Generated):
    """The methods of ``Corpus`` that stand in one of its modules."""

    required_arguments = 1

    def lines(self) -> Iterator[str]:
        """Yield a directive of autodoc for each method."""
        from corpuskit.corpus import Corpus

        yield "```{eval-rst}"
        for name in corpus_methods(self.arguments[0]):
            kind = "property" if isinstance(inspect.getattr_static(Corpus, name), property) else "method"
            yield from (f".. auto{kind}:: corpuskit.corpus.Corpus.{name}", "")
        yield "```"


def corpus_methods(room: str) -> list[str]:
    """Return the public methods of ``Corpus`` that the module ``corpuskit.corpus.ROOM`` brings, in its order."""
    module = importlib.import_module(f"corpuskit.corpus.{room}")
    own = [kind for _, kind in inspect.getmembers(module, inspect.isclass) if kind.__module__ == module.__name__]
    (part,) = [kind for kind in own if kind.__name__.startswith("Corpus")]
    return [name for name in vars(part) if not name.startswith("_")]


class Commands(_Generated):
    """The command line."""

    def lines(self) -> Iterator[str]:
        """Yield a section for each command."""
        return command_pages()


class SettingsTables(_Generated):
    """The names of corpus.toml."""

    def lines(self) -> Iterator[str]:
        """Yield a table for each section of the file."""
        return settings_tables()


def setup(app: Any) -> dict[str, bool]:
    """Register the directives."""
    for name, directive in (
        ("room", Room),
        ("corpus-room", CorpusRoom),
        ("commands", Commands),
        ("settings", SettingsTables),
    ):
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
