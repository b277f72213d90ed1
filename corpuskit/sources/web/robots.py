"""Parser and matcher of robots.txt (RFC 9309)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from corpuskit.sources.web.urls import PATH_SAFE, canonical_part

PRODUCT_TOKEN: Final = "corpuskit"  # noqa: S105 - the name in User-agent lines
MAX_BYTES: Final = 512_000  # RFC 9309, 2.5: at least 500 kibibytes are read
_MAX_LINE: Final = 16_664  # bytes; longer lines are truncated, as in Google's parser
_MAX_CRAWL_DELAY: Final = 60.0  # seconds; longer delays are reduced to this
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
# Common misspellings are accepted, as in Google's parser, and keys are matched by prefix.
_KEYS: Final = {
    "user-agent": "user-agent", "useragent": "user-agent", "user agent": "user-agent", "allow": "allow",
    "disallow": "disallow", "dissallow": "disallow", "dissalow": "disallow", "disalow": "disallow",
    "diasllow": "disallow", "disallaw": "disallow", "sitemap": "sitemap", "site-map": "sitemap",
    "crawl-delay": "crawl-delay",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Robots:
    """Rules of one site for the user agent of corpuskit.

    Attributes:
        rules: The applicable group, as lines of a robots.txt; if empty, all URLs are allowed.
        crawl_delay: Seconds between two requests, at most 60, or None if the site sets no delay.
        sitemaps: URLs of the sitemaps.
    """

    rules: str = ""
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()

    @classmethod
    def parse(cls, content: bytes) -> Robots:
        """Parse a robots.txt; only the applicable group is stored, so that long files are parsed once.

        Args:
            content: The file.
        """
        group = _Group()
        for key, value in _lines(content[:MAX_BYTES]):
            group.add_line(key, value)
        return cls(group.rules(), group.crawl_delay(), tuple(dict.fromkeys(group.sitemaps)))

    def allows(self, url: str) -> bool:
        """Return whether a URL may be fetched: the longest matching rule decides, Allow before Disallow (RFC 9309, 2.2.2).

        Args:
            url: The URL.
        """
        return self.verdict(url)[0]

    def verdict(self, url: str) -> tuple[bool, str]:
        """Return whether a URL may be fetched, and the deciding line.

        Args:
            url: The URL.
        """
        if not self.rules:
            return True, "no rule"
        rest = url.partition("#")[0].partition("://")[2]
        start = next((i for i, c in enumerate(rest) if c in "/?"), len(rest))
        target = rest[start:]
        path = _normalized_path(target if target.startswith("/") else "/" + target)
        for rule in _compiled(self.rules):
            if rule.matches(path):
                return rule.allows, rule.line
        return True, "no rule"


class _Rule(NamedTuple):
    """One rule: the parts of its path pattern between ``*``."""

    line: str
    allows: bool
    pieces: tuple[str, ...]
    is_end: bool

    def matches(self, path: str) -> bool:
        # Each part is matched at its first occurrence, so the time is linear even for hostile patterns.
        first, *more = self.pieces
        if not path.startswith(first):
            return False
        if not more:
            return not self.is_end or path == first
        position = len(first)
        last = more.pop() if self.is_end else ""
        for piece in more:
            index = path.find(piece, position)
            if index < 0:
                return False
            position = index + len(piece)
        return path.endswith(last) and len(path) - len(last) >= position


@lru_cache(maxsize=1000)
def _compiled(rules: str) -> tuple[_Rule, ...]:
    """Return the rules by precedence: longest first, and Allow before Disallow of equal length."""
    rules_by_length: list[tuple[int, _Rule]] = []
    for line in rules.split("\n")[1:]:
        key, _, pattern = line.partition(": ")
        if not pattern:
            continue
        allows = key == "Allow"
        rules_by_length.append((len(pattern), _rule(line, allows, pattern)))
        folder, slash, name = pattern.rpartition("/")
        if allows and slash and name.startswith("index.htm"):  # "Allow: /dir/index.html" also allows "/dir/"
            rules_by_length.append((len(folder) + 2, _rule(line, allows, f"{folder}/$")))
    return tuple(rule for _, rule in sorted(rules_by_length, key=lambda item: (-item[0], not item[1].allows)))


def _rule(line: str, allows: bool, pattern: str) -> _Rule:
    is_end = pattern.endswith("$")
    pieces = re.sub(r"\*+", "*", pattern.removesuffix("$")).split("*")
    return _Rule(line, allows, tuple(_normalized_path(piece) for piece in pieces), is_end)


def _normalized_path(path: str) -> str:
    """Return a path in the form of canonical URLs: percent encoding only if required."""
    path, question, query = path.partition("?")
    path = "/".join(quote(unquote_to_bytes(part), safe=PATH_SAFE) for part in path.split("/"))
    return path + question + canonical_part(query) if question else path


def _lines(content: bytes) -> Iterator[tuple[str, str]]:
    """Yield key and value of each valid line."""
    for length in (3, 2, 1):  # a complete or truncated byte order mark
        if content.startswith(_BYTE_ORDER_MARK[:length]):
            content = content[length:]
            break
    for raw in _LINE_END.split(content):
        line = raw[:_MAX_LINE].partition(b"#")[0].strip()
        key, colon, value = line.partition(b":")
        if not colon:  # "Disallow /x" counts as a rule, "Disallow /x /y" does not
            words = line.split()
            if len(words) != 2:
                continue
            key, value = words
        name = key.strip().lower().decode("utf-8", "replace")
        known = next((kind for start, kind in _KEYS.items() if name.startswith(start)), None)
        if known is not None:
            # A path may contain bytes that are not valid UTF-8.
            yield known, quote(value.strip(), safe=_PRINTABLE)


_PRINTABLE: Final = "".join(map(chr, range(32, 127)))


class _Group:
    """Collector of the group for the product token; the group ``*`` is the fallback."""

    def __init__(self) -> None:
        self.sitemaps: list[str] = []
        self._specific: list[str] = []
        self._global: list[str] = []
        self._has_specific = False
        self._in_specific = self._in_global = self._rules_seen = False
        # RFC 9309, 2.2.4: other records must not interfere with the rules, so delays are grouped separately.
        self._delay_agents: set[bool] = set()
        self._delay_seen = False
        self._delays: dict[bool, float] = {}

    def add_line(self, key: str, value: str) -> None:
        if key == "user-agent":
            self._user_agent(value)
        elif key == "allow":
            self._rule("Allow", value)
        elif key == "disallow":
            self._rule("Disallow", value)
        elif key == "sitemap":
            self.sitemaps.append(value)
        else:
            self._crawl_delay(value)

    def _user_agent(self, value: str) -> None:
        if self._rules_seen or self._delay_seen:
            self._delay_agents, self._delay_seen = set(), False
        if self._rules_seen:
            self._in_specific = self._in_global = self._rules_seen = False
        if value[:1] == "*" and (len(value) == 1 or value[1].isspace()):
            self._in_global = True
            self._delay_agents.add(False)
        elif _product_token(value) == PRODUCT_TOKEN:
            self._in_specific = self._has_specific = True
            self._delay_agents.add(True)

    def _crawl_delay(self, value: str) -> None:
        try:
            delay = float(value)
        except ValueError:
            return
        self._delay_seen = True
        if 0 <= delay < float("inf"):
            self._delays.update(dict.fromkeys(self._delay_agents, min(delay, _MAX_CRAWL_DELAY)))

    def _rule(self, name: str, value: str) -> None:
        if self._in_specific:
            self._specific.append(f"{name}: {value}")
        if self._in_global:
            self._global.append(f"{name}: {value}")
        self._rules_seen = True

    def rules(self) -> str:
        lines = self._specific if self._has_specific else self._global
        return "\n".join(["User-agent: *", *lines]) + "\n" if lines else ""

    def crawl_delay(self) -> float | None:
        return self._delays.get(self._has_specific)


def _product_token(value: str) -> str:
    end = next((i for i, c in enumerate(value) if not (c.isascii() and c.isalpha()) and c not in "-_"), len(value))
    return value[:end].casefold()
