"""Elements as plain objects, and a document from them: what JSON Lines, Parquet and TEI have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from corpuskit.document import DocumentBuilder, ElementTable, NLPTextDocument
from corpuskit.document.elements import CELLS, FORMATTING, OPTIONAL_COLUMNS, TEXT_BLOCK, TITLED, TYPE_CODES, TYPE_NAMES
from corpuskit.errors import DocumentFormatError, DocumentModelError

_CELL: Final = ("row", "row_span", "col", "col_span")
_MAX_ELEMENTS: Final = 20_000_000  # of one document
_MARK_TYPES: Final[dict[str, tuple[type, ...]]] = {
    name: (int, float) if name == "main_probability" else (int,) if name == "page" else (str,)
    for name in (*OPTIONAL_COLUMNS, FORMATTING)
}


def element_objects(table: ElementTable) -> list[dict[str, Any]]:
    """Return the elements as JSON objects without null and derivable values.

    Keys: type, level, main; if present also text, row, row_span, col, col_span and the optional columns.
    """
    columns = [(name, column) for name, column in table.marks.items() if column]
    objects = []
    for i, code in enumerate(table.type):
        element: dict[str, Any] = {"type": TYPE_NAMES[code], "level": table.nesting_level[i], "main": table.main[i]}
        text = table.text[i]
        if text is not None:
            element["text"] = text
        if i in table.cells:
            element.update(zip(_CELL, table.cells[i], strict=True))
        for name, column in columns:
            if i in column:
                element[name] = column[i]
        objects.append(element)
    return objects


class DocumentReader:
    """Builds a document from elements that were read, and refuses what no document can be.

    Args:
        where: names the source in errors.
        line: 1-based line or number of the document in it.
    """

    def __init__(self, where: str, line: int = 1) -> None:
        self._where = where
        self._line = line

    def fault(self, actual: object, expected: str) -> DocumentFormatError:
        """Return an error with the location."""
        return DocumentFormatError(self._line, str(actual), expected, where=self._where)

    def read(
        self,
        head: Mapping[str, Any],
        elements: Iterable[Mapping[str, Any]],
    ) -> NLPTextDocument:
        """Return the document.

        Args:
            head: title, uri, timestamp (ISO 8601 or None), metadata (text to text).
            elements: As returned by :func:`element_objects`; a missing ``main`` has the default.

        Raises:
            DocumentFormatError: The objects do not describe the elements of a document.
        """
        builder = DocumentBuilder(*self._head(head), on_repair=self._refuse)
        for key, value in self._metadata(head).items():
            builder.add_metadata(key, value)
        main: list[bool] = []
        try:
            for element in elements:
                if not isinstance(element, Mapping) or len(main) >= _MAX_ELEMENTS:
                    raise self.fault(type(element).__name__, f"at most {_MAX_ELEMENTS:,} objects")
                self._add(builder, element)
                main.append(element.get("main", True))
            while (opened := builder.open_type) is not None:
                builder.end(opened)
            document = builder.build()
        except DocumentModelError as error:
            raise self.fault(error, "the elements of a document") from None
        if not all(type(value) is bool for value in main):
            raise self.fault("another value", "main as true or false")
        if main:
            document.table.main[:] = main
        return document

    def _add(self, builder: DocumentBuilder, element: Mapping[str, Any]) -> None:
        kind, level, text = element.get("type"), element.get("level"), element.get("text")
        code = TYPE_CODES.get(kind) if isinstance(kind, str) else None
        if code is None or type(level) is not int or not isinstance(text, str | None):
            raise self.fault(dict(element), "type, level and text of an element")
        if not 1 <= level <= builder.depth + 1:
            raise self.fault(f"level {level}", f"a level from 1 to {builder.depth + 1}")
        while builder.depth >= level:
            opened = builder.open_type
            assert opened is not None
            builder.end(opened)
        if code == TEXT_BLOCK:
            element_id = builder.add_text_block(text or "")
        else:
            if text is not None and code not in TITLED:
                raise self.fault(f"text of a {TYPE_NAMES[code]}", "none")
            element_id = builder.start(code, text, cell=self._cell(element) if code in CELLS else None)
        for name, kinds in _MARK_TYPES.items():
            value = element.get(name)
            if value is not None:
                if type(value) not in kinds:
                    raise self.fault(f"{name} {value!r}", f"{name} as {kinds[0].__name__}")
                builder.mark(name, element_id, value)

    def _cell(self, element: Mapping[str, Any]) -> tuple[int, int, int, int]:
        values = [element.get(name, 1 if name.endswith("span") else None) for name in _CELL]
        if not all(type(value) is int and value < 10**9 for value in values):
            raise self.fault(values, "row, row_span, col, col_span counted from 1")
        return values[0], values[1], values[2], values[3]

    def _head(self, head: Mapping[str, Any]) -> tuple[str, str, datetime | None]:
        title, uri, timestamp = (head.get(name) for name in ("title", "uri", "timestamp"))
        title, uri = "" if title is None else title, "?" if uri is None else uri
        if not (isinstance(title, str) and isinstance(uri, str) and isinstance(timestamp, str | None)):
            raise self.fault(dict(head), "title, uri and timestamp as text")
        try:
            return title, uri, None if timestamp is None else datetime.fromisoformat(timestamp)
        except ValueError:
            raise self.fault(timestamp, "a date in ISO 8601") from None

    def _metadata(self, head: Mapping[str, Any]) -> dict[str, str]:
        metadata = head.get("metadata") or {}
        if not isinstance(metadata, dict) or not all(
            isinstance(key, str) and isinstance(value, str) and key.strip() and "=" not in key
            for key, value in metadata.items()
        ):
            raise self.fault("metadata", "an object of texts")
        return metadata

    def _refuse(self, message: str) -> None:
        raise self.fault(message, "items in lists, cells in tables, and all else elsewhere")


def document_head(document: NLPTextDocument) -> dict[str, Any]:
    """Title, uri, timestamp and metadata as :meth:`DocumentReader.read` takes them."""
    return {
        "title": document.title,
        "uri": document.uri,
        "timestamp": document.timestamp.isoformat() if document.timestamp else None,
        "metadata": document.metadata,
    }
