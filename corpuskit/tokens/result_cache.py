"""Cache of results per token index or selection. It is released together with its owner."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
Value = TypeVar("Value")


class HasResults(Protocol):
    """Object that holds the results of cached functions."""

    @property
    def results(self) -> dict[Any, Any]:
        """Results by function and arguments."""


Owner = TypeVar("Owner", bound=HasResults)


def cached_by_owner(function: Callable[Concatenate[Owner, P], Value]) -> Callable[Concatenate[Owner, P], Value]:
    """Return the function with its results cached in its first argument. Other arguments are hashable and positional."""

    @functools.wraps(function)
    def call(owner: Owner, *args: P.args, **named: P.kwargs) -> Value:
        key = (function, *args)
        if key not in owner.results:
            owner.results[key] = function(owner, *args, **named)
        result: Value = owner.results[key]
        return result

    return call  # type: ignore[return-value]
