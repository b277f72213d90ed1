"""Directives that write parts of the reference from the code."""

from __future__ import annotations

from typing import Any


def setup(app: Any) -> dict[str, bool]:
    """Register the directives."""
    return {"parallel_read_safe": True, "parallel_write_safe": True}
