"""Tokenizers of URLs."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote, unquote

WAYBACK = "https://web.archive.org/web/"
_WORDS = re.compile(r"[^\W\d_]+|\d+")
MAX_URL = 2_000
_ASCII = "".join(map(chr, range(128)))
PREFIXES = 3
_SECOND_LEVEL = frozenset(
    ["ac", "asso", "co", "com", "edu", "gob", "gouv", "gov", "mil", "ne", "net", "nom", "or", "org"]
)


def without_wayback(url: str) -> str:
    """Return the original URL of a page archived by the Wayback Machine, or ``url`` unchanged.

    Args:
        url: The URL.

    Example:
        >>> without_wayback("https://web.archive.org/web/20180511040716/https://ekja.org/kjae.pdf")
        'https://ekja.org/kjae.pdf'
    """
    if not url.startswith(WAYBACK):
        return url
    return url[len(WAYBACK) :].partition("/")[2]


def pdf_trio_url_tokens(url: str) -> str:
    """Return the tokens of the pdf_trio recipe: directories, then the host, joined by ``" U_"``.

    File name and query are left out, case is preserved. Defects of the recipe are reproduced: without a path the last letter
    of the host is lost; with a port the first directory has no ``U_``; a slash in the query leaves the file name in.

    Args:
        url: The URL.

    Example:
        >>> pdf_trio_url_tokens("http://arxiv.org/pdf/1312.pdf")
        ' U_pdf U_arxiv.org'
    """
    url = without_wayback(url)
    rest = url
    for scheme in ("http://", "https://", "ftp://"):
        rest = rest.removeprefix(scheme)
    authority = rest[: rest.find("/")]  # find returns -1 without a slash, which drops the last letter as in the recipe
    colon = authority.find(":")
    host = authority[:colon] if colon > 1 else authority
    tail = url[url.find(host) + len(host) :]
    if tail.startswith(":"):
        tail = tail[tail.find("/") + 1 :]
    folders = tail[: tail.rfind("/")].partition("?")[0]
    return " U_".join([*folders.split("/"), host])


@lru_cache(maxsize=1 << 15)  # several tokenizers split the same batch of URLs
def _split(url: str) -> tuple[str, str, str]:
    """Return host, path and query of a URL. Lenient, for links that no parser accepts."""
    url = url.strip()[:MAX_URL]
    rest = url.partition("://")[2] or url.removeprefix("//")
    rest = rest.partition("#")[0]
    rest, _, query = rest.partition("?")
    authority, _, path = rest.partition("/")
    host = authority.rpartition("@")[2]
    if not host.startswith("["):
        host = host.partition(":")[0]
    return host.lower().rstrip("."), path, query


def bare_host(url: str) -> str:
    """Return the host of a URL: lower case, without port, user and a final dot.

    Args:
        url: The URL.

    Example:
        >>> bare_host("https://Example.ORG:8443/a")
        'example.org'
    """
    return _split(without_wayback(url))[0]


def registered_domain(host: str) -> str:
    """Return the registered domain of a host by a rule of thumb: two labels, three under ``co.uk`` and similar domains.

    A list of public suffixes is not used, because the tokens of a saved model must not change with it.

    Example:
        >>> registered_domain("www.maths.ox.ac.uk")
        'ox.ac.uk'
    """
    labels = host.split(".")
    if len(labels) <= 2 or labels[-1].isdigit():
        return host
    three = len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3:] if three else labels[-2:])


def _words(text: str) -> list[str]:
    return [word if not word.isdigit() else f"#{len(word)}" for word in _WORDS.findall(text.lower())]


@lru_cache(maxsize=65_536)
def host_tokens(host: str) -> tuple[str, ...]:
    """Return the structured tokens of a host."""
    domain = registered_domain(host)
    words = [word for label in host.removeprefix("www.").split(".") for word in _words(label)]
    return (f"host={host}", f"domain={domain}", *(f"in-host={word}" for word in words), *words)


@lru_cache(maxsize=65_536)
def _folder_tokens(host: str, folders: str) -> tuple[str, ...]:
    parts = folders.lower().split("/")[:PREFIXES]
    return tuple(f"under={host}/{'/'.join(parts[: depth + 1])}" for depth in range(len(parts)) if parts[depth])


def url_tokens(url: str) -> list[str]:
    """Return the structured tokens of a URL.

    Tokens are ``host=`` and ``domain=`` (registered), ``in-host=`` and ``under=`` (host and first directories), plain words of
    host and path (a number becomes ``#`` and its length), ``type=`` (extension), ``query=`` (keys) and ``depth=``.

    Args:
        url: The URL.

    Example:
        >>> url_tokens("https://www.example.org/shop/tea.html?id=7")[:4]
        ['host=www.example.org', 'domain=example.org', 'in-host=example', 'in-host=org']
    """
    host, path, query = _split(without_wayback(url))
    if not host and not path:
        return []
    folders, _, name = path.rpartition("/")
    tokens = [*host_tokens(host), *_folder_tokens(host, folders)] if folders else list(host_tokens(host))
    stem, dot, extension = name.rpartition(".")
    if dot and stem and len(extension) <= 5 and extension.isalnum():
        tokens.append(f"type={extension.lower()}")
        path = path[: -len(extension) - 1]
    if path:
        tokens += _words(unquote(path) if "%" in path else path)
    if query:
        tokens += [f"query={pair.partition('=')[0].lower()}" for pair in query.split("&")[:10] if pair]
    tokens.append(f"depth={path.count('/') + bool(path)}")
    return tokens


def ngram_text(url: str) -> str:
    """Return host, path and query in lower case and ASCII, after a blank: the text for n-grams."""
    host, path, query = _split(without_wayback(url))
    text = f" {host}/{path}?{query}" if query else f" {host}/{path}"
    return text.lower() if text.isascii() else quote(text.lower().encode("utf-8", "surrogatepass"), safe=_ASCII)


def url_ngrams(url: str) -> list[str]:
    """Return the n-grams of three to five characters of a URL without its scheme, for hosts without labels.


    Example:
        >>> url_ngrams("http://a.b/")
        [' a.', 'a.b', '.b/', ' a.b', 'a.b/', ' a.b/']
    """
    text = ngram_text(url)
    return [text[i : i + size] for size in (3, 4, 5) for i in range(len(text) - size + 1)]
