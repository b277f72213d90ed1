"""documents/: the .nlp.txt files with their marks, written in one atomic step."""

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
_MOST_BYTES: Final = 512 * 1024**2  # of one file; as of one document in a pack


def write_document(folder: Folder, path: str, document: NLPTextDocument) -> NLPTextDocument:
    """Writes a document in normal form and its marks; returns it in that form.

    The marks come first: a reader that finds the text finds its marks too.
    """
    normal, folder = document.normalize(), as_safe_folder(folder)
    folder.write(path + MARKS_SUFFIX, dump_marks(normal.table))
    folder.write(path + TEXT_SUFFIX, normal_to_nlptext(normal).encode())
    return normal


def read_document(folder: Folder, path: str, *, strict: bool = True) -> NLPTextDocument:
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


def read_document_files(folder: Folder, path: str) -> tuple[bytes, bytes | None]:
    """The bytes of a document's ``.nlp.txt`` and of its marks, as files or from a pack.

    Documents are packed and unpacked while they are read: where a file has just gone, a pack holds it, and the other way
    round.

    Raises:
        CorpusError: there is no such document, or what stands in its place leads out of the folder.
    """
    folder = as_safe_folder(folder)
    for attempt in range(3):
        if attempt:
            close_packs()  # a folder's time is coarse: what is known of the packs may be older than it looks
        try:
            text, marks = read_files(folder, path)
            if marks is not None or folder.exists(path + TEXT_SUFFIX):
                return text, marks
        except FileNotFoundError:
            pass
        if (packed := read_packed(folder, path)) is not None:
            return packed
    raise CorpusError(f"documents/{path}{TEXT_SUFFIX} is missing; corpuskit check lists what else is")


def read_files(folder: SafeFolder, path: str) -> tuple[bytes, bytes | None]:
    """The bytes of a document's text and marks as files; None where it has no marks.

    Raises:
        FileNotFoundError: it is not a file.
        CorpusError: it is too large, or leads out of the folder.
    """
    text = folder.read(path + TEXT_SUFFIX, _MOST_BYTES)
    try:
        return text, folder.read(path + MARKS_SUFFIX, _MOST_BYTES)
    except FileNotFoundError:
        return text, None


def remove_document(folder: SafeFolder, *paths: str) -> None:
    """Removes documents' files, also from packs; those already gone are no error."""
    for path in paths:
        for suffix in (TEXT_SUFFIX, MARKS_SUFFIX):
            folder.remove(path + suffix)
    remove_packed(folder, paths)


def write_file_atomically(file: Path, content: bytes, *, durable: bool = False) -> None:
    """Writes a whole file that the user has named, or nothing; its folders are made."""
    file.parent.mkdir(parents=True, exist_ok=True)
    SafeFolder(file.parent).write(file.name, content, durable=durable)
