"""Pytest plugin: ``pytest --without linguistics`` runs the tests of everything else with that feature group blocked.

A test that needs a group is in a directory of it, or has the marker ``feature``.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder

import pytest

from corpuskit.plugins import FeatureGroup, feature_groups

DIRECTORIES = {
    "archives": {"discovery", "shards"},
    "compat": {"compat"},
    "linguistics": {"linguistics", "tokens"},
    "vectors": {"vectors"},
}

# These import feature groups when they are collected.
WHOLE = {"test_docstrings.py", "test_frames.py", "test_hints.py", "test_pdf_trio.py", "test_wrong_numbers.py"}


class Blocked(MetaPathFinder):
    """Finder that refuses the packages of feature groups."""

    def __init__(self, packages: set[str]) -> None:
        self._packages = packages

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Raise an ImportError for a blocked package."""
        if any(name == package or name.startswith(f"{package}.") for package in self._packages):
            raise ModuleNotFoundError(f"{name} is blocked", name=name)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--without``."""
    parser.addoption(
        "--without", action="append", default=[], choices=sorted(DIRECTORIES), help="block a feature group"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Block the groups before any test module is imported."""
    names = set(config.getoption("--without"))
    if names:
        groups: tuple[FeatureGroup, ...] = feature_groups()
        sys.meta_path.insert(
            0, Blocked({package for group in groups if group.name in names for package in group.packages})
        )
        for group in groups:
            if group.name in names:
                for module in [name for name in sys.modules if name.startswith(group.packages)]:
                    del sys.modules[module]
        feature_groups.cache_clear()


def pytest_ignore_collect(collection_path, config: pytest.Config) -> bool | None:
    """Leave out the directories of blocked groups."""
    groups = config.getoption("--without")
    blocked = {name for group in groups for name in DIRECTORIES[group]}
    is_directory = collection_path.is_dir() and collection_path.name in blocked
    return True if is_directory or (groups and collection_path.name in WHOLE) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that need a blocked group."""
    blocked = set(config.getoption("--without"))
    if not blocked:
        return
    needed = {item: {name for mark in item.iter_markers("feature") for name in mark.args} for item in items}
    config.hook.pytest_deselected(items=[item for item in items if needed[item] & blocked])
    items[:] = [item for item in items if not needed[item] & blocked]
