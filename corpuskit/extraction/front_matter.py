"""What stands above a text between lines of ``---`` (YAML) or ``+++`` (TOML), as Jekyll, Hugo and Pandoc write it."""

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
"""Keys that are kept → names of ``<meta>`` with that meaning."""
_MOST: Final = 20_000  # characters
_FENCED: Final = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE: Final = re.compile(r"([A-Za-z][\w-]{0,60})[ \t]*:(?:[ \t]+(.*))?")
_ITEM: Final = re.compile(r"[ \t]*-(?:[ \t]+(.*))?")
_NAME: Final = re.compile(r"name[ \t]*:[ \t]+")  # of an author, who may have an address and more behind it
_COMMENT: Final = re.compile(r"\s+#.*")


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return what the front matter says, by names of ``<meta>``, and the text below it.

    Of YAML only what front matter is made of is read: a value a key, on one line, folded below it, or a list. A text whose first
    lines are no such thing begins with a rule, and is returned whole.

    Args:
        text: A text with line feeds.
    """
    match = _FENCED.match(text[:_MOST])
    if match is None:
        return {}, text
    found = _toml(match[2]) if match[1] == "+++" else _yaml(match[2])
    if found is None:
        return {}, text
    said: dict[str, str] = {}
    for key, value in found.items():
        name = _KEYS.get(key.lower())
        if name and value and name not in said:
            said[name] = value
    return said, text[match.end() :]


def _toml(text: str) -> dict[str, str] | None:
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    return {key: _joined(key, value if isinstance(value, list) else [value]) for key, value in found.items()}


def _yaml(text: str) -> dict[str, str] | None:
    found: dict[str, list[str]] = {}
    key, in_list, has_template = "", False, False
    for line in text.split("\n"):
        start = line.lstrip()
        if start.startswith(("{{", "{%")):  # a value that Jinja or Liquid fills in
            has_template = True
        elif not start or start.startswith("#"):
            pass
        elif match := _LINE.fullmatch(line):
            key, in_list = match[1], False
            found[key] = _values(match[2] or "")
        elif key and (match := _ITEM.fullmatch(line)):
            in_list = True
            found[key] += _values(_NAME.sub("", match[1] or ""))
        elif not key or line[0] not in " \t":
            return None
        elif not in_list:
            found[key] = [" ".join([*found[key], line.strip()])]
        elif not _LINE.fullmatch(start):  # else more about the author above
            found[key][-1:] = [" ".join([*found[key][-1:], line.strip()])]
    return {key: _joined(key, values) for key, values in found.items()} if found or has_template else None


def _values(written: str) -> list[str]:
    """The value of a key, or the values of a list in brackets."""
    written = written.strip()
    if written in {"|", ">", "|-", ">-", "|+", ">+"}:
        return []
    if written.startswith("[") and written.endswith("]"):
        return [_scalar(part) for part in written[1:-1].split(",")]
    return [_scalar(written)]


def _scalar(written: str) -> str:
    written = written.strip()
    if len(written) > 1 and written[0] == written[-1] == "'":
        return written[1:-1].replace("''", "'")
    if len(written) > 1 and written[0] == written[-1] == '"':
        try:
            return str(json.loads(written))  # a JSON string is a YAML string; of its other escapes none is usual
        except ValueError:
            return written[1:-1]
    return "" if written in {"~", "null"} else _COMMENT.sub("", written)


def _joined(key: str, values: Iterable[Any]) -> str:
    return ("; " if key.lower().startswith("author") else ", ").join(
        str(value) for value in values if not isinstance(value, dict | list) and str(value)
    )
