"""What TextWorks gave: segmentation and text grid of a PDF in artifact directories."""

from corpuskit.extraction.pdf.textworks.annotations import annotation_json
from corpuskit.extraction.pdf.textworks.artifacts import (
    Also,
    EntryOutcome,
    drop_artifacts,
    init_corpus,
    run_corpus,
    run_file,
    write_artifacts,
)
from corpuskit.extraction.pdf.textworks.entries import Entry, entries
from corpuskit.extraction.pdf.textworks.schema import SEGMENTATION_SCHEMA, TEXTGRID_SCHEMA
from corpuskit.extraction.pdf.textworks.segmentation import page_size_tokens, segmentation
from corpuskit.extraction.pdf.textworks.textgrid import textgrid

__all__ = [
    "SEGMENTATION_SCHEMA",
    "TEXTGRID_SCHEMA",
    "Also",
    "Entry",
    "EntryOutcome",
    "annotation_json",
    "drop_artifacts",
    "entries",
    "init_corpus",
    "page_size_tokens",
    "run_corpus",
    "run_file",
    "segmentation",
    "textgrid",
    "write_artifacts",
]
