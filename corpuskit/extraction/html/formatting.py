"""Bold, italic, code and the like: kept as spans beside the plain text."""

from __future__ import annotations

from typing import Final

from corpuskit.document.elements import FORMATTING
from corpuskit.document.spans import Span, clip, dump, load, remap
from corpuskit.extraction.html.rows import FORMULA_KIND, Walked
from corpuskit.extraction.html.tags import FORMATTED, INLINE, Tag
from corpuskit.extraction.html.walk import Walker

_NAMES: Final = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "cite": "italic", "dfn": "italic", "code": "code",
    "kbd": "code", "samp": "code", "tt": "code", "var": "code", "del": "deleted", "s": "deleted", "strike": "deleted",
    "sub": "subscript", "sup": "superscript", "u": "underline", "ins": "underline", "mark": "marked",
}  # fmt: skip
_KINDS: Final = tuple(dict.fromkeys(_NAMES.values()))
# Control characters cannot come out of the parser; those up to 3 and what is white space are taken.
_STARTS: Final = "\x04\x05\x06\x07\x08\x0e\x0f\x10"
_ENDS: Final = "\x11\x12\x13\x14\x15\x16\x17\x18"
_OPENS: Final = {character: _KINDS[i] for i, character in enumerate(_STARTS[: len(_KINDS)])}
_CLOSES: Final = {character: _KINDS[i] for i, character in enumerate(_ENDS[: len(_KINDS)])}
_MARKS: Final = frozenset((*_OPENS, *_CLOSES))
_START_OF: Final = {name: _STARTS[_KINDS.index(kind)] for name, kind in _NAMES.items()}
_END_OF: Final = {name: _ENDS[_KINDS.index(kind)] for name, kind in _NAMES.items()}


class FormattingWalker(Walker):
    """A walk that leaves a mark where formatting begins and ends, and takes the marks out of the texts at its end."""

    def read(self, head: str, tags_read: dict[str, Tag]) -> Tag:
        """As there; elements of formatting are of a kind of their own."""
        tag = super().read(head, tags_read)
        if tag[0] == INLINE and tag[3] in _NAMES:
            tag = FORMATTED, *tag[1:]
            tags_read[head] = tag
        return tag

    def start(self, tag: Tag, node: int) -> None:
        """As there; formatting leaves a mark."""
        if tag[0] == FORMATTED:
            self.buffer.append(_START_OF[tag[3]])
        else:
            super().start(tag, node)

    def flush(self, node: int | None = None) -> None:
        """As there; marks alone are no text and wait for the next."""
        if all(piece in _MARKS or piece.isspace() for piece in self.buffer):
            self.buffer[:] = [piece for piece in self.buffer if piece in _MARKS]
        else:
            super().flush(node)

    def end(self, node: int) -> None:
        """As there; formatting leaves a mark."""
        kind, _, _, name, _ = self.result.node_tag[node]
        if kind != FORMATTED:
            super().end(node)
        elif self.buffer and self.buffer[-1] == _START_OF[name]:
            self.buffer.pop()  # nothing in it
        else:
            self.buffer.append(_END_OF[name])

    def run(self, markup: bytes) -> Walked:
        """As there; then the marks become spans."""
        walked = super().run(markup)
        table, links = walked.table, walked.table.marks.get("links", {})
        still_open: list[str] = []
        for row, text in enumerate(table.text):
            if not text or (not still_open and _MARKS.isdisjoint(text)):
                continue
            node = walked.row_node[row]
            is_verbatim = node >= 0 and walked.node_tag[node][3] == "pre"
            clean, new_at, spans = _unmarked(text, still_open, is_verbatim=is_verbatim)
            table.text[row] = clean
            formulas = [(new_at[start], new_at[end], FORMULA_KIND) for start, end in walked.formulas.get(row, ())]
            if spans or formulas:
                table.mark(FORMATTING, row, dump(sorted(spans + formulas)))
            if row in links:
                moved = clip(remap(load(links[row]), new_at), 0, len(clean))
                links[row] = dump(moved)
                walked.link_chars[row] = sum(end - start for start, end, _ in moved)
        return walked


def _unmarked(text: str, still_open: list[str], *, is_verbatim: bool) -> tuple[str, list[int], list[Span]]:
    """The text without marks, for each place in it the new one, and the spans; what stays open goes on in the next text."""
    out: list[str] = []
    new_at: list[int] = []
    begun = dict.fromkeys(still_open, 0)
    spans: list[Span] = []
    for character in text:
        new_at.append(len(out))
        if character in _OPENS:
            kind = _OPENS[character]
            still_open.append(kind)
            begun.setdefault(kind, len(out))
        elif character in _CLOSES:
            kind = _CLOSES[character]
            if kind in still_open:
                still_open.remove(kind)
            if kind not in still_open and kind in begun:
                spans.append((begun.pop(kind), len(out), kind))
        elif is_verbatim or character != " " or (out and out[-1] not in " \n"):
            out.append(character)
    new_at.append(len(out))
    spans += [(start, len(out), kind) for kind, start in begun.items()]
    clean = "".join(out) if is_verbatim else "".join(out).rstrip(" ")
    # A blank at the edge of a span is none of it.
    trimmed = [_trimmed(clean, start, min(end, len(clean)), kind) for start, end, kind in spans]
    return clean, [min(at, len(clean)) for at in new_at], sorted(span for span in trimmed if span[0] < span[1])


def _trimmed(text: str, start: int, end: int, kind: str) -> Span:
    while start < end and text[start] == " ":
        start += 1
    while start < end and text[end - 1] == " ":
        end -= 1
    return start, end, kind
