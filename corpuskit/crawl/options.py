"""What can be chosen about a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from corpuskit.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Choices for one call of ``Corpus.crawl``.

    Attributes:
        pages: at most so many more fetches; None: until nothing is left.
        scope: ``domain``, ``host``, ``path`` or ``web``: how far from the seeds.
        exclude: path patterns never fetched, with ``*`` and a final ``$`` as in robots.txt.
        delay: seconds between two requests to one host; 0: no waiting of our own. A Crawl-delay is always kept.
        proxy: URL of an HTTP proxy.
        allow_private: hosts with private addresses may be fetched.
        contact: where a webmaster can reach you, sent with each request.
        connections: requests at the same time.
        sitemaps: reads the sitemaps that robots.txt names; ``"guess"`` looks for them elsewhere too; False reads none.
        min_unique: stops when of the last 1,000 pages on average less than this share of the text was new, 0 to 1.
        refresh: asks again for pages fetched before; those that did not change are left as they are.
        max_depth: links from a seed; None: any.
        minutes: stops after so long.
        max_errors: stops after so many failed pages.
        max_megabytes: stops when the originals have grown by so much.
        headers: more request headers. Never logged.
        cookies: sent to the seeds' hosts. Never logged.
    """

    pages: int | None = None
    scope: str = "domain"
    exclude: tuple[str, ...] = ()
    delay: float = 1.0
    proxy: str | None = None
    allow_private: bool = False
    contact: str = ""
    connections: int = 16
    sitemaps: bool | str = True
    min_unique: float = 0.0
    refresh: bool = False
    max_depth: int | None = None
    minutes: float | None = None
    max_errors: int | None = None
    max_megabytes: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.scope not in {"domain", "host", "path", "web"}:
            raise ConfigurationError(f"scope {self.scope!r}: expected 'domain', 'host', 'path' or 'web'")
        if self.sitemaps not in {True, False, "guess"}:
            raise ConfigurationError(f"sitemaps {self.sitemaps!r}: expected True, False or 'guess'")
        for name in ("pages", "connections", "max_depth", "minutes", "max_errors", "max_megabytes", "delay"):
            value = getattr(self, name)
            least = 1 if name == "connections" else 0
            if value is not None and value < least:
                raise ConfigurationError(f"{name} {value!r}: expected {least} or more")
