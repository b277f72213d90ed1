"""Validation of the arguments of the public API: types by annotations, paths and whole numbers."""

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
"""Configuration of dataclasses that Pydantic reads: no unknown names, no conversions."""

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
# Any value has a truth value, and numbers of numpy are numbers. A truth value is none, though Python counts with it.
_PLAIN: Final[dict[str, tuple[type, ...]]] = {
    "int": (Integral,), "float": (Real,), "str": (str,), "bool": (object,), "None": (type(None),), _PATH: (os.PathLike,),
}  # fmt: skip
_OPEN: Final[dict[str, Any]] = {
    "Sequence": Iterable, "Iterable": Iterable, "Container": Container, "Callable": Callable,
}  # fmt: skip
_TOLD: Final = {_PATH: "a path", "int": "a whole number", "float": "a number"}
# First part of Pydantic's types of errors.
_EXPECTED: Final = {
    "int": "a whole number", "float": "a number", "string": "a string", "bool": "true or false", "tuple": "a list",
    "dataclass": "a table", "mapping": "a table", "dict": "a table",
}  # fmt: skip
_Check = Callable[[str, object], Any]


class MissingFileError(SourceError, FileNotFoundError):
    """There is no such file; callers may expect Python's own error."""


class FolderError(SourceError, IsADirectoryError):
    """A folder is where a file is meant; callers may expect Python's own error."""


def check_path(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Check an argument that is a path, and return it.

    Args:
        path: The argument.
        name: Its name, for the message.

    Raises:
        SourceError: It is empty, which would mean the working directory.
        TypeError: It is not a path.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise TypeError(f"{name}: found {path!r}, expected a path, as a str or a pathlib.Path")
    if not os.fspath(path):
        raise SourceError(f"{name}: found an empty string, expected a path; '.' is the working directory")
    return Path(path)


def check_input_file(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Check the path of a file to read, and return it. Pipes and devices are accepted.

    Args:
        path: The argument.
        name: Its name, for the message.

    Raises:
        SourceError: It is empty, a directory (also an IsADirectoryError), or does not exist (also a FileNotFoundError).
        TypeError: It is not a path.
    """
    file = check_path(path, name)
    if file.is_dir():
        raise FolderError(f"{file} is a folder, expected a file; name one of those in it")
    if not file.exists():
        raise MissingFileError(f"there is no file {os.fspath(path)!r} (looked from {Path.cwd()})")
    return file


def check_output_file(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Check the path of a file to write, and return it.

    Args:
        path: The argument.
        name: Its name, for the message.

    Raises:
        SourceError: It is empty, or a directory.
        TypeError: It is not a path.
    """
    file = check_path(path, name)
    if file.is_dir():
        raise FolderError(f"{file} is a folder, expected a file to write; add a name to it")
    return file


def check_count(value: object, name: str, *, least: int = 0) -> int:
    """Check an argument that is an integer, and return it. Integers of numpy and floats such as 1e6 are accepted.

    Args:
        value: The argument.
        name: Its name, for the message.
        least: Its minimum.

    Raises:
        ConfigurationError: It is less, or not an integer; ``True`` is none.
    """
    whole = as_int(value)
    if whole is None or whole < least:
        raise ConfigurationError(f"{name}={value!r:.80}: expected a whole number, at least {least}")
    return whole


def as_int(value: object) -> int | None:
    """Return a value as an integer; None if it is not an integer of Python or numpy, or a float without a fraction.

    Args:
        value: The value; ``True`` is not a number.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else None


def expected_value(error: Mapping[str, Any]) -> str:
    """Return what a value should have been.

    Args:
        error: One of the errors of Pydantic.
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
    """An argument is of another type than its annotation says."""


def validate_arguments(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method with its arguments validate_arguments by its annotations; the method itself where these say nothing.

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
            value = value if (whole := as_int(value)) is None else whole
        if not isinstance(value, tuple(kinds)) and not (has_mapping and hasattr(value, "items")):
            raise WrongTypeError(f"{name}={value!r}: expected {wanted}")
        if _PATH in alternatives and isinstance(value, str):
            check_path(value, name)
        return value

    return check


def _alternatives(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [ast.unparse(node)]
