"""What can be chosen about a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from corpuskit.errors import ConfigurationError

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "nlptextdoc": {"max_errors": 10, "missing_counts": False, "min_unique": 0.1},
}
"""Options as another crawler has them by default: the Language Resource Extractor ends after ten errors, of which pages
that are not there are none, and when a tenth of the last 1,000 pages' text was new."""


_COUNTS: Final = frozenset({"pages", "connections", "max_depth", "max_errors", "host_pages"})


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Choices for one call of ``Corpus.crawl``.

    A crawl that is resumed keeps them, but ``pages`` and ``minutes``, which count for one call, and what is secret:
    ``headers``, ``cookies``, ``netrc`` and ``proxy``, or opens a door on this machine: ``allow_private`` and ``render``. The
    seeds are those that the call names: of an earlier one the corpus knows, which may be a stranger's. The other budgets hold again, and count anew.

    Attributes:
        pages: at most so many more fetches; None: until nothing is left.
        scope: ``domain``, ``host``, ``path`` or ``web``: how far from the seeds.
        exclude: path patterns never fetched, with ``*`` and a final ``$`` as in robots.txt.
        include: path patterns; of what links, sitemaps and feeds name only what matches one is fetched. Empty: all. Seeds,
            sitemaps and feeds are read whatever their path.
        delay: seconds between two requests to one host; 0: no waiting of our own. A Crawl-delay is always kept.
        proxy: URL of an HTTP proxy.
        allow_private: hosts with private addresses may be fetched; without it, only the seeds' own.
        contact: where a webmaster can reach you, sent with each request.
        connections: requests at the same time.
        extract: extracts pages while the crawl runs; False: they are stored, and ``Corpus.extract_pending`` or the next
            crawl extracts them.
        languages: ISO 639-1 codes such as ``("en", "fr")``: only pages in these; () is all. By what links, pages and URLs
            say, and by the text of the page where nothing says it.
        feeds: reads the feeds (RSS, Atom, RDF, JSON) that pages name, five a host.
        host_pages: at most so many pages of one host in this call.
        traps: stops following kinds of page of which the last 60 brought less than 2 % new text.
        netrc: takes user and password of a host from this file, or with True from ``~/.netrc``. Never logged.
        archived: takes the Internet Archive's last copy of a page that failed, and marks it so in the metadata (``archived``);
            a URL names another archive with the same interface. Its interface is asked as politely as any host.
        render: shows pages that have hardly any text without scripts to a browser, and keeps what it makes of them.
        sitemaps: reads the sitemaps that robots.txt names; ``"guess"`` looks for them elsewhere too; False reads none.
        min_unique: stops when of the last 1,000 pages on average less than this share of the text was new, 0 to 1.
        min_harvest: stops a steered crawl when of the last 200 pages of this call the model calls less than this share relevant,
            0 to 1.
        refresh: asks again for pages fetched before, where those that did not change are left as they are, and for those that
            failed. Resumed, what is left of them is asked for; named again, all are.
        retry_failed: asks again for pages that failed, and that robots.txt forbade, in this call. Without it, those that may
            have met a moment's trouble (5xx, 408, 425, 429, a time-out, a broken connection) are tried by later crawls, after
            ten minutes to a day; 404 and the like are not, unless they are named as seeds or with ``refresh``.
        max_depth: links from a seed; None: any.
        minutes: stops after so long.
        max_errors: stops after so many pages that could not be fetched, or were empty, and are not tried again in this call.
        missing_counts: pages that are not there (404, 410) count for ``max_errors``.
        max_megabytes: stops when the originals have grown by so much.
        headers: more request headers; Authorization and Cookie go to the seeds' hosts only. Never logged.
        cookies: sent to the seeds' hosts. Never logged.
    """

    pages: int | None = None
    scope: str = "domain"
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    delay: float = 1.0
    proxy: str | None = None
    allow_private: bool = False
    contact: str = ""
    connections: int = 16
    extract: bool = True
    languages: tuple[str, ...] = ()
    feeds: bool = True
    host_pages: int | None = None
    traps: bool = True
    netrc: bool | str = False
    archived: bool | str = False
    render: bool = False
    sitemaps: bool | str = True
    min_unique: float = 0.0
    min_harvest: float = 0.0
    refresh: bool = False
    retry_failed: bool = False
    max_depth: int | None = None
    minutes: float | None = None
    max_errors: int | None = None
    missing_counts: bool = True
    max_megabytes: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.scope not in {"domain", "host", "path", "web"}:
            raise ConfigurationError(f"scope {self.scope!r}: expected 'domain', 'host', 'path' or 'web'")
        if self.sitemaps not in {True, False, "guess"}:
            raise ConfigurationError(f"sitemaps {self.sitemaps!r}: expected True, False or 'guess'")
        if isinstance(self.archived, str) and not self.archived.startswith(("https://", "http://")):
            raise ConfigurationError(f"archived {self.archived!r}: expected True, False or the URL of an archive")
        for code in self.languages:
            if not (len(code) in {2, 3} and code.isascii() and code.isalpha() and code.islower()):
                raise ConfigurationError(f"languages {code!r}: expected ISO 639-1 codes such as 'en'")
        for pattern in self.include:
            if not pattern.startswith(("/", "*")):
                raise ConfigurationError(f"include {pattern!r}: expected a path such as '/news/*' or '*/{pattern}/*'")
        for name in (
            "pages",
            "connections",
            "max_depth",
            "minutes",
            "max_errors",
            "max_megabytes",
            "delay",
            "host_pages",
        ):
            value = getattr(self, name)
            least = 1 if name == "connections" else 0
            if value is not None and value < least:
                raise ConfigurationError(f"{name} {value!r}: expected {least} or more")
            if value is not None and name in _COUNTS and value % 1:
                raise ConfigurationError(f"{name} {value!r}: expected a whole number")
        for name in ("min_unique", "min_harvest"):
            if not 0 <= (value := getattr(self, name)) <= 1:
                raise ConfigurationError(f"{name} {value!r}: expected a share from 0 to 1")
