"""Requests of other programs' logs in the catalogue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from corpuskit.store.catalog import Catalog, clean


def add_requests(catalog: Catalog, rows: Iterable[dict[str, Any]]) -> int:
    """Add requests, each a mapping of columns of ``requests()``; return how many were not known by clock and URL."""
    added = 0
    with catalog.transaction() as connection:
        connection.execute("CREATE INDEX IF NOT EXISTS requests_clock ON requests (clock, url)")
        for row in rows:
            values = {name: clean(value) if isinstance(value, str) else value for name, value in row.items()}
            added += connection.execute(
                f"INSERT INTO requests ({', '.join(values)}) SELECT {', '.join('?' * len(values))} "
                "WHERE NOT EXISTS (SELECT 1 FROM requests WHERE clock = ? AND url = ?)",
                (*values.values(), values["clock"], values["url"]),
            ).rowcount
    return added
