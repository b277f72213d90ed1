"""The PDF and Word files of the demo, made from `texts/`: the same bytes each time.

    uv run python data/demo/make_files.py [FOLDER]

A text begins with `name: value` lines and an empty line. Then blocks, parted by empty lines: `#` and `##` headings, lists with
`- ` or `1. ` (two blanks before a nested item), tables with `| ` (the first row is the header, `^` belongs to the cell above, an
empty cell to the one on its left), `@columns` and `@single` for two columns on a page of their own and back, and paragraphs, in
which `[^...]` is a footnote (Word only).
"""

import datetime
import hashlib
import io
import re
import sys
import unicodedata
import zipfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
MADE = datetime.datetime(2024, 5, 13, 8, 0, 0)  # the date inside every file


class Text(NamedTuple):
    """One source text: its `name: value` lines and its blocks, each with its kind and its lines."""

    meta: dict[str, str]
    blocks: list[tuple[str, list[str]]]


def read_text(path):
    """Return the Text in a file of `texts/`."""
    head, *blocks = re.split(r"\n\n+", path.read_text(encoding="utf-8").strip("\n"))
    meta = dict(line.split(": ", 1) for line in head.split("\n"))
    kinds = {"#": "heading", "-": "list", "|": "table", "@": "layout"}
    return Text(
        meta, [(("list" if b.startswith("1. ") else kinds.get(b[0], "paragraph")), b.split("\n")) for b in blocks]
    )


def heading(line):
    """Return level and text of a heading: `## Rye` gives (2, 'Rye')."""
    marks, text = line.split(" ", 1)
    return len(marks), text


def items(lines):
    """Return (level from 0, number or None, text) for each line of a list."""
    found = [re.match(r"( *)(?:-|(\d+)\.) (.*)", line) for line in lines]
    return [(len(m[1]) // 2, m[2], m[3]) for m in found]


def cells(lines):
    """Return the rows of a table as lists of cell texts."""
    return [[cell.strip() for cell in line[2:].split("|")] for line in lines]


# PDF: Helvetica is one of the fonts that every reader has, so a file needs no more than text, lines and these widths.

PAGES = {"a4": (595, 842, 64), "a5": (420, 595, 44)}  # width, height, margin in points
WIDTHS = [  # of Helvetica, in thousandths of the font size, from the blank to the tilde
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    *[556] * 10, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
]  # fmt: skip


def width(text, size):
    """Return the width of a text in points; a letter with an accent is as wide as the letter."""
    plain = (unicodedata.normalize("NFD", c)[0] for c in text)
    return sum(WIDTHS[ord(c) - 32] if " " <= c <= "~" else 556 for c in plain) * size / 1000


def fill(text, size, room):
    """Return the lines of a text set in `room` points."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if width(longer, size) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


class Pdf:
    """Sets blocks on pages, in one column or two, and gives the bytes of the file."""

    LEADING = 1.32

    def __init__(self, text):
        self.meta = text.meta
        self.wide, self.high, self.margin = PAGES[text.meta["page"]]
        self.size = 11 if text.meta["page"] == "a4" else 10
        self.pages, self.columns = [], 1
        self.new_page()

    def new_page(self):
        self.pages.append([])
        self.column, self.y = 0, self.high - self.margin

    @property
    def room(self):
        gutter = 22 * (self.columns - 1)
        return (self.wide - 2 * self.margin - gutter) / self.columns

    @property
    def left(self):
        return self.margin + self.column * (self.room + 22)

    def need(self, height):
        """Go on in the next column or on the next page unless so many points are left."""
        if self.y - height >= self.margin + 12:
            return
        if self.column + 1 < self.columns:
            self.column, self.y = self.column + 1, self.high - self.margin
        else:
            self.new_page()

    def show(self, text, x, y, size, font="F1"):
        code = text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        self.pages[-1].append(b"BT /%s %g Tf %.2f %.2f Td (%s) Tj ET" % (font.encode(), size, x, y, code))

    def rule(self, x1, y1, x2, y2, weight=0.5):
        self.pages[-1].append(b"%g w %.2f %.2f m %.2f %.2f l S" % (weight, x1, y1, x2, y2))

    def lines(self, text, *, size=None, font="F1", indent=0, mark="", keep=0):
        """Set a paragraph; `keep` points must fit below its first line."""
        size = size or self.size
        step = size * self.LEADING
        for n, line in enumerate(fill(text, size * (1.07 if font == "F2" else 1), self.room - indent)):
            self.need(step + keep)
            self.y -= step
            if mark and n == 0:
                self.show(mark, self.left + indent - 15, self.y, size)
            self.show(line, self.left + indent, self.y, size, font)

    def heading(self, lines):
        level, text = heading(lines[0])
        size = {1: 15, 2: 12}[level] if self.size == 11 else {1: 13, 2: 11}[level]
        self.y -= size * 0.7
        self.lines(text, size=size, font="F2", keep=3 * self.size)
        self.y -= size * 0.3

    def paragraph(self, lines):
        self.lines(" ".join(lines))
        self.y -= self.size * 0.6

    def list(self, lines):
        for level, number, text in items(lines):
            self.lines(text, indent=18 + 16 * level, mark=f"{number}." if number else "\u2022")
        self.y -= self.size * 0.6

    def table(self, lines):
        rows = cells(lines)
        size, step = self.size - 1, self.size * 1.7
        want = [max(width(row[c], size * 1.07) + 14 for row in rows) for c in range(len(rows[0]))]
        stretch = self.room / sum(want)
        edges = [self.left + stretch * sum(want[:c]) for c in range(len(want) + 1)]
        self.need(step * (len(rows) + 1))
        top = self.y
        for n, row in enumerate(rows):
            self.rule(edges[0], self.y, edges[-1], self.y, 1 if n < 2 else 0.5)
            for x, cell in zip(edges, row, strict=False):
                self.show(cell, x + 5, self.y - step * 0.68, size, "F2" if n == 0 else "F1")
            self.y -= step
        self.rule(edges[0], self.y, edges[-1], self.y, 1)
        for x in edges:
            self.rule(x, top, x, self.y)
        self.y -= self.size

    def layout(self, lines):
        """`@columns` starts a page with two columns, `@single` one with a single column."""
        self.columns = 2 if lines[0] == "@columns" else 1
        self.new_page()

    def footers(self):
        """Write the page numbers, and from page 2 on the title at the head."""
        for n, page in enumerate(self.pages, 1):
            self.pages.append(page)  # show() writes on the last page
            foot = f"{n} / {len(self.pages) - 1}"
            self.show(foot, (self.wide - width(foot, 8)) / 2, self.margin / 2, 8)
            if n > 1:
                self.show(self.meta["title"], self.margin, self.high - self.margin * 0.6, 8)
            self.pages.pop()

    def data(self):
        self.footers()

        def text(value):
            return b"<" + b"\xfe\xff".hex().encode() + value.encode("utf-16-be").hex().encode() + b">"

        first = 6  # number of the first page object; its content follows it
        kids = b" ".join(b"%d 0 R" % (first + 2 * n) for n in range(len(self.pages)))
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R /Lang (%s) >>" % self.meta["language"].encode(),
            b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(self.pages), kids),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
            b"<< /Title %s /Author %s /Subject %s /Producer (make_files.py) /CreationDate (D:%sZ) >>"
            % (*(text(self.meta[k]) for k in ("title", "author", "subject")), f"{MADE:%Y%m%d%H%M%S}".encode()),
        ]
        for n, page in enumerate(self.pages):
            content = b"\n".join(page)
            objects.append(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R"
                b" /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>" % (self.wide, self.high, first + 2 * n + 1)
            )
            objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        out, offsets = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
        for n, body in enumerate(objects, 1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (n, body)
        table = b"".join(b"%010d 00000 n \n" % o for o in offsets)
        name = hashlib.sha256(out).hexdigest()[:32].encode()
        return out + (
            b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R /Info 5 0 R /ID [<%s> <%s>] >>\n"
            b"startxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table, len(objects) + 1, name, name, len(out))
        )


def make_pdf(text):
    """Return the bytes of a PDF of a Text."""
    pdf = Pdf(text)
    pdf.lines(text.meta["title"], size=20 if pdf.size == 11 else 17, font="F2")
    pdf.y -= 4
    pdf.lines(text.meta["author"], size=pdf.size - 1)
    pdf.y -= 12
    for kind, lines in text.blocks:
        getattr(pdf, kind)(lines)
    return pdf.data()


# Word, with python-docx; it knows no footnotes, so their part is written here.

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def make_docx(text):
    """Return the bytes of a Word file of a Text."""
    import docx

    document, notes = docx.Document(), []
    properties = document.core_properties
    properties.title, properties.author, properties.subject = (text.meta[k] for k in ("title", "author", "subject"))
    properties.language, properties.last_modified_by = text.meta["language"], text.meta["author"]
    properties.comments = ""
    properties.created = properties.modified = MADE
    document.add_heading(text.meta["title"], 0)
    for kind, lines in text.blocks:
        if kind == "heading":
            level, title = heading(lines[0])
            document.add_heading(title, level)
        elif kind == "list":
            for level, number, item in items(lines):
                style = "List Number" if number else "List Bullet"
                document.add_paragraph(item, style if level == 0 else f"{style} {level + 1}")
        elif kind == "table":
            add_table(document, cells(lines))
        else:
            add_paragraph(document, " ".join(lines), notes)
    if notes:
        add_footnotes(document, notes)
    slim(document)
    return fixed_zip(document)


def add_paragraph(document, text, notes):
    """Add a paragraph; its footnotes are appended to `notes`."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    paragraph = document.add_paragraph()
    for n, piece in enumerate(re.split(r"\[\^([^\]]+)\]", text)):
        if n % 2:
            notes.append(piece)
            run = paragraph.add_run()
            run.font.superscript = True
            reference = OxmlElement("w:footnoteReference")
            reference.set(qn("w:id"), str(len(notes)))
            run._r.append(reference)
        else:
            paragraph.add_run(piece)


def add_table(document, rows):
    """Add a table: a cell `^` is merged with the one above, an empty one with the one on its left."""
    table = document.add_table(len(rows), len(rows[0]), "Table Grid")
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if cell not in ("", "^"):
                table.cell(r, c).text = cell
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if cell == "^":
                table.cell(r - 1, c).merge(table.cell(r, c))
            elif not cell:
                table.cell(r, c - 1).merge(table.cell(r, c))
    document.add_paragraph()


def add_footnotes(document, notes):
    """Add the part that holds the footnotes."""
    from xml.sax.saxutils import escape

    from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    body = "".join(
        f'<w:footnote w:id="{n}"><w:p><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>'
        f'<w:r><w:t xml:space="preserve"> {escape(note)}</w:t></w:r></w:p></w:footnote>'
        for n, note in enumerate(notes, 1)
    )
    lines = "".join(
        f'<w:footnote w:type="{kind}" w:id="{n}"><w:p><w:r><w:{kind}/></w:r></w:p></w:footnote>'
        for n, kind in ((-1, "separator"), (0, "continuationSeparator"))
    )
    xml = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:footnotes xmlns:w="{W}">{lines}{body}</w:footnotes>'
    part = Part(PackURI("/word/footnotes.xml"), CONTENT_TYPE.WML_FOOTNOTES, xml.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)


def slim(document):
    """Drop what python-docx's template brings and no file here uses: ninety table styles, styles for Word 2010, a thumbnail."""
    from docx.enum.style import WD_STYLE_TYPE

    for style in [s for s in document.styles if s.type == WD_STYLE_TYPE.TABLE]:
        if style.name not in ("Normal Table", "Table Grid"):
            style.element.getparent().remove(style.element)
    for rels in (document.part.rels, document.part.package.rels):
        for key in [
            k for k, rel in rels.items() if rel.reltype.endswith(("stylesWithEffects", "thumbnail", "customXml"))
        ]:
            del rels[key]


def fixed_zip(document):
    """Return the bytes of a Word file with a fixed date and no compression, whose bytes differ between zlib versions."""
    saved, fixed = io.BytesIO(), io.BytesIO()
    document.save(saved)
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(fixed, "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, MADE.timetuple()[:6])
            entry.create_system = 0  # the same on every system
            target.writestr(entry, source.read(name))
    return fixed.getvalue()


def make(folder):
    """Write every file into `folder` and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for source in sorted((HERE / "texts").glob("*.txt")):
        text = read_text(source)
        kind = text.meta["kind"]
        path = folder / f"{source.stem}.{kind}"
        path.write_bytes(make_pdf(text) if kind == "pdf" else make_docx(text))
        made.append(path)
    return made


if __name__ == "__main__":
    for made_path in make(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "files"):
        print(made_path.name, made_path.stat().st_size)
