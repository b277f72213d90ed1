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
    tags, parents, row_node = walked.node_tag, walked.node_parent, walked.row_node
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


def roles(walked: Walked) -> dict[int, str]:
    """element_id → role, as far as the markup says it."""
    tags, row_node = walked.node_tag, walked.row_node
    found: dict[int, str] = {}
    for row, kind in enumerate(walked.table.type):
        node = row_node[row]
        role = _BY_TYPE.get(kind) if kind != TEXT_BLOCK else _BY_TAG.get(tags[node][3]) if node >= 0 else None
        if role is not None:
            found[row] = role
    return found
