"""What TextWorks gave: segmentation and text grid of a PDF in artifact directories."""

from corpuskit.compat.textworks.annotations import annotation_json
from corpuskit.compat.textworks.artifacts import (
    Also,
    EntryOutcome,
    drop_artifacts,
    init_corpus,
    run_corpus,
    run_file,
    write_artifacts,
)
from corpuskit.compat.textworks.entries import Entry, entries
from corpuskit.compat.textworks.schema import SEGMENTATION_SCHEMA, TEXTGRID_SCHEMA
from corpuskit.compat.textworks.segmentation import page_size_tokens, segmentation
from corpuskit.compat.textworks.textgrid import textgrid

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
