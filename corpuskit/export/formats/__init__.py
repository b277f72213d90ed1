"""One module a format family; a new module is found without a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from corpuskit.discovered import import_all
from corpuskit.export.writers import FORMATS, Format

# Those of most use are shown first, others behind them by name.
_FIRST: Final = (
    "nlp.txt", "nlp.txt.zst", "jsonl", "parquet", "csv", "tsv", "datasets", "fasttext", "pdf_trio", "txt",
    "sentences", "vert", "conllu", "xml", "tei", "md", "html", "textworks", "frenchtext", "chunks",
)  # fmt: skip


def formats() -> Mapping[str, Format]:
    """Return name → format, in the order they are shown."""
    import_all(__name__)
    return {name: FORMATS[name] for name in (*_FIRST, *sorted(FORMATS.keys() - set(_FIRST)))}
