"""Escaping of cells that a spreadsheet would run as formulas."""

from __future__ import annotations

from typing import Any, Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def escape_formula(value: Any) -> Any:
    """Return a value with an apostrophe before a text that a spreadsheet would run as a formula.

    The characters are those of OWASP, CSV Injection, also after spaces.
    """
    if isinstance(value, str) and (value.startswith(_FORMULA) or value.lstrip(" \u00a0").startswith(_FORMULA)):
        return f"'{value}"
    return value
