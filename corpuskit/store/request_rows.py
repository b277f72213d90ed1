"""Requests of other programs' logs in the catalogue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from corpuskit.store.catalog import Catalog, clean


def add_requests(catalog: Catalog, rows: Iterable[dict[str, Any]]) -> int:
    """Add requests, each a mapping of columns of ``requests()``; return how many were not known by clock and URL."""
    added = 0
    with catalog.transaction() as connection:
        known = {(row[0], row[1]) for row in connection.execute("SELECT clock, url FROM requests")}
        for row in rows:
            values = {name: clean(value) if isinstance(value, str) else value for name, value in row.items()}
            key = values["clock"], values["url"]
            if key in known:
                continue
            known.add(key)
            added += catalog.insert("requests", values)
    return added
