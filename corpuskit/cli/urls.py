"""corpuskit urls: lists of URLs, filtered and sampled without a request."""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from corpuskit.stable_sample import stable_sample

_PAGES: Final = "no page by its name"
_LANGUAGE: Final = "in another language"
_HOSTS: Final = "a host without a domain"


def urls(
    file: Annotated[Path, typer.Argument(help="A file with a URL a line, or tab-separated as id, URL, time.")],
    keep: Annotated[
        list[str] | None, typer.Option(help="Only URLs that match, with * as in '*/news/*'; repeatable.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="None that match; repeatable.")] = None,
    language: Annotated[str | None, typer.Option(help="Only those that do not say another language, as en.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Also without queries and fragments that only track.")
    ] = False,
    navigation: Annotated[
        bool, typer.Option("--navigation/--no-navigation", help="Lists of pages, archives and the like too.")
    ] = True,
    sample: Annotated[int | None, typer.Option(help="At most so many of each host.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Another sample for another number.")] = 0,
) -> None:
    """Prints the URLs of a list that are worth a request, each once, in one form; nothing is fetched.

    Archive prefixes are taken off. What is no page by its name, a tracker or a login is left out, by the rules of courlan,
    as Trafilatura does. The same list and seed give the same sample, and a longer list leaves most of it as it was.
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
    found: dict[str, None] = {}
    left_out: Counter[str] = Counter()
    read = 0
    for listed in read_url_list(read_lines(file)):
        read += 1
        checked = check_url(listed.url, strict=strict, language=language, with_nav=navigation)
        url = str(checked[0]) if checked else ""
        if checked is None:
            is_other = language and check_url(listed.url, strict=strict, with_nav=navigation)
            left_out[_LANGUAGE if is_other else _PAGES if _has_public_name(listed.url) else _HOSTS] += 1
        elif url in found:
            left_out["named twice"] += 1
        elif keep and not any(fnmatchcase(url, pattern) for pattern in keep):
            left_out["not in --keep"] += 1
        elif any(fnmatchcase(url, pattern) for pattern in drop or ()):
            left_out["in --drop"] += 1
        else:
            found[url] = None
    chosen = list(found) if sample is None else _sample(list(found), sample, seed)
    for url in chosen:
        typer.echo(url)
    left_out["beyond --sample"] = len(found) - len(chosen)
    why = ", ".join(f"{reason} ({number:,})" for reason, number in left_out.most_common() if number)
    typer.echo(f"{len(chosen):,} of {read:,} URLs{f'; left out: {why}' if why else ''}", err=True)


def _has_public_name(url: str) -> bool:
    """The host of a URL may have a domain: it is no address and no name without a dot."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return "." in host and not host.replace(".", "").isdigit()


def _sample(found: list[str], most: int, seed: int) -> list[str]:
    """At most so many of each host, in their order; a URL's place in the draw depends on it and the seed alone."""
    hosts: dict[str, list[str]] = {}
    for url in found:
        hosts.setdefault(urlsplit(url).netloc, []).append(url)
    drawn = {of_host[at] for of_host in hosts.values() for at in stable_sample(of_host, most, seed)}
    return [url for url in found if url in drawn]
