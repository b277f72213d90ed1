"""Hooks: functions that higher layers provide to lower ones, so that ``document.view()`` does not import widgets.

The feature groups register them (:class:`corpuskit.plugins.FeatureGroup`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from corpuskit.errors import MissingFeatureError
from corpuskit.plugins import feature_groups, load

__all__ = ["hook", "hooks"]


def hook(name: str) -> Callable[..., Any]:
    """Return the function registered for a hook.

    Args:
        name: Name of the hook, such as ``NLPTextDocument.view``.

    Raises:
        MissingFeatureError: None is registered.
    """
    function: Callable[..., Any] | None = next(hooks(name), None)
    if function is not None:
        return function
    raise MissingFeatureError(f"no installed feature group provides {name!r}; install corpuskit again")


def hooks(name: str) -> Iterator[Any]:
    """Yield the functions or modules that the feature groups registered for a hook.

    Args:
        name: Name of the hook.
    """
    for group in feature_groups():
        if name in group.hooks:
            yield load(group.hooks[name])
