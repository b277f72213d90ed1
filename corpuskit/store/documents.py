"""documents/: the .nlp.txt files with their marks, written in one atomic step."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from corpuskit.document import NLPTextDocument, from_nlptext
from corpuskit.document.marks import dump_marks, load_marks
from corpuskit.document.writer import normal_to_nlptext
from corpuskit.errors import CorpusError, DocumentFormatError
from corpuskit.store.packs import forget_packs, read_packed, remove_packed

TEXT_SUFFIX: Final = ".nlp.txt"
MARKS_SUFFIX: Final = ".marks.json.zst"


def write_document(folder: Path, path: str, document: NLPTextDocument) -> NLPTextDocument:
    """Writes a document in normal form and its marks; gives it in that form.

    The marks come first: a reader that finds the text finds its marks too.
    """
    normal = document.normalize()
    write_atomically(folder / (path + MARKS_SUFFIX), dump_marks(normal.table))
    write_atomically(folder / (path + TEXT_SUFFIX), normal_to_nlptext(normal).encode())
    return normal


def read_document(folder: Path, path: str, *, strict: bool = True) -> NLPTextDocument:
    """Reads a document with its marks; without a marks file ``main`` is the default.

    Raises:
        CorpusError: the file is not there.
        DocumentFormatError: it, or with ``strict`` its marks, break their format.
    """
    content, marks = read_document_files(folder, path)
    document = from_nlptext(content, strict=strict, where=path + TEXT_SUFFIX)
    if marks is None:
        return document
    try:
        load_marks(marks, document.table, where=path + MARKS_SUFFIX)
    except DocumentFormatError as error:
        # Somebody edited the text: its rows are no longer those that were marked.
        if strict and "elements" not in error.found:
            raise
        document.warnings.append(f"marks not used: {error}")
    return document


def read_document_files(folder: Path, path: str) -> tuple[bytes, bytes | None]:
    """The bytes of a document's ``.nlp.txt`` and of its marks, as files or from a pack.

    Documents are packed and unpacked while they are read: where a file has just gone, a pack holds it, and the other way
    round.

    Raises:
        CorpusError: there is no such document.
    """
    for attempt in range(3):
        if attempt:
            forget_packs()  # a folder's time is coarse: what is known of the packs may be older than it looks
        try:
            text = (folder / (path + TEXT_SUFFIX)).read_bytes()
            try:
                return text, (folder / (path + MARKS_SUFFIX)).read_bytes()
            except FileNotFoundError:
                if (folder / (path + TEXT_SUFFIX)).exists():
                    return text, None
        except FileNotFoundError:
            pass
        if (packed := read_packed(folder, path)) is not None:
            return packed
    raise CorpusError(f"documents/{path}{TEXT_SUFFIX} is missing; corpuskit check lists what else is")


def remove_document(folder: Path, *paths: str) -> None:
    """Removes documents' files, also from packs; those already gone are no error."""
    for path in paths:
        for suffix in (TEXT_SUFFIX, MARKS_SUFFIX):
            (folder / (path + suffix)).unlink(missing_ok=True)
    remove_packed(folder, paths)


def write_atomically(file: Path, content: bytes, *, durable: bool = False) -> None:
    """Writes a whole file or nothing: a temporary file beside it is renamed."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        try:
            handle = temporary.open("wb")
        except FileNotFoundError:
            file.parent.mkdir(parents=True, exist_ok=True)
            handle = temporary.open("wb")
        with handle:
            handle.write(content)
            if durable:
                handle.flush()
                os.fsync(handle.fileno())
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
