"""Artifact directories: a corpus root with one folder a PDF, which holds the PDF and what was read from it."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal

from corpuskit import engine
from corpuskit.compat.textworks.annotations import annotation_json
from corpuskit.compat.textworks.entries import entries
from corpuskit.compat.textworks.segmentation import segmentation
from corpuskit.compat.textworks.textgrid import textgrid
from corpuskit.compat.textworks.tracelogs import font_summary, trace_log
from corpuskit.compat.textworks.whole_words import make_segmentation_whole, make_textgrid_whole
from corpuskit.errors import ConfigurationError, CorpusError, SourceError
from corpuskit.extraction.pdf.analysis import Analysis, analyse
from corpuskit.extraction.pdf.opening import open_pdf
from corpuskit.safe_folder import Folder, SafeFolder, as_safe_folder

ROOT_MARKER: Final = ".corpus-root"
SEGMENTATION: Final = "segmentation.json"
TEXTGRID: Final = "textgrid.json"
ANNOTATIONS: Final = "annotations.json"
TRACELOGS: Final = "tracelogs"
_MAKER: Final = b'"buildInfo":{"name":"corpuskit"'
_MAKER_WITHIN: Final = 400  # bytes at the end of a text grid
_SUFFIXES: Final = (".pdf", ".ps")


@dataclass(frozen=True, slots=True)
class Also:
    """What is written beside segmentation and text grid, and how.

    Attributes:
        trace: ``tracelogs/font-summary.json`` and ``tracelogs/tracelog.json``.
        annotations: ``annotations.json``.
        whole_words: words that a line end parted are put together.
    """

    trace: bool = False
    annotations: bool = False
    whole_words: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """All files that an entry has then."""
        return (
            SEGMENTATION, TEXTGRID, *((ANNOTATIONS,) if self.annotations else ()),
            *((f"{TRACELOGS}/tracelog.json",) if self.trace else ()),
        )  # fmt: skip


NOTHING_ELSE: Final = Also()


@dataclass(frozen=True, slots=True)
class EntryOutcome:
    """What became of one entry of a run: ``made``, ``skipped`` (it has its artifacts) or ``failed``."""

    name: str
    state: Literal["made", "skipped", "failed"]
    error: Exception | None = None


def write_artifacts(
    content: bytes,
    folder: Folder,
    *,
    analysis: Analysis | None = None,
    document_id: str = "",
    password: str | None = None,
    also: Also = NOTHING_ELSE,
) -> None:
    """Write ``segmentation.json`` and ``textgrid.json`` of a PDF into a folder.

    Args:
        content: the PDF.
        folder: is there already.
        analysis: of the same content, where there is one: layout is not done twice.
        document_id: its name in the files; default: the entry's, which is the folder's.
        password: opens an encrypted PDF.
        also: what else is written, and how.
    """
    folder = as_safe_folder(folder)
    document_id = document_id or folder.path.name
    with open_pdf(content, password=password, where=document_id) as opened:
        analysis = analysis or analyse(opened.pdf)
        blocks, grid = segmentation(opened.pdf, analysis, document_id), textgrid(opened.pdf, analysis, document_id)
        if also.whole_words:
            make_segmentation_whole(blocks)
            make_textgrid_whole(grid)
        _write(folder, SEGMENTATION, blocks)
        _write(folder, TEXTGRID, grid)
        if also.annotations:
            _write(folder, ANNOTATIONS, annotation_json(opened.pdf, analysis, document_id))
        if also.trace:
            _write(folder, f"{TRACELOGS}/font-summary.json", font_summary(opened.pdf, analysis))
            _write(folder, f"{TRACELOGS}/tracelog.json", trace_log(analysis))


def _write(folder: SafeFolder, name: str, content: object) -> None:
    """Writes JSON in one step, so that no half a file is ever seen."""
    with folder.atomic_write(name) as file, io.TextIOWrapper(file, "utf-8", newline="\n") as lines:
        json.dump(content, lines, ensure_ascii=False, separators=(",", ":"))


def init_corpus(folder: str | os.PathLike[str]) -> list[str]:
    """Make a folder a corpus root: each ``NAME.pdf`` and ``NAME.ps`` in it moves to ``NAME.pdf.d/NAME.pdf``.

    What has its directory already stays where it is. Returns the names that were moved; a second call adds only new ones.

    Raises:
        SourceError: no such folder.
    """
    root = Path(folder)
    if not root.is_dir():
        raise SourceError(f"{root} is no folder")
    inside = SafeFolder(root)
    if not inside.exists(ROOT_MARKER):
        inside.write(ROOT_MARKER, b"")
    moved = []
    for name in inside.file_names():
        if not name.lower().endswith(_SUFFIXES) or inside.exists(f"{name}.d/{name}"):
            continue
        inside.rename(name, f"{name}.d/{name}")
        moved.append(name)
    return moved


def run_corpus(
    folder: str | os.PathLike[str], *, overwrite: bool = False, filter: str | None = None, also: Also = NOTHING_ELSE
) -> Iterator[EntryOutcome]:
    """Make the artifacts of each entry of a corpus root; one that fails does not stop the run.

    Args:
        folder: made by :func:`init_corpus`.
        overwrite: also where there are artifacts already.
        filter: a regular expression that the whole name of an entry (``NAME.pdf.d``) matches.
        also: what else is written, and how; an entry without it is not skipped.

    Raises:
        ConfigurationError: the filter is no regular expression.
        CorpusError: the folder is no corpus root.
    """
    root = Path(folder)
    if not (root / ROOT_MARKER).exists():
        raise CorpusError(
            f"{root} is no corpus of artifact directories: there is no {ROOT_MARKER}; "
            f"make it one with: corpuskit textworks init --corpus {root}"
        )
    try:
        wanted = re.compile(filter) if filter is not None else None
    except re.error as error:
        raise ConfigurationError(f"filter {filter!r} is no regular expression: {error}") from error
    return _run(root, wanted, overwrite=overwrite, also=also)


def _run(root: Path, wanted: re.Pattern[str] | None, *, overwrite: bool, also: Also) -> Iterator[EntryOutcome]:
    tasks = []
    for entry in entries(root):
        if wanted is not None and not wanted.fullmatch(entry.name):
            continue
        inside = SafeFolder(root).subfolder(entry.name)
        if not overwrite and all(inside.exists(name) for name in also.files):
            yield EntryOutcome(entry.name, "skipped")
        else:
            tasks.append(inside)
    for outcome in engine.run(partial(_make, also=also), tasks, on="processes"):
        name = outcome.item.path.name
        yield EntryOutcome(name, "failed", outcome.error) if outcome.error else EntryOutcome(name, "made")


def _make(entry: SafeFolder, *, also: Also) -> None:
    """The artifacts of one entry; runs in a worker process."""
    original = entry.path.name.removesuffix(".d")
    if not entry.exists(original):
        found = [name for name in entry.file_names() if name.lower().endswith(_SUFFIXES)]
        if not found:
            raise SourceError(f"{entry.path} holds no PDF")
        original = found[0]
    if original.lower().endswith(".ps"):
        raise SourceError(f"{original} is PostScript; convert it first, for example with ps2pdf")
    write_artifacts(entry.read(original), entry, also=also)


def drop_artifacts(folder: Folder) -> int:
    """Remove the segmentation, text grid and logs that corpuskit wrote in artifact directories; return their bytes.

    Told by the text grid, which names its maker: what another program wrote stays, and so does all where the PDF is gone.
    """
    freed = 0
    for entry in entries(folder):
        names = set(entry.artifacts())
        if TEXTGRID not in names or not any(name.lower().endswith(_SUFFIXES) for name in names):
            continue
        with (entry.folder / TEXTGRID).open("rb") as file:
            file.seek(max(0, (entry.folder / TEXTGRID).stat().st_size - _MAKER_WITHIN))
            if _MAKER not in file.read():
                continue
        for name in (
            SEGMENTATION,
            ANNOTATIONS,
            f"{TRACELOGS}/font-summary.json",
            f"{TRACELOGS}/tracelog.json",
            TEXTGRID,
        ):
            if name in names:
                freed += (entry.folder / name).stat().st_size
                entry.delete(name)
        if (entry.folder / TRACELOGS).is_dir() and not any((entry.folder / TRACELOGS).iterdir()):
            (entry.folder / TRACELOGS).rmdir()
    return freed


def run_file(
    file: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    overwrite: bool = True,
    whole_words: bool = False,
) -> Path:
    """Write the text grid of one PDF and return its path, ``NAME.textgrid.json`` in the current folder by default.

    Args:
        file: the PDF.
        output: where the text grid goes.
        overwrite: also where there is a file already.
        whole_words: words that a line end parted are put together.

    Raises:
        SourceError: the file cannot be read, or there is an output that is not to be overwritten.
        ExtractionError: it is no PDF, damaged or encrypted, or a limit was reached.
    """
    path = Path(file)
    target = Path(output) if output is not None else Path.cwd() / f"{path.stem}.textgrid.json"
    if not overwrite and target.exists():
        raise SourceError(f"{target} is there already; --overwrite makes it again")
    engine.call(_make_file, str(path), str(target), whole_words)
    return target


def _make_file(source: str, target: str, whole_words: bool) -> None:
    path = Path(source)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}") from error
    with open_pdf(content, where=str(path)) as opened:
        grid = textgrid(opened.pdf, analyse(opened.pdf), path.name)
    if whole_words:
        make_textgrid_whole(grid)
    try:
        _write(SafeFolder(Path(target).parent), Path(target).name, grid)
    except OSError as error:  # it names a file that is to take the name
        raise SourceError(f"{target} cannot be written: {error.strerror or error}") from error
