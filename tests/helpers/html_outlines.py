"""Documents of HTML bodies, and their trees as lines."""

from __future__ import annotations

from corpuskit.document import NLPTextDocument
from corpuskit.extraction import ExtractOptions, extract_bytes


def extract(body: str, **options: object) -> NLPTextDocument:
    content = f"<!DOCTYPE html><html lang=en><body>{body}</body></html>".encode()
    return extract_bytes(
        content, media_type="text/html", uri="https://site.example/a/b.html", options=ExtractOptions(**options)
    )


def texts(body: str) -> list[str]:
    return [text for text in extract(body, classify=False).table.text if text]


def outline(body: str) -> str:
    """Type and text of each element, with a dot for each level: ``Section A, .TextBlock a``."""
    document = extract(body, classify=False)
    table = document.table
    return ", ".join(
        "." * (element.nesting_level - 1) + f"{element.type} {table.text[row] or ''}".strip()
        for row, element in enumerate(document)
    )
