"""Where elements stand in the page, and what they are for by their markup."""

from __future__ import annotations

from typing import Final

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
    # A path is needed where a row stands, and of the elements around; of others only the position counts.
    counts: list[dict[str, int] | None] = [None] * (len(names) + 1)  # the last one is the document's
    counts[-1] = {}
    for node in set(walked.row_node):
        around = node
        while counts[around] is None:
            counts[around] = {}
            around = parents[around]
    paths: dict[int, str] = {-1: ""}
    for node, (name, around) in enumerate(zip(names, parents, strict=True)):
        count = counts[around]
        if count is not None:
            nth = count[name] = count.get(name, 0) + 1
            if counts[node] is not None:
                paths[node] = f"{paths[around]}/{name}[{nth}]" if around >= 0 else f"/{name}"
    found = {row: paths[node] for row, node in enumerate(walked.row_node)}
    if FILLED_BY in names:
        found = {row: path for row, path in found.items() if _FILLED not in path}
    return found


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
