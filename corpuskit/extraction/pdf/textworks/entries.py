"""The artifacts of an entry: files in its directory, or in groups one level below."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpuskit.errors import ConfigurationError, CorpusError

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
        """The names of all artifacts, sorted; what is stashed is not among them."""
        return sorted(
            path.relative_to(self.folder).as_posix()
            for pattern in ("*", "*/*")
            for path in self.folder.glob(pattern)
            if path.is_file() and not any(part.startswith(".") for part in path.relative_to(self.folder).parts)
        )

    def get(self, artifact: str) -> bytes | None:
        """What an artifact holds; None where there is none.

        Raises:
            ConfigurationError: the name is no ``NAME`` or ``GROUP/NAME``.
        """
        path = self._path(artifact)
        return path.read_bytes() if path.is_file() else None

    def put(self, artifact: str, content: bytes, *, overwrite: bool = False) -> bool:
        """Writes an artifact in one step; False, and nothing is done, where it is there and is not to be overwritten.

        Raises:
            ConfigurationError: as :meth:`get`.
        """
        path = self._path(artifact)
        if path.exists() and not overwrite:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        part.write_bytes(content)
        part.replace(path)
        return True

    def delete(self, artifact: str) -> bool:
        """Deletes an artifact; False where there is none.

        Raises:
            ConfigurationError: as :meth:`get`.
        """
        path = self._path(artifact)
        if not path.is_file():
            return False
        path.unlink()
        return True

    def stash(self, artifact: str) -> int:
        """Puts an artifact aside, so that it can be made anew; gives the number of the stash, counted from 1.

        Raises:
            ConfigurationError: as :meth:`get`.
            CorpusError: there is no such artifact.
        """
        path = self._path(artifact)
        if not path.is_file():
            raise CorpusError(f"{self.folder} has no artifact {artifact!r} to stash")
        number = max(self._stashes(artifact), default=0) + 1
        target = self.folder / _STASH / str(number) / artifact
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)
        return number

    def unstash(self, artifact: str) -> int | None:
        """Brings back what was stashed last, in place of what is there; gives its number, None where nothing is stashed.

        Raises:
            ConfigurationError: as :meth:`get`.
        """
        path = self._path(artifact)
        number = max(self._stashes(artifact), default=None)
        if number is None:
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / _STASH / str(number) / artifact).replace(path)
        self._sweep(number)
        return number

    def _sweep(self, number: int) -> None:
        """Removes the folders of a stash that holds nothing more."""
        root = self.folder / _STASH / str(number)
        if not any(path.is_file() for path in root.rglob("*")):
            shutil.rmtree(root)
        if not any((self.folder / _STASH).iterdir()):
            (self.folder / _STASH).rmdir()

    def _stashes(self, artifact: str) -> Iterator[int]:
        root = self.folder / _STASH
        for path in root.iterdir() if root.is_dir() else ():
            if path.name.isdecimal() and (path / artifact).is_file():
                yield int(path.name)

    def _path(self, artifact: str) -> Path:
        parts = artifact.split("/")
        if len(parts) > 2 or any(not part or part.startswith(".") or "\\" in part or ":" in part for part in parts):
            raise ConfigurationError(
                f"{artifact!r} names no artifact: expected NAME or GROUP/NAME, without leading dots"
            )
        return self.folder / artifact


def entries(root: str | os.PathLike[str]) -> list[Entry]:
    """The entries of a corpus root, sorted by name; directories without artifacts are left out."""
    folders = sorted(path for path in Path(root).iterdir() if path.is_dir() and not path.name.startswith("."))
    return [entry for entry in map(Entry, folders) if entry.artifacts()]
