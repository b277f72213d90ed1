"""A Word document to the standard document."""

from __future__ import annotations

from lxml import etree

from corpuskit.document import DocumentBuilder, NLPTextDocument
from corpuskit.errors import ExtractionError
from corpuskit.extraction.docx import names as n
from corpuskit.extraction.docx.chunks import read_chunk
from corpuskit.extraction.docx.names import w
from corpuskit.extraction.docx.numbering import Numbering
from corpuskit.extraction.docx.package import Package
from corpuskit.extraction.docx.properties import read_properties
from corpuskit.extraction.docx.styles import Styles, is_on
from corpuskit.extraction.docx.walk import Walker
from corpuskit.extraction.docx.writer import Writer
from corpuskit.extraction.options import ExtractOptions

_SEPARATORS = frozenset(("separator", "continuationSeparator", "continuationNotice"))


def extract_package(package: Package, options: ExtractOptions, depth: int = 0) -> NLPTextDocument:
    """The document of a package that is open; ``depth``: how many documents it is imported into."""
    reading = _Reading(package, options, depth)
    document = reading.document()
    title, metadata, timestamp = read_properties(package)
    document.title = title or reading.first_title(document)
    document.metadata.update(metadata)
    document.timestamp = timestamp
    document.warnings.extend(package.warnings)
    return document


class _Reading:
    """Reads one package."""

    def __init__(self, package: Package, options: ExtractOptions, depth: int) -> None:
        self._package = package
        self._main = package.main_part()
        root = package.parse(self._main)
        # One by the standard (17.2.3); some writers of forms put several, and Word shows the first: no text is lost here.
        self._bodies = [
            (place, one) for place, one in enumerate(() if root is None else root, 1) if one.tag == w("body")
        ]
        if not self._bodies:
            reason = f": {package.warnings[-1]}" if package.warnings else ""
            raise ExtractionError(f"{package.where}: {self._main} is no Word document{reason}")
        styles = Styles(package, package.related(self._main, "styles"))
        self._builder = DocumentBuilder()
        self._writer = Writer(self._builder)
        numbering = Numbering(self._related("numbering")[1], styles)
        self._walker = Walker(
            package, styles, numbering, self._writer, options,
            lambda name: read_chunk(package, name, options, depth, extract_package),
        )  # fmt: skip

    def document(self) -> NLPTextDocument:
        """The document without its properties."""
        walker, writer = self._walker, self._writer
        sections = [section for _, body in self._bodies for section in body.iter(w("sectPr"))]
        self._running(sections, "header")
        with writer.flow(has_sections=True):
            for place, body in self._bodies:
                walker.part(self._main, body, f"/*/*[{place}]")
        self._notes()
        self._comments()
        self._running(sections, "footer")
        document = self._builder.build()
        main = document.table.main
        for start, end in walker.not_main:
            main[start:end] = [False] * (end - start)
        return document

    @staticmethod
    def first_title(document: NLPTextDocument) -> str:
        """The first text that is a title by its style."""
        roles = document.table.marks.get("role", {})
        return next((document.table.text[i] or "" for i, role in roles.items() if role == "title"), "")

    def _related(self, kind: str) -> tuple[str, etree._Element | None]:
        name = self._package.related(self._main, kind)
        return name or "", self._package.parse(name) if name else None

    def _notes(self) -> None:
        """Footnotes and endnotes that are referred to (17.11), in the order of the references."""
        parts = {}
        for kind in dict.fromkeys(kind for kind, _ in self._walker.notes):
            name, root = self._related(kind + "s")
            notes = {} if root is None else {
                note.get(n.ID): (place, note) for place, note in enumerate(root, 1)
                if note.get(w("type")) not in _SEPARATORS
            }  # fmt: skip
            parts[kind] = name, notes
        for kind, note_id in dict.fromkeys(self._walker.notes):
            name, notes = parts[kind]
            if note_id in notes:
                place, note = notes[note_id]
                self._part(name, note, f"/*/*[{place}]", "footnote")

    def _comments(self) -> None:
        """All comments (17.13.4.2), in their order."""
        name, root = self._related("comments")
        for place, comment in enumerate(() if root is None else root, 1):
            self._part(name, comment, f"/*/*[{place}]", "comment", is_main=False)

    def _running(self, sections: list[etree._Element], kind: str) -> None:
        """Headers or footers that are shown (17.10), each part and each text once."""
        shown: dict[str, None] = {}
        relations = self._package.relationships(self._main)
        for section in sections:
            first = section.find(w("titlePg"))
            for reference in section.iterchildren(w(f"{kind}Reference")):
                which = reference.get(w("type"), "default")
                if which == "first" and (first is None or not is_on(first.get(n.VAL, "1"))):
                    continue
                relation = relations.get(reference.get(n.R_ID, ""))
                if relation is not None and not relation.external:
                    shown.setdefault(relation.target)
        texts = set()
        for name in shown:
            root = self._package.parse(name)
            if root is not None and (text := "".join(map(str, root.itertext())).strip()) not in texts:
                texts.add(text)
                self._part(name, root, "/*", kind, is_main=False)

    def _part(self, name: str, root: etree._Element, path: str, role: str, *, is_main: bool = True) -> None:
        start = self._writer.count
        with self._writer.flow():
            self._walker.part(name, root, path, role)
        if not is_main:
            self._walker.not_main.append((start, self._writer.count))
