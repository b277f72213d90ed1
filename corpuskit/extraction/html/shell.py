"""Pages that a script fills: seen as empty, with what their JSON-LD tells instead."""

from __future__ import annotations

import html
import re
from typing import Any, Final

from lxml import etree

from corpuskit.extraction.html.metadata import Head, types_of
from corpuskit.extraction.html.rows import Walked

FILLED_BY: Final = "jsonld-content"
"""The element that text of JSON-LD is put into; it is not in the page, so nothing in it has a locator."""

# What React, Next.js, Nuxt, Gatsby, Vue, Angular and Ionic fill.
_ROOT: Final = re.compile(r'^div .*\bid="(?:root|app|__next|__nuxt|___gatsby|react-root)"|^(?:app-root|ion-app)\b')
_WAITING: Final = 60  # characters: "Loading ..."
_EMPTY: Final = 300  # characters; less shown text is a shell
_MUCH_SCRIPT: Final = 2000
_LINES: Final = re.compile(r"(?:\r?\n)+")
_MARKUP: Final = re.compile(r"<(?:p|br|div|h\d|ul|li)\b", re.IGNORECASE)
_MOST_POSTS: Final = 1000
_COMPARED: Final = 60  # letters and digits at the beginning of an article, by which it is found in the page
_TAGS: Final = re.compile(r"<[^>]{0,2000}>")


def is_shell(shown: int, head: Head) -> bool:
    """Whether a page that shows so many characters waits for a script."""
    return shown < _EMPTY and (head.scripts > _MUCH_SCRIPT or head.script_elements > 2)


def is_shell_without_scripts(walked: Walked) -> bool:
    """Whether the copy at hand has lost the scripts that its page waits for.

    Then the element that a framework fills tells it, or that there is nothing but a text for browsers without scripts.
    """
    if walked.shown >= _EMPTY:
        return False
    if not walked.shown and walked.noscript_chars:
        return True
    return any(_ROOT.search(tag[4]) and _holds_little(walked, node) for node, tag in enumerate(walked.node_tag))


def _holds_little(walked: Walked, root: int) -> bool:
    """Whether there is no more in an element than a word to those who wait."""
    inside = {root}
    for node in range(root + 1, len(walked.node_parent)):
        if walked.node_parent[node] in inside:
            inside.add(node)
    texts = (text for node, text in zip(walked.row_node, walked.table.text, strict=True) if text and node in inside)
    return sum(map(len, texts)) <= _WAITING


def content_beside(head: Head, walked: Walked) -> str:
    """The content of JSON-LD as HTML, where the page shows next to nothing and not this; else nothing."""
    content = content_of(head) if walked.shown < _EMPTY else ""
    article = _letters(_TAGS.sub(" ", content))
    if len(article) <= walked.shown or article[:_COMPARED] in _letters("".join(filter(None, walked.table.text))):
        return ""
    return content


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, html.unescape(text)))


def content_of(head: Head) -> str:
    """The article or the posts of a thread in JSON-LD (schema.org articleBody, text, comment) as HTML; or nothing."""
    found: list[str] = []
    for item in head.data:
        body = item.get("articleBody")
        if not body and any("posting" in kind or kind == "question" for kind in types_of(item)):
            body = item.get("text")
        if isinstance(body, str) and body.strip():
            found = [_as_html(body), *_posts(item)]
            break
    return "".join(found)


def _posts(item: dict[str, Any]) -> list[str]:
    """The texts of comments and answers, in order."""
    posts: list[str] = []
    queue: list[Any] = [item.get(key) for key in ("comment", "acceptedAnswer", "suggestedAnswer")]
    while queue and len(posts) < _MOST_POSTS:
        entry = queue.pop(0)
        if isinstance(entry, list):
            queue[:0] = entry
        elif isinstance(entry, dict):
            if isinstance(entry.get("text"), str):
                posts.append(_as_html(entry["text"]))
            queue.insert(0, entry.get("comment"))
    return posts


def _as_html(text: str) -> str:
    if _MARKUP.search(text):
        return f"<div>{text}</div>"
    return "".join(f"<p>{html.escape(html.unescape(line))}</p>" for line in _LINES.split(text) if line.strip())


def fill(root: etree._Element, content: str) -> bool:
    """Puts HTML at the end of our tree's body; False where there is no body."""
    body = root.find("body")
    if body is None:
        return False
    parsed = etree.fromstring(f"<body>{content}</body>", etree.HTMLParser(remove_comments=True, remove_pis=True))
    holder = etree.SubElement(body, FILLED_BY)
    inner = parsed.find("body") if parsed is not None else None
    if inner is None:
        return False
    holder.text = inner.text
    holder.extend(list(inner))
    return True
