"""References in docstrings and signatures: by any name of a thing in the reference; one that finds nothing is an error.

A docstring says ``:func:`corpuskit.features.linguistics.concordance.kwic``` where the code stands, the reference shows the name that
people import. What other packages have is not linked, for the manual is built without the network.
"""

from __future__ import annotations

import builtins
import collections.abc
import importlib
import typing
from typing import Any, Final

_OTHERS: Final = frozenset((
    "anywidget", "datetime", "docx", "lxml", "matplotlib", "np", "numpy", "os", "pa", "pandas", "pathlib", "pd", "pdfplumber",
    "pikepdf", "pl", "polars", "pyarrow", "re", "sklearn", "sqlite3", "trafilatura", "typing", "collections", "concurrent",
))  # fmt: skip
_OTHERS_NAMES: Final = frozenset(("Path", "datetime", "date", "Lock", "Axes", "Figure", "Future", "TracebackType"))


def setup(app: Any) -> dict[str, bool]:
    """Register what finds references."""
    app.connect("doctree-read", _leave_others_alone)
    app.connect("missing-reference", _find)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _leave_others_alone(app: Any, doctree: Any) -> None:
    """Types of signatures and arguments that are not of this project are text: ``bytes`` is no attribute of that name."""
    from sphinx.addnodes import pending_xref
    from sphinx.util.nodes import find_pending_xref_condition

    for node in list(doctree.findall(pending_xref)):
        if node.get("refdomain") == "py" and not _is_written(node) and _is_of_others(node["reftarget"]):
            short = find_pending_xref_condition(node, "resolved")
            node.replace_self(short.children if short else node.children)


def _is_written(node: Any) -> bool:
    """Return whether a person wrote the reference as one, not as the type of something."""
    return "refwarn" in node


def _find(app: Any, env: Any, node: Any, contents: Any) -> Any:
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    if _is_of_others(target):
        return contents
    thing, domain = _thing(target, node.get("py:module")), env.get_domain("py")
    for name, entry in domain.objects.items():
        if name.rpartition(".")[2] == target.rpartition(".")[2] and (thing is None or _thing(name, None) is thing):
            from sphinx.util.nodes import make_refnode

            return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contents, name)
    is_inner = target.rpartition(".")[2].startswith("_") or isinstance(thing, typing.TypeVar)
    return contents if is_inner or not _is_written(node) else None


def _is_of_others(target: str) -> bool:
    first = target.partition(".")[0]
    return (
        first in _OTHERS
        or target in _OTHERS_NAMES
        or hasattr(builtins, target)
        or hasattr(typing, target)
        or hasattr(collections.abc, target)
    )


def _thing(name: str, module: str | None) -> Any:
    """Return what a dotted name means, None where it means nothing by itself."""
    if "." not in name and module:
        name = f"{module}.{name}"
    parts = name.split(".")
    if parts[0] != "corpuskit":
        return None
    found: Any = importlib.import_module("corpuskit")
    for length, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join(parts[:length]))
            except ImportError:
                return None
        found = getattr(found, part, None)
    return found
