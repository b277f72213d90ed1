"""Scope of a crawl: which URLs belong to it, and which look like crawler traps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from corpuskit.crawl.trap_detection import TrapDetector
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
"""Codes of refusals that depend on the scope of the crawl. Another scope may accept these URLs."""
_MAX_SEGMENTS: Final = 20
_MAX_REPEATS: Final = 3  # of one path segment: wrong relative links produce /a/b/a/b/a/b
_MAX_PARAMETERS: Final = 12
# Month or day of a calendar: /2031/05/, date=2031-05-01, year=2031.
_DATE: Final = re.compile(
    r"/(20\d\d)[/-](?:0[1-9]|1[0-2])(?![0-9])|[?&]\w*(?:date|day|month|week)=(\d{4})-|[?&]year=(\d{4})(?![0-9])"
)


class Reason(str):
    """Reason why a URL is refused: a text with a code, by which later crawls find it."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, text: str) -> Reason:
        """Create a reason.

        Args:
            code: One of the codes of this module.
            text: Description.
        """
        reason = super().__new__(cls, text)
        reason.code = code
        return reason


class UrlScope:
    """Scope of a crawl.

    Args:
        kind: ``domain``, ``host``, ``path`` or ``web``.
        seeds: Canonical URLs.
        exclude: Path patterns with ``*`` and a final ``$``.
        include: Path patterns. A link must match one of them; empty: no restriction.
        languages: ISO 639-1 codes. Pages declared to be in other languages are refused; empty: all languages.
        verdicts: host → verdict of the analyst. ``hold`` excludes a host, ``approve`` and ``boost`` include it.
        trap_detector: Detector of kinds of page without new text.
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
        trap_detector: TrapDetector | None = None,
    ) -> None:
        self._kind = kind
        self._seeds = frozenset(seeds)
        self._allowed = {_anchor(kind, seed) for seed in self._seeds}
        self._readable = frozenset(media_types())
        self._exclude = [(pattern, _compile(pattern)) for pattern in exclude]
        self._include = [_compile(pattern) for pattern in include]
        self._languages = tuple(languages)
        self._verdicts = {} if verdicts is None else verdicts
        self._trap_detector = trap_detector

    def refusal(self, url: str, lang: str = "", *, depth: int = 1) -> Reason | None:
        """Return why a canonical URL is not fetched; None if it belongs to the crawl.

        Args:
            url: A canonical URL.
            lang: Language declared by a link to it or by the page itself.
            depth: Number of links from a seed. It is 0 for seeds, sitemaps and feeds, which need not match
                ``include``.
        """
        verdict = self._verdicts.get(host_of(url)) if self._verdicts else None
        if verdict == "hold":
            return Reason("held", "held by the analyst")
        if verdict is None and not self._is_in_scope(url):
            return Reason(SCOPE, "scope")
        path = url[url.index("/", 8) :]
        for pattern, compiled in self._exclude:
            if compiled.match(path):
                return Reason("excluded", f"excluded by {pattern}")
        if depth and self._include and not any(compiled.match(path) for compiled in self._include):
            return Reason("not_included", "not included")
        media_type = media_type_by_name(path)
        # The user named the seeds, so they are fetched in any case.
        if media_type is not None and media_type not in self._readable and url not in self._seeds:
            return Reason("media_type", f"media type {media_type} by its name")
        trap = _trap(path) or (self._trap_detector.refusal(url) if self._trap_detector is not None else None)
        if trap:
            return Reason("trap", trap)
        return self.language_refusal(url, lang) if self._languages else None

    def language_refusal(self, url: str, lang: str) -> Reason | None:
        """Return a refusal for the language of a page, from its declaration or else from hints in the URL."""
        if lang and (code := lang.strip().lower().replace("_", "-").partition("-")[0]) != "?":
            return None if not self._languages or code in self._languages else _other_language(code)
        if _may_be_in_languages(url, self._languages):
            return None
        return Reason("url_language", "language other, by its URL")

    def still_applies(self, reason: Reason) -> bool:
        """Return whether a page refused for its language is still refused, so that it need not be fetched again."""
        return reason.code == LANGUAGE and bool(self._languages) and reason not in map(_other_language, self._languages)

    def _is_in_scope(self, url: str) -> bool:
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
        # The directory of the seed: up to its last slash.
        return url.partition("://")[2].partition("?")[0].rpartition("/")[0] + "/"
    return registered_domain(host) if kind == "domain" else host


@lru_cache(maxsize=100_000)
def registered_domain(host: str) -> str:
    """Return the registered domain of a host, according to the public suffix list.

    An IP address is returned with its port. For a host without a known public suffix, such as one of an intranet, the
    last two labels are returned.
    """
    name, _, _ = host.partition(":") if not host.startswith("[") else (host, "", "")
    if name.startswith("[") or re.fullmatch(r"[0-9.]+", name) or "." not in name:
        return host
    from tld import get_fld

    domain = get_fld(f"http://{name}/", fail_silently=True, fix_protocol=False)
    return str(domain) if domain else ".".join(name.split(".")[-2:])


def _compile(pattern: str) -> re.Pattern[str]:
    has_end = pattern.endswith("$")
    body = ".*".join(re.escape(part) for part in re.sub(r"\*+", "*", pattern.removesuffix("$")).split("*"))
    return re.compile(body + (r"\Z" if has_end else ""), re.DOTALL)


def _trap(path: str) -> str | None:
    directories, _, query = path.partition("?")
    segments = [segment for segment in directories.split("/") if segment]
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


def _may_be_in_languages(url: str, languages: Sequence[str]) -> bool:
    """Return whether the URL has no hint that the page is in another language."""
    from courlan.filters import lang_filter

    return any(lang_filter(url, language) for language in languages)
