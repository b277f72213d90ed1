"""What the kinds of page of a site bring: a kind that only brings text met before is followed no further."""

from __future__ import annotations

import re
from collections import deque
from typing import Final

from corpuskit.store.catalog import Catalog

_RING: Final = 60  # pages of a kind whose share of new text counts
_LEAST: Final = 0.02
_MAX_KINDS: Final = 200_000
_NUMBER: Final = re.compile(r"\d+")
_KEY: Final = re.compile(r"[0-9a-f]{12,}|[0-9a-f]{8}-[0-9a-f-]{27}", re.IGNORECASE)


class Yields:
    """Share of new text by template: host and path with numbers and keys left out, names of query parameters."""

    def __init__(self) -> None:
        self._shares: dict[str, deque[float]] = {}
        self._exhausted: dict[str, str] = {}

    @classmethod
    def of(cls, catalog: Catalog) -> Yields:
        """What earlier crawls of this corpus have met."""
        yields = cls()
        for row in catalog.connection.execute(
            "SELECT url, unique_share FROM requests WHERE unique_share IS NOT NULL ORDER BY id"
        ):
            yields.note(row["url"], row["unique_share"])
        return yields

    def note(self, url: str, share: float) -> bool:
        """Notes the share of a page's text that was new; gives whether its template is exhausted since."""
        key = template(url)
        if key not in self._shares and len(self._shares) >= _MAX_KINDS:
            return False
        ring = self._shares.setdefault(key, deque(maxlen=_RING))
        ring.append(share)
        if key in self._exhausted or len(ring) < _RING or (mean := sum(ring) / _RING) >= _LEAST:
            return False
        self._exhausted[key] = f"trap: {_RING} pages like {key[:80]} brought {mean:.1%} new text"
        return True

    def refusal(self, url: str) -> str | None:
        """Why no more pages of this kind are fetched."""
        return self._exhausted.get(template(url)) if self._exhausted else None


def template(url: str) -> str:
    """What is equal for pages that one program makes: ``host/archive/0/0?page=``."""
    rest, _, query = url.partition("://")[2].partition("?")
    host, slash, path = rest.partition("/")
    names = "&".join(sorted({part.partition("=")[0] + "=" for part in query.split("&") if part}))
    path = _NUMBER.sub("0", _KEY.sub("*", path))
    return f"{host}{slash}{path}" + (f"?{names}" if names else "")
