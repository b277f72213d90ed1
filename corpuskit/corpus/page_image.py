"""Pages of PDF files as pictures, drawn in a worker process."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from corpuskit import engine
from corpuskit.document.page_picture import PagePicture
from corpuskit.errors import ExtractionError, SourceError
from corpuskit.extraction.pdf.picture import page_picture


def draw_page(
    source: str | os.PathLike[str] | bytes | None, number: int, *, password: str | None = None
) -> PagePicture:
    """Draw a page of a PDF file in a worker process: a hostile PDF can end the process that draws it.

    Args:
        source: A path or the bytes of the file.
        number: Number of the page; the first is 1.
        password: Password of the file.

    Raises:
        ExtractionError: no such page, no PDF, or ``source`` is None.
        SourceError: the file cannot be read.
    """
    if source is None:
        raise ExtractionError(
            f"the document does not know its file: give it with page({number}, 'FILE.pdf'), "
            f"or for a document of a corpus use corpus.page(doc_id, {number})"
        )
    content = source if isinstance(source, bytes) else _read(Path(source))
    return engine.call(partial(page_picture, password=password), content, number)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}") from error
