"""What a model reads of a document."""

from __future__ import annotations

from typing import Final

MAX_TEXT: Final = 30_000  # characters


def scoring_text(title: str, main_text: str) -> str:
    """What a model reads of a document: its title and the beginning of its main text."""
    return f"{title}\n{main_text}"[:MAX_TEXT]
