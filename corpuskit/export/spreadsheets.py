"""Cells that no spreadsheet runs."""

from __future__ import annotations

from typing import Any, Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def harmless(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula gets an apostrophe in front.

    The first characters are those of OWASP, CSV injection; blanks in front of them do not hide them.
    """
    if isinstance(value, str) and (value.startswith(_FORMULA) or value.lstrip(" \u00a0").startswith(_FORMULA)):
        return f"'{value}"
    return value
