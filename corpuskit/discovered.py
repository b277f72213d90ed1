"""Modules that are found by where they stand: a new extractor, export format, step, command or source is a new file.

A decorator keeps what a module brings in a table; who reads the table has all modules of the package imported before.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules


@cache
def import_all(package: str) -> None:
    """Import each module of a package, once.

    Args:
        package: Its name; what stands below its sub-packages is theirs to import.
    """
    for module in sorted(iter_modules(import_module(package).__path__), key=lambda one: one.name):
        import_module(f"{package}.{module.name}")
