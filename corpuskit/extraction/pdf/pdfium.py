"""Functions of pdfium that are called once a character.

The bindings of pypdfium2 check and convert each argument, and let other threads run meanwhile; the same functions with
plain integers for pointers, the interpreter's lock kept, take about half of the time. Anything called once a page or
less goes through pypdfium2 itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, Final

_POINTER, _INT, _SIZE = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t

_SIGNATURES: Final[dict[str, tuple[Any, ...]]] = {  # name → result type, argument types
    "FPDFText_GetUnicode": (ctypes.c_uint, _POINTER, _INT),
    "FPDFText_GetText": (_INT, _POINTER, _INT, _INT, _POINTER),
    "FPDFText_GetLooseCharBox": (_INT, _POINTER, _INT, _POINTER),
    "FPDFText_GetTextObject": (_SIZE, _POINTER, _INT),
    "FPDFText_GetFontSize": (ctypes.c_double, _POINTER, _INT),
    "FPDFText_GetMatrix": (_INT, _POINTER, _INT, _POINTER),
    "FPDFText_GetCharOrigin": (_INT, _POINTER, _INT, _POINTER, _POINTER),
    "FPDFText_HasUnicodeMapError": (_INT, _POINTER, _INT),
    "FPDFText_GetFillColor": (_INT, _POINTER, _INT, _POINTER, _POINTER, _POINTER, _POINTER),
    "FPDFTextObj_GetFont": (_POINTER, _POINTER),
    "FPDFTextObj_GetTextRenderMode": (_INT, _POINTER),
    "FPDFFont_GetBaseFontName": (_SIZE, _POINTER, ctypes.c_char_p, _SIZE),
    "FPDFFont_GetFlags": (_INT, _POINTER),
    "FPDFFont_GetWeight": (_INT, _POINTER),
    "FPDFPageObj_GetMarkedContentID": (_INT, _POINTER),
    "FPDFPageObj_GetType": (_INT, _POINTER),
    "FPDFPageObj_GetBounds": (_INT, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER),
    "FPDFPageObj_GetMatrix": (_INT, _POINTER, _POINTER),
    "FPDFPageObj_GetFillColor": (_INT, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER),
    "FPDFPage_CountObjects": (_INT, _POINTER),
    "FPDFPage_GetObject": (_POINTER, _POINTER, _INT),
    "FPDFFormObj_CountObjects": (_INT, _POINTER),
    "FPDFFormObj_GetObject": (_POINTER, _POINTER, ctypes.c_ulong),
    "FPDFPath_CountSegments": (_INT, _POINTER),
    "FPDFPath_GetPathSegment": (_POINTER, _POINTER, _INT),
    "FPDFPath_GetDrawMode": (_INT, _POINTER, _POINTER, _POINTER),
    "FPDFPathSegment_GetType": (_INT, _POINTER),
    "FPDFPathSegment_GetPoint": (_INT, _POINTER, _POINTER, _POINTER),
    "FPDFPathSegment_GetClose": (_INT, _POINTER),
}


@cache
def function(name: str) -> Callable[..., Any]:
    """A function of pdfium that takes addresses as integers."""
    from pypdfium2 import raw

    address = ctypes.cast(getattr(raw, name), ctypes.c_void_p).value or 0
    result, *arguments = _SIGNATURES[name]
    made: Callable[..., Any] = ctypes.PYFUNCTYPE(result, *arguments)(address)
    return made


def address(handle: Any) -> int:
    """The address behind a handle of pypdfium2."""
    return ctypes.cast(getattr(handle, "raw", handle), ctypes.c_void_p).value or 0


def entry(pdf: Any, name: str) -> str:
    """An entry of the document information dictionary; empty where it is missing.

    As pypdfium2's ``get_metadata_value``, which raises on text that is no UTF-16.
    """
    from pypdfium2 import raw

    key = name.encode()
    length = raw.FPDF_GetMetaText(pdf, key, None, 0)
    if not 2 < length < 1_000_000:
        return ""
    buffer = ctypes.create_string_buffer(length)
    raw.FPDF_GetMetaText(pdf, key, buffer, length)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace")
