"""Paths and numbers as people give them: a folder where a file is meant, an empty string, nothing at all, half a line."""

from __future__ import annotations

import os
from numbers import Integral
from pathlib import Path

from corpuskit.errors import ConfigurationError, SourceError

__all__ = ["as_whole", "given_count", "given_file", "given_path", "given_target"]


class MissingFileError(SourceError, FileNotFoundError):
    """There is no such file; callers may expect Python's own error."""


class FolderError(SourceError, IsADirectoryError):
    """A folder is where a file is meant; callers may expect Python's own error."""


def given_path(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Return what was given as a path.

    Args:
        path: What was given.
        name: Of the argument, for the message.

    Raises:
        SourceError: It is empty, which would mean the working directory.
        TypeError: It is no path.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise TypeError(f"{name}: found {path!r}, expected a path, as a str or a pathlib.Path")
    if not os.fspath(path):
        raise SourceError(f"{name}: found an empty string, expected a path; '.' is the working directory")
    return Path(path)


def given_file(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Return what was given as the path of a file that is there. What is no folder, as a pipe, passes for a file.

    Args:
        path: What was given.
        name: Of the argument, for the message.

    Raises:
        SourceError: It is empty, a folder (also an IsADirectoryError), or nothing stands there (also a FileNotFoundError).
        TypeError: It is no path.
    """
    file = given_path(path, name)
    if file.is_dir():
        raise FolderError(f"{file} is a folder, expected a file; name one of those in it")
    if not file.exists():
        raise MissingFileError(f"there is no file {os.fspath(path)!r} (looked from {Path.cwd()})")
    return file


def given_target(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Return what was given as the path of a file to write.

    Args:
        path: What was given.
        name: Of the argument, for the message.

    Raises:
        SourceError: It is empty, or a folder.
        TypeError: It is no path.
    """
    file = given_path(path, name)
    if file.is_dir():
        raise FolderError(f"{file} is a folder, expected a file to write; add a name to it")
    return file


def given_count(value: object, name: str, *, least: int = 0) -> int:
    """Return what was given as a whole number; numpy's pass, and floats without a fraction such as 1e6.

    Args:
        value: What was given.
        name: Of the argument, for the message.
        least: The least that it may be.

    Raises:
        ConfigurationError: It is something else, a truth value too, or less.
    """
    whole = as_whole(value)
    if whole is None or whole < least:
        raise ConfigurationError(f"{name}={value!r:.80}: expected a whole number, at least {least}")
    return whole


def as_whole(value: object) -> int | None:
    """Return what was given as a whole number: numpy's too, and floats without a fraction; None for all else.

    Args:
        value: What was given; a truth value is no number.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else None
