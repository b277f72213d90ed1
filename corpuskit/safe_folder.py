"""Access to files in an untrusted directory without leaving it: no symbolic links, pipes, devices or ``..``."""

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
"""Default size limit of files that are read into memory."""
_MAX_PARTS: Final = 50  # deeper trees can be created but hardly be walked or removed
_MAX_PATH_CHARACTERS: Final = 3000  # the limit of common systems is 4096 bytes
_MAX_PART_CHARACTERS: Final = 255

# With dir_fd each directory is opened relative to its parent; elsewhere each part is checked before use.
_HAS_DIR_FD: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_OPEN_FLAGS: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a FIFO must not block
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)
_REPARSE_LINKS: Final = frozenset({0xA000000C, 0xA0000003})  # Windows: symbolic links, junctions
_TYPE_ERRORS: Final = frozenset(
    {errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EMLINK, errno.EISDIR, errno.ENAMETOOLONG}
)


@dataclass(frozen=True, slots=True)
class SafeFolder:
    """A directory that may come from an untrusted source.

    Its content can hold names with ``..``, symbolic links, named pipes and devices. The methods reach directories and
    regular files only and never follow a link, so that nothing outside is read or written and no call blocks. The root
    itself is chosen by the user and may be reached through links.

    Args:
        root: Path of the root directory.
        parts: Path of this directory relative to the root.
        follow: Follow links. For directories of the user that span several disks.
    """

    root: Path
    parts: tuple[str, ...] = ()
    follow: bool = False

    @property
    def path(self) -> Path:
        """Path of this directory. Use the methods to access its content: they check each part of a path."""
        return self.root.joinpath(*self.parts)

    def subfolder(self, name: str) -> SafeFolder:
        """Return a subdirectory. It does not have to exist."""
        return replace(self, parts=(*self.parts, *split_path(name)))

    def __truediv__(self, name: str | os.PathLike[str]) -> Path:
        """Return the checked path of a file or directory, for libraries that open files by name. It does not have to exist.

        Raises:
            CorpusError: The path contains a link, or is neither a regular file nor a directory.
        """
        parts = (*self.parts, *split_path(name))
        self._checked_stat(parts)
        return self.root.joinpath(*parts)

    def stat(self, name: str = "") -> os.stat_result | None:
        """Return the status of a file or directory, or None if it does not exist.

        Raises:
            CorpusError: As for ``/``.
        """
        return self._checked_stat((*self.parts, *split_path(name)))

    def exists(self, name: str = "") -> bool:
        """Return whether a file or directory exists."""
        return self.stat(name) is not None

    def open(
        self, name: str, mode: Literal["rb", "r+b", "ab", "a+b", "xb"] = "rb", *, buffering: int = -1
    ) -> IO[bytes]:
        """Open a regular file. The modes ``ab``, ``a+b`` and ``xb`` create it and its parent directories.

        Raises:
            CorpusError: As for ``/``.
            FileNotFoundError, FileExistsError, OSError: As for the built-in function.
        """
        parts = (*self.parts, *split_path(name))
        with self._parent(parts, create=mode in {"ab", "a+b", "xb"}) as (filename, dir_fd):

            def open_in_parent(name: str, flags: int) -> int:
                return os.open(name, flags | self._open_flags, 0o666, dir_fd=dir_fd)

            with self._translate_errors(parts):
                file: IO[bytes] = io.open(filename, mode, buffering, opener=open_in_parent)  # noqa: SIM115, UP020
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file.close()
                raise _type_error(parts)
            return file

    def read(self, name: str, max_bytes: int = MAX_BYTES) -> bytes:
        """Return the content of a file.

        Args:
            name: Relative path.
            max_bytes: Size limit.

        Raises:
            CorpusError: As for ``/``, or the file exceeds the limit.
            OSError: The file cannot be read.
        """
        with self.open(name) as file:
            size = os.fstat(file.fileno()).st_size
            content = file.read(max_bytes + 1) if size <= max_bytes else b""
        if size > max_bytes or len(content) > max_bytes:
            raise CorpusError(
                f"{_display((*self.parts, *split_path(name)))}: {size:,} bytes, the limit is {max_bytes:,}"
            )
        return content

    def write(self, name: str, content: bytes, *, durable: bool = False) -> None:
        """Write a file atomically: a temporary file is renamed. Parent directories are created.

        Args:
            name: Relative path.
            content: The content.
            durable: Sync the file, so that it survives a power failure.
        """
        with self.atomic_write(name) as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())

    @contextlib.contextmanager
    def atomic_write(self, name: str) -> Iterator[IO[bytes]]:
        """Yield a temporary file that is renamed to ``name`` if the block succeeds and removed if it fails."""
        temporary = f"{name}.{os.getpid()}-{threading.get_ident():x}.tmp"
        self.remove(temporary)  # left by a killed process with the same id
        self.stat(name)  # raises if a link or a pipe has this name
        try:
            with self.open(temporary, "xb") as file:
                yield file
            self.rename(temporary, name)
        except BaseException:
            with contextlib.suppress(OSError):
                self.remove(temporary)
            raise

    def rename(self, name: str, new: str) -> None:
        """Rename a file or directory. An existing file of the new name is replaced."""
        parts, target = (*self.parts, *split_path(name)), (*self.parts, *split_path(new))
        with (
            self._parent(parts) as (filename, dir_fd),
            self._parent(target, create=True) as (new_filename, new_dir_fd),
            self._translate_errors(target),
        ):
            os.replace(filename, new_filename, src_dir_fd=dir_fd, dst_dir_fd=new_dir_fd)

    def remove(self, name: str) -> bool:
        """Remove a file or a link and return whether it existed.

        Raises:
            CorpusError: It is a directory, or the path leads through a link.
        """
        parts = (*self.parts, *split_path(name))
        try:
            with self._parent(parts) as (filename, dir_fd), self._translate_errors(parts):
                os.unlink(filename, dir_fd=dir_fd)
        except FileNotFoundError:
            return False
        return True

    def remove_folder(self, name: str = "") -> None:
        """Remove a directory with its content. Links in it are removed, their targets are not."""
        if (status := self.stat(name)) is not None and stat.S_ISDIR(status.st_mode):
            shutil.rmtree(self / name, ignore_errors=True)

    def mkdir(self, name: str = "") -> Path:
        """Create a directory and its parents if they do not exist, and return its path."""
        parts = (*self.parts, *split_path(name))
        with self._parent((*parts, "."), create=True):
            return self.root.joinpath(*parts)

    def try_mkdir(self, name: str) -> bool:
        """Create a directory and return True, or return False if the name exists. Only one of several processes gets True."""
        with self._parent((*self.parts, *split_path(name)), create=True) as (filename, dir_fd):
            try:
                os.mkdir(filename, dir_fd=dir_fd)
            except FileExistsError:
                return False
        return True

    def file_names(self, pattern: str = "*", *, strict: bool = False) -> list[str]:
        """Return the sorted names of the regular files in this directory; an empty list if the directory does not exist.

        Args:
            pattern: Names to select, as in :mod:`fnmatch`.
            strict: Raise if a link, pipe, device or directory matches. By default it is skipped.

        Raises:
            CorpusError: As for ``/``.
        """
        names = []
        for name, entry in self._entries(()):
            if not fnmatchcase(name, pattern):
                continue
            if _is_regular(entry, follow=self.follow):
                names.append(name)
            elif strict:
                self.stat(name)
                raise _type_error((*self.parts, name))
        return sorted(names)

    def folder_names(self) -> list[str]:
        """Return the sorted names of the subdirectories."""
        return sorted(name for name, entry in self._entries(()) if _is_directory(entry, follow=self.follow))

    def walk(self, suffix: str = "") -> Iterator[str]:
        """Yield the relative paths of the regular files in this directory and its subdirectories, in arbitrary order.

        Links, pipes and devices are skipped.
        """
        pending: list[tuple[str, ...]] = [()]
        while pending:
            parent = pending.pop()
            for name, entry in self._entries(parent):
                if _is_directory(entry, follow=self.follow):
                    pending.append((*parent, name))
                elif name.endswith(suffix) and _is_regular(entry, follow=self.follow):
                    yield "/".join((*parent, name))

    def irregular_entries(self) -> Iterator[tuple[str, str]]:
        """Yield the path of each entry that is neither a directory nor a regular file, and a message.

        Links are included unless this directory follows links. The path is empty if this directory itself is irregular.
        """
        pending: list[tuple[str, ...]] = [()]
        seen: set[tuple[int, int]] = set()  # directories; followed links can form a cycle
        while pending:
            parent = pending.pop()
            full_parts = (*self.parts, *parent)
            try:
                status = self._checked_stat(full_parts)
                if status is None:
                    continue
                if not stat.S_ISDIR(status.st_mode):
                    raise _type_error(full_parts)
                if (file_id := (status.st_dev, status.st_ino)) in seen and self.follow:
                    continue
                seen.add(file_id)
                entries = sorted(self._entries(parent), key=lambda named: named[0])
            except CorpusError as error:
                yield "/".join(parent), str(error)
                continue
            for name, entry in entries:
                parts = (*parent, name)
                if _is_directory(entry, follow=self.follow):
                    pending.append(parts)
                elif not _is_regular(entry, follow=self.follow):
                    try:
                        if self._checked_stat((*self.parts, *parts)) is None and entry.is_symlink():
                            yield "/".join(parts), f"{_display((*self.parts, *parts))} is a link to a missing file"
                    except CorpusError as error:
                        yield "/".join(parts), str(error)

    def _entries(self, parts: tuple[str, ...]) -> Iterator[tuple[str, os.DirEntry[str]]]:
        full_parts = (*self.parts, *parts)
        try:
            self._checked_stat(full_parts)
            entries = os.scandir(self.root.joinpath(*full_parts))
        except (FileNotFoundError, NotADirectoryError):
            return
        with entries:
            for entry in entries:
                yield entry.name, entry

    # -- checks of single path components --------------------------------------------------------------------------------

    @property
    def _open_flags(self) -> int:
        return _OPEN_FLAGS & ~getattr(os, "O_NOFOLLOW", 0) if self.follow else _OPEN_FLAGS

    def _checked_stat(self, parts: tuple[str, ...]) -> os.stat_result | None:
        """Return the status of a path, or None if it does not exist. Raise if a part is a link or not a directory."""
        path, status = str(self.root), None
        for number, part in enumerate(parts, 1):
            path = os.path.join(path, part)  # noqa: PTH118 - a tenth of the time of Path
            try:
                status = os.stat(path) if self.follow else os.lstat(path)  # noqa: PTH116
            except (FileNotFoundError, NotADirectoryError):
                return None
            except OSError as error:
                if error.errno == errno.ENAMETOOLONG:
                    raise _length_error("/".join(parts)) from error
                raise
            if not self.follow and _is_link(status):
                raise _link_error(parts[:number])
            if not (stat.S_ISDIR(status.st_mode) or (number == len(parts) and stat.S_ISREG(status.st_mode))):
                raise _type_error(parts[:number])
        return status if parts else os.stat(path)  # noqa: PTH116

    @contextlib.contextmanager
    def _parent(self, parts: tuple[str, ...], *, create: bool = False) -> Iterator[tuple[str, int | None]]:
        """Open the parent directory and yield the file name and a value for ``dir_fd``.

        On systems without ``dir_fd`` yield the full path and None.
        """
        if not _HAS_DIR_FD or self.follow:
            self._checked_stat(parts[:-1])
            folder = self.root.joinpath(*parts[:-1])
            if create:
                folder.mkdir(parents=True, exist_ok=True)
            yield str(folder / parts[-1]), None
            return
        # Removed from the list before it is closed: after a Ctrl-C in between, the same number could belong to another file.
        handles = [os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
        try:
            for number, part in enumerate(parts[:-1], 1):
                with self._translate_errors(parts[:number]):
                    handles.append(_open_directory(part, handles[-1], create=create))
                os.close(handles.pop(-2))
            yield parts[-1], handles[-1]
        finally:
            while handles:
                os.close(handles.pop())

    @contextlib.contextmanager
    def _translate_errors(self, parts: tuple[str, ...]) -> Iterator[None]:
        """Replace the unspecific errors of the system for links and pipes by a CorpusError."""
        try:
            yield
        except OSError as error:
            if error.errno is None or error.errno in _TYPE_ERRORS:  # None: the file is not seekable
                self._checked_stat(parts)
                if error.errno in {errno.ENOTDIR, errno.EISDIR}:
                    raise _type_error(parts) from error
            raise


Folder: TypeAlias = SafeFolder | str | os.PathLike[str]


def as_safe_folder(folder: Folder) -> SafeFolder:
    """Return a path chosen by the user as a SafeFolder."""
    return folder if isinstance(folder, SafeFolder) else SafeFolder(Path(folder))


def ensure_folder(folder: Folder) -> SafeFolder:
    """Return a folder as :func:`as_safe_folder` does and create it if it does not exist."""
    safe = as_safe_folder(folder)
    safe.root.mkdir(parents=True, exist_ok=True)
    safe.mkdir()
    return safe


def split_path(name: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the parts of a relative path.

    Raises:
        CorpusError: It is absolute, too long or too deep, or contains ``..``, a backslash or a drive.
    """
    text = os.fspath(name)
    if os.sep == "\\" and not isinstance(name, str):
        text = text.replace("\\", "/")
    if not text:
        return ()
    parts = tuple(text.split("/"))
    if len(parts) > _MAX_PARTS:
        raise CorpusError(f"{text[:80]!r}...: {len(parts):,} nested directories, the limit is {_MAX_PARTS}")
    if len(text) > _MAX_PATH_CHARACTERS or max(map(len, parts)) > _MAX_PART_CHARACTERS:
        raise _length_error(text)
    if any(part in {"", ".", ".."} or "\x00" in part or "\\" in part for part in parts) or (
        os.name == "nt" and ":" in text
    ):
        raise CorpusError(f"{text[:200]!r} is not a path inside the directory: expected names separated by /")
    return parts


def _open_directory(part: str, parent_fd: int, *, create: bool) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(part, flags, dir_fd=parent_fd)
    except FileNotFoundError:
        if not create:
            raise
    with contextlib.suppress(FileExistsError):  # another process was faster
        os.mkdir(part, dir_fd=parent_fd)
    return os.open(part, flags, dir_fd=parent_fd)


def _is_link(status: os.stat_result) -> bool:
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) in _REPARSE_LINKS


def _is_regular(entry: os.DirEntry[str], *, follow: bool) -> bool:
    return entry.is_file(follow_symlinks=follow)


def _is_directory(entry: os.DirEntry[str], *, follow: bool) -> bool:
    # Python reports a junction as a directory.
    with contextlib.suppress(FileNotFoundError):  # removed since it was listed
        return entry.is_dir(follow_symlinks=follow) and (follow or not _is_link(entry.stat(follow_symlinks=False)))
    return False


def _display(parts: tuple[str, ...]) -> str:
    return "/".join(parts) or "the directory"


def _link_error(parts: tuple[str, ...]) -> CorpusError:
    return CorpusError(
        f"{_display(parts)} is a link, which is not followed in a folder from an untrusted source: remove it, or replace it by "
        "its target; open your own corpus on several disks with trust=True (--trust)"
    )


def _length_error(text: str) -> CorpusError:
    return CorpusError(f"{text[:80]!r}...: the path is too long")


def _type_error(parts: tuple[str, ...]) -> CorpusError:
    return CorpusError(
        f"{_display(parts)} is neither a regular file nor a directory, or one in place of the other: remove it"
    )


__all__ = ["MAX_BYTES", "Folder", "SafeFolder", "as_safe_folder", "ensure_folder", "split_path"]
