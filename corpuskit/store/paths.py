"""File paths of documents below documents/: HOST/PATH, valid on all systems and unique without case."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote, urlsplit

_ILLEGAL = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u202a-\u202e\u2066-\u2069]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|\Z)", re.IGNORECASE)
_MAX_SEGMENT: Final = 80  # UTF-8 bytes; names with suffixes stay below the usual limit of 255
_MAX_SEGMENTS: Final = 12
_DEFAULT: Final = "_default_"
FILES: Final = "_files_"


def document_path(uri: str) -> str:
    """Return the path of a document's file below documents/, without suffix, with ``/`` as separator.

    It consists of the host and the decoded segments of the URL path. An empty last segment is ``_default_``. A query is
    appended as the MD5 of ``?`` and the query, as in the Language Resource Extractor. The relative path of an added
    file is prefixed with ``_files_``.

    Example:
        >>> document_path("https://bank.example:8080/a%20b/?id=3")
        'bank.example_8080/a b/_default__E30BFCD60DD86E3372A2FCA41279E254'
    """
    uri = uri.encode("utf-8", "replace").decode()  # replaces lone surrogates from file names that are not UTF-8
    try:
        parts = urlsplit(uri) if re.match(r"[a-z][a-z0-9+.-]+://", uri, re.IGNORECASE) else None
    except ValueError:  # invalid IPv6 address
        parts = None
    host, path, query = (parts.netloc.rpartition("@")[2], parts.path, parts.query) if parts else (FILES, uri, "")
    segments = [unquote(segment, errors="replace") for segment in path.split("/")]
    *folders, name = segments
    folders = [segment for segment in folders if segment not in {"", ".", ".."}]
    if len(folders) > _MAX_SEGMENTS:
        rest = "/".join(folders[_MAX_SEGMENTS:])
        folders = [*folders[:_MAX_SEGMENTS], _digest(rest)]
    name = name or _DEFAULT
    if query:
        # Not for security: the naming scheme of the reference.
        query_bytes = f"?{query}".encode("utf-8", "replace")
        digest = hashlib.md5(query_bytes, usedforsecurity=False).hexdigest().upper()
        name = f"{safe_segment(name)}_{digest}"
    return "/".join([safe_segment(host.lower() or FILES), *(safe_segment(s) for s in folders), safe_segment(name)])


def safe_segment(name: str) -> str:
    """Return a file name that is valid on Linux, macOS and Windows. Long names are truncated and end in a hash."""
    legal = _ILLEGAL.sub("_", unicodedata.normalize("NFC", name)).strip(" ")
    if legal.endswith("."):
        legal = legal.rstrip(". ") + "_"
    if not legal or _RESERVED.match(legal) or legal.startswith("."):
        legal = "_" + legal
    if len(legal.encode()) > _MAX_SEGMENT:
        short = legal.encode()[: _MAX_SEGMENT - 17].decode("utf-8", "ignore")
        legal = f"{short}_{_digest(legal)}"
    return legal


def version_path(uri: str, doc_id: str, last: tuple[int, str] | None, is_taken: Callable[[str], bool]) -> str:
    """Return the path of a document's next version: PATH, PATH.v2 and so on. ``~`` and the id are added if the path is taken.

    Args:
        uri: URI of the document.
        doc_id: Id of the document.
        last: Number and path of its last version, or None.
        is_taken: Return whether another document has a path, ignoring case.
    """
    if last is None:
        path, suffix = document_path(uri), doc_id
    else:
        number, path = last
        # Remove only the suffix of the last version: names may contain ".v".
        for end in (f".v{number}~{doc_id}.v{number}", f".v{number}") if number > 1 else ():
            if path.endswith(end):
                path = path.removesuffix(end)
                break
        path, suffix = f"{path}.v{number + 1}", f"{doc_id}.v{number + 1}"
    return with_suffix(path, suffix) if is_taken(path) else path


def with_suffix(path: str, suffix: str) -> str:
    """Return the path with a suffix, for a document with the same path as another one."""
    return f"{path}~{suffix}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
