"""What of corpuskit is public: the names that the reference documents, and what a docstring of one has to say."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any


def public_modules() -> Iterator[ModuleType]:
    """Yield the package and every module in it that lists its public names."""
    import corpuskit
    import corpuskit.compat
    import corpuskit.sources

    yield corpuskit
    for package in (corpuskit, corpuskit.sources, corpuskit.compat):
        for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            is_package = info.ispkg and package is not corpuskit.compat
            if is_package or info.name in {"corpuskit.errors", "corpuskit.compat.frenchtext"}:
                module = importlib.import_module(info.name)
                if hasattr(module, "__all__") and info.name != "corpuskit.cli":
                    yield module


def accessors() -> dict[str, type]:
    """Return the classes of the accessors of ``Corpus`` by attribute."""
    from corpuskit.plugins import feature_groups, load

    references = {name: reference for group in feature_groups() for name, reference in group.accessors.items()}
    return {name: load(reference) for name, reference in sorted(references.items())}


def corpus_methods() -> dict[str, Callable[..., Any]]:
    """Return the public methods of ``Corpus``, and those of its accessors as ``"text.kwic"``."""
    from corpuskit.corpus import Corpus
    from corpuskit.corpus.accessor import CorpusAccessor

    methods = {
        name: method for name, method in inspect.getmembers(Corpus, inspect.isroutine) if not name.startswith("_")
    }
    for attribute, accessor in accessors().items():
        for name, method in inspect.getmembers(accessor, inspect.isfunction):
            is_own = inspect.unwrap(method).__module__.startswith("corpuskit.") and not hasattr(CorpusAccessor, name)
            if is_own and not name.startswith("_"):
                methods[f"{attribute}.{name}"] = method
    return methods


def names() -> dict[str, Any]:
    """Return all public names with their objects, including public methods of classes, each once."""
    objects: dict[str, Any] = {}
    known: set[int] = set()
    for module in public_modules():
        for name in module.__all__:
            thing = getattr(module, name)
            if id(thing) in known or not getattr(thing, "__module__", "").startswith("corpuskit"):
                continue
            known.add(id(thing))
            objects[f"{module.__name__}.{name}"] = thing
            if inspect.isclass(thing):
                for method in vars(thing):
                    function = inspect.getattr_static(thing, method)
                    function = getattr(function, "__func__", getattr(function, "fget", function))
                    if inspect.isfunction(function) and not method.startswith("_"):
                        objects[f"{module.__name__}.{name}.{method}"] = function
    return objects


def sections(thing: Any) -> dict[str, str]:
    """Return the parts of a docstring in Google style by their headings."""
    headings = "Args|Attributes|Returns|Yields|Raises|Example"
    return dict(re.findall(rf"^({headings}):\n((?:(?: {{4}}.*)?\n?)+)", inspect.getdoc(thing) or "", re.MULTILINE))


def described(thing: Any) -> set[str]:
    """Return the arguments and attributes that a docstring tells of."""
    parts = sections(thing)
    rows = re.findall(r"^ {4}(\w+(?:, \w+)*): \S", parts.get("Args", "") + parts.get("Attributes", ""), re.MULTILINE)
    return {name for row in rows for name in row.split(", ")}


def to_describe(thing: Any) -> list[str]:
    """Return the arguments and fields that a docstring has to tell of."""
    if not inspect.isclass(thing):
        return [name for name in inspect.signature(thing).parameters if name not in {"self", "cls"}]
    if dataclasses.is_dataclass(thing):
        own = vars(thing).get("__annotations__", {})
        return [
            field.name for field in dataclasses.fields(thing) if field.name in own and not field.name.startswith("_")
        ]
    initialiser = vars(thing).get("__init__")
    if initialiser is None or getattr(thing, "_is_protocol", False):
        return []
    return [name for name in inspect.signature(initialiser).parameters if name != "self"]
