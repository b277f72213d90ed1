"""Directives that write parts of the reference from the code.

``{room} corpuskit.text`` documents every public name of a module, ``{corpus-methods} text`` the methods of an accessor of
``Corpus``, ``{commands}`` the command line, ``{settings}`` the names of corpus.toml.
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
from corpuskit_docs.public import accessors, corpus_methods
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


class CorpusMethods(_Generated):
    """The methods of ``Corpus``, or those of one of its accessors."""

    optional_arguments = 1

    def lines(self) -> Iterator[str]:
        """Yield a directive of autodoc for each method."""
        from corpuskit.corpus import Corpus

        accessor = self.arguments[0] if self.arguments else ""
        cls = accessors()[accessor] if accessor else Corpus
        yield "```{eval-rst}"
        for name in corpus_methods():
            attribute, _, method = name.rpartition(".")
            if attribute == accessor:
                yield from (f".. automethod:: {cls.__module__}.{cls.__name__}.{method}", "")
        yield "```"


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
        ("corpus-methods", CorpusMethods),
        ("commands", Commands),
        ("settings", SettingsTables),
    ):
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
