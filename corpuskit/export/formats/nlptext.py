"""The standard document: a folder of ``.nlp.txt`` files, or one zstd file of them."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from corpuskit.document import NLPTextDocument, from_nlptext, to_nlptext
from corpuskit.document.marks import dump_marks, load_marks
from corpuskit.errors import DocumentFormatError
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.documents import MARKS_SUFFIX, TEXT_SUFFIX
from corpuskit.validation import check_input_file
from corpuskit.zstd import FrameWriter, ZstdError, decompressor

# RFC 8878, 3.1.2: a frame that decompressors skip.
_SKIPPABLE: Final = 0x184D2A50
_FRAME: Final = 0xFD2FB528
_MAX_FRAME: Final = 512 * 1024 * 1024  # bytes, compressed or not
_PIECE: Final = 4096  # bytes; 4 bytes make at most 128 KiB, so a bomb is noticed in time


@export_format("nlp.txt", files="nlp.txt/", about="the standard document, a file each, marks beside it")
class NlpTextWriter:
    """``nlp.txt/HOST/PATH.nlp.txt``, one file per document, with PATH.marks.json.zst next to it.

    The paths are those of the corpus folder, in the layout of the Language Resource Extractor, unique regardless of case.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._folder = SafeFolder(folder).subfolder("nlp.txt")
        self._marks = options.marks
        self._folder.mkdir()

    def write(self, item: Item) -> None:
        """Write the document's files."""
        content = to_nlptext(item.document).encode()
        self._folder.write(item.path + TEXT_SUFFIX, content)
        if self._marks:
            self._folder.write(item.path + MARKS_SUFFIX, dump_marks(item.document.table))

    def close(self) -> None:
        """Nothing is open."""


@export_format("nlp.txt.zst", files="corpus.nlp.txt.zst", about="the same in one zstd file")
class ArchiveWriter:
    """``corpus.nlp.txt.zst``: a frame a document, behind it its marks in a frame that other programs skip.

    ``zstd -d`` gives the documents one after the other, each with its properties at the top.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._file = (folder / "corpus.nlp.txt.zst").open("wb")
        self._compressor = FrameWriter(level=9)
        self._marks = options.marks

    def write(self, item: Item) -> None:
        """Write the document's frames."""
        frames = self._compressor.frame(to_nlptext(item.document).encode())
        if self._marks:
            marks = dump_marks(item.document.table)
            frames += struct.pack("<II", _SKIPPABLE, len(marks)) + marks
        self._file.write(frames)

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


def read_nlptext_archive(path: str | os.PathLike[str]) -> Iterator[NLPTextDocument]:
    """Yield the documents of a ``corpus.nlp.txt.zst``, with their marks, read one at a time.

    Args:
        path: The file.

    Raises:
        DocumentFormatError: it is no such file; ``.line`` is the document's number.
        SourceError: There is no such file, or it is a folder.
    """
    file_path = check_input_file(path)
    where = os.fspath(path)
    waiting: NLPTextDocument | None = None
    number = 0
    with file_path.open("rb") as file:
        while head := file.read(4):
            magic = int.from_bytes(head, "little") if len(head) == 4 else 0
            if magic == _SKIPPABLE and waiting is not None:
                load_marks(_skippable(file, where, number), waiting.table, where=where)
                yield waiting
                waiting = None
            elif magic == _FRAME:
                if waiting is not None:
                    yield waiting
                number += 1
                file.seek(-4, os.SEEK_CUR)
                waiting = from_nlptext(_frame(file, where, number), where=where)
            else:
                raise DocumentFormatError(number + 1, head.hex(), "a zstd frame", where=where)
    if waiting is not None:
        yield waiting


def _skippable(file: IO[bytes], where: str, number: int) -> bytes:
    head = file.read(4)
    size = int.from_bytes(head, "little")
    if len(head) < 4 or size > _MAX_FRAME:
        raise DocumentFormatError(number, f"{size} bytes", "marks of at most 512 MiB", where=where)
    return file.read(size)


def _frame(file: IO[bytes], where: str, number: int) -> bytes:
    """Read the frame at the current position and leave the file after it."""
    reader = decompressor()
    parts: list[bytes] = []
    size = 0
    while not reader.eof:
        piece = file.read(_PIECE)
        try:
            parts.append(reader.decompress(piece))
        except ZstdError as error:
            raise DocumentFormatError(number, str(error), "a zstd frame", where=where) from None
        size += len(parts[-1])
        if not piece or size > _MAX_FRAME:
            actual = "the end of the file" if not piece else "more than 512 MiB"
            raise DocumentFormatError(number, actual, "a whole zstd frame of a document", where=where)
    file.seek(-len(reader.unused_data), os.SEEK_CUR)
    return b"".join(parts)
