"""config.txt of the Language Resource Extractor: what its crawl was told, as options of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import ConfigurationError

_SCOPES: Final = {"domain": "domain", "subdomain": "host", "path": "path"}
_MOST_BYTES: Final = 1_000_000
_IGNORED: Final = frozenset(("storagedir",))


def _positive(scale: float, kind: Callable[[float], Any] = float) -> Callable[[str], Any]:
    """A number in another unit; 0, which is no limit there, is none here."""

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

    It has ``name=value`` on each line; ``#`` and ``//`` begin comments, names have no case. The file was appended to when a
    crawl went on: the last value counts, and a new ``scope`` begins the excluded URLs anew.

    Args:
        path: The file.

    Returns:
        The root URLs, and options for ``Corpus.crawl``; errors count as there (``missing_counts=False``).

    Raises:
        ConfigurationError: the file cannot be read, or a line is none of a config.txt.
    """
    file = Path(path)
    try:
        text = file.read_bytes()[:_MOST_BYTES].decode("utf-8-sig", "replace")
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
