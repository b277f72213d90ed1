"""Validation of arguments of the public API: types by annotation, paths and integers."""

from __future__ import annotations

import ast
import functools
import inspect
import os
from collections.abc import Callable, Container, Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import ConfigurationError, SourceError

STRICT: Final = {"extra": "forbid", "strict": True}
"""Pydantic configuration of dataclasses: unknown names are errors, values are not converted."""

__all__ = [
    "STRICT",
    "as_int",
    "check_count",
    "check_input_file",
    "check_output_file",
    "check_path",
    "expected_value",
    "validate_arguments",
]

_PATH: Final = "os.PathLike[str]"
# Any value is accepted as bool. NumPy numbers are numbers; a bool is not a number, although Python's is a subclass of int.
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "int": (Integral,), "float": (Real,), "str": (str,), "bool": (object,), "None": (type(None),), _PATH: (os.PathLike,),
}  # fmt: skip
_GENERIC_TYPES: Final[dict[str, Any]] = {
    "Sequence": Iterable, "Iterable": Iterable, "Container": Container, "Callable": Callable,
}  # fmt: skip
_TYPE_NAMES: Final = {_PATH: "a path", "int": "a whole number", "float": "a number"}
# Prefixes of the error types of Pydantic.
_EXPECTED: Final = {
    "int": "a whole number", "float": "a number", "string": "a string", "bool": "true or false", "tuple": "a list",
    "dataclass": "a table", "mapping": "a table", "dict": "a table",
}  # fmt: skip
_Check = Callable[[str, object], Any]


class MissingFileError(SourceError, FileNotFoundError):
    """The file does not exist. Also a FileNotFoundError, for callers that catch the built-in error."""


class DirectoryError(SourceError, IsADirectoryError):
    """A directory was passed instead of a file. Also an IsADirectoryError, for callers that catch the built-in error."""


def check_path(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Validate a path argument and return it as a Path.

    Args:
        path: The argument.
        name: Name of the parameter, for the message.

    Raises:
        SourceError: The path is empty, which pathlib would take as the working directory.
        TypeError: The argument is not a path.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise TypeError(f"{name}: found {path!r}, expected a path, as a str or a pathlib.Path")
    if not os.fspath(path):
        raise SourceError(f"{name}: found an empty string, expected a path; '.' is the working directory")
    return Path(path)


def check_input_file(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Validate the path of a file to read and return it. Pipes and devices are accepted.

    Args:
        path: The argument.
        name: Name of the parameter, for the message.

    Raises:
        SourceError: The path is empty, a directory (also an IsADirectoryError), or does not exist (also a
            FileNotFoundError).
        TypeError: The argument is not a path.
    """
    file = check_path(path, name)
    if file.is_dir():
        raise DirectoryError(f"expected a file, got a directory: {file}")
    if not file.exists():
        raise MissingFileError(f"file not found: {os.fspath(path)!r} (working directory: {Path.cwd()})")
    return file


def check_output_file(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Validate the path of a file to write and return it.

    Args:
        path: The argument.
        name: Name of the parameter, for the message.

    Raises:
        SourceError: The path is empty or a directory.
        TypeError: The argument is not a path.
    """
    file = check_path(path, name)
    if file.is_dir():
        raise DirectoryError(f"expected the path of a file to write, got a directory: {file}")
    return file


def check_count(value: object, name: str, *, minimum: int = 0) -> int:
    """Validate an integer argument and return it. NumPy integers and floats without a fraction, such as 1e6, are accepted.

    Args:
        value: The argument.
        name: Name of the parameter, for the message.
        minimum: Smallest valid value.

    Raises:
        ConfigurationError: The value is too small or not an integer. ``True`` is not an integer.
    """
    number = as_int(value)
    if number is None or number < minimum:
        raise ConfigurationError(f"{name}={value!r:.80}: expected a whole number, at least {minimum}")
    return number


def as_int(value: object) -> int | None:
    """Return an integer of Python or NumPy, or a float without a fraction, as an int. Return None for any other value.

    Args:
        value: The value. ``True`` is not a number.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else None


def expected_value(error: Mapping[str, Any]) -> str:
    """Return the expected value of a Pydantic error, for the message.

    Args:
        error: An entry of ``ValidationError.errors()``.
    """
    limits = error.get("ctx", {})
    kind, message = error["type"], error["msg"].removeprefix("Value error, ")
    if kind == "greater_than_equal":
        return f"{limits['ge']:g} or more"
    if kind == "less_than_equal":
        return f"{limits['le']:g} or less"
    for start, expected in _EXPECTED.items():
        if kind.startswith(start):
            return expected
    _, is_choice, names = message.partition(" is not one of ")
    return str(f"one of {names.rstrip('.')}" if is_choice else message.removeprefix("Input should be "))


class WrongTypeError(ConfigurationError, TypeError):
    """The type of an argument does not match its annotation."""


def validate_arguments(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that validates its arguments against its annotations, or the method itself if there is nothing to check.

    A float without a fraction is passed on as an int if the annotation is int: ``budget_bytes=1e9``.

    Raises:
        WrongTypeError: Raised by the returned method, with the name of the argument.
    """
    signature = inspect.signature(method)
    checks = {name: check for name, parameter in signature.parameters.items() if (check := _parameter_check(parameter))}
    if not checks:
        return method
    variadic = {name for name, parameter in signature.parameters.items() if parameter.kind is parameter.VAR_POSITIONAL}

    @functools.wraps(method)
    def call(*args: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(*args, **named)
        except TypeError:
            return method(*args, **named)  # raises Python's own message
        arguments = bound.arguments
        for name, check in checks.items():
            if name in variadic:
                arguments[name] = tuple(check(name, value) for value in arguments.get(name, ()))
            elif name in arguments:
                arguments[name] = check(name, arguments[name])
        return method(*bound.args, **bound.kwargs)

    return call


def _parameter_check(parameter: inspect.Parameter) -> _Check | None:
    """Return the check of a parameter, or None if its annotation contains types that cannot be checked."""
    if parameter.kind is parameter.VAR_KEYWORD or not isinstance(parameter.annotation, str):
        return None
    alternatives = _alternatives(ast.parse(parameter.annotation, mode="eval").body)
    types: list[Any] = []
    for alternative in alternatives:
        origin = alternative.partition("[")[0]
        if alternative not in _TYPES and origin not in {*_GENERIC_TYPES, "Mapping"}:
            return None
        types += _TYPES.get(alternative, (_GENERIC_TYPES.get(origin, object),) if origin in _GENERIC_TYPES else ())
    has_mapping = any(alternative.startswith("Mapping[") for alternative in alternatives)
    expected = " or ".join(_TYPE_NAMES.get(alternative, alternative) for alternative in alternatives)

    numbers = {"int", "float"} & set(alternatives)

    def check(name: str, value: object) -> Any:
        if numbers and isinstance(value, bool) and "bool" not in alternatives:
            raise WrongTypeError(f"{name}={value!r}: expected {expected}")
        if numbers == {"int"} and isinstance(value, float):
            value = value if (number := as_int(value)) is None else number
        if not isinstance(value, tuple(types)) and not (has_mapping and hasattr(value, "items")):
            raise WrongTypeError(f"{name}={value!r}: expected {expected}")
        if _PATH in alternatives and isinstance(value, str):
            check_path(value, name)
        return value

    return check


def _alternatives(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [ast.unparse(node)]
