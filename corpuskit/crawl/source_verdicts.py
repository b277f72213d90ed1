"""Verdicts of the analyst on hosts: approve, hold or boost."""

from __future__ import annotations

import difflib
import re
from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.store.catalog import Catalog, clean

VERDICTS: Final = ("approve", "hold", "boost", "none")
_CRAWLABLE_HOST: Final = re.compile(r"([^\s.:\[\]]+(\.[^\s.:\[\]]+)+|localhost|\[[0-9a-f:.]+\])\.?(:\d{1,5})?")
BOOSTED: Final = "boosted by the analyst; "


class Verdicts(dict[str, str]):
    """host → ``approve``, ``hold`` or ``boost``, loaded from the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(
            (row["host"], row["verdict"])
            for row in catalog.rows("SELECT host, verdict FROM hosts WHERE verdict != 'none'")
        )
        self.boosted = frozenset(host for host, verdict in self.items() if verdict == "boost")

    def update_host(self, host: str, verdict: str) -> None:
        """Change the verdict on a host."""
        if verdict == "none":
            self.pop(host, None)
        else:
            self[host] = verdict
        self.boosted = frozenset(host for host, verdict in self.items() if verdict == "boost")


def set_verdict(catalog: Catalog, host: str, verdict: str, why: str | None = None) -> None:
    """Store a verdict in the catalog.

    Args:
        catalog: The catalog of the corpus.
        host: The host.
        verdict: approve, hold, boost or none.
        why: A reason, shown in the table of sources.

    Raises:
        ConfigurationError: ``verdict`` is not one of these values, or ``host`` is not a host name: it has no dot
            and is not in the corpus.
    """
    if verdict not in VERDICTS:
        raise ConfigurationError(f"verdict {verdict!r}: expected one of {', '.join(VERDICTS)}")
    host = host.strip().lower()
    if not host or "/" in host:
        raise ConfigurationError(
            f"host {host!r}: expected a name such as www.insurer.example, with its port if it has one"
        )
    _check_host(catalog, host)
    catalog.connection.execute(
        "INSERT INTO hosts (host, verdict, why) VALUES (?, ?, ?) "
        "ON CONFLICT (host) DO UPDATE SET verdict = excluded.verdict, why = excluded.why",
        (clean(host), verdict, clean(why) if why else None),
    )


def _check_host(catalog: Catalog, host: str) -> None:
    """Check that a host is in the corpus or that a later crawl can reach a host of this name.

    Raises:
        ConfigurationError: The message suggests similar hosts of the corpus.
    """
    if _CRAWLABLE_HOST.fullmatch(host):
        return
    tables = " UNION ".join(f"SELECT host FROM {table}" for table in ("hosts", "frontier", "current"))
    known = [name for (name,) in catalog.tuples(f"SELECT host FROM ({tables}) WHERE host <> '' ORDER BY host")]
    if host not in known:
        similar = difflib.get_close_matches(host, known, 3, 0.4) or known[:3]
        hint = f"known hosts are: {', '.join(similar)}" if similar else "the corpus has no hosts yet"
        raise ConfigurationError(
            f"host {host[:100]!r}: expected a host of the corpus, or a host name with a dot that a later crawl may reach; {hint}"
        )
