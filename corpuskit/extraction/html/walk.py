"""The walk: serialised markup, read once from front to back, becomes the element table.

No recursion: what is open stands on stacks, so depth costs memory only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from corpuskit.document.elements import SECTION
from corpuskit.errors import ExtractionError
from corpuskit.extraction.html import tags
from corpuskit.extraction.html.frames import IN_VERBATIM, Frames
from corpuskit.extraction.html.rows import Walked
from corpuskit.extraction.html.tags import (
    BLOCK,
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
    decoded,
    read_tag,
)
from corpuskit.extraction.html.texts import BREAK

_CHUNK: Final = 1 << 20
_KEPT_TAGS: Final = 20_000
_PROSE: Final = re.compile(r"[^\W\d_]{2,}\W+[^\W\d_]{2,}")
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
        blocks: selectors of inline elements that style sheets display as blocks.
        noscript: what is for browsers without scripts is seen.
        hidden: what is hidden is seen.
    """

    images: bool = True
    blocks: frozenset[str] = frozenset()
    noscript: bool = False
    hidden: bool = False


def walk(markup: str, resolve: Callable[[str], str], options: WalkOptions) -> Walked:
    """Walks over markup as an XML serialiser writes it, without comments and processing instructions.

    Raises:
        MarkupError: a name of a tag or attribute holds ``<``.
    """
    return _Walker(resolve, options).run(markup)


def _chunks(markup: str) -> Iterator[list[str]]:
    """Pieces that begin behind a ``<``, in lists of limited size: a large page is never held twice."""
    start = 1
    while start < len(markup):
        end = markup.find("<", start + _CHUNK)
        if end < 0:
            end = len(markup)
        yield markup[start:end].split("<")
        start = end + 1


class _Walker(Frames):
    """Reads tags and texts, and opens and closes what they stand for."""

    def __init__(self, resolve: Callable[[str], str], options: WalkOptions) -> None:
        super().__init__(resolve)
        self.options = options

    def run(self, markup: str) -> Walked:
        """One pass over all pieces. The common cases are written out: a call costs as much as the work."""
        result = self.result
        node_parent, node_name, node_key = result.node_parent, result.node_name, result.node_key
        buffer, frames, items = self.buffer, self.frames, self.items
        open_rows, open_types, types = self.open_rows, self.open_types, self.types
        # Kinds of the open elements, those of navigation marked; the first stands for the document.
        states = [INLINE]
        heads: dict[str, tuple[int, str, int, int, Tag]] = {}
        key_ids: dict[str, int] = {"": 0}
        node, skip, skipped = -1, 0, 0
        shown_as_block, as_it_is = self.options.blocks, not (self.options.noscript or self.options.hidden)
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
                            if open_types[-1] == SECTION or len(open_rows) != depth:
                                self.end_block(depth, rows)
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
                    known = heads.get(head)
                    if known is None:
                        tag = read_tag(head, shown_as_block)
                        if not as_it_is:
                            tag = self.shown(tag)
                        kind, name, flags, _, _, key = tag
                        if kind in _LEAF:
                            flags |= _IS_LEAF
                        known = kind, name, flags, key_ids.setdefault(key, len(key_ids)), tag
                        if kind not in (LINK, IMAGE) and len(heads) < _KEPT_TAGS:
                            heads[head] = known
                    else:
                        kind, name, flags, _, tag = known
                    if flags & _NOT_ENTERED:
                        if kind not in _LEAF:
                            node_parent.append(node)
                            node_name.append(name)
                            node_key.append(known[3])
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
                        node_name.append(name)
                        node_key.append(known[3])
                        if states[-1] & _KIND == ITEM and items:
                            items[-1][0 if kind == LINK else 1] += 1
                        if flags & NAVIGATION:
                            self.navigation += 1
                        if kind == BLOCK and not self.collecting:
                            if buffer:
                                self.flush()
                            frames.append((len(open_rows), len(types), self.block_node, BLOCK))
                            self.block_node = here
                        elif kind == LINK:
                            self.start_link(tag)
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
                        buffer.append(text)
                        if states[-1] & _KIND == ITEM and items and not items[-1][2] and _PROSE.search(text):
                            items[-1][2] = 1
        self.flush()
        self.close_to(1)
        if self.links:
            self.table.marks["links"] = self.links
        result.keys = list(key_ids)
        _, result.noscript_chars, result.hidden_chars = unseen
        return result

    def shown(self, tag: Tag) -> Tag:
        """The tag with what the options let be seen."""
        if self.options.noscript and tag.name == "noscript":
            tag = tag._replace(kind=BLOCK)
        if self.options.hidden and tag.flags & HIDDEN:
            tag = tag._replace(flags=tag.flags & ~HIDDEN)
        return tag

    def leaf(self, tag: Tag, tail: str) -> None:
        """A break, an image, a rule, a formula, or what is skipped."""
        kind = tag.kind
        if kind == tags.BREAK:
            self.buffer.append("\n" if self.collecting == IN_VERBATIM else BREAK)
        elif kind in (IMAGE, MATH):
            text = tag.attributes.get("alt" if kind == IMAGE else "alttext", "").strip()
            if text and (self.options.images or kind == MATH):
                before = self.buffer[-1][-1:] if self.buffer else ""
                self.buffer.append(f" {text}" if before.isalnum() else text)
                self.alt_length += len(text)
                if tail[:1].isalnum():
                    self.buffer.append(" ")
        elif kind == RULE:
            self.flush()
