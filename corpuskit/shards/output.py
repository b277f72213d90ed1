"""Output directory of shards, on disk or in a store. Files are published atomically."""

from __future__ import annotations

import json
import posixpath
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import SourceError
from corpuskit.safe_folder import SafeFolder
from corpuskit.sources.stores import is_local, open_store
from corpuskit.store.packs import PACK_SUFFIX, sync_folder

ELEMENTS_SUFFIX: Final = ".elements.parquet"
CATALOG_SUFFIX: Final = ".catalog.parquet"
FAILED_SUFFIX: Final = ".failed.json"
SETTINGS: Final = "extraction.json"
RECORDS_SUFFIX: Final = ".records.warc.gz"
"""Records of a shard's documents, copied from remote archives. Only shards of locations have this file."""
PARTS: Final = (PACK_SUFFIX, ELEMENTS_SUFFIX, CATALOG_SUFFIX)
"""Files of a shard. The catalog part is last and marks the shard as done."""


class Output:
    """Directory of outputs.

    Args:
        url: A path, or a URL of a store that fsspec supports.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._fs, self._path = open_store(self.url)
        self._path = self._path.rstrip("/")
        self._fs.invalidate_cache()
        if is_local(self._fs):
            Path(self._path).mkdir(parents=True, exist_ok=True)

    def names(self, suffix: str = CATALOG_SUFFIX) -> list[str]:
        """Return the names of the shards that have a file with this suffix, sorted."""
        try:
            files = self._fs.ls(self._path, detail=False)
        except FileNotFoundError:  # a store has no empty directories
            return []
        return sorted(posixpath.basename(file)[: -len(suffix)] for file in files if file.endswith(suffix))

    def has(self, file: str) -> bool:
        """Return whether a file exists."""
        self._fs.invalidate_cache()
        return bool(self._fs.exists(self._path_of(file)))

    def publish(self, local: Path, file: str, *, create: bool = False) -> bool:
        """Publish a local file atomically.

        Args:
            local: The local file.
            file: Name in the output directory.
            create: Publish only if the file does not exist. In a store this is one conditional PUT
                (``If-None-Match: *``).

        Returns:
            False if ``create`` is set and the file exists.
        """
        if is_local(self._fs):
            return _publish_locally(local, Path(self._path_of(file)), create=create)
        try:
            self._fs.put_file(str(local), self._path_of(file), **({"mode": "create"} if create else {}))
        except FileExistsError:
            return False
        except OSError:
            # Some stores do not report which condition failed, and s3fs then raises an error about a wrong argument.
            if create and self.has(file):
                return False
            raise
        return True

    def publish_json(self, data: Any, file: str, folder: Path, *, create: bool = False) -> bool:
        """Publish data as JSON; see :meth:`publish`."""
        local = folder / "json"
        local.write_text(json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8", newline="\n")
        return self.publish(local, file, create=create)

    def read(self, file: str, max_bytes: int = 10_000_000) -> bytes:
        """Return the first bytes of a small file."""
        with self._open(file) as handle:
            return bytes(handle.read(max_bytes))

    def _open(self, file: str) -> Any:
        return (
            SafeFolder(Path(self._path)).open(file) if is_local(self._fs) else self._fs.open(self._path_of(file), "rb")
        )

    def fetch(self, file: str, folder: Path) -> Path:
        """Return a local path of a file. A remote file is copied into ``folder``.

        Raises:
            SourceError: The file does not exist.
        """
        if is_local(self._fs):
            status = SafeFolder(Path(self._path)).stat(file)
            if status is None:
                raise SourceError(
                    f"{self.url}/{file} is missing: delete the other files of this shard and extract it again"
                )
            return Path(self._path_of(file))
        copy = folder / file
        try:
            self._fs.get_file(self._path_of(file), str(copy))
        except FileNotFoundError as error:
            raise SourceError(
                f"{self.url}/{file} is missing: delete the other files of this shard and extract it again"
            ) from error
        return copy

    def remove(self, file: str) -> None:
        """Remove a file, if it exists."""
        if self.has(file):
            self._fs.rm_file(self._path_of(file))

    def remove_leftovers(self) -> None:
        """Remove temporary files of killed processes, for shards that are done."""
        if not is_local(self._fs):
            return  # a store shows complete files only
        done = self.names()
        for file in Path(self._path).glob(".*.tmp"):
            if any(file.name.startswith(f".{name}.") for name in done):
                file.unlink(missing_ok=True)

    def _path_of(self, file: str) -> str:
        return f"{self._path}/{file}"


def _publish_locally(local: Path, target: Path, *, create: bool) -> bool:
    import os
    import shutil

    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)  # left by a killed process with the same id
    try:
        with local.open("rb") as source, temporary.open("xb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
            copy.flush()
            os.fsync(copy.fileno())
        if create:
            try:
                os.link(temporary, target)  # fails if the file exists, while rename would overwrite it
            except FileExistsError:
                return False
            except OSError:  # a file system without links
                if target.exists():
                    return False
                temporary.replace(target)
        else:
            temporary.replace(target)
        sync_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return True
