"""Main content by rules alone: what is used where the model file is absent."""

from __future__ import annotations

import re
from typing import Final

from corpuskit.extraction.html.rows import Walked
from corpuskit.extraction.html.tags import key_of

_BOILERPLATE: Final = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|footer|masthead|topbar|cookies?|consent|banner|"
    r"advert\w*|ads?|sponsored|promo|social|share|sharing|related|recommended|newsletter|subscribe|pagination|pager|"
    r"comments?|comment-list|disqus\w*|popup|modal|toolbar|widget|widgets|skip-link|tags|login|signup)(?:$|[\s_-])"
)
_OUTSIDE: Final = frozenset(("nav", "aside", "footer", "form", "dialog", "button", "textarea", "label", "select"))
_CONTENT: Final = frozenset(("main", "article"))
_CONTENT_ROLE: Final = re.compile(r"(?:^|\s)(?:main|article)(?:\s|$)")
_OUTSIDE_ROLE: Final = re.compile(
    r"(?:^|\s)(?:navigation|banner|contentinfo|complementary|dialog|search|alert)(?:\s|$)"
)
_BOILERPLATE_FLAG, _CONTENT_FLAG = 1, 2
_LEAST_WORDS: Final = 25


def main_by_rules(walked: Walked) -> list[bool]:
    """For each element whether it is main content.

    Landmarks of HTML (``nav``, ``aside``, ``footer``, ``form``, the page's ``header``; WAI-ARIA roles) and words in
    classes and ids take out; where the page has ``main`` or ``article`` the rest is taken from there only, unless that
    leaves next to nothing.
    """
    flags = _node_flags(walked)
    table = walked.table
    has_content = any(flag & _CONTENT_FLAG for flag in flags)
    wanted = _CONTENT_FLAG if has_content else 0
    main = [node >= 0 and flags[node] & 3 == wanted for node in walked.row_node]
    default = table.default_main()
    main = [a and b for a, b in zip(main, default, strict=True)]
    words = sum(len(text.split()) for text, kept in zip(table.text, main, strict=True) if kept and text)
    if words >= _LEAST_WORDS:
        return main
    return [b and not (n >= 0 and flags[n] & 1) for n, b in zip(walked.row_node, default, strict=True)]


def _node_flags(walked: Walked) -> list[int]:
    """Node → flags of itself and the nodes around it."""
    of_tag: dict[str, int] = {}
    flags: list[int] = []
    for parent, (_, _, _, name, tag) in zip(walked.node_parent, walked.node_tag, strict=True):
        flag = flags[parent] if parent >= 0 else 0
        if name in _CONTENT:
            flag |= _CONTENT_FLAG
        elif name in _OUTSIDE or (name == "header" and not flag & _CONTENT_FLAG):
            flag |= _BOILERPLATE_FLAG
        if name not in ("html", "body"):
            own = of_tag.get(tag)
            if own is None:
                own = of_tag[tag] = _flag_of_key(key_of(tag))
            flag |= own & ~_BOILERPLATE_FLAG if name in _CONTENT else own
        flags.append(flag)
    return flags


def _flag_of_key(key: str) -> int:
    key = key.lower()
    content = _CONTENT_FLAG if _CONTENT_ROLE.search(key) else 0
    return content | (_BOILERPLATE_FLAG if _BOILERPLATE.search(key) or _OUTSIDE_ROLE.search(key) else 0)
