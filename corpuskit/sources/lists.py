"""Lists of URLs: one a line, or tab-separated as ``id URL [timestamp]``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_ARCHIVED: Final = re.compile(r"https?://web\.archive\.org/web/(\d{4,14})(?:[a-z]{2}_)?/(?=https?:)", re.IGNORECASE)
_URL: Final = re.compile(r"https?://\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListedUrl:
    """A line of a list: the URL itself, its id, and the time of its capture as ``YYYYMMDDhhmmss``."""

    url: str
    id: str = ""
    timestamp: str = ""


def read_url_list(lines: Iterable[str], *, domains: Iterable[str] = ()) -> Iterator[ListedUrl]:
    """The URLs of a list, none twice; the prefix ``https://web.archive.org/web/TIME/`` is taken off and its time kept.

    Lines without URL and comments after ``#`` at the beginning of a line are passed over.

    Args:
        lines: as of an open file.
        domains: only URLs on these hosts and those below them.

    Example:
        >>> list(read_url_list(["7\\thttps://web.archive.org/web/20200102030405/http://a.example/x"]))
        [ListedUrl(url='http://a.example/x', id='7', timestamp='20200102030405')]
    """
    wanted = tuple(domain.lower().lstrip(".") for domain in domains)
    seen: set[str] = set()
    for line in lines:
        if line.startswith("#"):
            continue
        fields = line.strip().lstrip("\ufeff").split("\t")
        place = next((i for i, field in enumerate(fields) if _URL.fullmatch(field.strip())), None)
        if place is None:
            continue
        url = fields[place].strip()
        timestamp = fields[place + 1].strip() if place + 1 < len(fields) else ""
        if match := _ARCHIVED.match(url):
            url, timestamp = url[match.end() :], timestamp or match[1]
        if url in seen or not _is_on(url, wanted):
            continue
        seen.add(url)
        yield ListedUrl(url, fields[0].strip() if place else "", timestamp)


def _is_on(url: str, domains: tuple[str, ...]) -> bool:
    from urllib.parse import urlsplit

    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        return False
    return not domains or any(host == domain or host.endswith("." + domain) for domain in domains)
