"""The names of corpus.toml as Markdown, from the dataclasses that hold them and what their docstrings say."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Iterator
from typing import Any


def settings_tables() -> Iterator[str]:
    """Yield a table for each section of corpus.toml."""
    from corpuskit.extraction import ExtractOptions
    from corpuskit.store.settings import CrawlSettings, LabelSettings, PdfSettings, Settings

    sections = {"": Settings, "crawl": CrawlSettings, "labels": LabelSettings, "pdf": PdfSettings}
    for section, kind in {**sections, "extraction": ExtractOptions}.items():
        yield from (f"## [{section}]" if section else "## At the top", "")
        yield from ("| name | default | meaning |", "|---|---|---|")
        meanings = attributes(kind)
        for field in dataclasses.fields(kind):
            default = getattr(kind(), field.name)
            if not dataclasses.is_dataclass(default) and not isinstance(default, dict):
                yield f"| `{field.name}` | {_toml(default)} | {_markdown(meanings[field.name])} |"
        yield ""


def attributes(kind: type) -> dict[str, str]:
    """Return the descriptions of attributes in a class' docstring."""
    section = re.search(r"^Attributes:\n((?: {4}.*\n?)+)", inspect.getdoc(kind) or "", re.MULTILINE)
    attributes_found = re.findall(r"^ {4}(\w+): ((?:.*\n?)(?: {8}.*\n?)*)", section[1] if section else "", re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in attributes_found}


def _toml(value: Any) -> str:
    return "absent" if value is None else f"`{json.dumps(value, ensure_ascii=False)}`"


def _markdown(text: str) -> str:
    """Return text of a docstring for a cell of a table."""
    return text.replace("``", "`").replace("|", "\\|")
