"""Seeds: the URLs where a crawl begins, and files of them."""

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
    """Return the canonical URLs of seeds, without duplicates.

    Args:
        seeds: URLs, hosts, and paths of text files with one URL per line, where ``#`` starts a comment.

    Raises:
        RefusedError: A seed is not a URL that can be fetched.
        ConfigurationError: A file cannot be read, or a string is neither a URL nor a host.
    """
    urls: dict[str, None] = {}
    for seed in seeds:
        for url in [seed] if isinstance(seed, str) else _lines(Path(seed)):
            try:
                urls[canonical_url(url if "://" in url else _with_scheme(url))] = None
            except RefusedError as error:
                raise RefusedError(f"seed {url[:200]}: {error}; {advice(error)}", url=url) from None
    return list(urls)


def _with_scheme(seed: str) -> str:
    """Return the URL of a host, with or without a path, that was written without ``https://``.

    Raises:
        ConfigurationError: It is not a host, or there is a file of this name.
    """
    if _is_file(seed):
        raise ConfigurationError(
            f"seed {seed[:200]}: expected a URL, found a file of this name; pass a file with one URL per line as "
            f"Path({seed[:200]!r}) (--seeds {seed[:200]}), a host as https://{seed[:200]}/"
        )
    host = seed.partition("/")[0].partition("?")[0]
    if "." not in host and not host.startswith("[") and host.partition(":")[0].lower() != "localhost":
        raise ConfigurationError(
            f"seed {seed[:200]}: expected a URL such as https://example.org/, a host such as example.org, or a file with one "
            "URL per line (Path, --seeds); write http:// or https:// before a host without a dot"
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
            raise ConfigurationError(f"{file}: expected at most {_MAX_BYTES:,} bytes")
        text = file.read_text("utf-8-sig", "replace")
    except OSError as error:
        raise ConfigurationError(f"seeds: {error.strerror}: {file}") from error
    # A comment starts at the beginning of a line or after a space, since URLs may contain #.
    lines = (f" {line}".partition(" #")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def write_seeds(catalog: Catalog, path: Path) -> int:
    """Write the seeds of all crawls of the corpus, and the home pages of approved and boosted hosts; return their
    number.

    The file has one URL per line, sorted, and can be read by :func:`read_seeds`. Hosts on hold are left out.

    Args:
        catalog: The catalog of the corpus.
        path: The file.
    """
    on_hold = {row["host"] for row in catalog.rows("SELECT host FROM hosts WHERE verdict = 'hold'")}
    urls = {row["url"] for row in catalog.rows("SELECT url, host FROM frontier WHERE kind = 'seed'")
            if row["host"] not in on_hold}  # fmt: skip
    seed_hosts = {url.partition("://")[2].partition("/")[0] for url in urls}
    for row in catalog.rows(
        "SELECT h.host, (SELECT substr(url, 1, instr(url, '://') - 1) FROM frontier f WHERE f.host = h.host LIMIT 1) "
        "AS scheme FROM hosts h WHERE h.verdict IN ('approve', 'boost')"
    ):
        if row["host"] not in seed_hosts:
            urls.add(f"{row['scheme'] or 'https'}://{row['host']}/")
    path.write_text("".join(f"{url}\n" for url in sorted(urls)), "utf-8", newline="\n")
    return len(urls)
