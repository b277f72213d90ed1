"""What arguments may be, told at the door: by the annotations of the public methods of Corpus."""

from __future__ import annotations

import ast
import functools
import inspect
import os
from collections.abc import Callable, Container, Iterable
from numbers import Integral, Real
from typing import Any, Final

from corpuskit.errors import ConfigurationError
from corpuskit.given import as_whole, given_path

_PATH: Final = "os.PathLike[str]"
# Any value has a truth value, and numbers of numpy are numbers. A truth value is none, though Python counts with it.
_PLAIN: Final[dict[str, tuple[type, ...]]] = {
    "int": (Integral,), "float": (Real,), "str": (str,), "bool": (object,), "None": (type(None),), _PATH: (os.PathLike,),
}  # fmt: skip
_OPEN: Final[dict[str, Any]] = {
    "Sequence": Iterable, "Iterable": Iterable, "Container": Container, "Callable": Callable,
}  # fmt: skip
_TOLD: Final = {_PATH: "a path", "int": "a whole number", "float": "a number"}
_Check = Callable[[str, object], Any]


class WrongTypeError(ConfigurationError, TypeError):
    """An argument is of another type than its annotation says."""


def checked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method with its arguments checked by its annotations; the method itself where these say nothing.

    A float without a fraction is handed on as a whole number where one is meant: ``budget_bytes=1e9``.

    Raises:
        WrongTypeError: By the method returned: an argument is of another type; the message names it.
    """
    signature = inspect.signature(method)
    checks = {name: check for name, parameter in signature.parameters.items() if (check := _check_of(parameter))}
    if not checks:
        return method
    lists = {name for name, one in signature.parameters.items() if one.kind is one.VAR_POSITIONAL}

    @functools.wraps(method)
    def call(*args: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(*args, **named)
        except TypeError:
            return method(*args, **named)  # Python says best what is missing or too much
        given = bound.arguments
        for name, check in checks.items():
            if name in lists:
                given[name] = tuple(check(name, value) for value in given.get(name, ()))
            elif name in given:
                given[name] = check(name, given[name])
        return method(*bound.args, **bound.kwargs)

    return call


def _check_of(parameter: inspect.Parameter) -> _Check | None:
    """The check of a parameter; None where its annotation names types that are told by what they do."""
    if parameter.kind is parameter.VAR_KEYWORD or not isinstance(parameter.annotation, str):
        return None
    alternatives = _alternatives(ast.parse(parameter.annotation, mode="eval").body)
    kinds: list[Any] = []
    for one in alternatives:
        head = one.partition("[")[0]
        if one not in _PLAIN and head not in {*_OPEN, "Mapping"}:
            return None
        kinds += _PLAIN.get(one, (_OPEN.get(head, object),) if head in _OPEN else ())
    has_mapping = any(one.startswith("Mapping[") for one in alternatives)
    wanted = " or ".join(_TOLD.get(one, one) for one in alternatives)

    numbers = {"int", "float"} & set(alternatives)

    def check(name: str, value: object) -> Any:
        if numbers and isinstance(value, bool) and "bool" not in alternatives:
            raise WrongTypeError(f"{name}={value!r}: expected {wanted}")
        if numbers == {"int"} and isinstance(value, float):
            value = value if (whole := as_whole(value)) is None else whole
        if not isinstance(value, tuple(kinds)) and not (has_mapping and hasattr(value, "items")):
            raise WrongTypeError(f"{name}={value!r}: expected {wanted}")
        if _PATH in alternatives and isinstance(value, str):
            given_path(value, name)
        return value

    return check


def _alternatives(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [ast.unparse(node)]
