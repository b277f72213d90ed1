"""What can be chosen about extraction; ``[extraction]`` of corpus.toml has the same names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Choices for one extraction.

    Attributes:
        favor: where the main content is uncertain, ``"precision"`` takes less and ``"recall"`` more.
        classify: mark the main content; else all but navigation is main and only the tree is made.
        structure: find sections, lists and tables in paged documents; else their text alone, faster.
        comments: comments of readers under an article are main.
        images: alternative texts of images are TextBlocks.
        password: opens an encrypted PDF.
        tracked_changes: of a Word document, as ``"accepted"`` or as in the ``"original"``.
        ocr: pages of a PDF without text are read by OCRmyPDF, which must be installed.
        ocr_language: of those pages, as Tesseract names it: ``"eng"``, ``"deu+fra"``.
        forms: values of form fields of a PDF. Some broken forms end the process that reads them: then they are left out.
        max_bytes: larger input is refused.
    """

    favor: Literal["precision", "recall"] | None = None
    classify: bool = True
    structure: bool = True
    comments: bool = False
    images: bool = True
    password: str | None = None
    tracked_changes: Literal["accepted", "original"] = "accepted"
    ocr: bool = False
    ocr_language: str = "eng"
    forms: bool = True
    max_bytes: int = 100_000_000
