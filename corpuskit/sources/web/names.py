"""Guess of media types from file names in URLs, before a request."""

from __future__ import annotations

from functools import cache
from typing import Final

_MORE: Final = {
    "jpeg": "image/jpeg", "jpe": "image/jpeg", "tiff": "image/tiff", "heif": "image/heif", "svg": "image/svg+xml",
    "eps": "image/x-eps", "mpeg": "video/mpeg", "ogv": "video/ogg", "oga": "audio/ogg", "opus": "audio/ogg",
    "wma": "audio/x-ms-wma", "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
    "eot": "application/vnd.ms-fontobject", "zip": "application/zip", "tar": "application/x-tar", "gz": "application/gzip",
    "tgz": "application/gzip", "bz2": "application/x-bzip2", "xz": "application/x-xz", "zst": "application/zstd",
    "7z": "application/x-7z-compressed", "rar": "application/x-rar-compressed", "cab": "application/vnd.ms-cab-compressed",
    "iso": "application/x-iso9660-image", "dmg": "application/x-apple-diskimage", "exe": "application/x-msdownload",
    "msi": "application/x-msi", "apk": "application/vnd.android.package-archive", "deb": "application/x-deb",
    "rpm": "application/x-rpm", "jar": "application/java-archive", "swf": "application/x-shockwave-flash",
    "wasm": "application/wasm",
}  # fmt: skip
_PACKED_TEXT: Final = ("xml", "txt", "rss", "atom", "rdf")  # sitemaps and feeds are often compressed


def media_type_by_name(path: str) -> str | None:
    """Return the media type of an image, video, audio, font, archive or program file, by the last name in a URL path.

    Return None for other names, and if the URL may lead to a page: ``File:Cat.jpg`` of a wiki, or a program or archive
    name followed by a query.

    Args:
        path: Path and query of a canonical URL.
    """
    folders, _, query = path.partition("?")
    name, _, suffix = folders.rpartition("/")[2].rpartition(".")
    if not name or len(suffix) > 5 or ":" in name:
        return None
    kind = _types().get(suffix.lower())
    if kind is None or (query and kind.startswith("application/")):
        return None
    return None if suffix.lower() == "gz" and name.lower().endswith(_PACKED_TEXT) else kind


@cache
def _types() -> dict[str, str]:
    """Return the media type per suffix."""
    import filetype

    known = {
        kind.extension: kind.mime for kind in filetype.types if kind.mime.startswith(("image/", "audio/", "video/"))
    }
    return known | _MORE
