"""The copy of a page that a web archive keeps, found by the interface of the Internet Archive's CDX server."""

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
"""A header of records whose body is an archive's copy of the page: the copy's own address."""
_TIME: Final = re.compile(r"\d{14}")
_MOST_REDIRECTS: Final = 2  # from one time to the nearest one that is there

Get = Callable[[str], Awaitable[Answer]]


def archive_at(option: bool | str) -> str:
    """The archive that an option names; True is the Internet Archive, False none."""
    if not option:
        return ""
    return INTERNET_ARCHIVE if option is True else option.rstrip("/")


async def archived_copy(get: Get, url: str, archive: str) -> Answer | None:
    """The last copy of a page that was answered with 200, as an answer of the page's own URL; None where there is none.

    Its ``fetched`` is the time of the copy, and its headers have the copy's address under :data:`ARCHIVED`.

    Args:
        get: asks the archive, politely.
        url: of the page.
        archive: where the CDX server and the copies are, as ``https://web.archive.org``.

    Raises:
        FetchError: the archive does not answer, or with something else.
        ResourceLimitError: the copy is too large.
    """
    wanted = quote(url, safe=":/?&=%~+,;@!$'()*-._")
    question = (
        f"{archive}/cdx/search/cdx?url={quote(url, safe='')}&output=json&fl=timestamp&filter=statuscode:200&limit=-1"
    )
    listing = await get(question)
    if listing.status != 200:
        raise _refusal(listing, question)
    time = _newest(listing.content)
    if time is None:
        return None
    place = f"{archive}/web/{time}id_/{wanted}"
    for _ in range(_MOST_REDIRECTS + 1):
        answer = await get(place)
        if answer.location is None:
            break
        if host_of(answer.location) != host_of(place):
            raise FetchError("the archive sends elsewhere", url=place, status=answer.status)
        place = answer.location
    if answer.status != 200 or answer.location is not None:
        raise _refusal(answer, place)
    copied = datetime.strptime(time, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    headers = {name: value for name, value in answer.headers.items() if name in {"content-type", "content-language"}}
    return replace(answer, uri=url, headers={**headers, ARCHIVED: place}, fetched=copied)


def _refusal(answer: Answer, url: str) -> FetchError:
    return FetchError(f"the archive answered {answer.status} {answer.reason}".rstrip(), url=url, status=answer.status)


def _newest(content: bytes) -> str | None:
    """The last time in an answer of the CDX server: rows of JSON, the first one the names of the columns."""
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
