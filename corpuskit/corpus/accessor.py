"""Base class of accessors: attributes of a corpus that group methods, such as ``corpus.text``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from corpuskit.store import CorpusFolder
from corpuskit.validation import validate_arguments

__all__ = ["CorpusAccessor", "check_arguments"]


class CorpusAccessor:
    """Methods of a corpus that are reached by an attribute of it.

    A subclass names the attribute: ``class TextAccessor(CorpusAccessor, attribute="text")``.
    """

    attribute: ClassVar[str]

    def __init_subclass__(cls, *, attribute: str) -> None:
        """Check the arguments of each public method when it is called."""
        cls.attribute = attribute
        check_arguments(cls, f"Corpus.{attribute}")

    def __init__(self, folder: CorpusFolder) -> None:
        self._folder = folder

    def earlier(self, name: str) -> Callable[..., Any]:
        """Return a method as ``Corpus`` had it before there were accessors.

        Args:
            name: Name of the method here.
        """
        method: Callable[..., Any] = getattr(self, name)
        return method

    def __repr__(self) -> str:
        names = [name for name in dir(self) if not name.startswith("_") and name not in _OF_ACCESSORS]
        docs = {name: inspect.getdoc(getattr(type(self), name)) or "" for name in names}
        width = max(map(len, names))
        lines = (f"  {name:{width}}  {doc.partition(chr(10))[0]}" for name, doc in docs.items())
        return "\n".join([f"corpus.{self.attribute}:", *lines])


_OF_ACCESSORS = {"attribute", "earlier"}


def check_arguments(cls: type, qualified_name: str) -> None:
    """Replace the public methods of a class by ones that check their arguments.

    Args:
        cls: The class.
        qualified_name: What error messages call the class.
    """
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            method.__qualname__ = f"{qualified_name}.{name}"
            setattr(cls, name, validate_arguments(method))
