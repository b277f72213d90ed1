"""Command ``urls``: filter and sample lists of URLs without requests."""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from corpuskit.stable_sample import stable_sample

_NO_PAGE: Final = "not a page by its name"
_LANGUAGE: Final = "in another language"
_NO_DOMAIN: Final = "host without a domain"


def urls(
    file: Annotated[Path, typer.Argument(help="A file with one URL per line, or with tab-separated id, URL and time.")],
    keep: Annotated[
        list[str] | None, typer.Option(help="Keep only URLs that match a pattern such as '*/news/*'; repeatable.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Drop URLs that match a pattern; repeatable.")] = None,
    language: Annotated[
        str | None, typer.Option(help="Drop URLs that indicate another language than this one, such as en.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Also remove tracking parameters and fragments.")] = False,
    navigation: Annotated[
        bool, typer.Option("--navigation/--no-navigation", help="Keep navigation pages, such as lists and archives.")
    ] = True,
    sample: Annotated[int | None, typer.Option(help="Maximum number of URLs per host.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the sample.")] = 0,
) -> None:
    """Print the URLs of a list that are worth a request, without duplicates, in canonical form. Nothing is fetched.

    Archive prefixes are removed. URLs of files other than pages, trackers and logins are left out, by the rules of
    courlan, as in Trafilatura. The same list and seed give the same sample, and a longer list changes only a few URLs
    of it.
    """
    from corpuskit.cli.corpus_folders import read_lines
    from corpuskit.cli.usage import usage_error_if
    from corpuskit.errors import MissingExtraError
    from corpuskit.sources.lists import read_url_list

    try:
        from courlan import check_url
    except ImportError:
        raise MissingExtraError("courlan", "crawl") from None
    usage_error_if(
        language is not None and not re.fullmatch("[a-z]{2}", language),
        f"--language {language}: expected an ISO 639-1 code such as en",
    )
    unique: dict[str, None] = {}
    left_out: Counter[str] = Counter()
    read = 0
    for listed in read_url_list(read_lines(file)):
        read += 1
        checked = check_url(listed.url, strict=strict, language=language, with_nav=navigation)
        url = str(checked[0]) if checked else ""
        if checked is None:
            is_other = language and check_url(listed.url, strict=strict, with_nav=navigation)
            left_out[_LANGUAGE if is_other else _NO_PAGE if _has_public_name(listed.url) else _NO_DOMAIN] += 1
        elif url in unique:
            left_out["duplicate"] += 1
        elif keep and not any(fnmatchcase(url, pattern) for pattern in keep):
            left_out["not in --keep"] += 1
        elif any(fnmatchcase(url, pattern) for pattern in drop or ()):
            left_out["in --drop"] += 1
        else:
            unique[url] = None
    selected = list(unique) if sample is None else _sample(list(unique), sample, seed)
    for url in selected:
        typer.echo(url)
    left_out["beyond --sample"] = len(unique) - len(selected)
    why = ", ".join(f"{reason} ({number:,})" for reason, number in left_out.most_common() if number)
    typer.echo(f"{len(selected):,} of {read:,} URLs{f'; left out: {why}' if why else ''}", err=True)


def _has_public_name(url: str) -> bool:
    """Return whether the host of a URL may have a domain: it is not an IP address and contains a dot."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return "." in host and not host.replace(".", "").isdigit()


def _sample(urls: list[str], max_per_host: int, seed: int) -> list[str]:
    """Return up to ``max_per_host`` URLs per host, in their order.

    Whether a URL is selected depends only on it, the seed and the other URLs of its host.
    """
    hosts: dict[str, list[str]] = {}
    for url in urls:
        hosts.setdefault(urlsplit(url).netloc, []).append(url)
    drawn = {host_urls[index] for host_urls in hosts.values() for index in stable_sample(host_urls, max_per_host, seed)}
    return [url for url in urls if url in drawn]
