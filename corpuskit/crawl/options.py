"""Options of a crawl, each declared once: its default, its checks and its place on the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from corpuskit.errors import ConfigurationError

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "nlptextdoc": {"max_errors": 10, "missing_counts": False, "min_unique": 0.1},
}
"""Options as another crawler has them by default: the Language Resource Extractor ends after ten errors, of which pages
that are not there are none, and when a tenth of the last 1,000 pages' text was new."""

PAGES: Final = "Which pages"
ORDER: Final = "How they are found, and in which order"
REQUESTS: Final = "How sites are asked"
END: Final = "When to stop"
RESUMING: Final = "Going on with an earlier crawl"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionInfo:
    """Declaration of one option.

    Attributes:
        help: help text of the command line; empty for an option that is not typed.
        panel: heading of the help under which it stands.
        flag: its name on the command line, if that is not the field's name.
        least, most: bounds of its value.
        choices: all values that it can have; empty: any.
        lasts: ``crawl``: a resumed crawl keeps it; ``call``: it counts for one call; ``secret``: it is never stored;
            ``permission``: it opens a door on this machine, and each call names it, as the corpus may be a stranger's.
        in_settings: corpus.toml may set it.
    """

    help: str = ""
    panel: str = ""
    flag: str = ""
    least: float | None = None
    most: float | None = None
    choices: tuple[Any, ...] = ()
    lasts: Literal["crawl", "call", "secret", "permission"] = "crawl"
    in_settings: bool = False

    def problem(self, value: Any) -> str | None:
        """Return what was expected instead of a value; None for a value that is possible."""
        if self.choices and value not in self.choices:
            *others, last = map(repr, self.choices)
            return f"{', '.join(others)} or {last}"
        if value is None or self.least is None:
            return None
        if self.most is not None:
            return None if self.least <= value <= self.most else f"a share from {self.least:g} to {self.most:g}"
        return f"{self.least:g} or more" if value < self.least else None


def _option(default: Any = None, help: str = "", panel: str = "", **facts: Any) -> Any:
    return field(default=default, metadata={"option": OptionInfo(help=help, panel=panel, **facts)})


def _secret_mapping(**facts: Any) -> Any:
    return field(default_factory=dict, repr=False, metadata={"option": OptionInfo(lasts="secret", **facts)})


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Options of one call of ``Corpus.crawl``.

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

    pages: int | None = _option(None, "After so many more pages.", END, least=0, lasts="call")
    scope: str = _option(
        "domain", "How far from the seeds; default: domain.", PAGES,
        choices=("domain", "host", "path", "web"), in_settings=True,
    )  # fmt: skip
    exclude: tuple[str, ...] = _option(
        (), "Path never fetched, with * and a final $ as in robots.txt; repeatable.", PAGES, in_settings=True
    )
    include: tuple[str, ...] = _option(
        (), "Of links only paths like this, as '/news/*'; repeatable. Seeds are always read.", PAGES, in_settings=True
    )
    delay: float = _option(
        1.0, "Seconds between two requests to one host; default 1.", REQUESTS, least=0, in_settings=True
    )
    proxy: str | None = _option(None, "URL of an HTTP proxy.", REQUESTS, lasts="secret")
    allow_private: bool = _option(False, "Private addresses too.", PAGES, lasts="permission")
    contact: str = _option("", "Your e-mail or page, sent with each request.", REQUESTS, in_settings=True)
    connections: int = _option(16, "Requests at the same time; default 16.", REQUESTS, least=1)
    extract: bool = _option(True, "Extract now, as by default, or with the next crawl.", ORDER)
    languages: tuple[str, ...] = _option(
        (), "Only pages in this language, as en; repeatable.", PAGES, flag="language", in_settings=True
    )
    feeds: bool = _option(True, "Read the feeds that pages name, as by default.", ORDER)
    host_pages: int | None = _option(None, "Asking a host after so many of its pages.", END, least=0)
    traps: bool = _option(True, "Leave kinds of page that bring nothing new, as by default.", PAGES)
    netrc: bool | str = _option(False, "User and password of a host from ~/.netrc.", REQUESTS, lasts="secret")
    archived: bool | str = _option(False, "Take the Internet Archive's last copy of a page that failed.", ORDER)
    render: bool = _option(
        False, "Show pages without text to a browser; needs the extra render.", ORDER, lasts="permission"
    )
    sitemaps: bool | str = _option(
        True, "Read the sitemaps robots.txt names, as by default.", ORDER, choices=(True, False, "guess")
    )
    min_unique: float = _option(
        0.0, "When less than this share of the last 1,000 pages' text was new, 0 to 1.", END, least=0, most=1
    )
    min_harvest: float = _option(
        0.0, "Steered: when the model calls less than this share of the last 200 pages relevant, 0 to 1.", END,
        least=0, most=1,
    )  # fmt: skip
    refresh: bool = _option(False, "Ask again for what was fetched; keep what changed.", RESUMING)
    retry_failed: bool = _option(
        False, "Ask again for what failed, and what robots.txt forbade.", RESUMING, lasts="call"
    )
    max_depth: int | None = _option(None, "At most so many links from a seed.", PAGES, least=0)
    minutes: float | None = _option(None, "After so long.", END, least=0, lasts="call")
    max_errors: int | None = _option(None, "After so many failed pages.", END, least=0)
    missing_counts: bool = _option(True, "Pages that are not there count for --max-errors.", END)
    max_megabytes: float | None = _option(None, "After so much.", END, least=0)
    headers: Mapping[str, str] = _secret_mapping(
        flag="header", panel=REQUESTS,
        help="'Name: value', or @FILE with one a line; Cookie and Authorization go to the seeds' hosts only; repeatable.",
    )  # fmt: skip
    cookies: Mapping[str, str] = _secret_mapping(flag="header")

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            expected = option.problem(value)
            if expected is None and value is not None and int in TYPES[name] and value % 1:
                expected = "a whole number"
            if expected is not None:
                raise _wrong(name, value, expected)
        if isinstance(self.archived, str) and not self.archived.startswith(("https://", "http://")):
            raise _wrong("archived", self.archived, "True, False or the URL of an archive")
        for code in self.languages:
            if not (len(code) in {2, 3} and code.isascii() and code.isalpha() and code.islower()):
                raise _wrong("languages", code, "ISO 639-1 codes such as 'en'")
        for pattern in self.include:
            if not pattern.startswith(("/", "*")):
                raise _wrong("include", pattern, f"a path such as '/news/*' or '*/{pattern}/*'")


OPTIONS: Final[Mapping[str, OptionInfo]] = {
    item.name: item.metadata["option"] for item in dataclasses.fields(CrawlOptions)
}
"""Name of each option → its declaration."""
TYPES: Final[Mapping[str, Any]] = {
    name: get_args(hint) if get_origin(hint) is UnionType else (get_origin(hint) or hint,)
    for name, hint in get_type_hints(CrawlOptions).items()
}
"""Name of each option → the types of its values."""


def names_of(*lasts: str) -> tuple[str, ...]:
    """Return the names of the options that last so long; see :class:`OptionInfo`."""
    return tuple(name for name, option in OPTIONS.items() if option.lasts in lasts)


def flag_of(name: str) -> str:
    """Return how an option is typed on the command line."""
    return "--" + (OPTIONS[name].flag if name in OPTIONS and OPTIONS[name].flag else name).replace("_", "-")


def spelled(name: str) -> str:
    """Return the name of an option as it is written in Python and on the command line."""
    return f"{name}= ({flag_of(name)})"


def resuming(*names: str) -> str:
    """Return the call and the command that go on with a crawl.

    Args:
        names: Options that must be named.
    """
    named = ("resume", *names)
    return f"crawl({', '.join(f'{name}=True' for name in named)}) (corpuskit crawl {' '.join(map(flag_of, named))})"


def _wrong(name: str, value: Any, expected: str) -> ConfigurationError:
    return ConfigurationError(f"{name}={value!r} ({flag_of(name)}): expected {expected}")
