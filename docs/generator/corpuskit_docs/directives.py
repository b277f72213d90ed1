"""Directives that write parts of the reference from the code.

``{public-names} corpuskit.text`` documents every public name of a module, ``{objects} corpuskit.corpus.Corpus`` single ones,
``{corpus-methods} text`` the methods of an accessor of ``Corpus``, ``{commands}`` the command line, ``{settings}`` the names of corpus.toml.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Iterator
from typing import Any, Final

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from corpuskit_docs.commands import command_pages
from corpuskit_docs.plain_markdown import constant_docstring, located
from corpuskit_docs.public import accessors, corpus_methods
from corpuskit_docs.settings import settings_tables

_WITHOUT_MEMBERS: Final = frozenset((
    "corpuskit.corpus.Corpus", "corpuskit.widgets.tree.DocumentTree", "corpuskit.widgets.labeler.Labeler",
    "corpuskit.features.vectors.widgets.map.DocumentMap", "corpuskit.widgets.browser.CorpusBrowser",
    "corpuskit.features.linguistics.widgets.explore.Explorer", "corpuskit.widgets.dashboard.CrawlDashboard",
))  # fmt: skip


class _Generated(SphinxDirective):
    """Markdown that is made, parsed as part of the page."""

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


class PublicNames(_Generated):
    """Every public name of a module."""

    required_arguments = 1

    def lines(self) -> Iterator[str]:
        """Yield a directive of autodoc for each name."""
        module = importlib.import_module(self.arguments[0])
        return _entries((f"{module.__name__}.{name}", getattr(module, name)) for name in module.__all__)


class Objects(_Generated):
    """Classes, functions and properties by name."""

    required_arguments = 1
    final_argument_whitespace = True

    def lines(self) -> Iterator[str]:
        """Yield a directive of autodoc for each name."""
        return _entries((reference, located(reference)) for reference in self.arguments[0].split())


def _entries(objects: Iterable[tuple[str, Any]]) -> Iterator[str]:
    yield "```{eval-rst}"
    for path, documented in objects:
        if inspect.isclass(documented):
            # The methods of a widget are those of its base class; those of the corpus have separate pages.
            members = [] if path in _WITHOUT_MEMBERS else ["   :members:", "   :show-inheritance:"]
            yield from (f".. autoclass:: {path}", *members, "")
        elif isinstance(documented, property):
            yield from (f".. autoproperty:: {path}", "")
        elif callable(documented):
            yield from (f".. autofunction:: {path}", "")
        else:
            text = constant_docstring(path.rpartition(".")[2], documented)
            yield from (f".. py:data:: {path}", "", *(f"   {line}" for line in text), "")
    yield "```"


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
        ("public-names", PublicNames),
        ("objects", Objects),
        ("corpus-methods", CorpusMethods),
        ("commands", Commands),
        ("settings", SettingsTables),
    ):
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
