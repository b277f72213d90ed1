"""Text of a document that models score."""

from __future__ import annotations

from typing import Final

MAX_TEXT: Final = 30_000  # characters


def scoring_text(title: str, main_text: str) -> str:
    """Return the text that models score: the title and the beginning of the main text."""
    return f"{title}\n{main_text}"[:MAX_TEXT]
