"""The directory documents/: .nlp.txt files and their marks, written atomically."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from corpuskit.document import NLPTextDocument, from_nlptext
from corpuskit.document.marks import dump_marks, load_marks
from corpuskit.document.writer import normal_to_nlptext
from corpuskit.errors import CorpusError, DocumentFormatError
from corpuskit.safe_folder import Folder, SafeFolder, as_safe_folder
from corpuskit.store.packs import close_packs, read_packed, remove_packed

TEXT_SUFFIX: Final = ".nlp.txt"
MARKS_SUFFIX: Final = ".marks.json.zst"
_MAX_BYTES: Final = 512 * 1024**2  # per file; the same limit as in packs


def write_document(folder: Folder, path: str, document: NLPTextDocument) -> NLPTextDocument:
    """Write a document in normal form and its marks, and return the normal form.

    The marks are written first, so that a reader of the text finds them.
    """
    normal, folder = document.normalize(), as_safe_folder(folder)
    folder.write(path + MARKS_SUFFIX, dump_marks(normal.table))
    folder.write(path + TEXT_SUFFIX, normal_to_nlptext(normal).encode())
    return normal


def read_document(folder: Folder, path: str, *, strict: bool = True) -> NLPTextDocument:
    """Read a document and its marks. Without a marks file the column ``main`` has its default.

    Raises:
        CorpusError: The document does not exist.
        DocumentFormatError: The document, or with ``strict`` its marks file, violates the format.
    """
    content, marks = read_document_files(folder, path)
    document = from_nlptext(content, strict=strict, where=path + TEXT_SUFFIX)
    if marks is None:
        return document
    try:
        load_marks(marks, document.table, where=path + MARKS_SUFFIX)
    except DocumentFormatError as error:
        # The text was edited: the marks belong to other rows.
        if strict and "elements" not in error.found:
            raise
        document.warnings.append(f"marks not used: {error}")
    return document


def read_document_files(folder: Folder, path: str) -> tuple[bytes, bytes | None]:
    """Return the content of a document's ``.nlp.txt`` and marks file, from files or from a pack.

    Documents can be packed and unpacked during reading: a file that has just been removed is in a pack, and vice versa.

    Raises:
        CorpusError: The document does not exist, or its path contains a link.
    """
    folder = as_safe_folder(folder)
    for attempt in range(3):
        if attempt:
            close_packs()  # directory times are coarse: the cached list of packs may be outdated
        try:
            text, marks = read_files(folder, path)
            if marks is not None or folder.exists(path + TEXT_SUFFIX):
                return text, marks
        except FileNotFoundError:
            pass
        if (packed := read_packed(folder, path)) is not None:
            return packed
    raise CorpusError(f"documents/{path}{TEXT_SUFFIX} is missing; corpuskit check lists all missing files")


def read_files(folder: SafeFolder, path: str) -> tuple[bytes, bytes | None]:
    """Return the content of a document's text file and marks file, or None without one.

    Raises:
        FileNotFoundError: The text file does not exist.
        CorpusError: A file is too large, or its path contains a link.
    """
    text = folder.read(path + TEXT_SUFFIX, _MAX_BYTES)
    try:
        return text, folder.read(path + MARKS_SUFFIX, _MAX_BYTES)
    except FileNotFoundError:
        return text, None


def remove_document(folder: SafeFolder, *paths: str) -> None:
    """Remove the files of documents and their copies in packs. Missing files are ignored."""
    for path in paths:
        for suffix in (TEXT_SUFFIX, MARKS_SUFFIX):
            folder.remove(path + suffix)
    remove_packed(folder, paths)


def write_file_atomically(file: Path, content: bytes, *, durable: bool = False) -> None:
    """Write a file at a path chosen by the user, atomically. Parent directories are created."""
    file.parent.mkdir(parents=True, exist_ok=True)
    SafeFolder(file.parent).write(file.name, content, durable=durable)
