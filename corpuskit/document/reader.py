"""Reading of ``.nlp.txt`` files."""

from __future__ import annotations

import os
import re
from datetime import datetime
from typing import IO, Final

from corpuskit.document.builder import DocumentBuilder
from corpuskit.document.elements import (
    CELLS,
    LIST_ITEM,
    LISTS,
    NAVIGATION_LIST,
    TEXT_BLOCK,
    TYPE_CODES,
    TYPE_NAMES,
)
from corpuskit.document.escaping import unescape, unguard
from corpuskit.document.model import NLPTextDocument
from corpuskit.errors import DocumentFormatError
from corpuskit.validation import check_input_file

_LINE_END = re.compile(r"\r\n|\n|\r")
_PROPERTY: Final = "## NLPTextDocument "
_MANDATORY: Final = ("Title", "Uri", "Timestamp")
_COMMAND = re.compile(r"## ([0-9]{1,9}) ([A-Za-z]+) (Start|End|Items)(?: (.*))?\Z", re.DOTALL)
_CELL = re.compile(r"(\d{1,9})(?::(\d{1,9}))?,(\d{1,9})(?::(\d{1,9}))?\Z", re.ASCII)
_REFERENCE_DATE = re.compile(r"(\d\d)/(\d\d)/(\d{4}) (\d\d):(\d\d):(\d\d)\Z", re.ASCII)
_NO_YEAR: Final = 1  # year of a missing date in the reference implementation


def read_nlptext(path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str], *, strict: bool = True) -> NLPTextDocument:
    """Read a ``.nlp.txt`` file.

    Files of the reference implementation are supported: a byte order mark, any line ends, dates as month/day/year.

    Args:
        path_or_file: A path, or a file object opened for reading bytes or text.
        strict: Raise if the file violates the format. If False, repair it and add ``warnings``.

    Raises:
        DocumentFormatError: ``strict``, and the file violates the format; ``.line`` is the line number.
        SourceError: The file does not exist or is a directory.
        TypeError: The argument is neither a path nor a file object.
    """
    if isinstance(path_or_file, (str, os.PathLike)):
        return from_nlptext(check_input_file(path_or_file).read_bytes(), strict=strict, where=os.fspath(path_or_file))
    if not hasattr(path_or_file, "read"):
        raise TypeError(f"found {path_or_file!r}, expected a path or a file opened for reading")
    return from_nlptext(path_or_file.read(), strict=strict)


def from_nlptext(content: bytes | str, *, strict: bool = True, where: str | None = None) -> NLPTextDocument:
    """Parse the content of a ``.nlp.txt`` file.

    Args:
        content: The content; bytes are UTF-8.
        strict: Raise if the content violates the format. If False, repair it and add ``warnings``.
        where: Name of the file, for error messages.
    """
    warnings: list[str] = []
    text = content if isinstance(content, str) else _decode(content, strict, where, warnings)
    text = text.removeprefix("\ufeff")
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
    return _Reader(lines, strict, where, warnings).read()


def _decode(content: bytes, strict: bool, where: str | None, warnings: list[str]) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(content[: error.start].decode("utf-8", "replace"))) + 1
        invalid_bytes = repr(content[error.start : error.start + 8])
        if strict:
            raise DocumentFormatError(line, invalid_bytes, "UTF-8", where=where) from None
        warnings.append(f"line {line}: found {invalid_bytes}, expected UTF-8")
        return content.decode("utf-8", "replace")


class _Reader:
    """Parser of the lines of one file."""

    def __init__(self, lines: list[str], strict: bool, where: str | None, warnings: list[str]) -> None:
        self._lines = lines
        self._strict = strict
        self._where = where
        self._warnings = warnings
        self._number = 0
        self._builder = DocumentBuilder(on_repair=self._on_repair)
        self._seen: set[str] = set()

    def read(self) -> NLPTextDocument:
        body = self._read_properties()
        builder, lines = self._builder, self._lines
        add = builder.add_text_block
        for index in range(body, len(lines)):
            line = lines[index]
            if line[:2] == "##":
                self._number = index + 1
                self._read_command(line)
            elif line and not line.isspace():
                self._number = index + 1
                if line[0] == " " or line[0] == ".":
                    line = unguard(line)
                add(unescape(line) if "\\n" in line else line)
        self._number = len(lines) + (1 if lines and lines[-1] else 0)
        if unclosed := builder.close_all():
            self._fault(f"the end of the file, {len(unclosed)} open", f"the end of the {unclosed[0]}")
        document = builder.build()
        document.warnings = self._warnings  # includes those of the builder, with line numbers
        return document

    def _read_properties(self) -> int:
        """Read the properties and return the index of the first line after them."""
        index = 0
        for index, line in enumerate(self._lines):
            self._number = index + 1
            if line.startswith(_PROPERTY):
                self._read_property(line[len(_PROPERTY) :], line)
            elif line and not line.isspace():
                break
        else:
            index = len(self._lines)
        for name in _MANDATORY:
            if name not in self._seen:
                actual = self._lines[index] if index < len(self._lines) else "the end of the file"
                self._fault(actual, f"the mandatory property {name}")
                self._seen.add(name)
        return index

    def _read_property(self, rest: str, line: str) -> None:
        name, _, value = rest.partition(" ")
        if name == "Metadata":
            self._read_metadata(value, line)
            return
        if name not in _MANDATORY:
            self._fault(line, "the property Title, Uri, Timestamp or Metadata")
            return
        if name in self._seen:
            self._fault(line, f"the property {name} once only")
        elif any(later in self._seen for later in _MANDATORY[_MANDATORY.index(name) + 1 :]):
            self._fault(line, "the properties in the order Title, Uri, Timestamp, Metadata")
        self._seen.add(name)
        if name == "Title":
            self._builder.set_title(unescape(value))
        elif name == "Uri":
            self._builder.set_uri(unescape(value))
        else:
            self._builder.set_timestamp(self._timestamp(value, line))

    def _read_metadata(self, rest: str, line: str) -> None:
        key, equals, value = rest.partition("=")
        key = unescape(key).strip()
        if not equals or not key:
            self._fault(line, "metadata as key=value")
            return
        if "Metadata " + key in self._seen:
            self._fault(line, f"the metadata key {key!r} once only")
        elif not set(_MANDATORY) <= self._seen:
            self._fault(line, "metadata after the three mandatory properties")
        self._builder.add_metadata(key, unescape(value))
        if set(_MANDATORY) <= self._seen:
            self._seen.add("Metadata " + key)

    def _timestamp(self, value: str, line: str) -> datetime | None:
        value = value.strip()
        try:
            if match := _REFERENCE_DATE.match(value):
                month, day, year, hour, minute, second = map(int, match.groups())
                date = datetime(year, month, day, hour, minute, second)
            else:
                date = datetime.fromisoformat(value)
        except ValueError:
            self._fault(line, "a date as 2023-05-06T07:08:09 or 05/06/2023 07:08:09")
            return None
        return None if date.year == _NO_YEAR else date

    def _read_command(self, line: str) -> None:
        match = _COMMAND.match(line)
        if match is None:
            self._fault(line, "a delimiter: ## LEVEL ELEMENT Start, End or Items, separated by single spaces")
            return
        level, name, command, value = match.groups()
        type_code = TYPE_CODES.get(name, TEXT_BLOCK)
        if type_code == TEXT_BLOCK:
            self._fault(line, "one of " + ", ".join(TYPE_NAMES[1:]))
        elif command == "End":
            self._read_end(type_code, int(level), value or "", line)
        elif command == "Start":
            self._read_start(type_code, value or "", line)
            self._check_level(int(level), line)
        else:
            self._read_items(type_code, int(level), value or "", line)

    def _check_level(self, level: int, line: str) -> None:
        """Check the level of the group that was opened or is about to be closed. The computed level is used."""
        if level != self._builder.depth:
            self._fault(line, f"nesting level {self._builder.depth}")

    def _read_start(self, type_code: int, value: str, line: str) -> None:
        if type_code in CELLS:
            self._builder.start(type_code, cell=self._cell(value, line))
            return
        if type_code == LIST_ITEM:
            if value.strip():
                self._fault(line, "nothing after Start of a ListItem")
            self._builder.start(type_code)
            return
        self._builder.start(type_code, unescape(value) if value.strip() else None)

    def _cell(self, value: str, line: str) -> tuple[int, int, int, int] | None:
        if match := _CELL.match(value.rstrip(" ")):
            row, row_span, col, col_span = (1 if part is None else int(part) for part in match.groups())
            if min(row, row_span, col, col_span) > 0:
                return row, row_span, col, col_span
        self._fault(line, "coordinates as 1,1 or 1:2,1:1, counted from 1")
        return None

    def _read_end(self, type_code: int, level: int, value: str, line: str) -> None:
        opened = self._builder.open_type
        if opened != type_code:
            expected = "no end: nothing is open" if opened is None else f"the end of the {TYPE_NAMES[opened]}"
            self._fault(line, expected)
            return
        self._check_level(level, line)
        title = value.strip()
        if title and not (title.startswith("<<") and title.endswith(">>")):
            self._fault(line, "nothing or <<TITLE>> after End")
        elif title and type_code == NAVIGATION_LIST:
            # The reference implementation writes the title of a NavigationList only here.
            self._builder.set_missing_title(unescape(title[2:-2]))
        self._builder.end(type_code)

    def _read_items(self, type_code: int, level: int, value: str, line: str) -> None:
        if type_code not in LISTS:
            self._fault(line, "Items of a List or NavigationList only")
            return
        title, marker, items = value.partition(">>")
        if not marker:
            self._fault(line, "Items TITLE >> item || item")
            return
        builder = self._builder
        builder.start(type_code, unescape(title.strip()) or None)
        self._check_level(level, line)
        for item in items.split("||"):
            text = item.strip()
            if text:
                builder.start(LIST_ITEM)
                builder.add_text_block(unescape(text))
                builder.end(LIST_ITEM)
        builder.end(type_code)

    def _on_repair(self, message: str) -> None:
        problem, _, _ = message.partition(":")
        self._fault(problem, "items only in lists and cells only in tables", message)

    def _fault(self, actual: str, expected: str, message: str | None = None) -> None:
        error = DocumentFormatError(self._number, actual, expected, where=self._where)
        if self._strict:
            raise error
        self._warnings.append(f"line {self._number}: {message}" if message else str(error))
