"""SafeFolder: the one way to what stands beneath a folder that a stranger may have made."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Final, Literal, TypeAlias

from corpuskit.errors import CorpusError

MAX_BYTES: Final = 2 * 1024**3
"""A file that is read whole is not larger."""
_MOST_PARTS: Final = 50  # a deeper tree is made, and can then hardly be walked or removed
_LONGEST: Final = 3000  # characters; systems take no more
_LONGEST_PART: Final = 255

# Folders are opened one beneath the other where the system can; elsewhere each part is looked at before.
_BY_HANDLE: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_ALWAYS: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO does not block
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)
_REPARSE_LINKS: Final = frozenset({0xA000000C, 0xA0000003})  # of Windows: symbolic links, junctions
_NO_WAY: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EMLINK, errno.EISDIR, errno.ENAMETOOLONG})


@dataclass(frozen=True, slots=True)
class SafeFolder:
    """A folder, and what stands beneath it: folders and regular files, reached without following a link.

    Whoever packs a folder decides what lies in it: names with ``..``, symbolic links, named pipes, devices. None of them
    leads out of here, blocks or is read without end. The folder itself is the user's choice and may be reached by links.

    Args:
        root: the folder.
        parts: a folder beneath it.
        follow: links are followed: the folder is the user's own, laid out over several disks.
    """

    root: Path
    parts: tuple[str, ...] = ()
    follow: bool = False

    @property
    def path(self) -> Path:
        """Where this folder is. To reach what is beneath, use the methods, which look at each part."""
        return self.root.joinpath(*self.parts)

    def subfolder(self, name: str) -> SafeFolder:
        """Return a folder beneath this one; it need not be there."""
        return replace(self, parts=(*self.parts, *split_path(name)))

    def __truediv__(self, name: str | os.PathLike[str]) -> Path:
        """Return the path of what stands, or may be made, beneath: for libraries that open files by name.

        Raises:
            CorpusError: a link leads there, or neither a regular file nor a folder stands there.
        """
        parts = (*self.parts, *split_path(name))
        self._look(parts)
        return self.root.joinpath(*parts)

    def stat(self, name: str = "") -> os.stat_result | None:
        """Return what the system knows of a file or folder; None where there is none.

        Raises:
            CorpusError: as for ``/``.
        """
        return self._look((*self.parts, *split_path(name)))

    def exists(self, name: str = "") -> bool:
        """Return whether a file or folder is there."""
        return self.stat(name) is not None

    def open(
        self, name: str, mode: Literal["rb", "r+b", "ab", "a+b", "xb"] = "rb", *, buffering: int = -1
    ) -> IO[bytes]:
        """Open a regular file. With ``ab``, ``a+b`` and ``xb`` it is made, and its folders.

        Raises:
            CorpusError: as for ``/``.
            FileNotFoundError, FileExistsError, OSError: as for the built-in.
        """
        parts = (*self.parts, *split_path(name))
        with self._parent(parts, create=mode in {"ab", "a+b", "xb"}) as (last, at):

            def opened(name: str, flags: int) -> int:
                return os.open(name, flags | self._always, 0o666, dir_fd=at)

            with self._explained(parts):
                file: IO[bytes] = io.open(last, mode, buffering, opener=opened)  # noqa: SIM115, UP020
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file.close()
                raise _no_file(parts)
            return file

    def read(self, name: str, most: int = MAX_BYTES) -> bytes:
        """Return the content of a file.

        Args:
            name: below this folder.
            most: bytes; a larger file is refused.

        Raises:
            CorpusError: as for ``/``, or the file is too large.
            OSError: it cannot be read.
        """
        with self.open(name) as file:
            size = os.fstat(file.fileno()).st_size
            content = file.read(most + 1) if size <= most else b""
        if size > most or len(content) > most:
            raise CorpusError(f"{_told((*self.parts, *split_path(name)))}: {size:,} bytes, the limit is {most:,}")
        return content

    def write(self, name: str, content: bytes, *, durable: bool = False) -> None:
        """Write a whole file or nothing: a temporary file beside it is renamed. Its folders are made.

        Args:
            name: below this folder.
            content: the bytes.
            durable: they survive a power cut.
        """
        with self.atomic_write(name) as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())

    @contextlib.contextmanager
    def atomic_write(self, name: str) -> Iterator[IO[bytes]]:
        """Yield a new file that takes its name when the context ends without an error; before, it ends in ``.tmp``."""
        temporary = f"{name}.{os.getpid()}-{threading.get_ident():x}.tmp"
        self.remove(temporary)  # of a killed process with the same number
        self.stat(name)  # a link or a pipe in this place is told, and stays
        try:
            with self.open(temporary, "xb") as file:
                yield file
            self.rename(temporary, name)
        except BaseException:
            with contextlib.suppress(OSError):
                self.remove(temporary)
            raise

    def rename(self, name: str, new: str) -> None:
        """Give a file or folder another name; a file of that name is replaced."""
        parts, target = (*self.parts, *split_path(name)), (*self.parts, *split_path(new))
        with (
            self._parent(parts) as (last, at),
            self._parent(target, create=True) as (new_last, new_at),
            self._explained(target),
        ):
            os.replace(last, new_last, src_dir_fd=at, dst_dir_fd=new_at)

    def remove(self, name: str) -> bool:
        """Remove a file, or the link that stands for one; give whether there was one.

        Raises:
            CorpusError: a folder stands there, or a link leads there.
        """
        parts = (*self.parts, *split_path(name))
        try:
            with self._parent(parts) as (last, at), self._explained(parts):
                os.unlink(last, dir_fd=at)
        except FileNotFoundError:
            return False
        return True

    def remove_folder(self, name: str = "") -> None:
        """Remove a folder with all that is in it; links in it go, what they point to stays."""
        if (found := self.stat(name)) is not None and stat.S_ISDIR(found.st_mode):
            shutil.rmtree(self / name, ignore_errors=True)

    def mkdir(self, name: str = "") -> Path:
        """Make a folder and those above it; give its path."""
        parts = (*self.parts, *split_path(name))
        with self._parent((*parts, "."), create=True):
            return self.root.joinpath(*parts)

    def try_mkdir(self, name: str) -> bool:
        """Make a folder, and those above it; return False where something of this name is there: of several one makes it."""
        with self._parent((*self.parts, *split_path(name)), create=True) as (last, at):
            try:
                os.mkdir(last, dir_fd=at)
            except FileExistsError:
                return False
        return True

    def file_names(self, pattern: str = "*", *, strict: bool = False) -> list[str]:
        """Return the names of the regular files right in this folder that match, sorted; none where there is no folder.

        Args:
            pattern: with ``*`` and ``[0-9]``.
            strict: a link, pipe, device or folder of such a name is an error; else it is passed over.

        Raises:
            CorpusError: as for ``/``.
        """
        found = []
        for name, entry in self._entries(()):
            if not fnmatchcase(name, pattern):
                continue
            if _is_regular(entry, follow=self.follow):
                found.append(name)
            elif strict:
                self.stat(name)
                raise _no_file((*self.parts, name))
        return sorted(found)

    def folder_names(self) -> list[str]:
        """Return the names of the folders right in this folder, sorted."""
        return sorted(name for name, entry in self._entries(()) if _is_folder(entry, follow=self.follow))

    def walk(self, suffix: str = "") -> Iterator[str]:
        """Yield the regular files in this folder and those below, with ``/`` between the parts; in no order.

        Links, pipes and devices are passed over.
        """
        waiting: list[tuple[str, ...]] = [()]
        while waiting:
            above = waiting.pop()
            for name, entry in self._entries(above):
                if _is_folder(entry, follow=self.follow):
                    waiting.append((*above, name))
                elif name.endswith(suffix) and _is_regular(entry, follow=self.follow):
                    yield "/".join((*above, name))

    def irregular_entries(self) -> Iterator[tuple[str, str]]:
        """Yield what stands in this folder and those below and is neither a folder nor a regular file, and what is wrong with it.

        A link is one too, unless links are followed. The name is empty where that is so of this folder itself.
        """
        waiting: list[tuple[str, ...]] = [()]
        seen: set[tuple[int, int]] = set()  # folders; followed links may lead round in a circle
        while waiting:
            above = waiting.pop()
            whole = (*self.parts, *above)
            try:
                found = self._look(whole)
                if found is None:
                    continue
                if not stat.S_ISDIR(found.st_mode):
                    raise _no_file(whole)
                if (place := (found.st_dev, found.st_ino)) in seen and self.follow:
                    continue
                seen.add(place)
                entries = sorted(self._entries(above), key=lambda named: named[0])
            except CorpusError as error:
                yield "/".join(above), str(error)
                continue
            for name, entry in entries:
                parts = (*above, name)
                if _is_folder(entry, follow=self.follow):
                    waiting.append(parts)
                elif not _is_regular(entry, follow=self.follow):
                    try:
                        if self._look((*self.parts, *parts)) is None and entry.is_symlink():
                            yield "/".join(parts), f"{_told((*self.parts, *parts))} is a link to what is not there"
                    except CorpusError as error:
                        yield "/".join(parts), str(error)

    def _entries(self, parts: tuple[str, ...]) -> Iterator[tuple[str, os.DirEntry[str]]]:
        whole = (*self.parts, *parts)
        try:
            self._look(whole)
            found = os.scandir(self.root.joinpath(*whole))
        except (FileNotFoundError, NotADirectoryError):
            return
        with found:
            for entry in found:
                yield entry.name, entry

    # -- one step at a time ----------------------------------------------------------------------------------------------

    @property
    def _always(self) -> int:
        return _ALWAYS & ~getattr(os, "O_NOFOLLOW", 0) if self.follow else _ALWAYS

    def _look(self, parts: tuple[str, ...]) -> os.stat_result | None:
        """What stands there. Every part before it is a folder, none is a link."""
        where, found = str(self.root), None
        for number, part in enumerate(parts, 1):
            where = os.path.join(where, part)  # noqa: PTH118 - a tenth of the time of Path
            try:
                found = os.stat(where) if self.follow else os.lstat(where)  # noqa: PTH116
            except (FileNotFoundError, NotADirectoryError):
                return None
            except OSError as error:
                if error.errno == errno.ENAMETOOLONG:
                    raise _too_long("/".join(parts)) from error
                raise
            if not self.follow and _is_link(found):
                raise _link(parts[:number])
            if not (stat.S_ISDIR(found.st_mode) or (number == len(parts) and stat.S_ISREG(found.st_mode))):
                raise _no_file(parts[:number])
        return found if parts else os.stat(where)  # noqa: PTH116

    @contextlib.contextmanager
    def _parent(self, parts: tuple[str, ...], *, create: bool = False) -> Iterator[tuple[str, int | None]]:
        """The last part as it is named in its folder, and that folder's handle; a whole path and None without handles."""
        if not _BY_HANDLE or self.follow:
            self._look(parts[:-1])
            folder = self.root.joinpath(*parts[:-1])
            if create:
                folder.mkdir(parents=True, exist_ok=True)
            yield str(folder / parts[-1]), None
            return
        # Taken out before it is closed: a Ctrl-C in between must not close a handle twice, which may be another's by then.
        held = [os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
        try:
            for number, part in enumerate(parts[:-1], 1):
                with self._explained(parts[:number]):
                    held.append(_open_folder(part, held[-1], create=create))
                os.close(held.pop(-2))
            yield parts[-1], held[-1]
        finally:
            while held:
                os.close(held.pop())

    @contextlib.contextmanager
    def _explained(self, parts: tuple[str, ...]) -> Iterator[None]:
        """The system says of a link or pipe only that something is wrong: look what."""
        try:
            yield
        except OSError as error:
            if error.errno is None or error.errno in _NO_WAY:  # the first: what cannot be sought in
                self._look(parts)
                if error.errno in {errno.ENOTDIR, errno.EISDIR}:
                    raise _no_file(parts) from error
            raise


Folder: TypeAlias = SafeFolder | str | os.PathLike[str]


def as_safe_folder(folder: Folder) -> SafeFolder:
    """Return a folder that the user has named as one beneath which nothing leads out."""
    return folder if isinstance(folder, SafeFolder) else SafeFolder(Path(folder))


def ensure_folder(folder: Folder) -> SafeFolder:
    """As :func:`as_safe_folder`; the folder is made if absent."""
    found = as_safe_folder(folder)
    found.root.mkdir(parents=True, exist_ok=True)
    found.mkdir()
    return found


def split_path(name: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the parts of a relative path.

    Raises:
        CorpusError: it is absolute, too deep, has ``..`` or what some system takes for a separator or a drive in it.
    """
    text = os.fspath(name)
    if os.sep == "\\" and not isinstance(name, str):
        text = text.replace("\\", "/")
    if not text:
        return ()
    parts = tuple(text.split("/"))
    if len(parts) > _MOST_PARTS:
        raise CorpusError(f"{text[:80]!r}...: {len(parts):,} folders in each other, the limit is {_MOST_PARTS}")
    if len(text) > _LONGEST or max(map(len, parts)) > _LONGEST_PART:
        raise _too_long(text)
    if any(part in {"", ".", ".."} or "\x00" in part or "\\" in part for part in parts) or (
        os.name == "nt" and ":" in text
    ):
        raise CorpusError(f"{text[:200]!r} leads out of its folder: expected names with / between them")
    return parts


def _open_folder(part: str, at: int, *, create: bool) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(part, flags, dir_fd=at)
    except FileNotFoundError:
        if not create:
            raise
    with contextlib.suppress(FileExistsError):  # another process was faster
        os.mkdir(part, dir_fd=at)
    return os.open(part, flags, dir_fd=at)


def _is_link(found: os.stat_result) -> bool:
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) in _REPARSE_LINKS


def _is_regular(entry: os.DirEntry[str], *, follow: bool) -> bool:
    return entry.is_file(follow_symlinks=follow)


def _is_folder(entry: os.DirEntry[str], *, follow: bool) -> bool:
    # Of a junction the system says that it is a folder.
    with contextlib.suppress(FileNotFoundError):  # it has gone since it was listed
        return entry.is_dir(follow_symlinks=follow) and (follow or not _is_link(entry.stat(follow_symlinks=False)))
    return False


def _told(parts: tuple[str, ...]) -> str:
    return "/".join(parts) or "the folder"


def _link(parts: tuple[str, ...]) -> CorpusError:
    return CorpusError(
        f"{_told(parts)} is a link, and a folder from elsewhere may not lead out of itself: remove it, or put what it "
        "points to in its place; your own corpus on several disks opens with trust=True"
    )


def _too_long(text: str) -> CorpusError:
    return CorpusError(f"{text[:80]!r}...: a name that is too long for a file")


def _no_file(parts: tuple[str, ...]) -> CorpusError:
    return CorpusError(f"{_told(parts)} is not a regular file, or no folder where one belongs: remove it")


__all__ = ["MAX_BYTES", "Folder", "SafeFolder", "as_safe_folder", "ensure_folder", "split_path"]
