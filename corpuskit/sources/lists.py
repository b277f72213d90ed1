"""Reader of URL lists: one URL per line, or tab-separated lines ``id URL [timestamp]``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_WAYBACK_PREFIX: Final = re.compile(
    r"https?://web\.archive\.org/web/(\d{4,14})(?:[a-z]{2}_)?/(?=https?:)", re.IGNORECASE
)
_URL: Final = re.compile(r"https?://\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListedUrl:
    """One line of a list: URL, id, and capture time as ``YYYYMMDDhhmmss``."""

    url: str
    id: str = ""
    timestamp: str = ""


def read_url_list(lines: Iterable[str], *, domains: Iterable[str] = ()) -> Iterator[ListedUrl]:
    """Yield the distinct URLs of a list.

    The prefix ``https://web.archive.org/web/TIME/`` is removed from URLs, and its time becomes the timestamp. Lines without
    a URL and lines that start with ``#`` are skipped.

    Args:
        lines: Lines, for example an open text file.
        domains: Yield only URLs of these domains and their subdomains.

    Example:
        >>> list(read_url_list(["7\\thttps://web.archive.org/web/20200102030405/http://a.example/x"]))
        [ListedUrl(url='http://a.example/x', id='7', timestamp='20200102030405')]
    """
    allowed_domains = tuple(domain.lower().lstrip(".") for domain in domains)
    seen: set[str] = set()
    for line in lines:
        if line.startswith("#"):
            continue
        fields = line.strip().lstrip("\ufeff").split("\t")
        url_index = next((i for i, field in enumerate(fields) if _URL.fullmatch(field.strip())), None)
        if url_index is None:
            continue
        url = fields[url_index].strip()
        timestamp = fields[url_index + 1].strip() if url_index + 1 < len(fields) else ""
        if match := _WAYBACK_PREFIX.match(url):
            url, timestamp = url[match.end() :], timestamp or match[1]
        if url in seen or not _is_on(url, allowed_domains):
            continue
        seen.add(url)
        yield ListedUrl(url, fields[0].strip() if url_index else "", timestamp)


def _is_on(url: str, domains: tuple[str, ...]) -> bool:
    from urllib.parse import urlsplit

    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        return False
    return not domains or any(host == domain or host.endswith("." + domain) for domain in domains)
