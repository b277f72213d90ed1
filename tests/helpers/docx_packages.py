"""Writes Word packages for the tests, part by part."""

import io
import zipfile

from corpuskit.extraction import ExtractOptions, extract_bytes

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:wps="urn:wps"'
)
TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def run(text, properties=""):
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(content="", style="", properties=""):
    """A paragraph of a text or of runs."""
    if content and not content.startswith("<"):
        content = run(content)
    style = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{style}{properties}</w:pPr>{content}</w:p>"


def item(text, level=0, number=1):
    return p(text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def cell(content, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content if content.startswith('<') else p(content)}</w:tc>"


def table(*rows, properties=""):
    rows = "".join(row if row.startswith("<w:tr") else f"<w:tr>{row}</w:tr>" for row in rows)
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{rows}</w:tbl>"


def style(style_id, name, based="", properties="", kind="paragraph", more=""):
    based = f'<w:basedOn w:val="{based}"/>' if based else ""
    return (
        f'<w:style w:type="{kind}" w:styleId="{style_id}"><w:name w:val="{name}"/>{based}'
        f"<w:pPr>{properties}</w:pPr>{more}</w:style>"
    )


HEADINGS = style("H1", "heading 1") + style("H2", "heading 2") + style("T", "Title") + style("C", "caption")


def part(root, content):
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} {NAMES}>{content}</w:{root}>'


def numbering(*levels, number=1):
    """A list whose levels have these formats, by its number."""
    text = "".join(
        f'<w:lvl w:ilvl="{i}"><w:numFmt w:val="{kind}"/><w:lvlText w:val="%{i + 1}."/></w:lvl>'
        for i, kind in enumerate(levels)
    )
    return (
        f'<w:abstractNum w:abstractNumId="{number}">{text}</w:abstractNum>',
        f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>',
    )


def package(body, *, styles=HEADINGS, main="word/document.xml", relations="", root="", **parts):
    """The bytes of a package. ``parts``: contents of footnotes, comments, numbering, header1 ... without their roots."""
    files = {main: part("document", f"<w:body>{body}</w:body>"), "word/styles.xml": part("styles", styles)}
    links = [("styles", "styles.xml")]
    roots = {"header1": "hdr", "footer1": "ftr"}
    for name, content in parts.items():
        if "/" in name:
            files[name] = content
            continue
        files[f"word/{name}.xml"] = part(roots.get(name, name), content)
        links.append((name.rstrip("1"), f"{name}.xml"))
    entries = "".join(f'<Relationship Id="{t}" Type="{TYPE}{k}" Target="{t}"/>' for k, t in links)
    files["word/_rels/document.xml.rels"] = f"<Relationships>{entries}{relations}</Relationships>"
    files["_rels/.rels"] = (
        f'<Relationships><Relationship Id="a" Type="{TYPE}officeDocument" Target="{main}"/>{root}</Relationships>'
    )
    return packed(files)


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def read(content, **options):
    return extract_bytes(content, media_type=MEDIA_TYPE, options=ExtractOptions(**options))


def outline(document):
    """(type, nesting level, text) of the elements."""
    table = document.table
    return [(e.type, e.nesting_level, table.text[i]) for i, e in enumerate(document)]


def texts(document, *, main=None):
    table = document.table
    return [t for i, t in enumerate(table.text) if t and (main is None or table.main[i] == main)]
