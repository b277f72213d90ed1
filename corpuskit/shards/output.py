"""Where the outputs of shards go: a folder on disk or in a store. What is published is there whole or not at all."""

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
"""The records of a shard's documents as they stood in archives elsewhere; only shards of places have them."""
PARTS: Final = (PACK_SUFFIX, ELEMENTS_SUFFIX, CATALOG_SUFFIX)
"""The files of a shard. The catalogue part comes last: a shard that has one is done."""


class Output:
    """A folder of outputs.

    Args:
        url: a path, or a URL of a store that fsspec knows.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._fs, self._path = open_store(self.url)
        self._path = self._path.rstrip("/")
        self._fs.invalidate_cache()
        if is_local(self._fs):
            Path(self._path).mkdir(parents=True, exist_ok=True)

    def names(self, suffix: str = CATALOG_SUFFIX) -> list[str]:
        """The shards that have a file with this suffix, sorted."""
        try:
            files = self._fs.ls(self._path, detail=False)
        except FileNotFoundError:  # a store has no empty folders
            return []
        return sorted(posixpath.basename(file)[: -len(suffix)] for file in files if file.endswith(suffix))

    def has(self, file: str) -> bool:
        """Whether the file is there."""
        self._fs.invalidate_cache()
        return bool(self._fs.exists(self._at(file)))

    def publish(self, local: Path, file: str, *, create: bool = False) -> bool:
        """Copies a local file there in one step.

        Args:
            local: the file.
            file: its name there.
            create: only if none is there: the first one counts. In a store this is one conditional PUT
                (``If-None-Match: *``).

        Returns:
            False where ``create`` is asked for, and there is one already.
        """
        if is_local(self._fs):
            return _publish_locally(local, Path(self._at(file)), create=create)
        try:
            self._fs.put_file(str(local), self._at(file), **({"mode": "create"} if create else {}))
        except FileExistsError:
            return False
        except OSError:
            # Not all stores say which condition failed, and s3fs then tells of a wrong argument.
            if create and self.has(file):
                return False
            raise
        return True

    def publish_json(self, data: Any, file: str, folder: Path, *, create: bool = False) -> bool:
        """As :meth:`publish`, of some JSON."""
        local = folder / "json"
        local.write_text(json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8", newline="\n")
        return self.publish(local, file, create=create)

    def read(self, file: str, most: int = 10_000_000) -> bytes:
        """The first bytes of a small file."""
        with self._opened(file) as handle:
            return bytes(handle.read(most))

    def _opened(self, file: str) -> Any:
        return SafeFolder(Path(self._path)).open(file) if is_local(self._fs) else self._fs.open(self._at(file), "rb")

    def fetch(self, file: str, folder: Path) -> Path:
        """A local path of a file.

        Raises:
            SourceError: it is not there.
        """
        if is_local(self._fs):
            found = SafeFolder(Path(self._path)).stat(file)
            if found is None:
                raise SourceError(
                    f"{self.url}/{file} is missing: delete the other files of this shard and extract it again"
                )
            return Path(self._at(file))
        copy = folder / file
        try:
            self._fs.get_file(self._at(file), str(copy))
        except FileNotFoundError as error:
            raise SourceError(
                f"{self.url}/{file} is missing: delete the other files of this shard and extract it again"
            ) from error
        return copy

    def remove(self, file: str) -> None:
        """Removes a file; one that is gone is no error."""
        if self.has(file):
            self._fs.rm_file(self._at(file))

    def remove_leftovers(self) -> None:
        """Removes what killed processes have begun to write for shards that are done."""
        if not is_local(self._fs):
            return  # a store shows whole files only
        done = self.names()
        for file in Path(self._path).glob(".*.tmp"):
            if any(file.name.startswith(f".{name}.") for name in done):
                file.unlink(missing_ok=True)

    def _at(self, file: str) -> str:
        return f"{self._path}/{file}"


def _publish_locally(local: Path, target: Path, *, create: bool) -> bool:
    import os
    import shutil

    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)  # of a killed process with the same number
    try:
        with local.open("rb") as source, temporary.open("xb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
            copy.flush()
            os.fsync(copy.fileno())
        if create:
            try:
                os.link(temporary, target)  # fails where there is one: rename would take its place
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
