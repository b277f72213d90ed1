"""Plain XML: the elements by their names in the standard, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from corpuskit.document.elements import TEXT_BLOCK, TYPE_NAMES
from corpuskit.export.formats.xml_text import attribute, content
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format

NAMESPACE: Final = "urn:corpuskit:corpus:1"
_ROW: Final = ("doc_id", "version", "host", "media_type", "lang", "fetched", "relevance", "decision", "label")
_CELL: Final = ("row", "rowSpan", "col", "colSpan")
_ATTRIBUTES: Final = (("role", "role"), ("zone", "zone"), ("page", "page"), ("locator", "locator"),
                      ("main_probability", "mainProbability"))  # fmt: skip


@export_format("xml", files="corpus.xml", about="plain XML with a RELAX NG schema", tree=True)
class XmlWriter:
    """``corpus.xml``: ``<corpus><document ...><title/><uri/>...<elements>``; ``corpus.rng`` is its schema.

    Elements are named as in the standard: ``<Section><Title>..</Title>..</Section>``, ``<TextBlock>text</TextBlock>``.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        from importlib.resources import files

        schema = files("corpuskit.export").joinpath("schemas", "corpus.rng").read_bytes()
        (folder / "corpus.rng").write_bytes(schema)
        self._file = (folder / "corpus.xml").open("w", encoding="utf-8", newline="\n")
        self._file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<corpus xmlns="{NAMESPACE}">\n')

    def write(self, item: Item) -> None:
        """Write the document."""
        document = item.document
        named = "".join(f' {name}="{attribute(item.row[name])}"' for name in _ROW if item.row[name] is not None)
        lines = [
            f"<document{named}>",
            f"<title>{content(document.title)}</title>",
            f"<uri>{content(document.uri)}</uri>",
        ]
        if document.timestamp:
            lines.append(f"<timestamp>{document.timestamp.isoformat()}</timestamp>")
        for key, value in document.metadata.items():
            lines.append(f"<property><name>{content(key)}</name><value>{content(value)}</value></property>")
        lines.append("<elements>")
        lines += _element_lines(item)
        lines.append("</elements>\n</document>\n")
        self._file.write("\n".join(lines))

    def close(self) -> None:
        """Ends the file."""
        self._file.write("</corpus>\n")
        self._file.close()


def _element_lines(item: Item) -> list[str]:
    table = item.document.table
    lines: list[str] = []
    ends: list[int] = []
    for i, code in enumerate(table.type):
        while ends and table.subtree_end[ends[-1]] <= i:
            lines.append(f"</{TYPE_NAMES[table.type[ends.pop()]]}>")
        name, text = TYPE_NAMES[code], table.text[i]
        named = "" if table.main[i] else ' main="false"'
        if i in table.cells:
            named += "".join(f' {key}="{value}"' for key, value in zip(_CELL, table.cells[i], strict=True))
        for column, key in _ATTRIBUTES:
            value = table.marks.get(column, {}).get(i)
            if value is not None:
                named += f' {key}="{attribute(value)}"'
        extra = [
            f"<{tag}>{content(table.marks[tag][i])}</{tag}>"
            for tag in ("links", "tex", "formatting")
            if i in table.marks.get(tag, {})
        ]
        if code == TEXT_BLOCK:
            lines.append(f"<TextBlock{named}>{content(text or '')}{''.join(extra)}</TextBlock>")
            continue
        title = "" if text is None else f"<Title>{content(text)}</Title>"
        lines.append(f"<{name}{named}>{title}{''.join(extra)}")
        ends.append(i)
    lines += [f"</{TYPE_NAMES[table.type[i]]}>" for i in reversed(ends)]
    return lines
