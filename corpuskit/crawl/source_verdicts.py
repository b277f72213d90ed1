"""What the analyst says of sources: approve, hold or boost a host."""

from __future__ import annotations

import difflib
import re
from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.store.catalog import Catalog, clean

VERDICTS: Final = ("approve", "hold", "boost", "none")
_LATER: Final = re.compile(r"([^\s.:\[\]]+(\.[^\s.:\[\]]+)+|localhost|\[[0-9a-f:.]+\])\.?(:\d{1,5})?")
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
        ConfigurationError: no such verdict, or no host: a name without a dot that the corpus has not met.
    """
    if verdict not in VERDICTS:
        raise ConfigurationError(f"verdict {verdict!r}: expected one of {', '.join(VERDICTS)}")
    host = host.strip().lower()
    if not host or "/" in host:
        raise ConfigurationError(
            f"host {host!r}: expected a name such as www.insurer.example, with its port if it has one"
        )
    _refuse_unknown(catalog, host)
    catalog.connection.execute(
        "INSERT INTO hosts (host, verdict, why) VALUES (?, ?, ?) "
        "ON CONFLICT (host) DO UPDATE SET verdict = excluded.verdict, why = excluded.why",
        (clean(host), verdict, clean(why) if why else None),
    )


def _refuse_unknown(catalog: Catalog, host: str) -> None:
    """Refuse what no host can be called that a crawl would meet: one that will be met later has a dot, or is this machine.

    Raises:
        ConfigurationError: Names the nearest hosts of the corpus.
    """
    if _LATER.fullmatch(host):
        return
    tables = " UNION ".join(f"SELECT host FROM {table}" for table in ("hosts", "frontier", "current"))
    known = [name for (name,) in catalog.tuples(f"SELECT host FROM ({tables}) WHERE host <> '' ORDER BY host")]
    if host not in known:
        nearest = difflib.get_close_matches(host, known, 3, 0.4) or known[:3]
        known_ones = f"there are: {', '.join(nearest)}" if nearest else "it knows none yet"
        raise ConfigurationError(
            f"host {host[:100]!r}: the corpus knows no such host, and it has no dot as those that a later crawl may meet; "
            f"{known_ones}"
        )
