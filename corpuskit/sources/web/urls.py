"""Canonical form of URLs."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from corpuskit.errors import RefusedError

_MAX_LENGTH: Final = 2000
_BLANKS = re.compile(r"[\t\n\r]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
PATH_SAFE: Final = "!$&'()*+,;=:@-._~"
_QUERY_SAFE: Final = PATH_SAFE + "/?"
# Tracking and session parameters, which do not affect the content of the page.
_TRACKING: Final = re.compile(
    r"(utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|igshid|mc_[ce]id|_ga|_gl|_hsenc|_hsmi|mkt_tok|"
    r"oly_(anon|enc)_id|vero_id|wt_mc|s_cid|spm|scm|phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|sid|"
    r"cfid|cftoken)\Z",
    re.IGNORECASE,
)
_PATH_SESSION = re.compile(r";(jsessionid|phpsessid|sid)=[^/;?]*", re.IGNORECASE)
_INDEX_PAGE = re.compile(r"/(index|default)\.(html?|php|aspx?)\Z", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,62}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,62}[a-z0-9_])?)*\.?\Z")
_PLAIN_PATH = re.compile(
    r"(/[A-Za-z0-9_~!$&'()*+,=:@-][A-Za-z0-9._~!$&'()*+,=:@-]*)+/?\Z"
)  # paths that are already canonical
_REFUSED: Final = " "  # prefix of cached errors; hosts never start with a space
_PORT = re.compile(r"[0-9]{1,5}\Z")


def canonical_url(url: str, base: str | None = None) -> str:
    """Return the canonical form of a URL, used for requests, storage and comparison.

    The result is absolute, with scheme and host in lower case and international hosts in ASCII. It has no user, fragment,
    default port, dot segments, tracking or session parameters. Percent encoding is used only if required
    (RFC 3986, 6.2.2). The function is idempotent.

    Args:
        url: Absolute URL or relative link.
        base: URL of the page with the link.

    Raises:
        RefusedError: The scheme is not http or https, the host is missing or invalid, or the URL is longer than 2,000
            characters.
    """
    # As in browsers (WHATWG URL, 4.4): strip both ends, remove tabs and line breaks.
    text = _SURROGATES.sub("\ufffd", url) if not url.isascii() else url
    text = _BLANKS.sub("", text.strip("\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x1f "))
    if len(text) > _MAX_LENGTH:
        raise RefusedError("longer than 2,000 characters", url=url[:100])
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() not in _DEFAULT_PORTS:
        raise RefusedError(f"scheme {scheme[1].lower()[:20]}", url=text)
    try:
        if base and not scheme:
            # Fast path for links that start with a single slash: prepend the origin of the base.
            is_rooted = text[:1] == "/" and text[1:2] != "/"
            text = base[: base.index("/", 8)] + text if is_rooted and base.find("/", 8) > 0 else urljoin(base, text)
        parts = urlsplit(text)
        netloc = parts.netloc
    except ValueError as error:
        raise RefusedError(f"not a valid URL: {error}", url=text) from None
    if parts.scheme.lower() not in _DEFAULT_PORTS:
        raise RefusedError(f"scheme {parts.scheme.lower() or 'missing'}", url=text)
    host = _canonical_host(netloc, parts.scheme.lower())
    if host.startswith(_REFUSED):
        raise RefusedError(host.removeprefix(_REFUSED), url=text)
    origin = f"{parts.scheme.lower()}://{host}"
    path = parts.path if _PLAIN_PATH.match(parts.path) else _canonical_path(_PATH_SESSION.sub("", parts.path))
    query = _canonical_query(parts.query)
    result = f"{origin}{path}?{query}" if query else origin + path
    if len(result) > _MAX_LENGTH:
        raise RefusedError("longer than 2,000 characters", url=url[:100])
    return result


def advice(error: RefusedError) -> str:
    """Return advice for a URL that :func:`canonical_url` has refused.

    Args:
        error: The error raised by :func:`canonical_url`.
    """
    reason = str(error)
    if reason.startswith("scheme"):
        return "expected http:// or https://; save other content as a file and add the file"
    if "host" in reason or "port" in reason:
        return "expected a host name as in https://www.example.org/page"
    return "expected a complete URL such as https://www.example.org/page"


def url_key(url: str) -> str:
    """Return a key that is equal for variants of a canonical URL: http and https, a directory and its index page.

    Args:
        url: The canonical URL.
    """
    rest = url.partition("://")[2]
    path, question, query = rest.partition("?")
    path = _INDEX_PAGE.sub("/", path)
    return path + question + query


def host_of(url: str) -> str:
    """Return host and port of a canonical URL.

    Args:
        url: The URL.
    """
    return url.partition("://")[2].partition("/")[0].partition("?")[0]


@lru_cache(maxsize=20_000)
def _canonical_host(netloc: str, scheme: str) -> str:
    """Return host and port, or ``_REFUSED`` and a reason: unlike exceptions, the cache stores refusals as well."""
    host_port = netloc.rpartition("@")[2]
    if host_port.startswith("["):
        address, bracket, rest = host_port[1:].partition("]")
        try:
            # A zone (RFC 4007) is meaningful only on the machine of its author.
            compressed = ipaddress.IPv6Address(address if bracket and "%" not in address else "").compressed
        except ValueError:
            return _REFUSED + "no valid host"
        return _with_port(f"[{compressed}]", rest.removeprefix(":"), scheme)
    host, _, port = host_port.partition(":")
    host = unquote_to_bytes(host).decode("utf-8", "replace").lower().rstrip(".")
    if not host.isascii():
        import idna

        try:
            host = idna.encode(host, uts46=True, transitional=False).decode().rstrip(".")
        except (idna.IDNAError, UnicodeError):
            return _REFUSED + "no valid host"
    if len(host) > 253 or not _HOST.match(host):
        return _REFUSED + "no valid host"
    return _with_port(host, port, scheme)


def _with_port(host: str, port: str, scheme: str) -> str:
    if not port or port == _DEFAULT_PORTS[scheme]:
        return host
    if not _PORT.match(port) or not 0 < int(port) < 65536:
        return _REFUSED + "no valid port"
    return host if str(int(port)) == _DEFAULT_PORTS[scheme] else f"{host}:{int(port)}"


def _canonical_path(path: str) -> str:
    segments: list[str] = []
    raw = path.split("/")[1:] if path.startswith("/") else path.split("/")
    for position, segment in enumerate(raw):
        last = position == len(raw) - 1
        clean = quote(unquote_to_bytes(segment), safe=PATH_SAFE)
        if clean == ".":
            if last:
                segments.append("")
        elif clean == "..":
            if segments:
                segments.pop()
            if last:
                segments.append("")
        else:
            segments.append(clean)
    return "/" + "/".join(segments)


def _canonical_query(query: str) -> str:
    if not query:
        return ""
    parts = []
    for part in query.split("&"):
        name = part.partition("=")[0]
        if part and not _TRACKING.match(unquote_to_bytes(name).decode("utf-8", "replace")):
            parts.append(canonical_part(part))
    return "&".join(parts)


def canonical_part(part: str) -> str:
    """Return ``name=value`` with canonical percent encoding; encoded reserved characters stay encoded."""
    out = []
    for number, piece in enumerate(re.split(r"(%[0-9A-Fa-f]{2})", part)):
        if number % 2:  # an encoded byte
            character = chr(int(piece[1:], 16))
            out.append(
                character if character.isascii() and (character.isalnum() or character in "-._~") else piece.upper()
            )
        else:
            out.append(quote(piece, safe=_QUERY_SAFE, errors="replace"))
    return "".join(out)
