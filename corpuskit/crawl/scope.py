"""Which URLs belong to a crawl, and which look like a trap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from corpuskit.sources.web import host_of

SCOPE: Final = "scope"
_MAX_SEGMENTS: Final = 20
_MAX_REPEATS: Final = 3  # of one path segment: /a/b/a/b/a/b is a site that links relative paths wrongly
_MAX_PARAMETERS: Final = 12


class Scope:
    """The borders of a crawl.

    Args:
        kind: ``domain``, ``host``, ``path`` or ``web``.
        seeds: canonical URLs.
        exclude: path patterns with ``*`` and a final ``$``.
    """

    def __init__(self, kind: str, seeds: Iterable[str], exclude: Sequence[str] = ()) -> None:
        self._kind = kind
        self._allowed = {_anchor(kind, seed) for seed in seeds}
        self._exclude = [(pattern, _compile(pattern)) for pattern in exclude]

    def refusal(self, url: str) -> str | None:
        """Why a canonical URL is not fetched; None where it belongs to the crawl."""
        if not self._is_inside(url):
            return SCOPE
        path = url[url.index("/", 8) :]
        for pattern, compiled in self._exclude:
            if compiled.match(path):
                return f"excluded by {pattern}"
        return _trap(path)

    def _is_inside(self, url: str) -> bool:
        if self._kind == "web":
            return True
        if self._kind == "path":
            rest = url.partition("://")[2]
            return any(rest.startswith(prefix) for prefix in self._allowed)
        return _anchor(self._kind, url) in self._allowed


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
    return None
