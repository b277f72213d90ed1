"""Chunks for retrieval and pre-training: cut at borders of elements, with the section path in front."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from corpuskit.document.elements import LIST_ITEM, SECTION, TABLE, TEXT_BLOCK
from corpuskit.export.formats.json_lines import json_line
from corpuskit.export.formats.sentence_spans import sentence_texts
from corpuskit.export.item import Item
from corpuskit.export.options import ExportOptions
from corpuskit.export.writers import export_format

Count = Callable[[str], int]
_PARTED: Final = " > "


@dataclass(frozen=True, slots=True)
class Unit:
    """Smallest part of a document that is only cut if it exceeds the budget: a block, a table row, a title.

    Attributes:
        text: Its text in the chunk.
        first, last: element_ids of its source, inclusive.
        path: Titles of the enclosing sections, outermost first.
        is_title: Whether it is a title, which never ends a chunk.
        is_section: Whether it starts a section. A chunk that is at least half full ends before it.
    """

    text: str
    first: int
    last: int
    path: tuple[str, ...]
    is_title: bool = False
    is_section: bool = False


@dataclass(slots=True)
class Chunk:
    """Chunk with its section path, units and number of tokens."""

    path: tuple[str, ...]
    units: list[Unit] = field(default_factory=list)
    tokens: int = 0

    @property
    def text(self) -> str:
        """The path, a blank line, the units a line each."""
        body = "\n".join(unit.text for unit in self.units)
        return f"{_PARTED.join(self.path)}\n\n{body}" if self.path else body


@export_format("chunks", files="chunks.jsonl", about="pieces of few tokens for retrieval and pre-training")
class ChunksWriter:
    """``chunks.jsonl``: one JSON object per chunk.

    Keys: chunk_id (doc_id-number), doc_id, uri, title, path (list of titles), text (path and content), tokens,
    first_element, last_element (element_ids), and lang, label, license, page if known. No chunk has more
    than ``chunk_tokens`` tokens, counted by ``count_tokens`` over its whole text. A block that exceeds
    the budget is cut at sentences, a sentence at spaces. Only a single word can exceed it; it becomes a chunk.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._file = (folder / "chunks.jsonl").open("wb")
        self._budget = options.chunk_tokens
        self._count = options.count_tokens

    def write(self, item: Item) -> None:
        """Write the chunks of the document."""
        row, table = item.row, item.document.table
        lines = []
        for number, chunk in enumerate(chunks(item, self._budget, self._count), 1):
            first, last = chunk.units[0].first, chunk.units[-1].last
            content = {
                "chunk_id": f"{row['doc_id']}-{number}", "doc_id": row["doc_id"], "uri": row["uri"],
                "title": item.document.title, "path": list(chunk.path), "text": chunk.text, "tokens": chunk.tokens,
                "first_element": first, "last_element": last, "lang": row["lang"], "label": row["label"],
                "license": row["license"], "page": table.marks.get("page", {}).get(first),
            }  # fmt: skip
            lines.append(json_line({name: value for name, value in content.items() if value is not None}))
        self._file.write(b"".join(lines))

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


def chunks(item: Item, budget: int, count: Count) -> Iterator[Chunk]:
    """Yield the chunks of a document, each with at most ``budget`` tokens."""
    lang = item.row["lang"] or "?"
    waiting = deque(units(item))
    current: Chunk | None = None
    while waiting or current is not None:
        unit = waiting.popleft() if waiting else None
        if current is None:
            assert unit is not None
            current = Chunk(_fitting(unit.path, budget, count), [unit])
            current.tokens = count(current.text)
            if current.tokens > budget:
                *complete, current = _cut(unit, current.path, budget, count, lang)
                yield from complete
            continue
        if unit is not None:
            # Most tokenizers count at most one more for the line end; the whole is counted again at the end.
            size = current.tokens + count(unit.text) + 1
            is_border = unit.is_section and current.tokens * 2 >= budget
            if not is_border and (size <= budget or (size := count(f"{current.text}\n{unit.text}")) <= budget):
                current.units.append(unit)
                current.tokens = size
                continue
            waiting.appendleft(unit)
        waiting.extendleft(reversed(_finish(current, unit, budget, count)))
        if unit is None or not _is_in_path(current, unit, budget, count):
            yield current
        current = None


def _finish(chunk: Chunk, following: Unit | None, budget: int, count: Count) -> list[Unit]:
    """Ends a chunk; returns the units that go to the next: titles at its end, and what is too much."""
    size_in_units = len(chunk.units)
    while following is not None and size_in_units > 1 and chunk.units[size_in_units - 1].is_title:
        size_in_units -= 1
    if chunk.units[size_in_units - 1].is_title:
        size_in_units = len(chunk.units)  # nothing but titles
    while True:
        rest = chunk.units[size_in_units:]
        shorter = Chunk(chunk.path, chunk.units[:size_in_units])
        size = count(shorter.text)
        if size <= budget or size_in_units == 1:
            break
        size_in_units -= 1
    chunk.units, chunk.tokens = shorter.units, size
    return rest


def _is_in_path(chunk: Chunk, following: Unit, budget: int, count: Count) -> bool:
    """Nothing but titles that the next chunk has in its path."""
    path = _fitting(following.path, budget, count)
    return all(unit.is_title and unit.text in path for unit in chunk.units)


def units(item: Item) -> Iterator[Unit]:
    """Yield the units of a document in reading order."""
    table = item.document.table
    exported = set(item.exported_rows)
    root = (item.document.title.strip(),) if item.document.title.strip() else ()
    sections: list[tuple[int, tuple[str, ...]]] = []
    i, size = 0, len(table)
    while i < size:
        while sections and sections[-1][0] <= i:
            sections.pop()
        path = sections[-1][1] if sections else root
        code, text = table.type[i], table.text[i]
        if code == SECTION:
            title = " ".join((text or "").split()) if i in exported else ""
            # A page's first heading often is its title.
            if title and title not in path:
                yield Unit(title, i, i, path, is_title=True, is_section=True)
                sections.append((table.subtree_end[i], (*path, title)))
            else:
                sections.append((table.subtree_end[i], path))
        elif code == TABLE:
            if i in exported:
                yield Unit(text or "", i, i, path, is_title=True)
            yield from _rows(item, i, exported, path)
            i = table.subtree_end[i]
            continue
        elif i in exported and text:
            parent = table.parent_id[i]
            in_item = parent >= 0 and table.type[parent] == LIST_ITEM and i == parent + 1
            yield Unit(f"- {text}" if in_item else text, i, i, path, is_title=code != TEXT_BLOCK)
        i += 1


def _rows(item: Item, i: int, exported: set[int], path: tuple[str, ...]) -> Iterator[Unit]:
    """Yield the rows of a table, cells separated by bars."""
    table = item.document.table
    rows: dict[int, list[int]] = {}
    for k in table.children(i):
        rows.setdefault(table.cells[k][0], []).append(k)
    for cells in rows.values():
        texts = [
            " ".join(" ".join((table.text[j] or "").split()) for j in range(k, table.subtree_end[k]) if j in exported)
            for k in cells
        ]
        if any(texts):
            yield Unit(" | ".join(texts), cells[0], table.subtree_end[cells[-1]] - 1, path)


def _fitting(path: tuple[str, ...], budget: int, count: Count) -> tuple[str, ...]:
    """Return the path, shortened from the outermost title to at most a third of the budget."""
    while path and count(_PARTED.join(path)) * 3 > budget:
        path = path[1:]
    return path


def _cut(unit: Unit, path: tuple[str, ...], budget: int, count: Count, lang: str) -> Iterator[Chunk]:
    """Chunks of a unit that is too large alone: as many whole sentences as fit, else as many words."""
    runs: list[list[str]] = [[]]
    for part in sentence_texts(unit.text, lang) or [unit.text]:
        if count(Chunk(path, [Unit(part, 0, 0, path)]).text) <= budget:
            runs[-1].append(part)
        else:
            runs += [part.split() or [part], []]
    for run in runs:
        yield from _packed(unit, run, path, budget, count)


def _packed(unit: Unit, parts: list[str], path: tuple[str, ...], budget: int, count: Count) -> Iterator[Chunk]:
    """Yield chunks filled with consecutive parts."""
    at = 0
    while at < len(parts):
        # The largest number of parts that fits; doubling, then halving, keeps the counting short.
        low, high = 1, 2
        while at + high <= len(parts) and _chunk(unit, path, parts[at : at + high], count).tokens <= budget:
            low, high = high, high * 2
        high = min(high, len(parts) - at + 1)
        while high - low > 1:
            middle = (low + high) // 2
            if _chunk(unit, path, parts[at : at + middle], count).tokens <= budget:
                low = middle
            else:
                high = middle
        yield _chunk(unit, path, parts[at : at + low], count)
        at += low


def _chunk(unit: Unit, path: tuple[str, ...], parts: list[str], count: Count) -> Chunk:
    chunk = Chunk(path, [Unit(" ".join(parts), unit.first, unit.last, unit.path)])
    chunk.tokens = count(chunk.text)
    return chunk
