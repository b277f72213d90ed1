"""Where elements stand in the page, and what they are for by their markup."""

from __future__ import annotations

from typing import Final

import numpy as np

from corpuskit.document.elements import LIST, SECTION, TABLE, TEXT_BLOCK
from corpuskit.extraction.html.rows import Walked
from corpuskit.extraction.html.shell import FILLED_BY

_BY_TAG: Final = {
    "p": "paragraph",
    "pre": "code",
    "figcaption": "caption",
    "caption": "caption",
    "header": "header",
    "footer": "footer",
    "button": "form",
    "textarea": "form",
    "label": "form",
    "form": "form",
    "legend": "form",
    "fieldset": "form",
}
_FILLED: Final = f"/{FILLED_BY}["
_BY_TYPE: Final = {SECTION: "section-heading", LIST: "list", TABLE: "table"}


def locators(walked: Walked) -> dict[int, str]:
    """element_id → XPath of the block of the page it stands in."""
    names, parents = walked.node_name, walked.node_parent
    nth = positions(names, parents)
    paths: dict[int, str] = {-1: ""}
    found = {}
    for row, node in enumerate(walked.row_node):
        path = paths.get(node)
        if path is None:
            missing = []
            while node not in paths:
                missing.append(node)
                node = parents[node]  # noqa: PLW2901
            path = paths[node]
            for step in reversed(missing):
                path = f"{path}/{names[step]}[{nth[step]}]" if parents[step] >= 0 else f"/{names[step]}"
                paths[step] = path
        if _FILLED not in path:
            found[row] = path
    return found


def positions(names: list[str], parents: list[int]) -> list[int]:
    """1-based position of each node among its siblings of the same name."""
    if not names:
        return []
    codes: dict[str, int] = {}
    name_ids = np.fromiter((codes.setdefault(name, len(codes)) for name in names), np.int64, len(names))
    keys = np.asarray(parents, np.int64) * (len(codes) + 1) + name_ids
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    starts = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    nth = np.empty(len(order), np.int64)
    nth[order] = np.arange(len(order)) - starts + 1
    return nth.tolist()


def roles(walked: Walked) -> dict[int, str]:
    """element_id → role, as far as the markup says it."""
    names, row_node = walked.node_name, walked.row_node
    found: dict[int, str] = {}
    for row, kind in enumerate(walked.table.type):
        node = row_node[row]
        role = _BY_TYPE.get(kind) if kind != TEXT_BLOCK else _BY_TAG.get(names[node]) if node >= 0 else None
        if role is not None:
            found[row] = role
    return found
