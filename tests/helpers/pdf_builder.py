"""A small writer of PDF files: what the tests read was put where they say."""

from __future__ import annotations

import zlib

FONTS = {
    "regular": b"/Type1/BaseFont/Helvetica",
    "bold": b"/Type1/BaseFont/Helvetica-Bold",
    "italic": b"/Type1/BaseFont/Helvetica-Oblique",
    "serif italic": b"/Type1/BaseFont/Times-Italic",
    "mono": b"/Type1/BaseFont/Courier",
}


class Page:
    """Content of one page; y counts downwards from the top, as in the locators."""

    def __init__(self, width=600, height=800, *, rotate=0, crop=None, tagged=False):
        self.width, self.height, self.rotate, self.crop = width, height, rotate, crop
        self.tagged = tagged
        self.content = []
        self.tags = []  # (type, parent, attributes) of the marked content of that number
        self.annotations = []

    def text(self, x, y, text, *, size=10, font="regular", mode=0, matrix=None):
        """One line with its base line at y."""
        body = text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        place = matrix or f"1 0 0 1 {x:g} {self.height - y:g}"
        name = list(FONTS).index(font)
        self.content.append(f"BT /F{name} {size:g} Tf {mode} Tr {place} Tm ".encode() + b"(" + body + b") Tj ET")
        return self

    def unicode(self, x, y, text, *, size=10):
        """One line of any characters, as drawn from left to right; each is half as wide as high."""
        codes = text.encode("utf-16-be").hex().encode()
        place = f"1 0 0 1 {x:g} {self.height - y:g}".encode()
        self.content.append(b"BT /FU %d Tf %s Tm <%s> Tj ET" % (size, place, codes))
        return self

    def annotation(self, kind, box, body):
        """Something over the page at x0, y0, x1, y1."""
        x0, y0, x1, y1 = box
        place = b"/Rect[%g %g %g %g]" % (x0, self.height - y1, x1, self.height - y0)
        self.annotations.append(b"<</Type/Annot/Subtype/%s%s%s>>" % (kind.encode(), place, body))
        return self

    def note(self, kind, box, contents, *, flags=4):
        """A note of a reader."""
        return self.annotation(kind, box, b"/F %d/Contents%s" % (flags, string(contents)))

    def link(self, box, url):
        """An area that leads to the web."""
        return self.annotation("Link", box, b"/A<</S/URI/URI(%s)>>" % url.encode())

    def field(self, kind, box, name, value, *, more=b""):
        """A field of a form: kind Tx, Ch or Btn."""
        return self.annotation("Widget", box, b"/F 4/FT/%s/T%s/V%s%s" % (kind.encode(), string(name), value, more))

    def lines(self, x, y, lines, *, leading=12, **look):
        """Lines below each other."""
        for i, line in enumerate(lines):
            self.text(x, y + i * leading, line, **look)
        return self

    def tag(self, kind, *texts, parent=None, attributes=""):
        """A tagged block: texts are (x, y, text) or (x, y, text, look)."""
        number = len(self.tags)
        self.tags.append((kind, parent, attributes))
        self.content.append(f"/{kind} <</MCID {number}>> BDC".encode())
        for x, y, text, *look in texts:
            self.text(x, y, text, **(look[0] if look else {}))
        self.content.append(b"EMC")
        return number

    def rule(self, x0, y0, x1, y1, *, width=0.7):
        """A stroked line."""
        top = self.height
        self.content.append(f"{width:g} w {x0:g} {top - y0:g} m {x1:g} {top - y1:g} l S".encode())
        return self

    def box(self, x0, y0, x1, y1, *, grey=0.9):
        """A filled box."""
        self.content.append(f"q {grey} g {x0:g} {self.height - y1:g} {x1 - x0:g} {y1 - y0:g} re f Q".encode())
        return self

    def grid(self, xs, ys):
        """All lines of a table."""
        for x in xs:
            self.rule(x, ys[0], x, ys[-1])
        for y in ys:
            self.rule(xs[0], y, xs[-1], y)
        return self


class _File:
    def __init__(self):
        self.objects = []

    def add(self, body=b""):
        self.objects.append(body)
        return len(self.objects)

    def bytes(self, root, info):
        out, places = b"%PDF-1.7\n", []
        for number, body in enumerate(self.objects, 1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        trailer = b"trailer<</Size %d/Root %d 0 R/Info %d 0 R>>" % (len(places) + 1, root, info)
        return out + trailer + b"\nstartxref\n%d\n%%%%EOF\n" % start


def string(text):
    return b"<" + ("\ufeff" + text).encode("utf-16-be").hex().encode() + b">"


def pdf(*pages, info=None, outline=(), language=None, ascent=800):
    """The bytes of a PDF. ``outline``: (level from 1, title, page from 1); ``ascent``: of the font for ``unicode``."""
    file = _File()
    root, tree = file.add(), file.add()
    fonts = b"".join(
        b"/F%d %d 0 R" % (i, file.add(b"<</Type/Font/Encoding/WinAnsiEncoding/Subtype" + body + b">>"))
        for i, body in enumerate(FONTS.values())
    )
    fonts += b"/FU %d 0 R" % _unicode_font(file, ascent)
    kids, fields = [], []
    for number, page in enumerate(pages):
        data = zlib.compress(b"\n".join(page.content))
        content = file.add(b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(data), data))
        crop = b"/CropBox[%g %g %g %g]" % page.crop if page.crop else b""
        body = b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %g %g]%s/Rotate %d" % (
            tree, page.width, page.height, crop, page.rotate,
        )  # fmt: skip
        body += b"/Contents %d 0 R/Resources<</Font<<%s>>>>/StructParents %d>>" % (content, fonts, number)
        if page.annotations:
            numbers = [file.add(annotation) for annotation in page.annotations]
            fields += [n for n, own in zip(numbers, page.annotations, strict=True) if b"/Subtype/Widget" in own]
            body = body[:-2] + b"/Annots[%s]>>" % b" ".join(b"%d 0 R" % n for n in numbers)
        kids.append(file.add(body))
    file.objects[tree - 1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (
        len(kids), b" ".join(b"%d 0 R" % kid for kid in kids),
    )  # fmt: skip
    more = b"/Lang(%s)" % language.encode() if language else b""
    if fields:
        more += b"/AcroForm<</Fields[%s]>>" % b" ".join(b"%d 0 R" % n for n in fields)
    if any(page.tags for page in pages):
        more += b"/MarkInfo<</Marked true>>/StructTreeRoot %d 0 R" % _structure(file, pages, kids)
    if outline:
        more += b"/Outlines %d 0 R" % _outline(file, outline, kids)
    file.objects[root - 1] = b"<</Type/Catalog/Pages %d 0 R%s>>" % (tree, more)
    entries = b"".join(b"/%s %s" % (key.encode(), string(value)) for key, value in (info or {}).items())
    return file.bytes(root, file.add(b"<<" + entries + b">>"))


def _unicode_font(file, ascent):
    """A font whose codes are UTF-16, but for E000, which is lam and alef; all characters are 500 wide."""
    ranges = b"".join(b"<%02x00> <%02xff> <%02x00>\n" % (n, n, n) for n in (*range(0x10), 0x20, 0xFB, 0xFE))
    cmap = b"begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 19 beginbfrange\n%sendbfrange %s endcmap"
    cmap %= ranges, b"1 beginbfchar <e000> <06440627> endbfchar"
    to_unicode = file.add(b"<</Length %d>>stream\n%s\nendstream" % (len(cmap), cmap))
    descriptor = b"<</Type/FontDescriptor/FontName/Any/Flags 4/Ascent %d/Descent -200/FontBBox[0 -200 500 %d]>>"
    descriptor %= ascent, ascent
    below = file.add(
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        b"/Supplement 0>>/DW 500/FontDescriptor %d 0 R>>" % file.add(descriptor)
    )
    return file.add(
        b"<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>"
        % (below, to_unicode)
    )


def _structure(file, pages, kids):
    """Tags in a flat tree, but for those with a parent: "Table/TR" puts a cell into the last row, "Table/+TR" into a new one."""
    root = file.add()
    top, parents, open_groups, groups = [], [], {}, {}
    for number, (page, kid) in enumerate(zip(pages, kids, strict=True)):
        elements = []
        for mark, (kind, parent, attributes) in enumerate(page.tags):
            element = file.add(
                b"<</Type/StructElem/S/%s/P %d 0 R/Pg %d 0 R/K %d%s>>"
                % (kind.encode(), root, kid, mark, attributes.encode())
            )
            elements.append(element)
            into = top
            for name in (parent or "").split("/") if parent else ():
                plain = name.lstrip("+")
                if name.startswith("+") or (id(into), plain) not in open_groups:
                    group = file.add()
                    groups[group] = (plain, kid, [])
                    into.append(group)
                    open_groups[id(into), plain] = group
                into = groups[open_groups[id(into), plain]][2]
            into.append(element)
        parents.append((number, elements))
    for group, (name, kid, members) in groups.items():
        file.objects[group - 1] = b"<</Type/StructElem/S/%s/P %d 0 R/Pg %d 0 R/K[%s]>>" % (
            name.encode(), root, kid, b" ".join(b"%d 0 R" % m for m in members),
        )  # fmt: skip
    owners = {m: group for group, (_, _, members) in groups.items() for m in members}
    for element, owner in owners.items():
        body = file.objects[element - 1]
        file.objects[element - 1] = body.replace(b"/P %d 0 R" % root, b"/P %d 0 R" % owner, 1)
    numbers = b"".join(b"%d [%s]" % (n, b" ".join(b"%d 0 R" % e for e in own)) for n, own in parents)
    file.objects[root - 1] = b"<</Type/StructTreeRoot/K[%s]/ParentTree<</Nums[%s]>>>>" % (
        b" ".join(b"%d 0 R" % t for t in top), numbers,
    )  # fmt: skip
    return root


def _outline(file, entries, kids):
    root = file.add()
    numbers = [file.add() for _ in entries]
    for i, ((_, title, page), own) in enumerate(zip(entries, numbers, strict=True)):
        links = b"/Parent %d 0 R" % root
        if i:
            links += b"/Prev %d 0 R" % numbers[i - 1]
        if i + 1 < len(numbers):
            links += b"/Next %d 0 R" % numbers[i + 1]
        file.objects[own - 1] = b"<</Title %s%s/Dest[%d 0 R/Fit]>>" % (string(title), links, kids[page - 1])
    file.objects[root - 1] = b"<</First %d 0 R/Last %d 0 R/Count %d>>" % (numbers[0], numbers[-1], len(numbers))
    return root
