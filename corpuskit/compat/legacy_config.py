"""Reader of config.txt, the crawl configuration of the Language Resource Extractor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import ConfigurationError

_SCOPES: Final = {"domain": "domain", "subdomain": "host", "path": "path"}
_MAX_BYTES: Final = 1_000_000
_IGNORED: Final = frozenset(("storagedir",))


def _positive(scale: float, kind: Callable[[float], Any] = float) -> Callable[[str], Any]:
    """Return a parser of numbers with unit conversion; 0 means unlimited and becomes None."""

    def read(text: str) -> Any:
        value = float(text)
        return kind(value * scale) if value > 0 else None

    return read


_NUMBERS: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "mincrawldelay": ("delay", lambda text: float(text) / 1000),
    "maxduration": ("minutes", _positive(1)),
    "maxpagecount": ("pages", _positive(1, int)),
    "maxerrorscount": ("max_errors", _positive(1, int)),
    "minuniquetext": ("min_unique", lambda text: float(text) / 100),
    "maxsizeondisk": ("max_megabytes", _positive(1)),
}


def read_legacy_config(path: str | Path) -> tuple[list[str], dict[str, Any]]:
    """Read a config.txt.

    Each line is ``name=value``; names are case-insensitive, and ``#`` and ``//`` start comments. The extractor appends to the
    file when a crawl is resumed, so the last value counts, and each ``scope`` line resets the excluded URLs.

    Args:
        path: The file.

    Returns:
        The root URLs, and options for ``Corpus.crawl``. As in the extractor, missing pages do not count as errors
        (``missing_counts=False``).

    Raises:
        ConfigurationError: The file cannot be read, or a line is invalid.
    """
    file = Path(path)
    try:
        text = file.read_bytes()[:_MAX_BYTES].decode("utf-8-sig", "replace")
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror or error}") from error
    roots: list[str] = []
    options: dict[str, Any] = {"missing_counts": False}
    exclude: list[str] = []
    for number, written in enumerate(text.splitlines(), 1):
        line = written.strip()
        if not line or line.startswith(("#", "//")):
            continue
        name, sign, value = (part.strip() for part in line.partition("="))
        key = name.lower()
        if not sign:
            raise ConfigurationError(f"{file}, line {number}: {line[:80]!r}: expected name=value")
        try:
            if key == "scope":
                options["scope"], exclude = _SCOPES[value.lower()], []
            elif key == "rooturl":
                roots = [value]
            elif key == "excludeurls":
                exclude.append(value)
            elif key in _NUMBERS:
                ours, read = _NUMBERS[key]
                options[ours] = read(value)
            elif key not in _IGNORED:
                raise ConfigurationError(f"{file}, line {number}: unknown name {name[:40]!r}")
        except (ValueError, KeyError) as error:
            if isinstance(error, ConfigurationError):
                raise
            raise ConfigurationError(f"{file}, line {number}: {name}={value[:80]!r} cannot be read") from error
    if exclude:
        options["exclude"] = tuple(exclude)
    return roots, options
