"""Where elements stand in the page, and what they are for by their markup."""

from __future__ import annotations

from array import array
from typing import Final

from corpuskit.document.elements import LIST, SECTION, TABLE, TEXT_BLOCK
from corpuskit.extraction.html.later import Later
from corpuskit.extraction.html.rows import Walked
from corpuskit.extraction.html.shell import FILLED_BY
from corpuskit.extraction.html.tags import Tag

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


def locators(walked: Walked) -> Later:
    """element_id → XPath of the block of the page it stands in."""
    # What the column is made from may be kept as long as the document is.
    row_node, parents, tags = walked.row_node, array("i", walked.node_parent), walked.node_tag
    return Later(lambda: _paths(row_node, parents, tags))


def _paths(row_node: array[int], parents: array[int], tags: list[Tag]) -> dict[int, str]:
    # A path is needed where a row stands, and of the elements around; of others only the position counts.
    needed = bytearray(len(tags) + 1)
    needed[-1] = 1  # the document's
    for at in row_node:
        node = at
        while not needed[node]:
            needed[node] = 1
            node = parents[node]
    paths: list[str] = [""] * len(tags)
    # The needed elements that are open, and how many children of each name they had; the nodes are in pre-order.
    around, counts = [-1], [dict[str, int]()]
    filled = False
    node = -1
    for parent in parents:
        node += 1
        if needed[parent]:
            while around[-1] != parent:
                around.pop()
                counts.pop()
            count, name = counts[-1], tags[node][3]
            nth = count[name] = count.get(name, 0) + 1
            if needed[node]:
                paths[node] = f"{paths[parent]}/{name}[{nth}]" if parent >= 0 else f"/{name}"
                filled |= name == FILLED_BY
                around.append(node)
                counts.append({})
    found = {row: paths[node] if node >= 0 else "" for row, node in enumerate(row_node)}
    return {row: path for row, path in found.items() if _FILLED not in path} if filled else found


def roles(walked: Walked) -> Later:
    """element_id → role, as far as the markup says it."""
    types, row_node, tags = walked.table.type, walked.row_node, walked.node_tag
    return Later(lambda: _roles(types, row_node, tags))


def _roles(types: list[int], row_node: array[int], tags: list[Tag]) -> dict[int, str]:
    found: dict[int, str] = {}
    for row, kind in enumerate(types):
        node = row_node[row]
        role = _BY_TYPE.get(kind) if kind != TEXT_BLOCK else _BY_TAG.get(tags[node][3]) if node >= 0 else None
        if role is not None:
            found[row] = role
    return found
