"""The walk: serialised markup, read once from front to back, becomes the element table.

No recursion: what is open stands on stacks, so depth costs memory only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from corpuskit.document.elements import FORMATTING, SECTION
from corpuskit.document.spans import dump
from corpuskit.errors import ExtractionError
from corpuskit.extraction.html import tags
from corpuskit.extraction.html.formulas import is_sign
from corpuskit.extraction.html.frames import IN_VERBATIM, Frames
from corpuskit.extraction.html.later import Later
from corpuskit.extraction.html.rows import FORMULA_KIND, Walked
from corpuskit.extraction.html.tags import (
    BLOCK,
    ENDS_SECTIONS,
    HIDDEN,
    IMAGE,
    INLINE,
    ITEM,
    LINK,
    MATH,
    NAVIGATION,
    RULE,
    SELF_CLOSED,
    SKIPPED,
    TITLE,
    Tag,
    attributes_of,
    decoded,
    read_tag,
    without_target,
)
from corpuskit.extraction.html.texts import BREAK, FORMULA, LINK_END, LINK_START

_CHUNK: Final = 1 << 14
_KEPT_TAGS: Final = 20_000
_PROSE: Final = re.compile(r"[^\W\d_]{2,}\W+[^\W\d_]{2,}")
# Shortcodes that WordPress left in a page whose plugin is gone: those of page builders, and its own with attributes.
_SHORTCODE: Final = re.compile(
    r"\[/?(?:vc|wpb|et_pb|fusion|av|mk|tatsu|mpc)_[a-z][\w-]*(?:\s[^\[\]]*)?\]"
    r"|\[(?:audio|caption|embed|gallery|playlist|video|wp_caption)\s+[a-z_]+=[^\[\]]*\]"
    r"|\[/(?:audio|caption|embed|gallery|playlist|video|wp_caption)\]"
)
_CODE: Final = frozenset(("code", "kbd", "listing", "plaintext", "pre", "samp", "textarea", "tt", "xmp"))
_LEAF: Final = frozenset((tags.BREAK, IMAGE, RULE, SKIPPED, TITLE, MATH))
_KIND: Final = 31  # the bits of a state that are the kind
_IN_NAVIGATION: Final = 32
_IS_LEAF: Final = 16  # a flag beside those of a tag
_NOT_ENTERED: Final = HIDDEN | _IS_LEAF


class MarkupError(ExtractionError):
    """The markup holds a name with ``<`` in it, so it cannot be cut into tags."""


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """How to walk.

    Attributes:
        images: alternative texts are text.
        addresses: an image is its alternative text or else its file name, with a link to it.
        blocks: selectors of inline elements that style sheets display as blocks.
        formatting: bold, italic and the like are marked.
        noscript: what is for browsers without scripts is seen.
        hidden: what is hidden is seen.
    """

    images: bool = True
    addresses: bool = False
    blocks: frozenset[str] = frozenset()
    formatting: bool = False
    noscript: bool = False
    hidden: bool = False


def _chunks(markup: bytes) -> Iterator[list[str]]:
    """Pieces that begin behind a ``<``, in lists of limited size: a large page is never held twice, and one wide
    character does not make all of the page wide."""
    start = 1
    while start < len(markup):
        end = markup.find(b"<", start + _CHUNK)
        if end < 0:
            end = len(markup)
        yield markup[start:end].decode().split("<")
        start = end + 1


class Walker(Frames):
    """Reads tags and texts, and opens and closes what they stand for."""

    def __init__(self, resolve: Callable[[str], str], options: WalkOptions) -> None:
        super().__init__(resolve)
        self.options = options

    def run(self, markup: bytes) -> Walked:
        """One pass over all pieces. The common cases are written out: a call costs as much as the work."""
        result = self.result
        node_parent, node_tag = result.node_parent, result.node_tag
        buffer, frames, items = self.buffer, self.frames, self.items
        open_rows, open_types, types = self.open_rows, self.open_types, self.types
        # Kinds of the open elements, those of navigation marked; the first stands for the document.
        states = [INLINE]
        # The target of a link is cut out of its tag, so that the rest comes again and again.
        tags_read: dict[str, Tag] = {}
        node, skip, skipped = -1, 0, 0
        unseen = [0, 0, 0]
        for pieces in _chunks(markup):
            for piece in pieces:
                head, closed, text = piece.partition(">")
                if not closed:
                    raise MarkupError("a name holds '<'")
                if skip:
                    if head[0] == "/":
                        skip -= 1
                    elif head[-1] != "/":
                        skip += 1
                    if skip or not text:
                        if text and not text.isspace():
                            unseen[skipped] += len(text)
                        continue
                elif head[0] == "/":
                    state = states.pop()
                    if state:
                        if state == BLOCK and not self.collecting:
                            if buffer:
                                self.flush()
                            depth, rows, self.block_node, _ = frames.pop()
                            if len(open_rows) != depth or (
                                open_types[-1] == SECTION and node_tag[node][1] & ENDS_SECTIONS
                            ):
                                self.end_block(depth, rows, node)
                        else:
                            kind = state & _KIND
                            if kind == LINK:
                                self.end_link()
                            elif kind:
                                self.end(node)
                            if state & _IN_NAVIGATION:
                                self.navigation -= 1
                    node = node_parent[node]
                else:
                    target = ""
                    if head[:2] == "a ":
                        head, target = without_target(head)
                    tag = tags_read.get(head)
                    if tag is None:
                        tag = self.read(head, tags_read)
                    kind, flags, _, name, _ = tag
                    if flags & _NOT_ENTERED:
                        if not flags & _IS_LEAF:
                            node_parent.append(node)
                            node_tag.append(tag)
                        if kind != SKIPPED:
                            if flags & HIDDEN:
                                result.hidden += 1
                            else:
                                self.leaf(tag, text)
                        if not flags & SELF_CLOSED:
                            skip = 1
                            skipped = 1 if name == "noscript" else 2 if flags & HIDDEN and kind != SKIPPED else 0
                            if text and not text.isspace():
                                unseen[skipped] += len(text)
                            continue
                    else:
                        here = len(node_parent)
                        node_parent.append(node)
                        node_tag.append(tag)
                        if items and states[-1] & _KIND == ITEM:
                            items[-1][0 if kind == LINK else 1] += 1
                        if flags & NAVIGATION:
                            self.navigation += 1
                        if kind == BLOCK and not self.collecting:
                            if buffer:
                                self.flush()
                            frames.append((len(open_rows), len(types), self.block_node, BLOCK))
                            self.block_node = here
                        elif kind == LINK:
                            self.start_link(tag, target)
                        elif kind:
                            self.start(tag, here)
                        if flags & SELF_CLOSED:
                            if kind == LINK:
                                self.end_link()
                            elif kind:
                                self.end(here)
                            if flags & NAVIGATION:
                                self.navigation -= 1
                        else:
                            states.append(kind | _IN_NAVIGATION if flags & NAVIGATION else kind)
                            node = here
                if text:
                    if text.isspace():
                        if buffer or self.collecting == IN_VERBATIM:
                            buffer.append(text)
                    else:
                        if "&" in text:
                            text = decoded(text)
                        if "[" in text and _SHORTCODE.search(text) and node_tag[node][3] not in _CODE:
                            text = _SHORTCODE.sub("", text)
                        buffer.append(text)
                        if items and states[-1] & _KIND == ITEM and not items[-1][2] and _PROSE.search(text):
                            items[-1][2] = 1
        self.flush()
        self.close_to(1)
        if self.places:
            self.table.cells = Later(self.places.as_dict)
        if self.links:
            self.table.marks["links"] = self.links
        for row, formulas in result.formulas.items():
            self.table.mark(FORMATTING, row, dump((start, end, FORMULA_KIND) for start, end in formulas))
        _, result.noscript_chars, result.hidden_chars = unseen
        return result

    def read(self, head: str, tags_read: dict[str, Tag]) -> Tag:
        """Reads a tag that was not read before, and keeps it; with what the options let be seen."""
        tag = read_tag(head, self.options.blocks)
        kind, flags, number, name, rest = tag
        if kind in _LEAF:
            tag = kind, flags | _IS_LEAF, number, name, rest
        elif flags & HIDDEN and self.options.hidden:
            tag = kind, flags & ~HIDDEN, number, name, rest
        if name == "noscript" and self.options.noscript:
            tag = BLOCK, flags & ~_IS_LEAF, number, name, rest
        if not self.result.has_formulas and is_sign(head):
            self.result.has_formulas = True
        if len(tags_read) < _KEPT_TAGS:
            tags_read[head] = tag
        return tag

    def leaf(self, tag: Tag, tail: str) -> None:
        """A break, an image, a rule, a formula, or what is skipped."""
        kind = tag[0]
        if kind == tags.BREAK:
            self.buffer.append("\n" if self.collecting == IN_VERBATIM else BREAK)
        elif kind == MATH:
            self.formula(attributes_of(tag[4]).get("alttext", "").strip(), tail)
        elif kind == IMAGE:
            text = attributes_of(tag[4]).get("alt", "").strip()
            if self.options.addresses:
                self.image(text, attributes_of(tag[4]).get("src", ""))
            elif text and self.options.images:
                before = self.buffer[-1][-1:] if self.buffer else ""
                self.buffer.append(f" {text}" if before.isalnum() else text)
                self.alt_length += len(text)
                if tail[:1].isalnum():
                    self.buffer.append(" ")
        elif kind == RULE:
            self.flush()

    def formula(self, tex: str, tail: str) -> None:
        """The TeX of a formula; a span like that of a link keeps where it stands."""
        if not tex:
            return
        before = self.buffer[-1][-1:] if self.buffer else ""
        if before.isalnum():
            self.buffer.append(" ")
        self.buffer += [LINK_START, tex, LINK_END]
        self.urls.append(FORMULA)
        if tail[:1].isalnum():
            self.buffer.append(" ")

    def image(self, text: str, source: str) -> None:
        """An image as a link to it; in a link, as text alone."""
        url = self.resolve(source) if source else ""
        text = text or unquote(urlsplit(url).path.rpartition("/")[2])
        if not url or not text:
            return
        before = self.buffer[-1][-1:] if self.buffer else ""
        gap = " " if before.isalnum() else ""
        if self.link is None:
            self.buffer += [gap, LINK_START, text, LINK_END] if gap else [LINK_START, text, LINK_END]
            self.urls.append(url)
        else:
            self.buffer.append(gap + text)
        self.alt_length += len(text)
