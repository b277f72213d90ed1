"""Whether the archives are where they are said to be, asked before the start: else each page would be a failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from corpuskit import engine
from corpuskit.errors import SourceError
from corpuskit.shards.byte_ranges import ArchiveReader, StoreBusyError
from corpuskit.sources.stores import is_local, open_store
from corpuskit.store.telling import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from corpuskit.discovery.discovery import Discovery

_MOST: Final = 20  # archives that a store on the network is asked for in vain


@dataclass(frozen=True, slots=True)
class _Probe:
    """What a worker needs to look for archives."""

    root: str
    names: tuple[str, ...]
    is_anonymous: bool
    is_listed: bool
    pause: float


def check_archives(discovery: Discovery, places: pa.Table, *, on: Any, pause: float) -> None:
    """Look for the archives of some places until one is found.

    Args:
        discovery: Says where they are.
        places: Their ``warc_filename`` names the archives.
        on: Where they are read; see :func:`corpuskit.engine.run`.
        pause: Seconds between two requests to a store.

    Raises:
        SourceError: None is there, or their store does not answer.
        ConfigurationError: Only the discovery's files say where they are, and it is no public place.
    """
    names = places.column("warc_filename").unique().to_pylist()
    probe = _Probe(discovery.archives, tuple(names), discovery.is_anonymous, discovery.is_said_by_files, pause)
    for outcome in engine.run(_trouble, [probe], on="serial" if isinstance(on, str) else on):
        if outcome.error is not None:
            raise outcome.error
        if outcome.value:
            raise SourceError(
                f"none of {counted(len(names), 'archive')} can be read, such as {outcome.value}; say what the names of the "
                "archives are relative to (base=, --base)"
            )


def _trouble(probe: _Probe) -> str:
    """What is wrong with an archive; empty where one can be read. Runs where the archives are."""
    archives = ArchiveReader(
        probe.root, pause=probe.pause, anonymous=probe.is_anonymous, listed=probe.is_listed
    )  # fmt: skip
    names, first = probe.names, ""
    if not is_local(open_store(probe.root, listed=probe.is_listed, anonymous=probe.is_anonymous)[0]):
        names = names[:: -(-len(names) // _MOST)]
    for name in names:
        try:
            archives.read(name, 0, 1)
        except StoreBusyError as error:
            return first or f"{probe.root}/{error.strerror}"
        except SourceError as error:
            first = first or f"{probe.root}/{error}"
        else:
            return ""
    return first
