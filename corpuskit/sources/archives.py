"""Reader of files that contain several resources: archives (ZIP, tar, gzip), wiki dumps, feeds and other containers.

Member names are never used as file-system paths. Unsafe names (absolute, or with ``..``) are reported as errors.
"""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import IO, Final

from corpuskit.document.marks import MARKS
from corpuskit.errors import ResourceLimitError, SourceError
from corpuskit.sources.containers import reader_of
from corpuskit.sources.dumps import is_dump, read_dump
from corpuskit.sources.feeds import is_feed, read_feed
from corpuskit.sources.files import FoundFile, read_resource
from corpuskit.sources.mail import attachments
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.nlptext import as_itself
from corpuskit.sources.packed import DAMAGED_ZIP, PACKERS, unpack
from corpuskit.sources.resource import PayloadLookup, Resource, SourceItem
from corpuskit.sources.trees import EXPORTED, MANIFEST, MARKS_SUFFIX, TEXT_SUFFIX

_TAR_SUFFIXES: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_MAX_MEMBERS: Final = 1_000_000
_MAX_TOTAL_BYTES: Final = 100 * 1024**3  # all members of an archive together
_BAD_ARCHIVE: Final = (
    *DAMAGED_ZIP,
    tarfile.TarError,
    TypeError,
)  # tarfile raises TypeError if a gzip header is cut short
_MAX_EXPORTS: Final = 20  # per archive
_DOCUMENT_MEMBERS: Final = ("[Content_Types].xml", "mimetype")  # members that identify a document format based on ZIP
_MAX_BUFFERED_BYTES: Final = 256 * 1024 * 1024  # bytes of unpaired members in memory


def read_file(file: FoundFile, *, max_bytes: int, known: PayloadLookup | None = None) -> Iterator[SourceItem]:
    """Yield the file itself, or the members of an archive, a web archive or a mailbox.

    A member that cannot be read is yielded as (URI, error), and reading continues with the next member.
    ``known`` is passed to :func:`read_warc`.

    Raises:
        SourceError: The file cannot be read.
        ResourceLimitError: The file is larger than ``max_bytes``.
    """
    if file.leads_out:
        raise SourceError(
            f"{file.uri} is a symbolic link to a file outside the folder that is added: to add it, name the file itself"
        )
    name = file.path.name.lower()
    if (reader := reader_of(name)) is not None:
        yield from reader(file, max_bytes=max_bytes, known=known)
    elif is_dump(file.path):
        yield from read_dump(file, max_bytes=max_bytes)
    elif name.endswith(_TAR_SUFFIXES):
        yield from _read_archive(file, max_bytes, _tar_members)
    elif file.path.suffix.lower() in PACKERS:
        try:
            unpacked = _read_compressed(file, max_bytes)
        except (SourceError, ResourceLimitError) as error:
            yield file.uri, error
        else:
            yield from _parts(unpacked)
    elif name.endswith(".zip") and _is_plain_zip(file):
        yield from _read_archive(file, max_bytes, _zip_members)
    else:
        yield from _parts(read_resource(file, max_bytes=max_bytes))


def _parts(resource: Resource) -> Iterator[SourceItem]:
    """Yield the items of a feed; for other resources, the resource and its attachments."""
    items = 0
    resource = as_itself(resource)
    if is_feed(resource):
        for item in read_feed(resource):
            items += 1
            yield item
    if not items:
        yield resource
        yield from attachments(resource)


Member = tuple[str, int, datetime | None, Callable[[], IO[bytes]]]
"""Name, size in bytes, date, and a function that opens the member."""


class MemberPairs:
    """Buffer that joins each ``.nlp.txt`` member with its marks file; the two may come in either order."""

    def __init__(self) -> None:
        self._marks: dict[str, bytes] = {}
        self._texts: dict[str, Resource] = {}
        self._size = 0

    def add(self, name: str, resource: Resource) -> Iterator[Resource]:
        """Add a text or a marks file; yield the texts that are complete."""
        if name.endswith(MARKS_SUFFIX):
            stem = name.removesuffix(MARKS_SUFFIX)
            if stem in self._texts:
                yield self._pop_text(stem, resource.content)
                return
            self._marks[stem] = resource.content
        else:
            stem = name.removesuffix(TEXT_SUFFIX)
            if stem in self._marks:
                marks = self._marks.pop(stem)
                self._size -= len(marks)
                yield replace(resource, sidecars={**resource.sidecars, MARKS: marks})
                return
            self._texts[stem] = resource
        self._size += len(resource.content)
        while self._size > _MAX_BUFFERED_BYTES and self._texts:
            yield self._pop_text(next(iter(self._texts)), None)
        if self._size > _MAX_BUFFERED_BYTES:
            self._marks.clear()
            self._size = 0

    def flush(self) -> Iterator[Resource]:
        """Yield the remaining texts, which have no marks file."""
        for stem in list(self._texts):
            yield self._pop_text(stem, None)

    def unmatched_marks(self) -> list[str]:
        """Return the names of the marks files without a text."""
        return [stem + MARKS_SUFFIX for stem in self._marks]

    def _pop_text(self, stem: str, marks: bytes | None) -> Resource:
        text = self._texts.pop(stem)
        self._size -= len(text.content)
        return text if marks is None else replace(text, sidecars={**text.sidecars, MARKS: marks})


def is_text_or_marks(name: str) -> bool:
    """Return whether the name is that of a ``.nlp.txt`` text or of a marks file."""
    return name.endswith((TEXT_SUFFIX, MARKS_SUFFIX))


def _read_archive(
    file: FoundFile, max_bytes: int, members: Callable[[FoundFile], Iterator[Member | tuple[str, Exception]]]
) -> Iterator[SourceItem]:
    total = 0
    pairs = MemberPairs()
    try:
        for number, member in enumerate(members(file)):
            if len(member) == 2:
                yield f"{file.uri}/{member[0]}", member[1]
                continue
            name, size, date, open_member = member
            uri = f"{file.uri}/{name}"
            total += size
            if number >= _MAX_MEMBERS or total > _MAX_TOTAL_BYTES:
                yield (
                    uri,
                    ResourceLimitError(f"{file.uri}: more than {_MAX_MEMBERS:,} members or {_MAX_TOTAL_BYTES:,} bytes"),
                )
                return
            try:
                content = _read(open_member, uri, max_bytes)
            except ResourceLimitError as error:
                yield uri, error
            except _BAD_ARCHIVE as error:
                yield uri, SourceError(f"{uri} cannot be read: {error}")
            else:
                file_name = PurePosixPath(name).name
                resource = Resource(
                    uri,
                    content,
                    detect_media_type(content, file_name),
                    modified=date,
                    name=file_name,
                    origin=file.origin,
                )
                for complete in pairs.add(name, resource) if is_text_or_marks(name) else (resource,):
                    yield from _parts(complete)
    except _BAD_ARCHIVE as error:
        yield file.uri, SourceError(f"{file.uri} is damaged: {error}")
    for complete in pairs.flush():
        yield from _parts(complete)
    for name in pairs.unmatched_marks():
        yield (
            f"{file.uri}/{name}",
            SourceError(
                f"{file.uri}: {name}: marks file without a text {name.removesuffix(MARKS_SUFFIX)}{TEXT_SUFFIX}"
            ),
        )


def _read(open_member: Callable[[], IO[bytes]], uri: str, max_bytes: int) -> bytes:
    """Read a member; the size declared in the archive is not trusted."""
    with open_member() as stream:
        content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ResourceLimitError(f"{uri}: larger than the limit of {max_bytes:,} bytes")
    return content


def _zip_members(file: FoundFile) -> Iterator[Member | tuple[str, Exception]]:
    with zipfile.ZipFile(file.path) as archive:
        exports = _exports(archive)
        for info in archive.infolist():
            name = info.filename.replace("\\", "/")
            if not name or info.is_dir() or _is_hidden(name):
                continue
            if any(name.startswith(root) and not name.startswith(f"{root}{EXPORTED}/") for root in exports):
                continue  # other formats of the same documents
            if not _is_safe(name):
                yield (
                    name,
                    SourceError(f"{file.uri}: unsafe member name {name!r}: expected a relative path without '..'"),
                )
                continue
            date = _zip_date(info)
            yield name, info.file_size, date, lambda info=info: archive.open(info)  # type: ignore[misc]


def _exports(archive: zipfile.ZipFile) -> list[str]:
    """Return the directories in an archive that are corpuskit exports with ``.nlp.txt`` files."""
    names = [name.replace("\\", "/") for name in archive.NameToInfo]
    roots = [name.removesuffix(MANIFEST) for name in names if PurePosixPath(name).name == MANIFEST]
    return [root for root in roots[:_MAX_EXPORTS] if any(name.startswith(f"{root}{EXPORTED}/") for name in names)]


def _tar_members(file: FoundFile) -> Iterator[Member | tuple[str, Exception]]:
    with tarfile.open(file.path, "r|*") as archive:  # streaming mode: each member is read once, in order
        for info in archive:
            if not info.isfile() or _is_hidden(info.name):
                continue  # directories, links and devices
            if not _is_safe(info.name):
                yield (
                    info.name,
                    SourceError(f"{file.uri}: unsafe member name {info.name!r}: expected a relative path without '..'"),
                )
                continue
            date = datetime.fromtimestamp(max(0, min(info.mtime, 4e9)), UTC)
            yield info.name.removeprefix("./"), info.size, date, lambda info=info: _extracted(archive, info)  # type: ignore[misc]


def _extracted(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(info)
    if stream is None:
        raise SourceError(f"{info.name}: expected a regular file")
    return stream


def _is_safe(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return not path.is_absolute() and ".." not in path.parts and ":" not in path.parts[0] and "\0" not in name


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return not parts or any(part == "__MACOSX" or (part.startswith(".") and part not in {".", ".."}) for part in parts)


def _zip_date(info: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*info.date_time, tzinfo=UTC)  # ZIP dates have no time zone; UTC is assumed
    except ValueError:
        return None


def _is_plain_zip(file: FoundFile) -> bool:
    """Return whether a ZIP file is an archive, not a document in a ZIP-based format."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            return not any(name in archive.NameToInfo for name in _DOCUMENT_MEMBERS)
    except _BAD_ARCHIVE as error:
        raise SourceError(f"{file.uri}: not a ZIP file, or damaged: {error}") from error


def _read_compressed(file: FoundFile, max_bytes: int) -> Resource:
    """Return the content of a ``.gz``, ``.bz2`` or ``.xz`` file."""
    name = file.path.stem
    with file.path.open("rb") as stream:
        content = unpack(stream, file.path.suffix.lower(), where=file.uri, max_bytes=max_bytes)
    modified = datetime.fromtimestamp(file.path.stat().st_mtime, UTC)
    return Resource(
        file.uri, content, detect_media_type(content, name), modified=modified, name=name, origin=file.origin
    )
