"""Trap detection: kinds of page that bring almost no new text are not followed."""

from __future__ import annotations

import re
from collections import deque
from typing import Final

from corpuskit.store.catalog import Catalog

_WINDOW: Final = 60  # the last pages of a kind
_MIN_SHARE: Final = 0.02  # mean share of new text of a kind
_MAX_KINDS: Final = 200_000
_NUMBER: Final = re.compile(r"\d+")
_KEY: Final = re.compile(r"[0-9a-f]{12,}|[0-9a-f]{8}-[0-9a-f-]{27}", re.IGNORECASE)


class TrapDetector:
    """Shares of new text per kind of page. Pages of one kind have equal URL templates; see :func:`template`."""

    def __init__(self) -> None:
        self._shares: dict[str, deque[float]] = {}
        self._exhausted: dict[str, str] = {}

    @classmethod
    def from_catalog(cls, catalog: Catalog) -> TrapDetector:
        """Return a detector with the pages of earlier crawls of this corpus."""
        detector = cls()
        for row in catalog.connection.execute(
            "SELECT url, unique_share FROM requests WHERE unique_share IS NOT NULL ORDER BY id"
        ):
            detector.record(row["url"], row["unique_share"])
        return detector

    def record(self, url: str, share: float) -> bool:
        """Record the share of new text of a page. Return True if its kind is exhausted from now on."""
        key = template(url)
        if key not in self._shares and len(self._shares) >= _MAX_KINDS:
            return False
        shares = self._shares.setdefault(key, deque(maxlen=_WINDOW))
        shares.append(share)
        if key in self._exhausted or len(shares) < _WINDOW or (mean := sum(shares) / _WINDOW) >= _MIN_SHARE:
            return False
        self._exhausted[key] = f"trap: {_WINDOW} pages like {key[:80]} brought {mean:.1%} new text"
        return True

    def refusal(self, url: str) -> str | None:
        """Return why no more pages of this kind are fetched, or None."""
        return self._exhausted.get(template(url)) if self._exhausted else None


def template(url: str) -> str:
    """Return the part of a URL that generated pages share, such as ``host/archive/0/0?page=``."""
    rest, _, query = url.partition("://")[2].partition("?")
    host, slash, path = rest.partition("/")
    names = "&".join(sorted({part.partition("=")[0] + "=" for part in query.split("&") if part}))
    path = _NUMBER.sub("0", _KEY.sub("*", path))
    return f"{host}{slash}{path}" + (f"?{names}" if names else "")
