"""Lookup of archived copies of pages through the CDX API of the Internet Archive."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

from corpuskit.errors import FetchError
from corpuskit.sources.web.client import Answer
from corpuskit.sources.web.urls import host_of

INTERNET_ARCHIVE: Final = "https://web.archive.org"
ARCHIVED: Final = "x-corpuskit-archived"
"""Header of records with an archived copy as body; its value is the URL of the copy."""
_TIME: Final = re.compile(r"\d{14}")
_MAX_REDIRECTS: Final = 2  # the archive redirects to the closest capture

Get = Callable[[str], Awaitable[Answer]]


def archive_at(option: bool | str) -> str:
    """Return the base URL of the archive for an option: True is the Internet Archive, False means no archive (empty string)."""
    if not option:
        return ""
    return INTERNET_ARCHIVE if option is True else option.rstrip("/")


async def archived_copy(get: Get, url: str, archive: str) -> Answer | None:
    """Return the latest archived copy of a page with status 200, as an answer with the URL of the page, or None without a copy.

    ``fetched`` is the time of the capture. The header :data:`ARCHIVED` has the URL of the copy.

    Args:
        get: Function that fetches a URL of the archive, with the request delays of the crawl.
        url: URL of the page.
        archive: Base URL of the archive, such as ``https://web.archive.org``.

    Raises:
        FetchError: The archive does not respond, or with an error.
        ResourceLimitError: The copy is too large.
    """
    quoted_url = quote(url, safe=":/?&=%~+,;@!$'()*-._")
    query_url = (
        f"{archive}/cdx/search/cdx?url={quote(url, safe='')}&output=json&fl=timestamp&filter=statuscode:200&limit=-1"
    )
    listing = await get(query_url)
    if listing.status != 200:
        raise _refusal(listing, query_url)
    time = _newest(listing.content)
    if time is None:
        return None
    copy_url = f"{archive}/web/{time}id_/{quoted_url}"
    for _ in range(_MAX_REDIRECTS + 1):
        answer = await get(copy_url)
        if answer.location is None:
            break
        if host_of(answer.location) != host_of(copy_url):
            raise FetchError("the archive redirects to another host", url=copy_url, status=answer.status)
        copy_url = answer.location
    if answer.status != 200 or answer.location is not None:
        raise _refusal(answer, copy_url)
    captured = datetime.strptime(time, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    headers = {name: value for name, value in answer.headers.items() if name in {"content-type", "content-language"}}
    return replace(answer, uri=url, headers={**headers, ARCHIVED: copy_url}, fetched=captured)


def _refusal(answer: Answer, url: str) -> FetchError:
    return FetchError(
        f"the archive responded with {answer.status} {answer.reason}".rstrip(), url=url, status=answer.status
    )


def _newest(content: bytes) -> str | None:
    """Return the latest time in a response of the CDX API: JSON rows after a row with the column names."""
    try:
        rows = json.loads(content or b"[]")
        times = [str(row[0]) for row in rows[1:] if _TIME.fullmatch(str(row[0]))]
        return max((time for time in times if _is_date(time)), default=None)
    except (ValueError, TypeError, IndexError, KeyError, RecursionError):
        return None


def _is_date(time: str) -> bool:
    try:
        return bool(datetime.strptime(time, "%Y%m%d%H%M%S"))
    except ValueError:
        return False
