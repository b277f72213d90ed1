"""The walk over a part: paragraphs, tables, text boxes, in the order of the part."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from lxml import etree

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.docx import names as n
from corpuskit.extraction.docx.inline import Line, Reader
from corpuskit.extraction.docx.names import w
from corpuskit.extraction.docx.numbering import Numbering
from corpuskit.extraction.docx.package import Package
from corpuskit.extraction.docx.styles import ParagraphStyle, Styles, indent_of, integer, outline_level, value_of
from corpuskit.extraction.docx.tables import read_rows
from corpuskit.extraction.docx.writer import Block, Item, Writer
from corpuskit.extraction.options import ExtractOptions

_P_STYLE, _OUTLINE, _NUM_PR, _NUM_ID, _LEVEL = w("pStyle"), w("outlineLvl"), w("numPr"), w("numId"), w("ilvl")
_FRAME, _DROP_CAP, _INDENT, _ALT_CHUNK = w("framePr"), w("dropCap"), w("ind"), w("altChunk")
Properties = dict[str, etree._Element]
_TABLE_LABEL: Final = re.compile(r"tab|tafel|quadro|cuadro|таб|表|جدول|táb", re.IGNORECASE)
_DIAGRAM_TEXT: Final = f"{{{n.DRAWING}}}t"
_DIAGRAM_PARAGRAPH: Final = f"{{{n.DRAWING}}}p"
_MOST_CHUNKS: Final = 200  # each can be as large as a package
_NO_STYLE: Final = ParagraphStyle()


class Walker:
    """Walks over parts of one document.

    Args:
        package: where the parts are.
        styles: the document's styles.
        numbering: the document's lists.
        writer: takes the blocks.
        options: of the extraction.
        read_chunk: reads a part in another format that is imported; None where it cannot.
    """

    def __init__(
        self,
        package: Package,
        styles: Styles,
        numbering: Numbering,
        writer: Writer,
        options: ExtractOptions,
        read_chunk: Callable[[str], NLPTextDocument | None],
    ) -> None:
        original = options.tracked_changes == "original"
        self.notes: list[tuple[str, str]] = []
        self.not_main: list[tuple[int, int]] = []
        self._package, self._styles, self._numbering, self._writer = package, styles, numbering, writer
        self._reader = Reader(styles, original=original)
        self._original, self._images = original, options.images
        self._read_chunk, self._chunks = read_chunk, 0
        changed = (n.INS, n.MOVE_TO) if original else (n.DEL, n.MOVE_FROM)
        self._dropped = frozenset(changed)
        self._wrappers = n.WRAPPERS | ({n.INS, n.MOVE_TO, n.DEL, n.MOVE_FROM} - self._dropped)
        self._role: str | None = None
        self._part = ""
        self._held: tuple[Line, str] | None = None

    def part(self, name: str, root: etree._Element, path: str, role: str | None = None) -> None:
        """Walks over the blocks of an element of a part; ``role`` is that of all texts in it."""
        self._part = name
        self._reader.relations = self._package.relationships(name)
        self._role = role
        self._blocks(root, f"{name}#{path}")

    def _blocks(self, parent: etree._Element, path: str) -> None:
        outer, self._held = self._held, None
        self._block_list(parent, path)
        self._write_held()
        self._held = outer

    def _write_held(self) -> None:
        """Writes what waited for a paragraph that did not come."""
        held, self._held = self._held, None
        if held is not None:
            self._write(held[0], {}, _NO_STYLE, held[1])

    def _block_list(self, parent: etree._Element, path: str) -> None:
        for place, element in enumerate(parent, 1):
            tag = element.tag
            if tag == n.P:
                self._paragraph(element, f"{path}/*[{place}]")
            elif tag == n.TBL:
                self._table(element, f"{path}/*[{place}]")
            elif tag in self._wrappers:
                self._block_list(element, f"{path}/*[{place}]")
            elif tag == n.ALTERNATE and len(element):
                self._block_list(element[0], f"{path}/*[{place}]/*[1]")
            elif tag == _ALT_CHUNK:
                self._chunk(element, f"{path}/*[{place}]")

    def _chunk(self, element: etree._Element, path: str) -> None:
        """A part in another format that is imported here."""
        self._write_held()
        relation = self._reader.relations.get(element.get(n.R_ID, ""))
        if relation is None or relation.external:
            self._package.warnings.append("a part that is imported (altChunk) is not in the package")
        elif self._chunks >= _MOST_CHUNKS:
            self._package.warnings.append(f"{relation.target}: more than {_MOST_CHUNKS} parts are imported (altChunk)")
        else:
            self._chunks += 1
            if (document := self._read_chunk(relation.target)) is not None:
                self._writer.insert(document, path)

    def _paragraph(self, paragraph: etree._Element, path: str) -> None:
        first = paragraph.find(n.P_PR)
        properties = {} if first is None else {element.tag: element for element in first}
        style = self._styles.paragraph(properties[_P_STYLE].get(n.VAL) if _P_STYLE in properties else None)
        line = self._reader.read(paragraph, is_hidden=style.hidden)
        if self._held is not None:
            line.precede(self._held[0])
            self._held = None
        if properties and self._goes_on(properties):
            self._held = (line, path)
            return
        self._write(line, properties, style, path)

    def _goes_on(self, properties: Properties) -> bool:
        """Whether the next paragraph is the rest of this one.

        Its mark was deleted (17.13.5.15), or it holds the first letter of the next one (17.3.1.11).
        """
        frame = properties.get(_FRAME)
        if frame is not None and frame.get(_DROP_CAP, "none") != "none":
            return True
        marks = properties.get(n.R_PR)
        return marks is not None and any(marks.find(tag) is not None for tag in self._dropped)

    def _write(self, line: Line, properties: Properties, style: ParagraphStyle, path: str) -> None:
        text, tex, links = line.text()
        writer = self._writer
        in_list = False
        if text:
            level = style.level
            if _OUTLINE in properties:
                level = outline_level(properties[_OUTLINE].get(n.VAL))
            if level is not None:
                role = self._role or ("section-heading" if level else "title")
                block = Block(text, role, path, tex, links)
                if writer.has_sections:
                    writer.heading(block, level)
                else:
                    writer.paragraph(block)
            elif (item := self._item(properties, style)) is not None and not item.is_shown:
                in_list = self._writer.goes_on(item.level)
                self._text(Block(text, self._role_of(line, style), path, tex, links), line, in_list=in_list)
            elif item is not None:
                writer.item(Block(text, self._role or "list", path, tex, links), item)
                in_list = True
            else:
                in_list = style.continues_list
                self._text(Block(text, self._role_of(line, style), path, tex, links), line, in_list=in_list)
        if line.notes:
            self.notes += line.notes
        if line.boxes or line.diagrams or line.pictures:
            self._anchored(line, path, in_list=in_list)

    def _text(self, block: Block, line: Line, *, in_list: bool) -> None:
        if block.role == "caption":
            label = line.counted or block.text[:12]
            self._writer.caption(block, follows=bool(_TABLE_LABEL.search(label)))
        else:
            self._writer.paragraph(block, in_list=in_list)

    def _role_of(self, line: Line, style: ParagraphStyle) -> str:
        if self._role:
            return self._role
        if style.role:
            return style.role
        if line.has_equation and not line.has_words:
            return "equation"
        return "caption" if line.counted and line.counted.lower() not in {"equation", "gleichung"} else "paragraph"

    def _item(self, properties: Properties, style: ParagraphStyle) -> Item | None:
        """The list and level of a paragraph; None for one that is in no list (17.9.18, 17.3.1.19)."""
        number = level = None
        if _NUM_PR in properties:
            direct = properties[_NUM_PR]
            number, level = value_of(direct, _NUM_ID), integer(value_of(direct, _LEVEL))
        if number is None:
            number = style.number
            if number is not None and level is None:
                level = style.list_level
                if level is None:
                    level = self._numbering.level_of_style(number, style.ids)
        found = self._numbering.level(number, level or 0) if number is not None else None
        if found is None:
            if style.names_list is None or number == "0":
                return None
            return Item("", style.names_list, indent_of(properties.get(_INDENT)) or style.indent or 0)
        assert number is not None
        indent = indent_of(properties.get(_INDENT))
        if indent is None:
            indent = found.indent if found.indent is not None else style.indent
        return Item(self._numbering.list_of(number), level or 0, indent or 0, is_shown=found.is_shown)

    def _anchored(self, line: Line, path: str, *, in_list: bool) -> None:
        for box in line.boxes:
            if in_list:
                self._blocks(box, f"{path}//*")
            else:
                with self._writer.flow():
                    self._blocks(box, path)
        pictured = [text for relation_id in line.diagrams for text in self._diagram(relation_id)]
        pictured += [" ".join(text.split()) for text in line.pictures]
        for text in pictured if self._images else ():
            start = self._writer.count
            self._writer.paragraph(Block(text, self._role or "figure", path), in_list=in_list)
            self.not_main.append((start, self._writer.count))

    def _diagram(self, relation_id: str) -> list[str]:
        """The texts of a diagram's points (21.4)."""
        relation = self._reader.relations.get(relation_id)
        root = self._package.parse(relation.target) if relation and not relation.external else None
        if root is None:
            return []
        texts = ("".join(t.text or "" for t in p.iter(_DIAGRAM_TEXT)).strip() for p in root.iter(_DIAGRAM_PARAGRAPH))
        return [text for text in texts if text]

    def _table(self, table: etree._Element, path: str) -> None:
        rows = read_rows(table, self._styles, original=self._original)
        if not rows:
            return
        self._writer.start_table(path)
        role = self._role
        self._role = role or "table"
        for number, row in enumerate(rows, 1):
            for cell in row.cells:
                with self._writer.cell((number, cell.row_span, cell.col, cell.col_span), is_header=row.is_header):
                    self._blocks(cell.element, path + cell.path)
        self._role = role
