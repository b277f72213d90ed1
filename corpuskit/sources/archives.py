"""Files that hold others: archives (ZIP, tar, gzip), dumps of wikis, feeds, and what :mod:`corpuskit.sources.containers` reads.

Names in archives are never used as paths on the disk, so none can lead out of a folder; those that try are refused.
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
from corpuskit.sources.resource import Found, Known, Resource
from corpuskit.sources.trees import EXPORTED, MANIFEST, MARKS_SUFFIX, TEXT_SUFFIX

_TAR_SUFFIXES: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_MOST_MEMBERS: Final = 1_000_000
_MOST_BYTES: Final = 100 * 1024**3  # of all members together
_BAD_ARCHIVE: Final = (*DAMAGED_ZIP, tarfile.TarError, TypeError)  # the last: tarfile on a gzip header cut short
_MOST_EXPORTS: Final = 20  # in one archive
_PACKAGE_PARTS: Final = ("[Content_Types].xml", "mimetype")  # of documents that are ZIP files
_MOST_WAITING: Final = 256 * 1024 * 1024  # that wait; what does not fit goes on without its other half


def read_file(found: FoundFile, *, max_bytes: int, known: Known | None = None) -> Iterator[Found]:
    """What a file holds: itself, or the members of an archive, a web archive or a mailbox, one at a time.

    A member that cannot be read is given as (URI, error); the others follow. ``known`` is for :func:`read_warc`.

    Raises:
        SourceError: the file cannot be read.
        ResourceLimitError: it is larger than ``max_bytes``.
    """
    if found.leads_out:
        raise SourceError(f"{found.uri} is a link out of the folder that was added: name the file itself to add it")
    name = found.path.name.lower()
    if (reader := reader_of(name)) is not None:
        yield from reader(found, max_bytes=max_bytes, known=known)
    elif is_dump(found.path):
        yield from read_dump(found, max_bytes=max_bytes)
    elif name.endswith(_TAR_SUFFIXES):
        yield from _read_archive(found, max_bytes, _tar_members)
    elif found.path.suffix.lower() in PACKERS:
        try:
            unpacked = _unpacked(found, max_bytes)
        except (SourceError, ResourceLimitError) as error:
            yield found.uri, error
        else:
            yield from _parts(unpacked)
    elif name.endswith(".zip") and _is_archive(found):
        yield from _read_archive(found, max_bytes, _zip_members)
    else:
        yield from _parts(read_resource(found, max_bytes=max_bytes))


def _parts(resource: Resource) -> Iterator[Found]:
    """The items of a feed; else the resource itself and what is attached to it."""
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
"""Name, size, date, and what opens it."""


class MemberPairs:
    """A ``.nlp.txt`` in an archive and the marks beside it, in whatever order they come."""

    def __init__(self) -> None:
        self._marks: dict[str, bytes] = {}
        self._texts: dict[str, Resource] = {}
        self._size = 0

    def add(self, name: str, resource: Resource) -> Iterator[Resource]:
        """Take a text or its marks; yield the texts that need not wait any more."""
        if name.endswith(MARKS_SUFFIX):
            stem = name.removesuffix(MARKS_SUFFIX)
            if stem in self._texts:
                yield self._whole(stem, resource.content)
                return
            self._marks[stem] = resource.content
        else:
            stem = name.removesuffix(TEXT_SUFFIX)
            if stem in self._marks:
                marks = self._marks.pop(stem)
                self._size -= len(marks)
                yield replace(resource, beside={**resource.beside, MARKS: marks})
                return
            self._texts[stem] = resource
        self._size += len(resource.content)
        while self._size > _MOST_WAITING and self._texts:
            yield self._whole(next(iter(self._texts)), None)
        if self._size > _MOST_WAITING:
            self._marks.clear()
            self._size = 0

    def rest(self) -> Iterator[Resource]:
        """Yield the texts that have no marks."""
        for stem in list(self._texts):
            yield self._whole(stem, None)

    def lone(self) -> list[str]:
        """Names of marks that have no text."""
        return [stem + MARKS_SUFFIX for stem in self._marks]

    def _whole(self, stem: str, marks: bytes | None) -> Resource:
        text = self._texts.pop(stem)
        self._size -= len(text.content)
        return text if marks is None else replace(text, beside={**text.beside, MARKS: marks})


def is_of_a_pair(name: str) -> bool:
    """Whether a member is a text or marks, by its name."""
    return name.endswith((TEXT_SUFFIX, MARKS_SUFFIX))


def _read_archive(
    found: FoundFile, max_bytes: int, members: Callable[[FoundFile], Iterator[Member | tuple[str, Exception]]]
) -> Iterator[Found]:
    total = 0
    pairs = MemberPairs()
    try:
        for number, member in enumerate(members(found)):
            if len(member) == 2:
                yield f"{found.uri}/{member[0]}", member[1]
                continue
            name, size, date, opened = member
            uri = f"{found.uri}/{name}"
            total += size
            if number >= _MOST_MEMBERS or total > _MOST_BYTES:
                yield (
                    uri,
                    ResourceLimitError(f"{found.uri}: more than {_MOST_MEMBERS:,} members or {_MOST_BYTES:,} bytes"),
                )
                return
            try:
                content = _read(opened, uri, max_bytes)
            except ResourceLimitError as error:
                yield uri, error
            except _BAD_ARCHIVE as error:
                yield uri, SourceError(f"{uri} cannot be read: {error}")
            else:
                last = PurePosixPath(name).name
                resource = Resource(
                    uri, content, detect_media_type(content, last), modified=date, name=last, origin=found.origin
                )
                for ready in pairs.add(name, resource) if is_of_a_pair(name) else (resource,):
                    yield from _parts(ready)
    except _BAD_ARCHIVE as error:
        yield found.uri, SourceError(f"{found.uri} is damaged: {error}")
    for ready in pairs.rest():
        yield from _parts(ready)
    for name in pairs.lone():
        yield f"{found.uri}/{name}", SourceError(f"{found.uri}: {name} are marks of a text that is not there")


def _read(opened: Callable[[], IO[bytes]], uri: str, max_bytes: int) -> bytes:
    """At most ``max_bytes``, whatever the archive says about the size."""
    with opened() as stream:
        content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ResourceLimitError(f"{uri}: more than {max_bytes:,} bytes, the limit")
    return content


def _zip_members(found: FoundFile) -> Iterator[Member | tuple[str, Exception]]:
    with zipfile.ZipFile(found.path) as archive:
        exports = _exports(archive)
        for info in archive.infolist():
            name = info.filename.replace("\\", "/")
            if not name or info.is_dir() or _is_hidden(name):
                continue
            if any(name.startswith(root) and not name.startswith(f"{root}{EXPORTED}/") for root in exports):
                continue  # a card, tables and other formats of the same documents
            if not _is_safe(name):
                yield name, SourceError(f"{found.uri}: the name {name!r} leads out of the archive")
                continue
            date = _zip_date(info)
            yield name, info.file_size, date, lambda info=info: archive.open(info)  # type: ignore[misc]


def _exports(archive: zipfile.ZipFile) -> list[str]:
    """The folders in an archive that are exports of ours with texts."""
    names = [name.replace("\\", "/") for name in archive.NameToInfo]
    roots = [name.removesuffix(MANIFEST) for name in names if PurePosixPath(name).name == MANIFEST]
    return [root for root in roots[:_MOST_EXPORTS] if any(name.startswith(f"{root}{EXPORTED}/") for name in names)]


def _tar_members(found: FoundFile) -> Iterator[Member | tuple[str, Exception]]:
    with tarfile.open(found.path, "r|*") as archive:  # a stream: members are read in their order, none twice
        for info in archive:
            if not info.isfile() or _is_hidden(info.name):
                continue  # folders, links and devices hold no text
            if not _is_safe(info.name):
                yield info.name, SourceError(f"{found.uri}: the name {info.name!r} leads out of the archive")
                continue
            date = datetime.fromtimestamp(max(0, min(info.mtime, 4e9)), UTC)
            yield info.name.removeprefix("./"), info.size, date, lambda info=info: _extracted(archive, info)  # type: ignore[misc]


def _extracted(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(info)
    if stream is None:
        raise SourceError(f"{info.name} is no file")
    return stream


def _is_safe(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return not path.is_absolute() and ".." not in path.parts and ":" not in path.parts[0] and "\0" not in name


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return not parts or any(part == "__MACOSX" or (part.startswith(".") and part not in {".", ".."}) for part in parts)


def _zip_date(info: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*info.date_time, tzinfo=UTC)  # it has no zone; UTC is our choice
    except ValueError:
        return None


def _is_archive(found: FoundFile) -> bool:
    """A ZIP file that is no document."""
    try:
        with zipfile.ZipFile(found.path) as archive:
            return not any(name in archive.NameToInfo for name in _PACKAGE_PARTS)
    except _BAD_ARCHIVE as error:
        raise SourceError(f"{found.uri} is no ZIP file, or a damaged one: {error}") from error


def _unpacked(found: FoundFile, max_bytes: int) -> Resource:
    """The file in a ``.gz``, ``.bz2`` or ``.xz``."""
    name = found.path.stem
    with found.path.open("rb") as file:
        content = unpack(file, found.path.suffix.lower(), where=found.uri, max_bytes=max_bytes)
    modified = datetime.fromtimestamp(found.path.stat().st_mtime, UTC)
    return Resource(
        found.uri, content, detect_media_type(content, name), modified=modified, name=name, origin=found.origin
    )
