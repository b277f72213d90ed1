"""What lies over a page: values of form fields, notes of readers, links to the web (ISO 32000-1, 12.5 and 12.7)."""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.frame import Frame
from corpuskit.extraction.pdf.words import Run, Word, joined

_log = logging.getLogger(__name__)

MAX_ANNOTATIONS: Final = 5_000
"""More on one page are left out."""
_LONGEST: Final = 200_000  # bytes of a text
_SCHEMES: Final = ("http://", "https://", "mailto:", "ftp://")
_PASSWORD: Final = 1 << 13  # flag of a text field (ISO 32000-1, table 228)


@dataclass(slots=True)
class Overlay:
    """A text that lies over the page.

    Attributes:
        role: ``form`` (the value of a field) or ``comment``.
        box: x0, y0, x1, y1 in the frame of the page's layout.
    """

    role: str
    text: str
    box: Box


@dataclass(slots=True)
class Link:
    """An area of the page that leads to the web, and the words under it."""

    url: str
    boxes: list[Box]
    words: str = ""


@dataclass(slots=True)
class Annotations:
    """All that lies over one page."""

    overlays: list[Overlay] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)


def open_forms(pdf: Any) -> None:
    """Makes pdfium read the fields of a form; to be called before its pages are loaded."""
    from pypdfium2 import raw

    if raw.FPDF_GetFormType(pdf) == raw.FORMTYPE_ACRO_FORM:
        pdf.init_forms()


def read_annotations(pdf: Any, page: Any, frame: Frame) -> Annotations:
    """Form values, notes and links of a page, in the order of the file; hidden ones and passwords are left out."""
    from pypdfium2 import raw

    found = Annotations()
    count = raw.FPDFPage_GetAnnotCount(page)
    if count > MAX_ANNOTATIONS:
        _log.warning("%d annotations on one page, %d are read", count, MAX_ANNOTATIONS)
    for i in range(min(count, MAX_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, i)
        if not annotation:
            continue
        try:
            _read(pdf, annotation, frame, found)
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    return found


def _read(pdf: Any, annotation: Any, frame: Frame, found: Annotations) -> None:
    from pypdfium2 import raw

    flags = raw.FPDFAnnot_GetFlags(annotation)
    rectangle = raw.FS_RECTF()
    if flags & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW):
        return
    if not raw.FPDFAnnot_GetRect(annotation, ctypes.byref(rectangle)):
        return
    box = Box(*frame.boxes(rectangle.left, rectangle.top, rectangle.right, rectangle.bottom))
    kind = raw.FPDFAnnot_GetSubtype(annotation)
    if kind == raw.FPDF_ANNOT_LINK:
        url = _url(pdf, annotation)
        if url:
            found.links.append(Link(url, _areas(annotation, frame) or [box]))
        return
    if kind == raw.FPDF_ANNOT_WIDGET:
        text, role = _value(pdf, annotation), "form"
    elif kind == raw.FPDF_ANNOT_POPUP:
        return  # it shows the text of another
    else:
        text, role = _string(raw.FPDFAnnot_GetStringValue, annotation, b"Contents"), "comment"
    if text:
        found.overlays.append(Overlay(role, text, box))


def _value(pdf: Any, annotation: Any) -> str:
    """The value of a field as a reader sees it; of a box that is checked, what it stands for."""
    from pypdfium2 import raw

    if pdf.formenv is None:
        return ""
    form = pdf.formenv.raw
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        if not raw.FPDFAnnot_IsChecked(form, annotation):
            return ""
        value = _string(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation)
        name = _string(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
        return name if name and value.lower() in {"", "yes", "on", "1", "true"} else value
    if kind not in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return ""
    if kind == raw.FPDF_FORMFIELD_TEXTFIELD and raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return ""
    return _string(raw.FPDFAnnot_GetFormFieldValue, form, annotation)


def _string(read: Any, *arguments: Any) -> str:
    """A text in UTF-16, its lines with a line feed between."""
    length = read(*arguments, None, 0)
    if not 2 < length <= _LONGEST:
        return ""
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    read(*arguments, buffer, length)
    text = bytes(buffer)[: length - 2].decode("utf-16-le", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in text if c == "\n" or c.isprintable()).strip()


def _url(pdf: Any, annotation: Any) -> str:
    from pypdfium2 import raw

    link = raw.FPDFAnnot_GetLink(annotation)
    action = raw.FPDFLink_GetAction(link) if link else None
    if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
        return ""
    length = raw.FPDFAction_GetURIPath(pdf, action, None, 0)
    if not 1 < length <= 4_096:
        return ""
    buffer = ctypes.create_string_buffer(length)
    raw.FPDFAction_GetURIPath(pdf, action, buffer, length)
    url = buffer.raw[: length - 1].decode("utf-8", "replace").strip()
    return url if url.lower().startswith(_SCHEMES) else ""


def _areas(annotation: Any, frame: Frame) -> list[Box]:
    """The quadrilaterals of a link over several lines."""
    from pypdfium2 import raw

    points, areas = raw.FS_QUADPOINTSF(), []
    for k in range(min(raw.FPDFAnnot_CountAttachmentPoints(annotation), 50)):
        if raw.FPDFAnnot_GetAttachmentPoints(annotation, k, ctypes.byref(points)):
            xs = points.x1, points.x2, points.x3, points.x4
            ys = points.y1, points.y2, points.y3, points.y4
            areas.append(Box(*frame.boxes(min(xs), max(ys), max(xs), min(ys))))
    return areas


def find_words(links: Sequence[Link], runs: Sequence[Run]) -> list[Link]:
    """The links that lie over words, with these words."""
    kept = []
    for link in links:
        parts = [joined(words) for box in link.boxes if (words := list(_under(box, runs)))]
        if parts:
            link.words = " ".join(parts)
            kept.append(link)
    return kept


def _under(box: Box, runs: Sequence[Run]) -> Iterator[Word]:
    x0, y0, x1, y1 = box
    for run in sorted((run for run in runs if run.x1 > x0 and run.x0 < x1), key=lambda run: (run.base, run.x0)):
        middle = (run.y0 + run.y1) / 2
        if y0 <= middle <= y1:
            yield from (word for word in run.words if x0 - 1 <= (word.x0 + word.x1) / 2 <= x1 + 1)
