"""What the name and flags of a font say about how its letters look."""

from __future__ import annotations

import ctypes
import re
from typing import Final

from corpuskit.extraction.pdf.pdfium import function

BOLD, ITALIC, MONO = 1, 2, 4

_FIXED_PITCH, _ITALIC_FLAG = 1, 64  # ISO 32000-1, table 123: bits 1 and 7 of the font flags
# Names as TeX, Adobe and Microsoft give them: cmbx10, NimbusRomNo9L-Medi, SFTT1000, LMMono10-Regular.
_BOLD_NAME: Final = re.compile(
    r"bold|black|heavy|demi|-bd|cmbx|cmssbx|sfbx|sfsx|ecbx|ecsx|ptmb|phvb|NimbusRomNo9L-Medi|NimbusSanL-Bold|\bBd|,B",
    re.IGNORECASE,
)
_ITALIC_NAME: Final = re.compile(r"ital|obliq|cmti|cmsl|cmmi|sfti|sfsl|ecti|-it\b|slant|ptmri", re.IGNORECASE)
_MONO_NAME: Final = re.compile(
    r"mono|courier|cmtt|cmsltt|cmvtt|sftt|ectt|typewriter|consol|lucidasanstypew|inconsolata|\bpcr", re.IGNORECASE
)
_PLAIN_NAME: Final = re.compile(r"regular|book|roman|light", re.IGNORECASE)
_SUBSET: Final = re.compile(r"^[A-Z]{6}\+")  # ISO 32000-1, 9.6.4


def style_of(name: str, flags: int, weight: int) -> int:
    """BOLD, ITALIC and MONO of a font, added up."""
    style = 0
    if _BOLD_NAME.search(name) or (weight >= 600 and not _PLAIN_NAME.search(name)):
        style |= BOLD
    if _ITALIC_NAME.search(name) or (flags > 0 and flags & _ITALIC_FLAG):
        style |= ITALIC
    if _MONO_NAME.search(name) or (flags > 0 and flags & _FIXED_PITCH):
        style |= MONO
    return style


class Fonts:
    """The fonts of a document: each gets a small number that stays the same on all pages.

    Attributes:
        names, styles: by number.
        doubtful: numbers of fonts that are of a fixed pitch by their flags alone, which are often wrong.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.styles: list[int] = []
        self.doubtful: set[int] = set()
        self._numbers: dict[tuple[str, int, int], int] = {}

    def number(self, font: int) -> int:
        """The number of the font at an address; -1 for none. Addresses are good for one page only."""
        if not font:
            return -1
        buffer = ctypes.create_string_buffer(256)
        length = function("FPDFFont_GetBaseFontName")(font, buffer, 256)
        name = _SUBSET.sub("", buffer.value.decode("latin-1")) if length else ""
        key = (name, function("FPDFFont_GetFlags")(font), function("FPDFFont_GetWeight")(font))
        if key not in self._numbers:
            self._numbers[key] = len(self.names)
            self.names.append(name)
            self.styles.append(style_of(*key))
            if self.styles[-1] & MONO and not _MONO_NAME.search(name):
                self.doubtful.add(self._numbers[key])
        return self._numbers[key]
