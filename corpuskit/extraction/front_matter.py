"""Parser of front matter: metadata between ``---`` (YAML) or ``+++`` (TOML) lines, as in Jekyll, Hugo and Pandoc."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from typing import Any, Final

_KEYS: Final = {
    "title": "title", "author": "author", "authors": "author", "description": "description", "summary": "description",
    "abstract": "description", "lang": "language", "language": "language", "date": "date", "published": "date",
    "lastmod": "lastmod", "updated": "lastmod", "modified": "lastmod", "timestamp": "lastmod", "license": "license",
    "tags": "keywords", "keywords": "keywords", "categories": "category", "category": "category",
    "site_name": "publisher", "publisher": "publisher",
}  # fmt: skip
"""Supported keys → equivalent names of ``<meta>``."""
_MAX_CHARACTERS: Final = 20_000  # characters
_FENCED: Final = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE: Final = re.compile(r"([A-Za-z][\w-]{0,60})[ \t]*:(?:[ \t]+(.*))?")
_ITEM: Final = re.compile(r"[ \t]*-(?:[ \t]+(.*))?")
_AUTHOR_NAME: Final = re.compile(r"name[ \t]*:[ \t]+")  # start of an author entry, which may have more fields
_COMMENT: Final = re.compile(r"\s+#.*")


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the metadata of the front matter, by names of ``<meta>``, and the remaining text.

    Only the usual subset of YAML is read: one value per key, on the same line, folded on the lines below, or a list. If the
    first lines are not front matter, ``---`` is a thematic break, and the complete text is returned.

    Args:
        text: Text with LF line ends.
    """
    match = _FENCED.match(text[:_MAX_CHARACTERS])
    if match is None:
        return {}, text
    entries = _toml(match[2]) if match[1] == "+++" else _yaml(match[2])
    if entries is None:
        return {}, text
    metadata: dict[str, str] = {}
    for key, value in entries.items():
        name = _KEYS.get(key.lower())
        if name and value and name not in metadata:
            metadata[name] = value
    return metadata, text[match.end() :]


def _toml(text: str) -> dict[str, str] | None:
    try:
        entries = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    return {key: _join_values(key, value if isinstance(value, list) else [value]) for key, value in entries.items()}


def _yaml(text: str) -> dict[str, str] | None:
    entries: dict[str, list[str]] = {}
    key, in_list, has_template = "", False, False
    for line in text.split("\n"):
        start = line.lstrip()
        if start.startswith(("{{", "{%")):  # a Jinja or Liquid template
            has_template = True
        elif not start or start.startswith("#"):
            pass
        elif match := _LINE.fullmatch(line):
            key, in_list = match[1], False
            entries[key] = _parse_values(match[2] or "")
        elif key and (match := _ITEM.fullmatch(line)):
            in_list = True
            entries[key] += _parse_values(_AUTHOR_NAME.sub("", match[1] or ""))
        elif not key or line[0] not in " \t":
            return None
        elif not in_list:
            entries[key] = [" ".join([*entries[key], line.strip()])]
        elif not _LINE.fullmatch(start):  # otherwise a further field of an author entry
            entries[key][-1:] = [" ".join([*entries[key][-1:], line.strip()])]
    return {key: _join_values(key, values) for key, values in entries.items()} if entries or has_template else None


def _parse_values(written: str) -> list[str]:
    """Return the value of a key, or the values of a list in brackets."""
    written = written.strip()
    if written in {"|", ">", "|-", ">-", "|+", ">+"}:
        return []
    if written.startswith("[") and written.endswith("]"):
        return [_parse_scalar(part) for part in written[1:-1].split(",")]
    return [_parse_scalar(written)]


def _parse_scalar(written: str) -> str:
    written = written.strip()
    if len(written) > 1 and written[0] == written[-1] == "'":
        return written[1:-1].replace("''", "'")
    if len(written) > 1 and written[0] == written[-1] == '"':
        try:
            return str(json.loads(written))  # JSON strings are valid YAML; other YAML escapes are rare
        except ValueError:
            return written[1:-1]
    return "" if written in {"~", "null"} else _COMMENT.sub("", written)


def _join_values(key: str, values: Iterable[Any]) -> str:
    return ("; " if key.lower().startswith("author") else ", ").join(
        str(value) for value in values if not isinstance(value, dict | list) and str(value)
    )
