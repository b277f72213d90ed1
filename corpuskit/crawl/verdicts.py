"""What the analyst says of sources: approve, hold or boost a host."""

from __future__ import annotations

from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.store.catalog import Catalog, clean

VERDICTS: Final = ("approve", "hold", "boost", "none")
BOOSTED: Final = "boosted by the analyst; "


class Verdicts(dict[str, str]):
    """host → ``approve``, ``hold`` or ``boost``, as the catalogue has them."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(
            (row["host"], row["verdict"])
            for row in catalog.rows("SELECT host, verdict FROM hosts WHERE verdict != 'none'")
        )
        self.boosted = frozenset(host for host, verdict in self.items() if verdict == "boost")

    def note(self, host: str, verdict: str) -> None:
        """Changes one."""
        if verdict == "none":
            self.pop(host, None)
        else:
            self[host] = verdict
        self.boosted = frozenset(host for host, verdict in self.items() if verdict == "boost")


def set_verdict(catalog: Catalog, host: str, verdict: str, why: str | None = None) -> None:
    """Keep a verdict in the catalogue.

    Args:
        catalog: The catalogue of the corpus.
        host: The host.
        verdict: approve, hold, boost or none.
        why: A reason, for the table of sources.

    Raises:
        ConfigurationError: no such verdict, or no host.
    """
    if verdict not in VERDICTS:
        raise ConfigurationError(f"verdict {verdict!r}: expected one of {', '.join(VERDICTS)}")
    host = host.strip().lower()
    if not host or "/" in host:
        raise ConfigurationError(
            f"host {host!r}: expected a name such as www.insurer.example, with its port if it has one"
        )
    catalog.connection.execute(
        "INSERT INTO hosts (host, verdict, why) VALUES (?, ?, ?) "
        "ON CONFLICT (host) DO UPDATE SET verdict = excluded.verdict, why = excluded.why",
        (clean(host), verdict, clean(why) if why else None),
    )
