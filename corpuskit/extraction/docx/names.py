"""Names of WordprocessingML in the notation of lxml."""

from __future__ import annotations

from typing import Final

WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MATH: Final = "http://schemas.openxmlformats.org/officeDocument/2006/math"
RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
PLACING: Final = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
DIAGRAM: Final = "http://schemas.openxmlformats.org/drawingml/2006/diagram"

# What a strict package (ECMA-376 part 1, annex A) writes, and what a transitional one does (part 4).
STRICT: Final = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", WORD.encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/math", MATH.encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", RELATIONS.encode()),
    (b"http://purl.oclc.org/ooxml/drawingml/main", DRAWING.encode()),
    (b"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing", PLACING.encode()),
    (b"http://purl.oclc.org/ooxml/drawingml/diagram", DIAGRAM.encode()),
)


def w(name: str) -> str:
    """A name of WordprocessingML."""
    return f"{{{WORD}}}{name}"


def m(name: str) -> str:
    """A name of OMML."""
    return f"{{{MATH}}}{name}"


VAL: Final = w("val")
ID: Final = w("id")
R_ID: Final = f"{{{RELATIONS}}}id"
P, TBL, R, T = w("p"), w("tbl"), w("r"), w("t")
P_PR, R_PR = w("pPr"), w("rPr")
SDT, SDT_CONTENT = w("sdt"), w("sdtContent")
INS, DEL, MOVE_FROM, MOVE_TO = w("ins"), w("del"), w("moveFrom"), w("moveTo")
TEXT_BOX: Final = w("txbxContent")
_COMPATIBILITY: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
ALTERNATE, CHOICE, FALLBACK = (_COMPATIBILITY + name for name in ("AlternateContent", "Choice", "Fallback"))

# Elements that only wrap what counts: 17.5.1 (custom XML), 17.5.2 (content controls), 17.3.2.3 (bdo), 17.3.2.8 (dir).
WRAPPERS: Final = frozenset((SDT, SDT_CONTENT, w("customXml"), w("smartTag"), w("dir"), w("bdo")))
