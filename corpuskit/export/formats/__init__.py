"""One module a format family; a new module is found without a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from corpuskit.export.writers import FORMATS, Format
from corpuskit.plugins import import_all

# Those of most use are shown first, others behind them by name.
_FIRST: Final = (
    "nlp.txt", "nlp.txt.zst", "jsonl", "parquet", "csv", "tsv", "datasets", "fasttext", "pdf_trio", "txt",
    "sentences", "vert", "conllu", "xml", "tei", "md", "html", "textworks", "frenchtext", "chunks",
)  # fmt: skip


def formats() -> Mapping[str, Format]:
    """Return name → format, in the order they are shown."""
    import_all(__name__)
    first = [name for name in _FIRST if name in FORMATS]
    return {name: FORMATS[name] for name in (*first, *sorted(FORMATS.keys() - set(first)))}
