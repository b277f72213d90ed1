"""Seeds: where a crawl begins, as URLs or lists of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from corpuskit.errors import ConfigurationError, RefusedError
from corpuskit.sources.web import advice, canonical_url
from corpuskit.store.catalog import Catalog

_MAX_BYTES: Final = 100_000_000


def read_seeds(seeds: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return the canonical URLs, each once.

    Args:
        seeds: URLs; a path is a text file with one URL a line, where ``#`` begins a comment.

    Raises:
        RefusedError: a seed is no URL that can be fetched.
        ConfigurationError: a file cannot be read, or a word is neither a URL nor a host.
    """
    found: dict[str, None] = {}
    for seed in seeds:
        for url in [seed] if isinstance(seed, str) else _lines(Path(seed)):
            try:
                found[canonical_url(url if "://" in url else _with_scheme(url))] = None
            except RefusedError as error:
                raise RefusedError(f"seed {url[:200]}: {error}; {advice(error)}", url=url) from None
    return list(found)


def _with_scheme(seed: str) -> str:
    """The URL of what was written without ``https://``: a host, perhaps with a path.

    Raises:
        ConfigurationError: it is no host, or a file has this name.
    """
    if _is_file(seed):
        raise ConfigurationError(
            f"seed {seed[:200]}: there is a file of this name; a file with one URL a line is given as Path({seed[:200]!r}) "
            f"(--seeds {seed[:200]}), a host as https://{seed[:200]}/"
        )
    host = seed.partition("/")[0].partition("?")[0]
    if "." not in host and not host.startswith("[") and host.partition(":")[0].lower() != "localhost":
        raise ConfigurationError(
            f"seed {seed[:200]}: expected a URL such as https://example.org/, a host such as example.org, or a file with one "
            "URL a line (Path, --seeds); a host without a dot needs its http:// or https://"
        )
    return f"https://{seed}"


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _lines(file: Path) -> list[str]:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise ConfigurationError(f"{file}: more than {_MAX_BYTES:,} bytes")
        text = file.read_text("utf-8-sig", "replace")
    except OSError as error:
        raise ConfigurationError(f"seeds: {error.strerror}: {file}") from error
    # A comment begins the line or stands behind a blank: # is a part of URLs too.
    lines = (f" {line}".partition(" #")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def write_seeds(catalog: Catalog, path: Path) -> int:
    """Write the seeds of the corpus' crawls, and the front page of each source that was approved or boosted.

    One URL a line, sorted, for :func:`read_seeds`; their number is returned. Sources on hold are left out.

    Args:
        catalog: The catalogue of the corpus.
        path: The file.
    """
    held = {row["host"] for row in catalog.rows("SELECT host FROM hosts WHERE verdict = 'hold'")}
    urls = {row["url"] for row in catalog.rows("SELECT url, host FROM frontier WHERE kind = 'seed'")
            if row["host"] not in held}  # fmt: skip
    known = {url.partition("://")[2].partition("/")[0] for url in urls}
    for row in catalog.rows(
        "SELECT h.host, (SELECT substr(url, 1, instr(url, '://') - 1) FROM frontier f WHERE f.host = h.host LIMIT 1) "
        "AS scheme FROM hosts h WHERE h.verdict IN ('approve', 'boost')"
    ):
        if row["host"] not in known:
            urls.add(f"{row['scheme'] or 'https'}://{row['host']}/")
    path.write_text("".join(f"{url}\n" for url in sorted(urls)), "utf-8", newline="\n")
    return len(urls)
