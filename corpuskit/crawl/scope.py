"""Which URLs belong to a crawl, and which look like a trap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from corpuskit.crawl.trap_detection import Yields
from corpuskit.extraction import media_types
from corpuskit.sources.web import host_of, media_type_by_name

SCOPE: Final = "scope"
LANGUAGE: Final = "language"
ROBOTS: Final = "robots"
PRIVATE: Final = "private"
EMPTY: Final = "empty"
LISTING: Final = "listing"
BORDERS: Final = (
    SCOPE, LANGUAGE, "url_language", "not_included", "excluded", "depth", "trap", "held", "media_type",
)  # fmt: skip
"""Codes of the refusals that a change of borders lifts."""
_MAX_SEGMENTS: Final = 20
_MAX_REPEATS: Final = 3  # of one path segment: /a/b/a/b/a/b is a site that links relative paths wrongly
_MAX_PARAMETERS: Final = 12
# A month or day of a calendar: /2031/05/, date=2031-05-01, year=2031.
_DATE: Final = re.compile(
    r"/(20\d\d)[/-](?:0[1-9]|1[0-2])(?![0-9])|[?&]\w*(?:date|day|month|week)=(\d{4})-|[?&]year=(\d{4})(?![0-9])"
)


class Reason(str):
    """Reason for the state of a URL in the frontier, in words, with the code by which later crawls find it."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, text: str) -> Reason:
        """Return a reason.

        Args:
            code: One of the codes of this module.
            text: The reason in words.
        """
        reason = super().__new__(cls, text)
        reason.code = code
        return reason


class Scope:
    """The borders of a crawl.

    Args:
        kind: ``domain``, ``host``, ``path`` or ``web``.
        seeds: canonical URLs.
        exclude: path patterns with ``*`` and a final ``$``.
        include: such patterns, one of which a link must match; empty: any may.
        languages: ISO 639-1 codes; pages that are said to be in another one are left out. Empty: all.
        verdicts: host → what the analyst said: ``hold`` keeps a host out, ``approve`` and ``boost`` bring it in.
        yields: which kinds of page bring nothing new.
    """

    def __init__(
        self,
        kind: str,
        seeds: Iterable[str],
        exclude: Sequence[str] = (),
        *,
        include: Sequence[str] = (),
        languages: Sequence[str] = (),
        verdicts: Mapping[str, str] | None = None,
        yields: Yields | None = None,
    ) -> None:
        self._kind = kind
        self._seeds = frozenset(seeds)
        self._allowed = {_anchor(kind, seed) for seed in self._seeds}
        self._readable = frozenset(media_types())
        self._exclude = [(pattern, _compile(pattern)) for pattern in exclude]
        self._include = [_compile(pattern) for pattern in include]
        self._languages = tuple(languages)
        self._verdicts = {} if verdicts is None else verdicts
        self._yields = yields

    def refusal(self, url: str, lang: str = "", *, depth: int = 1) -> Reason | None:
        """Why a canonical URL is not fetched; None where it belongs to the crawl.

        Args:
            url: canonical.
            lang: the language that a link to it or the page itself says it has.
            depth: links from a seed; 0 of seeds, sitemaps and feeds, which need not be included.
        """
        verdict = self._verdicts.get(host_of(url)) if self._verdicts else None
        if verdict == "hold":
            return Reason("held", "held by the analyst")
        if verdict is None and not self._is_inside(url):
            return Reason(SCOPE, "scope")
        path = url[url.index("/", 8) :]
        for pattern, compiled in self._exclude:
            if compiled.match(path):
                return Reason("excluded", f"excluded by {pattern}")
        if depth and self._include and not any(compiled.match(path) for compiled in self._include):
            return Reason("not_included", "not included")
        media_type = media_type_by_name(path)
        # A seed is asked for: a person has named it.
        if media_type is not None and media_type not in self._readable and url not in self._seeds:
            return Reason("media_type", f"media type {media_type} by its name")
        trap = _trap(path) or (self._yields.refusal(url) if self._yields is not None else None)
        if trap:
            return Reason("trap", trap)
        return self.language_refusal(url, lang) if self._languages else None

    def language_refusal(self, url: str, lang: str) -> Reason | None:
        """Why the language of a page does not belong to the crawl: as it was declared, else by hints in the URL."""
        if lang and (code := lang.strip().lower().replace("_", "-").partition("-")[0]) != "?":
            return None if not self._languages or code in self._languages else _other_language(code)
        if _may_be_in(url, self._languages):
            return None
        return Reason("url_language", "language other, by its URL")

    def remains(self, reason: Reason) -> bool:
        """Return whether a page that was refused for its language still is: it need not be fetched to know that again."""
        return reason.code == LANGUAGE and bool(self._languages) and reason not in map(_other_language, self._languages)

    def _is_inside(self, url: str) -> bool:
        if self._kind == "web":
            return True
        if self._kind == "path":
            rest = url.partition("://")[2]
            return any(rest.startswith(prefix) for prefix in self._allowed)
        return _anchor(self._kind, url) in self._allowed


def _other_language(code: str) -> Reason:
    return Reason(LANGUAGE, f"language {code}")


def _anchor(kind: str, url: str) -> str:
    host = host_of(url)
    if kind == "path":
        # The folder of the seed: up to its last slash.
        return url.partition("://")[2].partition("?")[0].rpartition("/")[0] + "/"
    return registered_domain(host) if kind == "domain" else host


@lru_cache(maxsize=100_000)
def registered_domain(host: str) -> str:
    """The domain that somebody registered, by the public suffix list; addresses and unknown suffixes: see below.

    An IP address is itself with its port. A host under no known public suffix (an intranet's) is its last two labels.
    """
    name, _, _ = host.partition(":") if not host.startswith("[") else (host, "", "")
    if name.startswith("[") or re.fullmatch(r"[0-9.]+", name) or "." not in name:
        return host
    from tld import get_fld

    domain = get_fld(f"http://{name}/", fail_silently=True, fix_protocol=False)
    return str(domain) if domain else ".".join(name.split(".")[-2:])


def _compile(pattern: str) -> re.Pattern[str]:
    ends = pattern.endswith("$")
    body = ".*".join(re.escape(part) for part in re.sub(r"\*+", "*", pattern.removesuffix("$")).split("*"))
    return re.compile(body + (r"\Z" if ends else ""), re.DOTALL)


def _trap(path: str) -> str | None:
    folders, _, query = path.partition("?")
    segments = [segment for segment in folders.split("/") if segment]
    if len(segments) > _MAX_SEGMENTS:
        return f"trap: more than {_MAX_SEGMENTS} path segments"
    if len(segments) > _MAX_REPEATS and max(map(segments.count, set(segments))) > _MAX_REPEATS:
        return f"trap: a path segment more than {_MAX_REPEATS} times"
    if query.count("&") >= _MAX_PARAMETERS:
        return f"trap: more than {_MAX_PARAMETERS} query parameters"
    if (date := _DATE.search(path)) and int(date[1] or date[2] or date[3]) > _this_year() + 1:
        return "trap: a calendar far from today"
    return None


@lru_cache(maxsize=1)
def _this_year() -> int:
    return datetime.now(UTC).year


def _may_be_in(url: str, languages: Sequence[str]) -> bool:
    """No part of the URL says that the page is in none of the languages."""
    from courlan.filters import lang_filter

    return any(lang_filter(url, language) for language in languages)
