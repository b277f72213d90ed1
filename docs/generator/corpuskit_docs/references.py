"""References in docstrings: to what is in the reference, by any of its names; else an error."""

from __future__ import annotations

from typing import Any


def setup(app: Any) -> dict[str, bool]:
    """Register what finds references."""
    return {"parallel_read_safe": True, "parallel_write_safe": True}
