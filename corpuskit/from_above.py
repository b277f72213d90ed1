"""What a lower room offers and an upper one does.

``document.view()`` makes a widget, and the room of documents knows no widgets: it asks here, by name. The floor above has
said, at ``import corpuskit``, what does it (:mod:`corpuskit.conveniences`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_FUNCTIONS: dict[str, Callable[..., Any]] = {}


def does(name: str) -> Callable[[_Function], _Function]:
    """Return a decorator: the function does what a lower room offers under this name, as ``NLPTextDocument.view``."""

    def keep(function: _Function) -> _Function:
        _FUNCTIONS[name] = function
        return function

    return keep


def done_above(name: str) -> Callable[..., Any]:
    """Return the function that does what is offered under this name."""
    return _FUNCTIONS[name]
