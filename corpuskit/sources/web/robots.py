"""robots.txt (RFC 9309): what a site allows us, in its own words."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Final

PRODUCT_TOKEN: Final = "corpuskit"  # noqa: S105 - the name in User-agent lines
MAX_BYTES: Final = 512_000  # RFC 9309, 2.5: at least 500 kibibytes are read
_MAX_CRAWL_DELAY: Final = 60.0  # seconds; a site that asks for more gets this


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one site for us.

    Attributes:
        rules: the group that counts for us, as lines of a robots.txt of its own; empty: all is allowed.
        crawl_delay: seconds between two requests; None where the site says nothing. At most 60.
        sitemaps: the URLs it names.
        closed: nothing is allowed, since the file could not be had (RFC 9309, 2.3.1.4).
    """

    rules: str = ""
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    closed: bool = False

    @classmethod
    def parse(cls, content: bytes) -> Robots:
        """Reads a robots.txt; only what counts for us is kept, so that a long file costs its length only once."""
        from gpyrobotstxt.robots_cc import RobotsTxtParser

        class Parser(RobotsTxtParser):  # type: ignore[misc]
            def parse_and_emit_line(self, number: int, line: str) -> None:
                # The library raises on some lines that are no rule; RFC 9309, 2.2: such lines are passed over.
                with contextlib.suppress(TypeError, SyntaxError):
                    super().parse_and_emit_line(number, line)

        group = _Group()
        Parser(content[:MAX_BYTES], group).parse()
        return cls(group.rules(), group.crawl_delay(), tuple(dict.fromkeys(group.sitemaps)))

    def allows(self, url: str) -> bool:
        """Whether we may fetch the URL: the longest matching rule decides, Allow before Disallow."""
        if self.closed:
            return False
        if not self.rules:
            return True
        from gpyrobotstxt.robots_cc import RobotsMatcher

        return bool(RobotsMatcher().allowed_by_robots(self.rules.encode(), [PRODUCT_TOKEN], url))


class _Group:
    """Collects the group of our product token, or of ``*`` where we have none."""

    def __init__(self) -> None:
        self.sitemaps: list[str] = []
        self._specific: list[str] = []
        self._global: list[str] = []
        self._has_specific = False
        self._in_specific = self._in_global = self._rules_seen = False
        # RFC 9309, 2.2.4: other records must not interfere with the rules, so delays have groups of their own.
        self._delay_agents: set[bool] = set()
        self._delay_seen = False
        self._delays: dict[bool, float] = {}

    def handle_robots_start(self) -> None: ...

    def handle_robots_end(self) -> None: ...

    def handle_user_agent(self, _line: int, value: str) -> None:
        if self._rules_seen or self._delay_seen:
            self._delay_agents, self._delay_seen = set(), False
        if self._rules_seen:
            self._in_specific = self._in_global = self._rules_seen = False
        if value[:1] == "*" and (len(value) == 1 or value[1].isspace()):
            self._in_global = True
            self._delay_agents.add(False)
        elif _product(value) == PRODUCT_TOKEN:
            self._in_specific = self._has_specific = True
            self._delay_agents.add(True)

    def handle_allow(self, _line: int, value: str) -> None:
        self._rule("Allow", value)

    def handle_disallow(self, _line: int, value: str) -> None:
        self._rule("Disallow", value)

    def handle_sitemap(self, _line: int, value: str) -> None:
        self.sitemaps.append(value.strip())

    def handle_unknown_action(self, _line: int, action: str, value: str) -> None:
        if action.strip().lower() != "crawl-delay":
            return
        try:
            delay = float(value.strip())
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


def _product(value: str) -> str:
    end = next((i for i, c in enumerate(value) if not (c.isascii() and c.isalpha()) and c not in "-_"), len(value))
    return value[:end].casefold()
