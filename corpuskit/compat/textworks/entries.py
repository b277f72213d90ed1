"""The artifacts of an entry: files in its directory, or in groups one level below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.safe_folder import Folder, SafeFolder, as_safe_folder

_STASH: Final = ".stash"


@dataclass(frozen=True, slots=True)
class Entry:
    """One artifact directory, such as ``paper.pdf.d``.

    An artifact is named ``NAME`` or ``GROUP/NAME``, with one level of groups. TextWorks stashed under the time of day;
    here stashes are counted, so that the same calls give the same files.
    """

    folder: Path

    @property
    def name(self) -> str:
        """The name of the directory."""
        return self.folder.name

    def artifacts(self) -> list[str]:
        """Return the names of all artifacts, sorted; what is stashed is not among them."""
        folder = SafeFolder(self.folder)
        groups = [(name + "/", folder.subfolder(name)) for name in folder.folder_names()]
        names = [above + name for above, group in [("", folder), *groups] for name in group.file_names()]
        return sorted(name for name in names if not name.startswith(".") and "/." not in name)

    def get(self, artifact: str) -> bytes | None:
        """Return what an artifact holds; None where there is none.

        Raises:
            ConfigurationError: the name is no ``NAME`` or ``GROUP/NAME``.
        """
        path = self._path(artifact)
        return SafeFolder(self.folder).read(artifact) if path.is_file() else None

    def put(self, artifact: str, content: bytes, *, overwrite: bool = False) -> bool:
        """Write an artifact in one step; False, and nothing is done, where it is there and is not to be overwritten.

        Raises:
            ConfigurationError: as :meth:`get`.
        """
        path = self._path(artifact)
        if path.exists() and not overwrite:
            return False
        SafeFolder(self.folder).write(artifact, content)
        return True

    def delete(self, artifact: str) -> bool:
        """Delete an artifact; False where there is none.

        Raises:
            ConfigurationError: as :meth:`get`.
        """
        path = self._path(artifact)
        if not path.is_file():
            return False
        path.unlink()
        return True

    def stash(self, artifact: str) -> int:
        """Put an artifact aside, so that it can be made anew, and return the number of the stash, counted from 1.

        Raises:
            ConfigurationError: as :meth:`get`.
            CorpusError: there is no such artifact.
        """
        path = self._path(artifact)
        if not path.is_file():
            raise CorpusError(f"{self.folder} has no artifact {artifact!r} to stash")
        number = max(self._stashes(artifact), default=0) + 1
        SafeFolder(self.folder).rename(artifact, f"{_STASH}/{number}/{artifact}")
        return number

    def unstash(self, artifact: str) -> int | None:
        """Bring back what was stashed last, in place of what is there, and return its number, None where nothing is stashed.

        Raises:
            ConfigurationError: as :meth:`get`.
        """
        self._path(artifact)
        number = max(self._stashes(artifact), default=None)
        if number is None:
            return None
        SafeFolder(self.folder).rename(f"{_STASH}/{number}/{artifact}", artifact)
        self._sweep(number)
        return number

    def _sweep(self, number: int) -> None:
        """Removes the folders of a stash that holds nothing more."""
        root = SafeFolder(self.folder).subfolder(_STASH)
        if not any(root.subfolder(str(number)).walk()):
            root.remove_folder(str(number))
        if not any(root.path.iterdir()):
            root.path.rmdir()

    def _stashes(self, artifact: str) -> Iterator[int]:
        root = SafeFolder(self.folder).subfolder(_STASH)
        for name in root.folder_names():
            if name.isdecimal() and root.exists(f"{name}/{artifact}"):
                yield int(name)

    def _path(self, artifact: str) -> Path:
        parts = artifact.split("/")
        if len(parts) > 2 or any(not part or part.startswith(".") or "\\" in part or ":" in part for part in parts):
            raise ConfigurationError(
                f"{artifact!r} names no artifact: expected NAME or GROUP/NAME, without leading dots"
            )
        return SafeFolder(self.folder) / artifact


def entries(root: Folder) -> list[Entry]:
    """Return the entries of a corpus root, sorted by name; directories without artifacts are left out."""
    root = as_safe_folder(root)
    folders = [root / name for name in root.folder_names() if not name.startswith(".")]
    return [entry for entry in map(Entry, folders) if entry.artifacts()]
