"""Which licence a document has, and what it may be called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

_CREATIVE_COMMONS: Final = re.compile(
    r"creativecommons\.org/(?:licenses/(by(?:-(?:nc|nd|sa))*)/(\d\.\d)|publicdomain/(zero|mark)/1\.0)",
    re.IGNORECASE,
)
_WRITTEN: Final = re.compile(r"\s*CC[ -]*(BY(?:[ -](?:NC|ND|SA))*)[ -](\d\.\d)\s*", re.IGNORECASE)
_BY_URL: Final = {
    "apache.org/licenses/license-2.0": "Apache-2.0",
    "opensource.org/licenses/mit": "MIT",
    "gnu.org/licenses/fdl-1.3": "GFDL-1.3",
    "gnu.org/copyleft/fdl": "GFDL-1.3",
    "etalab.gouv.fr/licence-ouverte": "etalab-2.0",
    "nationalarchives.gov.uk/doc/open-government-licence/version/3": "OGL-UK-3.0",
}


def spdx(licence: str) -> str | None:
    """Return the name of a licence in the SPDX list (https://spdx.org/licenses/), or None if it is unknown.

    Creative Commons licences are recognized by URL or name, a few others by URL. Ported versions (``/3.0/fr/``) are mapped to the
    international version, since the list has few of them.

    Example:
        >>> spdx("https://creativecommons.org/licenses/by-sa/4.0/deed.fr")
        'CC-BY-SA-4.0'
    """
    if match := _CREATIVE_COMMONS.search(licence):
        kind, number, public = match.groups()
        if public:
            return "CC0-1.0" if public.lower() == "zero" else "CC-PDM-1.0"
        return f"CC-{_ordered(kind)}-{number}"
    if match := _WRITTEN.fullmatch(licence):
        return f"CC-{_ordered(match[1].replace(' ', '-'))}-{match[2]}"
    if re.fullmatch(r"\s*CC[ -]?0(?:[ -]1\.0)?\s*", licence, re.IGNORECASE):
        return "CC0-1.0"
    lower = licence.lower()
    return next((name for part, name in _BY_URL.items() if part in lower), None)


def _ordered(kind: str) -> str:
    """``by-nc-sa`` in the order SPDX has."""
    parts = set(kind.upper().split("-"))
    return "-".join(part for part in ("BY", "NC", "ND", "SA") if part in parts)


def is_licensed(licence: str | None, patterns: Sequence[str]) -> bool:
    """Return whether a licence, as stated or by its SPDX name, matches one of the shell patterns; case is ignored."""
    if not licence:
        return False
    names = [licence.lower(), (spdx(licence) or licence).lower()]
    return any(fnmatchcase(name, pattern.lower()) for pattern in patterns for name in names)
