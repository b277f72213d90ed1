"""Declarations of the crawl options: default, validation and command-line flag of each."""

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
"""Defaults of another crawler. The Language Resource Extractor ends after ten errors, not counting missing pages, or
when less than a tenth of the text of the last 1,000 pages is new."""

PAGES: Final = "Scope"
ORDER: Final = "Discovery and order"
REQUESTS: Final = "Requests"
END: Final = "When to stop"
RESUMING: Final = "Resuming"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionInfo:
    """Declaration of one option.

    Attributes:
        help: Help text of the command line. It is empty if the option has no flag.
        panel: Heading of the help under which the option is listed.
        flag: Name on the command line, if it differs from the field's name.
        minimum, maximum: Bounds of the value.
        choices: All valid values; empty: any.
        lifetime: ``crawl``: a resumed crawl inherits it; ``call``: it applies to one call; ``secret``: it is never
            stored; ``permission``: it extends the access on this machine, and each call must name it, since the corpus
            may come from an untrusted person.
        in_settings: Whether corpus.toml may set it.
    """

    help: str = ""
    panel: str = ""
    flag: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Any, ...] = ()
    lifetime: Literal["crawl", "call", "secret", "permission"] = "crawl"
    in_settings: bool = False

    def problem(self, value: Any) -> str | None:
        """Return a description of the expected values; None if the value is valid."""
        if self.choices and value not in self.choices:
            *first, last = map(repr, self.choices)
            return f"{', '.join(first)} or {last}"
        if value is None or self.minimum is None:
            return None
        if self.maximum is not None:
            return (
                None if self.minimum <= value <= self.maximum else f"a share from {self.minimum:g} to {self.maximum:g}"
            )
        return f"{self.minimum:g} or more" if value < self.minimum else None


def _option(default: Any = None, help: str = "", panel: str = "", **declaration: Any) -> Any:
    return field(default=default, metadata={"option": OptionInfo(help=help, panel=panel, **declaration)})


def _secret_mapping(**declaration: Any) -> Any:
    return field(default_factory=dict, repr=False, metadata={"option": OptionInfo(lifetime="secret", **declaration)})


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Options of one call of ``Corpus.crawl``.

    A resumed crawl inherits most options. ``pages`` and ``minutes`` apply to one call. Secrets (``headers``,
    ``cookies``, ``netrc`` and ``proxy``) are never stored, and ``allow_private`` and ``render`` extend the access on
    this machine: each call must set them, since the corpus may come from an untrusted person. Secrets are sent to the
    hosts of seeds in the call, not to those of stored seeds. Other budgets apply again and count from zero.

    Attributes:
        pages: Maximum number of further pages; None: until the queue is empty.
        scope: Distance from the seeds: ``domain``, ``host``, ``path`` or ``web``.
        exclude: Path patterns that are never fetched, with ``*`` and a final ``$`` as in robots.txt.
        include: Path patterns. URLs from links, sitemaps and feeds must match one of them; empty: no restriction.
            Seeds, sitemaps and feeds are always read.
        delay: Seconds between two requests to one host; 0: no delay. Crawl-delay is obeyed in any case.
        proxy: URL of an HTTP proxy.
        allow_private: Fetch hosts with private addresses; otherwise only hosts of seeds may have one.
        contact: E-mail address or page for webmasters, sent with each request.
        connections: Number of parallel requests.
        extract: Extract pages while the crawl runs. False: store them, and let ``Corpus.extract_pending`` or the next
            crawl extract them.
        languages: ISO 639-1 codes such as ``("en", "fr")``: fetch only pages in these languages; (): all. The language
            is taken from links, pages and URLs, or detected in the text of the page.
        feeds: Read up to five feeds (RSS, Atom, RDF, JSON) per host that pages link to.
        host_pages: Maximum number of pages per host in this call.
        traps: Do not follow kinds of page with less than 2 % new text in the last 60 pages.
        netrc: Read user and password of a host from this file; True: from ``~/.netrc``. Never logged.
        archived: Store the Internet Archive's last copy of a failed page, marked in the metadata (``archived``). A URL
            selects another archive with the same interface. The delay of hosts applies to the archive too.
        render: Render pages with hardly any text in a browser, and store the result.
        sitemaps: Read the sitemaps in robots.txt; ``"guess"``: also try usual locations; False: read no sitemaps.
        min_unique: Stop when the mean share of new text of the last 1,000 pages is lower, 0 to 1.
        min_harvest: Stop a steered crawl when the model calls a smaller share of the last 200 pages of this call
            relevant, 0 to 1.
        refresh: Request fetched and failed pages again, and store those that have changed. A resumed crawl requests the
            rest; set in the call again, it requests all.
        retry_failed: Request pages again that failed or that robots.txt forbade, in this call. Without it, later crawls
            retry temporary failures (5xx, 408, 425, 429, time-outs, broken connections) after ten minutes to a day.
            Errors such as 404 are not retried, except for seeds in the call or with ``refresh``.
        max_depth: Maximum number of links from a seed; None: unlimited.
        minutes: Stop after this time.
        max_errors: Stop after this number of pages that failed or were empty, and are not retried in this call.
        missing_counts: Count missing pages (404, 410) for ``max_errors``.
        max_megabytes: Stop when the originals have grown by this amount.
        headers: Additional request headers. Authorization and Cookie are sent to the seeds' hosts only. Never
            logged.
        cookies: Cookies, sent to the seeds' hosts only. Never logged.
    """

    pages: int | None = _option(None, "After this number of further pages.", END, minimum=0, lifetime="call")
    scope: str = _option(
        "domain", "Distance from the seeds; default: domain.", PAGES,
        choices=("domain", "host", "path", "web"), in_settings=True,
    )  # fmt: skip
    exclude: tuple[str, ...] = _option(
        (), "Path never fetched, with * and a final $ as in robots.txt; repeatable.", PAGES, in_settings=True
    )
    include: tuple[str, ...] = _option(
        (),
        "Follow only links with this path, such as '/news/*'; repeatable. Seeds are always read.",
        PAGES,
        in_settings=True,
    )
    delay: float = _option(
        1.0, "Seconds between two requests to one host; default 1.", REQUESTS, minimum=0, in_settings=True
    )
    proxy: str | None = _option(None, "URL of an HTTP proxy.", REQUESTS, lifetime="secret")
    allow_private: bool = _option(False, "Fetch private addresses too.", PAGES, lifetime="permission")
    contact: str = _option("", "Your e-mail address or page, sent with each request.", REQUESTS, in_settings=True)
    connections: int = _option(16, "Number of parallel requests; default 16.", REQUESTS, minimum=1)
    extract: bool = _option(True, "Extract pages now (the default) or with the next crawl.", ORDER)
    languages: tuple[str, ...] = _option(
        (), "Only pages in this language, such as en; repeatable.", PAGES, flag="language", in_settings=True
    )
    feeds: bool = _option(True, "Read feeds that pages link to (the default).", ORDER)
    host_pages: int | None = _option(None, "Per host, after this number of pages.", END, minimum=0)
    traps: bool = _option(True, "Skip kinds of page without new text (the default).", PAGES)
    netrc: bool | str = _option(False, "Read user and password of hosts from ~/.netrc.", REQUESTS, lifetime="secret")
    archived: bool | str = _option(False, "Store the Internet Archive's last copy of a failed page.", ORDER)
    render: bool = _option(
        False, "Render pages without text in a browser; needs the extra render.", ORDER, lifetime="permission"
    )
    sitemaps: bool | str = _option(
        True, "Read the sitemaps in robots.txt (the default).", ORDER, choices=(True, False, "guess")
    )
    min_unique: float = _option(
        0.0, "When the share of new text in the last 1,000 pages is lower, 0 to 1.", END, minimum=0, maximum=1
    )
    min_harvest: float = _option(
        0.0, "Steered: when the model calls a smaller share of the last 200 pages relevant, 0 to 1.", END,
        minimum=0, maximum=1,
    )  # fmt: skip
    refresh: bool = _option(False, "Request fetched pages again; store those that have changed.", RESUMING)
    retry_failed: bool = _option(
        False, "Retry pages that failed or that robots.txt forbade.", RESUMING, lifetime="call"
    )
    max_depth: int | None = _option(None, "Maximum number of links from a seed.", PAGES, minimum=0)
    minutes: float | None = _option(None, "After this number of minutes.", END, minimum=0, lifetime="call")
    max_errors: int | None = _option(None, "After this number of failed pages.", END, minimum=0)
    missing_counts: bool = _option(True, "Count missing pages for --max-errors.", END)
    max_megabytes: float | None = _option(None, "After this number of megabytes.", END, minimum=0)
    headers: Mapping[str, str] = _secret_mapping(
        flag="header", panel=REQUESTS,
        help="'Name: value', or @FILE with one header per line; Cookie and Authorization go to the seeds' hosts only; repeatable.",
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


def options_with_lifetime(*lifetime: str) -> tuple[str, ...]:
    """Return the names of the options with one of these lifetimes; see :class:`OptionInfo`."""
    return tuple(name for name, option in OPTIONS.items() if option.lifetime in lifetime)


def flag_of(name: str) -> str:
    """Return the command-line flag of an option."""
    return "--" + (OPTIONS[name].flag if name in OPTIONS and OPTIONS[name].flag else name).replace("_", "-")


def both_spellings(name: str) -> str:
    """Return an option as written in Python and on the command line."""
    return f"{name}= ({flag_of(name)})"


def resume_commands(*names: str) -> str:
    """Return the Python call and the command that resume a crawl.

    Args:
        names: Options to set.
    """
    options = ("resume", *names)
    return f"crawl({', '.join(f'{name}=True' for name in options)}) (corpuskit crawl {' '.join(map(flag_of, options))})"


def _wrong(name: str, value: Any, expected: str) -> ConfigurationError:
    return ConfigurationError(f"{name}={value!r} ({flag_of(name)}): expected {expected}")
