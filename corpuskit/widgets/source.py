"""The place of an element in its original: a page's picture, or the mark-up of a web page as text."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.errors import CorpusKitError

_MAX_SOURCE: Final = 20_000  # characters
_SCALE: Final = 1.5  # pixels a point
_BOX: Final = re.compile(r"(\d+):(-?[\d.]+),(-?[\d.]+),([\d.]+),([\d.]+)")
_PATH: Final = re.compile(r"(/[A-Za-z_][\w.:-]*(\[\d+\])?)+")  # only steps: a longer expression could run for ever
_MAX_CACHED_PAGES: Final = 8


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Excerpt of the original.

    Attributes:
        note: Location in the original, or the reason for a missing excerpt.
        text: mark-up, to be shown as text.
        picture: PNG of a page.
        boxes: left, top, width, height as shares of that page.
    """

    note: str
    text: str = ""
    picture: bytes = b""
    boxes: tuple[tuple[float, float, float, float], ...] = ()


class Original:
    """The original of a document, read when first asked for."""

    def __init__(self, document: NLPTextDocument, read: Callable[[], bytes]) -> None:
        self._document = document
        self._read = read
        self._content: bytes | None = None
        self._pages: dict[int, tuple[bytes, float, float]] = {}
        self._lock = threading.Lock()

    def at(self, element_id: int) -> Excerpt:
        """Return the excerpt of one element."""
        locator = self._locator(element_id)
        if locator is None:
            return Excerpt("The location in the original is unknown.")
        with self._lock:
            try:
                if self._content is None:
                    self._content = self._read()
                if boxes := _BOX.findall(locator):
                    return self._page(boxes)
                return _mark_up(self._content, locator)
            except (CorpusKitError, OSError) as error:
                return Excerpt(f"The original cannot be shown: {error}")

    def _locator(self, element_id: int) -> str | None:
        """Its own, else of what is under it, else of what is around it."""
        table = self._document.table
        column = table.marks.get("locator", {})
        for position in range(element_id, table.subtree_end[element_id]):
            if position in column:
                return str(column[position])
        while element_id >= 0 and element_id not in column:
            element_id = table.parent_id[element_id]
        return column.get(element_id)

    def _page(self, boxes: list[tuple[str, ...]]) -> Excerpt:
        from corpuskit import engine

        assert self._content is not None
        number = int(boxes[0][0])
        if number not in self._pages:
            if len(self._pages) >= _MAX_CACHED_PAGES:
                self._pages.pop(next(iter(self._pages)))
            # A hostile PDF can end the process that renders it, so that is not the kernel.
            self._pages[number] = engine.call(_render, self._content, number)
        picture, width, height = self._pages[number]
        shares = tuple(
            (float(left) / width, float(top) / height, float(w) / width, float(h) / height)
            for page, left, top, w, h in boxes
            if int(page) == number
        )
        return Excerpt(f"page {number}", picture=picture, boxes=shares)


def _render(content: bytes, number: int) -> tuple[bytes, float, float]:
    """Render a page as PNG; return its width and height in points. Runs in a separate process."""
    from corpuskit.errors import ExtractionError
    from corpuskit.extraction.pdf.opening import open_pdf

    with open_pdf(content) as opened:
        if not 1 <= number <= len(opened.pdf):
            raise ExtractionError(f"page {number}: the document has pages 1 to {len(opened.pdf)}")
        page = opened.pdf[number - 1]
        image = page.render(scale=_SCALE).to_pil().convert("RGB")
        page.close()
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue(), image.width / _SCALE, image.height / _SCALE


def _mark_up(content: bytes, locator: str) -> Excerpt:
    import lxml.etree
    import lxml.html

    if not _PATH.fullmatch(locator):
        return Excerpt(f"{locator[:200]}: no path in a web page")
    try:
        tree = lxml.html.document_fromstring(content)
        matches = tree.xpath(locator)
    except (lxml.etree.LxmlError, ValueError) as error:
        return Excerpt(f"{locator}: {error}")
    if not isinstance(matches, list) or not matches:
        return Excerpt(f"{locator}: not found in the original")
    text = lxml.html.tostring(matches[0], encoding="unicode", with_tail=False)
    cut = f", {len(text) - _MAX_SOURCE:,} more characters" if len(text) > _MAX_SOURCE else ""
    return Excerpt(locator + cut, text=text[:_MAX_SOURCE])
