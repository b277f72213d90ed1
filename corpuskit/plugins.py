"""Plugins: modules found in a package, and feature groups found by their entry points.

A new extractor, export format, preprocessing step, command or source is a new module with a decorator. A *feature group* is a set
of packages around the core: it adds an attribute to :class:`corpuskit.corpus.Corpus` and modules to the registries of the core,
which imports none of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any, Final

ENTRY_POINTS: Final = "corpuskit.features"
"""Entry points of feature groups; each names a :class:`FeatureGroup`."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """What a feature group adds to the core. Objects are references, ``"package.module:name"``, imported when first used.

    Attributes:
        name: Name of the group.
        packages: Packages and modules of the group. The core imports none of them.
        accessors: Attribute of ``Corpus`` → class of the accessor.
        methods: Method of ``Corpus`` → method of an accessor, such as ``"kwic": "text.kwic"``. Listed by ``dir``.
        old_names: Earlier name of a method → its present one. Not listed by ``dir``.
        modules: Package of a registry → modules to import with it, such as
            ``"corpuskit.cli.commands": ("corpuskit.features.archives.commands",)``.
        hooks: Name of a hook → function (:mod:`corpuskit.hooks`).
        moved: Earlier public name in a package of the core → the object, such as
            ``"corpuskit.crawl.write_requests": "corpuskit.compat.request_log:write_requests"``.
    """

    name: str
    packages: tuple[str, ...] = ()
    accessors: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    old_names: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hooks: Mapping[str, str] = field(default_factory=dict)
    moved: Mapping[str, str] = field(default_factory=dict)


@cache
def feature_groups() -> tuple[FeatureGroup, ...]:
    """Return the installed feature groups, by name. One that cannot be imported is logged and left out."""
    groups: list[FeatureGroup] = []
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        try:
            groups.append(point.load())
        except ImportError as error:
            _LOG.warning("the feature group %s is not available: %s", point.name, error)
    return tuple(groups)


def load(reference: str) -> Any:
    """Return an object or a module by its reference.

    Args:
        reference: ``"package.module:name"``, or ``"package.module"``.
    """
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def moved_names(package: str, *modules: str) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a core package, for public names that a feature group defines today.

    Args:
        package: Its name.
        modules: Modules of the package that define the names of its ``__all__``; they are imported when a name is first used.
    """

    def find(name: str) -> Any:
        owner = import_module(package)
        for module in modules if name in owner.__all__ else ():
            if hasattr(source := import_module(f"{package}.{module}"), name):
                setattr(owner, name, getattr(source, name))
                return getattr(source, name)
        for group in feature_groups():
            if reference := group.moved.get(f"{package}.{name}"):
                return load(reference)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


@cache
def import_all(package: str) -> None:
    """Import all modules of a package and those that feature groups add to it, once.

    Args:
        package: Its name. Modules of its sub-packages are not imported.
    """
    for module in sorted(iter_modules(import_module(package).__path__), key=lambda module: module.name):
        import_module(f"{package}.{module.name}")
    for group in feature_groups():
        for name in group.modules.get(package, ()):
            import_module(name)
