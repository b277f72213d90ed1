"""Export and readers of the TextWorks artifacts of PDF documents."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from corpuskit import engine
from corpuskit.errors import DocumentFormatError
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format
from corpuskit.safe_folder import SafeFolder
from corpuskit.validation import check_input_file

_PDF: Final = "application/pdf"
_MAX_BYTES: Final = 512 * 1024 * 1024
_BOX_FORMAT: Final = ("top", "left", "width", "height")
Box = tuple[float, float, float, float]


@export_format("textworks", files="textworks/", about="segmentation and text grid of PDF documents")
class TextWorksWriter:
    """``textworks/HOST/PATH.d/``: ``segmentation.json`` and ``textgrid.json`` of each PDF document.

    The files are built from the original in a worker process; their run time is the fetch time of the document.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._folder = SafeFolder(folder).subfolder("textworks")
        self._folder.mkdir()
        self._is_masked = options.mask_personal_data

    def write(self, item: Item) -> None:
        """Write the artifacts of a PDF; other documents are ignored."""
        if item.row["media_type"] != _PDF or self._is_masked:
            return  # the text of the original is not masked
        name = f"{item.path.rpartition('/')[2]}.d"
        files = engine.call(make_artifacts, item.original(), name, item.row["fetched"])
        for file, content in files.items():
            self._folder.write(f"{item.path}.d/{file}", content)

    def close(self) -> None:
        """Do nothing: no file is open."""


def make_artifacts(content: bytes, name: str, when: str) -> dict[str, bytes]:
    """Return file name → content of the two artifacts of a PDF; runs in a worker process.

    Args:
        content: The PDF.
        name: Document id in the files.
        when: Time of the run in the text grid, ISO 8601.
    """
    from corpuskit.compat.textworks import segmentation, textgrid
    from corpuskit.extraction.pdf.analysis import analyse
    from corpuskit.extraction.pdf.opening import open_pdf

    with open_pdf(content, where=name) as opened:
        analysis = analyse(opened.pdf)
        blocks, grid = segmentation(opened.pdf, analysis, name), textgrid(opened.pdf, analysis, name)
    run = datetime.fromisoformat(when).astimezone(UTC)
    grid["buildInfo"]["runAtMillis"] = int(run.timestamp() * 1000)
    grid["buildInfo"]["runAtStr"] = run.isoformat(timespec="seconds")
    artifacts = (("segmentation.json", blocks), ("textgrid.json", grid))
    return {file: json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() for file, data in artifacts}


@dataclass(frozen=True, slots=True)
class SegmentedLine:
    """Tokens of a line with their ids."""

    tokens: tuple[str, ...]
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SegmentedBlock:
    """Block of a page with its lines and two labels: zone (header, body, references) and role."""

    page: int
    labels: tuple[str, ...]
    lines: tuple[SegmentedLine, ...]


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A segmentation.json.

    Attributes:
        document_id: Document id in the file, or empty if missing.
        blocks: Blocks in file order.
        boxes: Id → (page, (left, top, width, height)): 0-based page, and points from the top left corner.
    """

    document_id: str
    blocks: tuple[SegmentedBlock, ...]
    boxes: dict[int, tuple[int, Box]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of a text grid.

    Attributes:
        page: 0-based page number.
        offset: Number of characters in the preceding rows of the page.
        text: Text of the row.
        boxes: Box per character: (left, top, width, height) in hundredths of points.
        is_glyph: True per character drawn on the page, False for inserted characters such as spaces.
    """

    page: int
    offset: int
    text: str
    boxes: tuple[Box, ...] = field(repr=False)
    is_glyph: tuple[bool, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class TextGrid:
    """A textgrid.json.

    Args:
        document_id: Id of the document.
        pages: Width and height of each page, in hundredths of points.
        rows: The rows.
    """

    document_id: str
    pages: tuple[tuple[float, float], ...]
    rows: tuple[GridRow, ...]


def read_segmentation(path: str | os.PathLike[str]) -> Segmentation:
    """Read a segmentation.json with any ``boxFormat`` (default: top, left, width, height).

    Args:
        path: The file.

    Raises:
        DocumentFormatError: The file is not a segmentation, or its ids are duplicate, undefined or do not match the tokens.
        SourceError: The file does not exist, or is a directory.
    """
    with _Json(path) as data:
        order = data.get("boxFormat", list(_BOX_FORMAT))
        if sorted(order) != sorted(_BOX_FORMAT):
            raise ValueError(f"boxFormat {order}")
        positions = [order.index(name) for name in ("left", "top", "width", "height")]
        boxes: dict[int, tuple[int, Box]] = {}
        for number, (page, values) in data["ids"]:
            if type(number) is not int or number in boxes:
                raise ValueError(f"id {number!r} is not a number, or is duplicate")
            boxes[number] = (_non_negative_int(page), _box([values[i] for i in positions]))
        blocks = tuple(_blocks(data["pages"]))
        used = [number for block in blocks for line in block.lines for number in line.ids]
        if len(set(used)) != len(used) or not set(used) <= set(boxes):
            raise ValueError("an id is used twice or has no box")
        return Segmentation(str(data.get("documentId", "")), blocks, boxes)


def _blocks(pages: Any) -> Iterator[SegmentedBlock]:
    for page in pages:
        for block in page["blocks"]:
            lines = []
            for tokens, ids in block["lines"]:
                if len(tokens) != len(ids) or not all(isinstance(token, str) for token in tokens):
                    raise ValueError(f"{len(tokens)} tokens and {len(ids)} ids in a line")
                lines.append(SegmentedLine(tuple(tokens), tuple(ids)))
            yield SegmentedBlock(_non_negative_int(page["page"]), tuple(map(str, block["labels"])), tuple(lines))


def read_textgrid(path: str | os.PathLike[str]) -> TextGrid:
    """Read a textgrid.json.

    Args:
        path: The file.

    Raises:
        DocumentFormatError: The file is not a text grid, or a row does not have one box per character.
        SourceError: The file does not exist, or is a directory.
    """
    with _Json(path) as data:
        sizes, rows = [], []
        for number, page in enumerate(data["pages"]):
            geometry = _box(page["pageGeometry"])
            sizes.append((geometry[2], geometry[3]))
            for row in page["textgrid"]["rows"]:
                text, loci = row["text"], row["loci"]
                if not isinstance(text, str) or len(loci) != len(text):
                    raise ValueError(f"{len(loci)} places for the characters of {text!r}")
                # For a glyph of several characters the first has the glyph; the others are inserted characters.
                glyphs = [locus["g"][0] if "g" in locus else locus["i"] for locus in loci]
                boxes = tuple(_box(glyph[2]) for glyph in glyphs)
                drawn = tuple("g" in locus for locus in loci)
                rows.append(GridRow(number, _non_negative_int(row["offset"]), text, boxes, drawn))
        return TextGrid(str(data["documentId"]), tuple(sizes), tuple(rows))


class _Json:
    """Context manager that loads an untrusted JSON object and converts errors into DocumentFormatError."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = check_input_file(path)

    def __enter__(self) -> Any:
        if self._path.stat().st_size > _MAX_BYTES:
            raise DocumentFormatError(1, "more than 512 MiB", "an artifact of TextWorks", where=str(self._path))
        try:
            data = json.loads(self._path.read_bytes())
        except (ValueError, RecursionError) as error:
            raise DocumentFormatError(1, str(error), "JSON", where=str(self._path)) from None
        if not isinstance(data, dict):
            raise DocumentFormatError(1, type(data).__name__, "a JSON object", where=str(self._path))
        return data

    def __exit__(self, kind: Any, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (KeyError, IndexError, TypeError, ValueError, AttributeError)):
            what = f"{type(error).__name__}: {error}"
            raise DocumentFormatError(1, what, "an artifact of TextWorks", where=str(self._path)) from None


def _box(values: Any) -> Box:
    if len(values) != 4 or not all(type(value) in {int, float} for value in values):
        raise ValueError(f"box {values!r}")
    return values[0], values[1], values[2], values[3]


def _non_negative_int(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r}: expected a non-negative integer")
    return int(value)
