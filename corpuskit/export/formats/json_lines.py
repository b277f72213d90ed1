"""JSON Lines: one object a document."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from corpuskit.document import NLPTextDocument
from corpuskit.export.formats.element_rows import DocumentReader, document_head, element_objects
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format
from corpuskit.validation import check_input_file

_MAX_LINE: Final = 512 * 1024 * 1024  # bytes
# Unicode line separators. In JSON they occur only in strings, where they can be escaped.
_LINE_ENDS: Final = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"}


@export_format("jsonl", files="corpus.jsonl", about="JSON Lines: metadata, text, elements")
class JsonLinesWriter:
    """``corpus.jsonl``: one object a document.

    Keys: those of ``documents()`` that have a value, metadata (object), text, and elements (list of objects: type,
    level, main, text, row, ...) unless they are left out.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._elements = options.elements
        self._file = (folder / "corpus.jsonl").open("wb")

    def write(self, item: Item) -> None:
        """Write the document's line."""
        row = {name: value for name, value in item.row.items() if value is not None and name != "elements"}
        content = {**row, **document_head(item.document), "text": item.text}
        if self._elements:
            content["elements"] = element_objects(item.document.table)
        self._file.write(json_line(content))

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


def json_line(content: dict[str, Any]) -> bytes:
    """Return an object as one line of UTF-8, also for programs that split at Unicode line separators."""
    text = json.dumps(content, ensure_ascii=False)
    if not text.isascii():
        for character, escaped in _LINE_ENDS.items():
            if character in text:
                text = text.replace(character, escaped)
    return text.encode("utf-8", "replace") + b"\n"


def read_jsonl(path: str | os.PathLike[str]) -> Iterator[NLPTextDocument]:
    """Yield the documents of a ``corpus.jsonl``, read one at a time.

    A document without elements gets one TextBlock with its text.

    Args:
        path: The file.

    Raises:
        DocumentFormatError: A line is not a document; ``.line`` is its number.
        SourceError: There is no such file, or it is a folder.
    """
    file_path = check_input_file(path)
    where = os.fspath(path)
    with file_path.open("rb") as file:
        number = 0
        while line := file.readline(_MAX_LINE + 1):
            number += 1
            if line.isspace():
                continue
            reader = DocumentReader(where, number)
            if len(line) > _MAX_LINE:
                raise reader.fault("more than 512 MiB", "a document")
            try:
                content = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise reader.fault(error, "a JSON object") from None
            if not isinstance(content, dict):
                raise reader.fault(type(content).__name__, "a JSON object")
            yield reader.read(content, _elements(content, reader))


def _elements(content: dict[str, Any], reader: DocumentReader) -> list[Any]:
    elements = content.get("elements")
    if isinstance(elements, list):
        return elements
    text = content.get("text")
    if elements is not None or not isinstance(text, str):
        raise reader.fault("neither", "elements or a text")
    return [{"type": "TextBlock", "level": 1, "text": text}] if text else []
