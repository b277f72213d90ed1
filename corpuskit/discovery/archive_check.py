"""Check of the location of archives before fetching, since otherwise every page would fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from corpuskit import engine
from corpuskit.errors import SourceError
from corpuskit.shards.byte_ranges import ArchiveReader, StoreBusyError
from corpuskit.sources.stores import is_local, open_store
from corpuskit.store.formatting import pluralize

if TYPE_CHECKING:
    import pyarrow as pa

    from corpuskit.discovery.discovery import Discovery

_MAX_ATTEMPTS: Final = 20  # archives requested from a remote store


@dataclass(frozen=True, slots=True)
class _Probe:
    """Input of a worker that checks archives."""

    root: str
    names: tuple[str, ...]
    is_anonymous: bool
    is_listed: bool
    pause: float


def check_archives(discovery: Discovery, locations: pa.Table, *, on: Any, pause: float) -> None:
    """Check that at least one of the archives can be read.

    Args:
        discovery: The discovery, with the location of the archives.
        locations: Locations of pages; ``warc_filename`` names the archives.
        on: Engine that reads them; see :func:`corpuskit.engine.run`.
        pause: Seconds between two requests to a store.

    Raises:
        SourceError: None can be read, or the store does not respond.
        ConfigurationError: Only the files of the discovery contain the location, and it is not public.
    """
    names = locations.column("warc_filename").unique().to_pylist()
    probe = _Probe(discovery.archives, tuple(names), discovery.is_anonymous, discovery.has_untrusted_location, pause)
    for outcome in engine.run(_first_error, [probe], on="serial" if isinstance(on, str) else on):
        if outcome.error is not None:
            raise outcome.error
        if outcome.value:
            raise SourceError(
                f"none of {pluralize(len(names), 'archive')} can be read, such as {outcome.value}; pass the location to which "
                "the names of the archives are relative (base=, --base)"
            )


def _first_error(probe: _Probe) -> str:
    """Return the error of the first archive; empty if any can be read. Runs on a worker."""
    archives = ArchiveReader(
        probe.root, pause=probe.pause, anonymous=probe.is_anonymous, listed=probe.is_listed
    )  # fmt: skip
    names, first_error = probe.names, ""
    if not is_local(open_store(probe.root, listed=probe.is_listed, anonymous=probe.is_anonymous)[0]):
        names = names[:: -(-len(names) // _MAX_ATTEMPTS)]
    for name in names:
        try:
            archives.read(name, 0, 1)
        except StoreBusyError as error:
            return first_error or f"{probe.root}/{error.strerror}"
        except SourceError as error:
            first_error = first_error or f"{probe.root}/{error}"
        else:
            return ""
    return first_error
